//! What is minimized, where nodes, placements and programs are compared.
//!
//! The *price* of a node is the weight of its operation, with what the target makes of it beyond that, and with next to nothing
//! that decides between equals. A choice of nodes and of their places has as its *rank* the sum of prices times frequencies,
//! that of the bindings included. All of it is exact ([`Weight`], [`Cost`]), so it does not matter in which order it is added up.
//!
//! The cost that is reported is the same sum of weights alone, and no result may cost more than its input: so programs are
//! compared by cost, and only among equals by what else makes them better ([`compare_programs`]).

use std::cmp::Ordering;

use egg::Id;

use super::llvm::{self, Penalties};
use super::{Model, Reason};
use crate::analysis::length;
use crate::cost::{Cost, Frequency, Profile, Weight};
use crate::egraph::{Classes, Knowing, Node, Op};
use crate::encode::Lowered;
use crate::ir::opclass::{OpClass, classify, classify_binary};
use crate::ir::{Expr, ExprKind, PrimFunc, VarId};

/// Added to the price of nodes that do not stand in the input: prefers the input's forms. In steps of a [`Weight`].
const NEW_NODE: u64 = 1 << 12;

/// Which of two expressions of equal cost is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The input's.
    Input,
    /// The one with fewer operations; of these the one with smaller constants; of these the input's.
    Shorter,
}

impl Ties {
    /// What a node costs beyond its weight.
    fn price(self, node: &Node, is_new: bool) -> Weight {
        let new = if is_new { NEW_NODE } else { 0 };
        Weight::of_steps(match (self, &node.op) {
            (Ties::Input, _) => new,
            (Ties::Shorter, Op::Int(v)) => {
                let bits = u64::BITS - v.get().unsigned_abs().leading_zeros();
                (NEW_NODE * u64::from(bits) + new / 8) / 64
            }
            (Ties::Shorter, _) if node.children.is_empty() => new / 512,
            (Ties::Shorter, _) => NEW_NODE + new / 512,
        })
    }
}

/// What is minimized for a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Objective<'a> {
    pub(crate) profile: &'a Profile,
    /// What counts of the compiler of the result.
    pub(crate) model: Model,
    pub(crate) ties: Ties,
}

/// What a node costs each time that it is computed, without its operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Price {
    /// What is reported: the weight of the operation.
    pub(crate) weight: Weight,
    /// What is minimized.
    pub(crate) rank: Weight,
}

impl Objective<'_> {
    /// What a binding costs.
    pub(crate) fn binding(&self) -> Weight {
        self.profile.weight(OpClass::Bind)
    }

    /// How often an operand is computed that is needed under a condition only.
    pub(crate) fn branch(&self) -> Frequency {
        self.profile.branch()
    }
}

/// The prices of the nodes of a function.
pub(crate) struct Prices<'a> {
    objective: Objective<'a>,
    lowered: &'a Lowered,
    graph: &'a Classes<'a>,
    penalties: Option<Penalties<'a>>,
}

impl<'a> Prices<'a> {
    pub(crate) fn new(objective: Objective<'a>, lowered: &'a Lowered, graph: &'a Classes<'a>) -> Prices<'a> {
        let penalties = Penalties::new(lowered, graph, objective.model);
        Prices { objective, lowered, graph, penalties }
    }

    /// The price of a node of `class`; `is_new` if it does not stand in the input.
    pub(crate) fn of(&self, class: Id, node: &Node, is_new: bool) -> Price {
        let weight = weight(self.lowered, self.graph, node, self.objective.profile);
        let penalty = self.penalties.as_ref().map_or(0, |penalties| penalties.of(class, node, is_new));
        // Nothing costs less than nothing, whatever the profile.
        let rank = weight.changed_by(penalty) + self.objective.ties.price(node, is_new);
        Price { weight, rank }
    }

    /// Whether the floor division is better written as one that truncates.
    pub(crate) fn truncates(&self, class: Id, node: &Node) -> bool {
        self.penalties.as_ref().is_some_and(|penalties| penalties.truncates(class, node))
    }

    /// The most that an address is executed that is computed from the class; zero if there is none.
    pub(crate) fn executed(&self, class: Id) -> Frequency {
        self.penalties.as_ref().map_or(Frequency::ZERO, |penalties| penalties.executed(class))
    }
}

/// The weight of the node's operation: that of an expression with its operator, on constants where its operands
/// are constants.
fn weight(lowered: &Lowered, graph: &Classes<'_>, node: &Node, profile: &Profile) -> Weight {
    if node.children.is_empty() && !matches!(node.op, Op::Call(_) | Op::Load(..)) {
        return Weight::ZERO;
    }
    let units = |(class, units): (OpClass, u64)| profile.weight(class).times(units);
    if let Some((op, a, b)) = node.as_bin() {
        let operand = if op.is_compare() { graph.facts(a).dtype } else { node.dtype };
        return units(classify_binary(op, operand, || constant(graph, a), || constant(graph, b)));
    }
    let operand = |id: Id| Expr::var(VarId(0), graph.facts(id).dtype);
    let mut it = node.children.iter().map(|&c| operand(c));
    let kind = match (&node.op, it.next(), it.next(), it.next()) {
        (Op::Not, Some(a), None, None) => ExprKind::Not(Box::new(a)),
        (Op::Cast, Some(a), None, None) => ExprKind::Cast(Box::new(a)),
        (Op::Select | Op::IfThenElse, Some(c), Some(a), Some(b)) => Expr::select(c, a, b).kind,
        (Op::Call(callee), ..) => ExprKind::Call(Box::new(lowered.callees.get(*callee).clone())),
        (Op::Load(buffer, _), ..) => ExprKind::Load { buffer: *buffer, indices: Box::default() },
        _ => return Weight::ZERO,
    };
    let shape = Expr { dtype: node.dtype, kind };
    classify(&shape).map_or(Weight::ZERO, units)
}

/// The constant that the class is in every lane.
fn constant(graph: &Classes<'_>, id: Id) -> Option<i64> {
    graph[id].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Int(v), _) => Some(v.get()),
        (Op::Broadcast, &[x]) => graph[x].nodes.iter().find_map(|n| match n.op {
            Op::Int(v) => Some(v.get()),
            _ => None,
        }),
        _ => None,
    })
}

/// How programs compare: by cost, then by length, then by how many divisions the compiler corrects for signs. The functions
/// come with their costs.
pub(crate) fn compare_programs(a: (&PrimFunc, Cost), b: (&PrimFunc, Cost), model: Model) -> Ordering {
    let corrected = |func| match model.has(Reason::TruncatedDivision) {
        true => llvm::floor_divisions(func),
        false => 0,
    };
    a.1.cmp(&b.1)
        .then_with(|| length::of(a.0).cmp(&length::of(b.0)))
        .then_with(|| corrected(a.0).cmp(&corrected(b.0)))
}
