//! Integers as sums over quotients: `p % d` is `p - d * (p // d)`, so quotients are the only atoms that division leaves, and a
//! quotient gives up what is a multiple of its divisor. Sums that are written in many ways become one.

use std::cmp::Ordering;

use super::place::folded;
use crate::arith::Interval;
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, DType, Expr, ExprKind};

/// How often one quotient is taken apart.
const MAX_ROUNDS: usize = 6;

/// The most terms of a sum.
const MAX_TERMS: usize = 32;

/// What a division takes, in parts of an expression.
const DIVISION: usize = 6;

/// A division of integers that rounds down.
pub(super) struct Division<'e> {
    pub(super) dividend: &'e Expr,
    pub(super) divisor: Expr,
    pub(super) is_quotient: bool,
    /// Whether it rounds towards zero, and so is this only of what is not negative.
    pub(super) truncates: bool,
}

/// The quotient or remainder that an expression of an index type is, also one that is written as a shift or by bits.
pub(super) fn division(e: &Expr) -> Option<Division<'_>> {
    if !e.dtype.is_index() || !e.dtype.is_scalar() {
        return None;
    }
    let power = |bits: &Expr| bits.as_int().filter(|bits| (1..31).contains(bits)).map(|bits| 1_i64 << bits);
    match &e.kind {
        ExprKind::Binary(op, a, b) if op.is_division() => Some(Division {
            dividend: a,
            divisor: (**b).clone(),
            is_quotient: matches!(op, BinOp::FloorDiv | BinOp::Div),
            truncates: matches!(op, BinOp::Div | BinOp::Mod),
        }),
        ExprKind::Call(_) => {
            let (dividend, by, is_quotient) = match e.as_intrin()? {
                ("shift_right", [a, bits]) => (a, power(bits)?, true),
                ("bitwise_and", [a, mask]) => {
                    let by = mask.as_int()?.checked_add(1)?;
                    (a, Some(by).filter(|by| *by > 1 && by.count_ones() == 1)?, false)
                }
                _ => return None,
            };
            Some(Division { dividend, divisor: Expr::int(by, e.dtype), is_quotient, truncates: false })
        }
        _ => None,
    }
}

/// Whether an expression is a sum, a product or a division of integers.
pub(super) fn is_arithmetic(e: &Expr) -> bool {
    let is_ring = matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_ring());
    is_ring && e.dtype.is_index() && e.dtype.is_scalar() || division(e).is_some()
}

/// Where the values of an expression lie, given the ranges of variables.
pub(super) fn range(ranges: &[Interval], e: &Expr) -> Interval {
    let of = |e: &Expr| range(ranges, e);
    if let Some(Division { dividend, divisor, is_quotient, truncates }) = division(e) {
        // What divides is not 0.
        let (a, by) = (of(dividend), of(&divisor));
        let b = if by.at_least(0) { by.meet(Interval::POSITIVE).unwrap_or(by) } else { by };
        let found = match (is_quotient, truncates) {
            (true, false) => a.floordiv(b),
            (false, false) => a.floormod(b),
            (true, true) => a.truncdiv(b),
            (false, true) => a.truncmod(b),
        };
        return found.unwrap_or(Interval::ALL);
    }
    match &e.kind {
        ExprKind::Int(value) => Interval::point(*value),
        ExprKind::Var(var) => ranges.get(var.index()).copied().unwrap_or(Interval::ALL),
        ExprKind::Binary(op, a, b) if e.dtype.is_index() && e.dtype.is_scalar() => {
            let (a, b) = (of(a), of(b));
            match op {
                BinOp::Add => a.add(b),
                BinOp::Sub => a.sub(b),
                BinOp::Mul => a.mul(b),
                BinOp::Min => a.min(b),
                BinOp::Max => a.max(b),
                _ => Interval::ALL,
            }
        }
        ExprKind::Cast(a) if e.dtype.is_index() && a.dtype.is_index() && e.dtype.bits >= a.dtype.bits => {
            of(a)
        }
        ExprKind::Select(select) => of(&select.then).join(of(&select.otherwise)),
        ExprKind::Call(call) if call.is_lazy_select() => of(&call.args[1]).join(of(&call.args[2])),
        _ => Interval::ALL,
    }
}

/// What an expression becomes as a sum.
#[derive(Clone)]
pub(super) enum Reduced {
    /// What takes as much.
    AsShort,
    /// What takes less. What it computes may be out of its type's range.
    To(Expr),
}

