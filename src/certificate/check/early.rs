//! Stores that the second program makes before other statements and the first one behind them: leaves of a block in another order,
//! and a loop of the first program that is two of the second one. Such a store reads no memory, and what runs in between in the
//! second program meets no element that the first one has not stored yet: so it loads and stores what it does in the first one.

use std::collections::VecDeque;

use hashbrown::HashSet;

use super::book::Goal;
use super::bounds::Bounds;
use super::eval::{Machine, Refused, Side, contains_expression};
use super::memory::Pending;
use super::steps::{Placed, Step};
use super::term::{Node, Sort, Term, Terms, for_each_part};
use super::walk::{Cursor, Done, GUARD, LENGTH, Walk};
use crate::ir::{Expr, For, ForKind, Stmt, StmtKind};

/// Whether a statement does nothing but load and store, and ends.
fn is_plain(stmt: &Stmt) -> bool {
    let mut plain = true;
    stmt.walk(&mut |stmt| {
        plain &= match &stmt.kind {
            StmtKind::Store { .. } | StmtKind::Bind { .. } | StmtKind::If { .. } | StmtKind::Evaluate(_) => {
                true
            }
            StmtKind::For(l) => matches!(l.kind, ForKind::Serial | ForKind::Unrolled) && l.step.is_none(),
            _ => false,
        };
        stmt.for_each_expr(|e| plain &= !e.has_effect());
    });
    plain
}

/// Whether a term has an element of memory in it.
fn reads(terms: &Terms, term: Term) -> bool {
    let (mut open, mut seen) = (vec![term], HashSet::new());
    while let Some(term) = open.pop() {
        if matches!(terms.node(term), Node::Load { .. }) {
            return true;
        }
        if seen.insert(term) {
            for_each_part(terms.node(term), |part| open.push(part));
        }
    }
    false
}

impl Machine<'_> {
    /// The second program comes to an element: it is none that the first one is still to store.
    pub(super) fn passes_pending(&mut self, buffer: usize, index: &[Term]) -> Done {
        for Pending { buffer: stored, index: other, holds } in self.pending.clone() {
            if !self.memories.may_share(stored, buffer) {
                continue;
            }
            let func = self.programs[Side::First as usize].func;
            if !self.memories.same_elements(func, stored, buffer)
                || index.iter().any(|&part| self.terms.has_lanes(part))
            {
                return Err("an element that may be one of those that are stored earlier".into());
            }
            let mut meets = vec![holds];
            meets.extend(index.iter().zip(&other).map(|(&x, &y)| self.terms.equal(x, y)));
            let (meets, never) = (self.terms.and(&meets), self.terms.truth(false));
            self.book.owe("what is passed by a store is another element", Goal::Same(meets, never));
        }
        Ok(())
    }

    /// The value of an expression of the second program that is the same at any time.
    fn timeless(&mut self, e: &Expr) -> Result<Term, Refused> {
        let value = self.described(Side::Second, e)?;
        match reads(&self.terms, value) {
            false => Ok(value),
            true => Err("what is done earlier reads memory".into()),
        }
    }

    /// The elements that statements of the second program store, if these conditions hold.
    fn stored_by(&mut self, block: &[Stmt], holds: &[Term], found: &mut Vec<Pending>) -> Done {
        for stmt in block {
            match &stmt.kind {
                StmtKind::Store { buffer, indices, value } => {
                    self.timeless(value)?;
                    let index = indices.iter().map(|e| self.timeless(e)).collect::<Result<Vec<_>, _>>()?;
                    if index.iter().any(|&part| self.terms.has_lanes(part)) {
                        return Err("elements of a vector are stored earlier".into());
                    }
                    let (buffer, holds) =
                        (self.memories.number(Side::Second, *buffer)?, self.terms.and(holds));
                    found.push(Pending { buffer, index, holds });
                }
                StmtKind::If { cond, then, otherwise } => {
                    let cond = self.timeless(cond)?;
                    self.truth_value(cond)?;
                    let not = self.terms.not(cond);
                    self.stored_by(then, &[holds, &[cond]].concat(), found)?;
                    self.stored_by(otherwise, &[holds, &[not]].concat(), found)?;
                }
                StmtKind::For(l) => {
                    let (min, extent) = (self.timeless(&l.min)?, self.timeless(&l.extent)?);
                    let ends = self.any_iteration(l, min, extent)?;
                    self.stored_by(&l.body, &[holds, &ends].concat(), found)?;
                }
                _ => return Err("what is done earlier is more than stores".into()),
            }
        }
        Ok(())
    }

    /// Makes the variable of a loop of the second program any of its values; what holds of it then.
    fn any_iteration(&mut self, l: &For, min: Term, extent: Term) -> Result<[Term; 2], Refused> {
        if [min, extent].iter().any(|&of| self.terms.sort(of) != Sort::Int) {
            return Err("the variable of a loop of another type".into());
        }
        let (var, end) = (self.terms.atom(Sort::Int, Bounds::NONE), self.terms.add(min, extent));
        self.program(Side::Second).vars.insert(l.var, var);
        Ok([self.terms.at_most(min, var), self.terms.less(var, end)])
    }
}

/// A leaf of the second program that the first one has behind others.
struct Early<'a> {
    stmt: &'a Stmt,
    guards: Vec<Term>,
    stores: Vec<Pending>,
}

