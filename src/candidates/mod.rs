//! Ways to write a polynomial as additions and multiplications: candidates for extraction.
//!
//! The theory decides which sums are equal; these functions put the ways of computing one that can pay into its
//! class, so that extraction can choose:
//!
//! - *outermost first*: terms ordered by the depth of the scope that they need, so that the invariant part of a
//!   sum is one subterm and can be hoisted, and a constant offset comes last, so that neighbours share the rest;
//! - *grouped by depth*: the terms of each depth summed on their own and added to what is further out, so that
//!   equal groups are shared between sums with different outer parts;
//! - *factored*: `a*x + b*x = (a + b)*x` and `c*x + c*y = c*(x + y)`, which gives Horner forms for nested sums;
//! - *remainders*: `k*N - k*c*(N // c) + R = k*(N % c) + R`, and of a group `k*x + q*(x // c) = (k*c + q)*(x // c) + k*(x % c)`;
//! - *written*: the input's own terms, outermost first ([`written`]);
//! - *reduced*: what is known to be small as a remainder ([`reduced`]);
//! - *congruent*: remainders of other dividends ([`congruent`]);
//! - *quotients* and *extrema* with terms of the sum around them taken in, or out of them ([`quotients`]).
//!
//! Comparisons get the ways in which their constant can stand ([`comparisons`]), classes of lanes the code for vectors
//! ([`vectors`]).
//!
//! Parts that several sums of a function have in common are found among the nodes that were chosen first, by
//! [`extract`](crate::extract).

mod comparisons;
mod congruent;
mod quotients;
mod reduced;
mod sums;
mod vectors;
pub(crate) mod written;

use egg::Id;

use crate::egraph::{self, Graph, Knowing, TheoryLevel, in_theory, is_full, poly_of, rebuild};
use crate::ir::DType;

/// Offers ways to write the sums and the comparisons of all classes, as long as the graph holds at most `node_limit`
/// nodes.
pub(crate) fn offer_all(graph: &mut Graph, node_limit: usize) {
    if graph.analysis.level < TheoryLevel::Full {
        return offer_sums(graph, node_limit);
    }
    offer_each(graph, node_limit, |graph, wanted| {
        graph.classes().filter(|class| wanted(graph.facts(class.id).dtype)).map(|class| class.id).collect()
    });
    congruent::offer(graph, node_limit);
}

/// As [`offer_all`], of the classes that some node of the roots needs.
pub(crate) fn offer_needed(graph: &mut Graph, roots: &[Id], node_limit: usize) {
    if graph.analysis.level < TheoryLevel::Full {
        return offer_sums(graph, node_limit);
    }
    offer_each(graph, node_limit, |graph, wanted| {
        let mut ids = egraph::needed(graph, roots);
        ids.retain(|&id| wanted(graph.facts(id).dtype));
        ids
    });
}

/// What is offered below the full theory: sums and products by their normal forms, if those are known.
fn offer_sums(graph: &mut Graph, node_limit: usize) {
    if graph.analysis.level == TheoryLevel::None {
        return;
    }
    let sums = graph.classes().filter(|class| in_theory(graph.facts(class.id).dtype));
    let mut ids: Vec<Id> = sums.map(|class| class.id).collect();
    ids.sort_unstable();
    for id in ids {
        if is_full(graph, node_limit) {
            break;
        }
        sums::offer(graph, id);
    }
    rebuild(graph);
}

/// `classes`: those of some types.
fn offer_each(graph: &mut Graph, node_limit: usize, classes: impl Fn(&Graph, fn(DType) -> bool) -> Vec<Id>) {
    let of_type = |graph: &Graph, wanted: fn(DType) -> bool| {
        let mut ids = classes(graph, wanted);
        ids.sort_unstable();
        ids
    };
    // The lanes of vectors are no code; operations on vectors are made of them.
    let lanes = vectors::lane_bound(graph);
    for id in of_type(graph, |dtype| dtype == DType::BOOL) {
        if is_full(graph, node_limit) {
            break;
        }
        if !lanes.contains(&id) {
            comparisons::offer(graph, id);
        }
    }
    for id in of_type(graph, in_theory) {
        if is_full(graph, node_limit) {
            break;
        }
        let terms = poly_of(graph, id).terms().len();
        graph.analysis.spend(terms);
        if lanes.contains(&id) {
            quotients::remainders(graph, id);
        } else {
            sums::offer(graph, id);
        }
    }
    rebuild(graph);
    vectors::offer(graph, node_limit);
}
