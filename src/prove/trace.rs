//! The first and the last element that statements store, for values that variables may have: by these it is guessed which
//! iterations of a loop are which statements of another program. Nothing that is proven rests on it.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::sample::{Sample, mixed};
use super::steps::{Piece, Placed, Seen, Step, flatten, is_plain};
use super::term::{Node, Term};
use super::value::{Machine, Side};
use crate::ir::value::{Value, evaluate};
use crate::ir::{BufferId, DType, Expr, ExprKind, For, Origin, Stmt, StmtKind, VarId};

/// A store, or a call with an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Event {
    /// The memory; none for a call.
    root: Option<usize>,
    place: Vec<i64>,
    /// What is loaded for it from memories that the loop does not change, whatever is computed of it.
    mark: u64,
}

/// The first and the last event of some statements; none if they do nothing.
type Ends = Option<(Event, Event)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// What cannot be followed.
struct Unknown;

/// A leaf of a block, and whether control comes to it, where that is known.
type Reached<'a> = (&'a Stmt, Option<bool>);

/// Both programs at values of a sample.
pub(super) struct Trace<'m, 'a> {
    machine: &'m Machine<'a>,
    sample: Sample,
    vars: [HashMap<VarId, Value>; 2],
    marks: [HashMap<VarId, u64>; 2],
    /// Memories that the loop in question changes.
    written: BTreeSet<usize>,
    /// How many more statements are looked at.
    steps: usize,
    /// How many pieces were found in which nothing is seen to happen.
    empty: usize,
    /// How many loops were taken for iterations of which one at most is seen to do something, so that they could be that one as well.
    vague: usize,
}

/// How a loop is pieces for some values.
pub(super) struct Traced {
    pub(super) pieces: Vec<Piece>,
    /// In how many of them nothing happens.
    pub(super) empty: usize,
    /// How many loops among them could be one iteration as well.
    pub(super) vague: usize,
}

impl<'m, 'a> Trace<'m, 'a> {
    /// Most statements that are looked at for one block.
    const MAX_STEPS: usize = 300_000;

    pub(super) fn new(machine: &'m Machine<'a>, sample: Sample) -> Trace<'m, 'a> {
        Trace {
            machine,
            sample,
            vars: Default::default(),
            marks: Default::default(),
            written: BTreeSet::new(),
            steps: Trace::MAX_STEPS,
            empty: 0,
            vague: 0,
        }
    }

