//! What memory holds after a loop each iteration of which stores one element: what it holds after one store of a vector, each
//! iteration a lane.

use std::collections::BTreeSet;

use super::steps::{self, Placed, Step};
use super::term::{Node, Term, Terms};
use super::value::Side;
use super::walk::Walk;
use crate::ir::{Expr, For, ForKind, Stmt, StmtKind};

impl<'a> Walk<'a> {
    /// After two loops that are known to store the same, of which nothing is known yet but which memories they changed: what
    /// was stored, if it is one element in each iteration, and none depends on the memory. `before` are the memories in front.
    pub(super) fn filled(
        &mut self,
        (a, b): (&'a For, &'a For),
        (min, extent): (Term, Term),
        before: &[Term],
    ) {
        let Some(lanes) = self.machine.terms.as_int(extent).and_then(|n| u16::try_from(n).ok()) else {
            return;
        };
        let (mut roots, buffers) = (BTreeSet::new(), &self.machine.buffers);
        let calls = steps::written(buffers, Side::First, &a.body, &mut roots)
            || steps::written(buffers, Side::Second, &b.body, &mut roots);
        let Some(&root) = roots.first() else { return };
        let is_one_by_one = |l: &For| l.step.is_none() && !matches!(l.kind, ForKind::ThreadBinding(_));
        if calls || lanes == 0 || roots.len() > 1 || !is_one_by_one(a) || !is_one_by_one(b) {
            return;
        }
        if self.has_threads() || self.machine.volatile.contains(&root) {
            return;
        }
        let after = std::mem::replace(&mut self.machine.memories[root], before[root]);
        let stored = self.looking_ahead(Side::First, |walk| walk.stored_by_lane(a, min, lanes, root));
        self.machine.memories[root] = stored.unwrap_or(after);
    }

    /// The memory after the loop, with a lane in place of its iteration.
    fn stored_by_lane(&mut self, l: &'a For, min: Term, lanes: u16, root: usize) -> Option<Term> {
        let mut all = Vec::new();
        steps::flatten(&l.body, &mut all);
        let lane = self.machine.terms.lane(lanes);
        let first = self.machine.terms.add(min, lane);
        self.machine.programs[0].vars.insert(l.var, first);
        let (
            Placed {
                step: Step::Leaf(Stmt { kind: StmtKind::Store { buffer, indices, value }, .. }), ..
            },
            binds,
        ) = all.split_last()?
        else {
            return None;
        };
        for placed in binds {
            let Step::Bind(var, bound) = placed.step else { return None };
            if self.loads_from(root, bound) {
                return None;
            }
            let term = self.machine.value(Side::First, bound).ok()?;
            self.machine.programs[0].vars.insert(var, term);
        }
        if [value].into_iter().chain(indices).any(|e| self.loads_from(root, e)) || !value.dtype.is_scalar() {
            return None;
        }
        let (_, index) = self.machine.index(Side::First, *buffer, indices).ok()?;
        let term = self.machine.value(Side::First, value).ok()?;
        let guard = self.store_guard();
        let memory = self.machine.memories[root];
        let dtype = value.dtype;
        Some(self.machine.terms.intern(Node::Store { memory, guard, index, value: term, dtype }))
    }

    /// Whether an expression of the first program loads from a memory.
    fn loads_from(&self, root: usize, e: &Expr) -> bool {
        e.loads_from(|buffer| self.machine.buffers.root(Side::First, buffer).is_ok_and(|of| of == root))
    }
}

impl Terms {
    /// What a store of a vector stores in an element, and the condition under which it does, if each lane stores an element of
    /// its own next to that of the last one.
    pub(super) fn stored_in(
        &mut self,
        (stored, value): (&[Term], Term),
        lanes: u16,
        index: &[Term],
    ) -> Option<(Term, Term)> {
        let lane = self.lane(lanes);
        let (mut conditions, mut found) = (Vec::new(), None);
        for (&at, &wanted) in stored.iter().zip(index) {
            if self.lane_of(at).is_none() {
                conditions.push(self.equal(at, wanted));
                continue;
            }
            let first = self.sub(at, lane);
            if found.is_some() || self.lane_of(first).is_some() {
                return None;
            }
            found = Some(self.sub(wanted, first));
        }
        let number = found.filter(|_| stored.len() == index.len())?;
        let (zero, end) = (self.int(0), self.int(i128::from(lanes)));
        conditions.extend([self.at_most(zero, number), self.less(number, end)]);
        let there = self.and(&conditions);
        Some((self.replace(value, lane, number), there))
    }
}
