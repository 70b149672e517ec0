//! Statements that do nothing: branches and loops that are never taken or are empty, stores of what is there, or of what may be
//! anything.

use super::conditions::fold_choices;
use crate::analysis::undef::{acts, always_undef};
use crate::ir::{Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// Removes from a function what does nothing, as it is written: no equality is looked for. Returns how many statements
/// and choices went.
pub(crate) fn tidy(func: &mut PrimFunc) -> usize {
    let mut gone = 0;
    tidy_block(&mut func.body, &mut gone);
    gone
}

fn tidy_block(block: &mut Block, gone: &mut usize) {
    let room = Vec::with_capacity(block.len());
    for mut stmt in std::mem::replace(block, room) {
        stmt.for_each_block_mut(|inner| tidy_block(inner, gone));
        stmt.for_each_expr_mut(|e| *gone += fold_choices(e));
        if does_nothing(&stmt) {
            *gone += 1;
        } else if let Some(taken) = taken_arm(&mut stmt) {
            *gone += 1;
            block.extend(taken);
        } else {
            block.push(stmt);
        }
    }
}

/// Whether a statement can go.
pub(super) fn does_nothing(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If { cond, then, otherwise } => {
            then.is_empty() && otherwise.is_empty() && !cond.has_effect()
        }
        StmtKind::For(f) => {
            // The bounds and the step are evaluated also where the body is not.
            let idle = f.body.is_empty() || f.extent.as_int().is_some_and(|n| n <= 0);
            idle && ![&f.min, &f.extent].into_iter().chain(&f.step).any(Expr::has_effect)
        }
        StmtKind::While { cond, .. } => cond.as_int() == Some(0),
        StmtKind::Store { buffer, indices, value } => {
            is_own_element(*buffer, indices, value) || leaves_anything(indices, value)
        }
        _ => false,
    }
}

/// Whether a value is the element of the buffer at these indices, so that storing it there does nothing.
fn is_own_element(buffer: BufferId, indices: &[Expr], value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load { buffer: from, indices: at } => {
            *from == buffer && **at == *indices && !indices.iter().any(Expr::has_effect)
        }
        _ => false,
    }
}

/// Whether a store of a value leaves anything in its element, so that what is there will do. A store of `T.undef()` itself
/// stays: it says on purpose that an element is free, which other passes make use of.
fn leaves_anything(indices: &[Expr], value: &Expr) -> bool {
    !value.is_undef() && always_undef(value) && !indices.iter().any(acts) && !acts(value)
}

/// The arm of a branch by a constant that is taken. Its bindings keep their names apart: variables are identities.
pub(super) fn taken_arm(stmt: &mut Stmt) -> Option<Block> {
    let StmtKind::If { cond, then, otherwise } = &mut stmt.kind else { return None };
    let value = match cond.as_intrin() {
        Some(("likely", [inner])) => inner.as_int(),
        _ => cond.as_int(),
    };
    value.map(|value| std::mem::take(if value != 0 { then } else { otherwise }))
}

/// Turns `if c: (nothing) else: B` into `if not c: B`; the condition, if it did.
pub(super) fn keep_first_arm(stmt: &mut Stmt) -> Option<&mut Expr> {
    let StmtKind::If { cond, then, otherwise } = &mut stmt.kind else { return None };
    if !then.is_empty() || otherwise.is_empty() {
        return None;
    }
    std::mem::swap(then, otherwise);
    *cond = Expr::not(std::mem::replace(cond, Expr::bool(true)));
    Some(cond)
}
