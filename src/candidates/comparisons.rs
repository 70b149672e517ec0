//! Ways to write comparisons: the constant on either side, strict or not, and with remainders for what the sum holds of
//! `N - c * (N // c)`.

use egg::Id;

use crate::egraph::{Axiom, Graph, Knowing, Node, Poly, in_theory, poly_of};
use crate::ir::{BinOp, DType};
use crate::theory::compare::{normal, reduced, sides};
use crate::theory::{build, remainders_in};

/// Puts the ways to write the comparisons of a class into it.
pub(super) fn offer(graph: &mut Graph, id: Id) {
    let comparison = graph[id].nodes.iter().find_map(|node| {
        node.as_bin().filter(|(op, a, _)| op.is_compare() && in_theory(graph.facts(*a).dtype))
    });
    let Some((op, a, b)) = comparison else { return };
    let dtype = graph.facts(a).dtype;
    let Some(difference) = poly_of(graph, a).sub(&poly_of(graph, b)) else { return };
    if let Some((kind, sum)) = normal(op, &difference) {
        let sum = reduced(graph, kind, sum);
        ways(graph, id, kind, &sum, dtype);
    }
    for with_remainders in remainders_in(graph, &difference, dtype) {
        if let Some((kind, sum)) = normal(op, &with_remainders) {
            ways(graph, id, kind, &sum, dtype);
        }
    }
}

/// Puts the ways to write `sum kind 0` into its class.
fn ways(graph: &mut Graph, id: Id, kind: BinOp, sum: &Poly, dtype: DType) {
    let Some((left, right, constant)) = sides(sum, kind) else { return };
    let mut ways: Vec<(BinOp, Poly, Poly)> = Vec::new();
    let shifted = |p: &Poly, k: Option<i64>| k.and_then(|k| p.add(&Poly::constant(k)));
    let mut way = |op, a: Option<Poly>, b: Option<Poly>| ways.extend(a.zip(b).map(|(a, b)| (op, a, b)));
    way(kind, Some(left.clone()), shifted(&right, Some(constant)));
    way(kind, shifted(&left, constant.checked_neg()), Some(right.clone()));
    if kind == BinOp::Le {
        let strict = constant.checked_add(1);
        way(BinOp::Lt, Some(left.clone()), shifted(&right, strict));
        way(BinOp::Lt, shifted(&left, strict.and_then(i64::checked_neg)), Some(right.clone()));
    }
    for (op, a, b) in ways {
        let (a, b) = (build(graph, &a, dtype), build(graph, &b, dtype));
        let node = graph.add(Node::bin(op, dtype, a, b));
        graph.unite(id, node, Axiom::ComparisonNormalForm);
    }
}
