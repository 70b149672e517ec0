//! Exact choice of nodes for small problems: branch and bound.
//!
//! All ways to choose one node for each needed class are tried, classes in the order in which they become needed, but
//! for those that cannot be cheaper than the best found so far: every needed class is computed at least once, by one
//! of its nodes, in no scope further out than some choice of its operands allows. The cost of a complete choice is that
//! of its [placement](super::place), so the result is the best of all choices under the placement that the greedy search
//! uses, too.

use std::collections::BTreeSet;

use super::place::place;
use super::plan::Plan;
use super::selection::{Children, Index, Selection};
use super::selector::{Candidate, Selector};
use super::speculation::SpeculationSafety;
use super::traps::condition;
use crate::cost::{Cost, Frequency};
use crate::encode::{Lowered, Place};

/// What the search led to.
pub(super) struct Outcome {
    /// The best choice and its placement; absent if none is cheaper than what the search began with.
    pub(super) best: Option<(Selection, Plan)>,
    /// Whether nothing was left out: no choice is cheaper.
    pub(super) complete: bool,
}

/// How many steps there are between two looks at the clock.
const STEPS_PER_LOOK: usize = 64;

/// Looks for a choice that costs less than `cost`, in at most `steps` steps.
pub(super) fn search(
    selector: &mut Selector<'_>,
    lowered: &Lowered,
    evaluated: &SpeculationSafety<'_>,
    cost: Cost,
    steps: usize,
) -> Outcome {
    let roots = selector.roots(lowered);
    let bounds = Bounds::new(selector, lowered);
    (0..selector.classes()).for_each(|c| selector.choose(c, None));
    let known = vec![false; bounds.class.len()];
    let outcome = Outcome { best: None, complete: true };
    let needed = Vec::new();
    let mut search = Search { selector, lowered, evaluated, bounds, known, needed, steps, cost, outcome };
    let sum = search.need(&roots);
    search.descend(&roots, 0, sum);
    search.outcome
}

struct Search<'s, 'a> {
    selector: &'s mut Selector<'a>,
    lowered: &'s Lowered,
    evaluated: &'s SpeculationSafety<'s>,
    bounds: Bounds,
    /// Whether each class is needed by the choices so far; and those, in the order in which they came to be.
    known: Vec<bool>,
    needed: Vec<Index>,
    steps: usize,
    /// The least cost so far.
    cost: Cost,
    outcome: Outcome,
}

impl Search<'_, '_> {
    /// Adds classes to the needed ones; returns what the new ones cost at least.
    fn need(&mut self, classes: &[Index]) -> Cost {
        let mut sum = Cost::ZERO;
        for &c in classes {
            if !std::mem::replace(&mut self.known[c], true) {
                self.needed.push(c);
                sum += self.bounds.class[c];
            }
        }
        sum
    }

    /// The same of the operands of the choice for a class.
    fn need_operands(&mut self, class: Index) -> Cost {
        let operands: Children = self.selector.children(class).iter().map(|&c| c as Index).collect();
        self.need(&operands)
    }

    /// Decides the needed classes from the one at `at` on; all before it are decided. `bound` is what everything that is
    /// needed costs at least.
    fn descend(&mut self, roots: &[Index], at: usize, bound: Cost) {
        if self.steps == 0 {
            self.outcome.complete = false;
            return;
        }
        self.steps -= 1;
        if self.steps.is_multiple_of(STEPS_PER_LOOK) && self.lowered.graph.analysis.is_late() {
            self.steps = 0;
        }
        let Some(&class) = self.needed.get(at) else {
            self.complete(roots);
            return;
        };
        for k in 0..self.bounds.order[class].len() {
            let i = self.bounds.order[class][k];
            let bound = bound.saturating_sub(self.bounds.class[class]) + self.bounds.candidate[class][i];
            if bound >= self.cost {
                break;
            }
            let at_all = self.selector.range(class).start + i;
            if self.selector.depends(at_all, class) {
                continue;
            }
            self.selector.choose(class, Some(at_all));
            let length = self.needed.len();
            let bound = bound + self.need_operands(class);
            if bound < self.cost {
                self.descend(roots, at + 1, bound);
            }
            for c in self.needed.drain(length..) {
                self.known[c] = false;
            }
            self.selector.choose(class, None);
        }
    }

    /// Every needed class has its node: places them.
    fn complete(&mut self, roots: &[Index]) {
        let Some(order) = self.selector.update(roots) else { return };
        // To place it takes longest.
        if self.least(roots, &order) >= self.cost {
            return;
        }
        let Some(selection) = self.selector.finish(roots, &order) else { return };
        let Ok(plan) = place(self.lowered, self.evaluated, &selection, self.selector.objective) else {
            return;
        };
        if plan.rank < self.cost {
            self.cost = plan.rank;
            self.outcome.best = Some((selection, plan));
        }
    }

