//! What loads from memories after stores are, and what integers are as floats, as premises for a solver: it sees neither stores
//! nor memories, and knows nothing of conversions.

use hashbrown::HashSet;

use super::term::{Node, Term, Terms};

/// Most loads of one question that are explained.
const MAX_LOADS: usize = 48;

/// Most lanes of a store that are told apart.
const MAX_LANES: u16 = 16;

impl Terms {
    /// The terms that these are made of, themselves among them, but for what is in memories and in whole vectors.
    pub(super) fn cone(&self, of: impl IntoIterator<Item = Term>) -> Vec<Term> {
        let (mut seen, mut open) = (HashSet::new(), of.into_iter().collect::<Vec<_>>());
        while let Some(term) = open.pop() {
            if seen.insert(term) {
                match self.node(term) {
                    Node::Load { index, .. } => open.extend(index),
                    Node::Whole(..) | Node::Store { .. } => {}
                    _ => self.for_each_part(term, |part| open.push(part)),
                }
            }
        }
        let mut all: Vec<Term> = seen.into_iter().collect();
        all.sort_unstable();
        all
    }

    /// Conditions that hold of the loads in these terms, by the stores before them.
    pub(super) fn contents(&mut self, of: &[Term]) -> Vec<Term> {
        let mut found: Vec<Term> = Vec::new();
        let (mut open, mut seen) = (self.cone(of.iter().copied()), HashSet::new());
        let mut loads = 0;
        while !open.is_empty() && loads < MAX_LOADS {
            let known = found.len();
            for term in std::mem::take(&mut open) {
                if seen.insert(term) && loads < MAX_LOADS && self.after_store(term, &mut found) {
                    loads += 1;
                }
            }
            let new: Vec<Term> = found[known..].to_vec();
            open = self.cone(new);
        }
        let mut all = of.to_vec();
        all.extend(&found);
        found.extend(self.casts(&all));
        found
    }

    /// That an integer that is `n` is the float `n`, for the floats that are constants in these terms.
    fn casts(&mut self, of: &[Term]) -> Vec<Term> {
        /// Most pairs of a conversion and a constant.
        const MAX_PAIRS: usize = 100;
        let cone = self.cone(of.iter().copied());
        let mut pairs = Vec::new();
        for &term in &cone {
            let Some((value, dtype)) = self.converted_integer(term) else { continue };
            for &constant in &cone {
                if let Some(n) = self.as_converted(constant, dtype) {
                    pairs.push((term, value, constant, n));
                }
            }
        }
        pairs.truncate(MAX_PAIRS);
        let mut found = Vec::new();
        for (term, value, constant, n) in pairs {
            let n = self.int(n);
            let (same, is) = (self.equal(value, n), self.opaque_equal(term, constant));
            found.push(self.implies(same, is));
        }
        found
    }

    /// Adds what the last store says of a load; false if there is none, or it says nothing.
    fn after_store(&mut self, load: Term, found: &mut Vec<Term>) -> bool {
        let Node::Load { memory, dtype, index } = self.node(load).clone() else { return false };
        if let Node::Choice(guard, changed, before) = *self.node(memory) {
            for (memory, holds) in [(changed, guard), (before, self.not(guard))] {
                let there = self.load(memory, dtype, &index);
                let same = self.is(load, there);
                found.push(self.implies(holds, same));
            }
            return true;
        }
        let Node::Store { memory: before, guard, index: stored, value, dtype: of } =
            self.node(memory).clone()
        else {
            return false;
        };
        if of != dtype {
            return false;
        }
        let lanes = self.lanes_of(&stored, value);
        let earlier = self.load(before, dtype, &index);
        let unchanged = self.is(load, earlier);
        let alone = match lanes {
            None => Some((value, self.all_equal(&stored, &index))),
            Some(lanes) => self.stored_in((&stored, value), lanes, &index),
        };
        if let Some((value, there)) = alone {
            let here = self.and(&[guard, there]);
            let changed = self.is(load, value);
            let (changed, elsewhere) = (self.implies(here, changed), self.not(here));
            found.extend([changed, self.implies(elsewhere, unchanged)]);
            return true;
        }
        let Some(lanes) = lanes.filter(|&lanes| lanes <= MAX_LANES) else { return false };
        // One lane after the other; the last of those that store there counts.
        let lane = self.lane(lanes);
        let (mut later, mut none) = (Vec::new(), Vec::new());
        for k in (0..lanes).rev() {
            let k = self.int(i128::from(k));
            let at: Vec<Term> = stored.iter().map(|&term| self.replace(term, lane, k)).collect();
            let value = self.replace(value, lane, k);
            let same = self.all_equal(&at, &index);
            let here = self.and(&[guard, same]);
            let last: Vec<Term> = later.iter().copied().chain([here]).collect();
            let (last, changed) = (self.and(&last), self.is(load, value));
            found.push(self.implies(last, changed));
            let not_here = self.not(same);
            later.push(not_here);
            none.push(not_here);
        }
        let none = self.and(&none);
        let not_guard = self.not(guard);
        let elsewhere = self.or(&[not_guard, none]);
        found.push(self.implies(elsewhere, unchanged));
        true
    }

    /// Whether two values are equal, neither more nor less.
    fn is(&mut self, a: Term, b: Term) -> Term {
        match self.sort(a) {
            super::term::Sort::Other => self.opaque_equal(a, b),
            _ => self.equal(a, b),
        }
    }
}
