//! Addresses as sums of variables times what does not vary with them.

use crate::arith::addends::sum_of_products;
use crate::ir::{Block, Expr, ExprKind, StmtKind};

/// Writes indices as sums of variables times what does not vary with them, as addresses that grow with loops.
pub(super) fn grow(block: &mut Block) {
    for stmt in block {
        stmt.for_each_expr_mut(grown_loads);
        if let StmtKind::Store { indices, .. } = &mut stmt.kind {
            indices.iter_mut().for_each(grown);
        }
        stmt.for_each_block_mut(grow);
    }
}

fn grown_loads(e: &mut Expr) {
    e.for_each_child_mut(grown_loads);
    if let ExprKind::Load { indices, .. } = &mut e.kind {
        indices.iter_mut().for_each(grown);
    }
}

fn grown(e: &mut Expr) {
    if let Some(sum) = sum_of_products(e) {
        *e = sum;
    }
}
