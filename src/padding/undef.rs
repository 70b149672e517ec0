//! Removes `T.undef()`: what stores it goes, and where it is one of two values the other one stays.

use std::collections::BTreeSet;

use super::assume::{each_expr, is_assumption};
use super::prune::{self, choose_undef, zero};
use super::refusal::Refusals;
use crate::analysis::negation::negated;
use crate::analysis::undef::always_undef;
use crate::error::Error;
use crate::ir::intrin::Effect;
use crate::ir::{BinOp, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// Removes `T.undef()` from a function. A store of it goes: the element may hold anything then, also what it held. Of a
/// choice the other arm is stored, where it is chosen. What is bound to it, or computes with it, gets some value. That an
/// element `== T.undef()` is no longer assumed. Whether anything changed.
///
/// # Errors
///
/// If an index, a bound, a condition or an argument of an opaque call depends on it. Nothing is changed then.
///
/// ```
/// let program = |store: &str| satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    for i in range(8):\n        {store}\n"));
/// let mut module = program("A[i] = T.if_then_else(i < n, i, T.undef())")?;
/// assert!(satir::padding::remove_undef(&mut module.funcs[0])?);
/// assert!(module.to_string().contains("if i < n:\n                A[i] = i\n"), "{module}");
///
/// let mut module = program("A[T.undef()] = i")?;
/// let error = satir::padding::remove_undef(&mut module.funcs[0]).unwrap_err();
/// assert!(error.to_string().contains("index"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn remove_undef(func: &mut PrimFunc) -> Result<bool, Error> {
    check(func)?;
    let mut changed = false;
    let chosen = undefined_bindings(func);
    for stmt in &mut func.body {
        each_expr(stmt, &mut |e| choose_variables(e, &chosen));
        rewrite(stmt, &mut changed);
    }
    let removed = prune::remove(func, |stmt| match &stmt.kind {
        StmtKind::Store { value, .. } | StmtKind::Bind { value, .. } => always_undef(value),
        StmtKind::Evaluate(e) => e.is_undef() || (is_assumption(stmt) && says_nothing(e)),
        _ => false,
    });
    Ok(changed || removed)
}

/// Whether an assumption is one of `True`.
fn says_nothing(e: &Expr) -> bool {
    matches!(e.as_intrin(), Some(("assume", [cond])) if cond.as_int() == Some(1))
}

fn rewrite(stmt: &mut Stmt, changed: &mut bool) {
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| rewrite(stmt, changed)));
    match &mut stmt.kind {
        StmtKind::Store { value, .. } if always_undef(value) => {}
        StmtKind::Bind { value, .. } if always_undef(value) => {}
        StmtKind::Evaluate(e) if e.is_undef() => {}
        StmtKind::Store { .. } => guard(stmt, changed),
        StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("assume", [_]))) => {
            e.for_each_child_mut(|cond| *changed |= forget_permission(cond));
        }
        _ => {}
    }
    let settled = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Store { value, .. } | StmtKind::Bind { value, .. } => always_undef(value),
        StmtKind::Evaluate(e) => e.is_undef(),
        _ => false,
    };
    if !settled(stmt) {
        stmt.for_each_expr_mut(|e| {
            if contains_undef(e, &BTreeSet::new()) {
                choose_undef(e);
                *changed = true;
            }
        });
    }
}

/// Turns a store of a choice with `T.undef()` in an arm into a store of the other arm under its condition.
fn guard(stmt: &mut Stmt, changed: &mut bool) {
    let mut conditions = Vec::new();
    let StmtKind::Store { value, .. } = &mut stmt.kind else { return };
    loop {
        let (cond, arm) = match &value.kind {
            ExprKind::Select(select) if select.cond.dtype.is_scalar() => {
                match (always_undef(&select.then), always_undef(&select.otherwise)) {
                    (true, false) => (negated(select.cond.clone()), select.otherwise.clone()),
                    (false, true) => (select.cond.clone(), select.then.clone()),
                    _ => break,
                }
            }
            _ => match value.as_intrin() {
                Some(("if_then_else", [cond, then, otherwise])) => {
                    match (always_undef(then), always_undef(otherwise)) {
                        (true, false) => (negated(cond.clone()), otherwise.clone()),
                        (false, true) => (cond.clone(), then.clone()),
                        _ => break,
                    }
                }
                _ => break,
            },
        };
        conditions.push(cond);
        *value = arm;
    }
    for cond in conditions.into_iter().rev() {
        *changed = true;
        let inner = Stmt { span: stmt.span, kind: std::mem::replace(&mut stmt.kind, StmtKind::Break) };
        stmt.kind = StmtKind::If { cond, then: vec![inner], otherwise: Vec::new() };
    }
}

