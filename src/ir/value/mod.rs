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
mod math;
#[cfg(test)]
mod tests;

pub use eval::evaluate;
pub use math::MathFn;

use super::{BinOp, DType, Expr, ExprKind, Kind};

/// Why an operation on constants has no value.
///
/// ```
/// use satir::ir::value::{Undefined, Value, binary};
/// use satir::ir::{BinOp, DType};
///
/// let divide = binary(BinOp::FloorDiv, DType::I32, Value::Int(1), Value::Int(0));
/// assert_eq!(divide, Err(Undefined::DivisionByZero));
/// assert_eq!(Undefined::DivisionByZero.to_string(), "division by zero");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum Undefined {
    /// The divisor of an integer division or remainder is zero.
    #[error("division by zero")]
    DivisionByZero,
    /// The result of index arithmetic (`int32`, `int64`) does not fit.
    #[error("integer overflow")]
    Overflow,
    /// A shift by a negative amount or by the width of the type or more.
    #[error("shift amount out of range")]
    ShiftAmount,
    /// A float that does not fit the integer type that it is cast to.
    #[error("float out of the range of the integer type that it is cast to")]
    CastRange,
    /// Leading zeros of zero.
    #[error("`clz` of zero")]
    ClzOfZero,
    /// There is no such operation on this type.
    #[error("no such operation on this data type")]
    NoSuchOperation,
}

/// The value of a scalar whose type is known from the context.
///
/// Equality is of bits: `-0.0` differs from `0.0`, and a NaN equals itself.
///
/// ```
/// use satir::ir::value::Value;
///
/// assert_ne!(Value::Float(0.0), Value::Float(-0.0));
/// assert_eq!(Value::Float(f64::NAN), Value::Float(f64::NAN));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// An `int`, `uint` or `bool`, in the form of [`ExprKind::Int`]: in the range of its type, and for unsigned
    /// 64-bit values above `i64::MAX` the two's complement bits.
    Int(i64),
    /// A float of any width, as `f64` (which holds the values of all narrower formats exactly).
    Float(f64),
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Int(_), Value::Float(_)) | (Value::Float(_), Value::Int(_)) => false,
        }
    }
}

impl Eq for Value {}

impl Value {
    /// The value of a constant expression; `None` for every other expression. A float literal may have more digits than
    /// its type: its value is the nearest of the type.
    ///
    /// ```
    /// use satir::ir::value::Value;
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// assert_eq!(Value::of(&Expr::int(5, DType::I32)), Some(Value::Int(5)));
    /// assert_eq!(Value::of(&Expr::var(VarId(0), DType::I32)), None);
    /// ```
    pub fn of(e: &Expr) -> Option<Value> {
        match e.kind {
            ExprKind::Int(v) => Some(Value::Int(v)),
            ExprKind::Float(bits) => Some(Value::Float(float::round(e.dtype, f64::from_bits(bits)))),
            ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Cast(_)
            | ExprKind::Select(..)
            | ExprKind::Load { .. }
            | ExprKind::Ramp(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle(..)
            | ExprKind::Let(..)
            | ExprKind::Call(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => None,
        }
    }

    /// The constant expression of scalar type `dtype` with this value.
    ///
    /// ```
    /// use satir::ir::value::Value;
    /// use satir::ir::{DType, Expr};
    ///
    /// assert_eq!(Value::Int(5).to_expr(DType::I64), Expr::int(5, DType::I64));
    /// assert_eq!(Value::Float(0.5).to_expr(DType::F32), Expr::float(0.5, DType::F32));
    /// ```
    pub fn to_expr(self, dtype: DType) -> Expr {
        match self {
            Value::Int(v) => Expr::int(v, dtype),
            Value::Float(v) => Expr::float(v, dtype),
        }
    }

    /// The truth value as `bool`.
    ///
    /// ```
    /// use satir::ir::value::Value;
    ///
    /// assert_eq!(Value::bool(true), Value::Int(1));
    /// ```
    pub fn bool(v: bool) -> Value {
        Value::Int(i64::from(v))
    }

    /// The integer.
    ///
    /// ```
    /// use satir::ir::value::Value;
    ///
    /// assert_eq!(Value::Int(5).as_int(), Some(5));
    /// assert_eq!(Value::Float(5.0).as_int(), None);
    /// ```
    pub fn as_int(self) -> Option<i64> {
        match self {
            Value::Int(v) => Some(v),
            Value::Float(_) => None,
        }
    }

    /// The float.
    ///
    /// ```
    /// use satir::ir::value::Value;
    ///
    /// assert_eq!(Value::Float(0.5).as_float(), Some(0.5));
    /// assert_eq!(Value::Int(5).as_float(), None);
    /// ```
    pub fn as_float(self) -> Option<f64> {
        match self {
            Value::Float(v) => Some(v),
            Value::Int(_) => None,
        }
    }
}

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
