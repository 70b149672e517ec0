//! Divisions: which are corrected for signs, which are constants, and what compares quotients.

use egg::Id;

use super::signs::{Signs, divides_slowly};
use super::unrolled::Unrolled;
use crate::egraph::{Classes, Knowing, Node, Op};
use crate::ir::BinOp;
use crate::target::Reason;

/// The reason that speaks for or against a quotient or remainder by a constant that is no power of two.
pub(super) fn of_slow(
    graph: &Classes<'_>,
    unrolled: &Unrolled<'_>,
    signs: &Signs<'_>,
    node: &Node,
) -> Option<Reason> {
    let (_, dividend, divisor) = node.as_bin().filter(|(op, ..)| is_floor(*op))?;
    if !node.dtype.is_index() || !divides_slowly(graph, divisor) {
        return None;
    }
    if unrolled.folds(dividend) {
        Some(Reason::UnrolledDivision)
    } else {
        (!signs.are_seen(dividend)).then_some(Reason::CorrectedDivision)
    }
}

/// Whether the node is a comparison, or the opposite of one.
pub(super) fn compares(node: &Node) -> bool {
    matches!(node.op, Op::Not) || matches!(node.op, Op::Bin(op) if op.is_compare())
}

/// Whether the node is a quotient by a variable of such a quotient.
pub(super) fn is_nested(graph: &Classes<'_>, node: &Node) -> bool {
    let dividend = |node: &Node| match node.as_bin() {
        Some((BinOp::FloorDiv, a, b)) if graph.facts(b).interval.as_point().is_none() => Some(a),
        _ => None,
    };
    dividend(node).is_some_and(|a| graph[a].nodes.iter().any(|node| dividend(node).is_some()))
}

/// Whether the node is a floor division by a variable, or its remainder, of which only we know that no operand is negative.
pub(super) fn hides_signs(graph: &Classes<'_>, signs: &Signs<'_>, node: &Node) -> bool {
    let Some((op, dividend, divisor)) = node.as_bin() else { return false };
    let is_natural = |id: Id| graph.facts(id).interval.at_least(0);
    is_floor(op)
        && node.dtype.is_index()
        && graph.facts(divisor).interval.as_point().is_none()
        && is_natural(dividend)
        && is_natural(divisor)
        && !(signs.are_seen(dividend) && signs.are_seen(divisor))
}

pub(super) const fn is_floor(op: BinOp) -> bool {
    matches!(op, BinOp::FloorDiv | BinOp::FloorMod)
}
