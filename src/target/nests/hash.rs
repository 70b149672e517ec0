//! Hashes of expressions, by which equal ones are known.

use crate::ir::{Expr, ExprKind, VarId};

/// A number for the operation at the root of an expression.
pub(super) fn tag(e: &Expr) -> u64 {
    let bits = u64::from(e.dtype.bits) << 32 | u64::from(e.dtype.lanes);
    let kind = match &e.kind {
        ExprKind::Binary(op, ..) => 100 + *op as u64,
        ExprKind::Not(_) => 20,
        ExprKind::Cast(_) => 21,
        ExprKind::Select(_) => 22,
        ExprKind::Load { buffer, .. } => 1_000 + u64::from(buffer.0),
        ExprKind::Call(_) => {
            e.as_intrin().map_or(23, |(name, _)| name.bytes().fold(24, |h, b| mix(h, b.into())))
        }
        _ => 30,
    };
    mix(bits, kind)
}

/// A hash of an expression of which variables have these numbers.
pub(super) fn hash_by(e: &Expr, number: &mut impl FnMut(VarId) -> u64) -> u64 {
    let mut hash = match &e.kind {
        ExprKind::Var(var) => mix(1, number(*var)),
        ExprKind::Int(value) => mix(2, *value as u64),
        ExprKind::Float(bits) => mix(3, *bits),
        _ => tag(e),
    };
    e.for_each_child(|part| hash = mix(hash, hash_by(part, number)));
    hash
}

/// A hash of two numbers that is the same on every machine.
pub(super) fn mix(a: u64, b: u64) -> u64 {
    let x = (a ^ b.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (x ^ (x >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB) ^ (x >> 32)
}
