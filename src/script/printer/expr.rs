//! Expressions, with as few parentheses as Python's precedences allow.

use std::fmt::Write;
use std::sync::Arc;

use super::buffer::Dims;
use super::literal;
use super::state::Printer;
use crate::ir::intrin::{self, ResultType};
use crate::ir::{
    AttrValue, BinOp, BufferId, Call, Callee, CommReducer, DType, Expr, ExprKind, Kind, Origin, Sign, Type,
    VarId,
};
use crate::script::fold;

const LOOSEST: u8 = 0;
const NOT: u8 = 5;
const COMPARE: u8 = Sign::COMPARISON;
const UNARY: u8 = 13;

/// How an intrinsic on two arguments prints as an operator: sign, precedence, and its name where it would fold.
fn bitwise_sign(name: &str) -> Option<(&'static str, u8, &'static str)> {
    Some(match name {
        "bitwise_or" => ("|", 7, "BitwiseOr"),
        "bitwise_xor" => ("^", 8, "BitwiseXor"),
        "bitwise_and" => ("&", 9, "BitwiseAnd"),
        "shift_left" => ("<<", 10, "LShift"),
        "shift_right" => (">>", 10, "RShift"),
        _ => return None,
    })
}

impl Printer<'_> {
    /// Writes an expression that nothing binds.
    pub(super) fn expr(&mut self, e: &Expr) {
        self.child(e, LOOSEST);
    }

    /// Writes an expression, in parentheses if it binds less tightly than `min`.
    fn child(&mut self, e: &Expr, min: u8) {
        match &e.kind {
            ExprKind::Int(v) => literal::int(&mut self.line, e.dtype, *v),
            ExprKind::Float(bits) => literal::typed_float(&mut self.line, e.dtype, f64::from_bits(*bits)),
            ExprKind::Str(s) => literal::string(&mut self.line, s),
            ExprKind::Var(var) => self.var(*var),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, min),
            ExprKind::Not(a) => {
                let parens = NOT < min;
                self.open(parens);
                self.line.push_str("not ");
                self.child(a, NOT);
                self.close(parens);
            }
            ExprKind::Call(call) => self.call(e.dtype, call, min),
            ExprKind::Load { buffer, indices } => self.load(*buffer, indices),
            ExprKind::BufferData(buffer) => {
                self.buffer_ref(*buffer);
                self.line.push_str(".data");
            }
            ExprKind::BufferRef(buffer) => self.buffer_ref(*buffer),
            _ => self.node(e),
        }
    }

    fn open(&mut self, parens: bool) {
        if parens {
            self.line.push('(');
        }
    }

    fn close(&mut self, parens: bool) {
        if parens {
            self.line.push(')');
        }
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, min: u8) {
        let zero = op.is_division() && is_zero(b);
        let named = zero
            || fold::fold(op, a, b).is_some()
            || [a, b].into_iter().any(folds_when_read)
            || (op == BinOp::Div && a.dtype.is_integral())
            // `and` of vectors is the bitwise operation.
            || (op.is_logic() && !a.dtype.is_scalar())
            || a.dtype.kind == Kind::Handle;
        let Some(sign) = op.sign().filter(|_| !named) else {
            // The functions fold when read.
            let function = op.functions().first().filter(|_| !named);
            let name = function.copied().unwrap_or(op.tvm_name());
            let _ = write!(self.line, "T.{name}(");
            self.expr(a);
            self.line.push_str(", ");
            self.expr(b);
            self.line.push(')');
            return;
        };
        self.infix(sign.text, sign.precedence, a, b, min);
    }

    fn infix(&mut self, text: &str, power: u8, a: &Expr, b: &Expr, min: u8) {
        let parens = power < min;
        self.open(parens);
        // `a < b < c` is two comparisons.
        self.child(a, if power == COMPARE { COMPARE + 1 } else { power });
        let _ = write!(self.line, " {text} ");
        self.child(b, power + 1);
        self.close(parens);
    }

    pub(super) fn var(&mut self, var: VarId) {
        if self.names.var(var).is_none() {
            self.declare_var(var);
        }
        match self.names.var(var) {
            Some(name) => self.line.push_str(name),
            None => {
                let _ = write!(self.line, "v{}", var.0);
            }
        }
    }

    /// Declares a variable that nothing defines where it is used: `v = T.int32()`.
    fn declare_var(&mut self, var: VarId) {
        let func = self.func;
        let Some(info) = func.vars.get(var.index()) else { return };
        let name = self.names.define_var(func, var);
        let mut text = format!("{name} = ");
        match &info.ty {
            Type::Prim(dtype) => {
                let _ = write!(text, "T.{dtype}()");
            }
            Type::Pointer(..) => literal::annotation(&mut text, &info.ty),
        }
        self.pending.push(text);
    }

    pub(super) fn buffer_name(&mut self, buffer: BufferId) {
        if self.names.buffer(buffer).is_none() {
            self.declare_buffer(buffer);
        }
        match self.names.buffer(buffer) {
            Some(name) => self.line.push_str(name),
            None => {
                let _ = write!(self.line, "b{}", buffer.0);
            }
        }
    }

    /// Declares a buffer that nothing defines where it is named: `A = T.Buffer(…)`.
    fn declare_buffer(&mut self, buffer: BufferId) {
        let func = self.func;
        let name = self.names.define_buffer(func, buffer);
        if func.buffers.get(buffer.index()).is_some_and(|b| b.origin == Origin::Unbound) {
            let line = std::mem::take(&mut self.line);
            let _ = write!(self.line, "{name} = T.Buffer(");
            self.buffer_args(buffer, Dims::Plain, false, "global");
            self.line.push(')');
            let declaration = std::mem::replace(&mut self.line, line);
            self.pending.push(declaration);
        }
    }

    /// A buffer itself; the name of a scalar stands for its element.
    pub(super) fn buffer_ref(&mut self, buffer: BufferId) {
        self.buffer_name(buffer);
        if self.is_scalar(buffer) {
            self.line.push_str(".buffer");
        }
    }

    fn load(&mut self, buffer: BufferId, indices: &[Expr]) {
        self.buffer_name(buffer);
        if self.is_scalar(buffer) && matches!(indices, [i] if i.as_int() == Some(0)) {
            return;
        }
        if self.is_scalar(buffer) {
            self.line.push_str(".buffer");
        }
        self.line.push('[');
        if indices.is_empty() {
            self.line.push_str("()");
        }
        self.list(indices);
        self.line.push(']');
    }

    /// Expressions with commas between them.
    pub(super) fn list(&mut self, items: &[Expr]) {
        for (i, item) in items.iter().enumerate() {
            if i > 0 {
                self.line.push_str(", ");
            }
            self.expr(item);
        }
    }

    fn call(&mut self, dtype: DType, call: &Call, min: u8) {
        let name = match &call.callee {
            Callee::Global(name) => {
                let _ = write!(self.line, "{}.{name}(", self.module);
                self.called.insert(self.module.clone());
                self.list(&call.args);
                self.line.push(')');
                return;
            }
            Callee::Intrin(name) => &**name,
        };
        if let [a, b] = &call.args[..]
            && let Some((text, power, node)) = bitwise_sign(name)
        {
            let literals = [a, b].into_iter().all(is_python_number);
            if !literals && fold::fold_bitwise(name, a, b).is_none() {
                self.infix(text, power, a, b, min);
                return;
            }
            let _ = write!(self.line, "T.{node}(");
            self.list(&call.args);
            self.line.push(')');
            return;
        }
        if let [a] = &call.args[..]
            && name == "bitwise_not"
        {
            if is_python_number(a) {
                self.line.push_str("T.BitwiseNot(");
                self.expr(a);
                self.line.push(')');
                return;
            }
            let parens = UNARY < min;
            self.open(parens);
            self.line.push('~');
            self.child(a, UNARY);
            self.close(parens);
            return;
        }
        self.plain_call(dtype, name, call);
    }

    fn plain_call(&mut self, dtype: DType, name: &str, call: &Call) {
        if let (intrin::FENCE, [value]) = (name, &call.args[..]) {
            let _ = write!(self.line, "T.call_llvm_pure_intrin(\"{dtype}\", \"{name}\", ");
            self.expr(value);
            self.line.push(')');
            return;
        }
        let _ = write!(self.line, "T.{name}(");
        let spelled = intrin::lookup(name).map(|row| row.result);
        let mut first = true;
        if spelled == Some(ResultType::SpelledFirst) {
            self.spelled(dtype, call);
            first = false;
        }
        for arg in &call.args {
            if !std::mem::take(&mut first) {
                self.line.push_str(", ");
            }
            self.expr(arg);
        }
        if spelled == Some(ResultType::SpelledLast) {
            if !std::mem::take(&mut first) {
                self.line.push_str(", ");
            }
            self.spelled(dtype, call);
        }
        for (key, value) in &call.kwargs {
            if &**key == "ret_ty"
                && matches!(spelled, Some(ResultType::SpelledFirst | ResultType::SpelledLast))
            {
                continue;
            }
            if !std::mem::take(&mut first) {
                self.line.push_str(", ");
            }
            let _ = write!(self.line, "{key}=");
            self.attr_value(value);
        }
        self.line.push(')');
    }

    /// The type of a call's result, as an argument.
    fn spelled(&mut self, dtype: DType, call: &Call) {
        let pointer = call.kwargs.iter().find(|(key, _)| &**key == "ret_ty");
        match pointer {
            Some((_, value)) => {
                self.attr_value(value);
                self.line.push_str(".ty");
            }
            None if dtype == DType::HANDLE => self.line.push_str("T.handle().ty"),
            None => {
                let _ = write!(self.line, "\"{dtype}\"");
            }
        }
    }

    /// The kinds that print as calls of node constructors.
    #[inline(never)]
    fn node(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Cast(a) => {
                let _ = write!(self.line, "T.Cast(\"{}\", ", e.dtype);
                self.expr(a);
            }
            ExprKind::Select(select) => {
                self.line.push_str("T.Select(");
                let parts = [&select.cond, &select.then, &select.otherwise];
                for (i, part) in parts.into_iter().enumerate() {
                    self.line.push_str(if i > 0 { ", " } else { "" });
                    self.expr(part);
                }
            }
            ExprKind::Ramp(base, stride) => {
                self.line.push_str("T.Ramp(");
                self.expr(base);
                self.line.push_str(", ");
                self.expr(stride);
                let _ = write!(self.line, ", {}", e.dtype.lanes);
            }
            ExprKind::Broadcast(a) => {
                self.line.push_str("T.Broadcast(");
                self.expr(a);
                let _ = write!(self.line, ", {}", e.dtype.lanes);
            }
            ExprKind::Shuffle(shuffle) => {
                self.line.push_str("T.Shuffle([");
                self.list(&shuffle.vectors);
                self.line.push_str("], [");
                self.list(&shuffle.indices);
                self.line.push(']');
            }
            ExprKind::Let(var, value, body) => {
                let mark = self.names.mark();
                let name = self.let_name(*var);
                self.line.push_str("T.Let(");
                self.expr(body);
                let _ = write!(self.line, ", where={{{name}: ");
                self.expr(value);
                self.line.push('}');
                self.names.leave(mark);
                // The declaration is there until the block ends.
                self.names.reserve(name);
            }
            ExprKind::Region(buffer, ranges) => {
                self.region(*buffer, ranges);
                return;
            }
            ExprKind::Tuple(items) => {
                self.line.push('[');
                self.list(items);
                self.line.push(']');
                return;
            }
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Load { .. }
            | ExprKind::Call(_)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_) => return self.expr(e),
        }
        self.line.push(')');
    }

    /// A name for the variable of a `T.Let`, which is declared ahead of the statement. A second copy, as in `A[x:x + 4]`, has
    /// the name of the first: TVM takes the difference.
    fn let_name(&mut self, var: VarId) -> Arc<str> {
        if let Some(name) = self.let_names.get(&var).cloned() {
            self.names.name_var(var, name.clone());
            return name;
        }
        let func = self.func;
        let name = self.names.define_var(func, var);
        if let Some(info) = func.vars.get(var.index()) {
            let mut text = format!("{name} = ");
            match &info.ty {
                Type::Prim(dtype) => {
                    let _ = write!(text, "T.{dtype}()");
                }
                Type::Pointer(..) => literal::annotation(&mut text, &info.ty),
            }
            self.pending.push(text);
        }
        self.let_names.insert(var, name.clone());
        name
    }

    /// `A[i, a:b]`
    pub(super) fn region(&mut self, buffer: BufferId, ranges: &[(Expr, Option<Expr>)]) {
        self.buffer_ref(buffer);
        self.line.push('[');
        if ranges.is_empty() {
            self.line.push_str("()");
        }
        for (i, (min, extent)) in ranges.iter().enumerate() {
            if i > 0 {
                self.line.push_str(", ");
            }
            self.expr(min);
            match extent {
                Some(extent) if extent.as_int() != Some(1) => {
                    self.line.push(':');
                    self.sum(min, extent);
                }
                _ => {}
            }
        }
        self.line.push(']');
    }

    /// The end of a range: `min + extent`, folded.
    pub(super) fn sum(&mut self, min: &Expr, extent: &Expr) {
        match fold::binary(BinOp::Add, min.clone(), extent.clone()) {
            Ok(sum) => self.expr(&sum),
            Err(_) => self.infix("+", 11, min, extent, LOOSEST),
        }
    }

    /// Indices of a store: a ramp of constant stride is a slice.
    pub(super) fn store_indices(&mut self, indices: &[Expr]) {
        self.line.push('[');
        if indices.is_empty() {
            self.line.push_str("()");
        }
        for (i, index) in indices.iter().enumerate() {
            if i > 0 {
                self.line.push_str(", ");
            }
            match (&index.kind, slice_end(index)) {
                (ExprKind::Ramp(base, stride), Some(end)) => {
                    self.expr(base);
                    self.line.push(':');
                    self.expr(&end);
                    if stride.as_int() != Some(1) {
                        self.line.push(':');
                        self.expr(stride);
                    }
                }
                _ => self.expr(index),
            }
        }
        self.line.push(']');
    }

    /// `T.comm_reducer(lambda …, […])`
    pub(super) fn comm_reducer(&mut self, reducer: &CommReducer) {
        let mark = self.names.mark();
        self.line.push_str("T.comm_reducer(lambda ");
        let func = self.func;
        for (i, param) in reducer.params.iter().enumerate() {
            let name = self.names.define_var(func, *param);
            let _ = write!(self.line, "{}{name}", if i > 0 { ", " } else { "" });
        }
        self.line.push_str(": ");
        match &reducer.result[..] {
            [single] => self.expr(single),
            several => {
                self.line.push('(');
                self.list(several);
                self.line.push(')');
            }
        }
        self.names.leave(mark);
        self.line.push_str(", [");
        self.list(&reducer.identity);
        self.line.push_str("])");
    }

    /// A value of an attribute or annotation.
    pub(super) fn attr_value(&mut self, value: &AttrValue) {
        match value {
            AttrValue::None => self.line.push_str("None"),
            AttrValue::Bool(v) => self.line.push_str(if *v { "True" } else { "False" }),
            AttrValue::Int(v) => {
                let _ = write!(self.line, "{v}");
            }
            AttrValue::Float(bits) => {
                let v = f64::from_bits(*bits);
                let finite = v.is_finite();
                if !finite {
                    self.called.insert("float".into());
                }
                self.line.push_str(if finite { "" } else { "float(" });
                literal::float(&mut self.line, v);
                self.line.push_str(if finite { "" } else { ")" });
            }
            AttrValue::Str(s) => literal::string(&mut self.line, s),
            AttrValue::List(items) => {
                self.line.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.line.push_str(if i > 0 { ", " } else { "" });
                    self.attr_value(item);
                }
                self.line.push(']');
            }
            AttrValue::Dict(pairs) => {
                self.line.push('{');
                for (i, (key, item)) in pairs.iter().enumerate() {
                    self.line.push_str(if i > 0 { ", " } else { "" });
                    literal::string(&mut self.line, key);
                    self.line.push_str(": ");
                    self.attr_value(item);
                }
                self.line.push('}');
            }
            AttrValue::Type(dtype) => {
                let _ = write!(self.line, "T.{dtype}");
            }
            AttrValue::Expr(e) => match e.as_int() {
                // A bare number would be Python's.
                Some(v) if e.dtype == DType::I32 => {
                    let _ = write!(self.line, "T.int32({v})");
                }
                _ => self.expr(e),
            },
            AttrValue::Call(name, args, kwargs) => {
                let _ = write!(self.line, "T.{name}(");
                for (i, arg) in args.iter().enumerate() {
                    self.line.push_str(if i > 0 { ", " } else { "" });
                    self.attr_value(arg);
                }
                for (i, (key, arg)) in kwargs.iter().enumerate() {
                    self.line.push_str(if i + args.len() > 0 { ", " } else { "" });
                    let _ = write!(self.line, "{key}=");
                    self.attr_value(arg);
                }
                self.line.push(')');
            }
        }
    }
}

