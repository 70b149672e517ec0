//! The expressions that a statement evaluates.

use crate::ir::{Expr, Stmt, StmtKind};

/// Calls `f` on every expression root of a statement that is evaluated, in walking order; not on what stands in
/// nested blocks.
pub(crate) fn visit_roots<'s>(stmt: &'s mut Stmt, mut f: impl FnMut(&'s mut Expr)) {
    match &mut stmt.kind {
        StmtKind::Bind { value, .. } => f(value),
        StmtKind::Store { indices, value, .. } => {
            indices.iter_mut().for_each(&mut f);
            f(value);
        }
        StmtKind::Evaluate(value) | StmtKind::Return(value) => f(value),
        StmtKind::For(l) => {
            f(&mut l.min);
            f(&mut l.extent);
            l.step.iter_mut().for_each(f);
        }
        StmtKind::While { cond, .. } | StmtKind::If { cond, .. } | StmtKind::Assert { cond, .. } => f(cond),
        StmtKind::Attr { value, .. } => f(value),
        StmtKind::LaunchThread { extent, .. } => f(extent),
        StmtKind::SBlock(block) => {
            block.axes.iter_mut().for_each(|a| f(&mut a.binding));
            block.predicate.iter_mut().for_each(f);
        }
        StmtKind::Alloc { .. } | StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {}
    }
}
