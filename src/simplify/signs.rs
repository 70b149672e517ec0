//! Signs that show without a proof: sums, products and quotients of what is not negative are not negative either. The
//! checks `0 <= e` that lowering leaves in great number need no more.

use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// Whether the condition is `0 <= e`, or says the same, and `e` is made of what is not negative. As in the e-graph, division
/// by zero gives 0 and a remainder by zero its dividend.
pub(super) fn holds_by_signs(known: &Known, cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Binary(BinOp::Le, zero, e) | ExprKind::Binary(BinOp::Ge, e, zero) => {
            zero.as_int() == Some(0) && is_not_negative(known, e)
        }
        _ => false,
    }
}

/// Whether no part of the expression can be negative.
fn is_not_negative(known: &Known, e: &Expr) -> bool {
    if !e.dtype.is_index() || !e.dtype.is_scalar() {
        return false;
    }
    match &e.kind {
        ExprKind::Int(value) => *value >= 0,
        ExprKind::Var(var) => known.ranges.get(var.index()).is_some_and(|range| range.at_least(0)),
        ExprKind::Binary(op, a, b) => {
            let kept = matches!(op, BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max) || op.is_division();
            kept && is_not_negative(known, a) && is_not_negative(known, b)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Interval;
    use crate::ir::{DType, VarId};

    fn var(i: u32) -> Expr {
        Expr::var(VarId(i), DType::I32)
    }

    #[test]
    fn what_is_made_of_what_is_not_negative_is_not_negative() {
        let known = Known { ranges: vec![Interval::NON_NEGATIVE, Interval::ALL].into(), ..Known::default() };
        let holds = |op: BinOp, a: Expr, b: Expr| holds_by_signs(&known, &Expr::binary(op, a, b));
        let zero = || Expr::int(0, DType::I32);
        let divided = |op: BinOp, a: Expr| Expr::binary(op, a, var(0) * var(0));
        assert!(holds(BinOp::Le, zero(), divided(BinOp::FloorDiv, var(0) + 3)));
        assert!(holds(BinOp::Ge, divided(BinOp::FloorMod, var(0)), zero()));
        assert!(!holds(BinOp::Le, zero(), divided(BinOp::FloorDiv, var(1))));
        assert!(!holds(BinOp::Le, zero(), divided(BinOp::FloorMod, var(0) - 1)));
        assert!(!holds(BinOp::Lt, zero(), var(0)), "it may be zero");
        assert!(!holds(BinOp::Le, Expr::int(1, DType::I32), var(0)));
        assert!(!holds(BinOp::Ge, zero(), var(0)));
        let wraps = Expr::var(VarId(0), DType::int(8));
        assert!(!holds(BinOp::Le, Expr::int(0, wraps.dtype), wraps.clone() + wraps), "this type wraps");
    }
}
