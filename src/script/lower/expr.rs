//! Expressions: names, operators, conversions between Python's values and typed expressions.

use std::sync::Arc;

use super::state::{Lower, Res};
use super::value::{Entity, Value};
use crate::ir::{AttrNode, BinOp, BufferId, DType, Expr, ExprKind, Type, VarId};
use crate::script::fold;
use crate::script::syntax::ast::{BinaryOp, NodeId, NodeKind, NodeList, UnaryOp};

/// Begins the message about a name that means nothing.
pub(in crate::script) const UNDEFINED: &str = "undefined name";

/// The IR's operator, if the text's operator has one.
fn bin_op(op: BinaryOp) -> Option<BinOp> {
    Some(match op {
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Sub => BinOp::Sub,
        BinaryOp::Mul => BinOp::Mul,
        BinaryOp::Div => BinOp::Div,
        BinaryOp::FloorDiv => BinOp::FloorDiv,
        BinaryOp::Mod => BinOp::FloorMod,
        BinaryOp::And => BinOp::And,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::Eq => BinOp::Eq,
        BinaryOp::Ne => BinOp::Ne,
        BinaryOp::Lt => BinOp::Lt,
        BinaryOp::Le => BinOp::Le,
        BinaryOp::Gt => BinOp::Gt,
        BinaryOp::Ge => BinOp::Ge,
        BinaryOp::Pow
        | BinaryOp::MatMul
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor => return None,
    })
}

/// Whether the value is a Python number, not yet of any type.
fn is_python(v: &Value) -> bool {
    matches!(v, Value::Int(_) | Value::Float(_) | Value::Bool(_))
}

impl<'s> Lower<'s> {
    /// An integer expression.
    pub(super) fn integer(&mut self, id: NodeId) -> Res<Expr> {
        let e = self.expr(id)?;
        if e.dtype.is_integral() && e.dtype.is_scalar() {
            return Ok(e);
        }
        self.err(id, format!("expected an integer, found a value of type `{}`", e.dtype))
    }

    /// A condition: a scalar `bool`.
    pub(super) fn condition(&mut self, id: NodeId) -> Res<Expr> {
        let e = self.expr(id)?;
        if e.dtype == DType::BOOL {
            return Ok(e);
        }
        self.err(id, format!("expected a `bool` condition, found a value of type `{}`", e.dtype))
    }

    /// A string.
    pub(super) fn string(&mut self, id: NodeId) -> Res<Arc<str>> {
        match self.eval(id)? {
            Value::Str(s) => Ok(s),
            other => self.expected(id, "a string", &other),
        }
    }

    /// Evaluates an expression of the text to a typed expression.
    pub(super) fn expr(&mut self, id: NodeId) -> Res<Expr> {
        let value = self.eval(id)?;
        self.to_expr(id, value)
    }

    /// Evaluates an expression of the text.
    pub(super) fn eval(&mut self, id: NodeId) -> Res<Value> {
        self.enter(self.span(id))?;
        let value = match self.ast[id].kind {
            NodeKind::Name(name) => self.name_value(id, name),
            NodeKind::Int(v) => Ok(Value::Int(v)),
            NodeKind::Float(v) => Ok(Value::Float(v)),
            NodeKind::Bool(v) => Ok(Value::Bool(v)),
            NodeKind::None => Ok(Value::None),
            NodeKind::Str(index) => Ok(Value::Str(self.ast.string(index).clone())),
            NodeKind::Binary(op, a, b) => self.binary_node(id, op, a, b),
            NodeKind::Unary(op, a) => self.unary_node(id, op, a),
            NodeKind::Conditional(cond, a, b) => self.conditional(id, cond, a, b),
            NodeKind::Compare(operands, first) => self.compare_chain(id, operands, first),
            NodeKind::Call { .. } => self.eval_call(id),
            NodeKind::Attr(value, name) => self.attribute(id, value, name),
            NodeKind::Subscript(value, items) => self.subscript(id, value, items),
            NodeKind::Tuple(items) => self.eval_list(items).map(Value::Tuple),
            NodeKind::List(items) => self.eval_list(items).map(Value::List),
            NodeKind::Dict(items) => self.eval_dict(items),
            NodeKind::Slice(..) => self.err(id, "expected an expression, found a slice"),
            NodeKind::Lambda(..) => self.err(id, "expected an expression, found a lambda"),
            NodeKind::Starred => self.err(id, "expected an expression, found `*`"),
        };
        self.depth -= 1;
        value
    }