    /// What the choices for the needed classes, operands first, cost at least, wherever they are placed: each is computed
    /// where it is used, or bound where all that it needs is defined or further inside.
    fn least(&self, roots: &[Index], order: &[Index]) -> Cost {
        let selector = &*self.selector;
        let objective = selector.objective;
        let scopes = &self.lowered.scopes;
        // Of each class: how often all uses together run at least, and any place between one of them and where the class can
        // be bound first.
        let mut uses = vec![(Frequency::ZERO, Frequency::MAX); selector.classes()];
        let scope = |c: Index| selector.needs[c].scope;
        for (&root, site) in roots.iter().zip(&self.lowered.sites) {
            let (used, between) = &mut uses[root];
            *used += scopes.get(site.place.scope).frequency;
            *between = (*between).min(scopes.least_between(scope(root), site.place.scope));
        }
        let mut sum = Cost::ZERO;
        for &c in order.iter().rev() {
            let Some(chosen) = selector.chosen(c) else { continue };
            let operands = selector.operands(chosen);
            // What has no operands is never bound, and for free.
            if operands.is_empty() {
                continue;
            }
            let (used, between) = uses[c];
            let weight = chosen.price.rank;
            sum += (weight * used).min((weight + objective.binding()) * between);
            let frequency = used.min(between);
            for (i, operand) in operands.iter().map(|&k| k as Index).enumerate() {
                let lazy = condition(chosen.node, i).is_some();
                let further = scopes.least_between(scope(operand), scope(c));
                let (used, least) = &mut uses[operand];
                *used += if lazy { frequency * objective.branch() } else { frequency };
                *least = (*least).min(between).min(further);
            }
        }
        sum
    }
}

/// What computing each class, and each of its candidates, costs at least.
struct Bounds {
    class: Vec<Cost>,
    candidate: Vec<Vec<Cost>>,
    /// The candidates of each class that are worth a look, the least bound first.
    order: Vec<Vec<usize>>,
}

impl Bounds {
    fn new(selector: &Selector<'_>, lowered: &Lowered) -> Bounds {
        let outermost = outermost(selector, lowered);
        let frequencies = lowered.scopes.least_frequencies();
        let has_arms = selector.all_candidates().flatten().any(is_lazy);
        let least = |c: &Candidate<'_>| match needs(selector, c, &outermost, lowered) {
            // In an arm it may run more rarely than anything in the scope.
            Some(_) if has_arms => Cost::ZERO,
            Some(place) => c.price.rank * frequencies[place.scope.0 as usize],
            None => Cost::MAX,
        };
        let candidate: Vec<Vec<Cost>> =
            selector.all_candidates().map(|list| list.iter().map(least).collect()).collect();
        let class = candidate.iter().map(|c| c.iter().copied().min().unwrap_or(Cost::MAX)).collect();
        let order = selector
            .all_candidates()
            .zip(&candidate)
            .map(|(list, bounds)| worth_a_look(selector, list, bounds))
            .collect();
        Bounds { class, candidate, order }
    }
}

/// The candidates of a class by their bounds; of those with equal cost and the same operands only the first.
fn worth_a_look(selector: &Selector<'_>, candidates: &[Candidate<'_>], bounds: &[Cost]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..candidates.len()).filter(|&i| bounds[i] < Cost::MAX).collect();
    order.sort_by_key(|&i| (bounds[i], i));
    let mut seen = BTreeSet::new();
    order.retain(|&i| {
        let c = &candidates[i];
        let mut children = selector.operands(c).to_vec();
        children.sort_unstable();
        c.partial || is_lazy(c) || seen.insert((children, c.price.rank, c.own_needs))
    });
    order
}

/// The outermost place where each class can be computed by some choice; `None` if by none.
fn outermost(selector: &Selector<'_>, lowered: &Lowered) -> Vec<Option<Place>> {
    let mut places: Vec<Option<Place>> = vec![None; selector.classes()];
    let key = |p: Place| (lowered.scopes.get(p.scope).depth, p.position);
    loop {
        let mut changed = false;
        for c in (0..places.len()).rev() {
            for candidate in selector.candidates(c) {
                if let Some(place) = needs(selector, candidate, &places, lowered)
                    && places[c].is_none_or(|known| key(place) < key(known))
                {
                    places[c] = Some(place);
                    changed = true;
                }
            }
        }
        if !changed {
            return places;
        }
    }
}

/// From where on a candidate can be computed, given that of its operands.
fn needs(
    selector: &Selector<'_>,
    candidate: &Candidate<'_>,
    places: &[Option<Place>],
    lowered: &Lowered,
) -> Option<Place> {
    let own = Some(candidate.own_needs);
    selector.operands(candidate).iter().fold(own, |p, &c| Some(lowered.scopes.later(p?, places[c as Index]?)))
}

/// Whether a candidate evaluates an operand only under a condition.
fn is_lazy(candidate: &Candidate<'_>) -> bool {
    (0..candidate.node.children.len()).any(|i| condition(candidate.node, i).is_some())
}
