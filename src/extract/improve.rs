//! Local improvement of a choice of nodes that counts shared classes once.
//!
//! For each class in turn: what would be freed by dropping its node and what each candidate would add, by reference counting
//! (the exact-area recovery of technology mapping: Mishchenko, Chatterjee, Brayton, "Improvements to Technology Mapping for
//! LUT-Based FPGAs", FPGA 2006). A candidate that would depend on its own class is passed over.
//!
//! Most candidates lose, so little is done for them: operands are counted only until they cost more than the best candidate,
//! and a class is not looked at again before something has changed.

use super::selection::Index;
use super::selector::Selector;
use crate::cost::{Cost, Weight};

/// Rounds of local improvement.
const ROUNDS: usize = 3;

/// A choice of nodes with the uses of each.
pub(super) struct Improver<'s, 'a> {
    pub(super) selector: &'s mut Selector<'a>,
    /// Per class: how many of the classes in use, and of the sites, use it.
    refs: Vec<u32>,
    /// Per class: what its choice costs where it would be hoisted to, and at which version of the needs that was computed.
    own: Vec<(Cost, u32)>,
    /// The classes whose count of uses was raised for a candidate, those whose count was lowered for the class that is looked
    /// at, and those that are still to be counted.
    raised: Vec<u32>,
    lowered: Vec<u32>,
    waiting: Vec<u32>,
    /// Per class: when it was looked at last; how often classes have been, and when that changed something for the last time.
    seen: Vec<u32>,
    now: u32,
    changed: u32,
}

impl<'s, 'a> Improver<'s, 'a> {
    pub(super) fn new(selector: &'s mut Selector<'a>) -> Improver<'s, 'a> {
        let n = selector.classes();
        Improver {
            selector,
            refs: vec![0; n],
            own: vec![(Cost::ZERO, 0); n],
            raised: Vec::new(),
            lowered: Vec::new(),
            waiting: Vec::new(),
            seen: vec![0; n],
            now: 0,
            changed: 0,
        }
    }

    /// Improves the choice; returns the classes in use, operands first. `None` if it is cyclic.
    pub(super) fn improve(&mut self, roots: &[Index]) -> Option<Vec<Index>> {
        let mut order = self.selector.update(roots)?;
        self.refs.fill(0);
        for &root in roots {
            self.raise(root, Cost::ZERO, Cost::MAX);
        }
        self.raised.clear();
        self.changed = self.now;
        for _ in 0..ROUNDS {
            let mut changed = false;
            for &c in &order {
                let is_settled = self.seen[c] > self.changed;
                if self.refs[c] > 0 && self.selector.range(c).len() > 1 && !is_settled {
                    changed |= self.look_at(c);
                }
            }
            if !changed {
                break;
            }
            let version = self.selector.version;
            order = self.selector.update(roots)?;
            if self.selector.version != version {
                self.changed = self.now;
            }
        }
        Some(order)
    }

    /// Tries the candidates of a class that is in use; whether its choice changes.
    fn look_at(&mut self, c: Index) -> bool {
        let (choice, version) = (self.selector.choice(c), self.selector.version);
        if let Some(best) = self.best(c, choice) {
            if Some(best) != choice {
                self.lowered.clear();
                self.selector.choose(c, Some(best));
                self.own[c].1 = 0;
                self.count(best, Cost::ZERO, Cost::MAX);
                self.raised.clear();
            }
            let needs = self.selector.candidate_needs(self.selector.candidate(best));
            self.selector.set_needs(c, needs);
        }
        for c in self.lowered.drain(..) {
            self.refs[c as Index] += 1;
        }
        let changed = self.selector.choice(c) != choice;
        self.now += 1;
        self.seen[c] = self.now;
        if changed || self.selector.version != version {
            self.changed = self.now;
        }
        changed
    }

