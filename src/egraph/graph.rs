//! The e-graph with what is known of its classes.

use std::sync::Arc;

use egg::{EClass, EGraph, Id};

use super::analysis::FactAnalysis;
use super::facts::Facts;
use super::node::Node;
use super::poly::Poly;
use super::table::Held;

/// The e-graph of a function.
pub(crate) type Graph = EGraph<Node, FactAnalysis>;

/// A class of such a graph.
pub(crate) type Class = EClass<Node, Held>;

/// A graph with what is known of its classes.
pub(crate) trait Knowing {
    /// What is known of a class.
    fn facts(&self, id: Id) -> &Facts;

    /// Sets what is known of a class, and has it spread.
    fn set_facts(&mut self, id: Id, facts: Facts);
}

impl Knowing for Graph {
    fn facts(&self, id: Id) -> &Facts {
        &self.analysis.facts[self.find(id)]
    }

    fn set_facts(&mut self, id: Id, facts: Facts) {
        let id = self.find(id);
        *self.analysis.facts.get_mut(id) = facts;
        self.set_analysis_data(id, Held::of(id));
    }
}

/// Whether the graph may not grow any more: it has more than `node_limit` nodes, its work or time is spent, or it contradicts
/// itself, so that nothing will be made of it.
pub(crate) fn is_full(graph: &Graph, node_limit: usize) -> bool {
    graph.total_size() > node_limit
        || graph.analysis.is_spent()
        || graph.analysis.is_late()
        || graph.analysis.contradicts()
}

/// The normal form of a class of index type: what is stored, or the class as an atom.
pub(crate) fn poly_of(graph: &Graph, id: Id) -> Arc<Poly> {
    let id = graph.find(id);
    graph.analysis.facts[id].poly.clone().unwrap_or_else(|| Arc::new(Poly::atom(id)))
}

/// The node with canonical operands.
pub(crate) fn canonical(graph: &Graph, mut node: Node) -> Node {
    for child in &mut node.children {
        *child = graph.find(*child);
    }
    node
}
