//! The search for a plan: several to start from, and changes to each as long as one makes it cheaper.

use super::nest::World;
use super::plan::Plan;
use crate::cost::Cost;

/// A plan that the search started from or found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    /// What it is.
    pub name: &'static str,
    /// What it costs.
    pub cost: Cost,
}

/// What the search came to.
pub(crate) struct Outcome {
    pub plan: Plan,
    /// All plans that were compared.
    pub found: Vec<Found>,
    /// How many plans were looked at.
    pub evaluations: usize,
}

/// The cheapest plan that is found by looking at no more than `budget` of them; `None` if there is none at all.
pub(crate) fn search(world: &mut World<'_>, budget: usize) -> Option<Outcome> {
    let mut found = Vec::new();
    let mut evaluations = 0;
    let mut best: Option<Plan> = None;
    let starts: [(&str, &str, Option<Plan>); 2] = [
        ("every definition by itself", "from there", Plan::apart(world, |_| true)),
        ("everything inlined", "from there", Plan::apart(world, |_| false)),
    ];
    let count = starts.len();
    for (at, (start, end, plan)) in starts.into_iter().enumerate() {
        let Some(mut plan) = plan else { continue };
        found.push(Found { name: start, cost: plan.cost() });
        let limit = budget * (at + 1) / count;
        greedy(world, &mut plan, &mut evaluations, limit);
        if at == 0 {
            found.push(Found { name: "greedy inlining", cost: plan.cost() });
        }
        improve(world, &mut plan, &mut evaluations, limit);
        found.push(Found { name: end, cost: plan.cost() });
        if best.as_ref().is_none_or(|best| plan.cost() < best.cost()) {
            best = Some(plan);
        }
    }
    best.map(|plan| Outcome { plan, found, evaluations })
}

/// Inlines as long as that makes the plan cheaper.
fn greedy(world: &mut World<'_>, plan: &mut Plan, evaluations: &mut usize, limit: usize) {
    let mut changed = true;
    while changed {
        changed = false;
        for item in optional(world, plan) {
            if !plan.kept[item] {
                continue;
            }
            if *evaluations >= limit {
                return;
            }
            *evaluations += 1;
            let other = plan.without(world, item);
            changed |= take(plan, other);
        }
    }
}

fn optional(world: &World<'_>, plan: &Plan) -> Vec<usize> {
    let free = |at: &usize| world.items.list[*at].is_optional() && !plan.demanded[*at] && !plan.given[*at];
    (0..world.items.list.len()).filter(free).collect()
}

fn take(plan: &mut Plan, other: Option<Plan>) -> bool {
    match other {
        Some(other) if other.cost() < plan.cost() => {
            *plan = other;
            true
        }
        _ => false,
    }
}

/// Changes the plan as long as that makes it cheaper: items get and lose buffers, nests are merged and split,
/// and their loops change places.
pub(crate) fn improve(world: &mut World<'_>, plan: &mut Plan, evaluations: &mut usize, limit: usize) {
    let optional = optional(world, plan);
    loop {
        let mut changed = false;
        let mut from = 0;
        while from < plan.slots.len() {
            let mut to = 0;
            while to < plan.slots.len() && from < plan.slots.len() {
                if to != from && alike(plan, from, to) {
                    if *evaluations >= limit {
                        return;
                    }
                    *evaluations += 1;
                    let all: Vec<usize> = (0..plan.slots[from].nest.members.len()).collect();
                    let mut others = plan.moved(world, from, &all, to);
                    if all.len() > 1 {
                        for one in all {
                            *evaluations += 1;
                            others.extend(plan.moved(world, from, &[one], to));
                        }
                    }
                    // The first of the cheapest.
                    let best = others.into_iter().min_by_key(Plan::cost);
                    changed |= take(plan, best);
                }
                to += 1;
            }
            from += 1;
        }
        for &item in &optional {
            if *evaluations >= limit {
                return;
            }
            *evaluations += 1;
            let other = if plan.kept[item] { plan.without(world, item) } else { plan.with(world, item) };
            changed |= take(plan, other);
        }
        // Nests that may still be merged keep the order of their loops.
        for at in 0..plan.slots.len() {
            if changed || *evaluations >= limit {
                break;
            }
            *evaluations += 1;
            let mut others = plan.interchanged(world, at);
            others.extend(plan.realigned(world, at));
            *evaluations += others.len();
            let best = others.into_iter().min_by_key(Plan::cost);
            changed |= take(plan, best);
        }
        if !changed {
            return;
        }
    }
}

/// Whether two nests run over the same sizes.
fn alike(plan: &Plan, a: usize, b: usize) -> bool {
    let (a, b) = (&plan.slots[a].nest.loops, &plan.slots[b].nest.loops);
    a.len() == b.len()
        && !a.is_empty()
        && a.iter().all(|size| {
            let count = |sizes: &[super::stored::Size]| sizes.iter().filter(|other| *other == size).count();
            count(a) == count(b)
        })
}
