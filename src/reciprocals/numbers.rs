//! What the host computes of a divisor, and what a thread computes with that (Granlund and Montgomery, *Division by Invariant
//! Integers using Multiplication*, 1994; `FastDivmod` of CUTLASS).
//!
//! For dividends `0 <= x < 2**n` and a divisor `0 < d <= 2**n` let `l` be the least number with `d <= 2**l`, `s = n + l`, and
//! `m` the least integer that is at least `2**s / d`. Then `m < 2**(n + 1)`, but for `d = 2**l`, where it is `2**n`, and
//! `x // d = (x * m) >> s`: `m * d` is `2**s + e` with `0 <= e < d`, so `x * m / 2**s` is more than `x / d` by
//! `x * e / (d * 2**s)`, which is less than `1 / d` since `x * e < 2**n * 2**l`.
//!
//! - Of `int32`, `n` is 31: the product has at most 63 bits, so that one multiplication of 32 by 32 bits and one shift do.
//! - Of `int64`, `n` is 41, which is more than the threads that a launch can have. A greater divisor counts as `2**41`: the
//!   quotient is 0 for both. `m` has 42 bits and is two halves of 21, `m = h * 2**21 + k`, so that no product has more than 62
//!   bits: `(x * m) >> s = (x * h + ((x * k) >> 21)) >> (s - 21)`. To compute `m` the host divides twice, as one does by hand:
//!   `2**s / d = 2**41 + 2**41 * r / d` for `r = 2**l - d < d`, of which the first division gives 21 bits and the second 20.

use crate::ir::{BinOp, DType, Expr, FreshNames, Kind, PrimFunc, Stmt, StmtKind, Type, VarId};

/// Unsigned integers.
const U32: DType = DType::new(Kind::UInt, 32);
const U64: DType = DType::new(Kind::UInt, 64);

/// The greatest `int64` that is divided.
pub(super) const MOST_WIDE: i64 = (1 << WIDE) - 1;

/// How many bits such a dividend has, and each half of a multiplier.
const WIDE: i64 = 41;
const HALF: i64 = 21;

/// What it takes to divide by something: variables of the host.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reciprocal {
    /// Of an `int32`: `m`, an `uint32`, and `s`.
    Narrow { multiplier: VarId, shift: VarId },
    /// Of an `int64`: the divisor within its bounds, `s - 21`, what remains after the first division and is divided again,
    /// `m`, and its halves, which are `uint32`.
    Wide { divisor: VarId, shift: VarId, first: VarId, rest: VarId, multiplier: VarId, halves: [VarId; 2] },
}

impl Reciprocal {
    /// New variables for it.
    pub(super) fn new(func: &mut PrimFunc, names: &mut FreshNames, dtype: DType) -> Reciprocal {
        let mut new = |dtype| func.new_var(names.next(), Type::Prim(dtype));
        if dtype == DType::I32 {
            return Reciprocal::Narrow { shift: new(DType::I32), multiplier: new(U32) };
        }
        Reciprocal::Wide {
            divisor: new(DType::I64),
            shift: new(DType::I64),
            first: new(DType::I64),
            rest: new(DType::I64),
            multiplier: new(DType::I64),
            halves: [new(U32), new(U32)],
        }
    }

    /// `x // divisor`.
    pub(super) fn quotient(self, x: Expr) -> Expr {
        match self {
            Reciprocal::Narrow { multiplier, shift } => {
                let product =
                    Expr::cast(U64, Expr::cast(U32, x)) * Expr::cast(U64, Expr::var(multiplier, U32));
                let shift = Expr::cast(U64, Expr::var(shift, DType::I32));
                Expr::cast(DType::I32, Expr::call(U64, "shift_right", vec![product, shift]))
            }
            Reciprocal::Wide { shift, halves, .. } => {
                let [high, low] = halves.map(|half| x.clone() * Expr::cast(DType::I64, Expr::var(half, U32)));
                shifted(
                    "shift_right",
                    high + shifted("shift_right", low, long(HALF)),
                    Expr::var(shift, DType::I64),
                )
            }
        }
    }

    /// The statements that compute it.
    pub(super) fn bindings(self, divisor: &Expr) -> Vec<Stmt> {
        match self {
            Reciprocal::Narrow { multiplier, shift } => narrow(divisor, multiplier, shift),
            Reciprocal::Wide { divisor: d, shift, first, rest, multiplier, halves } => {
                let var = |var| Expr::var(var, DType::I64);
                let left = |e, by| shifted("shift_left", e, by);
                let bounded = Expr::binary(BinOp::Min, at_least_1(divisor), long(1 << WIDE));
                // `s - 21`, for `l = 63 - clz(2 * d - 1)`.
                let bits = Expr::cast(DType::I64, Expr::call(DType::I32, "clz", vec![var(d) * 2 - 1]));
                let power = left(long(1), var(shift) - (WIDE - HALF));
                let remainder = var(first) - var(first).floordiv(var(d)) * var(d);
                let whole = long(1 << WIDE) + left(var(first).floordiv(var(d)), long(WIDE - HALF));
                let rounded = (var(rest) + var(d) - 1).floordiv(var(d));
                vec![
                    binding(d, bounded),
                    binding(shift, long(63 + WIDE - HALF) - bits),
                    binding(first, left(power - var(d), long(HALF))),
                    binding(rest, left(remainder, long(WIDE - HALF))),
                    binding(multiplier, whole + rounded),
                    binding(halves[0], Expr::cast(U32, var(multiplier).floordiv(long(1 << HALF)))),
                    binding(halves[1], Expr::cast(U32, var(multiplier).floormod(long(1 << HALF)))),
                ]
            }
        }
    }
}

/// The statements that compute `m` and `s` of an `int32`.
fn narrow(divisor: &Expr, multiplier: VarId, shift: VarId) -> Vec<Stmt> {
    let d = at_least_1(divisor);
    // The least `l` with `d <= 2**l` is one less than the number of bits of `2 * d - 1`, which is never 0.
    let twice = Expr::cast(U32, d.clone()) * Expr::int(2, U32) - Expr::int(1, U32);
    let bits = Expr::call(DType::I32, "clz", vec![twice]);
    let power = shifted("shift_left", long(1), Expr::cast(DType::I64, Expr::var(shift, DType::I32)));
    let rounded = (power - 1).floordiv(Expr::cast(DType::I64, d)) + 1;
    vec![binding(shift, Expr::int(31 + 31, DType::I32) - bits), binding(multiplier, Expr::cast(U32, rounded))]
}

fn at_least_1(divisor: &Expr) -> Expr {
    Expr::binary(BinOp::Max, divisor.clone(), Expr::int(1, divisor.dtype))
}

fn binding(var: VarId, value: Expr) -> Stmt {
    Stmt::new(StmtKind::Bind { var, value })
}

fn long(value: i64) -> Expr {
    Expr::int(value, DType::I64)
}

/// A shift of an `int64`.
fn shifted(name: &str, value: Expr, by: Expr) -> Expr {
    Expr::call(DType::I64, name, vec![value, by])
}