    fn eval_list(&mut self, items: NodeList) -> Res<Vec<Value>> {
        (0..items.len()).map(|i| self.eval(self.ast.item(items, i))).collect()
    }

    #[inline(never)]
    fn eval_dict(&mut self, items: NodeList) -> Res<Value> {
        let mut pairs = Vec::with_capacity(items.len() / 2);
        for i in (0..items.len()).step_by(2) {
            let key = self.eval(self.ast.item(items, i))?;
            pairs.push((key, self.eval(self.ast.item(items, i + 1))?));
        }
        Ok(Value::Dict(pairs))
    }

    #[inline(never)]
    fn name_value(&mut self, id: NodeId, name: &'s str) -> Res<Value> {
        let Some(entity) = self.lookup(name) else {
            if self.in_shape {
                let dtype = self.param_types.get(name).copied().unwrap_or(DType::I32);
                return Ok(Value::Expr(self.define_dimension(name, dtype)));
            }
            return match name {
                "metadata" => self.err(id, "`metadata[…]` stands for a value that TVM left out of the text"),
                "float" | "int" | "bool" | "range" | "T" | "I" | "R" | "tir" | "tirx" => {
                    self.err(id, format!("expected an expression, found `{name}`"))
                }
                _ => self.err(id, format!("{UNDEFINED} `{name}`")),
            };
        };
        Ok(match entity.clone() {
            Entity::Var(var) => Value::Expr(self.func.var_expr(var)),
            Entity::Buffer(buffer) => Value::Buffer(buffer),
            Entity::Scalar(buffer) => Value::Scalar(buffer),
            Entity::Pointer(buffer) => Value::Pointer(buffer),
            Entity::TypeVar => {
                let dtype = self.param_types.get(name).copied().unwrap_or(DType::I64);
                Value::Expr(self.define_dimension(name, dtype))
            }
            Entity::EnvThread(tag) => Value::EnvThread(tag),
            Entity::Reducer(reducer) => Value::Reducer(reducer),
            Entity::Global => Value::Global(name.into()),
            Entity::Module => Value::Module,
        })
    }

    /// A variable that a parameter's shape defines.
    pub(super) fn define_dimension(&mut self, name: &'s str, dtype: DType) -> Expr {
        let var = self.new_var(name, Type::Prim(dtype));
        self.define(name, Entity::Var(var));
        self.dimensions.insert(var);
        Expr::var(var, dtype)
    }

