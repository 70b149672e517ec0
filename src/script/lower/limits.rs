//! Constants by their type: its limits, and numbers that `T.uint64(…)` and its like do not take.

use super::state::{Args, Lower, Res};
use super::value::Value;
use crate::ir::{DType, Expr, Kind, NarrowFloat};
use crate::script::fold;
use crate::script::syntax::ast::NodeId;

impl Lower<'_> {
    /// `T.max_value(dtype)`, `T.min_value(dtype)`, `T.infinity(dtype)`
    pub(super) fn limit_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        let [dtype] = self.exactly::<1>(id, args, &format!("T.{path}"))?;
        let dtype = self.dtype(dtype)?;
        let value = match (path, dtype.int_range()) {
            ("infinity", _) if dtype.kind == Kind::Float => Some(Expr::float(f64::INFINITY, dtype)),
            ("max_value", Some((_, hi))) => Some(Expr::int(hi as i64, dtype)),
            ("min_value", Some((lo, _))) => Some(Expr::int(lo as i64, dtype)),
            ("max_value", None) => float_limits(dtype).map(|(_, hi)| Expr::float(hi, dtype)),
            ("min_value", None) => float_limits(dtype).map(|(lo, _)| Expr::float(lo, dtype)),
            _ => None,
        };
        match value {
            Some(value) => Ok(Value::Expr(value)),
            None => self.err(id, format!("`T.{path}` of `{dtype}` is not supported")),
        }
    }

    /// `T.IntImm(dtype, value)`, `T.FloatImm(dtype, value)`: a number of any size.
    pub(super) fn number_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        let [ty, number] = self.exactly::<2>(id, args, &format!("T.{path}"))?;
        let dtype = self.dtype(ty)?;
        let fits = if path == "IntImm" { dtype.is_integral() || dtype.is_bool() } else { dtype.is_float() };
        if !fits || !dtype.is_scalar() {
            return self.err(ty, format!("`T.{path}` of `{dtype}` is not supported"));
        }
        let value = match self.eval(number)? {
            Value::Int(v) => fold::int_const(dtype, v),
            Value::Bool(v) => fold::int_const(dtype, i128::from(v)),
            Value::Float(v) if dtype.is_float() => Ok(Expr::float(v, dtype)),
            other => return self.expected(number, "a number", &other),
        };
        self.at(id, value).map(Value::Expr)
    }
}

/// The least and the greatest finite value of a float type, as TVM has them.
fn float_limits(dtype: DType) -> Option<(f64, f64)> {
    let both = |most: f64| Some((-most, most));
    match (dtype.kind, dtype.bits) {
        (Kind::Float, 64) => both(f64::MAX),
        (Kind::Float, 32) | (Kind::BFloat, _) => both(f64::from(f32::MAX)),
        (Kind::Float, 16) => both(65504.0),
        (Kind::Narrow(format), _) => match format {
            NarrowFloat::E3M4 => both(31.0),
            NarrowFloat::E4M3 | NarrowFloat::E4M3Fn => both(448.0),
            NarrowFloat::E5M2 => both(57344.0),
            NarrowFloat::E2M3Fn => both(7.5),
            NarrowFloat::E3M2Fn => both(28.0),
            NarrowFloat::E2M1Fn => both(6.0),
            NarrowFloat::E4M3B11Fnuz => Some((0.0, 30.0)),
            NarrowFloat::E4M3Fnuz => Some((0.0, 448.0)),
            NarrowFloat::E5M2Fnuz => Some((0.0, 57344.0)),
            NarrowFloat::E8M0Fnu => Some((0.0, 2f64.powi(128))),
        },
        _ => None,
    }
}
