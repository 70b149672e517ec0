//! Expressions of satir as expressions of TVM.

use satir::ir::{Call, Callee, Expr, ExprKind};

use super::build::Builder;
use super::call::Arg;
use super::dtypes;
use super::names;
use super::object::{Obj, Value};
use super::schema::Kind;
use super::{Res, Unsupported};

/// An expression of the input that stands where one of the result does, and its object.
pub(super) type Hint<'h> = Option<(&'h Expr, &'h Obj)>;

impl Builder<'_> {
    /// An expression; if it is what the hint is, the same object.
    pub(super) fn expr(&self, e: &Expr, hint: Hint<'_>) -> Res<Obj> {
        if let Some((old, object)) = hint
            && old == e
            && self.keeps_buffers(e)
        {
            return Ok(object.clone());
        }
        let tvm = self.tvm;
        match &e.kind {
            ExprKind::Int(value) => self.int(e.dtype, *value),
            ExprKind::Float(bits) => {
                let dtype = Arg::DType(dtypes::bits(e.dtype)?);
                tvm.make("ir.FloatImm", &[dtype, Arg::Float(f64::from_bits(*bits)), Arg::None])
            }
            ExprKind::Str(text) => tvm.make("ir.StringImm", &[Arg::Str(text), Arg::None]),
            ExprKind::Var(var) => self.var(*var),
            ExprKind::BufferRef(buffer) => self.buffer(*buffer).cloned(),
            ExprKind::BufferData(buffer) => tvm.make("tirx.BufferData", &[self.buffer(*buffer)?.into()]),
            ExprKind::Binary(op, a, b) => self.pair(names::constructor(*op), (a, b), hint),
            ExprKind::Not(a) => self.around_one("prim.Not", a, hint, "a"),
            ExprKind::Cast(a) => {
                let a = self.child(a, hint, "value")?;
                let ty = tvm.make_type(e.dtype)?;
                tvm.make("prim.Cast", &[(&ty).into(), (&a).into(), Arg::None])
            }
            ExprKind::Select(select) => {
                let cond = self.child(&select.cond, hint, "condition")?;
                let then = self.child(&select.then, hint, "true_value")?;
                let otherwise = self.child(&select.otherwise, hint, "false_value")?;
                tvm.make("prim.Select", &[(&cond).into(), (&then).into(), (&otherwise).into(), Arg::None])
            }
            ExprKind::Load { buffer, indices } => {
                let indices = self.items(indices, hint, "indices")?;
                tvm.make("tirx.BufferLoad", &[self.buffer(*buffer)?.into(), (&indices).into(), Arg::None])
            }
            ExprKind::Ramp(base, stride) => {
                let (base, stride) = (self.child(base, hint, "base")?, self.child(stride, hint, "stride")?);
                let lanes = self.int(satir::ir::DType::I32, i64::from(e.dtype.lanes))?;
                tvm.make("prim.Ramp", &[(&base).into(), (&stride).into(), (&lanes).into(), Arg::None])
            }
            ExprKind::Broadcast(a) => {
                let a = self.child(a, hint, "value")?;
                let lanes = self.int(satir::ir::DType::I32, i64::from(e.dtype.lanes))?;
                tvm.make("prim.Broadcast", &[(&a).into(), (&lanes).into(), Arg::None])
            }
            ExprKind::Shuffle(shuffle) => {
                let vectors = self.items(&shuffle.vectors, hint, "vectors")?;
                let indices = self.items(&shuffle.indices, hint, "indices")?;
                tvm.make("prim.Shuffle", &[(&vectors).into(), (&indices).into(), Arg::None])
            }
            ExprKind::Let(var, value, body) => {
                let (value, body) = (self.child(value, hint, "value")?, self.child(body, hint, "body")?);
                tvm.make("prim.Let", &[(&self.var(*var)?).into(), (&value).into(), (&body).into(), Arg::None])
            }
            ExprKind::Region(buffer, ranges) => self.region(*buffer, ranges),
            ExprKind::Call(call) => self.call(e, call, hint),
            ExprKind::Tuple(_) => Err(Unsupported::new("a tuple")),
        }
    }

    /// What stands in a field of the hint, if the child of the expression that was read from it can be told.
    fn child(&self, e: &Expr, hint: Hint<'_>, field: &str) -> Res<Obj> {
        let Some((old, object)) = hint else { return self.expr(e, None) };
        let mut found = None;
        if let Some(at) = position(&old.kind, field) {
            let mut index = 0;
            old.for_each_child(|child| {
                if index == at {
                    found = Some(child);
                }
                index += 1;
            });
        }
        match found.zip(self.tvm.counted(object, field).ok()) {
            Some((old, object)) => self.expr(e, Some((old, &object))),
            None => self.expr(e, None),
        }
    }

    fn pair(&self, constructor: &'static str, (a, b): (&Expr, &Expr), hint: Hint<'_>) -> Res<Obj> {
        let (a, b) = (self.child(a, hint, "a")?, self.child(b, hint, "b")?);
        self.tvm.make(constructor, &[(&a).into(), (&b).into(), Arg::None])
    }

    fn around_one(&self, constructor: &'static str, a: &Expr, hint: Hint<'_>, field: &str) -> Res<Obj> {
        let a = self.child(a, hint, field)?;
        self.tvm.make(constructor, &[(&a).into(), Arg::None])
    }

    /// Expressions as an array, each with what stood at its place in the hint.
    fn items(&self, items: &[Expr], hint: Hint<'_>, field: &str) -> Res<Obj> {
        let old = match hint.map(|(old, object)| (&old.kind, object)) {
            Some((ExprKind::Load { indices, .. }, object)) if field == "indices" => {
                Some((&**indices, object))
            }
            Some((ExprKind::Call(call), object)) if field == "args" => Some((&call.args[..], object)),
            _ => None,
        };
        let old = old.and_then(|(old, object)| Some((old, self.tvm.objects(object, field).ok()?)));
        let objects = match &old {
            Some((old, objects)) if old.len() == items.len() && objects.len() == items.len() => {
                let hints = old.iter().zip(objects.iter().map(|object| &**object));
                items
                    .iter()
                    .zip(hints)
                    .map(|(e, hint)| self.expr(e, Some(hint)))
                    .collect::<Res<Vec<Obj>>>()?
            }
            _ => items.iter().map(|e| self.expr(e, None)).collect::<Res<Vec<Obj>>>()?,
        };
        self.tvm.array(&objects)
    }

    fn call(&self, e: &Expr, call: &Call, hint: Hint<'_>) -> Res<Obj> {
        let tvm = self.tvm;
        if let Callee::Intrin(name) = &call.callee {
            if let (Some(constructor), [a, b]) = (names::bitwise_constructor(name), &call.args[..]) {
                let (a, b) = (self.expr(a, None)?, self.expr(b, None)?);
                return tvm.make(constructor, &[(&a).into(), (&b).into(), Arg::None]);
            }
            if let ("bitwise_not", [a]) = (&**name, &call.args[..]) {
                let a = self.expr(a, None)?;
                return tvm.make("prim.BitwiseNot", &[(&a).into(), Arg::None]);
            }
        }
        // Of calls whose type is not in the expression there is one of the same kind in the input.
        let mut models = self.source.typed_calls.iter().filter(|(old, ..)| same_call(old, e));
        let model = models.next();
        let ty = match model {
            Some((_, ty, object)) => {
                if e.dtype == satir::ir::DType::HANDLE && models.any(|(_, other, _)| other != ty) {
                    return Err(Unsupported::new("a pointer of a type that cannot be told"));
                }
                tvm.counted(object, "ty")?
            }
            None if e.dtype == satir::ir::DType::HANDLE && !call.kwargs.is_empty() => {
                return Err(Unsupported::new("a pointer that satir made"));
            }
            None if e.dtype == satir::ir::DType::VOID => self.void_type(hint)?,
            None => tvm.make_type(e.dtype)?,
        };
        let callee = match &call.callee {
            Callee::Global(name) => {
                let found = self.source.globals.get(name).cloned();
                found.ok_or_else(|| Unsupported(format!("a call of {name}")))?
            }
            Callee::Intrin(name) => self.operator(name)?,
        };
        let args = self.items(&call.args, hint, "args")?;
        let none = tvm.array(&[])?;
        tvm.make(
            "ir.Call",
            &[(&ty).into(), (&callee).into(), (&args).into(), Arg::None, (&none).into(), Arg::None],
        )
    }

    /// The type of a call that gives nothing, as the input spells it.
    fn void_type(&self, hint: Hint<'_>) -> Res<Obj> {
        match hint {
            Some((old, object))
                if old.dtype == satir::ir::DType::VOID && self.tvm.kind(object) == Some(Kind::Call) =>
            {
                self.tvm.counted(object, "ty")
            }
            _ => Err(Unsupported::new("a call that gives nothing, made by satir")),
        }
    }

    /// TVM's operator for an intrinsic.
    fn operator(&self, name: &str) -> Res<Obj> {
        if let Some(op) = self.source.operators.get(name) {
            return Ok(op.clone());
        }
        for full in [format!("tirx.{name}"), format!("prim.{name}"), name.to_owned()] {
            if let Ok(Value::Object(op)) = self.tvm.call("ir.GetOp", &[Arg::Str(&full)]) {
                return Ok(op);
            }
        }
        Err(Unsupported(format!("TVM has no operator {name}")))
    }

    /// A box of a buffer.
    pub(super) fn region(&self, buffer: satir::ir::BufferId, ranges: &[(Expr, Option<Expr>)]) -> Res<Obj> {
        let tvm = self.tvm;
        let mut objects = Vec::new();
        for (min, extent) in ranges {
            let start = self.expr(min, None)?;
            let extent = match extent {
                Some(extent) => self.expr(extent, None)?,
                None => self.int(min.dtype, 1)?,
            };
            objects
                .push(tvm.make("ir.Range_from_min_extent", &[(&start).into(), (&extent).into(), Arg::None])?);
        }
        tvm.make("tirx.BufferRegion", &[self.buffer(buffer)?.into(), (&tvm.array(&objects)?).into()])
    }
}

/// At which place among the children of a node what a field holds was read.
fn position(kind: &ExprKind, field: &str) -> Option<usize> {
    match (kind, field) {
        (ExprKind::Binary(..), "a")
        | (ExprKind::Not(_), "a")
        | (ExprKind::Cast(_) | ExprKind::Broadcast(_), "value") => Some(0),
        (ExprKind::Binary(..), "b") => Some(1),
        (ExprKind::Select(_), "condition") | (ExprKind::Ramp(..), "base") | (ExprKind::Let(..), "value") => {
            Some(0)
        }
        (ExprKind::Select(_), "true_value")
        | (ExprKind::Ramp(..), "stride")
        | (ExprKind::Let(..), "body") => Some(1),
        (ExprKind::Select(_), "false_value") => Some(2),
        _ => None,
    }
}

/// Whether two calls are of the same kind: the same is called, on arguments of the same types.
pub(super) fn same_call(old: &Expr, new: &Expr) -> bool {
    let (ExprKind::Call(a), ExprKind::Call(b)) = (&old.kind, &new.kind) else { return false };
    old.dtype == new.dtype
        && a.callee == b.callee
        && a.kwargs == b.kwargs
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(a, b)| a.dtype == b.dtype)
}
