//! Which expressions have to be evaluated exactly as often, and in the order, as they stand.

use crate::ir::{DType, Expr, ExprKind};

/// Whether the value of a `Bind` cannot be computed again later, or is no plain value.
pub(crate) fn reads_or_has_side_effects(e: &Expr) -> bool {
    let mut found = e.has_effect() || e.dtype == DType::HANDLE || e.dtype == DType::VOID;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Let(..)));
    found
}
