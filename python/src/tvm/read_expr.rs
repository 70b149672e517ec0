//! Expressions of TVM as expressions of satir.

use std::sync::Arc;

use satir::ir::intrin::{self, ResultType};
use satir::ir::{AttrValue, Call, Callee, DType, Expr, ExprKind, Select, Shuffle, Type};

use super::build_expr::same_call;
use super::dtypes::ValueType;
use super::names;
use super::object::{Obj, Value};
use super::read::Reader;
use super::schema::Kind;
use super::{Res, Unsupported};

impl Reader<'_> {
    /// An expression.
    pub(super) fn expr(&mut self, object: &Obj) -> Res<Expr> {
        self.depth += 1;
        self.nodes += 1;
        if self.depth > self.limits.depth {
            return Err(Unsupported::new("an expression is nested too deep"));
        }
        // Objects may share parts, which are read each time: a few objects can be a tree without end.
        if self.nodes > self.limits.nodes {
            return Err(Unsupported::new("expressions are too long"));
        }
        let expr = self.node(object)?;
        self.depth -= 1;
        Ok(expr)
    }

    fn node(&mut self, object: &Obj) -> Res<Expr> {
        let tvm = self.tvm;
        let Some(kind) = tvm.kind(object) else {
            return Err(Unsupported::new("an expression of a class that is not known"));
        };
        if let Some(op) = names::binary(kind) {
            let (a, b) = (self.field(object, "a")?, self.field(object, "b")?);
            return Ok(Expr {
                dtype: self.dtype(object)?,
                kind: ExprKind::Binary(op, Box::new(a), Box::new(b)),
            });
        }
        if let Some(name) = names::bitwise(kind) {
            let args = vec![self.field(object, "a")?, self.field(object, "b")?];
            return Ok(Expr::call(self.dtype(object)?, name, args));
        }
        Ok(match kind {
            Kind::IntImm => {
                let dtype = self.dtype(object)?;
                Expr::int(tvm.int(object, "value")?, dtype)
            }
            Kind::FloatImm => match tvm.get(object, "value")? {
                Value::Float(value) => Expr::float(value, self.dtype(object)?),
                _ => return Err(Unsupported::new("a float without a value")),
            },
            Kind::StringImm => {
                let text: Arc<str> = tvm.text(object, "value")?.into();
                Expr { dtype: DType::HANDLE, kind: ExprKind::Str(text) }
            }
            Kind::Var if self.is_buffer(object) => {
                Expr { dtype: DType::HANDLE, kind: ExprKind::BufferRef(self.buffer(object)?) }
            }
            Kind::Var => {
                let var = self.var(object)?;
                Expr::var(var, self.func.var(var).ty.dtype())
            }
            Kind::Not => {
                let a = self.field(object, "a")?;
                Expr { dtype: self.dtype(object)?, kind: ExprKind::Not(Box::new(a)) }
            }
            Kind::BitwiseNot => {
                let a = self.field(object, "a")?;
                Expr::call(self.dtype(object)?, "bitwise_not", vec![a])
            }
            Kind::Cast => {
                let a = self.field(object, "value")?;
                Expr { dtype: self.dtype(object)?, kind: ExprKind::Cast(Box::new(a)) }
            }
            Kind::Select => {
                let cond = self.field(object, "condition")?;
                let (then, otherwise) =
                    (self.field(object, "true_value")?, self.field(object, "false_value")?);
                let select = Box::new(Select { cond, then, otherwise });
                Expr { dtype: self.dtype(object)?, kind: ExprKind::Select(select) }
            }
            Kind::Ramp => {
                let (base, stride) = (self.field(object, "base")?, self.field(object, "stride")?);
                let kind = ExprKind::Ramp(Box::new(base), Box::new(stride));
                Expr { dtype: self.dtype(object)?, kind }
            }
            Kind::Broadcast => {
                let a = self.field(object, "value")?;
                Expr { dtype: self.dtype(object)?, kind: ExprKind::Broadcast(Box::new(a)) }
            }
            Kind::Shuffle => {
                let (vectors, indices) = (self.exprs(object, "vectors")?, self.exprs(object, "indices")?);
                let kind = ExprKind::Shuffle(Box::new(Shuffle { vectors, indices }));
                Expr { dtype: self.dtype(object)?, kind }
            }
            Kind::Let => {
                let (value, var) = (self.field(object, "value")?, tvm.object(object, "var")?);
                let var = self.var(&var)?;
                let body = self.field(object, "body")?;
                let kind = ExprKind::Let(var, Box::new(value), Box::new(body));
                Expr { dtype: self.dtype(object)?, kind }
            }
            Kind::TensorLoad => {
                let buffer = self.buffer(&*tvm.object(object, "source")?)?;
                let indices = self.exprs(object, "indices")?.into();
                Expr { dtype: self.dtype(object)?, kind: ExprKind::Load { buffer, indices } }
            }
            Kind::TensorRegion => {
                let region = self.region(object)?;
                let ranges = region.ranges.into();
                Expr { dtype: DType::HANDLE, kind: ExprKind::Region(region.buffer, ranges) }
            }
            Kind::Call => self.call(object)?,
            _ => return Err(Unsupported(format!("an expression of the class {kind:?}"))),
        })
    }

    pub(super) fn field(&mut self, object: &Obj, name: &str) -> Res<Expr> {
        let child = self.tvm.object(object, name)?;
        self.expr(&child)
    }

    pub(super) fn exprs(&mut self, object: &Obj, name: &str) -> Res<Vec<Expr>> {
        let items = self.tvm.objects(object, name)?;
        items.iter().map(|item| self.expr(item)).collect()
    }

    fn call(&mut self, object: &Obj) -> Res<Expr> {
        let tvm = self.tvm;
        let callee = tvm.object(object, "op")?;
        if tvm.optional(object, "attrs")?.is_some() || !tvm.objects(object, "ty_args")?.is_empty() {
            return Err(Unsupported::new("a call with attributes"));
        }
        let ValueType::Plain(ty) = tvm.type_of(object)? else {
            return Err(Unsupported::new("a call that gives a buffer"));
        };
        let callee = match tvm.kind(&callee) {
            Some(Kind::GlobalVar) => {
                let name: Arc<str> = tvm.text(&callee, "name_hint")?.into();
                self.source.globals.insert(name.clone(), callee.counted());
                Callee::Global(name)
            }
            Some(Kind::Op) => {
                let name = tvm.text(&callee, "name")?;
                let short =
                    name.strip_prefix("tirx.").or_else(|| name.strip_prefix("prim.")).unwrap_or(&name);
                if names::is_statement(short) {
                    return Err(Unsupported(format!("a call of {name}")));
                }
                if short == "buffer_data" {
                    let [buffer] = &tvm.objects(object, "args")?[..] else {
                        return Err(Unsupported::new("a pointer to other than one buffer"));
                    };
                    let kind = ExprKind::BufferData(self.buffer(buffer)?);
                    return Ok(Expr { dtype: DType::HANDLE, kind });
                }
                let short: Arc<str> = short.into();
                if !self.source.operators.contains_key(&short) {
                    self.source.operators.insert(short.clone(), callee.counted());
                }
                Callee::Intrin(short)
            }
            _ => return Err(Unsupported::new("a call of an expression")),
        };
        let args = self.exprs(object, "args")?;
        let mut kwargs = Vec::new();
        let typed = matches!(ty, Type::Pointer(..));
        if let (Type::Pointer(element, scope), Callee::Intrin(name)) = (&ty, &callee) {
            let spelled = intrin::lookup(name).map(|row| row.result);
            if matches!(spelled, Some(ResultType::SpelledFirst | ResultType::SpelledLast)) {
                let args = vec![AttrValue::Str(element.to_string().into()), AttrValue::Str(scope.clone())];
                kwargs.push(("ret_ty".into(), AttrValue::Call("handle".into(), args, Vec::new())));
            }
        }
        let kind = ExprKind::Call(Box::new(Call { callee, args, kwargs }));
        let expr = Expr { dtype: ty.dtype(), kind };
        if typed {
            let known = &mut self.source.typed_calls;
            if !known.iter().any(|(old, of, _)| *of == ty && same_call(old, &expr)) {
                known.push((expr.clone(), ty, object.clone()));
            }
        }
        Ok(expr)
    }
}
