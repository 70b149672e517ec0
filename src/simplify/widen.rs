//! Conversions of sums and products to a wider type, taken apart.
//!
//! What the expression itself computes does not overflow, so `int64(i + j)` is `int64(i) + int64(j)` where the
//! expression says it: all parts of the sum have a place in `int32`, and what 64 bits hold of them does not overflow
//! either. The other way round that does not hold; so the e-graph, in which equality has no direction, is not told.

use crate::ir::{BinOp, Expr, ExprKind};

/// The expression with conversions from `int32` to `int64` at the operands of sums, differences and products, if there
/// are such conversions.
pub(super) fn widened(e: &Expr) -> Option<Expr> {
    let mut wide = e.clone();
    take_apart(&mut wide).then_some(wide)
}

fn take_apart(e: &mut Expr) -> bool {
    let apart = distributed(e);
    let mut changed = apart.is_some();
    if let Some(apart) = apart {
        *e = apart;
    }
    e.for_each_child_mut(|child| changed |= take_apart(child));
    changed
}

/// A conversion of an operation as the operation on converted operands.
fn distributed(e: &Expr) -> Option<Expr> {
    let ExprKind::Cast(inner) = &e.kind else { return None };
    let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub | BinOp::Mul), a, b) = &inner.kind else {
        return None;
    };
    let widens = |e: &Expr, inner: &Expr| {
        e.dtype.is_index() && inner.dtype.is_index() && inner.dtype.bits < e.dtype.bits
    };
    if !widens(e, inner) {
        return None;
    }
    let wide = |operand: &Expr| match operand.as_int() {
        Some(v) if e.dtype.is_scalar() => Expr::int(v, e.dtype),
        _ => Expr { dtype: e.dtype, kind: ExprKind::Cast(Box::new(operand.clone())) },
    };
    Some(Expr::binary(*op, wide(a), wide(b)))
}