/// Makes sums of the expressions at one place.
pub(super) struct Sums<'a> {
    atoms: Atoms,
    ranges: &'a [Interval],
    /// Whether a condition holds, if that is proven.
    prove: &'a mut dyn FnMut(&Expr) -> bool,
}

impl<'a> Sums<'a> {
    pub(super) fn new(ranges: &'a [Interval], prove: &'a mut dyn FnMut(&Expr) -> bool) -> Sums<'a> {
        Sums { atoms: Atoms::default(), ranges, prove }
    }

    /// What an expression becomes; `None` if that takes more.
    pub(super) fn reduced(&mut self, e: &Expr) -> Option<Reduced> {
        let sum = self.sum(e)?;
        let sum = self.with_remainders(sum);
        let made = self.atoms.expr(&sum, e.dtype)?;
        match weight(&made).cmp(&weight(e)) {
            Ordering::Less => Some(Reduced::To(made)),
            Ordering::Equal => Some(Reduced::AsShort),
            Ordering::Greater => None,
        }
    }

    /// Where the difference of two integers lies.
    pub(super) fn difference(&mut self, a: &Expr, b: &Expr) -> Option<Interval> {
        let difference = self.sum(a)?.plus(&self.sum(b)?, -1);
        Some(self.range(&difference))
    }

    /// Whether two expressions are the same once that the integers in them are written as sums.
    pub(super) fn same(&mut self, a: &Expr, b: &Expr) -> bool {
        let (mut a, mut b) = (a.clone(), b.clone());
        self.write_as_sums(&mut a);
        self.write_as_sums(&mut b);
        a == b
    }

    fn write_as_sums(&mut self, e: &mut Expr) {
        if !is_arithmetic(e) {
            e.for_each_child_mut(|part| self.write_as_sums(part));
        } else if let Some(sum) = self.sum(e)
            && let Some(made) = self.atoms.expr(&sum, e.dtype)
        {
            *e = made;
        }
    }

    /// Where the variable of a loop lies that runs from `min`.
    pub(super) fn of_loop(&mut self, min: &Expr, extent: &Expr) -> Option<Interval> {
        let first = self.sum(min)?;
        let last = first.plus(&self.sum(extent)?, 1).plus(&Poly::constant(1), -1);
        let (low, high) = (self.range(&first).lo(), self.range(&last).hi());
        Interval::between(low.map(i128::from), high.map(i128::from))
    }

    fn range(&self, sum: &Poly) -> Interval {
        self.atoms.range(sum, &|atom| range(self.ranges, atom))
    }

    fn sum(&mut self, e: &Expr) -> Option<Poly> {
        if !e.dtype.is_index() || !e.dtype.is_scalar() {
            return None;
        }
        let sum = match &e.kind {
            ExprKind::Int(value) => Poly::constant(*value),
            ExprKind::Binary(BinOp::Add, a, b) => self.sum(a)?.plus(&self.sum(b)?, 1),
            ExprKind::Binary(BinOp::Sub, a, b) => self.sum(a)?.plus(&self.sum(b)?, -1),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.sum(a)?, self.sum(b)?);
                if a.len() * b.len() > MAX_TERMS {
                    return None;
                }
                a.times(&b)
            }
            _ => match division(e) {
                Some(division) => self.division(e, &division)?,
                None => self.atoms.atom(e),
            },
        };
        (sum.len() <= MAX_TERMS).then_some(sum)
    }

    fn division(&mut self, e: &Expr, division: &Division<'_>) -> Option<Poly> {
        let Division { dividend, divisor, is_quotient, truncates } = division;
        let is_natural = |e: &Expr| range(self.ranges, e).at_least(0);
        if *truncates && !(is_natural(dividend) && is_natural(divisor)) {
            return Some(self.atoms.atom(e));
        }
        let sum = self.sum(dividend)?;
        let quotient = match divisor.as_int() {
            Some(by) if by > 0 => self.by_constant(sum.clone(), by, e.dtype)?,
            Some(_) => return Some(self.atoms.atom(e)),
            None => self.by_sum(&sum, divisor, e.dtype)?,
        };
        if *is_quotient {
            return Some(quotient);
        }
        let by = self.sum(divisor)?;
        Some(sum.plus(&by.times(&quotient), -1))
    }

    /// The quotient of a sum by a constant.
    fn by_constant(&mut self, mut sum: Poly, mut by: i64, dtype: DType) -> Option<Poly> {
        let mut quotient = Poly::default();
        for _ in 0..MAX_ROUNDS {
            let [floor, short] = [false, true].map(|toward_zero| sum.split(by, toward_zero));
            for (multiple, rest) in [&floor, &short] {
                let range = self.range(rest);
                if let (Some(low), Some(high)) = (range.lo(), range.hi())
                    && low.div_euclid(by) == high.div_euclid(by)
                {
                    let more = Poly::constant(low.div_euclid(by));
                    return Some(quotient.plus(multiple, 1).plus(&more, 1));
                }
            }
            // Constants are between 0 and the divisor, so that there is one form.
            let (multiple, rest) = short;
            let constant = self.atoms.without(&rest, |_| true).0.as_constant().unwrap_or(0).div_euclid(by);
            let rest = rest.plus(&Poly::constant(by), constant.saturating_neg());
            quotient = quotient.plus(&multiple, 1).plus(&Poly::constant(constant), 1);
            // (g * s + c) // (g * d), where c is less than g, is s // d.
            let common = rest.common(by);
            if common > 1 {
                (sum, _) = rest.split(common, false);
                by /= common;
                continue;
            }
            // (s + x // c) // d is (s * c + x) // (c * d).
            let inner = self.atoms.addends(&rest).find_map(|atom| {
                let Division { dividend, divisor, is_quotient: true, truncates: false } = division(atom)?
                else {
                    return None;
                };
                let by = divisor.as_int().filter(|by| *by > 0)?;
                Some((atom.clone(), dividend.clone(), by))
            });
            let longer = inner.as_ref().and_then(|(_, _, more)| by.checked_mul(*more));
            if let (Some((atom, dividend, more)), Some(longer)) = (inner, longer.filter(|by| *by < 1 << 31)) {
                let others = rest.plus(&self.atoms.atom(&atom), -1);
                sum = others.times(&Poly::constant(more)).plus(&self.sum(&dividend)?, 1);
                by = longer;
                continue;
            }
            sum = rest;
            break;
        }
        if by == 1 {
            return Some(quotient.plus(&sum, 1));
        }
        let rest = self.atoms.expr(&sum, dtype)?;
        let left = folded(BinOp::FloorDiv, rest, Expr::int(by, dtype));
        Some(quotient.plus(&self.atoms.atom(&left), 1))
    }

    /// The quotient of a sum by what is no constant.
    fn by_sum(&mut self, sum: &Poly, divisor: &Expr, dtype: DType) -> Option<Poly> {
        let by = self.sum(divisor)?;
        let (quotient, rest) = sum.divided(&by)?;
        if rest.is_zero() {
            return Some(quotient);
        }
        let rest = self.atoms.expr(&rest, dtype)?;
        let zero = Expr::int(0, dtype);
        let is_remainder = !quotient.is_zero() && {
            let (low, high) = (Expr::binary(BinOp::Le, zero, rest.clone()), rest.clone().lt(divisor.clone()));
            (self.prove)(&low) && (self.prove)(&high)
        };
        if is_remainder {
            return Some(quotient);
        }
        let left = Expr::binary(BinOp::FloorDiv, rest, divisor.clone());
        Some(quotient.plus(&self.atoms.atom(&left), 1))
    }

    /// The sum with remainders in place of what quotients leave, where that is shorter.
    fn with_remainders(&mut self, mut sum: Poly) -> Poly {
        let quotients: Vec<(Expr, i64)> = self.atoms.multiples(&sum);
        for (atom, times) in quotients {
            let Some(Division { dividend, divisor, is_quotient: true, truncates: false }) = division(&atom)
            else {
                continue;
            };
            let Some(by) = divisor.as_int().filter(|by| *by > 0 && times % by == 0) else { continue };
            let Some(inner) = self.sum(dividend) else { continue };
            let taken = times / by;
            let rest = sum.plus(&self.atoms.atom(&atom), times.saturating_neg()).plus(&inner, taken);
            if rest.len() < sum.len() {
                let remainder = Expr::binary(BinOp::FloorMod, dividend.clone(), divisor);
                sum = rest.plus(&self.atoms.atom(&remainder), taken.saturating_neg());
            }
        }
        sum
    }
}

/// How long an expression is, divisions by how long they take.
fn weight(e: &Expr) -> usize {
    let mut weight = 0;
    e.walk(&mut |e| weight += if division(e).is_some() { DIVISION } else { 1 });
    weight
}
