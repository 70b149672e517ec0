//! The pure intrinsics on scalars: shifts, bit operations, rounding, elementary functions.

use super::{Undefined, Value, float, int};
use crate::ir::{DType, Kind};

macro_rules! math_fns {
    ($($variant:ident $arity:literal $exact:literal $($name:literal)|+ : $doc:literal;)*) => {
        /// A pure function of scalars that is written as an intrinsic call.
        ///
        /// ```
        /// use satir::ir::DType;
        /// use satir::ir::value::{MathFn, Value};
        ///
        /// assert_eq!(MathFn::from_name("sqrt"), Some(MathFn::Sqrt));
        /// assert_eq!(MathFn::Sqrt.eval(DType::F32, &[Value::Float(9.0)]), Ok(Value::Float(3.0)));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum MathFn {
            $(#[doc = $doc] $variant,)*
        }

        impl MathFn {
            /// All functions.
            ///
            /// ```
            /// use satir::ir::value::MathFn;
            ///
            /// let names: Vec<&str> = MathFn::ALL.iter().map(|f| f.name()).collect();
            /// assert!(names.contains(&"sqrt") && names.contains(&"exp"));
            /// ```
            pub const ALL: &'static [MathFn] = &[$(MathFn::$variant),*];

            /// The function that `T.<name>` calls.
            ///
            /// ```
            /// use satir::ir::value::MathFn;
            ///
            /// assert_eq!(MathFn::from_name("exp"), Some(MathFn::Exp));
            /// assert_eq!(MathFn::from_name("call_extern"), None);
            /// ```
            pub fn from_name(name: &str) -> Option<MathFn> {
                match name {
                    $($($name)|+ => Some(MathFn::$variant),)*
                    _ => None,
                }
            }

            /// The name, without the `T.`.
            ///
            /// ```
            /// use satir::ir::value::MathFn;
            ///
            /// assert!(MathFn::ALL.iter().all(|&f| MathFn::from_name(f.name()) == Some(f)));
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(MathFn::$variant => [$($name),+][0],)*
                }
            }

            /// The number of arguments.
            ///
            /// ```
            /// use satir::ir::value::MathFn;
            ///
            /// assert_eq!(MathFn::Exp.arity(), 1);
            /// assert_eq!(MathFn::Pow.arity(), 2);
            /// ```
            pub const fn arity(self) -> usize {
                match self {
                    $(MathFn::$variant => $arity,)*
                }
            }

            /// Whether every correct implementation gives the same bits, so that a call on constants may be
            /// replaced with its value. Elementary functions are not: each libm rounds its own way.
            ///
            /// ```
            /// use satir::ir::value::MathFn;
            ///
            /// assert!(MathFn::Floor.is_exact());
            /// assert!(!MathFn::Exp.is_exact());
            /// ```
            pub const fn is_exact(self) -> bool {
                match self {
                    $(MathFn::$variant => $exact,)*
                }
            }
        }
    };
}

math_fns! {
    ShiftLeft 2 true "shift_left": "`a << b` modulo 2^bits.";
    ShiftRight 2 true "shift_right": "`a >> b`, arithmetic on signed types.";
    BitAnd 2 true "bitwise_and": "Bitwise and.";
    BitOr 2 true "bitwise_or": "Bitwise or.";
    BitXor 2 true "bitwise_xor": "Bitwise exclusive or.";
    BitNot 1 true "bitwise_not": "Bitwise complement.";
    Popcount 1 true "popcount": "Number of one bits.";
    Clz 1 true "clz": "Number of leading zero bits; undefined for zero.";
    Abs 1 true "abs" | "fabs": "Absolute value.";
    Floor 1 true "floor": "Toward minus infinity.";
    Ceil 1 true "ceil": "Toward infinity.";
    Trunc 1 true "trunc": "Toward zero.";
    Round 1 true "round": "To the nearest integer, halves to even.";
    Nearbyint 1 true "nearbyint": "To the nearest integer, halves to even.";
    Sqrt 1 true "sqrt": "Square root.";
    Rsqrt 1 false "rsqrt": "`1 / sqrt(a)`.";
    Copysign 2 true "copysign": "The magnitude of `a` with the sign of `b`.";
    Nextafter 2 true "nextafter": "The neighbour of `a` towards `b`.";
    Ldexp 2 true "ldexp": "`a * 2^b`; `b` is an integer.";
    Fma 3 false "fma": "`a * b + c`; some targets round in between.";
    Fmod 2 true "fmod": "Remainder of the division that rounds toward zero.";
    IsNan 1 true "isnan": "Whether it is NaN; a `bool`.";
    IsInf 1 true "isinf": "Whether it is infinite; a `bool`.";
    IsFinite 1 true "isfinite": "Whether it is finite; a `bool`.";
    Exp 1 false "exp": "e^a.";
    Exp2 1 false "exp2": "2^a.";
    Exp10 1 false "exp10": "10^a.";
    Log 1 false "log": "Natural logarithm.";
    Log2 1 false "log2": "Logarithm to base 2.";
    Log10 1 false "log10": "Logarithm to base 10.";
    Log1p 1 false "log1p": "`log(1 + a)`.";
    Sin 1 false "sin": "Sine.";
    Cos 1 false "cos": "Cosine.";
    Tan 1 false "tan": "Tangent.";
    Asin 1 false "asin": "Inverse sine.";
    Acos 1 false "acos": "Inverse cosine.";
    Atan 1 false "atan": "Inverse tangent.";
    Sinh 1 false "sinh": "Hyperbolic sine.";
    Cosh 1 false "cosh": "Hyperbolic cosine.";
    Tanh 1 false "tanh": "Hyperbolic tangent.";
    Asinh 1 false "asinh": "Inverse hyperbolic sine.";
    Acosh 1 false "acosh": "Inverse hyperbolic cosine.";
    Atanh 1 false "atanh": "Inverse hyperbolic tangent.";
    Sigmoid 1 false "sigmoid": "`1 / (1 + exp(-a))`.";
    Erf 1 false "erf": "The error function.";
    Pow 2 false "pow": "a^b.";
    Atan2 2 false "atan2": "The angle of the point (b, a).";
    Hypot 2 false "hypot": "`sqrt(a*a + b*b)`.";
}

