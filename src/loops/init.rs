//! Initializations of reductions: what a nest of loops does in its very first iteration only goes in front of it.

use super::bounds::{conjunction, conjuncts};
use super::copy::{copy, mentions};
use super::join::inner;
use super::place::{Place, is_plain};
use crate::analysis::side_effects::has_side_effects;
use crate::arith::poly::Atoms;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, VarId};

/// A statement that a nest of perfectly nested loops runs first, in its first iteration.
#[derive(Clone, Debug)]
pub(super) struct First {
    /// The variables of the loops, outer ones first, each with its first value.
    vars: Vec<(VarId, Expr)>,
    /// What has to hold for the nest to run at all, one after the other.
    runs: Vec<Expr>,
    /// What else has to hold for the statement to run.
    cond: Option<Expr>,
}

/// The statement that the nest of loops with this loop as the outermost runs first, if it runs it in its first iteration only.
pub(super) fn first(place: &Place<'_>, outermost: &For) -> Option<First> {
    let (mut vars, mut runs, mut l) = (Vec::new(), Vec::new(), outermost);
    let mut inside = place.clone();
    loop {
        if !is_plain(place.func, l) || !inside.is_free(&l.min) || !inside.is_free(&l.extent) {
            return None;
        }
        // A bound that depends on loops further out has the value of their first iterations.
        if vars.iter().any(|(var, _)| mentions(&l.min, *var) || mentions(&l.extent, *var)) {
            return None;
        }
        if !inside.at_least(&l.extent, 1) {
            runs.push(Expr::int(0, l.extent.dtype).lt(l.extent.clone()));
        }
        vars.push((l.var, l.min.clone()));
        match inner(l) {
            Some(inner) => {
                inside.iterate(l.var, &l.min, &l.extent);
                l = inner;
            }
            None => break,
        }
    }
    let StmtKind::If { cond, otherwise, .. } = &l.body.first()?.kind else { return None };
    if !otherwise.is_empty() || has_side_effects(cond) {
        return None;
    }
    let (mut open, mut left) = (vars.clone(), Vec::new());
    for part in conjuncts(cond) {
        let before = open.len();
        open.retain(|(var, min)| !is_equation(&part, *var, min));
        let depends = vars.iter().any(|(var, _)| mentions(&part, *var));
        let reads = !place.is_free(&part);
        match (before > open.len(), depends || reads) {
            (true, _) => {}
            (false, true) => return None,
            (false, false) => left.push(part),
        }
    }
    open.is_empty().then(|| First { vars, runs, cond: conjunction(left) })
}

/// Whether a condition says that the variable has the value.
pub(super) fn is_equation(cond: &Expr, var: VarId, value: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Eq, a, b) = &cond.kind else { return false };
    let mut atoms = Atoms::default();
    let difference = (|| {
        let difference = atoms.poly(a)?.plus(&atoms.poly(b)?, -1);
        let linear = atoms.linear(&difference, var)?;
        let value = atoms.poly(value)?;
        match linear.slope.as_constant()? {
            1 => Some(linear.rest.plus(&value, 1)),
            -1 => Some(linear.rest.plus(&value, -1)),
            _ => None,
        }
    })();
    difference.is_some_and(|difference| difference.is_zero())
}

/// The statement, and the nest without it.
pub(super) fn split_off(func: &mut PrimFunc, mut outermost: For, first: First) -> Block {
    let Some(Stmt { kind: StmtKind::If { then, .. }, .. }) = taken(&mut outermost, first.vars.len()) else {
        return vec![Stmt::new(StmtKind::For(Box::new(outermost)))];
    };
    let mut made = copy(func, &then, &first.vars);
    for cond in first.cond.into_iter().chain(first.runs.into_iter().rev()) {
        made = vec![Stmt::new(StmtKind::If { cond, then: made, otherwise: Block::new() })];
    }
    made.push(Stmt::new(StmtKind::For(Box::new(outermost))));
    made
}

/// Takes the first statement out of the innermost of so many loops.
fn taken(l: &mut For, depth: usize) -> Option<Stmt> {
    if depth == 1 {
        return (!l.body.is_empty()).then(|| l.body.remove(0));
    }
    match &mut l.body.first_mut()?.kind {
        StmtKind::For(inner) => taken(inner, depth - 1),
        _ => None,
    }
}
