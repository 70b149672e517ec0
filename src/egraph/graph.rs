//! The e-graph with what is known of its classes.

use std::ops::Deref;
use std::sync::Arc;

use egg::{EClass, EGraph, Id};

use super::analysis::FactAnalysis;
use super::facts::Facts;
use super::node::Node;
use super::poly::Poly;
use super::reason::Reason;
use super::table::Held;

/// The graph as egg has it. It unites classes without a reason, so that only this module sees it.
pub(super) type RawGraph = EGraph<Node, FactAnalysis>;

/// The e-graph of a function. What reads it reads egg's graph; it changes by the methods here alone, so that no two classes
/// are united without a [`Reason`].
#[derive(Default)]
pub(crate) struct Graph(RawGraph);

/// A class of such a graph.
pub(crate) type Class = EClass<Node, Held>;

/// A graph with what is known of its classes.
pub(crate) trait Knowing {
    /// What is known of a class.
    fn facts(&self, id: Id) -> &Facts;
}

impl Knowing for RawGraph {
    fn facts(&self, id: Id) -> &Facts {
        &self.analysis.facts[self.find(id)]
    }
}

impl Graph {
    /// An empty graph with this state of the analysis.
    pub(crate) fn new(analysis: FactAnalysis) -> Graph {
        Graph(RawGraph::new(analysis))
    }

    /// The state of the analysis, to be changed.
    pub(crate) fn analysis_mut(&mut self) -> &mut FactAnalysis {
        &mut self.0.analysis
    }

    /// Adds a node; its class.
    pub(crate) fn add(&mut self, node: Node) -> Id {
        let exact = self.0.add_uncanonical(node);
        let class = self.0.find(exact);
        if let Some(log) = &mut self.0.analysis.log {
            log.get_mut().added(class, exact);
        }
        class
    }

    /// What is united next is about this node of the class, whose operands are canonical: so the log will say.
    pub(crate) fn about(&mut self, class: Id, node: &Node) {
        // A node that is there is not added again, and what is said of it is its number.
        if self.0.analysis.log.is_some() && self.0.lookup(node.clone()).is_some() {
            let exact = self.0.add_uncanonical(node.clone());
            if let Some(log) = &mut self.0.analysis.log {
                log.get_mut().about(class, exact);
            }
        }
    }

    /// Notes in the log that an expression of this class, which was added just now, stands somewhere.
    pub(crate) fn root(&mut self, class: Id) {
        if let Some(log) = &mut self.0.analysis.log {
            log.get_mut().root(class);
        }
    }

    /// Whether unions are noted.
    pub(crate) fn is_logged(&self) -> bool {
        self.analysis.log.is_some()
    }

    /// Unites two classes; whether they were two. The graph is to be rebuilt if they were.
    pub(crate) fn unite(&mut self, a: Id, b: Id, reason: impl Into<Reason>) -> bool {
        self.find(a) != self.find(b) && unite_raw(&mut self.0, a, b, reason.into())
    }

    /// Unites two classes as [`unite`](Graph::unite) does; the graph is to be rebuilt in any case.
    pub(crate) fn union(&mut self, a: Id, b: Id, reason: impl Into<Reason>) -> bool {
        unite_raw(&mut self.0, a, b, reason.into())
    }

    /// Sets what is known of a class, and has it spread.
    pub(crate) fn set_facts(&mut self, id: Id, facts: Facts) {
        let id = self.find(id);
        *self.0.analysis.facts.get_mut(id) = facts;
        self.0.set_analysis_data(id, Held::of(id));
    }

    /// egg's graph, to be rebuilt.
    pub(super) fn raw_mut(&mut self) -> &mut RawGraph {
        &mut self.0
    }
}

impl Deref for Graph {
    type Target = RawGraph;

    fn deref(&self) -> &RawGraph {
        &self.0
    }
}

/// The only place where classes are united, but for egg's own unions by congruence.
pub(super) fn unite_raw(graph: &mut RawGraph, a: Id, b: Id, reason: Reason) -> bool {
    let (a, b) = match &mut graph.analysis.log {
        Some(log) => log.get_mut().begin(a, b, reason),
        None => (a, b),
    };
    graph.union(a, b)
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
