//! Whether statements may be run anywhere, apart from their loads and stores: nothing in them traps, leaves the function,
//! states an assumption, or does what is not known.

use super::obstacle::Obstacle;
use crate::analysis::effects::{NodeEffect, node_effect};
use crate::ir::{Expr, ExprKind, ForKind, Stmt, StmtKind};

/// Asks that of all statements of a block.
pub(super) fn block(block: &[Stmt]) -> Result<(), Obstacle> {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Store { .. } | StmtKind::Bind { .. } | StmtKind::Evaluate(_) | StmtKind::If { .. } => {}
            StmtKind::For(l) => {
                if l.step.is_some() || matches!(l.kind, ForKind::ThreadBinding(_)) {
                    return Err(Obstacle::Statement);
                }
            }
            StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Attr { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::SBlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => return Err(Obstacle::Statement),
        }
        let mut fine = true;
        stmt.for_each_expr(|e| fine = fine && expression(e));
        if !fine {
            return Err(Obstacle::Trap);
        }
        let mut inner = Ok(());
        stmt.for_each_block(|b| {
            if inner.is_ok() {
                inner = self::block(b);
            }
        });
        inner?;
    }
    Ok(())
}

/// Whether evaluating an expression does nothing but compute and load. A float that its integer type cannot hold gives a value
/// without meaning, but does no harm.
pub(super) fn expression(e: &Expr) -> bool {
    let mut fine = true;
    e.walk(&mut |e| {
        let effect = node_effect(e);
        fine &= match &e.kind {
            ExprKind::Load { .. } => true,
            ExprKind::Cast(_) => effect.is_pure(),
            _ => effect == NodeEffect::NONE,
        };
    });
    fine
}
