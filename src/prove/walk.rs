//! Both programs side by side, statement by statement: what each statement of the second one owes to that of the first.

use std::collections::BTreeSet;

use super::place::Frame;
use super::range::Range;
use super::steps::{self, Pair, Placed, Step};
use super::term::{Node, Term};
use super::value::{Machine, Side, Unsupported};
use crate::diag::Span;
use crate::ir::{AttrNode, Block, BufferId, DType, Expr, For, ForKind, SBlock, Stmt, StmtKind, VarId};

/// Why two programs cannot be laid side by side.
#[derive(Clone, Debug)]
pub(super) struct Unaligned {
    pub(super) what: String,
    pub(super) spans: (Span, Span),
}

/// How far a block has been run.
pub(super) struct Cursor<'a> {
    pub(super) steps: Vec<Placed<'a>>,
    next: usize,
    /// Conditions of the block itself at this point.
    pub(super) guards: Vec<Term>,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(block: &'a Block, guards: Vec<Term>) -> Cursor<'a> {
        let mut steps = Vec::new();
        steps::flatten(block, &mut steps);
        Cursor { steps, next: 0, guards }
    }

    /// What has not been run yet.
    pub(super) fn rest(&self) -> Cursor<'a> {
        Cursor { steps: self.steps[self.next..].to_vec(), next: 0, guards: self.guards.clone() }
    }

    pub(super) fn leaves(&self) -> Vec<&'a Stmt> {
        let leaf = |placed: &Placed<'a>| match placed.step {
            Step::Leaf(stmt) => Some(stmt),
            _ => None,
        };
        self.steps.iter().filter_map(leaf).collect()
    }
}

/// Runs two programs side by side.
pub(super) struct Walk<'a> {
    pub(super) machine: Machine<'a>,
    /// Conditions since the memories were last unknown, under which stores happen.
    pub(super) store_guards: Vec<Term>,
    /// Threads that control is in.
    pub(super) threads: usize,
    pub(super) loops: usize,
    /// How many calls with an effect are known to be the same in both programs.
    synced: usize,
    /// Whether loops of different lengths are compared.
    pub(super) stretched: bool,
}

pub(super) type Done = Result<(), Unaligned>;

