//! A loop nest in terms of the elements that it accesses.

use super::super::values::inlined;
use super::found::Found;
use super::solve::Solved;
use crate::diag::Span;
use crate::ir::{Block, BufferId, Expr, ExprKind, Stmt, StmtKind};

/// What takes the place of expressions in a nest.
pub(super) struct Rewriting<'a> {
    pub found: &'a Found,
    pub solved: &'a Solved,
    pub id: BufferId,
}

impl Rewriting<'_> {
    /// Puts axes in place of the indices, and their values in place of the variables that were solved for.
    pub(super) fn expr(&self, e: &mut Expr) {
        if e.is_number() || matches!(e.kind, ExprKind::Str(_)) {
            return;
        }
        if e.dtype.is_index() && !matches!(e.kind, ExprKind::Load { .. }) {
            let known = inlined(e, &self.found.values);
            if let Some(k) = self.found.indices.iter().position(|index| *index == known)
                && self.found.indices[k].as_int().is_none()
            {
                *e = Expr::var(self.solved.axes[k], e.dtype);
                return;
            }
        }
        match e.as_var().and_then(|var| self.solved.value(var)) {
            Some(value) => *e = value.clone(),
            None => e.for_each_child_mut(|child| self.expr(child)),
        }
    }

    /// The same in a statement and all that it holds; within blocks only what binds their axes.
    pub(super) fn stmt(&self, stmt: &mut Stmt) {
        stmt.for_each_expr_mut(|e| self.expr(e));
        if !matches!(stmt.kind, StmtKind::SBlock(_)) {
            stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| self.stmt(stmt)));
        }
    }
}

/// Statements under a condition: that of the only block or branch among them, if there is one.
pub(super) fn guarded(cond: Expr, mut body: Block, span: Span) -> Block {
    let both = |a: Expr, b: Expr| Expr::binary(crate::ir::BinOp::And, a, b);
    match body.as_mut_slice() {
        [Stmt { kind: StmtKind::SBlock(block), .. }] if block.predicate.as_ref().is_none_or(is_total) => {
            block.predicate = Some(match block.predicate.take() {
                Some(other) => both(cond, other),
                None => cond,
            });
            return body;
        }
        [Stmt { kind: StmtKind::If { cond: other, otherwise, .. }, .. }]
            if otherwise.is_empty() && is_total(other) =>
        {
            let inner = std::mem::replace(other, Expr::bool(true));
            *other = both(cond, inner);
            return body;
        }
        _ => {}
    }
    vec![Stmt { span, kind: StmtKind::If { cond, then: body, otherwise: Vec::new() } }]
}

/// Whether an expression has a value wherever it stands, always the same: it reads no memory, calls nothing, and divides by
/// constants only.
pub(super) fn is_total(e: &Expr) -> bool {
    let mut total = true;
    e.walk(&mut |e| {
        total &= match &e.kind {
            ExprKind::Load { .. } | ExprKind::Call(_) | ExprKind::Let(..) | ExprKind::BufferData(_) => false,
            ExprKind::Binary(op, _, b) if op.is_division() => b.as_int().is_some_and(|c| c != 0),
            _ => true,
        };
    });
    total
}
