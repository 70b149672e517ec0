//! What calls in an e-graph call.

use indexmap::IndexSet;

use super::graph::Graph;
use super::node::Op;
use crate::ir::{Call, Callee};

/// What [`Op::Call`] nodes call: calls without their arguments, each once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callees(IndexSet<Call>);

impl Callees {
    /// The index of a call's head.
    fn enter(&mut self, head: Call) -> u32 {
        u32::try_from(self.0.insert_full(head).0).expect("fewer than 2^32 callees")
    }

    /// The operator of calls of a head, of which the theory of the graph is told.
    pub(crate) fn operator(&mut self, graph: &mut Graph, head: Call) -> Op {
        let functions = &mut graph.analysis_mut().functions;
        let callee = self.enter(head);
        functions.note(callee, self.get(callee));
        Op::Call(callee)
    }

    /// The operator of calls of an intrinsic without keyword arguments.
    pub(crate) fn intrinsic(&mut self, graph: &mut Graph, name: &str) -> Op {
        let callee = Callee::Intrin(name.into());
        self.operator(graph, Call { callee, args: Vec::new(), kwargs: Vec::new() })
    }

    /// The head of an index.
    pub(crate) fn get(&self, index: u32) -> &Call {
        &self.0[index as usize]
    }

    /// The intrinsic's name, if it is one.
    pub(crate) fn name(&self, index: u32) -> Option<&str> {
        match &self.get(index).callee {
            Callee::Intrin(name) => Some(name),
            Callee::Global(_) => None,
        }
    }
}
