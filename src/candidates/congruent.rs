//! Remainders by way of other dividends: `(2*x + y) % 3` is `(11*x + y) % 3`, which costs less where `11*x + y` is needed as
//! well.

use egg::Id;

use super::vectors::lane_bound;
use crate::egraph::{Axiom, Graph, Knowing, Node, in_theory, is_full, poly_of, rebuild_if_changed};
use crate::ir::BinOp;

/// The most dividends that are compared with each other.
const MAX_DIVIDENDS: usize = 32;

/// Offers each remainder by a constant of the other dividends that differ by a multiple of it.
pub(super) fn offer(graph: &mut Graph, node_limit: usize) {
    let mut dividends: Vec<Id> = Vec::new();
    let mut remainders: Vec<(Id, Id, Id, i64)> = Vec::new();
    // The lanes of vectors are no code.
    let lanes = lane_bound(graph);
    for class in
        graph.classes().filter(|class| in_theory(graph.facts(class.id).dtype) && !lanes.contains(&class.id))
    {
        for node in &class.nodes {
            let Some((op @ (BinOp::FloorMod | BinOp::FloorDiv), dividend, divisor)) = node.as_bin() else {
                continue;
            };
            let Some(c) = graph.facts(divisor).interval.as_point().filter(|&c| c > 1) else { continue };
            let dividend = graph.find(dividend);
            dividends.push(dividend);
            if op == BinOp::FloorMod {
                remainders.push((class.id, dividend, divisor, c));
            }
        }
    }
    dividends.sort_unstable();
    dividends.dedup();
    if dividends.len() > MAX_DIVIDENDS {
        return;
    }
    remainders.sort_unstable();
    for (remainder, dividend, divisor, c) in remainders {
        let dtype = graph.facts(dividend).dtype;
        for &other in &dividends {
            if other == dividend || graph.facts(other).dtype != dtype || is_full(graph, node_limit) {
                continue;
            }
            let difference = poly_of(graph, other).sub(&poly_of(graph, dividend));
            if difference.is_some_and(|d| d.terms().iter().all(|(_, k)| k % c == 0)) {
                let same = graph.add(Node::bin(BinOp::FloorMod, dtype, other, divisor));
                graph.unite(remainder, same, Axiom::RemainderCongruent);
            }
        }
    }
    rebuild_if_changed(graph);
}
