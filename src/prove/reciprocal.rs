//! Quotients of `int32` that are computed with a multiplier and a shift: for `1 <= d < 2**31`, `s = 62 - clz(2 * d - 1)` and
//! `m = (2**s - 1) // d + 1` it is `x // d = (x * m) >> s` for all `0 <= x < 2**31` (Granlund and Montgomery, *Division by
//! Invariant Integers using Multiplication*, 1994). With `2**(l - 1) < d <= 2**l` the shift is `s = 31 + l`, `m * d` is
//! `2**s + e` with `0 <= e < d`, and so `x * m / 2**s` exceeds `x / d` by `x * e / (d * 2**s) < 1 / d`, since
//! `x * e < 2**31 * 2**l`.

use hashbrown::HashSet;

use super::term::{Node, Term};
use super::value::{Machine, Side, Unsupported};
use crate::ir::{BinOp, DType, Expr, ExprKind, Kind, VarId};

const U32: DType = DType::new(Kind::UInt, 32);
const U64: DType = DType::new(Kind::UInt, 64);

/// Stands for the divisor and the shift in the expressions that say what these numbers are.
const DIVISOR: VarId = VarId(u32::MAX);
const SHIFT: VarId = VarId(u32::MAX - 1);

impl Machine<'_> {
    /// What an expression is worth that is worth `value` as it is written: a quotient where it is one of these.
    pub(super) fn reciprocal(&mut self, side: Side, e: &Expr, value: Term) -> Term {
        let Some([x, multiplier, shift]) = parts(e) else { return value };
        // All of them have been evaluated with the expression, and owe nothing any more.
        let quiet = std::mem::replace(&mut self.quiet, true);
        let found = self.divided(side, x, multiplier, shift);
        self.quiet = quiet;
        let Ok(Some((x, divisor))) = found else { return value };
        let mut quotient = self.terms.quotient(x, divisor);
        if let Some(size) = self.clamped(divisor) {
            // A size is at least 1 where it is not 0, which is what a program that divides by it says.
            let is_positive = if self.terms.range(size).not_negative() {
                let zero = self.terms.is_zero(size);
                self.terms.not(zero)
            } else {
                let one = self.terms.int(1);
                self.terms.at_most(one, size)
            };
            let by_size = self.terms.quotient(x, size);
            quotient = self.terms.choice(is_positive, by_size, quotient);
        }
        // The dividend is an `int32` here; that the divisor was one, too, has to be known.
        let most = self.terms.int(i128::from(i32::MAX));
        let parts = [self.terms.not_negative(x), self.terms.at_most(divisor, most)];
        let holds = self.terms.and(&parts);
        self.terms.choice(holds, quotient, value)
    }

    /// The dividend and the divisor, which is at least 1, if the multiplier and the shift are those of one.
    fn divided(
        &mut self,
        side: Side,
        x: &Expr,
        multiplier: &Expr,
        shift: &Expr,
    ) -> Result<Option<(Term, Term)>, Unsupported> {
        let (multiplier, shift) = (self.value(side, multiplier)?, self.value(side, shift)?);
        for divisor in self.divisors(multiplier) {
            self.program(side).vars.insert(DIVISOR, divisor);
            self.program(side).vars.insert(SHIFT, shift);
            if self.value(side, &shift_of())? == shift && self.value(side, &multiplier_of())? == multiplier {
                return Ok(Some((self.value(side, x)?, divisor)));
            }
        }
        Ok(None)
    }

    /// What quotients in a term are divided by.
    fn divisors(&self, term: Term) -> Vec<Term> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![term], HashSet::new());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::Quotient(_, by) = self.terms.node(term) {
                found.push(*by);
            }
            self.terms.for_each_part(term, |part| open.push(part));
        }
        found
    }

    /// The integer of which a term is the greater one, and 1.
    fn clamped(&self, term: Term) -> Option<Term> {
        match self.terms.node(term) {
            Node::Extremum { greatest: true, of } => match of[..] {
                [one, other] | [other, one] if self.terms.as_int(one) == Some(1) => Some(other),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The dividend, the multiplier and the shift of `T.Cast("int32", (uint64(uint32(x)) * uint64(m)) >> uint64(s))`.
fn parts(e: &Expr) -> Option<[&Expr; 3]> {
    let shifted = converted(e, DType::I32)?;
    let ("shift_right", [product, shift]) = shifted.as_intrin()? else { return None };
    let ExprKind::Binary(BinOp::Mul, x, multiplier) = &product.kind else { return None };
    let x = converted(converted(x, U64)?, U32)?;
    let (multiplier, shift) = (converted(multiplier, U64)?, converted(shift, U64)?);
    let fits = x.dtype == DType::I32 && multiplier.dtype == U32 && shift.dtype == DType::I32;
    fits.then_some([x, multiplier, shift])
}

/// What is converted to a type.
fn converted(e: &Expr, to: DType) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Cast(of) if e.dtype == to => Some(of),
        _ => None,
    }
}

/// The divisor, or 1 where it is less.
fn at_least_1() -> Expr {
    Expr::binary(BinOp::Max, Expr::var(DIVISOR, DType::I32), Expr::int(1, DType::I32))
}

/// The shift for the divisor.
fn shift_of() -> Expr {
    let twice = Expr::cast(U32, at_least_1()) * Expr::int(2, U32) - Expr::int(1, U32);
    Expr::int(62, DType::I32) - Expr::call(DType::I32, "clz", vec![twice])
}

/// The multiplier for the divisor.
fn multiplier_of() -> Expr {
    let exponent = Expr::cast(DType::I64, Expr::var(SHIFT, DType::I32));
    let power = Expr::call(DType::I64, "shift_left", vec![Expr::int(1, DType::I64), exponent]);
    Expr::cast(U32, (power - 1).floordiv(Expr::cast(DType::I64, at_least_1())) + 1)
}