impl<'a> Walk<'a, '_> {
    /// So many leaves of both programs, of which the second one has those with these numbers in front of the others.
    pub(super) fn in_front(
        &mut self,
        first: &mut Cursor<'a>,
        second: &mut Cursor<'a>,
        leaves: usize,
        front: &[usize],
    ) -> Done {
        if !front.is_sorted_by(|a, b| a < b) || front.last().is_none_or(|&last| last >= leaves) {
            return Err("leaves in front of others that are not in order".into());
        }
        let is_plain = |placed: &&Placed<'_>| !matches!(placed.step, Step::Leaf(stmt) if !is_plain(stmt));
        if ![&*first, &*second]
            .iter()
            .all(|cursor| cursor.ahead(leaves).0.iter().all(|placed| is_plain(&placed)))
        {
            return Err("statements in another order that do more than load and store".into());
        }
        let outer = self.machine.pending.len();
        let mut early = VecDeque::new();
        for _ in front {
            let stmt = self.advance(Side::Second, second, &[])?.ok_or("no statement in front of others")?;
            let (guards, mut stores) = (second.guards.clone(), Vec::new());
            self.machine.stored_by(std::slice::from_ref(stmt), &guards, &mut stores)?;
            self.machine.pending.extend(stores.iter().cloned());
            early.push_back(Early { stmt, guards, stores });
        }
        for number in 0..leaves {
            let x = self.advance(Side::First, first, &[])?.ok_or("no statement behind others")?;
            if !front.contains(&number) {
                let y =
                    self.advance(Side::Second, second, &first.guards)?.ok_or("no statement behind others")?;
                self.together((x, &first.guards), (y, &second.guards))?;
                continue;
            }
            // Those of the same block are in the same order in both programs.
            self.machine.pending.truncate(outer);
            let Early { stmt, guards, .. } = early.pop_front().ok_or("no statement in front of others")?;
            self.together((x, &first.guards), (stmt, &guards))?;
            self.machine.pending.extend(early.iter().flat_map(|early| early.stores.iter().cloned()));
        }
        Ok(())
    }

    /// A loop of the first program that is two of the second one: so many leaves of each iteration, and then the others.
    pub(super) fn fission(&mut self, first: &mut Cursor<'a>, second: &mut Cursor<'a>, leaves: usize) -> Done {
        let a = self.iterated(Side::First, first)?;
        let b = self.iterated(Side::Second, second)?;
        let guards = first.guards.clone();
        let (min, extent) = self.under(&guards, |walk| {
            Ok((walk.machine.value(Side::First, &a.min)?, walk.machine.value(Side::First, &a.extent)?))
        })?;
        self.iterates_as(&guards, (min, extent), b, second)?;
        let (var, frame, holds) = self.ranged((a.var, b.var), min, extent, false)?;
        // All that the first of the two loops stores is done when the second one begins.
        let (mut stores, outer) = (Vec::new(), self.machine.pending.len());
        let ends = self.machine.any_iteration(b, min, extent)?;
        let other = self.machine.programs[Side::Second as usize].vars[&b.var];
        self.machine.stored_by(&b.body, &[&second.guards, &ends[..]].concat(), &mut stores)?;
        self.machine.pending.extend(stores.iter().cloned());
        let c = self.iterated(Side::Second, second)?;
        self.iterates_as(&guards, (min, extent), c, second)?;
        self.machine.pending.truncate(outer);
        self.ranged((a.var, c.var), min, extent, false)?;
        let same = |l: &For| l.kind == a.kind && l.annotations == a.annotations;
        if !same(b) || !same(c) || contains_expression(&a.annotations) {
            return Err("a loop of another kind".into());
        }
        // In an iteration of it that is done of later ones.
        let is_later = self.machine.terms.less(var, other);
        for pending in &mut stores {
            pending.holds = self.machine.terms.and(&[pending.holds, is_later]);
        }
        self.bind(a.var, b.var, var);
        self.machine.program(Side::Second).vars.insert(c.var, var);
        let iteration = |walk: &mut Self| {
            let [mut whole, mut now, mut then] = [a, b, c].map(|l| Cursor::new(&l.body, Vec::new()));
            walk.laid(&mut whole, &mut now, [leaves, usize::MAX])?;
            walk.advance(Side::Second, &mut now, &[])?;
            walk.machine.pending.extend(stores);
            walk.laid(&mut whole, &mut then, [usize::MAX; 2])?;
            walk.advance(Side::First, &mut whole, &[])?;
            walk.advance(Side::Second, &mut then, &[])?;
            walk.machine.pending.truncate(outer);
            Ok(())
        };
        self.under(&guards, |walk| walk.looped(frame, Some(holds), (&a.body, &c.body), (&[], &[]), iteration))
    }

    /// A loop of the second program runs under these conditions and over this range.
    fn iterates_as(&mut self, guards: &[Term], range: (Term, Term), l: &For, second: &Cursor<'a>) -> Done {
        let [guard, other] = [guards, &second.guards].map(|guards| self.machine.terms.and(guards));
        self.owe_same(GUARD, guard, other)?;
        self.under(guards, |walk| {
            let (min, extent) =
                (walk.machine.value(Side::Second, &l.min)?, walk.machine.value(Side::Second, &l.extent)?);
            walk.owe_same("a loop begins at the same value", range.0, min)?;
            walk.owe_same(LENGTH, range.1, extent)
        })
    }

    /// The next leaf, which is a loop that only loads and stores.
    fn iterated(&mut self, side: Side, cursor: &mut Cursor<'a>) -> Result<&'a For, Refused> {
        match self.advance(side, cursor, &[])? {
            Some(stmt @ Stmt { kind: StmtKind::For(l), .. }) if is_plain(stmt) => Ok(l),
            _ => Err("a loop in two that does more than load and store".into()),
        }
    }
}
