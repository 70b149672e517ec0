//! Why two nodes of a graph are equal, read off its log.

use egg::{Id, Language};
use hashbrown::HashSet;
use indexmap::IndexSet;

use super::graph::Graph;
use super::log::Edge;
use super::reason::{Axiom, Reason};
use crate::ir::BinOp;

/// The unions of a graph as trees.
pub(crate) struct Proofs<'g> {
    graph: &'g Graph,
    edges: Vec<Edge>,
    /// Of each node, the edge to the node above it in its tree, and how far the root is.
    above: Vec<Option<Above>>,
    depth: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Above {
    node: u32,
    edge: u32,
}

/// One step between two nodes that are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProofStep {
    /// The nodes.
    pub from: Id,
    pub to: Id,
    /// Why they are equal.
    pub reason: Reason,
    /// When they were united: the number of the union.
    pub time: u32,
}

impl<'g> Proofs<'g> {
    /// Those of a graph; `None` if it has no log.
    pub(crate) fn new(graph: &'g Graph) -> Option<Proofs<'g>> {
        let edges = graph.analysis.log.as_ref()?.borrow().edges.clone();
        let nodes = graph.nodes().len();
        let mut of_node: Vec<Vec<(u32, u32)>> = vec![Vec::new(); nodes];
        for (number, edge) in (0..).zip(&edges) {
            of_node[edge.a as usize].push((edge.b, number));
            of_node[edge.b as usize].push((edge.a, number));
        }
        let (mut above, mut depth) = (vec![None; nodes], vec![u32::MAX; nodes]);
        for root in 0..nodes {
            if depth[root] != u32::MAX {
                continue;
            }
            depth[root] = 0;
            let mut open = vec![root];
            while let Some(node) = open.pop() {
                for &(other, edge) in &of_node[node] {
                    let next = other as usize;
                    if depth[next] == u32::MAX {
                        depth[next] = depth[node] + 1;
                        above[next] = Some(Above { node: node as u32, edge });
                        open.push(next);
                    }
                }
            }
        }
        Some(Proofs { graph, edges, above, depth })
    }

    /// The reasons of all unions, in their order.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = Reason> {
        self.edges.iter().map(|edge| edge.reason)
    }

    /// The expressions that stand somewhere, by their nodes, in the order of the graph's sites.
    pub(crate) fn roots(&self) -> Vec<Id> {
        self.graph.analysis.log.as_ref().map_or_else(Vec::new, |log| log.borrow().roots().to_vec())
    }

    /// The steps from one node to another; `None` if they are not equal.
    pub(crate) fn path(&self, from: Id, to: Id) -> Option<Vec<ProofStep>> {
        let (mut a, mut b) = (usize::from(from), usize::from(to));
        let (mut start, mut end) = (Vec::new(), Vec::new());
        while a != b {
            let up = if self.depth[a] >= self.depth[b] { &mut a } else { &mut b };
            let Above { node, edge } = self.above[*up]?;
            let reason = self.edges[edge as usize].reason;
            let (below, next) = (Id::from(*up), Id::from(node as usize));
            if std::ptr::eq(up, &a) {
                start.push(ProofStep { from: below, to: next, reason, time: edge });
                a = node as usize;
            } else {
                end.push(ProofStep { from: next, to: below, reason, time: edge });
                b = node as usize;
            }
        }
        end.reverse();
        start.append(&mut end);
        Some(start)
    }

    /// The operands that make two nodes equal by congruence: pairs that are equal by earlier unions.
    pub(crate) fn operands(&self, step: &ProofStep) -> Vec<(Id, Id)> {
        let (from, to) = (self.graph.id_to_node(step.from), self.graph.id_to_node(step.to));
        from.children().iter().copied().zip(to.children().iter().copied()).filter(|(a, b)| a != b).collect()
    }

    /// The reasons that it takes to get from one node to another, in the order of the steps: of a step by congruence those of
    /// its operands, of one by normal forms those by which their terms got these forms. At most `most` steps are looked at.
    /// `None` if the two are not equal.
    pub(crate) fn reasons(&self, from: Id, to: Id, most: usize) -> Option<Proof> {
        let mut proof = Proof::default();
        let mut seen: HashSet<(Id, Id)> = HashSet::new();
        let mut open = vec![(from, to)];
        let mut steps = 0;
        while let Some((a, b)) = open.pop() {
            for step in self.path(a, b)? {
                steps += 1;
                if steps > most {
                    proof.cut_off = true;
                    return Some(proof);
                }
                match step.reason {
                    Reason::Congruence => {
                        open.extend(self.operands(&step).into_iter().filter(|pair| seen.insert(*pair)));
                    }
                    reason => {
                        proof.reasons.insert(reason);
                        if reason == Reason::Axiom(Axiom::NormalForm) {
                            let last = proof.by_normal_form.map_or(step.time, |time| time.max(step.time));
                            proof.by_normal_form = Some(last);
                            open.extend(self.terms(&step).into_iter().filter(|pair| seen.insert(*pair)));
                        }
                    }
                }
            }
        }
        Some(proof)
    }

    /// The rules by which classes were united before a time.
    pub(crate) fn rules_before(&self, time: u32) -> impl Iterator<Item = u32> {
        self.edges[..time as usize].iter().filter_map(|edge| match edge.reason {
            Reason::Rule(number) => Some(number),
            _ => None,
        })
    }

    /// The terms of the two sums of a step by normal forms, each with what it was equal to before: the node above it, if that
    /// was known then.
    fn terms(&self, step: &ProofStep) -> Vec<(Id, Id)> {
        let mut found = Vec::new();
        let mut seen: HashSet<Id> = HashSet::new();
        let mut open = vec![step.from, step.to];
        while let Some(id) = open.pop() {
            let node = self.graph.id_to_node(id);
            if node.children.is_empty() || !seen.insert(id) || seen.len() > MAX_TERMS {
                continue;
            }
            match node.as_bin() {
                Some((BinOp::Add | BinOp::Sub | BinOp::Mul, a, b)) => open.extend([a, b]),
                _ => {
                    let above = self.above[usize::from(id)].filter(|above| above.edge < step.time);
                    found.extend(above.map(|above| (id, Id::from(above.node as usize))));
                }
            }
        }
        found
    }
}

/// The most parts of a sum that are looked at for its terms.
const MAX_TERMS: usize = 1_000;

/// What a proof takes.
#[derive(Debug, Default)]
pub(crate) struct Proof {
    /// The reasons but congruence, in the order of the steps.
    pub reasons: IndexSet<Reason>,
    /// When normal forms were found equal last: what made them so is found by their terms only.
    pub by_normal_form: Option<u32>,
    /// Whether there were too many steps.
    pub cut_off: bool,
}

impl Proof {
    /// The laws of the theory.
    pub(crate) fn axioms(&self) -> impl Iterator<Item = Axiom> {
        self.reasons.iter().filter_map(|reason| match reason {
            Reason::Axiom(axiom) => Some(*axiom),
            _ => None,
        })
    }

    /// The rules.
    pub(crate) fn rules(&self) -> impl Iterator<Item = u32> {
        self.reasons.iter().filter_map(|reason| match reason {
            Reason::Rule(number) => Some(*number),
            _ => None,
        })
    }
}
