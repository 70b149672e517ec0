//! Vectors, lane by lane.
//!
//! A vector class holds [`Op::Lanes`] of a scalar class: its value in lane `l`, with [`Op::Lane`] for `l`. A broadcast
//! is its operand, a ramp is `base + l * stride`, an operation works on the lanes of its operands; what is not known
//! to work lane by lane is an atom ([`Op::LaneOf`]). So everything that the theory and the rules know of scalars,
//! with `0 <= l < lanes`, holds for vectors, and vectors of equal lanes are one class by congruence.
//!
//! These nodes are not code. [`offer`] puts into the classes what can be: broadcasts of lanes without `l`, ramps of
//! those that are linear in it, operations on vectors for the rest.

use egg::{Id, Language};
use hashbrown::HashSet;

use super::sums::build;
use crate::egraph::{Graph, Knowing, Monomial, Node, Op, in_theory, poly_of, rebuild};
use crate::ir::{BinOp, DType};

/// How deep the lanes of operands are looked for; what is deeper is an atom.
const MAX_DEPTH: u32 = 200;

/// Puts the lanes of a vector node into its class; whether the graph changed.
pub(super) fn step(graph: &mut Graph, id: Id, node: &Node) -> bool {
    if node.op == Op::Lanes
        || opaque(node) && lanes_in(graph, id).is_some()
        || !worth_it(graph, node, MAX_FLOATS)
    {
        return false;
    }
    let lane = lane_of_node(graph, id, node, MAX_DEPTH);
    let lanes = graph.add(Node::new(Op::Lanes, node.dtype, [lane]));
    graph.union(id, lanes)
}

/// Puts the lanes of calls of bit operations and shifts into their classes, operands first; `in_lanes` tells what such a
/// call of a type does there. The theory does not know callees, so these steps are done for it.
pub(crate) fn look_into_calls(graph: &mut Graph, in_lanes: impl Fn(u32, DType) -> Option<Op>) {
    let of_call = |node: &Node| match node.op {
        Op::Call(callee) => in_lanes(callee, node.dtype),
        _ => None,
    };
    let mut calls: Vec<(Id, Node, Op)> = graph
        .classes()
        .filter(|c| !graph.facts(c.id).dtype.is_scalar())
        .flat_map(|c| c.nodes.iter().filter_map(|node| Some((c.id, node.clone(), of_call(node)?))))
        .collect();
    if calls.is_empty() {
        return;
    }
    calls.sort_unstable();
    for (id, node, op) in calls {
        let children: Vec<Id> = node.children.iter().map(|&c| lane_of(graph, c, MAX_DEPTH)).collect();
        let lane = graph.add(Node::new(op, node.dtype.scalar(), children));
        let lanes = graph.add(Node::new(Op::Lanes, node.dtype, [lane]));
        graph.union(id, lanes);
    }
    rebuild(graph);
}

/// How deep float operations are looked into for what is known of their lanes.
const MAX_FLOATS: u32 = 4;

/// Whether to look at the lanes. Of floats little is known, so only those are looked at that are made of integers,
/// broadcasts and constants.
fn worth_it(graph: &Graph, node: &Node, depth: u32) -> bool {
    !node.dtype.is_float()
        || !opaque(node)
            && depth > 0
            && node.children.iter().all(|&c| {
                let class = &graph[graph.find(c)];
                graph.facts(class.id).dtype.is_scalar()
                    || !graph.facts(class.id).dtype.is_float()
                    || class.nodes.iter().any(|n| worth_it(graph, n, depth - 1))
            })
}

/// Whether the node is not known to work lane by lane.
fn opaque(node: &Node) -> bool {
    !matches!(
        node.op,
        Op::Broadcast | Op::Ramp | Op::Bin(_) | Op::Not | Op::Cast | Op::Select | Op::Likely | Op::Lanes
    )
}

/// The scalar class that a vector class is known by.
fn lanes_in(graph: &Graph, class: Id) -> Option<Id> {
    graph[graph.find(class)].nodes.iter().find(|n| n.op == Op::Lanes).map(|n| graph.find(n.children[0]))
}

/// The value of a class in lane `l`; a scalar is the same in all.
fn lane_of(graph: &mut Graph, class: Id, depth: u32) -> Id {
    let class = graph.find(class);
    if graph.facts(class).dtype.is_scalar() {
        return class;
    }
    if let Some(lane) = lanes_in(graph, class) {
        return lane;
    }
    let node = graph[class].nodes.iter().find(|n| !opaque(n)).cloned().filter(|_| depth > 0);
    match node {
        Some(node) => lane_of_node(graph, class, &node, depth - 1),
        None => lane_atom(graph, class),
    }
}

fn lane_atom(graph: &mut Graph, class: Id) -> Id {
    let dtype = graph.facts(class).dtype.scalar();
    graph.add(Node::new(Op::LaneOf, dtype, [class]))
}

fn lane_of_node(graph: &mut Graph, class: Id, node: &Node, depth: u32) -> Id {
    let dtype = node.dtype.scalar();
    match (&node.op, &node.children[..]) {
        (Op::Broadcast, &[x]) => x,
        (Op::Ramp, &[base, stride]) => {
            let lane = graph.add(Node::new(Op::Lane(node.dtype.lanes), dtype, []));
            let offset = graph.add(Node::bin(BinOp::Mul, dtype, stride, lane));
            graph.add(Node::bin(BinOp::Add, dtype, base, offset))
        }
        _ if opaque(node) => lane_atom(graph, class),
        (op, children) => {
            let lanes: Vec<Id> = children.iter().map(|&c| lane_of(graph, c, depth)).collect();
            graph.add(Node::new(op.clone(), dtype, lanes))
        }
    }
}

/// The classes that no term without [`Op::Lane`] or [`Op::LaneOf`] computes.
pub(crate) fn lane_bound(graph: &Graph) -> HashSet<Id> {
    let has_lanes = graph.classes().any(|c| c.nodes.iter().any(Node::is_virtual));
    if !has_lanes {
        return HashSet::new();
    }
    let mut bound: HashSet<Id> = graph.classes().map(|c| c.id).collect();
    loop {
        let free: Vec<Id> = graph
            .classes()
            .filter(|c| bound.contains(&c.id))
            .filter(|c| {
                let free = |id: Id| !bound.contains(&graph.find(id));
                let is_free = |n: &Node| !n.is_virtual() && n.children.iter().all(|&child| free(child));
                // A sum that does not depend on the lane can be built, even if no node of it stands there yet.
                let normal_form = graph.facts(c.id).poly.as_ref().filter(|p| p.as_atom().is_none());
                c.nodes.iter().any(is_free) || normal_form.is_some_and(|p| p.atoms().into_iter().all(free))
            })
            .map(|c| c.id)
            .collect();
        if free.is_empty() {
            return bound;
        }
        for id in free {
            bound.remove(&id);
        }
    }
}

/// Puts vector code into the classes of lanes.
pub(crate) fn offer(graph: &mut Graph, node_limit: usize) {
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
            graph.union(class, broadcast);
            return class;
        }
        if let Some(ramp) = self.ramp(graph, lane, scalar, lanes) {
            graph.union(class, ramp);
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
                graph.union(class, node.children[0]);
            } else if works {
                let vector = node.map_children(|c| self.vector_of(graph, c, lanes, depth - 1));
                let vector = graph.add(Node { dtype, ..vector });
                graph.union(class, vector);
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
