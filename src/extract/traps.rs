//! What may trap: which operations of nodes, and on what.

use egg::Id;
use smallvec::SmallVec;

use crate::egraph::{Graph, Knowing, Node, Op, in_theory, poly_of};
use crate::encode::{Lowered, Trap, may_overflow};
use crate::ir::{BinOp, intrin};

/// What the operation of a node may trap on; empty if it cannot.
pub(crate) type Traps = SmallVec<[Trap; 1]>;

/// What the operation of a node of a class may trap on, given defined operands.
pub(crate) fn traps(lowered: &Lowered, class: Id, node: &Node) -> Traps {
    let graph = &lowered.graph;
    match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[_, divisor]) if op.is_division() && !node.dtype.is_float() => {
            let mut traps = zero_divisors(graph, divisor);
            if overflows(lowered, class, node) {
                traps.push(Trap::Overflow(graph.find(class)));
            }
            traps
        }
        (Op::Bin(_) | Op::Ramp, _) if overflows(lowered, class, node) => {
            Traps::from_iter([Trap::Overflow(graph.find(class))])
        }
        (Op::Load(..) | Op::Template(_), _) => Traps::from_iter([Trap::Node(node.clone())]),
        (Op::Call(callee), operands) => {
            let name = lowered.callees.name(*callee).unwrap_or_default();
            let may_trap = intrin::lookup(name).is_none_or(|row| row.may_trap);
            let amount = operands.get(1).map(|&c| graph.facts(c).interval);
            let bits = i64::from(node.dtype.bits);
            let total = matches!(name, "shift_left" | "shift_right")
                && amount.is_some_and(|a| a.at_least(0) && a.at_most(bits - 1));
            if may_trap && !total { Traps::from_iter([Trap::Node(node.clone())]) } else { Traps::new() }
        }
        _ => Traps::new(),
    }
}

/// Whether the operation of a node of a class may trap, given defined operands.
pub(crate) fn may_trap(lowered: &Lowered, class: Id, node: &Node) -> bool {
    match node.op {
        Op::Load(..) | Op::Template(_) => true,
        Op::Bin(op) if !op.is_division() => overflows(lowered, class, node),
        Op::Ramp => overflows(lowered, class, node),
        Op::Bin(_) | Op::Call(_) => !traps(lowered, class, node).is_empty(),
        _ => false,
    }
}

/// Whether the operation of a node of a class may overflow, for all that is known of the class.
pub(super) fn overflows(lowered: &Lowered, class: Id, node: &Node) -> bool {
    let makes_larger = match node.op {
        Op::Bin(op) if op.is_ring() => true,
        Op::Ramp => true,
        // Only the least value divided by -1 is none of the type.
        Op::Bin(BinOp::FloorDiv | BinOp::Div) => {
            lowered.graph.facts(scalar_of(&lowered.graph, node.children[1])).interval.contains(-1)
        }
        _ => false,
    };
    makes_larger && may_overflow(node.dtype) && !lowered.fits(class)
}

/// The value in every lane of a class, if it is a vector of equal ones; else the class.
fn scalar_of(graph: &Graph, class: Id) -> Id {
    let class = graph.find(class);
    let scalar = graph[class].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Broadcast, &[x]) => Some(graph.find(x)),
        _ => None,
    });
    scalar.unwrap_or(class)
}

/// The classes of which one is zero if the divisor is: its factors that are not proven non-zero.
pub(super) fn zero_divisors(graph: &Graph, divisor: Id) -> Traps {
    let divisor = scalar_of(graph, divisor);
    if nonzero(graph, divisor) {
        return Traps::new();
    }
    if in_theory(graph.facts(divisor).dtype)
        && let Some((monomial, _)) = poly_of(graph, divisor).as_term()
        && !monomial.is_empty()
    {
        let mut factors: Vec<Id> = monomial.iter().map(|&id| graph.find(id)).collect();
        factors.sort_unstable();
        factors.dedup();
        return factors.into_iter().filter(|&f| !nonzero(graph, f)).map(Trap::Zero).collect();
    }
    Traps::from_iter([Trap::Zero(divisor)])
}

fn nonzero(graph: &Graph, id: Id) -> bool {
    let data = graph.facts(id);
    graph[id].nodes.iter().any(|n| matches!(n.op, Op::Int(v) if v.get() != 0))
        || (data.dtype.is_index() && data.dtype.is_scalar() && !data.interval.contains(0))
}

/// The value of the first operand of a node for which operand `i` is evaluated; `None` if it always is. The operands of
/// templates have conditions of their own, see [`chosen_guards`].
pub(crate) fn condition(node: &Node, i: usize) -> Option<bool> {
    match (&node.op, i) {
        (Op::IfThenElse, 1) | (Op::Bin(BinOp::And), 1) => Some(true),
        (Op::IfThenElse, 2) | (Op::Bin(BinOp::Or), 1) => Some(false),
        _ => None,
    }
}
