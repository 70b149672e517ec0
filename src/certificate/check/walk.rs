//! Both programs side by side, statement by statement: what each statement of the second one owes to that of the first.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::book::{Frame, Goal};
use super::bounds::Bounds;
use super::eval::{Machine, Refused, Side, bounds_of, contains_expression, sort_of};
use super::pairs::{Pair, Pairs};
use super::steps::{self, Placed, Step};
use super::term::{MAX_TERM_DEPTH, Sort, Term};
use crate::ir::{AttrNode, Block, BufferId, BufferRegion, Expr, For, Origin, SBlock, Stmt, StmtKind, VarId};

/// Says which leaves of the pair of blocks of some number belong together, where it is not one to one.
pub(crate) type Aligner<'r> =
    dyn for<'x> FnMut(&mut Machine<'x>, usize, &[Placed<'x>], &[Placed<'x>]) -> Option<Pairs> + 'r;

/// What is owed for a condition that is said to be one of the first program.
pub(crate) const CLAIM: &str = "a condition is the one of the first program";
/// What is owed for two loops side by side.
pub(crate) const LENGTH: &str = "a loop has as many iterations";
/// What is owed for two statements side by side.
pub(crate) const GUARD: &str = "a statement runs under the same condition";

/// How far a block has been run.
pub(super) struct Cursor<'a> {
    pub(super) steps: Vec<Placed<'a>>,
    pub(super) next: usize,
    /// Conditions of the block itself at this point.
    pub(super) guards: Vec<Term>,
    /// The number of the pair of blocks that it was laid side by side in first.
    pub(super) block: Option<usize>,
}

impl<'a> Cursor<'a> {
    /// A block, which runs under these conditions.
    pub(super) fn new(block: &'a Block, guards: Vec<Term>) -> Cursor<'a> {
        let mut steps = Vec::new();
        steps::flatten(block, &mut steps);
        Cursor { steps, next: 0, guards, block: None }
    }

    /// The steps up to the last one of so many leaves, and how many leaves there are.
    pub(super) fn ahead(&self, leaves: usize) -> (&[Placed<'a>], usize) {
        let rest = &self.steps[self.next..];
        let ends = rest.iter().enumerate().filter(|(_, placed)| matches!(placed.step, Step::Leaf(_)));
        let ends: Vec<usize> = ends.map(|(at, _)| at + 1).take(leaves).collect();
        let end = if leaves == usize::MAX { rest.len() } else { ends.last().copied().unwrap_or(0) };
        (&rest[..end], ends.len())
    }
}

/// What a certificate says of how two programs belong together.
pub(crate) struct Plan<'r> {
    /// Which statements belong together.
    pub(crate) aligner: &'r mut Aligner<'r>,
    /// Which conditions of the second program, counted as they are met, are the ones of the first program at the same depth.
    pub(crate) claims: &'r BTreeSet<usize>,
}

/// Runs two programs side by side.
pub(crate) struct Walk<'a, 'r> {
    pub(crate) machine: Machine<'a>,
    plan: Plan<'r>,
    /// Conditions of the second program so far.
    conditions: usize,
    /// Those that were claimed.
    pub(crate) claimed: Vec<usize>,
    /// Pairs of blocks so far.
    blocks: usize,
    /// Calls that were compared.
    synced: usize,
    /// Where loops of the second program begin whose first iteration was run alone, and their lengths.
    pub(super) entered: HashMap<VarId, (Term, Term)>,
}

pub(super) type Done = Result<(), Refused>;

impl<'a, 'r> Walk<'a, 'r> {
    pub(crate) fn new(machine: Machine<'a>, plan: Plan<'r>) -> Walk<'a, 'r> {
        Walk {
            machine,
            plan,
            conditions: 0,
            claimed: Vec::new(),
            blocks: 0,
            synced: 0,
            entered: HashMap::new(),
        }
    }

    /// The same expression of both programs.
    fn pair(&mut self, what: &'static str, a: &Expr, b: &Expr) -> Result<Term, Refused> {
        let (x, y) = (self.machine.value(Side::First, a)?, self.machine.value(Side::Second, b)?);
        if a.dtype != b.dtype {
            return Err(format!("{what}: types {} and {}", a.dtype, b.dtype));
        }
        self.owe_same(what, x, y)?;
        self.after_calls()?;
        Ok(x)
    }