impl MathFn {
    /// The value on arguments of the scalar type `dtype` (of `ldexp` the first).
    ///
    /// ```
    /// use satir::ir::DType;
    /// use satir::ir::value::{MathFn, Value};
    ///
    /// let floor = |v| MathFn::Floor.eval(DType::F32, &[Value::Float(v)]);
    /// assert_eq!(floor(-0.5), Ok(Value::Float(-1.0)));
    /// ```
    pub fn eval(self, dtype: DType, args: &[Value]) -> Result<Value, Undefined> {
        let a = *args.first().ok_or(Undefined::NoSuchOperation)?;
        match (a, args.get(1).copied(), args.get(2).copied()) {
            (Value::Int(a), None, None) => self.of_int(dtype, a),
            (Value::Int(a), Some(Value::Int(b)), None) => self.of_ints(dtype, a, b),
            (Value::Float(a), None, None) => self.of_float(dtype, a),
            (Value::Float(a), Some(Value::Float(b)), None) => self.of_floats(dtype, a, b),
            (Value::Float(a), Some(Value::Int(b)), None) if self == MathFn::Ldexp => {
                let power = i32::try_from(b).unwrap_or(if b < 0 { i32::MIN } else { i32::MAX });
                Ok(Value::Float(float::round(dtype, libm::ldexp(a, power))))
            }
            (Value::Float(a), Some(Value::Float(b)), Some(Value::Float(c))) if self == MathFn::Fma => {
                Ok(Value::Float(float::round(dtype, libm::fma(a, b, c))))
            }
            _ => Err(Undefined::NoSuchOperation),
        }
    }

    /// As [`eval`](MathFn::eval), where a compiler may choose a value: TVM takes all bits of zero to be leading ones.
    ///
    /// ```
    /// use satir::ir::DType;
    /// use satir::ir::value::{MathFn, Value};
    ///
    /// assert!(MathFn::Clz.eval(DType::I32, &[Value::Int(0)]).is_err());
    /// assert_eq!(MathFn::Clz.fold(DType::I32, &[Value::Int(0)]), Ok(Value::Int(32)));
    /// ```
    pub fn fold(self, dtype: DType, args: &[Value]) -> Result<Value, Undefined> {
        match self.eval(dtype, args) {
            Err(Undefined::ClzOfZero) => Ok(Value::Int(i64::from(dtype.bits))),
            result => result,
        }
    }

    fn of_int(self, dtype: DType, a: i64) -> Result<Value, Undefined> {
        let wide = int::widen(dtype, a);
        let mask = (1i128 << dtype.bits) - 1;
        let result = match (self, dtype.kind) {
            (MathFn::BitNot, Kind::Bool) => 1 - wide,
            (MathFn::BitNot, Kind::Int | Kind::UInt) => !wide,
            (MathFn::Popcount, Kind::Int | Kind::UInt) => i128::from((wide & mask).count_ones()),
            (MathFn::Clz, Kind::Int | Kind::UInt) => {
                if wide == 0 {
                    return Err(Undefined::ClzOfZero);
                }
                i128::from((wide & mask).leading_zeros()) - (128 - i128::from(dtype.bits))
            }
            (MathFn::Abs, Kind::Int | Kind::UInt) => {
                let abs = wide.abs();
                if dtype.is_index() && int::wrap(dtype, abs) < 0 {
                    return Err(Undefined::Overflow);
                }
                abs
            }
            (MathFn::Floor | MathFn::Ceil | MathFn::Trunc | MathFn::Round | MathFn::Nearbyint, _) => wide,
            (MathFn::IsNan | MathFn::IsInf, _) => return Ok(Value::bool(false)),
            (MathFn::IsFinite, _) => return Ok(Value::bool(true)),
            _ => return Err(Undefined::NoSuchOperation),
        };
        Ok(Value::Int(int::wrap(dtype, result)))
    }

