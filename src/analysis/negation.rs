//! Conditions the other way round.

use crate::ir::{BinOp, Expr, ExprKind};

/// The negation of a condition; a comparison of integers becomes the opposite one.
pub(crate) fn negated(cond: Expr) -> Expr {
    match cond.kind {
        ExprKind::Not(inner) => *inner,
        ExprKind::Binary(op, a, b) if a.dtype.is_integral() => match opposite(op) {
            Some(opposite) => Expr::binary(opposite, *a, *b),
            None => Expr::not(Expr { dtype: cond.dtype, kind: ExprKind::Binary(op, a, b) }),
        },
        kind => Expr::not(Expr { dtype: cond.dtype, kind }),
    }
}

/// The comparison that holds where another one of integers does not; `None` for an operator that compares nothing.
pub(super) fn opposite(op: BinOp) -> Option<BinOp> {
    Some(match op {
        BinOp::Lt => BinOp::Ge,
        BinOp::Le => BinOp::Gt,
        BinOp::Gt => BinOp::Le,
        BinOp::Ge => BinOp::Lt,
        BinOp::Eq => BinOp::Ne,
        BinOp::Ne => BinOp::Eq,
        _ => return None,
    })
}
