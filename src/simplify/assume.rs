//! Conditions as facts.

use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// Takes a condition as a fact; of a conjunction (or a false disjunction) each part. A fact that reads memory holds
/// until something may write there.
pub(crate) fn assume(known: &mut Known, cond: &Expr, truth: bool) {
    // A part that has an effect may write what another one read before it.
    assume_parts(known, cond, truth, !cond.has_effect());
}

/// As [`assume`]; without `memory` no part that reads memory.
pub(crate) fn assume_parts(known: &mut Known, cond: &Expr, truth: bool, memory: bool) {
    if !cond.dtype.is_bool() || !cond.dtype.is_scalar() {
        return;
    }
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) if truth => {
            assume_parts(known, a, truth, memory);
            assume_parts(known, b, truth, memory);
        }
        ExprKind::Binary(BinOp::Or, a, b) if !truth => {
            assume_parts(known, a, truth, memory);
            assume_parts(known, b, truth, memory);
        }
        _ => {
            if let Some(("likely", [inner])) = cond.as_intrin() {
                assume_parts(known, inner, truth, memory);
            } else if let ExprKind::Not(inner) = &cond.kind {
                assume_parts(known, inner, !truth, memory);
            } else if is_statement_of_values(cond)
                && cond.as_int().is_none()
                && (memory || !cond.reads_memory())
            {
                known.learn(cond.clone(), truth);
            }
        }
    }
}

/// Whether a condition speaks of values and buffers only: no effects, and no bindings of its own.
fn is_statement_of_values(cond: &Expr) -> bool {
    let mut plain = !cond.has_effect();
    cond.walk(&mut |e| plain &= !matches!(e.kind, ExprKind::Let(..)));
    plain
}
