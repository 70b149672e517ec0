//! Code for vectors, which [`theory::vector`](crate::theory::vector) knows by their lanes: broadcasts of lanes that do not
//! depend on their number, ramps of those that are linear in it, operations on vectors for the rest.

use egg::{Id, Language};
use hashbrown::HashSet;

use crate::egraph::{Axiom, Graph, Knowing, Monomial, Node, Op, in_theory, poly_of, rebuild};
use crate::ir::DType;
use crate::theory::build;

/// How deep the code of operands is built.
const MAX_DEPTH: u32 = 200;

/// The classes that no term without [`Op::Lane`] or [`Op::LaneOf`] computes.
pub(super) fn lane_bound(graph: &Graph) -> HashSet<Id> {
    let has_lanes = graph.classes().any(|c| c.nodes.iter().any(Node::is_virtual));
    if !has_lanes {
        return HashSet::new();
    }
    // Most operands are older than what is computed of them, so in the order of their numbers few rounds are enough.
    let mut ids: Vec<Id> = graph.classes().map(|c| c.id).collect();
    ids.sort_unstable();
    let mut bound: HashSet<Id> = ids.iter().copied().collect();
    loop {
        let before = ids.len();
        ids.retain(|&id| {
            let is_bound = !is_free(graph, id, &bound);
            if !is_bound {
                bound.remove(&id);
            }
            is_bound
        });
        if ids.len() == before {
            return bound;
        }
    }
}

/// Whether a class can be computed of others than those that are bound to lanes.
fn is_free(graph: &Graph, id: Id, bound: &HashSet<Id>) -> bool {
    let free = |id: Id| !bound.contains(&graph.find(id));
    let is_code = |n: &Node| !n.is_virtual() && n.children.iter().all(|&child| free(child));
    // A sum that does not depend on the lane can be built, even if no node of it stands there yet.
    let normal_form = graph.facts(id).poly.as_ref().filter(|p| p.as_atom().is_none());
    graph[id].nodes.iter().any(is_code) || normal_form.is_some_and(|p| p.atoms().into_iter().all(free))
}

/// Puts vector code into the classes of lanes.
pub(super) fn offer(graph: &mut Graph, node_limit: usize) {
    let mut vectors: Vec<(Id, DType)> = graph
        .classes()
        .filter(|c| !graph.facts(c.id).dtype.is_scalar())
        .flat_map(|c| c.nodes.iter())
        .filter(|n| n.op == Op::Lanes)
        .map(|n| (graph.find(n.children[0]), n.dtype))
        .collect();
    if vectors.is_empty() {
        return;
    }
    vectors.sort_unstable();
    let mut offering = Offering { bound: lane_bound(graph), seen: HashSet::new() };
    for (lane, dtype) in vectors {
        if graph.total_size() > node_limit {
            break;
        }
        offering.vector_of(graph, lane, dtype.lanes, MAX_DEPTH);
    }
    rebuild(graph);
}

/// The state of [`offer`].
struct Offering {
    /// The classes that depend on the lane.
    bound: HashSet<Id>,
    /// What has its code.
    seen: HashSet<(Id, u16)>,
}

impl Offering {
    /// The vector class of a scalar one, with the code for it.
    fn vector_of(&mut self, graph: &mut Graph, lane: Id, lanes: u16, depth: u32) -> Id {
        let lane = graph.find(lane);
        let scalar = graph.facts(lane).dtype;
        let dtype = scalar.with_lanes(lanes);
        let class = graph.add(Node::new(Op::Lanes, dtype, [lane]));
        if depth == 0 || !self.seen.insert((lane, lanes)) {
            return class;
        }
        if !self.bound.contains(&lane) {
            let broadcast = graph.add(Node::new(Op::Broadcast, dtype, [lane]));
            graph.union(class, broadcast, Axiom::Lanes);
            return class;
        }
        if let Some(ramp) = self.ramp(graph, lane, scalar, lanes) {
            graph.union(class, ramp, Axiom::Lanes);
            return class;
        }
        for node in graph[lane].nodes.clone() {
            // Of calls only those depend on the lane that work lane by lane. Between vectors `and` and `or` are calls.
            let works = match node.op {
                Op::Bin(op) => !op.is_logic(),
                Op::Not | Op::Cast | Op::Select | Op::Likely | Op::Call(_) => true,
                _ => false,
            };
            if node.op == Op::LaneOf {
                graph.union(class, node.children[0], Axiom::Lanes);
            } else if works {
                let vector = node.map_children(|c| self.vector_of(graph, c, lanes, depth - 1));
                let vector = graph.add(Node { dtype, ..vector });
                graph.union(class, vector, Axiom::Lanes);
            }
        }
        graph.find(class)
    }

    /// `B + S*l` as a ramp.
    fn ramp(&self, graph: &mut Graph, lane: Id, scalar: DType, lanes: u16) -> Option<Id> {
        if !in_theory(scalar) {
            return None;
        }
        let index = graph.lookup(Node::new(Op::Lane(lanes), scalar, []))?;
        let poly = poly_of(graph, lane);
        let of_lane = poly.filter(|m, _| m.contains(&index));
        let (stride, rest) = of_lane.split_by_term(&Monomial::atom(index), 1)?;
        let base = poly.sub(&of_lane)?;
        let depends =
            base.atoms().into_iter().chain(stride.atoms()).any(|a| self.bound.contains(&graph.find(a)));
        if depends || stride.terms().is_empty() || !rest.terms().is_empty() {
            return None;
        }
        let (base, stride) = (build(graph, &base, scalar), build(graph, &stride, scalar));
        Some(graph.add(Node::new(Op::Ramp, scalar.with_lanes(lanes), [base, stride])))
    }
}
