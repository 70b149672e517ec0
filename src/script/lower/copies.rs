//! Copies of expressions that bind variables: both ends of `a:a + 4` hold one, and each `T.Let` has a variable of its own.

use crate::ir::{Expr, ExprKind, PrimFunc, VarId};

/// The expression with the `T.Let`s of `model` in place of those that are the same but for the names of what they bind:
/// each once, as the length behind an end may be a copy of its own (`a:a + a`).
pub(super) fn aligned(mut e: Expr, model: &Expr) -> Expr {
    let mut lets = Vec::new();
    collect(model, &mut lets);
    if !lets.is_empty() {
        align(&mut e, &mut lets);
    }
    e
}

/// A `T.Let`, with where it and those inside of it stand among all.
type Place<'e> = (std::ops::Range<usize>, &'e Expr);

fn collect<'e>(e: &'e Expr, lets: &mut Vec<Place<'e>>) {
    let at = lets.len();
    if matches!(e.kind, ExprKind::Let(..)) {
        lets.push((at..at, e));
    }
    e.for_each_child(|child| collect(child, lets));
    let end = lets.len();
    if let Some((place, found)) = lets.get_mut(at)
        && std::ptr::eq(*found, e)
    {
        place.end = end;
    }
}

fn align(e: &mut Expr, lets: &mut Vec<Place<'_>>) {
    if matches!(e.kind, ExprKind::Let(..))
        && let Some((taken, model)) = lets.iter().find(|(_, model)| is_copy(e, model)).cloned()
    {
        e.clone_from(model);
        // What stands inside of it, or around it, would bind the same variables again.
        lets.retain(|(place, _)| place.end <= taken.start || taken.end <= place.start);
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
