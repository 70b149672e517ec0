//! Integers and truth values: `int32` and `int64` report overflow, all other widths wrap.

use super::Undefined;
use crate::ir::{BinOp, DType, Family, Kind};

/// `a op b` on operands of the scalar type `dtype`, an `int`, `uint` or `bool`.
#[inline]
pub(crate) fn binary(op: BinOp, dtype: DType, a: i64, b: i64) -> Result<i64, Undefined> {
    match (dtype.kind, dtype.bits) {
        (Kind::Int, 32 | 64) => index(op, dtype.bits, a, b),
        (Kind::Int | Kind::UInt, _) => wrapping(op, dtype, a, b),
        (Kind::Bool, _) => truth(op, a, b),
        (Kind::Handle, _) => match op {
            BinOp::Eq => Ok(i64::from(a == b)),
            BinOp::Ne => Ok(i64::from(a != b)),
            _ => Err(Undefined::NoSuchOperation),
        },
        (Kind::Float | Kind::BFloat | Kind::Narrow(_) | Kind::Void, _) => Err(Undefined::NoSuchOperation),
    }
}

/// `a op b` as equalities read it, where operators are total: a quotient by 0 is 0, a remainder by 0 its dividend.
#[inline]
pub(crate) fn total(op: BinOp, dtype: DType, a: i64, b: i64) -> Result<i64, Undefined> {
    match op.family() {
        Family::Quotient if b == 0 => Ok(0),
        Family::Remainder if b == 0 => Ok(a),
        Family::Logic => truth(op, a, b),
        _ => binary(op, dtype, a, b),
    }
}

/// `a op b` on `int32` (`bits` 32) or `int64` (`bits` 64): a result that does not fit is reported.
#[inline]
pub(crate) fn index(op: BinOp, bits: u8, a: i64, b: i64) -> Result<i64, Undefined> {
    let exact = match op {
        BinOp::Add => a.checked_add(b),
        BinOp::Sub => a.checked_sub(b),
        BinOp::Mul => a.checked_mul(b),
        BinOp::Div | BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod => {
            if b == 0 {
                return Err(Undefined::DivisionByZero);
            }
            match op {
                BinOp::Div => a.checked_div(b),
                // The remainder of the one quotient that overflows is 0.
                BinOp::Mod => Some(a.wrapping_rem(b)),
                BinOp::FloorDiv => a.checked_div(b).map(|q| q - i64::from(rounds_down(a, b))),
                _ => Some(if rounds_down(a, b) { a.wrapping_rem(b) + b } else { a.wrapping_rem(b) }),
            }
        }
        BinOp::Min => return Ok(a.min(b)),
        BinOp::Max => return Ok(a.max(b)),
        BinOp::Eq => return Ok(i64::from(a == b)),
        BinOp::Ne => return Ok(i64::from(a != b)),
        BinOp::Lt => return Ok(i64::from(a < b)),
        BinOp::Le => return Ok(i64::from(a <= b)),
        BinOp::Gt => return Ok(i64::from(a > b)),
        BinOp::Ge => return Ok(i64::from(a >= b)),
        BinOp::And | BinOp::Or => return Err(Undefined::NoSuchOperation),
    };
    match exact {
        Some(v) if bits == 64 || i64::from(v as i32) == v => Ok(v),
        _ => Err(Undefined::Overflow),
    }
}

/// Whether floor division of `a` by `b` (not 0) is one less than truncating division.
#[inline]
fn rounds_down(a: i64, b: i64) -> bool {
    (a < 0) != (b < 0) && a.wrapping_rem(b) != 0
}

/// `a op b` modulo 2^bits.
fn wrapping(op: BinOp, dtype: DType, a: i64, b: i64) -> Result<i64, Undefined> {
    let (x, y) = (widen(dtype, a), widen(dtype, b));
    if op.is_division() && y == 0 {
        return Err(Undefined::DivisionByZero);
    }
    let exact = match op {
        BinOp::Add => x + y,
        BinOp::Sub => x - y,
        // Below 2^128 in magnitude for 64-bit unsigned operands, so taken modulo 2^128 first.
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div => x / y,
        BinOp::Mod => x % y,
        BinOp::FloorDiv => x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0),
        BinOp::FloorMod => {
            let r = x % y;
            if r != 0 && (r < 0) != (y < 0) { r + y } else { r }
        }
        BinOp::Min => x.min(y),
        BinOp::Max => x.max(y),
        BinOp::Eq => return Ok(i64::from(x == y)),
        BinOp::Ne => return Ok(i64::from(x != y)),
        BinOp::Lt => return Ok(i64::from(x < y)),
        BinOp::Le => return Ok(i64::from(x <= y)),
        BinOp::Gt => return Ok(i64::from(x > y)),
        BinOp::Ge => return Ok(i64::from(x >= y)),
        BinOp::And | BinOp::Or => return Err(Undefined::NoSuchOperation),
    };
    Ok(wrap(dtype, exact))
}

/// `a op b` on truth values. There is no arithmetic on them.
fn truth(op: BinOp, a: i64, b: i64) -> Result<i64, Undefined> {
    Ok(match op {
        BinOp::And => a & b,
        BinOp::Or => a | b,
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Eq => i64::from(a == b),
        BinOp::Ne => i64::from(a != b),
        BinOp::Lt => i64::from(a < b),
        BinOp::Le => i64::from(a <= b),
        BinOp::Gt => i64::from(a > b),
        BinOp::Ge => i64::from(a >= b),
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Mod
        | BinOp::FloorDiv
        | BinOp::FloorMod => {
            return Err(Undefined::NoSuchOperation);
        }
    })
}

/// The mathematical value of `v`, a value of `dtype` as [`Value::Int`](super::Value::Int) holds it.
#[inline]
pub(crate) fn widen(dtype: DType, v: i64) -> i128 {
    if dtype.is_uint() && dtype.bits == 64 { i128::from(v as u64) } else { i128::from(v) }
}

/// The value of `dtype` that is congruent to `v` modulo 2^bits; for `bool` whether `v` is not 0.
#[inline]
pub(crate) fn wrap(dtype: DType, v: i128) -> i64 {
    let unused = 64 - u32::from(dtype.bits).min(64);
    let low = v as i64;
    match dtype.kind {
        Kind::Int => (low << unused) >> unused,
        Kind::UInt => (((low as u64) << unused) >> unused) as i64,
        Kind::Bool => i64::from(v != 0),
        Kind::Float | Kind::BFloat | Kind::Narrow(_) | Kind::Handle | Kind::Void => low,
    }
}

/// Whether `v` is a value of `dtype` in the form of [`Value::Int`](super::Value::Int).
pub(crate) fn fits(dtype: DType, v: i64) -> bool {
    wrap(dtype, i128::from(v)) == v
}
