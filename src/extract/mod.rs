//! Extraction: which node computes each needed class, and where.
//!
//! Minimized is the cost that `cost` defines. With `N` the chosen nodes (one for each needed class `c`), `P(c)` the
//! places where `c` is bound, `U(c)` the places where it is computed inline, `w` weights and `f` frequencies:
//!
//! ```text
//! sum over c of ( sum over p in P(c) of (w(N(c)) + w(let)) * f(p)  +  sum over u in U(c) of w(N(c)) * f(u) )
//! ```
//!
//! [`select`] chooses the nodes, counting a shared class once at its best place: once from the cheapest trees, and once
//! from each way in which the sums of the function may share parts ([`shared`]). [`place`] then
//! decides for each class, exactly, where to bind and where to compute inline, given the places of its uses, and
//! refuses a choice that would evaluate what the input does not ([`speculation`]). What the compiler of the result makes of a
//! way to write an expression takes part in these choices, not in the cost that is reported
//! ([`Reason`](crate::target::Reason)). The cheapest plan is kept, of equally cheap ones the
//! first; for small problems a branch and bound over all choices looks for a cheaper one ([`Effort`], [`exact`]).
//!
//! The data come first: [`selection`] and [`plan`] are the results of choosing and placing, [`selector`] has all
//! candidates with the choice that is in place.

mod computed;
mod divisors;
mod exact;
mod guards;
mod improve;
mod place;
mod plan;
mod select;
mod selection;
mod selector;
mod shared;
mod speculation;
mod traps;

pub(crate) use plan::{Binding, Plan};
pub(crate) use select::select_trees;
pub(crate) use selection::Selection;
pub(crate) use speculation::safe_sites;

use crate::cost::{Cost, Profile};
use crate::encode::Lowered;
use crate::ir::opclass::OpClass;
use crate::target::{Model, Objective, Ties};
use divisors::{Strategy, Weights};
use selector::{Restriction, Selector};
use shared::Search;
use speculation::SpeculationSafety;

/// Up to this many e-nodes, all ways of looking for common parts are tried.
const SMALL: usize = 2_000;

/// Beyond so many, one way has to do.
const LARGE: usize = 20_000;

/// How much is done to find the cheapest choice.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::eqsat::Effort;
///
/// let module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32, y: T.int32):\n    A[0] = x * y + x * 5 + y * 5\n",
/// )?;
/// let cost = |effort| {
///     let options = Options { effort, ..Options::default() };
///     cse::run(&module, &options).map(|(_, report)| report.cost_after())
/// };
/// assert!(cost(Effort::Exact)? <= cost(Effort::Greedy)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Effort {
    /// Greedy search only.
    Greedy,
    /// Greedy search, and for small problems a short exact one.
    #[default]
    Auto,
    /// Greedy search, then a long exact one.
    Exact,
}

impl Effort {
    /// The steps of the exact search.
    const fn steps(self, classes: usize) -> usize {
        match self {
            Effort::Greedy => 0,
            Effort::Auto if classes <= AUTO_CLASSES => AUTO_STEPS,
            Effort::Auto => 0,
            Effort::Exact => EXACT_STEPS,
        }
    }
}

/// The size of problems that are small, in classes, and the steps of the exact search for them.
const AUTO_CLASSES: usize = 40;
const AUTO_STEPS: usize = 400;

/// The steps of the exact search if it is asked for.
const EXACT_STEPS: usize = 1_000_000;

/// How often nodes are chosen anew, without those that may not be evaluated where they would be; the last time without any
/// that the input does not have and that may overflow.
const MAX_REPAIRS: usize = 4;

/// Why there is no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unextracted {
    /// Every choice of nodes that was found would evaluate something that the input does not, and that may trap, or use
    /// a variable out of its scope.
    MayTrap,
    /// No acyclic choice of nodes was found.
    NoTerm,
}

/// A choice of nodes with its placement.
#[derive(Clone, Debug)]
pub(crate) struct Extracted {
    /// The nodes.
    pub selection: Selection,
    /// Where they are computed.
    pub plan: Plan,
    /// Whether no choice is cheaper, under this way to place it.
    pub optimal: bool,
    /// Whether the exact search ended before it had seen all choices.
    pub ended_early: bool,
}

/// The cheapest choice and placement that is found: from the cheapest trees and from what the sums of the function
/// have in common.
pub(crate) fn extract(
    lowered: &mut Lowered,
    profile: &Profile,
    model: Model,
    effort: Effort,
) -> Result<Extracted, Unextracted> {
    let objective = Objective { profile, model, ties: Ties::Input };
    let weights = Weights {
        add: profile.weight(OpClass::AddSub),
        mul: profile.weight(OpClass::Mul),
        shift: profile.weight(OpClass::MulPow2),
        bind: objective.binding(),
    };
    let first = select::select_trees(lowered, profile, Ties::Input).ok_or(Unextracted::NoTerm)?;
    let size = lowered.graph.total_size();
    let mut searches = vec![Search { expand: false, strategy: Strategy { factor: true, last: false } }];
    if size <= LARGE {
        searches.push(Search { expand: false, strategy: Strategy { factor: false, last: false } });
    }
    if lowered.graph.analysis.is_late() {
        searches.clear();
    } else if size <= SMALL {
        searches.extend([
            Search { expand: true, strategy: Strategy { factor: true, last: false } },
            // These come last: whether they are done depends on what the others find.
            Search { expand: true, strategy: Strategy { factor: true, last: true } },
            Search { expand: false, strategy: Strategy { factor: true, last: true } },
            Search { expand: false, strategy: Strategy { factor: false, last: true } },
        ]);
    }
    let hints = shared::offer(lowered, &first, weights, &searches);
    drop(first);
    lowered.rebuild();
    let lowered = &*lowered;
    let evaluated = SpeculationSafety::new(lowered);
    let mut restriction = Restriction::default();
    let mut greedy: Option<(Selection, Plan)> = None;
    let mut selector = Selector::new(lowered, objective, &restriction);
    for attempt in 1.. {
        let mut any = false;
        selector.select(lowered, &hints, |selection| {
            any = true;
            match place::place(lowered, &evaluated, &selection, objective) {
                // Of equally cheap ones the first.
                Ok(plan) if greedy.as_ref().is_none_or(|(_, best)| plan.rank < best.rank) => {
                    greedy = Some((selection, plan));
                }
                Ok(_) => {}
                Err(class) => {
                    restriction.classes.insert(lowered.graph.find(class));
                }
            }
        });
        if !any {
            return Err(Unextracted::NoTerm);
        }
        if greedy.is_some() || attempt > MAX_REPAIRS {
            break;
        }
        restriction.fitting = attempt == MAX_REPAIRS;
        selector = Selector::new(lowered, objective, &restriction);
    }
    let steps = effort.steps(selector.classes());
    if steps == 0 {
        let (selection, plan) = greedy.ok_or(Unextracted::MayTrap)?;
        return Ok(Extracted { selection, plan, optimal: false, ended_early: false });
    }
    let cost = greedy.as_ref().map_or(Cost::MAX, |(_, plan)| plan.rank);
    let found = exact::search(&mut selector, lowered, &evaluated, cost, steps);
    let (selection, plan) = found.best.or(greedy).ok_or(Unextracted::MayTrap)?;
    Ok(Extracted { selection, plan, optimal: found.complete, ended_early: !found.complete })
}
