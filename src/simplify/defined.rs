//! What the evaluation of an expression itself guarantees: its divisors are not zero, or nothing is promised.

use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{BinOp, DType, Expr, ExprKind};

/// The conditions `divisor != 0` for the integer divisions that are evaluated whenever `e` is: not those in arms that
/// may be skipped.
pub(super) fn conditions(e: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    collect(e, &mut found);
    found
}

fn collect(e: &Expr, found: &mut Vec<Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or, a, _) if e.dtype.is_scalar() => collect(a, found),
        ExprKind::Call(call) if call.is_lazy_select() => collect(&call.args[0], found),
        ExprKind::Binary(op, a, b) => {
            if op.is_division() && is_index(b.dtype) && b.as_int().is_none() && !reads_or_has_side_effects(b)
            {
                let condition = Expr::binary(BinOp::Ne, (**b).clone(), Expr::int(0, b.dtype));
                if !found.contains(&condition) {
                    found.push(condition);
                }
            }
            collect(a, found);
            collect(b, found);
        }
        ExprKind::Let(..) => {}
        _ => e.for_each_child(|c| collect(c, found)),
    }
}

fn is_index(dtype: DType) -> bool {
    dtype.is_index() && dtype.is_scalar()
}
