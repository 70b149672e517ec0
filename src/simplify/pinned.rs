//! Conditions that say what a variable is: what they guard can be simplified most.

use crate::ir::{BinOp, Block, Expr, ExprKind, PrimFunc};

/// How many comparisons of a function say that a variable is a constant, or that it is none.
pub(crate) fn pinned(func: &PrimFunc) -> usize {
    let mut found = 0;
    in_block(&func.body, &mut found);
    found
}

fn in_block(block: &Block, found: &mut usize) {
    for stmt in block {
        stmt.for_each_expr(|e| e.walk(&mut |e| *found += usize::from(pins(e))));
        stmt.for_each_block(|inner| in_block(inner, found));
    }
}

fn pins(e: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Eq | BinOp::Ne, a, b) = &e.kind else { return false };
    a.as_var().is_some() && b.as_int().is_some() || a.as_int().is_some() && b.as_var().is_some()
}
