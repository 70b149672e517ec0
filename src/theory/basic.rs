//! What is left below the full theory: operations on constants, and the normal forms of sums and products.

use egg::Id;

use super::normalize::refresh;
use crate::egraph::{
    Class, Graph, Knowing, Node, Op, Reason, TheoryLevel, is_full, rebuild, rebuild_if_changed,
};

/// The most rounds; each folds what has become constant, a level of operations further up.
const MAX_ROUNDS: usize = 64;

/// Folds constants and unites classes of equal normal forms until nothing changes. Returns the rounds.
pub(super) fn run(graph: &mut Graph, node_limit: usize) -> usize {
    for round in 0..MAX_ROUNDS {
        rebuild_if_changed(graph);
        let mut changed = graph.analysis.level >= TheoryLevel::Linear && refresh(graph);
        changed |= fold(graph);
        if !changed || is_full(graph, node_limit) {
            rebuild_if_changed(graph);
            return round + 1;
        }
    }
    rebuild(graph);
    MAX_ROUNDS
}

/// Whether the class holds a constant.
pub(crate) fn has_constant(class: &Class) -> bool {
    class.nodes.iter().any(|node| matches!(node.op, Op::Int(_)))
}

/// Unites classes with the values of operations on constants that they hold.
fn fold(graph: &mut Graph) -> bool {
    let folds = |node: &Node| {
        !node.children.is_empty() && node.children.iter().all(|&c| has_constant(&graph[graph.find(c)]))
    };
    let mut found: Vec<(Id, i64)> = graph
        .classes()
        .filter(|class| !has_constant(class) && class.nodes.iter().any(folds))
        .filter_map(|class| Some((class.id, graph.facts(class.id).interval.as_point()?)))
        .collect();
    found.sort_unstable();
    let mut changed = false;
    for (class, value) in found {
        let dtype = graph.facts(class).dtype;
        let constant = graph.add(Node::int(value, dtype));
        changed |= graph.unite(class, constant, Reason::Fold);
    }
    changed
}
