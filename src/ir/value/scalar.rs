//! Values of scalars, and why an operation has none.

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
    /// An `int`, `uint` or `bool`, in the form of [`ExprKind::Int`](crate::ir::ExprKind::Int): in the range of its type, and for unsigned
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
