//! Whether facts can change an expression: a cheap question before the expensive search for the answer.
//!
//! What a fact does is to decide a comparison, a minimum or maximum, or a quotient, to let a summand out of a
//! quotient, to exclude the divisor zero, or to equate things. If sample points where all facts hold show that
//! none of this is so for any part of an expression, no search is begun. What is so at the points where the facts need
//! not hold as well is nothing that they teach.

use std::rc::Rc;

use super::lanes::{Lanes, Points};
use super::sample::{Sampler, Samples, binary};
use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// With fewer points than this nothing is ruled out.
const ENOUGH_POINTS: usize = 6;

/// Sample points with and without some facts.
pub(super) struct Lesson<'a> {
    facts: &'a [(Expr, bool)],
    with: Samples<'a>,
    without: Points,
}

/// Whether a simplification is possible as far as the points tell.
#[derive(Clone, Copy)]
struct Gain {
    /// Where the facts hold.
    now: bool,
    /// Where they need not hold.
    before: bool,
}

impl Gain {
    /// Whether it is the facts that make it possible.
    const fn is_taught(self) -> bool {
        self.now && !self.before
    }
}

impl<'a> Lesson<'a> {
    /// What the facts from index `new` on add to the others.
    pub(super) fn new(sampler: &'a Sampler, known: &'a Known, new: usize) -> Lesson<'a> {
        Lesson {
            facts: &known.facts[new..],
            with: Samples::new(sampler, known, known.facts.len()),
            without: Samples::new(sampler, known, new).points(),
        }
    }

    /// Whether the facts, or what is known without them, may simplify `e`.
    pub(super) fn may_change(&self, e: &Expr) -> bool {
        self.cannot_tell(e) || self.look(e, |gain| gain.now, &mut 0, &mut |_| true).is_none()
    }

    /// The parts of `e` that the facts themselves may simplify, each with the arithmetic around it.
    pub(super) fn taught<'e>(&self, e: &'e mut Expr) -> Vec<&'e mut Expr> {
        if self.cannot_tell(e) {
            return vec![e];
        }
        let mut numbers = Vec::new();
        self.look(e, Gain::is_taught, &mut 0, &mut |number| {
            numbers.push(number);
            false
        });
        numbers.sort_unstable();
        let mut parts = Vec::new();
        around(e, &mut 0, &numbers, &mut parts);
        parts
    }

    /// Whether the points leave open what the facts do.
    fn cannot_tell(&self, e: &Expr) -> bool {
        self.with.points().len() < ENOUGH_POINTS
            || self.facts.iter().any(|(fact, truth)| equates(fact, *truth, e))
    }

    /// Calls `found` with the parts of `e` of which some simplification is such as `wanted` says, by their numbers in
    /// the order of [`Expr::walk`], until it returns true. Returns the values of `e`, if it never did.
    fn look(
        &self,
        e: &Expr,
        wanted: fn(Gain) -> bool,
        number: &mut usize,
        found: &mut dyn FnMut(usize) -> bool,
    ) -> Option<Rc<Lanes>> {
        let own = *number;
        *number += 1;
        let mut operands = Some(Vec::new());
        e.for_each_child(|part| {
            if let Some(values) = &mut operands {
                match self.look(part, wanted, number, found) {
                    Some(lanes) => values.push(lanes),
                    None => operands = None,
                }
            }
        });
        let operands = operands?;
        let values = self.with.apply(e, &operands);
        let stop = self.holds(e, &operands, &values, wanted) && found(own);
        (!stop).then_some(values)
    }

    /// Whether some simplification of the operation at the root of `e` is such as `wanted` says.
    fn holds(&self, e: &Expr, operands: &[Rc<Lanes>], values: &Lanes, wanted: fn(Gain) -> bool) -> bool {
        if self.facts.iter().any(|(fact, _)| fact == e) {
            return true;
        }
        let (ExprKind::Binary(op, a, b), [x, y]) = (&e.kind, operands) else { return false };
        if !a.dtype.is_integral() || !a.dtype.is_scalar() {
            return false;
        }
        let with = self.with.points();
        // Possible where none of the points speaks against it.
        let gains = |against: Points| {
            wanted(Gain { now: !against.and(with).any(), before: !against.and(self.without).any() })
        };
        match op {
            BinOp::Min | BinOp::Max => gains(values.where_different(x)) || gains(values.where_different(y)),
            op if op.is_compare() => gains(values.where_true(false)) || gains(values.where_true(true)),
            BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod => {
                let not_positive = y.map(|v| Some(i64::from(v <= 0))).where_true(true);
                if not_positive.and(self.without).any() && !not_positive.and(with).any() {
                    return true;
                }
                let floor = matches!(op, BinOp::FloorDiv | BinOp::FloorMod);
                let op = if floor { BinOp::FloorDiv } else { BinOp::Div };
                let whole = binary(op, a.dtype, x, y);
                let now = whole.is_constant(with);
                if now && wanted(Gain { now, before: whole.is_constant(self.without) }) {
                    return true;
                }
                let mut summands = Vec::new();
                split_sum(a, true, &mut summands);
                summands.len() > 1
                    && (b.as_int().is_some() || summands.iter().any(|(s, _)| shares_variable(s, b)))
                    && summands.iter().any(|(s, plus)| {
                        let part = self.with.lanes(s);
                        let rest = binary(if *plus { BinOp::Sub } else { BinOp::Add }, a.dtype, x, &part);
                        !part.is_constant(with)
                            && gains(whole.where_different(&binary(op, a.dtype, &rest, y)))
                    })
            }
            _ => false,
        }
    }
}

/// Collects the parts of `e` that have one of the numbers, which are sorted, each with the arithmetic around it. `number`
/// is that of `e`; afterwards that of what follows it.
fn around<'e>(e: &'e mut Expr, number: &mut usize, numbers: &[usize], parts: &mut Vec<&'e mut Expr>) {
    let first = numbers.partition_point(|n| n < number);
    let itself = numbers.get(first) == Some(number);
    if itself || is_arithmetic(e) {
        e.walk(&mut |_| *number += 1);
        if numbers.get(first).is_some_and(|n| n < number) {
            parts.push(e);
        }
    } else {
        *number += 1;
        e.for_each_child_mut(|part| around(part, number, numbers, parts));
    }
}

/// Whether an expression is an operation on integers.
fn is_arithmetic(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(_, a, _) => a.dtype.is_integral() && a.dtype.is_scalar() && !a.dtype.is_bool(),
        ExprKind::Select(..) | ExprKind::Cast(_) => e.dtype.is_integral() && e.dtype.is_scalar(),
        _ => false,
    }
}

/// Whether a variable occurs in both.
fn shares_variable(a: &Expr, b: &Expr) -> bool {
    let mut shared = false;
    b.walk(&mut |part| shared = shared || matches!(part.kind, ExprKind::Var(_)) && occurs(a, part));
    shared
}

/// The summands of a sum, with whether they are added.
fn split_sum<'e>(e: &'e Expr, plus: bool, summands: &mut Vec<(&'e Expr, bool)>) {
    match &e.kind {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            split_sum(a, plus, summands);
            split_sum(b, plus == (*op == BinOp::Add), summands);
        }
        _ => summands.push((e, plus)),
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
