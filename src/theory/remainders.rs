//! Polynomials written with remainders in place of `N - c * (N // c)`.

use std::sync::Arc;

use smallvec::SmallVec;

use super::quotients::{quotient_of, truncated_quotient_of, without_remainder};
use super::sums::build;
use crate::egraph::{Graph, Monomial, Node, Poly};
use crate::ir::{BinOp, DType};

/// The polynomial written with a remainder in place of `q * (N - c * (N // c))`, for each such part: the class of
/// the remainder stands as an atom, so these are terms to build and no normal forms.
pub(crate) fn remainders_in(graph: &mut Graph, poly: &Poly, dtype: DType) -> Vec<Poly> {
    poly.terms().iter().flat_map(|term| remainders_at(graph, poly, term, dtype)).collect()
}

/// The last one of [`remainders_in`].
pub(crate) fn last_remainder_in(graph: &mut Graph, poly: &Poly, dtype: DType) -> Option<Poly> {
    poly.terms().iter().rev().find_map(|term| remainders_at(graph, poly, term, dtype).pop())
}

/// The polynomial with a remainder in place of the part that ends in a term of it, which is a multiple of `N // c`.
fn remainders_at(
    graph: &mut Graph,
    poly: &Poly,
    (monomial, k): &(Monomial, i64),
    dtype: DType,
) -> SmallVec<[Poly; 2]> {
    let mut found = SmallVec::new();
    let [atom] = monomial[..] else { return found };
    let floor = quotient_of(graph, atom).map(|(n, c)| (n, c, BinOp::FloorMod));
    let trunc = || truncated_quotient_of(graph, atom).map(|(n, c)| (n, c, BinOp::Mod));
    let Some((numerator, c, op)) = floor.or_else(trunc) else { return found };
    if k % c != 0 {
        return found;
    }
    // N // c is also -((c - 1 - N) // c).
    let other = Poly::constant(c - 1).sub(&numerator).filter(|_| op == BinOp::FloorMod).map(Arc::new);
    for (numerator, sign) in [(Some(numerator), 1), (other, -1)] {
        let q = -(k / c) * sign;
        let Some(numerator) = numerator else { continue };
        let Some(rest) = without_remainder(poly, &numerator, monomial, *k, q) else { continue };
        let n = build(graph, &numerator, dtype);
        let divisor = graph.add(Node::int(c, dtype));
        let remainder = graph.add(Node::bin(op, dtype, n, divisor));
        found.extend(rest.add(&Poly::term(Monomial::atom(remainder), q)));
    }
    found
}
