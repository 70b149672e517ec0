//! One run of a function, written down: which access meets which element in which iteration, in the order in which they
//! happen, and which stores change what is there.
//!
//! What a run shows to be otherwise cannot be proven, so whoever asks for a proof looks here first. It says nothing about
//! what can be proven. Only short functions have one, in which constants and the variables of loops decide what happens.

use std::ops::Range;

use hashbrown::HashMap;

use super::accesses::{Access, Accesses, Fact, Kind};
use crate::arith::points::mix;
use crate::ir::value::{Value, binary, cast, evaluate};
use crate::ir::{BinOp, BufferId, DType, Expr, ExprKind, VarId};

/// The most that happens in a run.
const MAX_EVENTS: usize = 2_000;

/// How many iterations may do nothing, for each thing that happens.
const IDLE_FOR_EACH: usize = 8;

/// An access in one iteration.
#[derive(Clone, Copy, Debug)]
struct Event {
    /// Its position among the accesses.
    access: usize,
    /// Where the values of the variables of its loops begin.
    point: usize,
    /// The number of the element, and how many events have met it before.
    slot: usize,
    earlier: usize,
    /// Whether it stores something else than what is there, as far as that is known.
    changes: bool,
}

/// A run.
#[derive(Clone, Debug)]
pub(crate) struct Trace {
    events: Vec<Event>,
    points: Vec<i64>,
    /// The events of each access, by its position.
    of: Vec<Vec<usize>>,
    /// The numbers of elements, and the events that meet each.
    numbers: HashMap<Key, usize>,
    meets: Vec<Vec<usize>>,
    /// How often buffers were allocated.
    allocated: HashMap<BufferId, usize>,
}

/// An element: its buffer, how often that was allocated, the place in it.
type Key = (BufferId, usize, i64);

/// What stands in the way of a store being dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reader {
    /// A load, by its position.
    Load(usize),
    /// Whoever called the function.
    Caller,
}

impl Trace {
    /// The run of a function without what changes add; `None` if it is long, if more than constants decides what happens, or
    /// if elements of several buffers may be one.
    pub(super) fn of(accesses: &Accesses) -> Option<Trace> {
        let own = accesses.list.iter().position(|access| access.ghost).unwrap_or(accesses.list.len());
        let list = &accesses.list[..own];
        let mut buffers: Vec<BufferId> = list.iter().map(|access| access.buffer).collect();
        buffers.sort_unstable();
        buffers.dedup();
        let apart =
            |(at, a): (usize, &BufferId)| buffers[at + 1..].iter().all(|b| !accesses.may_share(*a, *b));
        let times = |access: &Access| {
            let extents = access.loops.iter().map(|&l| accesses.loops[l].domain.extent.as_int());
            extents.flatten().fold(1, i64::saturating_mul)
        };
        let fits = list.iter().map(times).fold(0, i64::saturating_add) <= MAX_EVENTS as i64;
        let tells = |access: &Access| {
            let ordered = access.loops.iter().all(|&l| accesses.loops[l].ordered);
            (access.exact || access.kind == Kind::Fresh) && ordered && access.locals.is_empty()
        };
        if !fits || !list.iter().all(tells) || !buffers.iter().enumerate().all(apart) {
            return None;
        }
        let trace = Trace {
            events: Vec::new(),
            points: Vec::new(),
            of: vec![Vec::new(); own],
            numbers: HashMap::new(),
            meets: Vec::new(),
            allocated: HashMap::new(),
        };
        let mut run = Run {
            accesses,
            list,
            trace,
            vars: vec![None; accesses.ranges.len()],
            point: Vec::new(),
            elements: Vec::new(),
            iterations: IDLE_FOR_EACH * MAX_EVENTS,
            is_assumed: true,
        };
        run.block(0..own, 0)?;
        let Run { mut trace, is_assumed, .. } = run;
        if !is_assumed {
            trace.events.iter_mut().for_each(|event| event.changes = false);
        }
        Some(trace)
    }

