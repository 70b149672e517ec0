//! Loops split at multiples that are not known to start with them: `(x + c) // d` for any `c` that the loop does not change.
//!
//! The outer loop runs over the values of `(x + c) // d`, the inner one over the iterations that have it, which the ends of the
//! loop may cut short. Nothing is copied.

use super::copy::{copy, hollow};
use super::place::{Place, folded, plus};
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, Block, Expr, For, ForKind, PrimFunc, Stmt, StmtKind, Type};

/// A loop by what its variable and something else are divided by together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Aligned {
    by: Expr,
    shift: Expr,
    /// The quotient with which the loop starts, and how many there are.
    first: Expr,
    rows: Expr,
    /// Where the loop starts and ends, `shift` added.
    start: Expr,
    end: Expr,
}

/// The loop in rows of `by` iterations, the first of which starts where `shift` more than the variable is a multiple. `None` if
/// what the bounds take cannot be computed in front of the loop.
pub(super) fn aligned(place: &Place<'_>, atoms: &Atoms, l: &For, by: &Poly, shift: &Poly) -> Option<Aligned> {
    let dtype = l.min.dtype;
    let (by, shift) = (atoms.expr(by, dtype)?, atoms.expr(shift, dtype)?);
    if !place.is_free(&by) || !place.is_free(&shift) || !place.at_least(&by, 1) {
        return None;
    }
    let start = plus(l.min.clone(), shift.clone());
    let end = plus(start.clone(), l.extent.clone());
    let first = folded(BinOp::FloorDiv, start.clone(), by.clone());
    let less = folded(BinOp::Sub, by.clone(), Expr::int(1, dtype));
    let last = folded(BinOp::FloorDiv, plus(end.clone(), less), by.clone());
    let rows = folded(BinOp::Sub, last.clone(), first.clone());
    // No row starts behind the last one.
    let starts = folded(BinOp::Mul, plus(last, Expr::int(1, dtype)), by.clone());
    let free = [&start, &end, &first, &rows, &starts].into_iter().all(|e| place.is_free(e));
    free.then_some(Aligned { by, shift, first, rows, start, end })
}

/// The loop as two.
pub(super) fn split(func: &mut PrimFunc, l: &For, to: &Aligned) -> Block {
    let dtype = l.min.dtype;
    let name = func.var(l.var).name.clone();
    let outer = func.new_var(format!("{name}_0"), Type::Prim(dtype));
    let inner = func.new_var(format!("{name}_1"), Type::Prim(dtype));
    let quotient = plus(to.first.clone(), func.var_expr(outer));
    let row = folded(BinOp::Mul, quotient, to.by.clone());
    let zero = Expr::int(0, dtype);
    let from = folded(BinOp::Max, folded(BinOp::Sub, to.start.clone(), row.clone()), zero.clone());
    let until = folded(BinOp::Min, folded(BinOp::Sub, to.end.clone(), row.clone()), to.by.clone());
    let extent = folded(BinOp::Sub, until, from.clone());
    let value = folded(BinOp::Sub, plus(row, func.var_expr(inner)), to.shift.clone());
    let body = copy(func, &l.body, &[(l.var, value)]);
    let short = For { var: inner, min: from, extent, body, step: None, kind: ForKind::Serial, ..hollow(l) };
    let body = vec![Stmt::new(StmtKind::For(Box::new(short)))];
    let rows = For { var: outer, min: zero, extent: to.rows.clone(), body, step: None, ..hollow(l) };
    vec![Stmt::new(StmtKind::For(Box::new(rows)))]
}
