//! Instances of accesses: one for each iteration of the loops around them, and the order in which they happen.
//!
//! That something never happens is shown for an instance of which nothing is known but that it happens
//! ([`Asker::some`]); that something happens, by naming the iteration ([`Asker::named`]), whose conditions are then proven.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};

use super::accesses::{Access, Accesses, Fact, Loop, is_plain};
use super::hashed::Hashed;
use super::numbers::Numbers;
use super::question::Question;
use super::recall;
use super::trace::Trace;
use crate::arith::Interval;
use crate::arith::invert::{self, Domain, mentions, range, residue};
use crate::arith::points::value_at;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, BufferId, DType, Expr, ExprKind, VarId};

/// How many pairs of accesses may be looked at for each question.
const PAIRS_FOR_EACH: usize = 8;

/// How many instances may be named in any case; else as many as questions may be asked.
const LEAST_NAMES: usize = 2_000;

/// How many iterations are tried to find one in which guards hold.
const TRIED_ITERATIONS: u64 = 64;

/// One execution of an access.
#[derive(Clone, Debug)]
pub(crate) struct Instance {
    /// Its place in the order of the text.
    pub order: u32,
    /// The loops around it.
    pub loops: Rc<[usize]>,
    /// The values of its variables, where they are not themselves.
    pub values: Vec<(VarId, Expr)>,
    /// The indices.
    pub indices: Vec<Expr>,
    /// What holds because it happens; of a named one, what has to be proven.
    pub conditions: Vec<Fact>,
}

impl Instance {
    /// An expression of the access, in this instance.
    pub(crate) fn apply(&self, e: &Expr) -> Expr {
        let mut e = e.clone();
        e.substitute(&|var| self.values.iter().find(|(v, _)| *v == var).map(|(_, value)| value));
        e
    }

    /// Whether no instance of an access happens after this one, as the text shows: no loop is around both, and it stands no
    /// later.
    pub(crate) fn follows_all(&self, access: &Access) -> bool {
        access.order <= self.order && common(&self.loops, &access.loops) == 0
    }

    /// Whether no instance of an access happens before this one, by the same signs.
    pub(crate) fn precedes_all(&self, access: &Access) -> bool {
        access.order >= self.order && common(&self.loops, &access.loops) == 0
    }
}

/// Puts questions about instances to the decision procedure, with a budget for all of them together.
pub(crate) struct Asker<'a> {
    /// The accesses.
    pub accesses: &'a Accesses,
    /// Ranges of all variables, new ones included.
    ranges: RefCell<Vec<Interval>>,
    questions: Cell<usize>,
    /// How many pairs of accesses may still be looked at, and how many instances be named, which are cheaper than a question.
    pairs: Cell<usize>,
    names: Cell<usize>,
    /// Instances that were named before.
    known: RefCell<HashMap<Hashed<Naming>, Option<Rc<Instance>>>>,
    /// The only instances of accesses outside of all loops.
    single: RefCell<HashMap<usize, Rc<Instance>>>,
    /// Answers to questions, and solutions of equations, that were found before.
    answers: RefCell<HashMap<Hashed<Question>, bool>>,
    solved: RefCell<HashMap<Hashed<System>, Solution>>,
    /// The buffers in which numbers may be known to be.
    numbers: OnceCell<HashSet<BufferId>>,
    /// A run of the function.
    trace: OnceCell<Option<Trace>>,
}

/// Equations, in numbered variables of which some are unknowns.
#[derive(Clone, PartialEq, Eq, Hash)]
struct System {
    equations: Vec<(Expr, Expr)>,
    unknowns: Vec<VarId>,
    /// The range of each variable.
    ranges: Vec<Interval>,
}

/// Values of unknowns.
type Solution = Vec<(VarId, Expr)>;

/// What [`Asker::named`] is asked: the access, how many loops it is to share with the other instance, which iteration is
/// taken, and the element.
type Naming = (usize, usize, Pin, Vec<Expr>);

/// How loops that two accesses share are taken, when an iteration is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shared {
    /// In the iteration of the other.
    Same,
    /// In the iteration that the indices say.
    Solved,
}

