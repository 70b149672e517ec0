//! Sums as the input writes them, outermost terms first.
//!
//! In normal form a remainder is `N - c * (N // c)`, so the forms that are made of normal forms have the terms of the dividend
//! among their own. Where the remainder itself is wanted, the terms next to it are to be hoisted all the same.

use egg::Id;
use hashbrown::HashSet;

use super::sums::MAX_FACTORED_TERMS;
use crate::egraph::{Axiom, Graph, Knowing, Monomial, Op, Poly, in_theory, is_full, rebuild_if_changed};
use crate::ir::BinOp;
use crate::theory::default_form;

/// Offers the sums of the input (its first `input_nodes` nodes) with remainders among their terms.
pub(crate) fn offer(graph: &mut Graph, input_nodes: usize, node_limit: usize) {
    for id in whole_sums(graph, input_nodes) {
        if is_full(graph, node_limit) {
            break;
        }
        let Some(terms) = terms(graph, id) else { continue };
        let is_remainder = |(m, _): &(Monomial, i64)| {
            let mut nodes = m.iter().flat_map(|&x| &graph[x].nodes);
            nodes.any(|n| matches!(n.op, Op::Bin(BinOp::FloorMod | BinOp::Mod)))
        };
        if terms.iter().any(is_remainder)
            && let Some(poly) = Poly::from_terms(terms)
        {
            let form = default_form(graph, &poly, graph.facts(id).dtype);
            graph.unite(id, form, Axiom::SumWritten);
        }
    }
    rebuild_if_changed(graph);
}

/// The sums that are no part of another one.
fn whole_sums(graph: &Graph, input_nodes: usize) -> Vec<Id> {
    let mut parts: HashSet<Id> = HashSet::new();
    let mut sums = Vec::new();
    for id in (0..input_nodes).map(Id::from) {
        let node = graph.id_to_node(id);
        if let Some((BinOp::Add | BinOp::Sub, a, b)) = node.as_bin()
            && in_theory(node.dtype)
        {
            parts.extend([a, b]);
            sums.push(id);
        }
    }
    sums.retain(|id| !parts.contains(id));
    sums
}

/// The terms of the sum, each a class with a coefficient; `None` if they are too many.
fn terms(graph: &Graph, sum: Id) -> Option<Vec<(Monomial, i64)>> {
    let mut terms = Vec::new();
    let mut open = vec![(sum, 1_i64)];
    while let Some((id, k)) = open.pop() {
        let node = graph.id_to_node(id);
        match (&node.op, node.as_bin()) {
            (Op::Int(v), _) => terms.push((Monomial::new(), k.checked_mul(v.get())?)),
            (_, Some((BinOp::Add, a, b))) => open.extend([(a, k), (b, k)]),
            (_, Some((BinOp::Sub, a, b))) => open.extend([(a, k), (b, k.checked_neg()?)]),
            (_, Some((BinOp::Mul, a, b))) => match graph.facts(b).interval.as_point() {
                Some(c) => open.push((a, k.checked_mul(c)?)),
                None => terms.push((Monomial::atom(graph.find(id)), k)),
            },
            _ => terms.push((Monomial::atom(graph.find(id)), k)),
        }
        if terms.len() + open.len() > MAX_FACTORED_TERMS {
            return None;
        }
    }
    Some(terms)
}