    /// The candidate of a class that makes the whole cheapest, of equally cheap ones `choice`, else the first. The uses by
    /// that are taken away, which [`Improver::lowered`] tells.
    fn best(&mut self, c: Index, choice: Option<usize>) -> Option<usize> {
        let choice_with_cost = choice.and_then(|i| Some((i, self.own_cost(c, i)?)));
        let rewriting = choice_with_cost.map_or(Cost::ZERO, |(i, _)| self.rewriting(c, i));
        let freed = self.lower(c);
        let mut best: Option<(Cost, usize)> = None;
        for i in self.selector.range(c).filter(|&i| Some(i) != choice) {
            let Some(own) = self.own_cost(c, i) else { continue };
            // What operands cost comes on top.
            if let (None, Some((choice, own_of_choice))) = (best, choice_with_cost) {
                if own > own_of_choice + freed + rewriting {
                    continue;
                }
                let cost = self.count(choice, own_of_choice, Cost::MAX) + rewriting;
                self.take_back();
                best = Some((cost, choice));
            }
            let limit = best.map_or(Cost::MAX, |(least, _)| least);
            if own >= limit {
                continue;
            }
            let mut cost = self.count(i, own, limit);
            if cost < limit {
                cost += self.rewriting(c, i);
            }
            self.take_back();
            // Looking for cycles takes longest.
            if cost < limit && !self.selector.depends(i, c) {
                best = Some((cost, i));
            }
        }
        best.or(choice_with_cost.map(|(i, cost)| (cost, i))).map(|(_, i)| i)
    }

    /// What a candidate costs without its operands; `None` if it cannot be computed, or may trap and the class does not.
    fn own_cost(&self, c: Index, i: usize) -> Option<Cost> {
        let selector = &*self.selector;
        let candidate = selector.candidate(i);
        let known = selector.operands(candidate).iter().all(|&k| selector.choice(k as Index).is_some());
        let place = selector.place(candidate).filter(|_| known)?;
        (!selector.total[c] || selector.is_total(candidate)).then(|| selector.cost_at(candidate, place))
    }

    fn rewriting(&self, c: Index, i: usize) -> Cost {
        self.selector.rewriting(c, self.selector.candidate(i), &self.refs)
    }

    /// What a second use of `c` costs: the binding that serves both.
    fn binding_cost(&self, c: Index) -> Cost {
        let selector = &*self.selector;
        match selector.chosen(c) {
            Some(k) if k.price.weight > Weight::ZERO => {
                selector.objective.binding() * selector.frequency[selector.needs[c].scope.0 as usize]
            }
            _ => Cost::ZERO,
        }
    }

    /// What the choice for `c` costs where it would be hoisted to.
    fn chosen_cost(&mut self, c: Index) -> Cost {
        let (known, at) = self.own[c];
        let selector = &*self.selector;
        if at == selector.version {
            return known;
        }
        let cost =
            selector.chosen(c).map_or(Cost::ZERO, |k| selector.cost_at(k, selector.candidate_needs(k)));
        self.own[c] = (cost, selector.version);
        cost
    }

    /// Counts the uses by a candidate; returns the cost that they add to `cost`, if that is less than the limit.
    fn count(&mut self, i: usize, mut cost: Cost, limit: Cost) -> Cost {
        for k in 0..self.selector.operands(self.selector.candidate(i)).len() {
            let child = self.selector.operands(self.selector.candidate(i))[k] as Index;
            cost += self.raise(child, cost, limit);
            if cost >= limit {
                break;
            }
        }
        cost
    }

    /// Counts one more use of `c`; returns the cost that this adds. Stops where that makes `cost` reach the limit.
    fn raise(&mut self, c: Index, cost: Cost, limit: Cost) -> Cost {
        let mut added = Cost::ZERO;
        self.waiting.clear();
        self.waiting.push(c as u32);
        while let Some(c) = self.waiting.pop() {
            self.raised.push(c);
            let c = c as Index;
            self.refs[c] += 1;
            match self.refs[c] {
                1 => {
                    added += self.chosen_cost(c);
                    self.waiting.extend_from_slice(self.selector.children(c));
                }
                2 => added += self.binding_cost(c),
                _ => continue,
            }
            if cost + added >= limit {
                break;
            }
        }
        added
    }

    /// Takes back all uses that were counted since this was called last.
    fn take_back(&mut self) {
        for c in self.raised.drain(..) {
            self.refs[c as Index] -= 1;
        }
    }

    /// Counts the uses by the choice for `c` no longer; returns the cost that they added.
    fn lower(&mut self, c: Index) -> Cost {
        let mut freed = Cost::ZERO;
        self.waiting.clear();
        self.waiting.extend_from_slice(self.selector.children(c));
        while let Some(c) = self.waiting.pop() {
            self.lowered.push(c);
            let c = c as Index;
            self.refs[c] -= 1;
            match self.refs[c] {
                0 => {
                    freed += self.chosen_cost(c);
                    self.waiting.extend_from_slice(self.selector.children(c));
                }
                1 => freed += self.binding_cost(c),
                _ => {}
            }
        }
        freed
    }
}
