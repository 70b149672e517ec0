//! Conditions under which something is evaluated: which ones follow from others, by the logic of `and`, `or` and `not`
//! between their classes.

use std::collections::BTreeMap;

use egg::Id;
use hashbrown::HashMap;

use crate::egraph::{Graph, Knowing, Op};
use crate::encode::Guard;
use crate::ir::BinOp;

/// The most conditions that are tried both ways one inside of the other.
const MAX_SPLITS: u32 = 4;

/// How the truth of classes hangs together.
pub(crate) struct Logic {
    gates: HashMap<Id, Vec<Gate>>,
    opposites: HashMap<Id, Id>,
}

/// A class as a function of others.
#[derive(Clone, Copy)]
enum Gate {
    And(Id, Id),
    Or(Id, Id),
}

/// What is known of the truth of classes.
type Truths = BTreeMap<Id, bool>;

impl Logic {
    /// The logic of all truth values of a graph.
    pub(crate) fn new(graph: &Graph) -> Logic {
        let mut logic = Logic { gates: HashMap::new(), opposites: HashMap::new() };
        for class in graph.classes().filter(|c| graph.facts(c.id).dtype.is_bool()) {
            for node in &class.nodes {
                let child = |i: usize| graph.find(node.children[i]);
                match node.op {
                    Op::Bin(BinOp::And) => {
                        logic.gates.entry(class.id).or_default().push(Gate::And(child(0), child(1)));
                    }
                    Op::Bin(BinOp::Or) => {
                        logic.gates.entry(class.id).or_default().push(Gate::Or(child(0), child(1)));
                    }
                    Op::Not => {
                        logic.opposites.insert(class.id, child(0));
                        logic.opposites.insert(child(0), class.id);
                    }
                    _ => {}
                }
            }
        }
        logic
    }

    /// Whether, if all of `given` hold, one of the conjunctions `cases` holds.
    pub(crate) fn covers(&self, given: &[Guard], cases: &[&[Guard]]) -> bool {
        let mut truths = Truths::new();
        if !given.iter().all(|guard| self.assume(&mut truths, guard.class, guard.truth)) {
            return true;
        }
        self.covered(&truths, cases, MAX_SPLITS)
    }

    fn covered(&self, truths: &Truths, cases: &[&[Guard]], splits: u32) -> bool {
        let holds = |case: &[Guard]| case.iter().all(|g| truths.get(&g.class) == Some(&g.truth));
        if cases.iter().any(|case| holds(case)) {
            return true;
        }
        // A case that may still hold says what to distinguish.
        let possible =
            |case: &&&[Guard]| case.iter().all(|g| truths.get(&g.class).is_none_or(|&t| t == g.truth));
        let undecided = cases
            .iter()
            .find(possible)
            .and_then(|case| case.iter().map(|g| g.class).find(|c| !truths.contains_key(c)));
        let Some(split) = undecided.filter(|_| splits > 0) else { return false };
        [true, false].into_iter().all(|truth| {
            let mut truths = truths.clone();
            !self.assume(&mut truths, split, truth) || self.covered(&truths, cases, splits - 1)
        })
    }

    /// Takes in a truth and what follows from it; `false` if that contradicts what is known.
    fn assume(&self, truths: &mut Truths, class: Id, truth: bool) -> bool {
        let mut pending = vec![(class, truth)];
        while let Some((c, truth)) = pending.pop() {
            match truths.insert(c, truth) {
                Some(known) if known != truth => return false,
                Some(_) => continue,
                None => {}
            }
            pending.extend(self.opposites.get(&c).map(|&o| (o, !truth)));
            // Of all gates that are decided: operands may follow now.
            for (gate, &value) in truths.iter() {
                for gate in self.gates.get(gate).into_iter().flatten() {
                    let (a, b, neutral) = match *gate {
                        Gate::And(a, b) => (a, b, true),
                        Gate::Or(a, b) => (a, b, false),
                    };
                    if value == neutral {
                        pending.extend(
                            [(a, neutral), (b, neutral)].into_iter().filter(|(x, _)| !truths.contains_key(x)),
                        );
                    } else if truths.get(&a) == Some(&neutral) && !truths.contains_key(&b) {
                        pending.push((b, !neutral));
                    } else if truths.get(&b) == Some(&neutral) && !truths.contains_key(&a) {
                        pending.push((a, !neutral));
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_condition_implies_its_parts_and_arms_cover_each_other() {
        let [a, b, both, neither] = [1, 2, 3, 4].map(Id::from);
        let is = |class: Id, truth: bool| Guard { class, truth, firm: true };
        let logic = Logic {
            gates: [(both, vec![Gate::And(a, b)])].into_iter().collect(),
            opposites: [(neither, both), (both, neither)].into_iter().collect(),
        };
        assert!(logic.covers(&[is(both, true)], &[&[is(a, true), is(b, true)]]));
        assert!(logic.covers(&[is(neither, false)], &[&[is(b, true)]]));
        let arms: [&[Guard]; 2] = [&[is(a, true), is(b, false)], &[is(a, false)]];
        assert!(logic.covers(&[is(both, false)], &arms));
        assert!(logic.covers(&[], &[&[is(a, true)], &[is(a, false)]]));
        assert!(!logic.covers(&[is(both, false)], &arms[..1]));
        assert!(!logic.covers(&[is(a, true)], &[&[is(both, true)]]));
        assert!(!logic.covers(&[], &arms));
    }
}
