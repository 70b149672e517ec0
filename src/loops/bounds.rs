//! Conditions as bounds of a loop variable: comparisons that are linear in it, solved for it.

use super::normal::{Division, division};
use super::place::{Place, folded};
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, StmtKind, VarId};

/// How many quotients of a comparison are looked at.
const MAX_QUOTIENTS: usize = 4;

/// What chooses between two values or ways.
#[derive(Clone, Copy, Debug)]
pub(super) enum Choice<'e> {
    /// The condition of an `if` or of a value.
    Condition(&'e Expr),
    /// The two integers of a minimum or maximum.
    Extreme(&'e Expr, &'e Expr),
}

/// All choices in a block, in the order in which they are written.
pub(super) fn for_each_choice<'e>(block: &'e Block, look: &mut impl FnMut(Choice<'e>)) {
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if let StmtKind::If { cond, .. } = &stmt.kind {
                look(Choice::Condition(cond));
            }
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| match &e.kind {
                    ExprKind::Select(select) => look(Choice::Condition(&select.cond)),
                    ExprKind::Call(call) if call.is_lazy_select() => look(Choice::Condition(&call.args[0])),
                    ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) if e.dtype.is_index() => {
                        look(Choice::Extreme(a, b));
                    }
                    _ => {}
                });
            });
        });
    }
}

/// Where a comparison holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bound {
    /// At this value and above.
    From(Expr),
    /// Below this value.
    Below(Expr),
}

/// `slope * var + rest <= 0`, with a slope that is not 0 and a rest that is free of the variable.
#[derive(Clone, Debug)]
pub(super) struct Inequality {
    pub(super) slope: i64,
    pub(super) rest: Poly,
}

/// A comparison of integers as inequalities of `e <= 0`, all of which hold where it holds: two of an equation. Quotients by
/// constants become what is divided. `None` for what is no comparison of `int32` or `int64`, or has no such form (`!=`).
pub(super) fn sums_at_most_zero(atoms: &mut Atoms, cond: &Expr, truth: bool) -> Option<Vec<Poly>> {
    match &cond.kind {
        ExprKind::Not(inner) => return sums_at_most_zero(atoms, inner, !truth),
        ExprKind::Call(_) => {
            return match cond.as_intrin() {
                Some(("likely", [inner])) => sums_at_most_zero(atoms, inner, truth),
                _ => None,
            };
        }
        _ => {}
    }
    let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
    if !op.is_compare() || !a.dtype.is_index() || !a.dtype.is_scalar() {
        return None;
    }
    let (a, b) = (atoms.poly(a)?, atoms.poly(b)?);
    let one = Poly::constant(1);
    // a <= b, a < b as a + 1 <= b.
    let (at_most, below) = (a.plus(&b, -1), a.plus(&one, 1).plus(&b, -1));
    let (at_least, above) = (b.plus(&a, -1), b.plus(&one, 1).plus(&a, -1));
    let sums = match (op, truth) {
        (BinOp::Le, true) | (BinOp::Gt, false) => vec![at_most],
        (BinOp::Lt, true) | (BinOp::Ge, false) => vec![below],
        (BinOp::Ge, true) | (BinOp::Lt, false) => vec![at_least],
        (BinOp::Gt, true) | (BinOp::Le, false) => vec![above],
        (BinOp::Eq, true) | (BinOp::Ne, false) => vec![at_most, at_least],
        _ => return None,
    };
    Some(sums.into_iter().map(|sum| without_quotients(atoms, sum)).collect())
}