    /// The executions of an access in which facts hold.
    fn at<'t>(
        &'t self,
        accesses: &'t Accesses,
        access: usize,
        facts: &'t [Fact],
    ) -> impl Iterator<Item = usize> + 't {
        let events = self.of.get(access).into_iter().flatten().copied();
        events.filter(move |&event| {
            facts.iter().all(|(fact, truth)| self.holds(accesses, event, fact) == Some(*truth))
        })
    }

    /// Whether a condition holds where something happens.
    fn holds(&self, accesses: &Accesses, event: usize, cond: &Expr) -> Option<bool> {
        Some(self.value(accesses, event, cond)? != Value::Int(0))
    }

    /// The value of an expression where something happens.
    fn value(&self, accesses: &Accesses, event: usize, e: &Expr) -> Option<Value> {
        let event = self.events[event];
        let loops = &accesses.list[event.access].loops;
        let value_of = |var: VarId| {
            let at = loops.iter().position(|&l| accesses.loops[l].domain.var == var)?;
            self.points.get(event.point + at).copied().map(Value::Int)
        };
        evaluate(e, &value_of)
    }

    /// Who sees what a store leaves, if the accesses for which `skips` holds do not happen.
    fn seen(
        &self,
        accesses: &Accesses,
        store: usize,
        skips: impl Fn(usize, &Access) -> bool,
    ) -> Option<Reader> {
        let Event { slot, earlier, .. } = self.events[store];
        for &event in &self.meets[slot][earlier + 1..] {
            let position = self.events[event].access;
            let access = &accesses.list[position];
            match access.kind {
                _ if skips(event, access) => {}
                Kind::Load => return Some(Reader::Load(position)),
                Kind::Store(_) | Kind::Undefined => return None,
                Kind::Assumed(_) | Kind::Fresh => {}
            }
        }
        let store = &accesses.list[self.events[store].access];
        (!accesses.is_allocated(store.buffer)).then_some(Reader::Caller)
    }

    /// Who sees what a store leaves in some iteration in which facts hold; `sees` says which accesses count as loads.
    pub(super) fn reader(
        &self,
        accesses: &Accesses,
        store: usize,
        facts: &[Fact],
        sees: impl Fn(&Access) -> bool,
    ) -> Option<Reader> {
        let skips = |_: usize, access: &Access| access.kind == Kind::Load && !sees(access);
        self.at(accesses, store, facts).find_map(|event| self.seen(accesses, event, skips))
    }

    /// Whether a store changes its element in some iteration in which facts hold.
    pub(crate) fn changes(&self, accesses: &Accesses, store: usize, facts: &[Fact]) -> bool {
        self.at(accesses, store, facts).any(|event| self.events[event].changes)
    }

    /// The accesses of which one that defines an element at each execution of the access with number `at` in which facts hold;
    /// `None` if the run does not tell.
    pub(super) fn definers(
        &self,
        accesses: &Accesses,
        at: usize,
        facts: &[Fact],
        (buffer, element): (BufferId, &[Expr]),
    ) -> Option<Vec<usize>> {
        let allocated = self.allocated.get(&buffer).copied().unwrap_or(0);
        let mut all: Option<Vec<usize>> = None;
        for event in self.at(accesses, at, facts) {
            let value_of = |e: &Expr| self.value(accesses, event, e)?.as_int();
            let place = place(accesses, buffer, element, value_of).filter(|_| allocated <= 1)?;
            let met =
                self.numbers.get(&(buffer, allocated, place)).map_or(&[][..], |&slot| &self.meets[slot]);
            let before = met.partition_point(|&other| other < event);
            let mut own = Vec::new();
            for &other in met[..before].iter().rev() {
                let position = self.events[other].access;
                match accesses.list[position].kind {
                    Kind::Store(_) | Kind::Undefined => {
                        own.push(position);
                        break;
                    }
                    Kind::Assumed(_) => own.push(position),
                    Kind::Load | Kind::Fresh => {}
                }
            }
            match &mut all {
                Some(all) => all.retain(|position| own.contains(position)),
                None => all = Some(own),
            }
            if all.as_ref().is_some_and(Vec::is_empty) {
                break;
            }
        }
        all
    }

    /// Whether somebody misses a store of these accesses whichever iterations of the first `depth` loops around them they leave
    /// out: no choice of iterations, but none, is missed by nobody.
    pub(crate) fn is_missed_anyway(&self, accesses: &Accesses, span: (usize, usize), depth: usize) -> bool {
        let mut iterations: HashMap<&[i64], usize> = HashMap::new();
        // The iterations of the events of the accesses, and which of them may still be left out.
        let mut own: HashMap<usize, usize> = HashMap::new();
        for access in (span.0..span.1).filter(|&access| accesses.list[access].loops.len() >= depth) {
            for &event in self.of.get(access).into_iter().flatten() {
                let point = self.events[event].point;
                let next = iterations.len();
                own.insert(event, *iterations.entry(&self.points[point..point + depth]).or_insert(next));
            }
        }
        let mut gone = vec![true; iterations.len()];
        // A store is missed if an iteration reads it that is not left out, so those that are left out become fewer.
        let mut left = gone.len();
        let mut stores: Vec<usize> =
            own.keys().copied().filter(|&event| self.events[event].changes).collect();
        stores.sort_unstable();
        loop {
            let before = left;
            for &event in stores.iter().rev() {
                let is_gone = |event: usize| own.get(&event).is_some_and(|&iteration| gone[iteration]);
                if is_gone(event) && self.seen(accesses, event, |event, _| is_gone(event)).is_some() {
                    gone[own[&event]] = false;
                    left -= 1;
                }
            }
            if left == 0 || left == before {
                return left == 0;
            }
        }
    }

    /// Whether somebody misses a store of these accesses if they do not happen where `idle` holds.
    pub(crate) fn is_missed(&self, accesses: &Accesses, span: (usize, usize), idle: &Expr) -> bool {
        let facts = [(idle.clone(), true)];
        let mut gone = vec![false; self.events.len()];
        for event in (span.0..span.1).flat_map(|access| self.at(accesses, access, &facts)) {
            gone[event] = true;
        }
        (0..self.events.len()).any(|event| {
            gone[event]
                && self.events[event].changes
                && self.seen(accesses, event, |event, _| gone[event]).is_some()
        })
    }
}