impl<'a> Walk<'a> {
    pub(super) fn new(machine: Machine<'a>, stretched: bool) -> Walk<'a> {
        Walk { machine, store_guards: Vec::new(), threads: 0, loops: 0, synced: 0, stretched }
    }

    pub(super) fn unaligned(&self, what: impl Into<String>) -> Unaligned {
        Unaligned { what: what.into(), spans: self.machine.book.spans }
    }

    fn placed<T>(&self, value: Result<T, Unsupported>) -> Result<T, Unaligned> {
        value.map_err(|what| self.unaligned(what))
    }

    /// Looks at statements of a program that are not run yet: nothing is owed, and afterwards its variables are what they were.
    pub(super) fn looking_ahead<T>(&mut self, side: Side, f: impl FnOnce(&mut Self) -> T) -> T {
        let vars = self.machine.program(side).vars.clone();
        let quiet = std::mem::replace(&mut self.machine.quiet, true);
        let result = f(self);
        self.machine.quiet = quiet;
        self.machine.program(side).vars = vars;
        result
    }

    pub(super) fn value(&mut self, side: Side, e: &Expr) -> Result<Term, Unaligned> {
        let value = self.machine.value(side, e);
        self.placed(value)
    }

    pub(super) fn described(&mut self, side: Side, e: &Expr) -> Result<Term, Unaligned> {
        let value = self.machine.described(side, e);
        self.placed(value)
    }

    /// The same expression of both programs.
    pub(super) fn pair(&mut self, what: &'static str, a: &Expr, b: &Expr) -> Result<(Term, Term), Unaligned> {
        let (x, y) = (self.value(Side::First, a)?, self.value(Side::Second, b)?);
        if a.dtype != b.dtype {
            return Err(self.unaligned(format!("{what}: types {} and {}", a.dtype, b.dtype)));
        }
        self.owe_equal(what, x, y);
        self.after_calls(&[a, b])?;
        Ok((x, y))
    }

    /// What calls in these expressions leave: memories that may hold anything.
    pub(super) fn after_calls(&mut self, all: &[&Expr]) -> Done {
        self.same_calls()?;
        if all.iter().any(|e| steps::may_write(e)) {
            self.forget(&BTreeSet::new(), true);
        }
        Ok(())
    }

    /// Calls since the last time: the same ones with the same arguments, under the same conditions.
    fn same_calls(&mut self) -> Done {
        let [first, second] = &self.machine.programs;
        if first.calls.len() != second.calls.len() {
            return Err(self.unaligned("another number of calls"));
        }
        let new = |calls: &[(String, Vec<Term>)]| calls[self.synced..].to_vec();
        let (first, second) = (new(&first.calls), new(&second.calls));
        self.synced += first.len();
        for ((call, args), (other, others)) in first.into_iter().zip(second) {
            if call != other || args.len() != others.len() {
                return Err(self.unaligned("another call"));
            }
            let equal = self.machine.terms.all_equal(&args, &others);
            self.machine.book.owe_that("a call has the same arguments", equal);
        }
        Ok(())
    }

    pub(super) fn owe_equal(&mut self, what: &'static str, a: Term, b: Term) {
        let equal = self.machine.terms.equal(a, b);
        self.machine.book.owe_that(what, equal);
    }

    /// Two blocks, from the same state to the same state.
    pub(super) fn blocks(&mut self, a: &'a Block, b: &'a Block) -> Done {
        self.guarded_blocks((a, Vec::new()), (b, Vec::new()))
    }

    /// As [`Walk::blocks`], each under conditions of its own.
    pub(super) fn guarded_blocks(&mut self, a: (&'a Block, Vec<Term>), b: (&'a Block, Vec<Term>)) -> Done {
        let outer = self.machine.book.here.clone();
        let (mut first, mut second) = (Cursor::new(a.0, a.1), Cursor::new(b.0, b.1));
        let (mut left, mut right) = (first.leaves(), second.leaves());
        if !steps::alike(&self.machine.buffers, &left, &right) {
            self.open_single(Side::First, &mut first);
            self.open_single(Side::Second, &mut second);
            (left, right) = (first.leaves(), second.leaves());
        }
        let pairs = self.pairs(&first, &left, &second, &right)?;
        self.run(&mut first, &mut second, pairs)?;
        self.advance(Side::First, &mut first)?;
        self.advance(Side::Second, &mut second)?;
        self.machine.book.here = outer;
        self.same_calls()
    }

    /// Runs leaves as they belong together.
    pub(super) fn run(
        &mut self,
        first: &mut Cursor<'a>,
        second: &mut Cursor<'a>,
        pairs: steps::Pairs,
    ) -> Done {
        for pair in pairs {
            self.machine.book.stage += 1;
            if let Pair::Either(many, count) = pair {
                self.either(many, count, first, second)?;
                continue;
            }
            let x = if pair == Pair::Second { None } else { self.advance(Side::First, first)? };
            if let (Pair::Cut(pieces), Some(Stmt { kind: StmtKind::For(l), span })) = (&pair, x) {
                self.machine.book.spans.0 = *span;
                let guards = first.guards.clone();
                self.cut(l, &guards, second, pieces)?;
                continue;
            }
            let y = if pair == Pair::First { None } else { self.advance(Side::Second, second)? };
            match (x, y) {
                (Some(x), Some(y)) => {
                    self.machine.book.spans = (x.span, y.span);
                    let guard = self.machine.terms.and(&first.guards);
                    let other = self.machine.terms.and(&second.guards);
                    self.owe_equal("a statement runs under the same condition", guard, other);
                    self.under(&first.guards, |walk| walk.leaves(x, y))?;
                }
                (Some(x), None) => {
                    self.machine.book.spans.0 = x.span;
                    self.nothing("a statement that is left out does nothing", Side::First, x, &first.guards)?;
                }
                (None, Some(y)) => {
                    self.machine.book.spans.1 = y.span;
                    self.nothing("a statement that is new does nothing", Side::Second, y, &second.guards)?;
                }
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// A leaf of one program, and leaves of the other one of which one runs at most: each does the same where it runs, and one does
    /// where the leaf runs.
    fn either(&mut self, many: Side, count: usize, first: &mut Cursor<'a>, second: &mut Cursor<'a>) -> Done {
        let (mut x, mut y) = (self.leaf(Side::First, first)?, self.leaf(Side::Second, second)?);
        let mut others: Vec<Term> = Vec::new();
        for number in 0..count {
            match many {
                _ if number == 0 => {}
                Side::First => x = self.leaf(Side::First, first)?,
                Side::Second => y = self.leaf(Side::Second, second)?,
            }
            self.machine.book.spans = (x.span, y.span);
            let other =
                self.machine.terms.and(if many == Side::First { &first.guards } else { &second.guards });
            for &before in &others {
                let both = self.machine.terms.and(&[before, other]);
                let never = self.machine.terms.not(both);
                self.machine.book.owe_that("one of several statements runs at most", never);
            }
            others.push(other);
            let guards: Vec<Term> = first.guards.iter().chain(&second.guards).copied().collect();
            self.under(&guards, |walk| walk.leaves(x, y))?;
        }
        let guard = self.machine.terms.and(if many == Side::First { &second.guards } else { &first.guards });
        let any = self.machine.terms.or(&others);
        self.owe_equal("a statement runs under the same condition", guard, any);
        Ok(())
    }

    fn leaf(&mut self, side: Side, cursor: &mut Cursor<'a>) -> Result<&'a Stmt, Unaligned> {
        self.advance(side, cursor)?.ok_or_else(|| self.unaligned("leaves that are none"))
    }

    /// Does something under further conditions.
    pub(super) fn under<T>(
        &mut self,
        guards: &[Term],
        f: impl FnOnce(&mut Self) -> Result<T, Unaligned>,
    ) -> Result<T, Unaligned> {
        let (here, stores) = (self.machine.book.here.guards.len(), self.store_guards.len());
        self.machine.book.here.guards.extend(guards);
        self.store_guards.extend(guards);
        let done = f(self);
        let kept = self.machine.book.here.guards.split_off(here + guards.len());
        self.machine.book.here.guards.truncate(here);
        // What was found to hold under the conditions holds afterwards where they do.
        let guard = self.machine.terms.and(guards);
        for condition in kept {
            let carried = self.machine.terms.implies(guard, condition);
            self.machine.book.here.guards.push(carried);
        }
        self.store_guards.truncate(stores);
        done
    }

    /// A statement that only one program has never runs.
    fn nothing(&mut self, what: &'static str, side: Side, stmt: &'a Stmt, guards: &[Term]) -> Done {
        if side == Side::First && steps::is_idle(stmt) {
            return Ok(());
        }
        if let (StmtKind::For(l), Side::First) = (&stmt.kind, side) {
            let thread = usize::from(matches!(l.kind, ForKind::ThreadBinding(_)));
            self.threads += thread;
            let range = (self.described(Side::First, &l.min)?, self.described(Side::First, &l.extent)?);
            let done = self.nothing_in_loop(what, l, guards, range);
            self.threads -= thread;
            return done;
        }
        if let StmtKind::Bind { var, value } = &stmt.kind {
            // What is never executed may mention it.
            let unknown = self.machine.terms.new_atom("never", value.dtype, Range::ALL);
            self.machine.program(side).vars.insert(*var, unknown);
        }
        let mut runs = guards.to_vec();
        let extent = match &stmt.kind {
            StmtKind::For(l) => Some(&l.extent),
            StmtKind::LaunchThread { extent, .. } => Some(extent),
            _ => None,
        };
        if let StmtKind::While { cond, .. } = &stmt.kind {
            runs.push(match side {
                Side::First => self.described(side, cond)?,
                Side::Second => self.under(guards, |walk| walk.value(side, cond))?,
            });
        }
        if let Some(extent) = extent {
            // The second program evaluates it, and where the loop begins.
            let extent = match side {
                Side::First => self.described(side, extent)?,
                Side::Second => self.under(guards, |walk| walk.value(side, extent))?,
            };
            if let (StmtKind::For(l), Side::Second) = (&stmt.kind, side) {
                let mut parts = [Some(&l.min), l.step.as_ref()].into_iter().flatten();
                self.under(guards, |walk| parts.try_for_each(|e| walk.value(side, e).map(drop)))?;
            }
            let zero = self.machine.terms.int(0);
            runs.push(self.machine.terms.less(zero, extent));
        }
        if let (StmtKind::Store { buffer, indices, value }, Side::First) = (&stmt.kind, side)
            && !self.is_volatile(side, *buffer)?
        {
            // A store of what is there already. Other threads change what this one stores only where they wait for one another in
            // between, which is a call: anything else is a race, in which the first program means nothing.
            let index = self.machine.quietly(|machine| machine.index(side, *buffer, indices));
            let value_term = self.machine.described(side, value);
            // What is never the same value twice is not what is there.
            if let (Ok((root, index)), Ok(value_term)) = (index, value_term) {
                let memory = self.machine.memory(root);
                let there = self.machine.terms.load(memory, value.dtype, &index);
                let same = self.machine.terms.equal(there, value_term);
                runs.push(self.machine.terms.not(same));
            }
        }
        let runs = self.machine.terms.and(&runs);
        let never = self.machine.terms.not(runs);
        // Where the first program leaves, it evaluates nothing of what is behind.
        match side == Side::First && stmt.may_leave() {
            true => self.machine.book.owe_early(what, never),
            false => self.machine.book.owe_that(what, never),
        }
        Ok(())
    }

    /// No statement of a loop of the first program does anything, in any iteration: so memory stays what it is.
    pub(super) fn nothing_in_loop(
        &mut self,
        what: &'static str,
        l: &'a For,
        guards: &[Term],
        (min, extent): (Term, Term),
    ) -> Done {
        let step = l.step.as_ref().map(|step| self.described(Side::First, step)).transpose()?;
        let upwards = step.is_none_or(|step| self.machine.terms.range(step).positive());
        let func = self.machine.programs[0].func;
        let (dtype, name) = (func.var(l.var).ty.dtype(), func.var(l.var).name.clone());
        let range = if upwards { self.machine.last_below(min, extent) } else { Range::ALL };
        let var = self.machine.terms.new_atom(&name, dtype, range);
        self.machine.programs[0].vars.insert(l.var, var);
        let terms = &mut self.machine.terms;
        let (zero, end) = (terms.int(0), terms.add(min, extent));
        let (low, high, runs) = (terms.at_most(min, var), terms.less(var, end), terms.less(zero, extent));
        let holds = if upwards { terms.and(&[low, high]) } else { terms.truth(true) };
        self.loops += 1;
        let frame = Frame { number: self.loops, var: Some(var), first: min, runs, holds };
        let outer = self.machine.book.here.clone();
        self.machine.book.here.guards.extend(guards);
        self.machine.book.here.loops.push(frame);
        let mut cursor = Cursor::new(&l.body, vec![runs]);
        while let Some(stmt) = self.advance(Side::First, &mut cursor)? {
            self.machine.book.spans.0 = stmt.span;
            let guards = cursor.guards.clone();
            self.nothing(what, Side::First, stmt, &guards)?;
        }
        self.machine.book.here = outer;
        Ok(())
    }

    /// Runs a block up to its next leaf, or to its end.
    pub(super) fn advance(
        &mut self,
        side: Side,
        cursor: &mut Cursor<'a>,
    ) -> Result<Option<&'a Stmt>, Unaligned> {
        let base = self.machine.book.here.guards.len();
        while let Some(&Placed { stmt, step }) = cursor.steps.get(cursor.next) {
            cursor.next += 1;
            self.machine.book.time += 1;
            match side {
                Side::First => self.machine.book.spans.0 = stmt.span,
                Side::Second => self.machine.book.spans.1 = stmt.span,
            }
            self.machine.book.here.guards.extend(&cursor.guards);
            let done = self.step(side, step, &mut cursor.guards);
            self.machine.book.here.guards.truncate(base);
            if let Some(holds) = done? {
                self.machine.book.here.guards.push(holds);
                return self.advance(side, cursor);
            }
            if let Step::Leaf(stmt) = step {
                return Ok(Some(stmt));
            }
        }
        Ok(None)
    }

    /// A step that is no leaf; what it shows for the rest of the block, if anything.
    fn step(
        &mut self,
        side: Side,
        step: Step<'a>,
        guards: &mut Vec<Term>,
    ) -> Result<Option<Term>, Unaligned> {
        match step {
            Step::Bind(var, value) => {
                let value = self.value(side, value)?;
                self.machine.program(side).vars.insert(var, value);
            }
            Step::Eval(e) => drop(self.value(side, e)?),
            Step::Single(l) => {
                let (min, extent) = (self.value(side, &l.min)?, self.value(side, &l.extent)?);
                self.machine.program(side).vars.insert(l.var, min);
                let one = self.machine.terms.int(1);
                self.owe_equal("a loop has one iteration", extent, one);
            }
            Step::If(cond) => guards.push(self.value(side, cond)?),
            Step::Else => {
                if let Some(cond) = guards.pop() {
                    guards.push(self.machine.terms.not(cond));
                }
            }
            Step::End => drop(guards.pop()),
            Step::Alloc(buffer) => self.allocate(side, buffer)?,
            Step::Assume(cond) => {
                let cond = self.value(side, cond)?;
                if side == Side::Second {
                    self.machine.book.owe_that("an assumption is one of the input", cond);
                } else {
                    let guard = self.machine.terms.and(guards);
                    return Ok(Some(self.machine.terms.implies(guard, cond)));
                }
            }
            Step::Leaf(_) => {}
        }
        Ok(None)
    }

    fn allocate(&mut self, side: Side, buffer: BufferId) -> Done {
        let root = self.machine.buffers.root(side, buffer);
        let root = self.placed(root)?;
        if side == Side::First {
            self.machine.memories[root] = self.machine.terms.new_memory();
            return Ok(());
        }
        let [a, b] = [0, 1].map(|i| self.machine.programs[i].func);
        let (x, y) = (&a.buffers[root].shape, &b.buffer(buffer).shape);
        if x.len() != y.len() {
            return Err(self.unaligned("a buffer with another number of dimensions"));
        }
        for (x, y) in x.iter().zip(y) {
            let (x, y) = (self.described(Side::First, x)?, self.described(Side::Second, y)?);
            self.owe_equal("an allocated buffer has the same shape", x, y);
        }
        Ok(())
    }

    /// Two statements that belong together.
    fn leaves(&mut self, a: &'a Stmt, b: &'a Stmt) -> Done {
        match (&a.kind, &b.kind) {
            (
                StmtKind::Store { buffer: p, indices: i, value: v },
                StmtKind::Store { buffer: q, indices: j, value: w },
            ) => self.stores((*p, i, v), (*q, j, w)),
            (StmtKind::Evaluate(x), StmtKind::Evaluate(y)) => {
                self.calls("the same call", x, y)?;
                Ok(())
            }
            (StmtKind::Bind { var: s, value: x }, StmtKind::Bind { var: t, value: y }) => {
                let value = self.calls("the same call", x, y)?;
                self.bind(*s, *t, value);
                Ok(())
            }
            (StmtKind::For(l), StmtKind::For(m)) => self.fors(l, m),
            (StmtKind::While { cond: x, body: p }, StmtKind::While { cond: y, body: q }) => {
                let one = self.machine.terms.int(1);
                let truth = self.machine.terms.truth(true);
                self.looped(None, one, truth, truth, &[(p, q)], |walk| {
                    let (cond, _) = walk.pair("a loop goes on under the same condition", x, y)?;
                    walk.under(&[cond], |walk| walk.blocks(p, q))
                })?;
                self.machine.book.jumped = true;
                Ok(())
            }
            (
                StmtKind::If { cond: x, then: p, otherwise: r },
                StmtKind::If { cond: y, then: q, otherwise: s },
            ) => {
                let cond = self.calls("the same condition", x, y)?;
                let not = self.machine.terms.not(cond);
                self.under(&[cond], |walk| walk.blocks(p, q))?;
                self.under(&[not], |walk| walk.blocks(r, s))
            }
            (StmtKind::Assert { cond: x, .. }, StmtKind::Assert { cond: y, .. }) => {
                let (cond, _) = self.pair("the same is asserted", x, y)?;
                self.machine.book.here.guards.push(cond);
                Ok(())
            }
            (
                StmtKind::Attr { node: n, key: k, value: x, body: p },
                StmtKind::Attr { node: m, key: l, value: y, body: q },
            ) if k == l => {
                let (extent, _) = self.pair("an attribute has the same value", x, y)?;
                if let (
                    AttrNode::IterVar { var: s, thread_tag, .. },
                    AttrNode::IterVar { var: t, thread_tag: other, .. },
                ) = (n, m)
                    && !self.machine.programs[0].vars.contains_key(s)
                {
                    let tag = if thread_tag == other { thread_tag } else { "" };
                    return self.launched(tag, (*s, *t), extent, p, q);
                }
                self.blocks(p, q)
            }
            (
                StmtKind::LaunchThread { var: s, tag: f, extent: x, body: p },
                StmtKind::LaunchThread { var: t, tag: g, extent: y, body: q },
            ) if f == g => {
                let (extent, _) = self.pair("as many threads", x, y)?;
                self.launched(f, (*s, *t), extent, p, q)
            }
            (StmtKind::SBlock(x), StmtKind::SBlock(y)) => self.sblocks(x, y),
            (StmtKind::Break, StmtKind::Break) | (StmtKind::Continue, StmtKind::Continue) => {
                self.leave();
                Ok(())
            }
            (StmtKind::Return(x), StmtKind::Return(y)) => {
                self.pair("the same is returned", x, y)?;
                self.leave();
                Ok(())
            }
            _ => Err(self.unaligned("statements of another kind")),
        }
    }

    /// Control leaves the block: what follows in it runs only where the conditions here do not hold.
    fn leave(&mut self) {
        self.machine.book.jumped = true;
        let never = self.machine.terms.truth(false);
        self.machine.book.here.guards.push(never);
    }

    pub(super) fn bind(&mut self, a: VarId, b: VarId, value: Term) {
        self.machine.programs[0].vars.insert(a, value);
        self.machine.programs[1].vars.insert(b, value);
    }

    /// Calls with an effect: the same arguments, and afterwards any memory may hold anything.
    fn calls(&mut self, what: &'static str, a: &Expr, b: &Expr) -> Result<Term, Unaligned> {
        let (x, y) = (self.value(Side::First, a)?, self.value(Side::Second, b)?);
        self.same_calls()?;
        self.owe_equal(what, x, y);
        self.forget(&BTreeSet::new(), true);
        Ok(x)
    }

    /// The memory, the place in it and the value of what a store stores.
    fn stored(
        &mut self,
        side: Side,
        (buffer, indices, value): (BufferId, &Vec<Expr>, &Expr),
    ) -> Result<(usize, Vec<Term>, Term), Unaligned> {
        let index = indices.iter().map(|i| self.value(side, i)).collect::<Result<Vec<_>, _>>()?;
        let place = self.machine.place_in_memory(side, buffer, index.clone());
        let (root, place) = (self.machine.buffers.root(side, buffer), self.placed(place)?);
        let value = self.value(side, value)?;
        let accessed = self.machine.accessed(side, buffer, &index, &place, false);
        self.placed(accessed)?;
        Ok((self.placed(root)?, place, value))
    }

    fn stores(&mut self, a: (BufferId, &Vec<Expr>, &Expr), b: (BufferId, &Vec<Expr>, &Expr)) -> Done {
        let (root, index, value) = self.stored(Side::First, a)?;
        let (other_root, other_index, other_value) = self.stored(Side::Second, b)?;
        if root != other_root || a.2.dtype != b.2.dtype {
            return Err(self.unaligned("stores to other buffers"));
        }
        let equal = self.machine.terms.all_equal(&index, &other_index);
        self.machine.book.owe_that("the same element is stored", equal);
        self.owe_equal("the same value is stored", value, other_value);
        let all: Vec<&Expr> = a.1.iter().chain(b.1).chain([a.2, b.2]).collect();
        self.same_calls()?;
        if all.iter().any(|e| steps::may_write(e)) {
            return self.after_calls(&all);
        }
        if self.machine.volatile.contains(&root) {
            self.forget(&self.machine.buffers.changed_with(root).into_iter().collect(), false);
            return Ok(());
        }
        let threads = self.threads > 0 && self.machine.buffers.shared[root];
        let memory = self.machine.memory(root);
        if !threads && self.machine.terms.load(memory, a.2.dtype, &index) == value {
            return Ok(());
        }
        let changed = self.machine.buffers.changed_with(root);
        for &other in changed.iter().filter(|&&other| other != root || threads) {
            self.machine.memories[other] = self.machine.terms.new_memory();
        }
        if !threads {
            let guard = self.store_guard();
            let memory = self.machine.memories[root];
            let dtype = a.2.dtype.scalar();
            self.machine.memories[root] =
                self.machine.terms.intern(Node::Store { memory, guard, index, value, dtype });
        }
        Ok(())
    }

    fn is_volatile(&self, side: Side, buffer: BufferId) -> Result<bool, Unaligned> {
        let root = self.placed(self.machine.buffers.root(side, buffer))?;
        Ok(self.machine.volatile.contains(&root))
    }

    /// These memories, or all, may hold anything from here on.
    pub(super) fn forget(&mut self, roots: &BTreeSet<usize>, all: bool) {
        for root in 0..self.machine.memories.len() {
            if all || roots.contains(&root) {
                self.machine.memories[root] = self.machine.terms.new_memory();
            }
        }
    }

    /// The conditions since the memories were last unknown, under which stores happen here.
    pub(super) fn store_guard(&mut self) -> Term {
        self.machine.terms.and(&self.store_guards)
    }

    /// Whether control is in threads.
    pub(super) fn has_threads(&self) -> bool {
        self.threads > 0
    }

    /// These memories, or all, may hold anything where the conditions hold under which control is here, and elsewhere what
    /// they held before. Among threads others may have come here.
    pub(super) fn change(&mut self, before: &[Term], roots: &BTreeSet<usize>, all: bool) {
        self.forget(roots, all);
        if self.has_threads() {
            return;
        }
        let guard = self.store_guard();
        for (memory, &before) in self.machine.memories.iter_mut().zip(before) {
            if *memory != before {
                *memory = self.machine.terms.memory_after(guard, *memory, before);
            }
        }
    }

    fn sblocks(&mut self, a: &'a SBlock, b: &'a SBlock) -> Done {
        let counts =
            |s: &SBlock| (s.axes.len(), s.alloc_buffers.len(), s.match_buffers.len(), s.init.is_some());
        if counts(a) != counts(b) {
            return Err(self.unaligned("a block with other axes or buffers"));
        }
        for (x, y) in a.axes.iter().zip(&b.axes) {
            if x.kind != y.kind {
                return Err(self.unaligned("a block with an axis of another kind"));
            }
            let (value, _) = self.pair("an axis has the same value", &x.binding, &y.binding)?;
            self.bind(x.var, y.var, value);
        }
        let mut guards = Vec::new();
        match (&a.predicate, &b.predicate) {
            (None, None) => {}
            (x, y) => {
                let mut of = |side, predicate: &Option<Expr>| match predicate {
                    Some(e) => self.value(side, e),
                    None => Ok(self.machine.terms.truth(true)),
                };
                let (x, y) = (of(Side::First, x)?, of(Side::Second, y)?);
                self.owe_equal("a block runs under the same condition", x, y);
                guards.push(x);
            }
        }
        for (&x, &y) in a.alloc_buffers.iter().zip(&b.alloc_buffers) {
            self.allocate(Side::First, x)?;
            self.allocate(Side::Second, y)?;
        }
        for ((x, from), (y, to)) in a.match_buffers.iter().zip(&b.match_buffers) {
            for (side, id, region) in [(Side::First, *x, from), (Side::Second, *y, to)] {
                let mut first = Vec::new();
                for (min, _) in &region.ranges {
                    first.push(self.value(side, min)?);
                }
                self.machine.program(side).regions.insert(id, first);
            }
        }
        self.under(&guards, |walk| {
            if let (Some(x), Some(y)) = (&a.init, &b.init) {
                // Whether it runs depends on the axes, which are the same.
                let runs = walk.machine.terms.new_atom("first iteration", DType::BOOL, Range::ALL);
                walk.under(&[runs], |walk| walk.blocks(x, y))?;
            }
            walk.blocks(&a.body, &b.body)
        })
    }
}