    fn of_ints(self, dtype: DType, a: i64, b: i64) -> Result<Value, Undefined> {
        if !matches!(dtype.kind, Kind::Int | Kind::UInt | Kind::Bool) {
            return Err(Undefined::NoSuchOperation);
        }
        let (x, y) = (int::widen(dtype, a), int::widen(dtype, b));
        let result = match self {
            MathFn::BitAnd => x & y,
            MathFn::BitOr => x | y,
            MathFn::BitXor => x ^ y,
            MathFn::ShiftLeft | MathFn::ShiftRight => {
                if dtype.is_bool() {
                    return Err(Undefined::NoSuchOperation);
                }
                if !(0..i128::from(dtype.bits)).contains(&y) {
                    return Err(Undefined::ShiftAmount);
                }
                if self == MathFn::ShiftLeft { x << y } else { x >> y }
            }
            _ => return Err(Undefined::NoSuchOperation),
        };
        Ok(Value::Int(int::wrap(dtype, result)))
    }

    fn of_float(self, dtype: DType, a: f64) -> Result<Value, Undefined> {
        let result = match self {
            MathFn::IsNan => return Ok(Value::bool(a.is_nan())),
            MathFn::IsInf => return Ok(Value::bool(a.is_infinite())),
            MathFn::IsFinite => return Ok(Value::bool(a.is_finite())),
            MathFn::Abs => libm::fabs(a),
            MathFn::Floor => libm::floor(a),
            MathFn::Ceil => libm::ceil(a),
            MathFn::Trunc => libm::trunc(a),
            MathFn::Round | MathFn::Nearbyint => libm::rint(a),
            MathFn::Sqrt => libm::sqrt(a),
            MathFn::Rsqrt => 1.0 / libm::sqrt(a),
            MathFn::Exp => libm::exp(a),
            MathFn::Exp2 => libm::exp2(a),
            MathFn::Exp10 => libm::exp10(a),
            MathFn::Log => libm::log(a),
            MathFn::Log2 => libm::log2(a),
            MathFn::Log10 => libm::log10(a),
            MathFn::Log1p => libm::log1p(a),
            MathFn::Sin => libm::sin(a),
            MathFn::Cos => libm::cos(a),
            MathFn::Tan => libm::tan(a),
            MathFn::Asin => libm::asin(a),
            MathFn::Acos => libm::acos(a),
            MathFn::Atan => libm::atan(a),
            MathFn::Sinh => libm::sinh(a),
            MathFn::Cosh => libm::cosh(a),
            MathFn::Tanh => libm::tanh(a),
            MathFn::Asinh => libm::asinh(a),
            MathFn::Acosh => libm::acosh(a),
            MathFn::Atanh => libm::atanh(a),
            MathFn::Sigmoid => 1.0 / (1.0 + libm::exp(-a)),
            MathFn::Erf => libm::erf(a),
            MathFn::ShiftLeft
            | MathFn::ShiftRight
            | MathFn::BitAnd
            | MathFn::BitOr
            | MathFn::BitXor
            | MathFn::BitNot
            | MathFn::Popcount
            | MathFn::Clz
            | MathFn::Copysign
            | MathFn::Nextafter
            | MathFn::Ldexp
            | MathFn::Fma
            | MathFn::Fmod
            | MathFn::Pow
            | MathFn::Atan2
            | MathFn::Hypot => return Err(Undefined::NoSuchOperation),
        };
        Ok(Value::Float(float::round(dtype, result)))
    }

    fn of_floats(self, dtype: DType, a: f64, b: f64) -> Result<Value, Undefined> {
        let result = match self {
            MathFn::Copysign => libm::copysign(a, b),
            MathFn::Nextafter => nextafter(dtype, a, b),
            MathFn::Fmod => libm::fmod(a, b),
            MathFn::Pow => libm::pow(a, b),
            MathFn::Atan2 => libm::atan2(a, b),
            MathFn::Hypot => libm::hypot(a, b),
            _ => return Err(Undefined::NoSuchOperation),
        };
        Ok(Value::Float(float::round(dtype, result)))
    }
}

/// The value of `dtype` next to `a` towards `b`.
fn nextafter(dtype: DType, a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return b;
    }
    if a == 0.0 {
        return libm::copysign(float::from_bits(dtype, 1), b);
    }
    // The bit patterns of one sign are ordered like the magnitudes.
    let bits = float::to_bits(dtype, a);
    let away = (a < b) == (a > 0.0);
    float::from_bits(dtype, if away { bits + 1 } else { bits - 1 })
}