/// What an element holds.
#[derive(Clone, Copy, Debug)]
struct Element {
    /// Nothing where that is not known.
    value: Option<Value>,
    is_stored: bool,
    is_read: bool,
}

/// The walk that writes the run down.
struct Run<'a> {
    accesses: &'a Accesses,
    list: &'a [Access],
    trace: Trace,
    /// The values of variables, by number.
    vars: Vec<Option<i64>>,
    /// The values of the variables of the loops around.
    point: Vec<i64>,
    elements: Vec<Element>,
    /// How many more iterations there may be.
    iterations: usize,
    /// Whether what elements hold satisfies all assumptions.
    is_assumed: bool,
}

impl Run<'_> {
    fn integer(&self, e: &Expr) -> Option<i64> {
        evaluate(e, &|var| self.var(var))?.as_int()
    }

    fn var(&self, var: VarId) -> Option<Value> {
        self.vars.get(var.index()).copied().flatten().map(Value::Int)
    }

    /// Runs accesses that stand in a row, all within the same `depth` loops.
    fn block(&mut self, range: Range<usize>, depth: usize) -> Option<()> {
        let mut at = range.start;
        while at < range.end {
            let Some(&l) = self.list[at].loops.get(depth) else {
                self.event(at)?;
                at += 1;
                continue;
            };
            let inside = |access: &&Access| access.loops.get(depth) == Some(&l);
            let end = at + self.list[at..range.end].iter().take_while(inside).count();
            let domain = &self.accesses.loops[l].domain;
            let (min, extent) = (self.integer(&domain.min)?, self.integer(&domain.extent)?);
            for value in min..min.checked_add(extent)? {
                self.iterations = self.iterations.checked_sub(1)?;
                *self.vars.get_mut(domain.var.index())? = Some(value);
                self.point.push(value);
                self.block(at..end, depth + 1)?;
                self.point.pop();
            }
            self.vars[domain.var.index()] = None;
            at = end;
        }
        Some(())
    }

    fn event(&mut self, at: usize) -> Option<()> {
        let access = &self.list[at];
        for (cond, truth) in &*access.guards {
            if (self.integer(cond)? != 0) != *truth {
                return Some(());
            }
        }
        if access.kind == Kind::Fresh {
            *self.trace.allocated.entry(access.buffer).or_insert(0) += 1;
            return Some(());
        }
        let (key, event) = (self.key(access.buffer, &access.indices)?, self.trace.events.len());
        let slot = *self.trace.numbers.entry(key).or_insert(self.elements.len());
        if slot == self.elements.len() {
            let dtype = self.accesses.dtype(key.0).filter(|_| !self.accesses.is_allocated(key.0));
            let value = dtype.and_then(|dtype| given(dtype, key));
            self.elements.push(Element { value, is_stored: false, is_read: false });
            self.trace.meets.push(Vec::new());
        }
        let earlier = self.trace.meets[slot].len();
        self.trace.meets[slot].push(event);
        let old = self.elements[slot].value;
        let mut changes = false;
        match &access.kind {
            Kind::Store(value) => {
                let new = self.value(value);
                changes = old.zip(new).is_some_and(|(old, new)| !same(old, new));
                self.elements[slot].value = new;
                self.elements[slot].is_stored = true;
            }
            Kind::Undefined => {
                self.elements[slot].value = None;
                self.elements[slot].is_stored = true;
            }
            Kind::Assumed(Some(value)) => self.assume(slot, evaluate(value, &|var| self.var(var))),
            Kind::Load | Kind::Assumed(None) | Kind::Fresh => {}
        }
        if event == MAX_EVENTS {
            return None;
        }
        let point = self.trace.points.len();
        self.trace.points.extend_from_slice(&self.point);
        self.trace.of[at].push(event);
        self.trace.events.push(Event { access: at, point, slot, earlier, changes });
        Some(())
    }

    /// The element of a buffer with these indices; `None` if there is none.
    fn key(&self, buffer: BufferId, indices: &[Expr]) -> Option<Key> {
        let place = place(self.accesses, buffer, indices, |e| self.integer(e))?;
        Some((buffer, self.trace.allocated.get(&buffer).copied().unwrap_or(0), place))
    }

    /// Makes what is assumed of an element true, if that can still be.
    fn assume(&mut self, slot: usize, value: Option<Value>) {
        let element = &mut self.elements[slot];
        let is_so = element.value.zip(value).is_some_and(|(a, b)| same(a, b));
        self.is_assumed &= value.is_some() && (is_so || !element.is_stored && !element.is_read);
        element.value = value;
    }

    /// The value of an expression that reads memory.
    fn value(&mut self, e: &Expr) -> Option<Value> {
        match &e.kind {
            ExprKind::Load { buffer, indices } => {
                let slot = *self.trace.numbers.get(&self.key(*buffer, indices)?)?;
                self.elements[slot].is_read = true;
                self.elements[slot].value
            }
            ExprKind::Binary(op, a, b) if !matches!(op, BinOp::And | BinOp::Or) => {
                binary(*op, a.dtype, self.value(a)?, self.value(b)?).ok()
            }
            ExprKind::Cast(a) => cast(a.dtype, e.dtype, self.value(a)?).ok(),
            _ => evaluate(e, &|var| self.var(var)),
        }
    }
}

