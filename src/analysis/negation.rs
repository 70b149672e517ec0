//! Conditions the other way round.

use crate::ir::{BinOp, Expr, ExprKind};

/// The negation of a condition; a comparison of integers becomes the opposite one.
pub(crate) fn negated(cond: Expr) -> Expr {
    match cond.kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::Binary(op, a, b) if op.is_compare() && a.dtype.is_integral() => {
            let opposite = match op {
                BinOp::Lt => BinOp::Ge,
                BinOp::Le => BinOp::Gt,
                BinOp::Gt => BinOp::Le,
                BinOp::Ge => BinOp::Lt,
                BinOp::Eq => BinOp::Ne,
                _ => BinOp::Eq,
            };
            Expr::binary(opposite, *a, *b)
        }
        kind => Expr::not(Expr { dtype: cond.dtype, kind }),
    }
}
