//! Constant arithmetic: the one definition of every scalar operation, used by constant folding and by the
//! interpreter.
//!
//! - `int`: integers and truth values, `float`: floats of every width, [`MathFn`]: the pure intrinsics.
//! - A result that the semantics of [`ir`](crate::ir) leave undefined is an [`Undefined`], never a made-up value.
//!
//! # What TVM's LLVM build does where IEEE 754 leaves a choice
//!
//! Measured with apache-tvm 0.27, and followed here:
//! - `min(a, b)` is `a < b ? a : b` and `max(a, b)` is `a > b ? a : b`: with a NaN on either side, or two zeros of
//!   different sign, the result is `b`. So neither commutes on floats.
//! - All six comparisons are ordered: each is false when an operand is NaN, **`!=` included**. So `not (a == b)`
//!   is not `a != b` on floats.
//! - `round` and `nearbyint` both round halves to even.
//! - A cast of NaN to `bool` is true.

mod eval;
pub(crate) mod float;
pub(crate) mod int;
mod lanes;
mod math;
mod scalar;
#[cfg(test)]
mod tests;

pub use eval::evaluate;
pub(crate) use lanes::{LANES, Lanes, evaluate_lanes};
pub use math::MathFn;
pub use scalar::{Undefined, Value};

use super::{BinOp, DType, Kind};

/// `a op b` on operands of the scalar type `dtype`. A comparison's result is a `bool`.
///
/// ```
/// use satir::ir::value::{Undefined, Value, binary};
/// use satir::ir::{BinOp, DType};
///
/// let add = |dtype, a, b| binary(BinOp::Add, dtype, Value::Int(a), Value::Int(b));
/// assert_eq!(add(DType::uint(8), 200, 100), Ok(Value::Int(44)), "narrow types wrap");
/// assert_eq!(add(DType::I32, i64::from(i32::MAX), 1), Err(Undefined::Overflow));
/// ```
pub fn binary(op: BinOp, dtype: DType, a: Value, b: Value) -> Result<Value, Undefined> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int::binary(op, dtype, a, b).map(Value::Int),
        (Value::Float(a), Value::Float(b)) => float::binary(op, dtype, a, b),
        (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => {
            Err(Undefined::NoSuchOperation)
        }
    }
}

/// Whether TVM's targets differ in the value of `a op b`: `!=` of what is no number is false in the LLVM code that TVM
/// makes and true in its CUDA and C. [`binary`] gives what LLVM code gives; what holds everywhere cannot be told from it.
pub(crate) fn depends_on_target(op: BinOp, a: Value, b: Value) -> bool {
    let is_nan = |value| matches!(value, Value::Float(v) if v.is_nan());
    op == BinOp::Ne && (is_nan(a) || is_nan(b))
}

/// `not a` on a `bool`.
///
/// ```
/// use satir::ir::value::{Value, not};
///
/// assert_eq!(not(Value::bool(true)), Ok(Value::bool(false)));
/// ```
pub fn not(a: Value) -> Result<Value, Undefined> {
    a.as_int().map(|v| Value::bool(v == 0)).ok_or(Undefined::NoSuchOperation)
}

/// Conversion of `v` from the scalar type `from` to `to`.
///
/// ```
/// use satir::ir::DType;
/// use satir::ir::value::{Undefined, Value, cast};
///
/// assert_eq!(cast(DType::I32, DType::uint(8), Value::Int(-1)), Ok(Value::Int(255)));
/// assert_eq!(cast(DType::F32, DType::I32, Value::Float(-2.5)), Ok(Value::Int(-2)));
/// assert_eq!(cast(DType::F32, DType::I32, Value::Float(1e20)), Err(Undefined::CastRange));
/// ```
pub fn cast(from: DType, to: DType, v: Value) -> Result<Value, Undefined> {
    match (to.kind, v) {
        (Kind::Bool, Value::Int(v)) => Ok(Value::bool(v != 0)),
        (Kind::Bool, Value::Float(v)) => Ok(Value::bool(v != 0.0)),
        (Kind::Int | Kind::UInt, Value::Int(v)) => Ok(Value::Int(int::wrap(to, int::widen(from, v)))),
        (Kind::Int | Kind::UInt, Value::Float(v)) => float::to_int(to, v).map(Value::Int),
        (Kind::Float | Kind::BFloat, Value::Int(v)) => {
            Ok(Value::Float(float::from_int(to, int::widen(from, v))))
        }
        (Kind::Float | Kind::BFloat, Value::Float(v)) => Ok(Value::Float(float::round(to, v))),
        (Kind::Handle, Value::Int(v)) => Ok(Value::Int(v)),
        (Kind::Handle, Value::Float(_)) | (Kind::Narrow(_) | Kind::Void, _) => {
            Err(Undefined::NoSuchOperation)
        }
    }
}