/// Takes `X == T.undef()`, which holds, out of an assumption.
fn forget_permission(e: &mut Expr) -> bool {
    let mut found = false;
    if let ExprKind::Binary(op, a, b) = &mut e.kind {
        match op {
            BinOp::Eq if a.is_undef() || b.is_undef() => {
                *e = Expr::bool(true);
                return true;
            }
            BinOp::And | BinOp::Or => {
                found = forget_permission(a) | forget_permission(b);
                let decided = i64::from(*op == BinOp::Or);
                let (a_is, b_is) = (a.as_int(), b.as_int());
                if found && (a_is == Some(decided) || b_is == Some(decided)) {
                    *e = Expr::bool(decided == 1);
                } else if found && a_is.is_some() {
                    *e = std::mem::replace(b, Expr::bool(true));
                } else if found && b_is.is_some() {
                    *e = std::mem::replace(a, Expr::bool(true));
                }
            }
            _ => {}
        }
    }
    found
}

/// The variables that are bound to what may be anything.
fn undefined_bindings(func: &PrimFunc) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    func.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && always_undef(value)
            {
                vars.insert(*var);
            }
        });
    });
    vars
}

/// Puts some value in place of variables that may be anything.
fn choose_variables(e: &mut Expr, vars: &BTreeSet<VarId>) {
    match e.as_var() {
        Some(var) if vars.contains(&var) => *e = zero(e.dtype),
        _ => e.for_each_child_mut(|child| choose_variables(child, vars)),
    }
}

/// Whether something in an expression is `T.undef()`, or one of these variables.
fn contains_undef(e: &Expr, vars: &BTreeSet<VarId>) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e.is_undef() || e.as_var().is_some_and(|var| vars.contains(&var)));
    found
}

/// Refuses a function in which control or an address depends on `T.undef()`.
fn check(func: &PrimFunc) -> Result<(), Error> {
    let mut vars = BTreeSet::new();
    let mut refusals = Refusals::of(func);
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            let mut refuse = |what: &str| {
                refusals.add(stmt.span, format!("{what} depends on `T.undef()`, which may be any value"));
            };
            match &stmt.kind {
                StmtKind::Bind { var, value } if contains_undef(value, &vars) => {
                    vars.insert(*var);
                }
                StmtKind::Store { indices, .. } if indices.iter().any(|e| contains_undef(e, &vars)) => {
                    refuse("an index");
                }
                StmtKind::For(for_) => {
                    let mut bounds = [&for_.min, &for_.extent].into_iter().chain(&for_.step);
                    if bounds.any(|e| contains_undef(e, &vars)) {
                        refuse("a bound of the loop");
                    }
                }
                StmtKind::While { cond, .. } | StmtKind::If { cond, .. } | StmtKind::Assert { cond, .. }
                    if contains_undef(cond, &vars) =>
                {
                    refuse("a condition");
                }
                StmtKind::Attr { value, .. } | StmtKind::LaunchThread { extent: value, .. }
                    if contains_undef(value, &vars) =>
                {
                    refuse("an attribute");
                }
                StmtKind::Return(value) if contains_undef(value, &vars) => refuse("the result"),
                StmtKind::SBlock(block) => {
                    let bindings = block.axes.iter().map(|axis| &axis.binding);
                    if bindings.chain(&block.predicate).any(|e| contains_undef(e, &vars)) {
                        refuse("an axis or the condition of the block");
                    }
                }
                _ => {}
            }
            stmt.for_each_expr(|e| check_expr(e, &vars, &mut refuse));
        });
    }
    refusals.result()
}

fn check_expr(e: &Expr, vars: &BTreeSet<VarId>, refuse: &mut impl FnMut(&str)) {
    match &e.kind {
        ExprKind::Load { indices, .. } if indices.iter().any(|e| contains_undef(e, vars)) => {
            refuse("an index");
            return;
        }
        ExprKind::Select(select) if contains_undef(&select.cond, vars) => {
            refuse("a condition");
            return;
        }
        ExprKind::Call(call) if call.is_lazy_select() && contains_undef(&call.args[0], vars) => {
            refuse("a condition");
            return;
        }
        ExprKind::Call(call) if !call.is_lazy_select() => {
            let (assumes, likely) = match e.as_intrin() {
                Some((name, _)) => (name == "assume", name == "likely"),
                None => (false, false),
            };
            let pure = matches!(call.effect(), Effect::Pure | Effect::Annotation);
            let opaque = !pure && !likely && !e.is_undef();
            if assumes {
                call.args.iter().for_each(|arg| check_assumed(arg, vars, refuse));
                return;
            }
            if opaque && call.args.iter().any(|arg| contains_undef(arg, vars)) {
                refuse("an argument of a call");
                return;
            }
        }
        _ => {}
    }
    e.for_each_child(|child| check_expr(child, vars, refuse));
}

/// In an assumption `X == T.undef()` may stand, as a part of `and` and `or`.
fn check_assumed(e: &Expr, vars: &BTreeSet<VarId>, refuse: &mut impl FnMut(&str)) {
    match &e.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => {
            check_assumed(a, vars, refuse);
            check_assumed(b, vars, refuse);
        }
        ExprKind::Binary(BinOp::Eq, a, b) if a.is_undef() || b.is_undef() => {
            [a, b].into_iter().for_each(|operand| check_expr(operand, vars, refuse));
        }
        _ if contains_undef(e, vars) => refuse("an assumption"),
        _ => check_expr(e, vars, refuse),
    }
}
