//! Calls of intrinsics, and the functions that TVM expands while it parses.

use super::state::{Args, Lower, Res};
use super::value::Value;
use crate::ir::intrin::{self, ResultType};
use crate::ir::value::MathFn;
use crate::ir::{AttrValue, BinOp, Call, Callee, DType, Expr, ExprKind, Kind, Shuffle, Type};
use crate::script::fold;
use crate::script::syntax::ast::{NodeId, NodeKind};

/// The most nodes of an operand that comes to stand several times in what is made of a call or comparison: these may
/// nest, and each would make it as many times as large.
const MAX_REPEATED: usize = 20_000;

impl Lower<'_> {
    /// `T.<path>(…)` of an intrinsic, known or not.
    pub(super) fn intrinsic_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        match path {
            "Cast" | "cast" => self.cast_call(id, path, args),
            "Select" => self.select_call(id, args),
            "Ramp" | "ramp" => self.ramp_call(id, args),
            "Broadcast" | "broadcast" => self.broadcast_call(id, args),
            "Shuffle" => self.shuffle_call(id, args),
            "Not" => {
                let [a] = self.exactly::<1>(id, args, "T.Not")?;
                let e = self.expr(a)?;
                if !e.dtype.is_bool() {
                    return self.err(a, format!("expected a `bool` value, found `{}`", e.dtype));
                }
                Ok(Value::Expr(Expr::not(e)))
            }
            "max_value" | "min_value" | "infinity" => self.limit_call(id, path, args),
            "IntImm" | "FloatImm" => self.number_call(id, path, args),
            "ceildiv" => {
                let [a, b] = self.exactly::<2>(id, args, "T.ceildiv")?;
                let (a, b) = (self.expr(a)?, self.expr(b)?);
                self.may_repeat(id, &b)?;
                let one = |dtype: DType| fold::int_const(dtype, 1);
                let result = fold::binary(BinOp::Add, a, b.clone())
                    .and_then(|sum| one(sum.dtype).and_then(|one| fold::binary(BinOp::Sub, sum, one)))
                    .and_then(|sum| fold::binary(BinOp::FloorDiv, sum, b));
                self.at(id, result).map(Value::Expr)
            }
            "LShift" | "RShift" | "BitwiseAnd" | "BitwiseOr" | "BitwiseXor" | "BitwiseNot" => {
                self.bitwise_node(id, path, args)
            }
            _ => self.plain_intrinsic(id, path, args),
        }
    }

    fn plain_intrinsic(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        let name = match path {
            "tvm_call_packed" => "call_packed",
            "tvm_call_cpacked" => "call_cpacked",
            "tvm_call_packed_lowered" => "call_packed_lowered",
            "tvm_call_cpacked_lowered" => "call_cpacked_lowered",
            other => other,
        };
        let mut ids = args.positional(&self.ast);
        let mut kwargs = Vec::new();
        let mut spelled = None;
        let row = intrin::lookup(name);
        match row.map(|row| row.result) {
            Some(ResultType::SpelledFirst) => {
                if let Some(dtype) = args.keyword(&self.ast, "dtype") {
                    spelled = Some(dtype);
                } else if !ids.is_empty() {
                    spelled = Some(ids.remove(0));
                }
                if spelled.is_none() {
                    return self.err(id, format!("`T.{path}` takes a data type first"));
                }
            }
            Some(ResultType::SpelledLast) => {
                spelled = args.keyword(&self.ast, "dtype").or_else(|| ids.pop());
                if spelled.is_none() {
                    return self.err(id, format!("`T.{path}` takes a data type last"));
                }
            }
            Some(ResultType::SameAs(_) | ResultType::Bool | ResultType::Fixed(_)) | None => {}
        }
        let mut unknown_dtype = None;
        for (keyword, value) in args.keywords(&self.ast) {
            if keyword == "dtype" {
                if row.is_some() {
                    continue;
                }
                unknown_dtype = Some(self.dtype(value)?);
            }
            kwargs.push((keyword.into(), self.attr_value(value)?));
        }
        if let (Some(_), Some((keyword, _))) = (arity(name), kwargs.first()) {
            return self.err(id, format!("`T.{path}` has no argument `{keyword}`"));
        }
        let list = self.call_args(ids)?;
        if let Some(spelled) = spelled {
            let (dtype, ty) = self.spelled_dtype(spelled)?;
            if let Some(ty) = ty {
                kwargs.push(("ret_ty".into(), ty));
            }
            if let ("call_llvm_pure_intrin", [Expr { kind: ExprKind::Str(callee), .. }, value]) =
                (name, &list[..])
                && callee.strip_prefix(intrin::FENCE).is_some_and(|of| of.is_empty() || of.starts_with('.'))
                && value.dtype == dtype
                && dtype.is_float()
            {
                return Ok(Value::Expr(Expr::call(dtype, intrin::FENCE, vec![value.clone()])));
            }
            let call = Call { callee: Callee::Intrin(name.into()), args: list, kwargs };
            return Ok(Value::Expr(Expr { dtype, kind: ExprKind::Call(Box::new(call)) }));
        }
        if (row.is_some() || arity(name).is_some()) && kwargs.is_empty() {
            return self.intrinsic_values(id, name, list).map(Value::Expr);
        }
        let dtype = match row.map(|row| row.result) {
            Some(ResultType::Fixed(dtype)) => dtype,
            Some(ResultType::SameAs(index)) => list.get(index).map_or(DType::VOID, |e| e.dtype),
            Some(ResultType::Bool) => list.first().map_or(DType::BOOL, |e| e.dtype.to_bool()),
            Some(ResultType::SpelledFirst | ResultType::SpelledLast) | None => {
                unknown_dtype.unwrap_or(DType::VOID)
            }
        };
        let call = Call { callee: Callee::Intrin(name.into()), args: list, kwargs };
        Ok(Value::Expr(Expr { dtype, kind: ExprKind::Call(Box::new(call)) }))
    }

    /// The type that a call is spelled with; pointers are also kept as an attribute.
    fn spelled_dtype(&mut self, id: NodeId) -> Res<(DType, Option<AttrValue>)> {
        match self.eval(id)? {
            Value::Type(Type::Pointer(element, scope)) => {
                let args = vec![AttrValue::Str(element.to_string().into()), AttrValue::Str(scope)];
                Ok((DType::HANDLE, Some(AttrValue::Call("handle".into(), args, Vec::new()))))
            }
            Value::Type(Type::Prim(dtype)) => Ok((dtype, None)),
            Value::Path(p) if &*p == "handle" => Ok((DType::HANDLE, None)),
            Value::Str(s) if s.is_empty() => Ok((DType::VOID, None)),
            Value::Str(s) => {
                let dtype = self.at(id, s.parse::<DType>().map_err(|e| e.to_string()))?;
                Ok((dtype, None))
            }
            other => self.expected(id, "a data type", &other),
        }
    }

    /// The pointer type that a call was spelled with.
    pub(super) fn spelled_type(&self, call: &Call) -> Option<Type> {
        let (_, value) = call.kwargs.iter().find(|(name, _)| &**name == "ret_ty")?;
        match value {
            AttrValue::Call(_, args, _) => match &args[..] {
                [AttrValue::Str(element), AttrValue::Str(scope)] => {
                    Some(Type::Pointer(element.parse().ok()?, scope.clone()))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A known intrinsic on expressions, as TVM's function for it builds it.
    pub(super) fn intrinsic_values(&self, id: NodeId, name: &str, mut args: Vec<Expr>) -> Res<Expr> {
        let arity = arity(name);
        if let Some(n) = arity
            && args.len() != n
        {
            let s = if n == 1 { "" } else { "s" };
            return self.err(id, format!("`T.{name}` takes {n} argument{s}, found {}", args.len()));
        }
        let integral = args.first().is_some_and(|a| a.dtype.is_integral());
        match (name, &mut args[..]) {
            ("shift_left" | "shift_right" | "bitwise_and" | "bitwise_or" | "bitwise_xor", [a, b]) => {
                return self.at(id, fold::bitwise(name, take(a), take(b)));
            }
            ("floor" | "ceil" | "trunc" | "round" | "nearbyint", [a]) if integral => return Ok(take(a)),
            (
                "floor" | "ceil" | "trunc" | "round" | "nearbyint",
                [Expr { dtype, kind: ExprKind::Float(bits) }],
            ) => {
                let v = f64::from_bits(*bits);
                let rounded = match name {
                    "floor" => v.floor(),
                    "ceil" => v.ceil(),
                    "trunc" => v.trunc(),
                    _ => v.round_ties_even(),
                };
                return Ok(Expr::float(rounded, *dtype));
            }
            ("likely", [a]) if a.as_int().is_some() => return Ok(take(a)),
            ("fabs" | "abs", [a]) => return self.abs(id, take(a)),
            ("isinf", [a]) => return self.is_infinite(id, take(a)),
            ("isfinite", [a]) => {
                let a = take(a);
                let infinite = self.is_infinite(id, a.clone())?;
                let nan = Expr::call(a.dtype.to_bool(), "isnan", vec![a]);
                return Ok(Expr::binary(BinOp::And, Expr::not(infinite), Expr::not(nan)));
            }
            ("isnan", _) if integral => return Ok(Expr::bool(false)),
            ("if_then_else", [cond, a, b]) => {
                if cond.dtype != DType::BOOL {
                    let message = format!("expected a `bool` condition, found `{}`", cond.dtype);
                    return self.err(id, message);
                }
                let (x, y) = self.at(id, fold::match_types(take(a), take(b)))?;
                if let Some(c) = cond.as_int() {
                    return Ok(if c != 0 { x } else { y });
                }
                (*a, *b) = (x, y);
            }
            ("pow", [a, b]) if !(a.dtype.is_float() || b.dtype.is_float()) => {
                let message = format!("expected floats as arguments of `T.pow`, found `{}`", a.dtype);
                return self.err(id, message);
            }
            ("pow", [a, b]) => (*a, *b) = self.at(id, fold::match_types(take(a), take(b)))?,
            ("assume", [a]) if !a.dtype.is_bool() => {
                return self.err(id, format!("expected a `bool` condition, found `{}`", a.dtype));
            }
            _ => {}
        }
        let Some(row) = intrin::lookup(name) else {
            return self.err(id, format!("unknown intrinsic `T.{name}`"));
        };
        let dtype = match row.result {
            ResultType::SameAs(index) => match args.get(index) {
                Some(e) => e.dtype,
                None => {
                    let message =
                        format!("`T.{name}` takes at least {} arguments, found {}", index + 1, args.len());
                    return self.err(id, message);
                }
            },
            ResultType::Bool => args.first().map_or(DType::BOOL, |e| e.dtype.to_bool()),
            ResultType::Fixed(dtype) => dtype,
            ResultType::SpelledFirst | ResultType::SpelledLast => DType::VOID,
        };
        let is_math = arity.is_some() && row.result == ResultType::SameAs(0);
        if is_math && let Some(bad) = args.iter().find(|e| matches!(e.dtype.kind, Kind::Void | Kind::Handle))
        {
            return self
                .err(id, format!("expected numbers as arguments of `T.{name}`, found `{}`", bad.dtype));
        }
        Ok(Expr::call(dtype, name, args))
    }

    /// An error if an operand is too large to stand several times in what is made of the expression.
    pub(super) fn may_repeat(&self, id: NodeId, operand: &Expr) -> Res<()> {
        let mut nodes = 0;
        operand.walk(&mut |_| nodes += 1);
        if nodes > MAX_REPEATED {
            return self.err(
                id,
                "this stands for an expression that repeats an operand, which is too large for that",
            );
        }
        Ok(())
    }

    /// The absolute value, as `tvm::abs` builds it.
    fn abs(&self, id: NodeId, a: Expr) -> Res<Expr> {
        if a.dtype.is_uint() {
            return Ok(a);
        }
        if let ExprKind::Float(bits) = a.kind {
            return Ok(Expr::float(f64::from_bits(bits).abs(), a.dtype));
        }
        if a.dtype.is_float() {
            return Ok(Expr::call(a.dtype, "fabs", vec![a]));
        }
        if !a.dtype.is_int() {
            return self.err(id, format!("expected a number, found `{}`", a.dtype));
        }
        if let Some(v) = a.as_int() {
            return self.at(id, fold::int_const(a.dtype, i128::from(v).abs()));
        }
        self.may_repeat(id, &a)?;
        let zero = || fold::cast(a.dtype, Expr::int(0, DType::I32));
        let cond = zero().and_then(|z| fold::binary(BinOp::Ge, a.clone(), z));
        let negated = zero().and_then(|z| fold::binary(BinOp::Sub, z, a.clone()));
        let (cond, negated) = (self.at(id, cond)?, self.at(id, negated)?);
        Ok(Expr::select(cond, a, negated))
    }

    fn is_infinite(&self, id: NodeId, a: Expr) -> Res<Expr> {
        if a.dtype.is_integral() {
            return Ok(Expr::bool(false));
        }
        self.may_repeat(id, &a)?;
        let infinity = Expr::float(f64::INFINITY, a.dtype.scalar());
        let size = self.abs(id, a.clone())?;
        let equal = self.at(id, fold::binary(BinOp::Eq, size, infinity))?;
        let nan = Expr::call(a.dtype.to_bool(), "isnan", vec![a]);
        Ok(Expr::binary(BinOp::And, equal, Expr::not(nan)))
    }

    fn cast_call(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        let [first, second] = match args.keywords(&self.ast).first() {
            None => self.exactly::<2>(id, args, &format!("T.{path}"))?,
            Some(_) => {
                let (dtype, value) = (args.arg(&self.ast, 0, "dtype"), args.arg(&self.ast, 1, "value"));
                match (dtype, value) {
                    (Some(dtype), Some(value)) => [dtype, value],
                    _ => return self.err(id, "`T.Cast` takes a data type and a value"),
                }
            }
        };
        if path == "cast" {
            let (value, dtype) = (self.expr(first)?, self.dtype(second)?);
            return self.at(id, fold::cast(dtype, value)).map(Value::Expr);
        }
        let (dtype, value) = (self.dtype(first)?, self.expr(second)?);
        let bad = |d: DType| matches!(d.kind, Kind::Void | Kind::Handle);
        if bad(dtype) || bad(value.dtype) || dtype.lanes != value.dtype.lanes {
            return self.err(id, format!("a value of type `{}` does not convert to `{dtype}`", value.dtype));
        }
        Ok(Value::Expr(Expr::cast(dtype, value)))
    }

    fn select_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [cond, a, b] = self.exactly::<3>(id, args, "T.Select")?;
        let (c, x, y) = (self.expr(cond)?, self.expr(a)?, self.expr(b)?);
        if !c.dtype.is_bool() {
            return self.err(cond, format!("expected a `bool` condition, found `{}`", c.dtype));
        }
        if x.dtype != y.dtype {
            return self.err(id, format!("expected arms of one type, found `{}` and `{}`", x.dtype, y.dtype));
        }
        if !(c.dtype.is_scalar() || c.dtype.lanes == x.dtype.lanes) {
            return self.err(cond, format!("expected {} lanes, found {}", x.dtype.lanes, c.dtype.lanes));
        }
        Ok(Value::Expr(Expr::select(c, x, y)))
    }

    fn lanes(&mut self, id: NodeId) -> Res<u16> {
        let lanes = self.int_literal(id)?;
        match u16::try_from(lanes) {
            Ok(n) if n > 1 => Ok(n),
            _ => self.err(id, format!("expected 2 to {} lanes, found {lanes}", u16::MAX)),
        }
    }

    fn ramp_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [base, stride, lanes] = self.exactly::<3>(id, args, "T.Ramp")?;
        let (b, s, lanes) = (self.integer(base)?, self.integer(stride)?, self.lanes(lanes)?);
        let s = self.at(stride, fold::cast(b.dtype, s))?;
        Ok(Value::Expr(Expr::ramp(b, s, lanes)))
    }

    fn broadcast_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [value, lanes] = self.exactly::<2>(id, args, "T.Broadcast")?;
        let (e, lanes) = (self.expr(value)?, self.lanes(lanes)?);
        if !e.dtype.is_scalar() || matches!(e.dtype.kind, Kind::Void | Kind::Handle) {
            return self.err(value, format!("expected a scalar number, found a value of type `{}`", e.dtype));
        }
        Ok(Value::Expr(Expr::broadcast(e, lanes)))
    }

    fn shuffle_call(&mut self, id: NodeId, args: Args) -> Res<Value> {
        let [vectors, indices] = self.exactly::<2>(id, args, "T.Shuffle")?;
        let (NodeKind::List(vectors), NodeKind::List(indices)) =
            (self.ast[vectors].kind, self.ast[indices].kind)
        else {
            return self.err(id, "`T.Shuffle` takes a list of vectors and a list of indices");
        };
        let vectors = self.ast.list(vectors).to_vec();
        let vectors = vectors.into_iter().map(|v| self.expr(v)).collect::<Res<Vec<Expr>>>()?;
        let nodes = self.ast.list(indices).to_vec();
        let mut indices = Vec::with_capacity(nodes.len());
        let total: i64 = vectors.iter().map(|v| i64::from(v.dtype.lanes)).sum();
        for node in nodes {
            let index = self.integer(node)?;
            if !index.as_int().is_some_and(|i| (0..total).contains(&i)) {
                return self.err(node, format!("expected a constant from 0 to {}", total - 1));
            }
            indices.push(index);
        }
        let (Some(first), Ok(lanes)) = (vectors.first(), u16::try_from(indices.len())) else {
            return self.err(id, "expected vectors and indices");
        };
        let element = first.dtype.scalar();
        if vectors.iter().any(|v| v.dtype.scalar() != element) || lanes == 0 {
            return self.err(id, "expected vectors of one type and at least one index");
        }
        let kind = ExprKind::Shuffle(Box::new(Shuffle { vectors, indices }));
        Ok(Value::Expr(Expr { dtype: element.with_lanes(lanes), kind }))
    }

    /// `T.LShift(a, b)` and the like: the operation itself, nothing folded.
    fn bitwise_node(&mut self, id: NodeId, path: &str, args: Args) -> Res<Value> {
        if path == "BitwiseNot" {
            let [a] = self.exactly::<1>(id, args, &format!("T.{path}"))?;
            let e = self.expr(a)?;
            return self.intrinsic_values(id, "bitwise_not", vec![e]).map(Value::Expr);
        }
        let name = match path {
            "LShift" => "shift_left",
            "RShift" => "shift_right",
            "BitwiseAnd" => "bitwise_and",
            "BitwiseOr" => "bitwise_or",
            _ => "bitwise_xor",
        };
        let [a, b] = self.exactly::<2>(id, args, &format!("T.{path}"))?;
        let (a, b) = (self.expr(a)?, self.expr(b)?);
        if a.dtype != b.dtype || !(a.dtype.is_integral() || a.dtype.is_bool()) {
            return self
                .err(id, format!("expected integers of one type, found `{}` and `{}`", a.dtype, b.dtype));
        }
        Ok(Value::Expr(Expr::call(a.dtype, name, vec![a, b])))
    }
}

/// Takes an argument out of its list.
fn take(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::bool(false))
}

/// How many arguments an intrinsic takes, if it is one of which that is known.
fn arity(name: &str) -> Option<usize> {
    match name {
        "vscale" | "undef" => Some(0),
        "likely" | "assume" => Some(1),
        "if_then_else" => Some(3),
        _ => MathFn::from_name(name).map(MathFn::arity),
    }
}
