//! The nodes of the input, found by their class.

use egg::{Id, Language};

use super::lowered::Lowered;
use crate::egraph::{ClassMap, Graph, Node};

/// The nodes of the input.
pub(crate) struct Originals<'a> {
    graph: &'a Graph,
    /// The last node of the input in each class, and for each node the one before in its class. A node's place among
    /// those of the graph is the identifier that it got.
    last: ClassMap<u32>,
    before: Vec<Option<u32>>,
}

impl<'a> Originals<'a> {
    /// The nodes of the input of a graph that does not grow meanwhile.
    pub(crate) fn new(lowered: &'a Lowered) -> Originals<'a> {
        let graph = &lowered.graph;
        let mut last = ClassMap::new(graph);
        let count = u32::try_from(lowered.input_nodes).expect("fewer than 2^32 nodes");
        let before = (0..count).map(|i| last.insert(graph.find(Id::from(i as usize)), i)).collect();
        Originals { graph, last, before }
    }

    /// Whether a node of the class, with canonical operands, stands in the input.
    pub(crate) fn contain(&self, class: Id, node: &Node) -> bool {
        let mut next = self.last.get(class);
        while let Some(i) = next {
            let original = self.graph.id_to_node(Id::from(i as usize));
            let operands = original.children().iter().map(|&c| self.graph.find(c));
            if original.matches(node) && operands.eq(node.children().iter().copied()) {
                return true;
            }
            next = self.before[i as usize];
        }
        false
    }
}