/// Where a ramp ends, if it can be written as a slice: the difference of the ends must show how long it is. A `T.Let` stays
/// in one place.
fn slice_end(ramp: &Expr) -> Option<Expr> {
    let ExprKind::Ramp(base, stride) = &ramp.kind else { return None };
    let step = stride.as_int().filter(|step| *step > 0)?;
    let length = i64::from(ramp.dtype.lanes).checked_mul(step)?;
    let mut binds = false;
    base.walk(&mut |e| binds |= matches!(e.kind, ExprKind::Let(..)));
    if binds {
        return None;
    }
    let length = fold::int_const(base.dtype, i128::from(length)).ok()?;
    let end = fold::binary(BinOp::Add, (**base).clone(), length).ok()?;
    (fold::difference(&end, base)? == i128::from(ramp.dtype.lanes) * i128::from(step)).then_some(end)
}

/// Whether the expression is a constant zero of either sign.
fn is_zero(e: &Expr) -> bool {
    match e.kind {
        ExprKind::Int(v) => v == 0,
        ExprKind::Float(bits) => f64::from_bits(bits) == 0.0,
        _ => false,
    }
}

/// Whether the expression prints as a number of Python's, on which Python computes: `~3` is `-4`.
fn is_python_number(e: &Expr) -> bool {
    e.dtype == DType::I32 && e.as_int().is_some()
}

/// Whether the expression is a call such as `T.fabs(T.float32(0))`, or a choice by a constant, which is read as something
/// else, so that an operator on it may fold too.
fn folds_when_read(e: &Expr) -> bool {
    match e.as_intrin() {
        Some(("if_then_else", [cond, ..])) => cond.as_int().is_some() || folds_when_read(cond),
        Some((_, [_])) => {
            let mut closed = true;
            e.walk(&mut |e| {
                closed &= matches!(e.kind, ExprKind::Float(_) | ExprKind::Int(_) | ExprKind::Call(_));
            });
            closed
        }
        _ => false,
    }
}
