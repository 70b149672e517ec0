//! Quotients that are computed with a multiplier and a shift (Granlund and Montgomery, *Division by Invariant Integers using
//! Multiplication*, 1994). For dividends `0 <= x < 2**n` and a divisor `1 <= d <= 2**n` let `l` be the least number with
//! `d <= 2**l`, `s = n + l` and `m` the least integer that is at least `2**s / d`: then `x // d = (x * m) >> s`, since
//! `m * d` is `2**s + e` with `0 <= e < d`, and so `x * m / 2**s` exceeds `x / d` by `x * e / (d * 2**s) < 1 / d`, as
//! `x * e < 2**n * 2**l`.
//!
//! - Of `int32`: `n` is 31, `s = 62 - clz(2 * d - 1)` and `m = (2**s - 1) // d + 1`.
//! - Of `int64`: `n` is 41, and the product is computed in halves: with `m = h * 2**21 + k` it is
//!   `(x * m) >> s = (x * h + ((x * k) >> 21)) >> (s - 21)`. What is written is `t = s - 21 = 83 - clz(2 * d - 1)`,
//!   `r = (2**(t - 20) - d) << 21`, `q = (r - r // d * d) << 20` and `m = 2**41 + (r // d << 20) + (q + d - 1) // d`. That is
//!   the least integer: `r = (2**l - d) * 2**21`, and `2**s / d` is `2**41 + r * 2**20 / d`, of which `r // d * 2**20` and
//!   the least integer that is at least `q / d` are the parts.

use hashbrown::HashSet;

use super::term::{Node, Term};
use super::value::{Machine, Side, Unsupported};
use crate::ir::{BinOp, DType, Expr, ExprKind, Kind, VarId};

const U32: DType = DType::new(Kind::UInt, 32);
const U64: DType = DType::new(Kind::UInt, 64);

/// Stand for the divisor and the shift in the expressions that say what these numbers are.
const DIVISOR: VarId = VarId(u32::MAX);
const SHIFT: VarId = VarId(u32::MAX - 1);

/// How many bits a dividend has that is an `int64`, and each half of a multiplier.
const WIDE: i64 = 41;
const HALF: i64 = 21;

