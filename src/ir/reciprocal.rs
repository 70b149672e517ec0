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

#[cfg(test)]
pub(crate) mod tests;

use super::{BinOp, DType, Expr, ExprKind, Kind, VarId};

const U32: DType = DType::new(Kind::UInt, 32);
const U64: DType = DType::new(Kind::UInt, 64);

/// Stand for the divisor and the shift in [`Written::formulas`].
pub(crate) const DIVISOR: VarId = VarId(u32::MAX);
pub(crate) const SHIFT: VarId = VarId(u32::MAX - 1);

/// How many bits a dividend has that is an `int64`, and each half of a multiplier.
pub(crate) const WIDE: i64 = 41;
const HALF: i64 = 21;

/// A quotient as it is written: what is divided, and by which numbers.
pub(crate) enum Written<'e> {
    /// Of an `int32`.
    Narrow {
        /// What is divided.
        x: &'e Expr,
        /// `m`
        multiplier: &'e Expr,
        /// `s`
        shift: &'e Expr,
    },
    /// Of an `int64`, which is there twice.
    Wide {
        /// What is divided.
        x: [&'e Expr; 2],
        /// `h` and `k`
        halves: [&'e Expr; 2],
        /// `t`
        shift: &'e Expr,
    },
}

impl<'e> Written<'e> {
    /// The quotient that an expression is, if its numbers are those of a divisor.
    pub(crate) fn read(e: &'e Expr) -> Option<Written<'e>> {
        narrow(e).or_else(|| wide(e))
    }

    /// What is divided, as often as it is there.
    pub(crate) fn dividends(&self) -> Vec<&'e Expr> {
        match *self {
            Written::Narrow { x, .. } => vec![x],
            Written::Wide { x, .. } => x.into(),
        }
    }

    /// The shift, and then the multiplier or its halves.
    pub(crate) fn numbers(&self) -> Vec<&'e Expr> {
        match *self {
            Written::Narrow { multiplier, shift, .. } => vec![shift, multiplier],
            Written::Wide { halves: [high, low], shift, .. } => vec![shift, high, low],
        }
    }

    /// What these numbers are, as expressions of [`DIVISOR`] and [`SHIFT`].
    pub(crate) fn formulas(&self) -> Vec<Expr> {
        match self {
            Written::Narrow { .. } => vec![shift_of(), multiplier_of()],
            Written::Wide { .. } => {
                let [high, low] = wide_halves_of();
                vec![wide_shift_of(), high, low]
            }
        }
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
