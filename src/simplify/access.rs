//! Sizes that are positive where a statement ran: a buffer of which it accessed an element has one. Sizes that are variables
//! or products of them are looked at; what stands behind a statement that says something new is simplified by itself.

use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::ir::intrin::{Effect, effect};
use crate::ir::{BinOp, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// Whether [`positive_sizes`] can say anything of this function: a buffer of it has a size that is no constant.
pub(super) fn has_sizes(func: &PrimFunc) -> bool {
    let mut extents = func.buffers.iter().flat_map(|buffer| &buffer.shape);
    extents.any(|e| e.dtype.is_index() && factors(e).is_some())
}

/// That sizes are at least 1 which are not known to be: those of buffers of which the statement itself (not its blocks)
/// is certain to access elements.
pub(super) fn positive_sizes(func: &PrimFunc, known: &Known, stmt: &Stmt) -> Vec<Expr> {
    let mut buffers = Vec::new();
    match &stmt.kind {
        StmtKind::Store { buffer, indices, value } => {
            buffers.push(*buffer);
            indices.iter().chain([value]).for_each(|e| accessed(e, &mut buffers));
        }
        StmtKind::Bind { value: e, .. } | StmtKind::Evaluate(e) | StmtKind::If { cond: e, .. } => {
            accessed(e, &mut buffers);
        }
        _ => {}
    }
    let mut facts: Vec<Expr> = Vec::new();
    let extents = buffers.iter().flat_map(|&buffer| &func.buffer(buffer).shape);
    for extent in extents.filter(|e| e.dtype.is_index()) {
        let Some(sizes) = factors(extent) else { continue };
        let range = |var: VarId| known.ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
        // A positive product of sizes of which none is negative is one of positive sizes.
        let each = sizes.iter().all(|&(var, _)| range(var).at_least(0));
        let positive: Vec<&Expr> = if each {
            sizes.into_iter().filter(|&(var, _)| !range(var).at_least(1)).map(|(_, size)| size).collect()
        } else {
            vec![extent]
        };
        for size in positive {
            let fact = Expr::binary(BinOp::Le, Expr::int(1, size.dtype), size.clone());
            let is_known = || known.facts.iter().any(|(known, truth)| *truth && *known == fact);
            if !facts.contains(&fact) && !is_known() {
                facts.push(fact);
            }
        }
    }
    facts
}

/// The variables of a product of variables and positive constants, each with its occurrence; `None` if it is none, or a
/// constant.
fn factors(e: &Expr) -> Option<Vec<(VarId, &Expr)>> {
    match &e.kind {
        ExprKind::Var(var) => Some(vec![(*var, e)]),
        ExprKind::Binary(BinOp::Mul, a, b) => match (a.as_int(), b.as_int()) {
            (Some(c), None) if c > 0 => factors(b),
            (None, Some(c)) if c > 0 => factors(a),
            (None, None) => Some([factors(a)?, factors(b)?].concat()),
            _ => None,
        },
        _ => None,
    }
}

/// Collects the buffers of which an expression accesses elements wherever it is evaluated.
fn accessed(e: &Expr, buffers: &mut Vec<BufferId>) {
    match &e.kind {
        ExprKind::Load { buffer, indices } => {
            buffers.push(*buffer);
            indices.iter().for_each(|e| accessed(e, buffers));
        }
        // What is behind a guard need not be evaluated.
        ExprKind::Binary(BinOp::And | BinOp::Or, a, _) => accessed(a, buffers),
        ExprKind::Call(call) if call.is_lazy_select() => {
            call.args.iter().take(1).for_each(|e| accessed(e, buffers))
        }
        // What a call does with a buffer that it is handed is its own affair, that of an address too.
        ExprKind::Call(_) => {
            if let Some((name, args)) = e.as_intrin()
                && name != "address_of"
                && effect(name) == Effect::Pure
            {
                args.iter().for_each(|e| accessed(e, buffers));
            }
        }
        _ => e.for_each_child(|e| accessed(e, buffers)),
    }
}
