//! Quotients by constants among the atoms of polynomials.

use std::sync::Arc;

use egg::Id;

use crate::egraph::{Graph, Knowing, Monomial, Poly, poly_of};
use crate::ir::BinOp;

/// If the class is a quotient `N // c` by a positive constant: the normal form of `N`, and `c`.
pub(crate) fn quotient_of(graph: &Graph, class: Id) -> Option<(Arc<Poly>, i64)> {
    quotient_by(graph, class, BinOp::FloorDiv)
}

/// The same for truncating division.
pub(crate) fn truncated_quotient_of(graph: &Graph, class: Id) -> Option<(Arc<Poly>, i64)> {
    quotient_by(graph, class, BinOp::Div)
}

fn quotient_by(graph: &Graph, class: Id, division: BinOp) -> Option<(Arc<Poly>, i64)> {
    let class = graph.find(class);
    // Most are none, and to find the nodes of a class takes longer than to find its facts.
    if !graph.facts(class).quotient {
        return None;
    }
    graph[class].nodes.iter().find_map(|node| match node.as_bin() {
        Some((op, n, d)) if op == division => {
            let c = graph.facts(d).interval.as_point().filter(|&c| c > 1)?;
            let numerator = poly_of(graph, n);
            // `x = (c*x + r) // c` defines nothing.
            (!numerator.mentions(class)).then_some((numerator, c))
        }
        _ => None,
    })
}

/// `poly - q * (N - c * quotient)`, where the quotient is the monomial with coefficient `k = -q*c`, if that is
/// shorter. `N` does not hold the quotient.
pub(super) fn without_remainder(
    poly: &Poly,
    numerator: &Poly,
    monomial: &Monomial,
    k: i64,
    q: i64,
) -> Option<Poly> {
    let q = q.checked_neg()?;
    let (gained, lost) = poly.gained_and_lost(numerator, q);
    // The quotient's own term goes, too.
    if gained > lost {
        return None;
    }
    poly.add_scaled(numerator, q)?.add_scaled(&Poly::term(monomial.clone(), k), -1)
}
