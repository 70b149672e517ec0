//! Operations on integers whose constants are folded.

use crate::ir::{BinOp, Expr};
use crate::script::fold;

/// `a + b`, constants folded.
pub(super) fn plus(a: Expr, b: Expr) -> Expr {
    folded(BinOp::Add, a, b)
}

/// The operation on two integers of one type, folded where that changes no value: constants whose result its type does not
/// hold stay.
pub(super) fn folded(op: BinOp, a: Expr, b: Expr) -> Expr {
    if matches!(op, BinOp::Min | BinOp::Max) && a == b {
        return a;
    }
    if a.as_int().is_none() || b.as_int().is_none() {
        return fold(op, &a, &b).unwrap_or_else(|| Expr::binary(op, a, b));
    }
    let e = Expr::binary(op, a, b);
    let value = crate::ir::value::evaluate(&e, &|_| None).and_then(|value| value.as_int());
    value.map_or_else(|| e.clone(), |value| Expr::int(value, e.dtype))
}
