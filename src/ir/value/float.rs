//! Floats of every width, held as `f64`. Operations are computed in `f64` and rounded once more to the width;
//! for `+ - * /` and square roots of formats of at most 24 bits of precision that gives the correctly rounded
//! result, because `f64` has more than twice that precision. NaNs carry no payload: there is one NaN.

use half::{bf16, f16};

use super::{Undefined, Value};
use crate::ir::{BinOp, DType, Kind};

/// `a op b` on floats of the scalar type `dtype`. A comparison's result is a `bool`.
#[inline]
pub(crate) fn binary(op: BinOp, dtype: DType, a: f64, b: f64) -> Result<Value, Undefined> {
    if op.is_compare() {
        return compare(op, a, b).map(Value::bool);
    }
    arith(op, dtype, a, b).map(Value::Float)
}

/// `a op b` for an operator whose result is a float of type `dtype`.
#[inline]
pub(crate) fn arith(op: BinOp, dtype: DType, a: f64, b: f64) -> Result<f64, Undefined> {
    let exact = match op {
        BinOp::Add => a + b,
        BinOp::Sub => a - b,
        BinOp::Mul => a * b,
        BinOp::Div => a / b,
        BinOp::Mod => libm::fmod(a, b),
        BinOp::Min => return Ok(if a < b { a } else { b }),
        BinOp::Max => return Ok(if a > b { a } else { b }),
        BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Eq
        | BinOp::Ne
        | BinOp::Lt
        | BinOp::Le
        | BinOp::Gt
        | BinOp::Ge
        | BinOp::And
        | BinOp::Or => return Err(Undefined::NoSuchOperation),
    };
    Ok(round(dtype, exact))
}

/// A comparison of floats: false when an operand is NaN.
#[inline]
pub(crate) fn compare(op: BinOp, a: f64, b: f64) -> Result<bool, Undefined> {
    Ok(match op {
        BinOp::Eq => a == b,
        BinOp::Ne => !a.is_nan() && !b.is_nan() && a != b,
        BinOp::Lt => a < b,
        BinOp::Le => a <= b,
        BinOp::Gt => a > b,
        BinOp::Ge => a >= b,
        BinOp::Add
        | BinOp::Sub
        | BinOp::Mul
        | BinOp::Div
        | BinOp::Mod
        | BinOp::FloorDiv
        | BinOp::FloorMod
        | BinOp::Min
        | BinOp::Max
        | BinOp::And
        | BinOp::Or => return Err(Undefined::NoSuchOperation),
    })
}

/// What to multiply by instead of dividing: of a power of two whose reciprocal is a normal number of the type. Then quotient and
/// product are the same real number, which is rounded once.
pub(crate) fn exact_reciprocal(dtype: DType, divisor: f64) -> Option<f64> {
    let largest = match (dtype.kind, dtype.bits) {
        (Kind::Float, 16) => 14,
        (Kind::Float, 32) => 126,
        (Kind::Float, 64) => 1022,
        _ => return None,
    };
    let power = |k: i32| 2f64.powi(k);
    let exponent = (-largest..=largest).find(|&k| divisor.abs() == power(k))?;
    Some(power(-exponent).copysign(divisor))
}

/// `v` rounded to `dtype`, halves to even; a NaN to the one NaN.
#[inline]
pub(crate) fn round(dtype: DType, v: f64) -> f64 {
    if v.is_nan() {
        return f64::NAN;
    }
    match (dtype.kind, dtype.bits) {
        (Kind::Float, 32) => f64::from(v as f32),
        (Kind::Float, 16) => f16::from_f32(to_odd(v)).to_f64(),
        (Kind::BFloat, _) => bf16::from_f32(to_odd(v)).to_f64(),
        (
            Kind::Float | Kind::Int | Kind::UInt | Kind::Bool | Kind::Narrow(_) | Kind::Handle | Kind::Void,
            _,
        ) => v,
    }
}

/// `v` as `f32`, rounded to odd: a result that is not exact ends in a one bit. Rounding that to 16 bits is the same
/// as rounding `v` itself, which going through the nearest `f32` is not.
fn to_odd(v: f64) -> f32 {
    let nearest = v as f32;
    if f64::from(nearest) == v || v.is_nan() {
        return nearest;
    }
    let bits = nearest.to_bits();
    let toward_zero = if f64::from(nearest).abs() > v.abs() { bits - 1 } else { bits };
    f32::from_bits(toward_zero | 1)
}

/// The float of type `dtype` nearest to the integer `v`.
#[inline]
pub(crate) fn from_int(dtype: DType, v: i128) -> f64 {
    // Through f64 an integer of more than 53 bits would be rounded twice.
    match (dtype.kind, dtype.bits) {
        (Kind::Float, 32) => f64::from(v as f32),
        _ => round(dtype, v as f64),
    }
}

/// `v` without its fraction as a value of the integer type `dtype`.
#[inline]
pub(crate) fn to_int(dtype: DType, v: f64) -> Result<i64, Undefined> {
    let (min, max) = dtype.int_range().ok_or(Undefined::NoSuchOperation)?;
    let whole = v.trunc();
    // `max + 1` is a power of two, exact in f64; a NaN fails the comparison.
    if whole >= min as f64 && whole < (max + 1) as f64 {
        Ok(super::int::wrap(dtype, whole as i128))
    } else {
        Err(Undefined::CastRange)
    }
}

/// The bits of `v`, a value of `dtype`, in memory.
#[inline]
pub(crate) fn to_bits(dtype: DType, v: f64) -> u64 {
    match (dtype.kind, dtype.bits) {
        (Kind::Float, 32) => u64::from((v as f32).to_bits()),
        (Kind::Float, 16) => u64::from(f16::from_f32(to_odd(v)).to_bits()),
        (Kind::BFloat, _) => u64::from(bf16::from_f32(to_odd(v)).to_bits()),
        (
            Kind::Float | Kind::Int | Kind::UInt | Kind::Bool | Kind::Narrow(_) | Kind::Handle | Kind::Void,
            _,
        ) => v.to_bits(),
    }
}

/// The value of `dtype` that has these bits in memory.
#[inline]
pub(crate) fn from_bits(dtype: DType, bits: u64) -> f64 {
    match (dtype.kind, dtype.bits) {
        (Kind::Float, 32) => f64::from(f32::from_bits(bits as u32)),
        (Kind::Float, 16) => f16::from_bits(bits as u16).to_f64(),
        (Kind::BFloat, _) => bf16::from_bits(bits as u16).to_f64(),
        (
            Kind::Float | Kind::Int | Kind::UInt | Kind::Bool | Kind::Narrow(_) | Kind::Handle | Kind::Void,
            _,
        ) => f64::from_bits(bits),
    }
}