/// The place of an element in a buffer of constant shape; `None` if there is none with these indices.
fn place(
    accesses: &Accesses,
    buffer: BufferId,
    indices: &[Expr],
    value_of: impl Fn(&Expr) -> Option<i64>,
) -> Option<i64> {
    indices.iter().zip(accesses.shape(buffer)?).try_fold(0_i64, |place, (index, extent)| {
        let (index, extent) = (value_of(index)?, extent.as_int()?);
        (0..extent).contains(&index).then_some(())?;
        place.checked_mul(extent)?.checked_add(index)
    })
}

/// Whether two values have the same bits.
fn same(a: Value, b: Value) -> bool {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

/// What the caller left in an element: some small value, by which it is told from others.
fn given(dtype: DType, (buffer, _, place): Key) -> Option<Value> {
    let random = (mix(u64::from(buffer.0), place.cast_unsigned()) % 61) as i64 + 2;
    match dtype.int_range() {
        Some((_, most)) => Some(Value::Int(if i128::from(random) <= most { random } else { random % 2 })),
        None => dtype.is_float().then_some(Value::Float(random as f64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::contents;
    use crate::analysis::dead::is_dead;
    use crate::analysis::instances::Asker;
    use crate::ir::PrimFunc;

    fn function(body: &str) -> PrimFunc {
        let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
        let head = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\"), n: T.int32):\n    \
                    T.func_attr({\"tirx.noalias\": True})\n";
        crate::parse(&format!("{head}{body}")).unwrap().funcs.remove(0)
    }

    /// Positions of the stores.
    fn stores(accesses: &Accesses) -> Vec<usize> {
        let is_store = |at: &usize| matches!(accesses.list[*at].kind, Kind::Store(_));
        (0..accesses.list.len()).filter(is_store).collect()
    }

    #[test]
    fn a_run_tells_who_sees_a_store_and_whether_it_changes_anything() {
        let func = function(
            "for i in range(8):\n    A[i] = 1\nfor i in range(6):\n    B[i] = A[i] * 2\nfor i in range(8):\n    A[i] = 1",
        );
        let accesses = Accesses::new(&func).unwrap();
        let trace = Trace::of(&accesses).unwrap();
        let stores = stores(&accesses);
        let reader = |store: usize, facts: &[Fact]| trace.reader(&accesses, stores[store], facts, |_| true);
        let Some(Reader::Load(load)) = reader(0, &[]) else { panic!("it is read") };
        assert_eq!(accesses.list[load].kind, Kind::Load);
        assert_eq!(reader(1, &[]), Some(Reader::Caller));
        // Nobody reads the last two, which are overwritten.
        let i = accesses.loops[0].domain.var;
        let late = Expr::binary(BinOp::Ge, Expr::var(i, DType::I32), Expr::int(6, DType::I32));
        assert_eq!(reader(0, &[(late.clone(), true)]), None);
        let changes = [0, 1, 2].map(|store| trace.changes(&accesses, stores[store], &[]));
        assert_eq!(changes, [true, true, false]);
        let span = (stores[0], stores[0] + 1);
        assert!(trace.is_missed(&accesses, span, &Expr::not(late.clone())));
        assert!(!trace.is_missed(&accesses, span, &late));
        // Those that may go for themselves are missed by nobody, those that others read are.
        assert!(!trace.is_missed_anyway(&accesses, span, 1));
        assert!(trace.is_missed_anyway(&accesses, (stores[1], stores[1] + 1), 1));
    }

    #[test]
    fn what_more_than_constants_decides_has_no_run() {
        let run = |body: &str| Accesses::new(&function(body)).is_some_and(|a| Trace::of(&a).is_some());
        assert!(run("for i, j in T.grid(8, 2):\n    if i < 4:\n        A[i + j] = B[i]"));
        for body in [
            "for i in range(n):\n    A[i] = 1",
            "for i in range(8):\n    if i < n:\n        A[i] = 1",
            "for i in range(8):\n    if B[i] < 3:\n        A[i] = 1",
            "for i in range(8):\n    A[B[i]] = 1",
            "for i in T.parallel(8):\n    A[i] = 1",
            "for i in range(100000):\n    A[i % 8] = 1",
        ] {
            assert!(!run(body), "{body}");
        }
    }

    /// What is proven without a run holds in it.
    #[test]
    fn nothing_that_is_proven_is_refuted() {
        let (mut dead, mut known, mut runs) = (0, 0, 0);
        for seed in 0..60 {
            let func = crate::fuzz::padded(seed).unwrap().funcs.remove(0);
            let Some(accesses) = Accesses::new(&func) else { continue };
            let Some(trace) = Trace::of(&accesses) else { continue };
            runs += 1;
            let asker = Asker::new(&accesses, Asker::budget(&accesses)).without_trace();
            for (at, access) in accesses.list.iter().enumerate() {
                let itself = asker.itself(access);
                let facts = itself.conditions.clone();
                if matches!(access.kind, Kind::Store(_)) && is_dead(&asker, at, &facts, |_| true).is_ok() {
                    dead += 1;
                    assert_eq!(trace.reader(&accesses, at, &facts, |_| true), None, "{seed}: access {at}");
                }
                let element = (access.buffer, &access.indices[..]);
                if access.kind == Kind::Load
                    && let Some(content) = contents::value(&asker, &itself, &facts, element.0, element.1)
                    && let Some(possible) = trace.definers(&accesses, at, &facts, element)
                {
                    known += 1;
                    assert!(possible.contains(&content.from), "{seed}: access {at}");
                }
            }
        }
        assert!(runs > 20 && dead > 10 && known > 10, "{runs} {dead} {known}");
    }
}
