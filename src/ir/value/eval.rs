//! Constant expressions and their values, and the value of a whole expression, given those of its variables.

use super::{MathFn, Value, binary, cast, float, not};
use crate::ir::intrin::FENCE;
use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

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
}

/// The value of an expression of constants, variables that have a value, and pure operations on scalars. `None` for
/// every other expression, and where a value is undefined. What lies behind `and`, `or` and the arms of a choice counts
/// only where it decides the value.
///
/// ```
/// use satir::ir::value::{Value, evaluate};
/// use satir::ir::{BinOp, DType, Expr};
///
/// let int = |v| Expr::int(v, DType::I32);
/// let e = Expr::binary(BinOp::FloorDiv, int(-7), int(2));
/// assert_eq!(evaluate(&e, &|_| None), Some(Value::Int(-4)));
/// ```
pub fn evaluate(e: &Expr, value_of: &impl Fn(VarId) -> Option<Value>) -> Option<Value> {
    let of = |e: &Expr| evaluate(e, value_of);
    let choice = |cond, then, otherwise| of(if of(cond)? == Value::Int(0) { otherwise } else { then });
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => Value::of(e),
        ExprKind::Var(var) => value_of(*var),
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let a = of(a)?;
            if (a != Value::Int(0)) == (*op == BinOp::Or) { Some(a) } else { of(b) }
        }
        ExprKind::Binary(op, a, b) => binary(*op, a.dtype, of(a)?, of(b)?).ok(),
        ExprKind::Not(a) => not(of(a)?).ok(),
        ExprKind::Cast(a) => cast(a.dtype, e.dtype, of(a)?).ok(),
        ExprKind::Select(s) => choice(&s.cond, &s.then, &s.otherwise),
        ExprKind::Call(_) => match e.as_intrin()? {
            ("if_then_else", [c, a, b]) => choice(c, a, b),
            ("likely" | FENCE, [a]) => of(a),
            (name, args) => {
                let values: Vec<Value> = args.iter().map(of).collect::<Option<_>>()?;
                MathFn::from_name(name)?.eval(args.first()?.dtype, &values).ok()
            }
        },
        ExprKind::Str(_)
        | ExprKind::Load { .. }
        | ExprKind::Ramp(..)
        | ExprKind::Broadcast(_)
        | ExprKind::Shuffle(..)
        | ExprKind::Let(..)
        | ExprKind::BufferData(_)
        | ExprKind::BufferRef(_)
        | ExprKind::Region(..)
        | ExprKind::Tuple(_) => None,
    }
}
