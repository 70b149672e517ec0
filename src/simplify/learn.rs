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

/// Sample points with and without some facts.
pub(super) struct Lesson<'a> {
    facts: &'a [(Expr, bool)],
    with: Samples<'a>,
    without: Samples<'a>,
}

impl<'a> Lesson<'a> {
    /// What the facts from index `new` on add to the others.
    pub(super) fn new(known: &'a Known, new: usize) -> Lesson<'a> {
        Lesson {
            facts: &known.facts[new..],
            with: Samples::new(known, known.facts.len()),
            without: Samples::new(known, new),
        }
    }

    /// Whether the facts may simplify `e`.
    pub(super) fn may_change(&self, e: &Expr) -> bool {
        if self.with.len() < ENOUGH_POINTS || self.facts.iter().any(|(fact, truth)| equates(fact, *truth, e))
        {
            return true;
        }
        let mut found = false;
        e.walk(&mut |part| found = found || self.changes(part));
        found
    }

    /// Whether the facts may simplify the operation at the root of `e`.
    fn changes(&self, e: &Expr) -> bool {
        if self.facts.iter().any(|(fact, _)| fact == e) {
            return true;
        }
        let ExprKind::Binary(op, a, b) = &e.kind else { return false };
        if !a.dtype.is_integral() || !a.dtype.is_scalar() {
            return false;
        }
        let samples = &self.with;
        match op {
            BinOp::Min | BinOp::Max => !samples.differ(e, a) || !samples.differ(e, b),
            op if op.is_compare() => !samples.refute(e, true) || !samples.refute(e, false),
            BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod => {
                let zero = Expr::int(0, b.dtype);
                let divides = Expr::binary(BinOp::Lt, zero, Expr::clone(b));
                if self.without.refute(&divides, true) && !samples.refute(&divides, true) {
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
                    && (b.as_int().is_some() || summands.iter().any(|s| shares_variable(s, b)))
                    && summands.iter().any(|s| {
                        let without = quotient(Expr::clone(a) - Expr::clone(s));
                        !samples.constant(s) && !samples.differ(&whole, &without)
                    })
            }
            _ => false,
        }
    }
}

/// Whether a variable occurs in both.
fn shares_variable(a: &Expr, b: &Expr) -> bool {
    let mut shared = false;
    b.walk(&mut |part| shared = shared || matches!(part.kind, ExprKind::Var(_)) && occurs(a, part));
    shared
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
