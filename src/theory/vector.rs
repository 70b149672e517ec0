//! Vectors, lane by lane.
//!
//! A vector class holds [`Op::Lanes`] of a scalar class: its value in lane `l`, with [`Op::Lane`] for `l`. A broadcast
//! is its operand, a ramp is `base + l * stride`, an operation works on the lanes of its operands; what is not known
//! to work lane by lane is an atom ([`Op::LaneOf`]). So everything that the theory and the rules know of scalars,
//! with `0 <= l < lanes`, holds for vectors, and vectors of equal lanes are one class by congruence.
//!
//! These nodes are not code. [`candidates`](crate::candidates) puts into the classes what can be.

use egg::Id;

use crate::egraph::{Axiom, Graph, Knowing, Node, Op, rebuild};
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
    graph.union(id, lanes, Axiom::Lanes)
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
        graph.union(id, lanes, Axiom::Lanes);
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