/// A sum that is at most 0 where another one is, without quotients by constants as far as that is possible: `s // d <= m` is
/// `s <= d * m + d - 1`, and `s // d >= m` is `s >= d * m`.
fn without_quotients(atoms: &mut Atoms, mut sum: Poly) -> Poly {
    for _ in 0..MAX_QUOTIENTS {
        let quotient = atoms.multiples(&sum).into_iter().find_map(|(atom, times)| {
            let Division { dividend, divisor, is_quotient: true, truncates: false } = division(&atom)? else {
                return None;
            };
            let by = divisor.as_int().filter(|by| *by > 0)?;
            Some((atoms.poly(dividend)?, by, sum.plus(&atoms.atom(&atom), times.checked_neg()?), times))
        });
        let Some((dividend, by, rest, times)) = quotient else { break };
        // times * (s // d) + rest <= 0.
        let rest = match (times, rest.as_constant()) {
            (1 | -1, _) => rest,
            // s // d <= floor(-rest / times), and >= ceil(rest / -times).
            (_, Some(rest)) if rest > i64::MIN => Poly::constant(-(-rest).div_euclid(times.abs())),
            _ => break,
        };
        let multiple = rest.times(&Poly::constant(by));
        sum = if times > 0 {
            dividend.plus(&multiple, 1).plus(&Poly::constant(by - 1), -1)
        } else {
            multiple.plus(&dividend, -1)
        };
    }
    sum
}

/// A sum that is at most 0, as an inequality of a variable.
pub(super) fn inequality(atoms: &Atoms, sum: &Poly, var: VarId) -> Option<Inequality> {
    let linear = atoms.linear(sum, var)?;
    let slope = linear.slope.as_constant().filter(|&slope| slope != 0)?;
    Some(Inequality { slope, rest: linear.rest })
}

impl Inequality {
    /// The values of the variable for which it holds. `None` if the bound cannot be written.
    pub(super) fn solved(&self, atoms: &Atoms, dtype: DType) -> Option<Bound> {
        let (zero, one) = (Poly::default(), Poly::constant(1));
        let size = self.slope.checked_abs()?;
        if self.slope > 0 {
            // var <= floor(-rest / slope), so var < floor(-rest / slope) + 1
            let most = zero.plus(&self.rest, -1);
            return Some(Bound::Below(if size == 1 {
                atoms.expr(&most.plus(&one, 1), dtype)?
            } else {
                folded(BinOp::Add, quotient(atoms.expr(&most, dtype)?, size), Expr::int(1, dtype))
            }));
        }
        // var >= ceil(rest / size)
        Some(Bound::From(if size == 1 {
            atoms.expr(&self.rest, dtype)?
        } else {
            quotient(atoms.expr(&self.rest.plus(&Poly::constant(size - 1), 1), dtype)?, size)
        }))
    }
}

fn quotient(e: Expr, divisor: i64) -> Expr {
    let divisor = Expr::int(divisor, e.dtype);
    folded(BinOp::FloorDiv, e, divisor)
}

/// The parts of a conjunction, in order, without `T.likely`.
pub(super) fn conjuncts(cond: &Expr) -> Vec<Expr> {
    fn collect(cond: &Expr, parts: &mut Vec<Expr>) {
        match (&cond.kind, cond.as_intrin()) {
            (ExprKind::Binary(BinOp::And, a, b), _) if cond.dtype.is_scalar() => {
                collect(a, parts);
                collect(b, parts);
            }
            (_, Some(("likely", [inner]))) => collect(inner, parts),
            _ => parts.push(cond.clone()),
        }
    }
    let mut parts = Vec::new();
    collect(cond, &mut parts);
    parts
}

/// The conjunction of conditions; `None` of none.
pub(super) fn conjunction(parts: Vec<Expr>) -> Option<Expr> {
    parts.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b))
}

/// The smaller (`Min`) or larger (`Max`) of two values, one of them alone where the order is proven.
pub(super) fn chosen(place: &Place<'_>, op: BinOp, a: Expr, b: Expr) -> Expr {
    let (low, high) = if op == BinOp::Min { (&a, &b) } else { (&b, &a) };
    if place.at_most(low, high) {
        a
    } else if place.at_most(high, low) {
        b
    } else {
        folded(op, a, b)
    }
}
