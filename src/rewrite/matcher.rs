//! A graph as patterns see it: what stands at the roots of its classes, and which operands commute.

use egg::Id;

use crate::egraph::{Callees, Classes, Graph, Node, Op, TheoryLevel};
use crate::ir::value::MathFn;
use crate::ir::{BinOp, Commutes, DType};
use crate::rules::{Head, Heads, Pat, Rule, RuleOp};
use crate::theory;

/// What most patterns fail by.
#[derive(Clone)]
pub(super) struct Summary {
    /// What the nodes of the class have at their roots.
    pub(super) heads: Heads,
    /// The value of a constant class; none for what `i64` cannot hold, the upper half of `uint64`, whose constants are
    /// kept as two's complement bits.
    constant: Option<i64>,
}

pub(super) struct Matcher<'a> {
    pub(super) graph: Classes<'a>,
    callees: &'a Callees,
    /// Whether rules have to say what commutes, and every way in which they match counts.
    pub(super) plain: bool,
    /// Of each class, by its id.
    summaries: Vec<Summary>,
}

impl<'a> Matcher<'a> {
    pub(super) fn new(graph: &'a Graph, callees: &'a Callees) -> Matcher<'a> {
        let size = graph.classes().map(|c| usize::from(c.id) + 1).max().unwrap_or(0);
        let none = Summary { heads: Heads::EMPTY, constant: None };
        let mut matcher = Matcher {
            graph: Classes::new(graph),
            callees,
            plain: graph.analysis.level == TheoryLevel::None,
            summaries: vec![none; size],
        };
        for class in graph.classes() {
            let mut heads = Heads::EMPTY;
            class.nodes.iter().filter_map(|n| matcher.head(n)).for_each(|head| heads.insert(head));
            let constant = class.nodes.iter().find_map(|n| match n.op {
                Op::Int(v) if v.get() >= 0 || !n.dtype.is_uint() => Some(v.get()),
                _ => None,
            });
            matcher.summaries[usize::from(class.id)] = Summary { heads, constant };
        }
        matcher
    }

    pub(super) fn summary(&self, class: Id) -> &Summary {
        &self.summaries[usize::from(self.graph.find(class))]
    }

    /// What a pattern that matches this node has at its root.
    pub(super) fn head(&self, node: &Node) -> Option<Head> {
        if node.op == Op::Cast { Some(Head::CAST) } else { self.rule_op(node).map(Head::of) }
    }

    pub(super) fn rule_op(&self, node: &Node) -> Option<RuleOp> {
        Some(match &node.op {
            Op::Bin(op) => RuleOp::Bin(*op),
            Op::Not => RuleOp::Not,
            Op::Select => RuleOp::Select,
            Op::IfThenElse => RuleOp::IfThenElse,
            Op::Likely => RuleOp::Likely,
            Op::Ramp => RuleOp::Ramp,
            Op::Broadcast => RuleOp::Broadcast,
            Op::Call(callee) => RuleOp::of_intrinsic(self.callees.name(*callee)?)?,
            Op::Int(_)
            | Op::Float(_)
            | Op::Var(_)
            | Op::Cast
            | Op::Load(..)
            | Op::Lanes
            | Op::Lane(_)
            | Op::LaneOf
            | Op::Template(_) => return None,
        })
    }

    /// Whether the operands may be taken in either order; of `and` and `or` if neither can trap, since the left one
    /// may guard the right one.
    pub(super) fn commutes(&self, op: RuleOp, node: &Node) -> bool {
        let RuleOp::Bin(op) = op else { return false };
        !self.plain
            && match op.commutes() {
                Commutes::Always => true,
                Commutes::ExceptFloats => !node.dtype.is_float(),
                Commutes::AsValues => node.children.iter().all(|&c| theory::can_be_total(&self.graph, c)),
                Commutes::Never => false,
            }
    }

    /// Whether a class may match as far as operators at the root and constants tell.
    pub(super) fn may_match(&self, rule: &Rule, pat: &Pat, class: Id) -> bool {
        match pat {
            Pat::Hole(hole) => !rule.holes[*hole].constant || self.constant(class).is_some(),
            Pat::Int(value, _) => self.constant(class) == Some(*value),
            Pat::Bool(value) => self.constant(class) == Some(i64::from(*value)),
            Pat::Op(..) | Pat::Cast(..) => {
                Head::of_pattern(pat).is_some_and(|head| self.summary(class).heads.contains(head))
            }
            Pat::Float(..) => true,
            Pat::Fold(..) | Pat::Lanes => false,
        }
    }

    /// The value of a constant class; see [`Summary::constant`].
    pub(super) fn constant(&self, class: Id) -> Option<i64> {
        self.summary(class).constant
    }
}

/// What the call of an intrinsic computes in each lane, if it is a bit operation or a shift: between conditions these
/// are `and` and `or`.
pub(crate) fn in_lanes(callees: &Callees, callee: u32, dtype: DType) -> Option<Op> {
    match RuleOp::of_intrinsic(callees.name(callee)?)? {
        RuleOp::Math(MathFn::BitAnd) if dtype.is_bool() => Some(Op::Bin(BinOp::And)),
        RuleOp::Math(MathFn::BitOr) if dtype.is_bool() => Some(Op::Bin(BinOp::Or)),
        _ => Some(Op::Call(callee)),
    }
}
