//! What lies in `0 .. m` and is congruent to `N` modulo `m` is `N % m`: a sum with quotients loses them where its range is
//! small, as `M % 24 - 16` becomes `M % 8` where it is known to be one of `0 ..= 7`.

use egg::Id;

use crate::egraph::{Axiom, Graph, Knowing, Node, Poly, gcd};
use crate::ir::{BinOp, DType};
use crate::theory::build;

/// Puts the class as a remainder into it, if its quotients go so.
pub(super) fn offer(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let range = graph.facts(id).interval;
    let Some(most) = range.hi().filter(|_| range.at_least(0)) else { return };
    let quotients =
        poly.terms().iter().filter(|(m, _)| matches!(m[..], [atom] if graph.facts(atom).quotient));
    let common = quotients.fold(0, |common, (_, k)| gcd(common, *k));
    if common <= most {
        return;
    }
    // By a power of two if there is one: it takes no division.
    let power = 1i64 << common.trailing_zeros();
    let modulus = if power > most { power } else { common };
    let Some(dividend) = reduced(poly, modulus) else { return };
    let n = build(graph, &dividend, dtype);
    let m = graph.add(Node::int(modulus, dtype));
    let remainder = graph.add(Node::bin(BinOp::FloorMod, dtype, n, m));
    graph.union(id, remainder, Axiom::RemainderCongruent);
}

/// The polynomial without the terms that are multiples of `m`; its constant goes toward zero, so that the value stays
/// between two that are known to fit. `None` if no terms are left.
fn reduced(poly: &Poly, m: i64) -> Option<Poly> {
    let constant = Poly::constant(poly.const_term() % m);
    let rest = poly.filter(|monomial, k| !monomial.is_empty() && k % m != 0);
    if rest.terms().is_empty() { None } else { rest.add(&constant) }
}