/// Which iteration of a loop is named that neither indices nor guards tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Pin {
    /// The first.
    First,
    /// The last.
    Last,
    /// One in which the guards of the access hold, as far as a few tries find one.
    Guarded,
}

impl<'a> Asker<'a> {
    /// Asks at most so many questions.
    pub(crate) fn new(accesses: &'a Accesses, questions: usize) -> Asker<'a> {
        let asker = Asker {
            accesses,
            ranges: RefCell::new(accesses.ranges.clone()),
            questions: Cell::new(0),
            pairs: Cell::new(0),
            names: Cell::new(0),
            known: RefCell::default(),
            single: RefCell::default(),
            answers: RefCell::default(),
            solved: RefCell::default(),
            numbers: OnceCell::new(),
            trace: OnceCell::new(),
        };
        asker.renew(questions);
        asker
    }

    /// Lets so many questions be asked from now on.
    pub(crate) fn renew(&self, questions: usize) {
        self.questions.set(questions);
        self.pairs.set(questions.max(LEAST_NAMES).saturating_mul(PAIRS_FOR_EACH));
        self.names.set(questions.max(LEAST_NAMES));
    }

    /// Whether an element of the buffer may be known to be a literal.
    pub(super) fn may_hold_numbers(&self, buffer: BufferId) -> bool {
        self.numbers.get_or_init(|| self.accesses.with_numbers()).contains(&buffer)
    }

    /// A budget that grows with the function.
    pub(crate) fn budget(accesses: &Accesses) -> usize {
        1_000 + 10 * accesses.list.len()
    }

    /// How many questions may still be asked.
    pub(crate) fn left(&self) -> usize {
        self.questions.get().min(self.names.get())
    }

    /// Takes note that a pair of accesses is looked at; `false` if no more may be.
    pub(crate) fn looks(&self) -> bool {
        let left = self.pairs.get();
        self.pairs.set(left.saturating_sub(1));
        left > 0
    }

    /// Whether the budget is used up.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.questions.get() == 0
    }

    /// A run of the function, if it is short enough for one and nothing was added to it.
    pub(crate) fn trace(&self) -> Option<&Trace> {
        if self.accesses.list.last().is_some_and(|access| access.ghost) {
            return None;
        }
        self.trace.get_or_init(|| Trace::of(self.accesses)).as_ref()
    }

