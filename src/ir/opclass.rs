//! Classes of operations, as a cost profile prices them, and the class of each expression. One definition for
//! the static cost model and for the interpreter's counts.

use super::intrin::{CostClass, Effect, VOLATILE_LOAD, lookup};
use super::{BinOp, Callee, DType, Expr, ExprKind, Family};

macro_rules! op_classes {
    ($($variant:ident $name:literal : $doc:literal;)*) => {
        /// A class of operations that cost the same.
        ///
        /// ```
        /// use satir::ir::opclass::{OpClass, classify};
        /// use satir::ir::{DType, Expr, VarId};
        ///
        /// let x = || Expr::var(VarId(0), DType::I32);
        /// // What division costs depends on the divisor.
        /// assert_eq!(classify(&x().floordiv(8)), Some((OpClass::DivPow2, 1)));
        /// assert_eq!(classify(&x().floordiv(7)), Some((OpClass::DivConst, 1)));
        /// assert_eq!(classify(&x().floordiv(x())), Some((OpClass::DivVar, 1)));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum OpClass {
            $(#[doc = $doc] $variant,)*
        }

        impl OpClass {
            /// All classes, in the order of their declaration.
            ///
            /// ```
            /// use satir::cost::Profile;
            /// use satir::ir::opclass::OpClass;
            ///
            /// let profile = Profile::default();
            /// let dearest = OpClass::ALL.iter().max_by_key(|&&class| profile.weight(class));
            /// assert_eq!(dearest, Some(&OpClass::Transcendental));
            /// ```
            pub const ALL: &'static [OpClass] = &[$(OpClass::$variant),*];

            /// The name in reports and cost profiles.
            ///
            /// ```
            /// use satir::ir::opclass::OpClass;
            ///
            /// assert_eq!(OpClass::MulPow2.name(), "mul_pow2");
            /// ```
            pub const fn name(self) -> &'static str {
                match self {
                    $(OpClass::$variant => $name,)*
                }
            }
        }
    };
}

op_classes! {
    AddSub "add": "Integer addition and subtraction, and intrinsics as cheap.";
    Compare "compare": "Comparison of integers, truth values or pointers.";
    Logic "logic": "`and`, `or`, `not`.";
    Select "select": "`T.Select` and `T.if_then_else`, of any type.";
    Shift "shift": "Integer shift.";
    Bitwise "bitwise": "Bit operations.";
    IntCast "int_cast": "Conversion between integer types or `bool`.";
    MinMax "min_max": "Integer minimum and maximum.";
    Mul "mul": "Integer multiplication.";
    MulPow2 "mul_pow2": "Integer multiplication by a constant power of two.";
    DivPow2 "div_pow2": "Integer division or remainder by a constant power of two.";
    DivConst "div_const": "Integer division or remainder by another constant.";
    DivVar "div_var": "Integer division or remainder by something not constant.";
    Load "load": "Load from a buffer.";
    Store "store": "Store to a buffer.";
    FloatArith "float_arith": "Float addition, subtraction, multiplication, minimum, maximum, comparison, cast, and intrinsics as cheap.";
    FloatDiv "float_div": "Float division, remainder, square root.";
    Transcendental "transcendental": "Elementary function, or another pure call.";
    Bind "bind": "A Let binding.";
    Call "call": "A call that is not pure.";
}

/// The number of vector operations that one operation on `dtype` counts as: one for each started 8 lanes.
///
/// ```
/// use satir::ir::DType;
/// use satir::ir::opclass::units;
///
/// assert_eq!(units(DType::F32), 1);
/// assert_eq!(units(DType::F32.with_lanes(8)), 1);
/// assert_eq!(units(DType::F32.with_lanes(9)), 2);
/// ```
pub fn units(dtype: DType) -> u64 {
    u64::from(dtype.lanes).div_ceil(8)
}

/// The class of the operation at the root of `e`, and how often it counts. `None` for what is free: constants,
/// variables, `Ramp`, `Broadcast`, pointers, annotations, arguments that are not values, casts that change nothing.
///
/// ```
/// use satir::ir::opclass::{OpClass, classify};
/// use satir::ir::{DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// assert_eq!(classify(&(x() * 3)), Some((OpClass::Mul, 1)));
/// let vector = || Expr::broadcast(x(), 16);
/// assert_eq!(classify(&(vector() + vector())), Some((OpClass::AddSub, 2)));
/// assert_eq!(classify(&x()), None);
/// ```
pub fn classify(e: &Expr) -> Option<(OpClass, u64)> {
    let class = match &e.kind {
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Var(_)
        | ExprKind::Ramp(..)
        | ExprKind::Broadcast(_)
        | ExprKind::Shuffle(..)
        | ExprKind::BufferData(_)
        | ExprKind::BufferRef(_)
        | ExprKind::Region(..)
        | ExprKind::Tuple(_) => return None,
        ExprKind::Binary(op, a, b) => {
            return Some(classify_binary(*op, a.dtype, || constant(a), || constant(b)));
        }
        ExprKind::Not(_) => OpClass::Logic,
        ExprKind::Cast(a) => match (a.dtype.is_float(), e.dtype.is_float()) {
            _ if a.dtype == e.dtype => return None,
            (false, false) => OpClass::IntCast,
            (true, _) | (_, true) => OpClass::FloatArith,
        },
        ExprKind::Select(..) => OpClass::Select,
        ExprKind::Load { .. } => OpClass::Load,
        ExprKind::Let(..) => return Some((OpClass::Bind, 1)),
        ExprKind::Call(call) => match &call.callee {
            Callee::Intrin(name) => return call_class(name, &call.args).map(|c| (c, units(e.dtype))),
            Callee::Global(_) => OpClass::Call,
        },
    };
    Some((class, units(e.dtype)))
}