    pub(super) fn owe_same(&mut self, what: &'static str, a: Term, b: Term) -> Done {
        if self.machine.terms.sort(a) != self.machine.terms.sort(b) {
            return Err(format!("{what}: values of other kinds"));
        }
        self.machine.book.owe(what, Goal::Same(a, b));
        Ok(())
    }

    /// Calls since the last time: the same ones with the same arguments.
    pub(super) fn after_calls(&mut self) -> Done {
        let [first, second] = &self.machine.programs;
        if first.calls.len() != second.calls.len() {
            return Err("another number of calls with an effect".into());
        }
        let new = |calls: &[(String, Vec<Term>)]| calls[self.synced..].to_vec();
        let (first, second) = (new(&first.calls), new(&second.calls));
        self.synced += first.len();
        for ((name, args), (other, others)) in first.into_iter().zip(second) {
            if name != other || args.len() != others.len() {
                return Err("another call with an effect".into());
            }
            for (a, b) in args.into_iter().zip(others) {
                self.owe_same("a call has the same arguments", a, b)?;
            }
        }
        Ok(())
    }

    /// Two blocks, from the same state to the same state.
    pub(crate) fn blocks(&mut self, a: &'a Block, b: &'a Block) -> Done {
        self.guarded_blocks((a, b), [Vec::new(), Vec::new()])
    }

    /// As [`Walk::blocks`], each under conditions of its own.
    pub(super) fn guarded_blocks(&mut self, (a, b): (&'a Block, &'a Block), guards: [Vec<Term>; 2]) -> Done {
        let outer = self.machine.book.place();
        let [of_a, of_b] = guards;
        let (mut first, mut second) = (Cursor::new(a, of_a), Cursor::new(b, of_b));
        self.laid(&mut first, &mut second, [usize::MAX; 2])?;
        self.advance(Side::First, &mut first, &[])?;
        self.advance(Side::Second, &mut second, &first.guards)?;
        self.after_calls()?;
        self.machine.book.back(&outer);
        Ok(())
    }

