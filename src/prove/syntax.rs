//! What is seen of expressions and statements as they are written.

use crate::ir::{BinOp, DType, Expr, ExprKind, Stmt, StmtKind, VarId};

/// Whether one of some statements binds a variable.
pub(super) fn binds(stmts: &[Stmt], var: VarId) -> bool {
    stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Bind { var: bound, .. } if bound == var))
}

/// What an expression is the minimum of.
pub(super) fn minimands<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::Min, a, b) => {
            minimands(a, out);
            minimands(b, out);
        }
        _ => out.push(e),
    }
}

/// Whether a condition says that a variable has a value.
pub(super) fn is_equation(cond: &Expr, var: VarId, value: &Expr) -> bool {
    match &cond.kind {
        ExprKind::Binary(BinOp::Eq, a, b) => {
            (a.as_var() == Some(var) && **b == *value) || (b.as_var() == Some(var) && **a == *value)
        }
        _ => false,
    }
}

/// A statement with another variable in place of one.
pub(super) fn rename(stmt: &mut Stmt, var: VarId, own: VarId, by: &Expr) {
    stmt.for_each_expr_mut(|e| e.substitute(&|v| (v == var).then_some(by)));
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| rename(stmt, var, own, by)));
    if let StmtKind::For(l) = &mut stmt.kind
        && l.var == var
    {
        l.var = own;
    }
}

/// Whether evaluation traps nowhere, reads no memory and has no effect. That sums fit their type is not looked at.
pub(super) fn is_total(e: &Expr) -> bool {
    let own = match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Var(_) | ExprKind::Not(_) | ExprKind::Select(_) => {
            true
        }
        ExprKind::Cast(a) => e.dtype.is_integral() && a.dtype.is_integral(),
        ExprKind::Binary(op, _, b) => !op.is_division() || b.as_int().is_some_and(|n| n != 0),
        _ => false,
    };
    let mut parts = true;
    e.for_each_child(|child| parts &= is_total(child));
    own && parts
}

pub(super) fn is_total_let(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Bind { value, .. } if is_total(value))
}

pub(super) fn conjuncts<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) if e.dtype == DType::BOOL => {
            conjuncts(a, out);
            conjuncts(b, out);
        }
        _ => out.push(e),
    }
}

/// The expression with the values of bindings in it; `None` if it gets too large.
pub(super) fn inlined(e: &Expr, lets: &[Stmt]) -> Option<Expr> {
    /// Largest expression that is made.
    const MAX_SIZE: usize = 400;
    let mut made = e.clone();
    for stmt in lets.iter().rev() {
        if let StmtKind::Bind { var, value } = &stmt.kind {
            made.substitute(&|v| (v == *var).then_some(value));
            let mut size = 0;
            made.walk(&mut |_| size += 1);
            if size > MAX_SIZE {
                return None;
            }
        }
    }
    Some(made)
}

/// A statement with bindings put in and a variable at its first value.
pub(super) fn at<'v>(
    stmt: &mut Stmt,
    lets: &[Stmt],
    first: &impl Fn(VarId) -> Option<&'v Expr>,
) -> Option<()> {
    // A variable that is bound here might be another one's name there.
    let mut done = matches!(
        stmt.kind,
        StmtKind::Store { .. } | StmtKind::Evaluate(_) | StmtKind::If { .. } | StmtKind::For(_)
    )
    .then_some(());
    stmt.for_each_expr_mut(|e| match inlined(e, lets) {
        Some(mut made) => {
            made.substitute(first);
            *e = made;
        }
        None => done = None,
    });
    stmt.for_each_block_mut(|block| {
        for stmt in block {
            if at(stmt, lets, first).is_none() {
                done = None;
            }
        }
    });
    done
}
