//! Copies of expressions that bind variables: both ends of `a:a + 4` hold one, and each `T.Let` has a variable of its own.

use crate::ir::{Expr, ExprKind, PrimFunc, VarId};

/// The expression with the `T.Let`s of `model` in place of those that are the same but for the names of what they bind:
/// each once, as the length behind an end may be a copy of its own (`a:a + a`).
pub(super) fn aligned(mut e: Expr, model: &Expr) -> Expr {
    let mut lets: Vec<&Expr> = Vec::new();
    model.walk(&mut |part| {
        if matches!(part.kind, ExprKind::Let(..)) {
            lets.push(part);
        }
    });
    if !lets.is_empty() {
        align(&mut e, &mut lets);
    }
    e
}

fn align(e: &mut Expr, lets: &mut Vec<&Expr>) {
    if matches!(e.kind, ExprKind::Let(..))
        && let Some(at) = lets.iter().position(|model| is_copy(e, model))
    {
        e.clone_from(lets.remove(at));
        return;
    }
    e.for_each_child_mut(|child| align(child, lets));
}

/// A copy of the expression that binds variables of its own.
pub(super) fn copied(e: &Expr, func: &mut PrimFunc) -> Expr {
    let own: Vec<(VarId, VarId)> = bound(e)
        .into_iter()
        .map(|var| {
            let info = func.var(var).clone();
            (var, func.new_var(info.name, info.ty))
        })
        .collect();
    let mut e = e.clone();
    rename(&mut e, &|var| own.iter().find(|(old, _)| *old == var).map(|(_, new)| *new));
    e
}

/// Whether the expressions differ only in the variables that they bind.
fn is_copy(e: &Expr, model: &Expr) -> bool {
    let (own, others) = (bound(e), bound(model));
    if own.len() != others.len() {
        return false;
    }
    let mut e = e.clone();
    rename(&mut e, &|var| own.iter().position(|v| *v == var).map(|at| others[at]));
    e == *model
}

/// The variables that an expression binds, from the outermost.
fn bound(e: &Expr) -> Vec<VarId> {
    let mut vars = Vec::new();
    e.walk(&mut |part| {
        if let ExprKind::Let(var, ..) = part.kind {
            vars.push(var);
        }
    });
    vars
}

fn rename(e: &mut Expr, new: &impl Fn(VarId) -> Option<VarId>) {
    if let ExprKind::Var(var) | ExprKind::Let(var, ..) = &mut e.kind {
        *var = new(*var).unwrap_or(*var);
    }
    e.for_each_child_mut(|child| rename(child, new));
}
