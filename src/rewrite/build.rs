//! Right sides of rules, filled and put into the graph.

use egg::Id;

use super::conditions::resolve;
use super::matcher::Matcher;
use super::matching::Subst;
use crate::egraph::{Callees, Graph, Knowing, Node, Op};
use crate::ir::DType;
use crate::rules::{Pat, RuleOp};

/// A right side with its holes filled, not yet in the graph.
pub(super) enum Built {
    Class(Id),
    Node(BuiltOp, DType, Vec<Built>),
}

pub(super) enum BuiltOp {
    Op(Op),
    Call(&'static str),
}

impl Matcher<'_> {
    /// A right side with its holes filled, for this number of lanes; `None` if a constant cannot be computed.
    pub(super) fn fill(&self, pat: &Pat, subst: &Subst, lanes: u16) -> Option<Built> {
        // In a vector a constant is repeated in all lanes.
        let repeated = |op: Op, dtype: DType| {
            let scalar = Built::Node(BuiltOp::Op(op), dtype, Vec::new());
            match lanes {
                1 => scalar,
                _ => Built::Node(BuiltOp::Op(Op::Broadcast), dtype.with_lanes(lanes), vec![scalar]),
            }
        };
        let constant = |v: i64, dtype: DType| {
            let fits = dtype.int_range().is_some_and(|(lo, hi)| lo <= i128::from(v) && i128::from(v) <= hi);
            fits.then(|| repeated(Op::int(v), dtype))
        };
        match pat {
            Pat::Hole(hole) => subst.holes[*hole].map(Built::Class),
            Pat::Int(v, ty) => constant(*v, resolve(*ty, subst)?),
            Pat::Bool(v) => constant(i64::from(*v), DType::BOOL),
            Pat::Float(bits, ty) => Some(repeated(Op::float(*bits), resolve(*ty, subst)?)),
            Pat::Fold(term, ty) => {
                let dtype = resolve(*ty, subst)?;
                constant(self.term(term, subst)?.constant()?, dtype)
            }
            Pat::Cast(ty, arg) => {
                let arg = self.fill(arg, subst, lanes)?;
                let dtype = resolve(*ty, subst)?.with_lanes(lanes);
                Some(Built::Node(BuiltOp::Op(Op::Cast), dtype, vec![arg]))
            }
            Pat::Op(op, args) => {
                let inner = if matches!(op, RuleOp::Ramp | RuleOp::Broadcast) { 1 } else { lanes };
                let args: Vec<Built> =
                    args.iter().map(|a| self.fill(a, subst, inner)).collect::<Option<_>>()?;
                let operand = |i: usize| args.get(i).map(|b| self.built_type(b));
                let (op, dtype) = match op {
                    RuleOp::Bin(op) => {
                        let dtype = operand(0)?;
                        (BuiltOp::Op(Op::Bin(*op)), if op.is_compare() { dtype.to_bool() } else { dtype })
                    }
                    RuleOp::Not => (BuiltOp::Op(Op::Not), operand(0)?),
                    RuleOp::Likely => (BuiltOp::Op(Op::Likely), operand(0)?),
                    RuleOp::Select => (BuiltOp::Op(Op::Select), operand(1)?),
                    // It takes one arm for all lanes.
                    RuleOp::IfThenElse if operand(0)?.is_scalar() => {
                        (BuiltOp::Op(Op::IfThenElse), operand(1)?)
                    }
                    RuleOp::IfThenElse => return None,
                    RuleOp::Ramp => (BuiltOp::Op(Op::Ramp), operand(0)?.with_lanes(lanes)),
                    RuleOp::Broadcast => (BuiltOp::Op(Op::Broadcast), operand(0)?.with_lanes(lanes)),
                    RuleOp::Math(function) => (BuiltOp::Call(function.name()), operand(0)?),
                };
                Some(Built::Node(op, dtype, args))
            }
            Pat::Lanes => None,
        }
    }

    fn built_type(&self, built: &Built) -> DType {
        match built {
            Built::Class(id) => self.graph.facts(*id).dtype,
            Built::Node(_, dtype, _) => *dtype,
        }
    }
}

/// Puts a filled right side into the graph.
pub(super) fn add(graph: &mut Graph, callees: &mut Callees, built: &Built) -> Id {
    match built {
        Built::Class(id) => graph.find(*id),
        Built::Node(op, dtype, args) => {
            let children: Vec<Id> = args.iter().map(|a| add(graph, callees, a)).collect();
            let op = match op {
                BuiltOp::Op(op) => op.clone(),
                BuiltOp::Call(name) => callees.intrinsic(graph, name),
            };
            graph.add(Node::new(op, *dtype, children))
        }
    }
}