    /// So many leaves of two blocks.
    pub(super) fn laid(
        &mut self,
        first: &mut Cursor<'a>,
        second: &mut Cursor<'a>,
        leaves: [usize; 2],
    ) -> Done {
        let number = self.blocks;
        self.blocks += 1;
        first.block.get_or_insert(number);
        second.block.get_or_insert(number);
        let ((left, n), (right, m)) = (first.ahead(leaves[0]), second.ahead(leaves[1]));
        let given = (self.plan.aligner)(&mut self.machine, number, left, right);
        let one_by_one = || (0..n.min(m)).map(|i| Pair::Leaves(Some(i), Some(i))).collect();
        let pairs = given.unwrap_or_else(one_by_one);
        // All leaves of both, each once, in order.
        let (mut firsts, mut seconds) = (Vec::new(), Vec::new());
        for pair in &pairs {
            match pair {
                Pair::Leaves(i, j) => {
                    firsts.extend(*i);
                    seconds.extend(*j);
                }
                Pair::Overlap(i, j) => {
                    firsts.push(*i);
                    seconds.push(*j);
                }
                Pair::Peel(i, j, leaves) => {
                    firsts.push(*i);
                    seconds.extend((0..=*leaves.min(&m)).map(|k| j.saturating_add(k)));
                }
                Pair::Front(i, j, leaves, _) => {
                    firsts.extend((0..*leaves.min(&n)).map(|k| i.saturating_add(k)));
                    seconds.extend((0..*leaves.min(&m)).map(|k| j.saturating_add(k)));
                }
                Pair::Fission(i, j, _) => {
                    firsts.push(*i);
                    seconds.extend([*j, j.saturating_add(1)]);
                }
                Pair::Cover(i, j, tree, shape) => {
                    // No more than there are.
                    let count = |side| if side == *tree { shape.leaves().min(n.max(m)) } else { 1 };
                    firsts.extend((0..count(Side::First)).map(|k| i.saturating_add(k)));
                    seconds.extend((0..count(Side::Second)).map(|k| j.saturating_add(k)));
                }
            }
        }
        if !firsts.into_iter().eq(0..n)
            || !seconds.into_iter().eq(0..m)
            || pairs.contains(&Pair::Leaves(None, None))
        {
            return Err(format!("{n} and {m} statements that the certificate does not lay side by side"));
        }
        for pair in pairs {
            // What the second program declares the first one has declared before.
            self.settle(Side::First, first, &[])?;
            let (i, j) = match pair {
                Pair::Leaves(i, j) => (i, j),
                Pair::Overlap(..) => {
                    self.overlap(first, second)?;
                    continue;
                }
                Pair::Peel(_, _, leaves) => {
                    self.peeled(first, second, leaves)?;
                    continue;
                }
                Pair::Cover(_, _, tree, shape) => {
                    self.covered(tree, &shape, first, second)?;
                    continue;
                }
                Pair::Front(_, _, leaves, front) => {
                    self.in_front(first, second, leaves, &front)?;
                    continue;
                }
                Pair::Fission(_, _, leaves) => {
                    self.fission(first, second, leaves)?;
                    continue;
                }
            };
            let x = if i.is_some() { self.advance(Side::First, first, &[])? } else { None };
            let y = if j.is_some() { self.advance(Side::Second, second, &first.guards)? } else { None };
            self.after_calls()?;
            match (x, y) {
                (Some(x), Some(y)) => self.together((x, &first.guards), (y, &second.guards))?,
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
            if self.machine.terms.deepest > MAX_TERM_DEPTH {
                return Err("values are nested too deep".into());
            }
        }
        Ok(())
    }

    /// Two statements that belong together, each with the conditions of its block.
    pub(super) fn together(
        &mut self,
        (x, guards): (&'a Stmt, &[Term]),
        (y, others): (&'a Stmt, &[Term]),
    ) -> Done {
        self.machine.book.spans = (x.span, y.span);
        let [guard, other] = [guards, others].map(|guards| self.machine.terms.and(guards));
        self.owe_same(GUARD, guard, other)?;
        self.under(guards, |walk| walk.leaves(x, y))
    }

    /// Two statements that belong together where both run; each of them does nothing where the other one does not run.
    fn overlap(&mut self, first: &mut Cursor<'a>, second: &mut Cursor<'a>) -> Done {
        let x = self.advance(Side::First, first, &[])?.ok_or("no statement of the first program")?;
        let y =
            self.advance(Side::Second, second, &first.guards)?.ok_or("no statement of the second program")?;
        self.after_calls()?;
        self.machine.book.spans = (x.span, y.span);
        let guards = [&first.guards, &second.guards].map(|guards| self.machine.terms.and(guards));
        for (side, stmt, runs, other) in
            [(Side::First, x, guards[0], guards[1]), (Side::Second, y, guards[1], guards[0])]
        {
            let not = self.machine.terms.not(other);
            let alone = self.machine.terms.and(&[runs, not]);
            if self.machine.terms.as_truth(alone) != Some(false) {
                self.nothing(
                    "a statement does nothing where the other one does not run",
                    side,
                    stmt,
                    &[runs, not],
                )?;
            }
        }
        self.under(&guards, |walk| walk.leaves(x, y))
    }

    /// Does something under further conditions.
    pub(super) fn under<T>(
        &mut self,
        guards: &[Term],
        f: impl FnOnce(&mut Self) -> Result<T, Refused>,
    ) -> Result<T, Refused> {
        let outer = self.machine.book.place();
        for &guard in guards {
            self.machine.book.know(&self.machine.terms, guard);
        }
        let done = f(self);
        self.machine.book.back(&outer);
        done
    }

    /// A statement that only one program has never runs.
    pub(super) fn nothing(
        &mut self,
        what: &'static str,
        side: Side,
        stmt: &'a Stmt,
        guards: &[Term],
    ) -> Done {
        if side == Side::First && (steps::is_idle(stmt) || self.machine.keeps(std::slice::from_ref(stmt))?) {
            return Ok(());
        }
        // What loops and threads range over, and what else is evaluated where a loop begins. The first program may lose no call.
        let (extent, parts) = match &stmt.kind {
            StmtKind::For(l) => (Some(&l.extent), [Some(&l.min), l.step.as_ref()]),
            StmtKind::LaunchThread { extent, .. } => (Some(extent), [None, None]),
            _ => (None, [None, None]),
        };
        let mut evaluated = Vec::new();
        for e in extent.into_iter().chain(parts.into_iter().flatten()) {
            evaluated.push(match side {
                Side::First => self.machine.described(side, e)?,
                Side::Second => self.under(guards, |walk| walk.machine.value(side, e))?,
            });
        }
        let is_integer = |&of: &Term| self.machine.terms.sort(of) == Sort::Int;
        if let (StmtKind::For(l), [extent, min]) = (&stmt.kind, &evaluated[..])
            && steps::is_plain_loop(l)
            && evaluated.iter().all(is_integer)
        {
            let end = self.machine.terms.add(*min, *extent);
            return self.under(guards, |walk| walk.idle(side, l, *min, end));
        }
        let mut runs = guards.to_vec();
        if extent.is_some() {
            runs.push(self.machine.terms.positive(evaluated[0]));
        }
        let runs = self.machine.terms.and(&runs);
        let never = self.machine.terms.truth(false);
        // Where the first program leaves, it evaluates nothing of what is behind.
        let evidence = match side == Side::First && stmt.may_leave() {
            true => self.machine.book.evaluated.len(),
            false => usize::MAX,
        };
        self.machine.book.owe_since(evidence, what, Goal::Same(runs, never));
        Ok(())
    }

    /// Runs a block up to its next leaf, or to its end.
    pub(super) fn advance(
        &mut self,
        side: Side,
        cursor: &mut Cursor<'a>,
        others: &[Term],
    ) -> Result<Option<&'a Stmt>, Refused> {
        self.settle(side, cursor, others)?;
        let Some(&Placed { stmt, step: Step::Leaf(leaf) }) = cursor.steps.get(cursor.next) else {
            return Ok(None);
        };
        cursor.next += 1;
        self.comes_to(side, stmt);
        Ok(Some(leaf))
    }

    /// Runs a block up to what is before its next leaf, or to its end.
    fn settle(&mut self, side: Side, cursor: &mut Cursor<'a>, others: &[Term]) -> Done {
        while let Some(&Placed { stmt, step }) = cursor.steps.get(cursor.next)
            && !matches!(step, Step::Leaf(_))
        {
            cursor.next += 1;
            self.comes_to(side, stmt);
            let mut guards = std::mem::take(&mut cursor.guards);
            let (outer, block) = (guards.clone(), cursor.block);
            let known = self.under(&outer, |walk| walk.step(side, step, &mut guards, block, others));
            cursor.guards = guards;
            if let Some(known) = known? {
                self.machine.book.know(&self.machine.terms, known);
            }
        }
        Ok(())
    }

    /// What follows is about this statement.
    fn comes_to(&mut self, side: Side, stmt: &Stmt) {
        match side {
            Side::First => self.machine.book.spans.0 = stmt.span,
            Side::Second => self.machine.book.spans.1 = stmt.span,
        }
    }

    /// A step that is no leaf; what it shows for the rest of the block, if anything.
    fn step(
        &mut self,
        side: Side,
        step: Step<'a>,
        guards: &mut Vec<Term>,
        block: Option<usize>,
        others: &[Term],
    ) -> Result<Option<Term>, Refused> {
        match step {
            Step::Bind(var, value) => {
                let value = self.machine.value(side, value)?;
                self.machine.program(side).vars.insert(var, value);
            }
            Step::Eval(e) => drop(self.machine.value(side, e)?),
            Step::First(l) => {
                let (min, extent) = (self.machine.value(side, &l.min)?, self.machine.value(side, &l.extent)?);
                self.machine.program(side).vars.insert(l.var, min);
                self.entered.insert(l.var, (min, extent));
                guards.push(self.machine.terms.positive(extent));
            }
            Step::If(cond) => {
                let cond = self.machine.value(side, cond)?;
                self.machine.truth_value(cond)?;
                let other = others.get(guards.len()).copied().filter(|&other| other != cond);
                if let (Side::Second, Some(other)) = (side, other) {
                    let number = self.conditions;
                    self.conditions += 1;
                    if self.plan.claims.contains(&number) {
                        self.claimed.push(number);
                        self.owe_same(CLAIM, other, cond)?;
                        guards.push(other);
                        return Ok(None);
                    }
                }
                guards.push(cond);
            }
            Step::Else => {
                if let Some(cond) = guards.pop() {
                    guards.push(self.machine.terms.not(cond));
                }
            }
            Step::End => drop(guards.pop()),
            Step::Buffer(buffer) => self.declare(side, buffer, block)?,
            Step::Assume(cond) => {
                let cond = self.machine.value(side, cond)?;
                self.machine.truth_value(cond)?;
                if side == Side::Second {
                    let always = self.machine.terms.truth(true);
                    self.owe_same("an assumption is one of the input", cond, always)?;
                    return Ok(None);
                }
                let guard = self.machine.terms.and(guards);
                let not = self.machine.terms.not(guard);
                return Ok(Some(self.machine.terms.or(&[not, cond])));
            }
            Step::Leaf(_) => {}
        }
        Ok(None)
    }

    /// A buffer that both programs declare in the same pair of blocks.
    fn declare(&mut self, side: Side, id: BufferId, block: Option<usize>) -> Done {
        let func = self.machine.programs[side as usize].func;
        let buffer = func.buffer(id);
        if side == Side::First {
            let shape =
                buffer.shape.iter().map(|e| self.machine.described(side, e)).collect::<Result<_, _>>()?;
            self.machine.memories.declare(func, id, shape, block)?;
            return Ok(());
        }
        let unknown = || format!("buffer `{}` is not declared there in the first program", buffer.name);
        let number = self.machine.memories.unpaired(&buffer.name, block).ok_or_else(unknown)?;
        let first = self.machine.memories.declared(number);
        super::signature::same_buffer(&mut self.machine, first, id, number)
    }

    /// Two statements that belong together.
    fn leaves(&mut self, a: &'a Stmt, b: &'a Stmt) -> Done {
        match (&a.kind, &b.kind) {
            (
                StmtKind::Store { buffer: p, indices: i, value: v },
                StmtKind::Store { buffer: q, indices: j, value: w },
            ) => self.stores((*p, i, v), (*q, j, w)),
            (StmtKind::Evaluate(x), StmtKind::Evaluate(y)) => {
                self.pair("the same call", x, y)?;
                Ok(())
            }
            (StmtKind::Bind { var: s, value: x }, StmtKind::Bind { var: t, value: y }) => {
                let value = self.pair("the same call", x, y)?;
                self.bind(*s, *t, value);
                Ok(())
            }
            (StmtKind::For(l), StmtKind::For(m)) => self.fors(l, m),
            (StmtKind::While { cond: x, body: p }, StmtKind::While { cond: y, body: q }) => {
                let runs = self.machine.terms.truth(true);
                self.looped(Frame { var: None, runs }, None, (p, q), (&[x], &[y]), |walk| {
                    let cond = walk.pair("a loop goes on under the same condition", x, y)?;
                    walk.machine.truth_value(cond)?;
                    walk.under(&[cond], |walk| walk.blocks(p, q))
                })?;
                self.machine.book.jumped = true;
                Ok(())
            }
            (
                StmtKind::If { cond: x, then: p, otherwise: r },
                StmtKind::If { cond: y, then: q, otherwise: s },
            ) => {
                let cond = self.pair("the same condition", x, y)?;
                self.machine.truth_value(cond)?;
                let not = self.machine.terms.not(cond);
                self.under(&[cond], |walk| walk.blocks(p, q))?;
                self.under(&[not], |walk| walk.blocks(r, s))
            }
            (
                StmtKind::Assert { cond: x, kind: k, message: m },
                StmtKind::Assert { cond: y, kind: l, message: n },
            ) if (k, m) == (l, n) => {
                self.pair("the same is asserted", x, y)?;
                self.machine.book.epochs.iter_mut().for_each(|epoch| *epoch += 1);
                Ok(())
            }
            (
                StmtKind::Attr { node: n, key: k, value: x, body: p },
                StmtKind::Attr { node: m, key: l, value: y, body: q },
            ) if k == l => {
                if k.contains("volatile") {
                    return Err("volatile memory".into());
                }
                let extent = self.pair("an attribute has the same value", x, y)?;
                if let (
                    AttrNode::IterVar { var: s, kind: f, thread_tag: h, dom: d },
                    AttrNode::IterVar { var: t, kind: g, thread_tag: i, dom: e },
                ) = (n, m)
                {
                    let mut same = (f, h) == (g, i) && d.is_some() == e.is_some();
                    for ((min, extent), (other, others)) in d.iter().zip(e) {
                        for (p, q) in [(min, other), (extent, others)] {
                            let p = self.machine.described(Side::First, p)?;
                            same &= p == self.machine.described(Side::Second, q)?;
                        }
                    }
                    if !same {
                        return Err("another thread".into());
                    }
                    let known = &self.machine.programs[0].vars;
                    return match (known.get(s), self.machine.programs[1].vars.get(t)) {
                        (None, None) => self.launched((*s, *t), extent, p, q),
                        (Some(v), Some(w)) if v == w => self.blocks(p, q),
                        _ => Err("another thread".into()),
                    };
                }
                if !self.same_node(n, m)? {
                    return Err("an attribute of something else".into());
                }
                self.blocks(p, q)
            }
            (
                StmtKind::LaunchThread { var: s, tag: f, extent: x, body: p },
                StmtKind::LaunchThread { var: t, tag: g, extent: y, body: q },
            ) if f == g => {
                let extent = self.pair("as many threads", x, y)?;
                self.launched((*s, *t), extent, p, q)
            }
            (StmtKind::SBlock(x), StmtKind::SBlock(y)) => self.sblocks(x, y),
            (StmtKind::Break, StmtKind::Break) | (StmtKind::Continue, StmtKind::Continue) => {
                self.machine.book.jumped = true;
                Ok(())
            }
            (StmtKind::Return(x), StmtKind::Return(y)) => {
                self.pair("the same is returned", x, y)?;
                self.machine.book.jumped = true;
                Ok(())
            }
            _ => Err("statements of another kind side by side".into()),
        }
    }

    fn same_node(&mut self, a: &AttrNode, b: &AttrNode) -> Result<bool, Refused> {
        Ok(match (a, b) {
            (AttrNode::Value(x), AttrNode::Value(y)) => {
                x == y && !contains_expression(&[("".into(), x.clone())])
            }
            (AttrNode::Var(x), AttrNode::Var(y)) => {
                let [first, second] = &self.machine.programs;
                first.vars.contains_key(x) && first.vars.get(x) == second.vars.get(y)
            }
            (AttrNode::Buffer(x), AttrNode::Buffer(y)) => {
                let memories = &self.machine.memories;
                memories.number(Side::First, *x)? == memories.number(Side::Second, *y)?
            }
            (AttrNode::CommReducer(x), AttrNode::CommReducer(y)) => {
                if (x.params.len(), x.result.len(), x.identity.len())
                    != (y.params.len(), y.result.len(), y.identity.len())
                {
                    return Ok(false);
                }
                // The same function of any operands.
                for (&p, &q) in x.params.iter().zip(&y.params) {
                    let [dtype, other] =
                        [(0, p), (1, q)].map(|(i, v)| self.machine.programs[i].func.var(v).ty.dtype());
                    if dtype != other {
                        return Ok(false);
                    }
                    let operand = self.machine.terms.atom(sort_of(dtype), bounds_of(dtype));
                    self.bind(p, q, operand);
                }
                for (p, q) in x.result.iter().chain(&x.identity).zip(y.result.iter().chain(&y.identity)) {
                    let (v, w) =
                        (self.machine.described(Side::First, p)?, self.machine.described(Side::Second, q)?);
                    if p.dtype != q.dtype {
                        return Ok(false);
                    }
                    self.owe_same("a reduction has the same function", v, w)?;
                }
                true
            }
            _ => false,
        })
    }

    pub(super) fn bind(&mut self, a: VarId, b: VarId, value: Term) {
        self.machine.programs[0].vars.insert(a, value);
        self.machine.programs[1].vars.insert(b, value);
    }

    fn stores(&mut self, a: (BufferId, &Vec<Expr>, &Expr), b: (BufferId, &Vec<Expr>, &Expr)) -> Done {
        let (number, index) = self.machine.element(Side::First, a.0, a.1)?;
        let value = self.machine.value(Side::First, a.2)?;
        let (other, other_index) = self.machine.element(Side::Second, b.0, b.1)?;
        let other_value = self.machine.value(Side::Second, b.2)?;
        let lanes = |all: &[Expr]| all.iter().map(|e| e.dtype.lanes).collect::<Vec<_>>();
        if number != other || a.2.dtype != b.2.dtype || lanes(a.1) != lanes(b.1) {
            return Err("stores to other buffers".into());
        }
        for (x, y) in index.into_iter().zip(other_index) {
            self.owe_same("the same element is stored", x, y)?;
        }
        self.owe_same("the same value is stored", value, other_value)?;
        self.after_calls()?;
        let changed = self.machine.memories.changed_with(number);
        self.machine.memories.forget(changed);
        Ok(())
    }

    /// Memories that statements of both programs may change.
    fn written(&self, bodies: (&[Stmt], &[Stmt])) -> Vec<usize> {
        let (mut ids, mut all) = ([BTreeSet::new(), BTreeSet::new()], false);
        for (body, ids) in [bodies.0, bodies.1].into_iter().zip(&mut ids) {
            for stmt in body {
                stmt.walk(&mut |stmt| {
                    if let StmtKind::Store { buffer, .. } = &stmt.kind {
                        ids.insert(*buffer);
                    }
                });
            }
        }
        let mut roots = BTreeSet::new();
        for (side, ids) in [Side::First, Side::Second].into_iter().zip(&ids) {
            for &id in ids {
                match self.machine.memories.number(side, id) {
                    Ok(number) => roots.extend(self.machine.memories.changed_with(number)),
                    // It is declared within the loop, anew in each iteration; another view may be of any memory.
                    Err(_) => {
                        let func = self.machine.programs[side as usize].func;
                        all |= func.buffer(id).origin != Origin::Alloc;
                    }
                }
            }
        }
        if all { self.machine.memories.roots() } else { roots.into_iter().collect() }
    }

    /// Two loops, iteration by iteration, under what holds in each of them. Each iteration begins with any contents of what the
    /// loops write, and after any number of calls, if there are some in them.
    pub(super) fn looped(
        &mut self,
        frame: Frame,
        holds: Option<Term>,
        bodies: (&'a Block, &'a Block),
        conditions: (&[&Expr], &[&Expr]),
        body: impl FnOnce(&mut Self) -> Done,
    ) -> Done {
        let effect = |body: &Block, conditions: &[&Expr]| {
            let mut found = conditions.iter().any(|e| e.has_effect());
            body.iter().for_each(|stmt| {
                stmt.walk(&mut |stmt| stmt.for_each_expr(|e| found |= e.has_effect()));
            });
            found
        };
        let calls = effect(bodies.0, conditions.0) || effect(bodies.1, conditions.1);
        let changed = if calls { self.machine.memories.roots() } else { self.written((bodies.0, bodies.1)) };
        self.machine.memories.forget(changed.clone());
        let outer = self.machine.book.place();
        self.machine.book.frames.push(frame);
        let number = self.machine.book.frames.len() - 1;
        self.machine.book.at().loops.push(number);
        if let Some(holds) = holds {
            // A loop's range is known within, and is no condition to come there that `runs` does not say.
            let facts = &mut self.machine.book.at().facts;
            let mut more = Vec::new();
            super::book::push_fact(&self.machine.terms, holds, &mut more);
            facts.extend(more);
        }
        let done = body(self);
        self.machine.book.back(&outer);
        self.machine.book.epochs.iter_mut().for_each(|epoch| *epoch += u32::from(calls));
        self.machine.memories.forget(changed);
        done
    }

    fn fors(&mut self, a: &'a For, b: &'a For) -> Done {
        if a.kind != b.kind || a.annotations != b.annotations || contains_expression(&a.annotations) {
            return Err("a loop of another kind".into());
        }
        let min = self.pair("a loop begins at the same value", &a.min, &b.min)?;
        let extent = self.pair(LENGTH, &a.extent, &b.extent)?;
        match (&a.step, &b.step) {
            (None, None) => {}
            (Some(x), Some(y)) => drop(self.pair("a loop has the same step", x, y)?),
            _ => return Err("a loop with another step".into()),
        }
        self.over((a.var, b.var), min, extent, a.step.is_some(), (&a.body, &b.body))
    }

    /// A variable that runs over a range, in both programs the same.
    pub(super) fn over(
        &mut self,
        vars: (VarId, VarId),
        min: Term,
        extent: Term,
        stepped: bool,
        bodies: (&'a Block, &'a Block),
    ) -> Done {
        let (var, frame, holds) = self.ranged(vars, min, extent, stepped)?;
        self.bind(vars.0, vars.1, var);
        self.looped(frame, Some(holds), bodies, (&[], &[]), |walk| walk.blocks(bodies.0, bodies.1))
    }

    /// A variable that runs over a range, the loop that it is of, and what holds in it.
    pub(super) fn ranged(
        &mut self,
        vars: (VarId, VarId),
        min: Term,
        extent: Term,
        stepped: bool,
    ) -> Result<(Term, Frame, Term), Refused> {
        let [dtype, other] =
            [(0, vars.0), (1, vars.1)].map(|(i, v)| self.machine.programs[i].func.var(v).ty.dtype());
        if dtype != other || sort_of(dtype) != Sort::Int || self.machine.terms.sort(extent) != Sort::Int {
            return Err("the variable of a loop of another type".into());
        }
        let terms = &mut self.machine.terms;
        let (first, count) = (terms.bounds(min), terms.bounds(extent));
        let last = first.hi.zip(count.hi).and_then(|(a, b)| a.checked_add(b)?.checked_sub(1));
        let range = Bounds { lo: first.lo, hi: last };
        // The variable of a loop that never runs may be anything: its bounds must not contradict each other elsewhere.
        let empty = range.lo.zip(range.hi).is_some_and(|(lo, hi)| lo > hi);
        // The only value that a loop of one iteration has needs no variable.
        let only = terms.as_int(min).is_some() && terms.as_int(extent) == Some(1) && !stepped;
        let var = if only {
            min
        } else {
            terms.atom(Sort::Int, if stepped || empty { Bounds::NONE } else { range })
        };
        let end = terms.add(min, extent);
        let (low, high, runs) = (terms.at_most(min, var), terms.less(var, end), terms.positive(extent));
        let holds = if stepped { terms.truth(true) } else { terms.and(&[low, high]) };
        Ok((var, Frame { var: Some((var, min)), runs }, holds))
    }

    fn launched(&mut self, vars: (VarId, VarId), extent: Term, a: &'a Block, b: &'a Block) -> Done {
        let min = self.machine.terms.int(0);
        self.over(vars, min, extent, false, (a, b))
    }

    fn regions(&mut self, a: &BufferRegion, b: &BufferRegion) -> Done {
        let number = |walk: &Self, side, id| walk.machine.memories.number(side, id);
        if number(self, Side::First, a.buffer)? != number(self, Side::Second, b.buffer)?
            || a.ranges.len() != b.ranges.len()
        {
            return Err("a block with other regions".into());
        }
        for ((min, extent), (other, others)) in a.ranges.iter().zip(&b.ranges) {
            if extent.is_some() != others.is_some() {
                return Err("a block with other regions".into());
            }
            let quiet = std::mem::replace(&mut self.machine.quiet, true);
            let mut done = self.pair("a block has the same region", min, other);
            if let (Some(x), Some(y)) = (extent, others) {
                done = done.and_then(|_| self.pair("a block has the same region", x, y));
            }
            self.machine.quiet = quiet;
            done?;
        }
        Ok(())
    }

    fn sblocks(&mut self, a: &'a SBlock, b: &'a SBlock) -> Done {
        let counts = |s: &SBlock| {
            let regions = [&s.reads, &s.writes].map(|r| r.as_ref().map(Vec::len));
            let buffers = (s.alloc_buffers.len(), s.match_buffers.len());
            (s.axes.len(), buffers, s.init.is_some(), s.predicate.is_some(), regions)
        };
        if counts(a) != counts(b)
            || (&a.name, &a.attrs) != (&b.name, &b.attrs)
            || contains_expression(&a.attrs)
        {
            return Err("a block with other axes or buffers".into());
        }
        for (x, y) in a.axes.iter().zip(&b.axes) {
            let dtypes =
                [(0, x.var), (1, y.var)].map(|(i, v)| self.machine.programs[i].func.var(v).ty.dtype());
            if x.kind != y.kind || dtypes[0] != dtypes[1] {
                return Err("a block with an axis of another kind".into());
            }
            for (p, q) in [(&x.min, &y.min), (&x.extent, &y.extent)] {
                self.pair("an axis has the same range", p, q)?;
            }
            let value = self.pair("an axis has the same value", &x.binding, &y.binding)?;
            self.bind(x.var, y.var, value);
        }
        let mut guards = Vec::new();
        if let (Some(x), Some(y)) = (&a.predicate, &b.predicate) {
            let cond = self.pair("a block runs under the same condition", x, y)?;
            self.machine.truth_value(cond)?;
            guards.push(cond);
        }
        let block = Some(self.blocks);
        for (&x, &y) in a.alloc_buffers.iter().zip(&b.alloc_buffers) {
            self.declare(Side::First, x, block)?;
            self.declare(Side::Second, y, block)?;
        }
        for ((x, from), (y, to)) in a.match_buffers.iter().zip(&b.match_buffers) {
            self.regions(from, to)?;
            self.declare(Side::First, *x, block)?;
            self.declare(Side::Second, *y, block)?;
        }
        for (x, y) in [(&a.reads, &b.reads), (&a.writes, &b.writes)] {
            for (x, y) in x.iter().flatten().zip(y.iter().flatten()) {
                self.regions(x, y)?;
            }
        }
        self.under(&guards, |walk| {
            if let (Some(x), Some(y)) = (&a.init, &b.init) {
                // Whether it runs depends on the axes, which are the same.
                let runs = walk.machine.terms.atom(Sort::Truth, Bounds::NONE);
                walk.under(&[runs], |walk| walk.blocks(x, y))?;
                let written = walk.written((x, y));
                walk.machine.memories.forget(written);
            }
            walk.blocks(&a.body, &b.body)
        })
    }
}