    /// A typed expression from a value; Python's numbers become `int32` (or `int64`), `float32` and `bool`.
    pub(super) fn to_expr(&self, id: NodeId, value: Value) -> Res<Expr> {
        match value {
            Value::Expr(e) => Ok(e),
            Value::Int(v) => {
                let dtype = if i32::try_from(v).is_ok() { DType::I32 } else { DType::I64 };
                self.at(id, fold::int_const(dtype, v))
            }
            Value::Float(v) => Ok(Expr::float(v, DType::F32)),
            Value::Bool(v) => Ok(Expr::bool(v)),
            Value::Scalar(buffer) | Value::NewScalar(buffer) => Ok(self.scalar_load(buffer)),
            Value::Buffer(buffer) if self.is_element(buffer) => Ok(self.scalar_load(buffer)),
            Value::NewVar(var) => Ok(self.func.var_expr(var)),
            Value::Pointer(buffer) | Value::NewPointer(buffer) => {
                Ok(Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(buffer) })
            }
            Value::Str(s) => Ok(Expr { dtype: DType::HANDLE, kind: ExprKind::Str(s) }),
            Value::IterVar(node) => match *node {
                AttrNode::IterVar { var, .. } => Ok(self.func.var_expr(var)),
                _ => self.err(id, "expected an expression"),
            },
            other => self.expected(id, "an expression", &other),
        }
    }

    /// An argument of a call: also buffers, regions, lists.
    pub(super) fn to_arg(&self, id: NodeId, value: Value) -> Res<Expr> {
        match value {
            Value::Buffer(buffer) if self.is_element(buffer) => Ok(self.scalar_load(buffer)),
            Value::Buffer(buffer) | Value::NewBuffer(buffer) => {
                Ok(Expr { dtype: DType::HANDLE, kind: ExprKind::BufferRef(buffer) })
            }
            Value::List(items) | Value::Tuple(items) => {
                let items: Res<Box<[Expr]>> = items.into_iter().map(|v| self.to_arg(id, v)).collect();
                Ok(Expr { dtype: DType::VOID, kind: ExprKind::Tuple(items?) })
            }
            Value::Type(Type::Prim(dtype)) => {
                Ok(Expr { dtype: DType::HANDLE, kind: ExprKind::Str(dtype.to_string().into()) })
            }
            other => self.to_expr(id, other),
        }
    }

    /// Whether the name of a buffer stands for its element: TVM prints buffers of one element so, where the function is not
    /// marked `s_tir`.
    fn is_element(&self, buffer: BufferId) -> bool {
        let shape = &self.func.buffer(buffer).shape;
        !self.s_tir && matches!(&shape[..], [one] if one.as_int() == Some(1))
    }

    /// The element of a scalar buffer.
    pub(super) fn scalar_load(&self, buffer: BufferId) -> Expr {
        Expr::load(self.func.buffer(buffer).dtype, buffer, vec![Expr::int(0, DType::I32)])
    }

    /// An integer that the text gives directly.
    pub(super) fn int_literal(&mut self, id: NodeId) -> Res<i64> {
        let value = self.eval(id)?;
        let constant = match &value {
            Value::Int(v) => i64::try_from(*v).ok(),
            Value::Expr(e) => e.as_int(),
            _ => None,
        };
        match constant {
            Some(v) => Ok(v),
            None => self.expected(id, "an integer constant", &value),
        }
    }

    #[inline(never)]
    fn binary_node(&mut self, id: NodeId, op: BinaryOp, a: NodeId, b: NodeId) -> Res<Value> {
        let left = self.eval(a)?;
        // What Python decides by the left operand alone, it does not evaluate the right one for.
        match (op, &left) {
            (BinaryOp::And, Value::Bool(false)) | (BinaryOp::Or, Value::Bool(true)) => return Ok(left),
            _ => {}
        }
        let right = self.eval(b)?;
        self.binary(id, op, (a, left), (b, right))
    }

    /// `a if cond else b`
    #[inline(never)]
    fn conditional(&mut self, id: NodeId, cond: NodeId, a: NodeId, b: NodeId) -> Res<Value> {
        match self.eval(cond)? {
            Value::Bool(true) => self.eval(a),
            Value::Bool(false) => self.eval(b),
            value => {
                let cond = self.to_expr(cond, value)?;
                let args = vec![cond, self.expr(a)?, self.expr(b)?];
                self.intrinsic_values(id, "if_then_else", args).map(Value::Expr)
            }
        }
    }

    /// Operands of `==` and `!=`, of bitwise operations, and of comparisons with a number on the left: a number
    /// takes the type of the other operand, as TVM's parser makes it.
    fn adapt(&self, id: NodeId, left: Value, right: Value) -> Res<(Value, Value)> {
        let dtype_of = |v: &Value| match v {
            Value::Expr(e) => Some(e.dtype),
            Value::Scalar(buffer) => Some(self.func.buffer(*buffer).dtype),
            Value::Buffer(buffer) if self.is_element(*buffer) => Some(self.func.buffer(*buffer).dtype),
            _ => None,
        };
        let (left_type, right_type) = (dtype_of(&left), dtype_of(&right));
        let typed = |v: Value, other: Option<DType>| -> Res<Value> {
            let Some(other) = other.map(DType::scalar) else { return Ok(v) };
            Ok(match v {
                Value::Int(n) if other.is_integral() || other.is_bool() || other.is_float() => {
                    Value::Expr(self.at(id, fold::int_const(other, n))?)
                }
                Value::Bool(n) if other.is_integral() || other.is_bool() => {
                    Value::Expr(self.at(id, fold::int_const(other, i128::from(n)))?)
                }
                Value::Float(n) if other.is_float() => Value::Expr(Expr::float(n, other)),
                v => v,
            })
        };
        Ok((typed(left, right_type)?, typed(right, left_type)?))
    }

    /// Applies an operator to two values.
    #[inline(never)]
    pub(super) fn binary(
        &mut self,
        id: NodeId,
        op: BinaryOp,
        (a, left): (NodeId, Value),
        (b, right): (NodeId, Value),
    ) -> Res<Value> {
        if is_python(&left) && is_python(&right) {
            return match python_binary(op, &left, &right) {
                Ok(value) => Ok(value),
                Err(message) => self.err(id, message),
            };
        }
        let compares = bin_op(op).is_some_and(|op| op.is_compare());
        let node = matches!(op, BinaryOp::Eq | BinaryOp::Ne) || (compares && is_python(&left));
        let (left, right) = match op {
            BinaryOp::Shl | BinaryOp::Shr | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
                self.adapt(id, left, right)?
            }
            _ if node => self.adapt(id, left, right)?,
            _ => (left, right),
        };
        let (left, right) = (self.to_expr(a, left)?, self.to_expr(b, right)?);
        let bitwise = match op {
            BinaryOp::Shl => "shift_left",
            BinaryOp::Shr => "shift_right",
            BinaryOp::BitAnd => "bitwise_and",
            BinaryOp::BitOr => "bitwise_or",
            BinaryOp::BitXor => "bitwise_xor",
            BinaryOp::Pow => return self.intrinsic_values(id, "pow", vec![left, right]).map(Value::Expr),
            BinaryOp::MatMul => return self.err(id, "`@` is not an operator of TVMScript's expressions"),
            _ => "",
        };
        let result = match bin_op(op) {
            None => fold::bitwise(bitwise, left, right),
            Some(BinOp::Div) if left.dtype.is_integral() && right.dtype.is_integral() => {
                Err("expected `//`, `T.truncdiv` or `T.Div` for integers, found `/`".to_owned())
            }
            Some(op) if op.is_logic() && !node && !(left.dtype.is_scalar() && right.dtype.is_scalar()) => {
                let name = if op == BinOp::And { "bitwise_and" } else { "bitwise_or" };
                fold::bitwise(name, left, right)
            }
            Some(op) if node => {
                fold::same_lanes(left, right).and_then(|(left, right)| fold::node(op, left, right))
            }
            Some(op) => fold::binary(op, left, right),
        };
        self.at(id, result).map(Value::Expr)
    }

    #[inline(never)]
    fn unary_node(&mut self, id: NodeId, op: UnaryOp, a: NodeId) -> Res<Value> {
        let value = self.eval(a)?;
        match (op, value) {
            (UnaryOp::Neg, Value::Int(v)) => match v.checked_neg() {
                Some(v) => Ok(Value::Int(v)),
                None => self.err(id, "this integer does not fit in 64 bits"),
            },
            (UnaryOp::Neg, Value::Float(v)) => Ok(Value::Float(-v)),
            (UnaryOp::Neg, Value::Bool(v)) => Ok(Value::Int(-i128::from(v))),
            (UnaryOp::Plus, v @ (Value::Int(_) | Value::Float(_))) => Ok(v),
            (UnaryOp::Invert, Value::Int(v)) => Ok(Value::Int(!v)),
            (UnaryOp::Not, v) if is_python(&v) => Ok(Value::Bool(!truth(&v))),
            (op, v) => {
                let e = self.to_expr(a, v)?;
                self.unary(id, op, e).map(Value::Expr)
            }
        }
    }

    fn unary(&self, id: NodeId, op: UnaryOp, e: Expr) -> Res<Expr> {
        match op {
            UnaryOp::Neg => {
                let minus_one = match e.dtype.scalar() {
                    d if d.is_float() => Expr::float(-1.0, d),
                    d if d.is_int() => Expr::int(-1, d),
                    d => return self.err(id, format!("expected a signed number after `-`, found `{d}`")),
                };
                self.at(id, fold::binary(BinOp::Mul, e, minus_one))
            }
            UnaryOp::Plus => self.err(id, "`+` before an expression is not an operator of TVMScript"),
            UnaryOp::Invert if e.dtype.is_integral() || e.dtype.is_bool() => {
                Ok(Expr::call(e.dtype, "bitwise_not", vec![e]))
            }
            UnaryOp::Invert => self.err(id, format!("expected an integer after `~`, found `{}`", e.dtype)),
            UnaryOp::Not if e.dtype.is_bool() => Ok(Expr::not(e)),
            UnaryOp::Not => self.err(id, format!("expected a `bool` value after `not`, found `{}`", e.dtype)),
        }
    }

    /// `a < b <= c` is `a < b and b <= c`.
    #[inline(never)]
    fn compare_chain(&mut self, id: NodeId, operands: NodeList, first: u32) -> Res<Value> {
        let mut result: Option<Value> = None;
        let mut left = self.eval(self.ast.item(operands, 0))?;
        for i in 1..operands.len() {
            self.enter(self.span(id))?;
            let (a, b) = (self.ast.item(operands, i - 1), self.ast.item(operands, i));
            let op = self.ast.operators[first as usize + i - 1];
            let right = self.eval(b)?;
            if i + 1 < operands.len()
                && let Value::Expr(e) = &right
            {
                self.may_repeat(id, e)?;
            }
            let compared = self.binary(id, op, (a, left), (b, right.clone()))?;
            left = right;
            result = Some(match result {
                None => compared,
                Some(all) => self.binary(id, BinaryOp::And, (id, all), (id, compared))?,
            });
        }
        self.depth -= operands.len() - 1;
        Ok(result.unwrap_or(Value::None))
    }

    /// `value.name`, not called.
    #[inline(never)]
    fn attribute(&mut self, id: NodeId, value: NodeId, name: &'s str) -> Res<Value> {
        if let Some(path) = self.tir_path(id) {
            return Ok(self.path_value(path));
        }
        let base = self.eval(value)?;
        let buffer = match base {
            Value::Buffer(buffer) if name == "source" && self.is_element(buffer) => {
                return Ok(Value::Buffer(buffer));
            }
            Value::Buffer(buffer) => buffer,
            Value::Scalar(buffer) if name == "buffer" => return Ok(Value::Buffer(buffer)),
            Value::Scalar(buffer) if name == "source" => return Ok(Value::Buffer(buffer)),
            Value::Type(ty) if name == "ty" => return Ok(Value::Type(ty)),
            Value::IterVar(node) if name == "var" => return Ok(Value::IterVar(node)),
            Value::Module => {
                if self.globals.contains_key(name) {
                    return Ok(Value::Global(name.into()));
                }
                return self.err(id, format!("the module has no function `{name}`"));
            }
            Value::Expr(e) if name == "dtype" => return Ok(Value::Str(e.dtype.to_string().into())),
            other => return self.err(id, format!("{} has no attribute `{name}`", other.describe())),
        };
        let info = self.func.buffer(buffer);
        let exprs = |list: &[Expr]| Value::Tuple(list.iter().cloned().map(Value::Expr).collect());
        Ok(match name {
            "data" => Value::Expr(Expr { dtype: DType::HANDLE, kind: ExprKind::BufferData(buffer) }),
            "shape" => exprs(&info.shape),
            "strides" => exprs(&info.strides),
            "elem_offset" => Value::Expr(super::buffer::elem_offset(info)),
            "dtype" => Value::Str(info.dtype.to_string().into()),
            _ => return self.err(id, format!("a buffer has no attribute `{name}`")),
        })
    }

    /// The meaning of `T.<path>` where it is not called.
    pub(super) fn path_value(&self, path: String) -> Value {
        match dtype_name(&path) {
            Some(dtype) => Value::Type(Type::Prim(dtype)),
            None => Value::Path(path.into()),
        }
    }

    /// The variable that an expression is, if it is one.
    pub(super) fn as_var(&mut self, id: NodeId) -> Res<VarId> {
        match self.eval(id)? {
            Value::Expr(Expr { kind: ExprKind::Var(var), .. }) => Ok(var),
            other => self.expected(id, "a variable", &other),
        }
    }
}