/// A quotient as it is written: what is divided, and by which numbers.
enum Written<'e> {
    Narrow { x: &'e Expr, multiplier: &'e Expr, shift: &'e Expr },
    Wide { x: [&'e Expr; 2], halves: [&'e Expr; 2], shift: &'e Expr },
}

impl Machine<'_> {
    /// What an expression is worth that is worth `value` as it is written: a quotient where it is one of these.
    pub(super) fn reciprocal(&mut self, side: Side, e: &Expr, value: Term) -> Term {
        let Some(written) = narrow(e).or_else(|| wide(e)) else { return value };
        // All of them have been evaluated with the expression, and owe nothing any more.
        let found = self.quietly(|machine| machine.divided(side, &written));
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
            // By more than the dividend can be the quotient is 0, however much more that is.
            let by_size = self.terms.quotient(x, size);
            quotient = self.terms.choice(is_positive, by_size, quotient);
        }
        // That a divisor that is no `int64` was an `int32` has to be known.
        let mut holds = vec![self.terms.not_negative(x)];
        let (number, most) = match written {
            Written::Narrow { .. } => (divisor, i128::from(i32::MAX)),
            Written::Wide { .. } => (x, (1 << WIDE) - 1),
        };
        let most = self.terms.int(most);
        holds.push(self.terms.at_most(number, most));
        let holds = self.terms.and(&holds);
        self.terms.choice(holds, quotient, value)
    }

    /// The dividend and the divisor, which is at least 1, if the numbers are those of one.
    fn divided(&mut self, side: Side, written: &Written<'_>) -> Result<Option<(Term, Term)>, Unsupported> {
        let (x, shift, numbers, of_divisor) = match *written {
            Written::Narrow { x, multiplier, shift } => {
                (vec![x], shift, vec![multiplier], vec![shift_of(), multiplier_of()])
            }
            Written::Wide { x, halves, shift } => {
                let [high, low] = wide_halves_of();
                (x.into(), shift, halves.into(), vec![wide_shift_of(), high, low])
            }
        };
        let mut value = |e| self.value(side, e);
        let x = x.into_iter().map(&mut value).collect::<Result<Vec<_>, _>>()?;
        let numbers = [shift].into_iter().chain(numbers).map(value).collect::<Result<Vec<_>, _>>()?;
        if x.iter().any(|&other| other != x[0]) {
            return Ok(None);
        }
        for divisor in self.divisors(numbers[1]) {
            let range = self.terms.bounds(divisor);
            let is_bounded = range.positive() && range.hi.is_some_and(|hi| hi <= 1 << WIDE);
            if matches!(written, Written::Wide { .. }) && !is_bounded {
                continue;
            }
            self.program(side).vars.insert(DIVISOR, divisor);
            self.program(side).vars.insert(SHIFT, numbers[0]);
            let of_divisor = of_divisor.iter().map(|e| self.value(side, e)).collect::<Result<Vec<_>, _>>()?;
            if of_divisor == numbers {
                return Ok(Some((x[0], divisor)));
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

    /// The integer of which a term is the greater one, and 1; perhaps the lesser one, and more than any dividend.
    fn clamped(&self, term: Term) -> Option<Term> {
        let other_than = |term: Term, kind: bool, number: i128| match self.terms.node(term) {
            Node::Extremum { greatest, of } if *greatest == kind => match of[..] {
                [one, other] | [other, one] if self.terms.as_int(one) == Some(number) => Some(other),
                _ => None,
            },
            _ => None,
        };
        let size = other_than(term, true, 1)?;
        Some(other_than(size, false, 1 << WIDE).unwrap_or(size))
    }
}

/// `T.Cast("int32", (uint64(uint32(x)) * uint64(m)) >> uint64(s))`
fn narrow(e: &Expr) -> Option<Written<'_>> {
    let (product, shift) = shifted_right(converted(e, DType::I32)?)?;
    let ExprKind::Binary(BinOp::Mul, x, multiplier) = &product.kind else { return None };
    let x = converted(converted(x, U64)?, U32)?;
    let (multiplier, shift) = (converted(multiplier, U64)?, converted(shift, U64)?);
    let fits = x.dtype == DType::I32 && multiplier.dtype == U32 && shift.dtype == DType::I32;
    fits.then_some(Written::Narrow { x, multiplier, shift })
}

/// `(x * int64(h) + ((x * int64(k)) >> 21)) >> t`
fn wide(e: &Expr) -> Option<Written<'_>> {
    let (sum, shift) = shifted_right(e)?;
    let ExprKind::Binary(BinOp::Add, high, low) = &sum.kind else { return None };
    let (low, by) = shifted_right(low)?;
    let ((x, high), (same, low)) = (times_half(high)?, times_half(low)?);
    let fits = shift.dtype == DType::I64 && by.as_int() == Some(HALF);
    fits.then_some(Written::Wide { x: [x, same], halves: [high, low], shift })
}

/// The factors of `x * int64(h)`.
fn times_half(e: &Expr) -> Option<(&Expr, &Expr)> {
    let ExprKind::Binary(BinOp::Mul, x, half) = &e.kind else { return None };
    let half = converted(half, DType::I64).filter(|half| half.dtype == U32)?;
    (x.dtype == DType::I64).then_some((x, half))
}

/// What is shifted, and by what.
fn shifted_right(e: &Expr) -> Option<(&Expr, &Expr)> {
    match e.as_intrin()? {
        ("shift_right", [value, by]) => Some((value, by)),
        _ => None,
    }
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
    Expr::cast(U32, (left(long(1), exponent) - 1).floordiv(Expr::cast(DType::I64, at_least_1())) + 1)
}

/// The shift for a divisor of 64 bits, which is from 1 to `2**41`.
fn wide_shift_of() -> Expr {
    let twice = Expr::var(DIVISOR, DType::I64) * 2 - 1;
    long(63 + WIDE - HALF) - Expr::cast(DType::I64, Expr::call(DType::I32, "clz", vec![twice]))
}

/// The halves of its multiplier.
fn wide_halves_of() -> [Expr; 2] {
    let d = || Expr::var(DIVISOR, DType::I64);
    let power = left(long(1), Expr::var(SHIFT, DType::I64) - (WIDE - HALF));
    let first = left(power - d(), long(HALF));
    let rest = left(first.clone() - first.clone().floordiv(d()) * d(), long(WIDE - HALF));
    let whole = long(1 << WIDE) + left(first.floordiv(d()), long(WIDE - HALF));
    let multiplier = whole + (rest + d() - 1).floordiv(d());
    let half = long(1 << HALF);
    [multiplier.clone().floordiv(half.clone()), multiplier.floormod(half)].map(|half| Expr::cast(U32, half))
}

fn long(value: i64) -> Expr {
    Expr::int(value, DType::I64)
}

fn left(value: Expr, by: Expr) -> Expr {
    Expr::call(DType::I64, "shift_left", vec![value, by])
}
