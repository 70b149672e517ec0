//! The log of a graph: every union with its reason, from which it is read why two expressions are equal.
//!
//! A union is an edge between two nodes. One is noted only where it makes two classes one, so that the edges are a forest:
//! each class is a tree of it, and between two nodes of a class there is one way. An edge is between the nodes that the
//! reason speaks of where these are known, else between those that stood for their classes; both are equal by the edges
//! that were there before. So are the operands of two nodes that are equal by congruence.

use std::sync::{Arc, Mutex, PoisonError};

use egg::Id;
use indexmap::IndexMap;

use super::reason::Reason;

/// A union: two nodes, by their numbers, and why they are equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) reason: Reason,
}

/// What a node stands for: the class at the time, and the node.
#[derive(Clone, Copy, Debug)]
struct Known {
    class: Id,
    node: Id,
}

/// The unions of a graph.
#[derive(Debug)]
pub(crate) struct UnionLog {
    pub(super) edges: Vec<Edge>,
    /// Why the union that is being made is made.
    reason: Reason,
    /// The node that was added last, and the one that the theory or a rule works on.
    added: Option<Known>,
    about: Option<Known>,
    /// The expressions that stand somewhere, by their nodes.
    roots: Vec<Id>,
    /// Where the unions are counted when the graph goes.
    tally: Option<Arc<UnionTally>>,
}

impl UnionLog {
    pub(super) fn new(tally: Option<Arc<UnionTally>>) -> UnionLog {
        UnionLog {
            edges: Vec::new(),
            reason: Reason::Congruence,
            added: None,
            about: None,
            roots: Vec::new(),
            tally,
        }
    }

    /// Notes that two nodes of different classes are equal, for the reason of [`UnionLog::begin`] or by congruence.
    pub(super) fn note(&mut self, a: Id, b: Id, by_congruence: bool) {
        let reason = if by_congruence { Reason::Congruence } else { self.reason };
        let number = |id: Id| u32::try_from(usize::from(id)).expect("egg's numbers have 32 bits");
        self.edges.push(Edge { a: number(a), b: number(b), reason });
    }

    /// A union begins, of the classes of two nodes; the nodes that it is about.
    pub(super) fn begin(&mut self, a: Id, b: Id, reason: Reason) -> (Id, Id) {
        self.reason = reason;
        (node_of(a, [self.about, self.added]), node_of(b, [self.added]))
    }

    /// A node of a class was added, or found.
    pub(super) fn added(&mut self, class: Id, node: Id) {
        self.added = Some(Known { class, node });
    }

    /// What comes next is about a node of a class.
    pub(super) fn about(&mut self, class: Id, node: Id) {
        self.about = Some(Known { class, node });
    }

    /// An expression of this class was added last.
    pub(super) fn root(&mut self, class: Id) {
        self.roots.push(node_of(class, [self.added]));
    }

    /// The nodes of the expressions that stand somewhere, in the order in which they were added.
    pub(super) fn roots(&self) -> &[Id] {
        &self.roots
    }
}

/// The first of these nodes that stands for the class, or else the one by which the class is known.
fn node_of<const N: usize>(class: Id, known: [Option<Known>; N]) -> Id {
    known.into_iter().flatten().find(|known| known.class == class).map_or(class, |known| known.node)
}

impl Drop for UnionLog {
    fn drop(&mut self) {
        if let Some(tally) = &self.tally {
            tally.add(self.edges.iter().map(|edge| edge.reason));
        }
    }
}

/// How many unions of many graphs were made for each reason.
#[derive(Debug, Default)]
pub(crate) struct UnionTally(Mutex<IndexMap<Reason, u64>>);

impl UnionTally {
    fn add(&self, reasons: impl Iterator<Item = Reason>) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.for_each(|reason| *counts.entry(reason).or_default() += 1);
    }

    /// The counts of the graphs that are gone, by reason.
    pub(crate) fn counts(&self) -> Vec<(Reason, u64)> {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts: Vec<(Reason, u64)> = counts.iter().map(|(reason, count)| (*reason, *count)).collect();
        counts.sort_unstable();
        counts
    }
}
