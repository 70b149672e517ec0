//! Conditions that TVM does not compile.
//!
//! For what holds under an `if` or in an arm of `T.if_then_else`, TVM's simplifier takes comparisons apart and brings what
//! is compared to one side. With variables of an unsigned type, their sums and products, that is a negative constant of
//! that type, at which TVM stops, and so it does where the constant on that side has no place in the type, as in
//! `m + n >= -2147483648`. Conversions and all other operations it leaves alone. A function without such conditions gets
//! none: `m < 4` is then written as `T.Cast("int32", m) < 4`, or `m < n` as `m | 0 < n`.

use super::mask::mask;
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, Kind, PrimFunc, Stmt, StmtKind};

/// Writes the conditions of `after` at which TVM would stop in another way, unless `before` has some: then it does not
/// compile as it is. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    if before.body.iter().any(stops) || !after.body.iter().any(stops) {
        return false;
    }
    hide_in_block(&mut after.body);
    true
}

/// Whether TVM would stop at a condition of the statement or within it.
fn stops(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| {
        if let StmtKind::If { cond, .. } = &stmt.kind {
            found |= has_exposed(cond);
        }
        stmt.for_each_expr(|root| root.walk(&mut |e| found |= condition(e).is_some_and(has_exposed)));
    });
    found
}

/// The condition of `T.if_then_else`.
fn condition(e: &Expr) -> Option<&Expr> {
    match e.as_intrin() {
        Some(("if_then_else", [cond, ..])) => Some(cond),
        _ => None,
    }
}

/// Whether one of the comparisons that a condition consists of stops TVM.
fn has_exposed(cond: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Binary(op, a, b) if op.is_logic() => has_exposed(a) || has_exposed(b),
        ExprKind::Not(of) => has_exposed(of),
        ExprKind::Binary(..) => is_exposed(cond),
        _ => matches!(cond.as_intrin(), Some(("likely", [of])) if has_exposed(of)),
    }
}

fn is_exposed(e: &Expr) -> bool {
    let ExprKind::Binary(op, a, b) = &e.kind else { return false };
    let is_constant = |e: &Expr| e.as_int().is_some();
    op.is_compare()
        && (a.dtype.kind == Kind::UInt || has_large_constant(a, b))
        && is_sum(a)
        && is_sum(b)
        && !(is_constant(a) && is_constant(b))
}

/// Whether the constants of a comparison of `int32` or narrower integers may have no place in their type on one side of it.
fn has_large_constant(a: &Expr, b: &Expr) -> bool {
    let Some((_, most)) = a.dtype.int_range() else { return false };
    let mut sum = 1;
    for side in [a, b] {
        side.walk(&mut |e| sum += e.as_int().map_or(0, |c| i128::from(c).abs()));
    }
    a.dtype.bits <= 32 && sum > most
}

/// Whether the expression is made of variables and constants by what TVM makes sums of.
fn is_sum(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Var(_) | ExprKind::Int(_) => true,
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul, a, b) => is_sum(a) && is_sum(b),
        // TVM writes one of them for it.
        ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) => a == b && is_sum(a),
        _ => false,
    }
}

fn hide_in_block(block: &mut Block) {
    for stmt in block {
        if let StmtKind::If { cond, .. } = &mut stmt.kind {
            hide(cond);
        }
        stmt.for_each_expr_mut(&mut hide_in_choices);
        stmt.for_each_block_mut(hide_in_block);
    }
}

fn hide_in_choices(e: &mut Expr) {
    if condition(e).is_some() {
        let mut first = true;
        e.for_each_child_mut(|part| {
            if std::mem::take(&mut first) {
                hide(part);
            }
        });
    }
    e.for_each_child_mut(hide_in_choices);
}

/// Writes the comparisons that a condition consists of so that TVM leaves them alone.
fn hide(cond: &mut Expr) {
    if is_exposed(cond) {
        let ExprKind::Binary(_, a, b) = &mut cond.kind else { return };
        return match (a.as_int(), b.as_int()) {
            (_, Some(c)) if a.dtype.bits <= 32 => widen(a, b, c),
            (Some(c), _) if a.dtype.bits <= 32 => widen(b, a, c),
            (Some(_), _) => mask(b),
            _ => mask(a),
        };
    }
    let is_condition = match &cond.kind {
        ExprKind::Binary(op, ..) => op.is_logic(),
        ExprKind::Not(_) => true,
        _ => matches!(cond.as_intrin(), Some(("likely", _))),
    };
    if is_condition {
        cond.for_each_child_mut(hide);
    }
}

/// Compares in a type with a sign that holds all values of the one without.
fn widen(e: &mut Expr, constant: &mut Expr, value: i64) {
    let wide = if e.dtype.bits < 32 { DType::I32 } else { DType::I64 };
    let narrow = std::mem::replace(e, Expr::bool(false));
    *e = Expr::cast(wide, narrow);
    *constant = Expr::int(value, wide);
}