/// The class of a binary operation on operands of type `operand`, and how many operations it counts as; `a` and `b` say
/// which constants the operands are, and are asked only where that matters.
pub(crate) fn classify_binary(
    op: BinOp,
    operand: DType,
    a: impl Fn() -> Option<i64>,
    b: impl Fn() -> Option<i64>,
) -> (OpClass, u64) {
    let float = operand.is_float();
    let class = match op.family() {
        Family::Logic => OpClass::Logic,
        Family::Quotient | Family::Remainder if float => OpClass::FloatDiv,
        _ if float => OpClass::FloatArith,
        Family::Sum => OpClass::AddSub,
        Family::Product if is_pow2(a()) || is_pow2(b()) => OpClass::MulPow2,
        Family::Product => OpClass::Mul,
        Family::Quotient | Family::Remainder => match b() {
            divisor @ Some(_) if is_pow2(divisor) => OpClass::DivPow2,
            Some(_) => OpClass::DivConst,
            None => OpClass::DivVar,
        },
        Family::Extremum => OpClass::MinMax,
        Family::Comparison => OpClass::Compare,
    };
    (class, units(operand))
}

/// The class of a call of an intrinsic on these arguments.
fn call_class(name: &str, args: &[Expr]) -> Option<OpClass> {
    match name {
        "if_then_else" => return Some(OpClass::Select),
        // The load itself is counted.
        "assume" | VOLATILE_LOAD => return None,
        _ => {}
    }
    let Some(intrin) = lookup(name) else {
        return Some(OpClass::Call);
    };
    match intrin.cost {
        CostClass::Free => None,
        CostClass::Cheap if args.first().is_some_and(|arg| arg.dtype.is_float()) => Some(OpClass::FloatArith),
        CostClass::Cheap => Some(OpClass::AddSub),
        CostClass::Shift => Some(OpClass::Shift),
        CostClass::Bitwise => Some(OpClass::Bitwise),
        CostClass::FloatDiv => Some(OpClass::FloatDiv),
        CostClass::Transcendental => Some(OpClass::Transcendental),
        CostClass::Call if matches!(intrin.effect, Effect::Annotation | Effect::Pure) => {
            Some(OpClass::Transcendental)
        }
        CostClass::Call => Some(OpClass::Call),
    }
}

/// The constant that `e` is in every lane.
fn constant(e: &Expr) -> Option<i64> {
    match &e.kind {
        ExprKind::Broadcast(a) => a.as_int(),
        _ => e.as_int(),
    }
}

fn is_pow2(constant: Option<i64>) -> bool {
    constant.is_some_and(|v| v > 0 && v & (v - 1) == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::VarId;

    fn check(e: &Expr, expected: Option<(OpClass, u64)>) {
        assert_eq!(classify(e), expected, "{e:?}");
    }

    #[test]
    fn divisions_differ_by_divisor() {
        let x = Expr::var(VarId(0), DType::I32);
        let div = |b: Expr| Expr::binary(BinOp::FloorDiv, x.clone(), b);
        check(&div(Expr::int(8, DType::I32)), Some((OpClass::DivPow2, 1)));
        check(&div(Expr::int(7, DType::I32)), Some((OpClass::DivConst, 1)));
        check(&div(Expr::int(-8, DType::I32)), Some((OpClass::DivConst, 1)));
        check(&div(x.clone()), Some((OpClass::DivVar, 1)));
        check(&Expr::binary(BinOp::Mul, Expr::int(4, DType::I32), x.clone()), Some((OpClass::MulPow2, 1)));
    }

    #[test]
    fn vectors_count_per_started_8_lanes() {
        let x = Expr::broadcast(Expr::var(VarId(0), DType::I32), 9);
        check(&x, None);
        let lt = Expr::binary(BinOp::Lt, x.clone(), x.clone());
        check(&lt, Some((OpClass::Compare, 2)));
        let by = Expr::broadcast(Expr::int(16, DType::I32), 9);
        check(&Expr::binary(BinOp::FloorMod, x, by), Some((OpClass::DivPow2, 2)));
    }

    #[test]
    fn floats_are_kept_apart() {
        let x = Expr::var(VarId(0), DType::F32);
        check(&Expr::binary(BinOp::Max, x.clone(), x.clone()), Some((OpClass::FloatArith, 1)));
        check(&Expr::binary(BinOp::Div, x.clone(), x.clone()), Some((OpClass::FloatDiv, 1)));
        check(&Expr::cast(DType::I32, x.clone()), Some((OpClass::FloatArith, 1)));
        check(&Expr::cast(DType::F32, x.clone()), None);
        check(&Expr::call(DType::F32, "exp", vec![x.clone()]), Some((OpClass::Transcendental, 1)));
        check(&Expr::call(DType::F32, "floor", vec![x.clone()]), Some((OpClass::FloatArith, 1)));
        check(&Expr::call(DType::I32, "call_extern", vec![x]), Some((OpClass::Call, 1)));
    }
}