    /// The same, without a look at a run of the function.
    #[cfg(test)]
    pub(crate) fn without_trace(mut self) -> Asker<'a> {
        self.trace = OnceCell::from(None);
        self
    }

    fn spend(&self) -> bool {
        let left = self.questions.get();
        self.questions.set(left.saturating_sub(1));
        left > 0
    }

    /// The access as it stands: in the iteration that its variables name.
    pub(crate) fn itself(&self, access: &Access) -> Instance {
        let mut conditions = access.guards.to_vec();
        for &l in &*access.loops {
            conditions.extend(self.domain(l, &Expr::clone));
        }
        Instance {
            order: access.order,
            loops: access.loops.clone(),
            values: Vec::new(),
            indices: access.indices.clone(),
            conditions,
        }
    }

    /// That the variable of a loop lies in its domain, as far as its range does not say so.
    fn domain(&self, l: usize, apply: &impl Fn(&Expr) -> Expr) -> Vec<Fact> {
        let Loop { domain, exact, .. } = &self.accesses.loops[l];
        if !exact {
            return Vec::new();
        }
        let var = apply(&self.variable_of(l));
        // A range says it already.
        if let Some(own) = var.as_var()
            && domain.min.as_int().is_some()
            && domain.extent.as_int().is_some_and(|extent| extent > 0)
            && self.ranges.borrow().get(own.index()) == Some(&domain.range())
        {
            return Vec::new();
        }
        let bounds = Domain { var: domain.var, min: apply(&domain.min), extent: apply(&domain.extent) };
        bounds.contains(&var).into_iter().map(|bound| (bound, true)).collect()
    }

    /// That an access which happens is in bounds.
    pub(crate) fn in_bounds(&self, access: &Access) -> Vec<Fact> {
        let Some(shape) = self.accesses.shape(access.buffer) else { return Vec::new() };
        let typed = |(index, extent): &(&Expr, &Expr)| index.dtype == extent.dtype && index.dtype.is_index();
        let within = access.indices.iter().zip(shape).filter(typed).filter(|(index, _)| is_plain(index));
        within
            .flat_map(|(index, extent)| {
                let low = Expr::binary(BinOp::Le, Expr::int(0, index.dtype), index.clone());
                [(low, true), (Expr::binary(BinOp::Lt, index.clone(), extent.clone()), true)]
            })
            .collect()
    }

    /// Any instance of an access, in variables of its own.
    pub(crate) fn some(&self, access: &Access) -> Instance {
        let mut ranges = self.ranges.borrow_mut();
        let mut values: Vec<(VarId, Expr)> = Vec::new();
        for &l in &*access.loops {
            let domain = &self.accesses.loops[l].domain;
            let own = ranges.get(domain.var.index()).copied().unwrap_or(Interval::ALL);
            values.push((domain.var, Expr::var(VarId(ranges.len() as u32), domain.min.dtype)));
            ranges.push(own);
        }
        // What is bound outside of all loops has one value.
        for &(var, depth) in &*access.locals {
            let dtype = self.dtype_of(access, var);
            if depth > 0
                && let Some(dtype) = dtype
            {
                values.push((var, Expr::var(VarId(ranges.len() as u32), dtype)));
                ranges.push(Interval::ALL);
            }
        }
        drop(ranges);
        self.in_values(access, values)
    }

    /// The type of a variable, by an occurrence of it.
    fn dtype_of(&self, access: &Access, var: VarId) -> Option<DType> {
        let mut found = None;
        let mut look =
            |e: &Expr| e.walk(&mut |e| found = found.or((e.as_var() == Some(var)).then_some(e.dtype)));
        access.indices.iter().for_each(&mut look);
        access.guards.iter().for_each(|(cond, _)| look(cond));
        for &l in &*access.loops {
            let domain = &self.accesses.loops[l].domain;
            [&domain.min, &domain.extent].into_iter().for_each(&mut look);
        }
        found
    }

    fn in_values(&self, access: &Access, values: Vec<(VarId, Expr)>) -> Instance {
        let mut instance = Instance {
            order: access.order,
            loops: access.loops.clone(),
            values,
            indices: Vec::new(),
            conditions: Vec::new(),
        };
        instance.indices = access.indices.iter().map(|e| instance.apply(e)).collect();
        let mut conditions: Vec<Fact> =
            access.guards.iter().map(|(cond, truth)| (instance.apply(cond), *truth)).collect();
        for &l in &*access.loops {
            conditions.extend(self.domain(l, &|e| instance.apply(e)));
        }
        instance.conditions = conditions;
        instance
    }

    /// The instance of an access that meets an element, named by the variables of `other`, and by those of the element; `None`
    /// if none can be named. That its conditions hold, and that it meets the element, has to be proven.
    pub(crate) fn named(
        &self,
        access: usize,
        element: &[Expr],
        other: &Instance,
        shared: Shared,
        pin: Pin,
    ) -> Option<Rc<Instance>> {
        let own = &self.accesses.list[access];
        if own.loops.is_empty() && own.locals.is_empty() {
            return self.single(access, element);
        }
        let solve = || self.name(own, element, other, shared, pin).map(Rc::new);
        // Otherwise the answer depends on the values of the other's variables.
        if !other.values.is_empty() {
            return solve();
        }
        let common = common(&own.loops, &other.loops);
        let common = if shared == Shared::Same { common } else { 0 };
        let question = Hashed::new((access, common, pin, element.to_vec()));
        if let Some(known) = self.known.borrow().get(&question) {
            return known.clone();
        }
        let found = solve();
        self.known.borrow_mut().insert(question, found.clone());
        found
    }

    /// The only instance of an access outside of all loops, if its element may be another one.
    fn single(&self, access: usize, element: &[Expr]) -> Option<Rc<Instance>> {
        let own = &self.accesses.list[access];
        let same_types = || element.iter().zip(&own.indices).all(|(a, b)| a.dtype == b.dtype);
        if !own.exact || element.len() != own.indices.len() || !same_types() || !self.names() {
            return None;
        }
        Some(self.single.borrow_mut().entry(access).or_insert_with(|| Rc::new(self.itself(own))).clone())
    }

    /// Takes note that an instance is named; `false` if no more may be.
    fn names(&self) -> bool {
        let left = self.names.get();
        self.names.set(left.saturating_sub(1));
        left > 0
    }

    /// The ways to take the loops that an access shares with an instance, as far as they differ.
    pub(crate) fn ways(&self, access: usize, other: &Instance) -> &'static [Shared] {
        match common(&self.accesses.list[access].loops, &other.loops) {
            0 => &[Shared::Solved],
            _ => &[Shared::Same, Shared::Solved],
        }
    }

    fn name(
        &self,
        access: &Access,
        element: &[Expr],
        other: &Instance,
        shared: Shared,
        pin: Pin,
    ) -> Option<Instance> {
        if !access.exact || access.indices.len() != element.len() {
            return None;
        }
        if !self.names() {
            return None;
        }
        let common = if shared == Shared::Same { common(&access.loops, &other.loops) } else { 0 };
        // A variable of which only the binding is known has its value in the iteration where `other` happens.
        if access.locals.iter().any(|&(_, depth)| depth > common || depth > 0 && !other.values.is_empty()) {
            return None;
        }
        let mut values: Vec<(VarId, Expr)> = Vec::new();
        for &l in &access.loops[..common] {
            let var = self.accesses.loops[l].domain.var;
            values.push((var, other.apply(&self.variable_of(l))));
        }
        let mut unknowns = Vec::new();
        let own = self.some(access);
        for &l in &access.loops[common..] {
            let domain = &self.accesses.loops[l].domain;
            let fresh =
                own.values.iter().find(|(v, _)| *v == domain.var).and_then(|(_, fresh)| fresh.as_var());
            unknowns.push((domain.var, fresh?, domain));
        }
        let mut open = Instance { values, indices: Vec::new(), conditions: Vec::new(), ..own };
        for (var, fresh, domain) in &unknowns {
            open.values.push((*var, Expr::var(*fresh, domain.min.dtype)));
        }
        let mut equations: Vec<(Expr, Expr)> =
            element.iter().zip(&access.indices).map(|(e, index)| (e.clone(), open.apply(index))).collect();
        if equations.iter().any(|(a, b)| a.dtype != b.dtype) {
            return None;
        }
        let fresh: Vec<VarId> = unknowns.iter().map(|(_, fresh, _)| *fresh).collect();
        // A guard may say what a variable is.
        for (guard, truth) in &*access.guards {
            if *truth
                && let ExprKind::Binary(BinOp::Eq, a, b) = &guard.kind
                && a.dtype == equations.first().map_or(a.dtype, |(e, _)| e.dtype)
            {
                equations.push((open.apply(b), open.apply(a)));
            }
        }
        // Where the indices do not tell an iteration, that of an end of the loop, for inner loops first.
        let mut found = self.candidates(&equations, &fresh);
        let is_free = |own: &VarId| found.iter().all(|(var, _)| var != own);
        let tried = match pin {
            Pin::First | Pin::Last => Vec::new(),
            Pin::Guarded => {
                let free = unknowns.iter().filter(|(_, own, _)| is_free(own)).map(|(.., domain)| *domain);
                guarded_iteration(access, &free.collect::<Vec<_>>())?
            }
        };
        for (var, own, domain) in unknowns.iter().rev() {
            if found.iter().any(|(var, _)| var == own) {
                continue;
            }
            let first = open.apply(&domain.min);
            let pinned = match pin {
                Pin::First => first,
                Pin::Last => match (first.as_int(), domain.extent.as_int()) {
                    (Some(min), Some(extent)) => Expr::int(min + extent - 1, first.dtype),
                    _ => first + open.apply(&domain.extent) - 1,
                },
                Pin::Guarded => Expr::int(tried.iter().find(|(tried, _)| tried == var)?.1, first.dtype),
            };
            equations.push((pinned, Expr::var(*own, domain.min.dtype)));
            found = self.candidates(&equations, &fresh);
        }
        let mut named: Vec<(VarId, Expr)> = open.values[..common].to_vec();
        for (var, own, _) in &unknowns {
            let (_, value) = found.iter().find(|(found, _)| found == own)?;
            if mentions(value, &fresh) {
                return None;
            }
            named.push((*var, value.clone()));
        }
        Some(self.in_values(access, named))
    }

    /// Values of unknowns that solve equations, as far as some are found; to be proven.
    fn candidates(&self, equations: &[(Expr, Expr)], unknowns: &[VarId]) -> Vec<(VarId, Expr)> {
        if unknowns.is_empty() {
            return Vec::new();
        }
        let ranges = self.ranges.borrow();
        let mut numbers = Numbers::default();
        let unknowns: Vec<VarId> = unknowns.iter().map(|var| numbers.of(*var)).collect();
        // One that always holds says nothing beside others, and rows of a buffer ask the same without it.
        let says = |(a, b): &(Expr, Expr)| a != b;
        let all_hold = !equations.iter().any(says);
        let open = equations.iter().filter(|equation| all_hold || says(equation));
        let equations = open.map(|(a, b)| (numbers.number(a), numbers.number(b))).collect();
        let range = |var: &VarId| ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
        let system =
            Hashed::new(System { equations, unknowns, ranges: numbers.vars().iter().map(range).collect() });
        let mut solved = self.solved.borrow_mut();
        let found = solved.entry(system).or_insert_with_key(|system| {
            recall::answer(system, |system| {
                invert::candidates(&system.equations, &system.unknowns, &system.ranges)
            })
        });
        found.iter().map(|(var, value)| (numbers.vars()[var.index()], numbers.named(value))).collect()
    }

    /// That one instance happens before another: in an earlier iteration of a loop around both, or in the same one and
    /// earlier in the text. Iterations that are not ordered may happen in any order; where `certain`, they are never before.
    pub(crate) fn before(&self, a: &Instance, b: &Instance, certain: bool) -> Expr {
        let depth = common(&a.loops, &b.loops);
        let mut result = Expr::bool(a.order < b.order);
        for &l in a.loops[..depth].iter().rev() {
            let var = self.variable_of(l);
            let (x, y) = (a.apply(&var), b.apply(&var));
            if x == y {
                continue;
            }
            let earlier = match self.accesses.loops[l].ordered {
                true => Expr::binary(BinOp::Lt, x.clone(), y.clone()),
                false if certain => Expr::bool(false),
                false => Expr::binary(BinOp::Ne, x.clone(), y.clone()),
            };
            let same = Expr::binary(BinOp::And, Expr::binary(BinOp::Eq, x, y), result);
            result = Expr::binary(BinOp::Or, earlier, same);
        }
        result
    }

    /// That both happen in the same iteration of the outer loops around an instance, so many of them.
    pub(crate) fn same_iteration(&self, a: &Instance, b: &Instance, depth: usize) -> Vec<Fact> {
        let same = a.loops[..depth].iter().map(|&l| {
            let var = self.variable_of(l);
            (Expr::binary(BinOp::Eq, a.apply(&var), b.apply(&var)), true)
        });
        same.collect()
    }

    /// The variable of a loop.
    pub(crate) fn variable_of(&self, l: usize) -> Expr {
        let domain = &self.accesses.loops[l].domain;
        Expr::var(domain.var, domain.min.dtype)
    }

    /// Whether facts cannot hold together.
    pub(crate) fn refutes(&self, facts: &[Fact]) -> bool {
        let plain = || facts.iter().filter(|(fact, _)| is_plain(fact));
        if plain().any(|(fact, truth)| fact.as_int().is_some_and(|v| (v != 0) != *truth)) {
            return true;
        }
        let mut open = plain().filter(|(fact, _)| fact.as_int().is_none()).peekable();
        open.peek().is_some() && self.answer(Question::new(open, None, &self.ranges.borrow()))
    }

    /// Whether a condition holds wherever facts do.
    pub(crate) fn proves(&self, facts: &[Fact], goal: &Expr, truth: bool) -> bool {
        if let Some(v) = goal.as_int() {
            return (v != 0) == truth;
        }
        let plain = facts.iter().filter(|(fact, _)| is_plain(fact));
        is_plain(goal) && self.answer(Question::new(plain, Some((goal, truth)), &self.ranges.borrow()))
    }

    fn answer(&self, question: Question) -> bool {
        let question = Hashed::new(question);
        if let Some(&known) = self.answers.borrow().get(&question) {
            return known && self.looks();
        }
        if !self.spend() {
            return false;
        }
        let answer = recall::answer(&question, |question| question.is_proven());
        self.answers.borrow_mut().insert(question, answer);
        answer
    }

    /// Whether a named instance happens wherever facts hold, and meets the element.
    pub(crate) fn happens(&self, facts: &[Fact], instance: &Instance, element: &[Expr]) -> bool {
        instance.conditions.iter().all(|(cond, truth)| self.proves(facts, cond, *truth))
            && self.equal(&instance.indices, element).iter().all(|(cond, _)| self.proves(facts, cond, true))
    }

    /// A new variable of a type, of which nothing is known but its type.
    pub(crate) fn variable(&self, dtype: DType) -> Expr {
        let mut ranges = self.ranges.borrow_mut();
        let fresh = Expr::var(VarId(ranges.len() as u32), dtype);
        let own = dtype.int_range().and_then(|(lo, hi)| Interval::between(Some(lo), Some(hi)));
        ranges.push(own.unwrap_or(Interval::ALL));
        fresh
    }

    /// That indices are the same ones. Those that read memory, or are vectors, may be any.
    pub(crate) fn equal(&self, a: &[Expr], b: &[Expr]) -> Vec<Fact> {
        let comparable = |e: &Expr| e.dtype.is_scalar() && is_plain(e);
        a.iter()
            .zip(b)
            .filter(|(x, y)| x != y && comparable(x) && comparable(y) && x.dtype == y.dtype)
            .map(|(x, y)| match (x.as_int(), y.as_int()) {
                (Some(x), Some(y)) => (Expr::bool(x == y), true),
                _ => (Expr::binary(BinOp::Eq, x.clone(), y.clone()), true),
            })
            .collect()
    }

    /// Whether no instance of an access of the same memory meets an element, as the ranges of its indices show, or what they are
    /// modulo something (the GCD test).
    pub(crate) fn apart(&self, element: (&[Expr], BufferId), access: &Access) -> bool {
        let same = element.1 == access.buffer && self.accesses.shape(access.buffer).is_some();
        let ranges = self.ranges.borrow();
        same && element.0.len() == access.indices.len()
            && element.0.iter().zip(&access.indices).any(|(a, b)| {
                a.dtype == b.dtype
                    && a.dtype.is_index()
                    && (range(a, &ranges).meet(range(b, &ranges)).is_none()
                        || residue(a).sub(residue(b)).excludes_zero())
            })
    }

    /// That an element is the one that an access of the same memory meets; nothing where the two buffers are not the same.
    pub(crate) fn meets(&self, element: (&[Expr], BufferId), other: &Instance, access: &Access) -> Vec<Fact> {
        let same = element.1 == access.buffer && self.accesses.shape(access.buffer).is_some();
        if same && element.0.len() == other.indices.len() {
            self.equal(element.0, &other.indices)
        } else {
            Vec::new()
        }
    }
}

/// An iteration of loops with constant bounds in which no guard of an access is false that depends on them alone.
fn guarded_iteration(access: &Access, loops: &[&Domain]) -> Option<Vec<(VarId, i64)>> {
    if loops.is_empty() || loops.iter().any(|l| l.min.as_int().is_none() || l.extent.as_int().is_none()) {
        return None;
    }
    (0..TRIED_ITERATIONS).find_map(|point| {
        let value = |l: &Domain| (l.var, value_at(l.range(), true, u64::from(l.var.0), point));
        let values: Vec<(VarId, i64)> = loops.iter().map(|l| value(l)).collect();
        let value_of = |var| values.iter().find(|(v, _)| *v == var).map(|(_, value)| Value::Int(*value));
        let fails = |(guard, truth): &Fact| {
            evaluate(guard, &value_of).is_some_and(|holds| (holds != Value::Int(0)) != *truth)
        };
        (!access.guards.iter().any(fails)).then_some(values)
    })
}

/// How many loops two accesses share.
pub(crate) fn common(a: &[usize], b: &[usize]) -> usize {
    a.iter().zip(b).take_while(|(x, y)| x == y).count()
}
