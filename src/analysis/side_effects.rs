//! Which expressions have to be evaluated exactly as often, and in the order, as they stand.

use crate::ir::intrin::{self, Effect};
use crate::ir::{Call, Callee, DType, Expr, ExprKind};

/// Whether the value of a `Bind` cannot be computed again later, or is no plain value.
pub(crate) fn reads_or_has_side_effects(e: &Expr) -> bool {
    let mut found = e.has_effect() || e.dtype == DType::HANDLE || e.dtype == DType::VOID;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Let(..)));
    found
}

/// Whether the call is `T.if_then_else(c, a, b)`, which evaluates one of its arms.
pub(crate) fn is_lazy_select(call: &Call) -> bool {
    matches!(&call.callee, Callee::Intrin(name) if &**name == "if_then_else") && call.args.len() == 3
}

/// What a call does, by its callee.
pub(crate) fn effect_of_call(call: &Call) -> Effect {
    match &call.callee {
        Callee::Intrin(name) => intrin::effect(name),
        Callee::Global(_) => Effect::Opaque,
    }
}