/// The data type that `T.<name>` is, with the short names of recent releases.
pub(super) fn dtype_name(name: &str) -> Option<DType> {
    let full = match name {
        "f16" => "float16",
        "f32" => "float32",
        "f64" => "float64",
        "bf16" => "bfloat16",
        "i8" => "int8",
        "i16" => "int16",
        "i32" => "int32",
        "i64" => "int64",
        "u8" => "uint8",
        "u16" => "uint16",
        "u32" => "uint32",
        "u64" => "uint64",
        "boolean" => "bool",
        other => other,
    };
    full.parse().ok()
}

/// Python's truth value of a number.
fn truth(v: &Value) -> bool {
    match v {
        Value::Int(v) => *v != 0,
        Value::Float(v) => *v != 0.0,
        Value::Bool(v) => *v,
        _ => true,
    }
}

/// Python's arithmetic on its own numbers.
fn python_binary(op: BinaryOp, a: &Value, b: &Value) -> Result<Value, String> {
    match op {
        BinaryOp::And => return Ok(if truth(a) { b.clone() } else { a.clone() }),
        BinaryOp::Or => return Ok(if truth(a) { a.clone() } else { b.clone() }),
        _ => {}
    }
    let int = |v: &Value| match v {
        Value::Int(v) => Some(*v),
        Value::Bool(v) => Some(i128::from(*v)),
        _ => None,
    };
    let float = |v: &Value| match v {
        Value::Float(v) => *v,
        other => int(other).unwrap_or(0) as f64,
    };
    let too_big = || "this constant does not fit in 64 bits".to_owned();
    let zero = || "division by the constant zero".to_owned();
    if let (Some(x), Some(y)) = (int(a), int(b)) {
        let floor_div = |x: i128, y: i128| x / y - i128::from(x % y != 0 && (x < 0) != (y < 0));
        let amount = || u32::try_from(y).ok().filter(|&n| n < 64).ok_or("a shift amount is out of range");
        return Ok(match op {
            BinaryOp::Add => Value::Int(x.checked_add(y).ok_or_else(too_big)?),
            BinaryOp::Sub => Value::Int(x.checked_sub(y).ok_or_else(too_big)?),
            BinaryOp::Mul => Value::Int(x.checked_mul(y).ok_or_else(too_big)?),
            BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod if y == 0 => return Err(zero()),
            BinaryOp::Div => Value::Float(x as f64 / y as f64),
            BinaryOp::FloorDiv if y == -1 => Value::Int(x.checked_neg().ok_or_else(too_big)?),
            BinaryOp::FloorDiv => Value::Int(floor_div(x, y)),
            BinaryOp::Mod if y == -1 => Value::Int(0),
            BinaryOp::Mod => Value::Int(x - floor_div(x, y) * y),
            BinaryOp::Pow => {
                let power = u32::try_from(y).map_err(|_| "expected a power of at least 0")?;
                Value::Int(x.checked_pow(power).ok_or_else(too_big)?)
            }
            BinaryOp::Shl => Value::Int(x.checked_mul(1i128 << amount()?).ok_or_else(too_big)?),
            BinaryOp::Shr => Value::Int(x >> amount()?),
            BinaryOp::BitAnd => Value::Int(x & y),
            BinaryOp::BitOr => Value::Int(x | y),
            BinaryOp::BitXor => Value::Int(x ^ y),
            BinaryOp::Eq => Value::Bool(x == y),
            BinaryOp::Ne => Value::Bool(x != y),
            BinaryOp::Lt => Value::Bool(x < y),
            BinaryOp::Le => Value::Bool(x <= y),
            BinaryOp::Gt => Value::Bool(x > y),
            BinaryOp::Ge => Value::Bool(x >= y),
            BinaryOp::And | BinaryOp::Or | BinaryOp::MatMul => {
                return Err("this operator does not apply to numbers".to_owned());
            }
        });
    }
    let (x, y) = (float(a), float(b));
    Ok(match op {
        BinaryOp::Add => Value::Float(x + y),
        BinaryOp::Sub => Value::Float(x - y),
        BinaryOp::Mul => Value::Float(x * y),
        BinaryOp::Div | BinaryOp::FloorDiv | BinaryOp::Mod if y == 0.0 => return Err(zero()),
        BinaryOp::Div => Value::Float(x / y),
        BinaryOp::FloorDiv => Value::Float((x / y).floor()),
        BinaryOp::Mod => Value::Float(x - (x / y).floor() * y),
        BinaryOp::Pow => Value::Float(x.powf(y)),
        BinaryOp::Eq => Value::Bool(x == y),
        BinaryOp::Ne => Value::Bool(x != y),
        BinaryOp::Lt => Value::Bool(x < y),
        BinaryOp::Le => Value::Bool(x <= y),
        BinaryOp::Gt => Value::Bool(x > y),
        BinaryOp::Ge => Value::Bool(x >= y),
        BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::BitAnd
        | BinaryOp::BitOr
        | BinaryOp::BitXor
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::MatMul => return Err("this operator does not apply to floats".to_owned()),
    })
}
