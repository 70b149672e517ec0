//! Initializations of reductions: what a nest of loops does in its very first iteration only goes in front of it.

use super::bounds::{conjunction, conjuncts};
use super::copy::{copy, mentions};
use super::join::inner;
use super::place::{Place, is_plain};
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
    if !otherwise.is_empty() || cond.has_effect() {
        return None;
    }
    let (mut open, mut left) = (vars.clone(), Vec::new());
    for part in conjuncts(cond) {
        let said = at_first(&part, vars.iter().map(|(var, min)| (*var, min)));
        open.retain(|(var, _)| !said.contains(var));
        let depends = vars.iter().any(|(var, _)| mentions(&part, *var));
        let reads = !place.is_free(&part);
        match (said.is_empty(), depends || reads) {
            (false, _) => {}
            (true, true) => return None,
            (true, false) => left.push(part),
        }
    }
    open.is_empty().then(|| First { vars, runs, cond: conjunction(left) })
}

/// The variables of loops of which a condition says that they have their first values. It may say so of several at once:
/// `q * 4 + r == 0` where neither is less than 0.
pub(super) fn at_first<'l>(cond: &Expr, loops: impl Iterator<Item = (VarId, &'l Expr)>) -> Vec<VarId> {
    let ExprKind::Binary(BinOp::Eq, a, b) = &cond.kind else { return Vec::new() };
    let mut atoms = Atoms::default();
    let said = (|| {
        let mut difference = atoms.poly(a)?.plus(&atoms.poly(b)?, -1);
        let (mut said, mut sign) = (Vec::new(), 0);
        for (var, first) in loops {
            let linear = atoms.linear(&difference, var)?;
            let slope = linear.slope.as_constant()?;
            if slope == 0 {
                continue;
            }
            // All grow with the sum, or all as it falls: it has its first value only where they have theirs.
            if sign * slope.signum() < 0 {
                return None;
            }
            sign = slope.signum();
            said.push(var);
            difference = linear.rest.plus(&atoms.poly(first)?, slope);
        }
        difference.is_zero().then_some(said)
    })();
    said.unwrap_or_default()
}

/// The statement, and the nest without it.
pub(super) fn split_off(func: &mut PrimFunc, mut outermost: For, first: First) -> Block {
    let Some(Stmt { kind: StmtKind::If { then, .. }, .. }) = taken(&mut outermost, first.vars.len()) else {
        return vec![Stmt::new(StmtKind::For(Box::new(outermost)))];
    };
    let mut made = copy(func, &then, &first.vars);
    for cond in first.cond.into_iter().chain(first.runs.into_iter().rev()) {
        made = vec![Stmt::guarded(cond, made)];
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
