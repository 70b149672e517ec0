//! Whether facts can change an expression: a cheap question before the expensive search for the answer.
//!
//! What a fact does is to decide a comparison, a minimum or maximum, or a quotient, to let a summand out of a
//! quotient, to exclude the divisor zero, or to equate things. If sample points where all facts hold show that
//! none of this is so for any part of an expression, no search is begun.

use super::sample::Samples;
use crate::eqsat::lower::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// With fewer points than this nothing is ruled out.
const ENOUGH_POINTS: usize = 6;

/// Whether the facts from index `new` on may simplify `e`.
pub(super) fn may_learn(known: &Known, new: usize, e: &Expr) -> bool {
    let facts = &known.facts[new..];
    if facts.iter().any(|(fact, truth)| equates(fact, *truth, e)) {
        return true;
    }
    let samples = Samples::new(known);
    if samples.len() < ENOUGH_POINTS {
        return true;
    }
    let mut found = false;
    e.walk(&mut |part| found = found || learns(&samples, facts, part));
    found
}

/// Whether the facts may simplify the operation at the root of `e`.
fn learns(samples: &Samples<'_>, facts: &[(Expr, bool)], e: &Expr) -> bool {
    if facts.iter().any(|(fact, _)| fact == e) {
        return true;
    }
    let ExprKind::Binary(op, a, b) = &e.kind else { return false };
    if !a.dtype.is_integral() || !a.dtype.is_scalar() {
        return false;
    }
    match op {
        BinOp::Min | BinOp::Max => !samples.differ(e, a) || !samples.differ(e, b),
        op if op.is_compare() => !samples.refute(e, true) || !samples.refute(e, false),
        BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod => {
            let shares = |(fact, _): &(Expr, bool)| {
                let mut shared = false;
                b.walk(&mut |part| shared |= matches!(part.kind, ExprKind::Var(_)) && occurs(fact, part));
                shared
            };
            if b.as_int().is_none() && facts.iter().any(shares) {
                return true;
            }
            let floor = matches!(op, BinOp::FloorDiv | BinOp::FloorMod);
            let op = if floor { BinOp::FloorDiv } else { BinOp::Div };
            let quotient = |n: Expr| Expr::binary(op, n, Expr::clone(b));
            let whole = quotient(Expr::clone(a));
            if samples.constant(&whole) {
                return true;
            }
            let mut summands = Vec::new();
            split_sum(a, &mut summands);
            summands.len() > 1
                && summands.iter().any(|s| {
                    let without = quotient(Expr::clone(a) - Expr::clone(s));
                    !samples.constant(s) && !samples.differ(&whole, &without)
                })
        }
        _ => false,
    }
}

/// The summands of a sum, without their signs.
fn split_sum<'e>(e: &'e Expr, summands: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            split_sum(a, summands);
            split_sum(b, summands);
        }
        _ => summands.push(e),
    }
}

/// Whether the fact says that two things are equal, one of which occurs in `e`.
pub(super) fn equates(fact: &Expr, truth: bool, e: &Expr) -> bool {
    match &fact.kind {
        ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) if (*op == BinOp::Eq) == truth => {
            let names = |side: &Expr| side.as_int().is_none() && occurs_part(side, e);
            names(a) || names(b)
        }
        ExprKind::Var(_) | ExprKind::Load { .. } => occurs(e, fact),
        _ => false,
    }
}

/// Whether a variable or load of `side` occurs in `e`.
fn occurs_part(side: &Expr, e: &Expr) -> bool {
    let mut found = false;
    side.walk(&mut |part| {
        found = found || matches!(part.kind, ExprKind::Var(_) | ExprKind::Load { .. }) && occurs(e, part);
    });
    found
}

/// Whether `part` occurs in `e`.
pub(super) fn occurs(e: &Expr, part: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |x| found = found || x == part);
    found
}