    /// The leaves of a block, with the values of what is bound before them.
    pub(super) fn leaves(&mut self, side: Side, steps: &[Placed<'a>]) -> Vec<Reached<'a>> {
        let (mut guards, mut found) = (Vec::new(), Vec::new());
        for placed in steps {
            match placed.step {
                Step::Bind(var, value) => self.bind(side, var, value),
                Step::Single(l) => self.bind(side, l.var, &l.min),
                Step::If(cond) => guards.push(self.condition(side, cond)),
                Step::Else => {
                    let cond = guards.pop().flatten();
                    guards.push(cond.map(|cond| !cond));
                }
                Step::End => drop(guards.pop()),
                Step::Eval(_) | Step::Alloc(_) | Step::Assume(_) => {}
                Step::Leaf(stmt) => {
                    let never = guards.contains(&Some(false));
                    let always = guards.iter().all(|guard| *guard == Some(true));
                    found.push((stmt, if never { Some(false) } else { always.then_some(true) }));
                }
            }
        }
        found
    }

    /// How the first of these leaves of the second program are the iterations of a loop of the first one, if they look like
    /// that and are not one by one those of the first leaf. `written` are the memories that it changes.
    pub(super) fn pieces(
        &mut self,
        a: &'a For,
        leaves: &[Reached<'a>],
        written: &BTreeSet<usize>,
    ) -> Option<Traced> {
        self.written.clone_from(written);
        (self.steps, self.empty, self.vague) = (Trace::MAX_STEPS, 0, 0);
        let pieces = self.found_pieces(a, leaves).ok().flatten()?;
        log::debug!("pieces of {}: {pieces:?}", self.machine.programs[0].func.var(a.var).name);
        Some(Traced { pieces, empty: self.empty, vague: self.vague })
    }

    /// The first and the last element that a leaf stores, if it does anything.
    pub(super) fn seen(&mut self, side: Side, leaf: Reached<'a>) -> Seen {
        self.written.clear();
        self.steps = Trace::MAX_STEPS;
        let ends = self.ends(side, leaf).ok()?;
        Some(ends.map(|(first, last)| [first, last].map(|event| (event.root, event.place))))
    }

    fn found_pieces(&mut self, a: &'a For, leaves: &[Reached<'a>]) -> Result<Option<Vec<Piece>>, Unknown> {
        let length = self.length(Side::First, a)?;
        let (mut found, done, count) = self.covered((a, 0, length), leaves)?;
        if count == 0 {
            return Ok(None);
        }
        // What is left does nothing.
        for number in done..length {
            if self.in_iteration(Side::First, a, number, End::First)?.is_some() {
                return Ok(None);
            }
        }
        if done < length {
            found.push(Piece::Rest);
        }
        Ok((found[..] != [Piece::Loop]).then_some(found))
    }

    /// The pieces that leaves are of a loop, from one of its iterations on, up to which one they come, and how many leaves they
    /// are.
    fn covered(
        &mut self,
        (a, mut done, length): (&'a For, i64, i64),
        leaves: &[Reached<'a>],
    ) -> Result<(Vec<Piece>, i64, usize), Unknown> {
        let (mut found, mut at) = (Vec::new(), 0);
        while done < length
            && let Some(&leaf) = leaves.get(at)
        {
            if let Some((iterations, acts)) = self.run_of_iterations((a, done, length), leaf)? {
                self.empty += usize::from(acts == 0);
                self.vague += usize::from(acts < 2);
                found.push(Piece::Loop);
                (done, at) = (done + iterations, at + 1);
            } else if let Some(count) = self.one_iteration((a, done, length), &leaves[at..])? {
                found.push(Piece::Once(count));
                (done, at) = (done + 1, at + count);
            } else if let Some((inner, iterations)) = self.nest((a, done, length), leaf)? {
                found.push(Piece::Nest(inner));
                (done, at) = (done + iterations, at + 1);
            } else {
                break;
            }
        }
        Ok((found, done, at))
    }

    /// How each iteration of a loop of the second program is several iterations of the loop, and how many all of them are.
    fn nest(
        &mut self,
        (a, done, length): (&'a For, i64, i64),
        (stmt, reached): Reached<'a>,
    ) -> Result<Option<(Vec<Piece>, i64)>, Unknown> {
        let StmtKind::For(b) = &stmt.kind else { return Ok(None) };
        if !is_plain(b) || reached != Some(true) {
            return Ok(None);
        }
        let loops = self.length(Side::Second, b)?;
        if loops == 0 {
            return Ok(None);
        }
        let mut steps = Vec::new();
        flatten(&b.body, &mut steps);
        self.begin(Side::Second, b, 0)?;
        let leaves = self.leaves(Side::Second, &steps);
        let (pieces, end, count) = self.covered((a, done, length), &leaves)?;
        let each = end - done;
        if count == 0 || count < leaves.len() || loops.checked_mul(each).is_none_or(|all| all > length - done)
        {
            return Ok(None);
        }
        let some: BTreeSet<i64> = [1, 2, loops / 2, loops - 1].into();
        for &number in some.range(1..loops) {
            let begin = done + number * each;
            let first = self.in_iteration(Side::First, a, begin, End::First)?;
            let last = self.in_iteration(Side::First, a, begin + each - 1, End::Last)?;
            if self.ends_at(Side::Second, b, number)? != first.zip(last) {
                return Ok(None);
            }
        }
        Ok(Some((pieces, loops * each)))
    }

    /// How many iterations of the loop, from one of them on, are those of a loop of the second program, one by one, and how many
    /// of them are seen to do something.
    fn run_of_iterations(
        &mut self,
        (a, done, length): (&'a For, i64, i64),
        (stmt, reached): Reached<'a>,
    ) -> Result<Option<(i64, usize)>, Unknown> {
        let StmtKind::For(b) = &stmt.kind else { return Ok(None) };
        if !is_plain(b) || reached != Some(true) {
            return Ok(None);
        }
        let iterations = self.length(Side::Second, b)?;
        if iterations > length - done {
            return Ok(None);
        }
        // The first, the last, those next to them and some in the middle.
        let some: BTreeSet<i64> =
            [0, 1, 2, iterations / 3, iterations / 2, iterations - 3, iterations - 2, iterations - 1].into();
        let mut acts = 0;
        for &number in some.range(0..iterations) {
            let (x, y) =
                (self.ends_at(Side::First, a, done + number)?, self.ends_at(Side::Second, b, number)?);
            if x != y {
                return Ok(None);
            }
            acts += usize::from(x.is_some());
        }
        Ok(Some((iterations, acts)))
    }

    /// How many leaves are one iteration of the loop.
    fn one_iteration(
        &mut self,
        (a, done, length): (&'a For, i64, i64),
        leaves: &[Reached<'a>],
    ) -> Result<Option<usize>, Unknown> {
        let Some((first, last)) = self.ends_at(Side::First, a, done)? else { return Ok(None) };
        let next = if done + 1 < length { self.ends_at(Side::First, a, done + 1)? } else { None };
        let mut begun = false;
        for (at, &leaf) in leaves.iter().enumerate() {
            let Some((from, to)) = self.ends(Side::Second, leaf)? else { continue };
            if !begun && from != first {
                return Ok(None);
            }
            begun = true;
            if to != last {
                continue;
            }
            // The next iteration begins behind it.
            let mut follows = None;
            for &leaf in &leaves[at + 1..] {
                follows = self.ends(Side::Second, leaf)?;
                if follows.is_some() {
                    break;
                }
            }
            let is_next = |from: &Event| next.as_ref().is_none_or(|(first, _)| from == first);
            if follows.is_none_or(|(from, _)| is_next(&from)) {
                return Ok(Some(at + 1));
            }
        }
        Ok(None)
    }

    fn ends(&mut self, side: Side, (stmt, reached): Reached<'a>) -> Result<Ends, Unknown> {
        match reached {
            Some(true) => {}
            Some(false) => return Ok(None),
            None => return Err(Unknown),
        }
        let first = self.event(side, stmt, End::First)?;
        Ok(first.zip(self.event(side, stmt, End::Last)?))
    }

    fn ends_at(&mut self, side: Side, l: &'a For, number: i64) -> Result<Ends, Unknown> {
        let first = self.in_iteration(side, l, number, End::First)?;
        Ok(first.zip(self.in_iteration(side, l, number, End::Last)?))
    }

    /// The first or last event of an iteration, by its number.
    fn in_iteration(
        &mut self,
        side: Side,
        l: &'a For,
        number: i64,
        end: End,
    ) -> Result<Option<Event>, Unknown> {
        self.begin(side, l, number)?;
        self.in_block(side, &l.body, end)
    }

    /// Gives the variable of a loop its value in an iteration.
    fn begin(&mut self, side: Side, l: &'a For, number: i64) -> Result<(), Unknown> {
        let step = l.step.as_ref().map_or(Ok(1), |step| self.integer(side, step))?;
        let since = number.checked_mul(step).ok_or(Unknown)?;
        let value = self.integer(side, &l.min)?.checked_add(since).ok_or(Unknown)?;
        self.vars[side as usize].insert(l.var, Value::Int(value));
        Ok(())
    }

    fn in_block(&mut self, side: Side, block: &'a [Stmt], end: End) -> Result<Option<Event>, Unknown> {
        for stmt in block {
            if let StmtKind::Bind { var, value } = &stmt.kind {
                self.bind(side, *var, value);
            }
        }
        let mut found = Ok(None);
        let mut event = |stmt| {
            found = self.event(side, stmt, end);
            !matches!(found, Ok(None))
        };
        match end {
            End::First => block.iter().any(&mut event),
            End::Last => block.iter().rev().any(&mut event),
        };
        found
    }

    fn event(&mut self, side: Side, stmt: &'a Stmt, end: End) -> Result<Option<Event>, Unknown> {
        self.steps = self.steps.checked_sub(1).ok_or(Unknown)?;
        match &stmt.kind {
            StmtKind::Bind { value, .. } if !value.has_effect() => Ok(None),
            StmtKind::Alloc { .. } | StmtKind::Decl { .. } => Ok(None),
            StmtKind::Evaluate(e) if !e.has_effect() => Ok(None),
            StmtKind::Bind { value: e, .. } | StmtKind::Evaluate(e) => {
                Ok(Some(Event { root: None, place: Vec::new(), mark: self.mark(side, e) }))
            }
            StmtKind::Store { buffer, indices, value } => {
                let root = self.machine.buffers.root(side, *buffer).map_err(|_| Unknown)?;
                let place = self.place(side, *buffer, indices).ok_or(Unknown)?;
                Ok(Some(Event { root: Some(root), place, mark: self.mark(side, value) }))
            }
            StmtKind::If { cond, then, otherwise } => {
                let cond = self.condition(side, cond).ok_or(Unknown)?;
                self.in_block(side, if cond { then } else { otherwise }, end)
            }
            StmtKind::For(l) => {
                let length = self.length(side, l)?;
                for number in 0..length {
                    let number = if end == End::First { number } else { length - 1 - number };
                    let found = self.in_iteration(side, l, number, end)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Ok(None)
            }
            StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Attr { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::SBlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => Err(Unknown),
        }
    }

    fn length(&self, side: Side, l: &For) -> Result<i64, Unknown> {
        Ok(self.integer(side, &l.extent)?.max(0))
    }

    fn bind(&mut self, side: Side, var: VarId, value: &Expr) {
        match self.value(side, value) {
            Some(value) => self.vars[side as usize].insert(var, value),
            None => self.vars[side as usize].remove(&var),
        };
        let mark = self.mark(side, value);
        self.marks[side as usize].insert(var, mark);
    }

    fn value(&self, side: Side, e: &Expr) -> Option<Value> {
        evaluate(e, &|var| {
            let own = self.vars[side as usize].get(&var).copied();
            own.or_else(|| {
                let term = self.outside(side, var)?;
                let value = self.sample.value(&self.machine.terms, term)?;
                i64::try_from(value).ok().map(Value::Int)
            })
        })
    }

    /// The term of a variable that is bound outside of the statements that are looked at.
    fn outside(&self, side: Side, var: VarId) -> Option<Term> {
        self.machine.programs[side as usize].vars.get(&var).copied()
    }

    fn integer(&self, side: Side, e: &Expr) -> Result<i64, Unknown> {
        self.value(side, e).and_then(Value::as_int).ok_or(Unknown)
    }

    fn condition(&self, side: Side, e: &Expr) -> Option<bool> {
        Some(self.value(side, e)?.as_int()? != 0)
    }

    /// Where an element is in its memory; of several, the first one.
    fn place(&self, side: Side, buffer: BufferId, indices: &[Expr]) -> Option<Vec<i64>> {
        let first = |e: &Expr| match &e.kind {
            ExprKind::Ramp(base, _) => self.value(side, base)?.as_int(),
            _ => self.value(side, e)?.as_int(),
        };
        let index: Vec<i64> = indices.iter().map(first).collect::<Option<_>>()?;
        let table = self.machine.programs[side as usize].func.buffer(buffer);
        let root = self.machine.buffers.root(side, buffer).ok()?;
        if !self.machine.buffers.flat[root] {
            return Some(index);
        }
        if matches!(table.origin, Origin::Region(_)) {
            return None;
        }
        let of = |e: &Expr| self.value(side, e)?.as_int();
        let mut linear = 0i64;
        if table.strides.is_empty() {
            for (i, extent) in index.into_iter().zip(&table.shape) {
                linear = linear.checked_mul(of(extent)?)?.checked_add(i)?;
            }
        } else {
            for (i, stride) in index.into_iter().zip(&table.strides) {
                linear = linear.checked_add(i.checked_mul(of(stride)?)?)?;
            }
        }
        if let Some(offset) = &table.elem_offset {
            linear = linear.checked_add(of(offset)?)?;
        }
        Some(vec![linear])
    }

    /// What an expression loads, whatever it makes of it.
    fn mark(&self, side: Side, e: &Expr) -> u64 {
        let mut sum = 0u64;
        self.add_marks(side, e, &mut sum);
        sum
    }

    fn add_marks(&self, side: Side, e: &Expr, sum: &mut u64) {
        if let (true, Some(Value::Int(value))) = (e.dtype.is_index(), self.value(side, e)) {
            *sum = sum.wrapping_add(mixed(value.cast_unsigned()));
            return;
        }
        match &e.kind {
            // Numbers that a truth value is compared with may not be there in the other program.
            ExprKind::Binary(_, a, b) if e.dtype == DType::BOOL => {
                for part in [a, b] {
                    if self.value(side, part).is_none() {
                        self.add_marks(side, part, sum);
                    }
                }
            }
            // It may be a constant in the other program.
            ExprKind::Cast(of) if of.dtype.is_index() && !e.dtype.is_integral() => {}
            ExprKind::Load { buffer, indices } => {
                let root = self.machine.buffers.root(side, *buffer);
                if root.is_ok_and(|root| !self.written.contains(&root))
                    && let Some(place) = self.place(side, *buffer, indices)
                {
                    *sum = sum.wrapping_add(mark_of(&place));
                }
            }
            ExprKind::Var(var) => {
                let own = self.marks[side as usize].get(var).copied();
                let mark = own.or_else(|| self.outside(side, *var).map(|term| self.mark_of_term(term)));
                *sum = sum.wrapping_add(mark.unwrap_or(0));
            }
            ExprKind::Select(select) => match self.condition(side, &select.cond) {
                Some(true) => self.add_marks(side, &select.then, sum),
                Some(false) => self.add_marks(side, &select.otherwise, sum),
                None => e.for_each_child(|child| self.add_marks(side, child, sum)),
            },
            _ => match e.as_intrin() {
                Some(("if_then_else", [cond, then, otherwise])) => match self.condition(side, cond) {
                    Some(cond) => self.add_marks(side, if cond { then } else { otherwise }, sum),
                    None => e.for_each_child(|child| self.add_marks(side, child, sum)),
                },
                _ => e.for_each_child(|child| self.add_marks(side, child, sum)),
            },
        }
    }

    /// The mark of a value that is bound outside.
    fn mark_of_term(&self, term: Term) -> u64 {
        let terms = &self.machine.terms;
        match terms.node(term) {
            Node::Load { index, .. } => {
                let place = index.iter().map(|&i| i64::try_from(self.sample.value(terms, i)?).ok());
                place.collect::<Option<Vec<i64>>>().map_or(0, |place| mark_of(&place))
            }
            Node::Apply(_, _, operands) => {
                operands.iter().fold(0, |sum, &operand| sum.wrapping_add(self.mark_of_term(operand)))
            }
            _ => 0,
        }
    }
}

fn mark_of(place: &[i64]) -> u64 {
    place.iter().fold(1, |mark, &i| mixed(mark ^ i.cast_unsigned()))
}
