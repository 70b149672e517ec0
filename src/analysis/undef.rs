//! Values that are not defined: `T.undef()`, and what is computed from it.

use super::effects::node_effect;
use crate::ir::intrin::Effect;
use crate::ir::{BinOp, Expr, ExprKind};

/// Whether an expression may be any value of its type, whatever its other operands are.
pub(crate) fn always_undef(e: &Expr) -> bool {
    if e.is_undef() {
        return true;
    }
    let neutral = |e: &Expr| matches!(e.kind, ExprKind::Int(_));
    match &e.kind {
        // The constant may decide the value: `0 * T.undef()` is 0.
        ExprKind::Binary(op, a, b) if matches!(op, BinOp::Add | BinOp::Sub) || a.dtype.is_float() => {
            always_undef(a) || always_undef(b)
        }
        ExprKind::Binary(_, a, b) => (always_undef(a) && !neutral(b)) || (always_undef(b) && !neutral(a)),
        ExprKind::Cast(a) | ExprKind::Not(a) | ExprKind::Broadcast(a) => always_undef(a),
        ExprKind::Select(select) => always_undef(&select.then) && always_undef(&select.otherwise),
        ExprKind::Call(call) if call.is_lazy_select() => {
            always_undef(&call.args[1]) && always_undef(&call.args[2])
        }
        ExprKind::Call(call) => call.effect() == Effect::Pure && call.args.iter().any(always_undef),
        _ => false,
    }
}

/// Whether evaluating an expression may change memory or leave the function. `T.undef()` does not, nor reads it any.
pub(crate) fn acts(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        let effect = node_effect(e);
        found |= (effect.updates_state || effect.may_leave || effect.reads_state)
            && !matches!(e.as_intrin(), Some(("undef", [])));
    });
    found
}
