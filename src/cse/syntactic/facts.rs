//! What statements say about divisors: expressions that are not zero where a block runs or after an assertion.
//!
//! A loop body runs only if the extent is positive; a product that is not zero has no factor that is zero (index
//! arithmetic does not overflow). These facts hold inside of the block only, and are used there only.

use crate::analysis::effects::lane_constant;
use crate::ir::{AttrNode, BinOp, Expr, ExprKind, Stmt, StmtKind};

/// Expressions that are not zero wherever block `index` of the statement runs.
pub(super) fn non_zero_in_block(stmt: &Stmt, index: usize) -> Vec<&Expr> {
    let mut found = Vec::new();
    match &stmt.kind {
        StmtKind::For(f) => at_least(&f.extent, 1, &mut found),
        StmtKind::LaunchThread { extent, .. } => at_least(extent, 1, &mut found),
        StmtKind::Attr { node: AttrNode::IterVar { .. }, key, value, .. } if &**key == "thread_extent" => {
            at_least(value, 1, &mut found);
        }
        StmtKind::If { cond, .. } if index == 0 => non_zero_if(cond, &mut found),
        StmtKind::If { cond, .. } => match &cond.kind {
            ExprKind::Binary(BinOp::Eq, a, b) if b.as_int() == Some(0) => factors(a, &mut found),
            _ => {}
        },
        StmtKind::While { cond, .. } => non_zero_if(cond, &mut found),
        StmtKind::SBlock(b) => b.predicate.iter().for_each(|cond| non_zero_if(cond, &mut found)),
        StmtKind::Attr { .. }
        | StmtKind::Bind { .. }
        | StmtKind::Store { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::Assert { .. }
        | StmtKind::Alloc { .. }
        | StmtKind::Decl { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => {}
    }
    found
}

/// Expressions that are not zero once control has passed the statement.
pub(super) fn non_zero_after(stmt: &Stmt) -> Vec<&Expr> {
    let mut found = Vec::new();
    if let StmtKind::Assert { cond, .. } = &stmt.kind {
        non_zero_if(cond, &mut found);
    }
    found
}

/// Expressions that are not zero if `cond` holds.
fn non_zero_if<'e>(cond: &'e Expr, found: &mut Vec<&'e Expr>) {
    if let Some(("likely", [inner])) = cond.as_intrin() {
        return non_zero_if(inner, found);
    }
    let ExprKind::Binary(op, a, b) = &cond.kind else { return };
    let constant = lane_constant;
    match op {
        BinOp::And => {
            non_zero_if(a, found);
            non_zero_if(b, found);
        }
        BinOp::Ne if b.as_int() == Some(0) => factors(a, found),
        BinOp::Ne if a.as_int() == Some(0) => factors(b, found),
        BinOp::Gt => constant(b).into_iter().for_each(|c| at_least(a, c.saturating_add(1), found)),
        BinOp::Ge => constant(b).into_iter().for_each(|c| at_least(a, c, found)),
        BinOp::Lt => constant(a).into_iter().for_each(|c| at_least(b, c.saturating_add(1), found)),
        BinOp::Le => constant(a).into_iter().for_each(|c| at_least(b, c, found)),
        _ => {}
    }
}

/// Collects what is not zero if the integer `e` is at least `least`.
fn at_least<'e>(e: &'e Expr, least: i64, found: &mut Vec<&'e Expr>) {
    if !e.dtype.is_index() || !e.dtype.is_scalar() {
        return;
    }
    if least > 0 {
        factors(e, found);
    }
    let ExprKind::Binary(op, a, b) = &e.kind else { return };
    let bound = match (op, b.as_int()) {
        (BinOp::Add, Some(c)) => least.checked_sub(c),
        (BinOp::Sub, Some(c)) => least.checked_add(c),
        (BinOp::FloorDiv, Some(c)) if c > 0 => least.checked_mul(c),
        (BinOp::Min, _) => {
            at_least(b, least, found);
            Some(least)
        }
        _ => None,
    };
    if let Some(bound) = bound {
        at_least(a, bound, found);
    }
}

/// Collects `e`, which is not zero, and its factors.
fn factors<'e>(e: &'e Expr, found: &mut Vec<&'e Expr>) {
    if !e.dtype.is_integral() || !e.dtype.is_scalar() {
        return;
    }
    match &e.kind {
        ExprKind::Int(_) => {}
        ExprKind::Binary(BinOp::Mul, a, b) if e.dtype.is_index() => {
            found.push(e);
            factors(a, found);
            factors(b, found);
        }
        _ => found.push(e),
    }
}
