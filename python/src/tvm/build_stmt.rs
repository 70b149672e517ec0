//! Statements of satir as statements of TVM.

use satir::ir::{Axis, Block, BufferRegion, Expr, For, ForKind, SBlock, Stmt, StmtKind};

use super::build::Builder;
use super::call::Arg;
use super::object::{Obj, Value};
use super::{Res, Unsupported};

/// What is put in the place of fields of a block; the others stay.
#[derive(Default)]
pub(super) struct Replaced<'a> {
    pub(super) body: Option<&'a Obj>,
    pub(super) init: Option<&'a Obj>,
    pub(super) iter_vars: Option<&'a Obj>,
    pub(super) reads: Option<&'a Obj>,
    pub(super) writes: Option<&'a Obj>,
    pub(super) alloc_buffers: Option<&'a Obj>,
}

impl Builder<'_> {
    /// A statement; if it is what it was, the same object.
    pub(super) fn stmt(&self, stmt: &Stmt) -> Res<Obj> {
        let origin = self.origin(stmt);
        if let Some((old, object)) = origin
            && old == stmt
            && self.keeps_all()
        {
            return Ok(object.clone());
        }
        let tvm = self.tvm;
        // An expression of the old statement and its object, by the field that holds it.
        let held = |field: &str| -> Option<Obj> { tvm.counted(origin?.1, field).ok() };
        let span = match origin {
            Some((_, object)) => tvm.get(object, "span")?,
            None => Value::None,
        };
        let span = Arg::from(&span);
        match &stmt.kind {
            StmtKind::Bind { var, value } => {
                let old = match origin {
                    Some((Stmt { kind: StmtKind::Bind { value, .. }, .. }, _)) => {
                        Some(value).zip(held("value"))
                    }
                    _ => None,
                };
                let value = self.hinted(value, &old)?;
                tvm.make("tirx.Bind", &[(&self.var(*var)?).into(), (&value).into(), span])
            }
            StmtKind::Store { buffer, indices, value } => {
                let (old_value, old_indices) = match origin {
                    Some((Stmt { kind: StmtKind::Store { value, indices, .. }, .. }, object)) => (
                        Some(value).zip(held("value")),
                        Some(indices).zip(tvm.objects(object, "indices").ok()),
                    ),
                    _ => (None, None),
                };
                let value = self.hinted(value, &old_value)?;
                let mut objects = Vec::with_capacity(indices.len());
                for (at, index) in indices.iter().enumerate() {
                    let hint = old_indices
                        .as_ref()
                        .and_then(|(old, held)| old.get(at).zip(held.get(at).map(|held| &**held)));
                    objects.push(self.expr(index, hint)?);
                }
                let buffer = self.buffer(*buffer)?;
                tvm.make(
                    "tirx.BufferStore",
                    &[buffer.into(), (&value).into(), (&tvm.array(&objects)?).into(), span],
                )
            }
            StmtKind::Evaluate(e) => {
                let old = match origin {
                    Some((Stmt { kind: StmtKind::Evaluate(e), .. }, _)) => Some(e).zip(held("value")),
                    _ => None,
                };
                tvm.make("tirx.Evaluate", &[(&self.hinted(e, &old)?).into(), span])
            }
            StmtKind::Return(e) => tvm.make("tirx.Return", &[(&self.expr(e, None)?).into(), span]),
            StmtKind::For(node) => self.for_loop(node, origin, span),
            StmtKind::While { cond, body } => {
                let old = match origin {
                    Some((Stmt { kind: StmtKind::While { cond, .. }, .. }, _)) => {
                        Some(cond).zip(held("condition"))
                    }
                    _ => None,
                };
                let cond = self.hinted(cond, &old)?;
                tvm.make("tirx.While", &[(&cond).into(), (&self.block(body)?).into(), span])
            }
            StmtKind::If { cond, then, otherwise } => {
                let old = match origin {
                    Some((Stmt { kind: StmtKind::If { cond, .. }, .. }, _)) => {
                        Some(cond).zip(held("condition"))
                    }
                    _ => None,
                };
                let (cond, then) = (self.hinted(cond, &old)?, self.block(then)?);
                let otherwise = if otherwise.is_empty() { None } else { Some(self.block(otherwise)?) };
                let otherwise = Arg::from(otherwise.as_ref());
                tvm.make("tirx.IfThenElse", &[(&cond).into(), (&then).into(), otherwise, span])
            }
            StmtKind::Assert { cond, kind, message } => {
                let Some((
                    Stmt { kind: StmtKind::Assert { kind: old, message: old_message, .. }, .. },
                    object,
                )) = origin
                else {
                    return Err(Unsupported::new("an assertion that satir made"));
                };
                if old != kind || old_message != message {
                    return Err(Unsupported::new("an assertion that satir changed"));
                }
                let (kind, parts) = (tvm.get(object, "error_kind")?, tvm.get(object, "message_parts")?);
                let cond = self.expr(cond, None)?;
                tvm.make("tirx.AssertStmt", &[(&kind).into(), (&cond).into(), (&parts).into(), span])
            }
            StmtKind::Attr { node, key, value, body } => {
                let Some((
                    Stmt { kind: StmtKind::Attr { node: old, key: old_key, value: old_value, .. }, .. },
                    object,
                )) = origin
                else {
                    return Err(Unsupported::new("an attribute that satir made"));
                };
                if old != node || old_key != key {
                    return Err(Unsupported::new("an attribute that satir changed"));
                }
                let held = tvm.counted(object, "value")?;
                let value = self.expr(value, Some((old_value, &held)))?;
                let (node, body) = (tvm.get(object, "node")?, self.block(body)?);
                tvm.make(
                    "tirx.AttrStmt",
                    &[(&node).into(), Arg::Str(key), (&value).into(), (&body).into(), span],
                )
            }
            StmtKind::LaunchThread { var, tag, extent, body } => {
                let Some((
                    Stmt { kind: StmtKind::LaunchThread { var: v, tag: t, extent: old, .. }, .. },
                    object,
                )) = origin
                else {
                    return Err(Unsupported::new("threads that satir made"));
                };
                if v != var || t != tag {
                    return Err(Unsupported::new("threads that satir changed"));
                }
                let key = tvm.get(object, "attr_key")?;
                let node = tvm.counted(object, "node")?;
                let held = tvm.counted(object, "value")?;
                let value = self.expr(extent, Some((old, &held)))?;
                let node = if old == extent { node } else { self.thread(&node, &value)? };
                let body = self.block(body)?;
                tvm.make(
                    "tirx.AttrStmt",
                    &[(&node).into(), (&key).into(), (&value).into(), (&body).into(), span],
                )
            }
            StmtKind::Alloc { buffer, annotations } => {
                let Some((Stmt { kind: StmtKind::Alloc { annotations: old, .. }, .. }, object)) = origin
                else {
                    return Err(Unsupported::new("an allocation that satir made"));
                };
                if old != annotations {
                    return Err(Unsupported::new("an allocation that satir changed"));
                }
                let kept = tvm.get(object, "annotations")?;
                tvm.make("tirx.AllocBuffer", &[self.buffer(*buffer)?.into(), (&kept).into(), span])
            }
            StmtKind::Decl { buffer } => {
                let data = match &self.after.buffer(*buffer).origin {
                    satir::ir::Origin::View(of) => {
                        tvm.make("tirx.BufferData", &[self.buffer(*of)?.into()])?
                    }
                    satir::ir::Origin::Pointer(pointer) => self.expr(pointer, None)?,
                    _ => return Err(Unsupported::new("a buffer over nothing")),
                };
                tvm.make("tirx.DeclBuffer", &[self.buffer(*buffer)?.into(), (&data).into(), span])
            }
            StmtKind::SBlock(block) => match origin {
                Some((Stmt { kind: StmtKind::SBlock(old), .. }, object)) => self.sblock(block, old, object),
                _ => Err(Unsupported::new("a block that satir made")),
            },
            StmtKind::Break => tvm.make("tirx.Break", &[span]),
            StmtKind::Continue => tvm.make("tirx.Continue", &[span]),
        }
    }

    /// Threads with another range, which stands in the node of the attribute too.
    fn thread(&self, node: &Obj, extent: &Obj) -> Res<Obj> {
        let tvm = self.tvm;
        let dom = match tvm.optional(node, "dom")? {
            Some(dom) => {
                let min = tvm.counted(&dom, "min")?;
                Some(tvm.make("ir.Range_from_min_extent", &[(&min).into(), extent.into(), Arg::None])?)
            }
            None => None,
        };
        let field = |name| tvm.get(node, name);
        let (var, kind, tag, span) =
            (field("var")?, field("iter_type")?, field("thread_tag")?, field("span")?);
        tvm.make(
            "tirx.IterVar",
            &[dom.as_ref().into(), (&var).into(), (&kind).into(), (&tag).into(), (&span).into()],
        )
    }

    fn hinted(&self, e: &Expr, old: &Option<(&Expr, Obj)>) -> Res<Obj> {
        self.expr(e, old.as_ref().map(|(old, object)| (*old, object)))
    }

    fn for_loop(&self, node: &For, origin: Option<(&Stmt, &Obj)>, span: Arg<'_>) -> Res<Obj> {
        let tvm = self.tvm;
        let old = match origin {
            Some((Stmt { kind: StmtKind::For(old), .. }, object)) => Some((&**old, object)),
            _ => None,
        };
        let held = |of: fn(&For) -> Option<&Expr>, name: &str| {
            let (old, object) = old?;
            of(old).zip(tvm.counted(object, name).ok())
        };
        let min = self.hinted(&node.min, &held(|old| Some(&old.min), "min"))?;
        let extent = self.hinted(&node.extent, &held(|old| Some(&old.extent), "extent"))?;
        let step = match &node.step {
            Some(step) => Some(self.hinted(step, &held(|old| old.step.as_ref(), "step"))?),
            None => None,
        };
        let (kind, thread) = match &node.kind {
            ForKind::Serial => (0, None),
            ForKind::Parallel => (1, None),
            ForKind::Vectorized => (2, None),
            ForKind::Unrolled => (3, None),
            ForKind::ThreadBinding(_) => match old {
                Some((old, object)) if old.kind == node.kind => (4, tvm.optional(object, "thread_binding")?),
                _ => return Err(Unsupported::new("threads that satir made")),
            },
        };
        let annotations = match old {
            Some((old, object)) if old.annotations == node.annotations => {
                tvm.counted(object, "annotations")?
            }
            _ if node.annotations.is_empty() => tvm.make("ffi.Map", &[])?,
            _ => return Err(Unsupported::new("annotations that satir made")),
        };
        let (var, body) = (self.var(node.var)?, self.block(&node.body)?);
        tvm.make(
            "tirx.For",
            &[
                (&var).into(),
                (&min).into(),
                (&extent).into(),
                Arg::Int(kind),
                (&body).into(),
                thread.as_ref().into(),
                (&annotations).into(),
                step.as_ref().into(),
                span,
            ],
        )
    }

    fn sblock(&self, new: &SBlock, old: &SBlock, object: &Obj) -> Res<Obj> {
        let tvm = self.tvm;
        if !self.keeps_head(new, old) {
            return Err(Unsupported::new("satir changed the head of a block"));
        }
        let realized = tvm.counted(object, "block")?;
        let init = match &new.init {
            Some(init) => Some(self.block(init)?),
            None => None,
        };
        let body = self.block_or(&new.body, &old.body, &tvm.counted(&realized, "body")?)?;
        let iter_vars = self.axes(&new.axes, &old.axes, &realized)?;
        let reads = self.regions(new.reads.as_deref(), old.reads.as_deref(), &realized, "reads")?;
        let writes = self.regions(new.writes.as_deref(), old.writes.as_deref(), &realized, "writes")?;
        let allocated = new.alloc_buffers.iter().map(|buffer| self.buffer(*buffer).cloned());
        let allocated = tvm.array(&allocated.collect::<Res<Vec<_>>>()?)?;
        let with = Replaced {
            alloc_buffers: Some(&allocated),
            body: Some(&body),
            init: init.as_ref(),
            iter_vars: Some(&iter_vars),
            reads: Some(&reads),
            writes: Some(&writes),
        };
        let block = self.block_with(&realized, &with)?;
        let old_bindings = tvm.objects(object, "iter_values")?;
        let mut bindings = Vec::new();
        for (at, axis) in new.axes.iter().enumerate() {
            let hint =
                old.axes.get(at).map(|axis| &axis.binding).zip(old_bindings.get(at).map(|held| &**held));
            bindings.push(self.expr(&axis.binding, hint)?);
        }
        let predicate = match (&new.predicate, &old.predicate) {
            (new, old) if new == old => tvm.counted(object, "predicate")?,
            (Some(predicate), _) => self.expr(predicate, None)?,
            (None, _) => self.int(satir::ir::DType::BOOL, 1)?,
        };
        let span = tvm.get(object, "span")?;
        let bindings = tvm.array(&bindings)?;
        let args = [(&bindings).into(), (&predicate).into(), (&block).into(), (&span).into()];
        tvm.make("s_tir.SBlockRealize", &args)
    }

    fn keeps_head(&self, new: &SBlock, old: &SBlock) -> bool {
        new.name == old.name
            && new.attrs == old.attrs
            && new.alloc_buffers == old.alloc_buffers
            && new.match_buffers == old.match_buffers
            && new.axes.len() == old.axes.len()
            && new.axes.iter().zip(&old.axes).all(|(new, old)| new.var == old.var && new.kind == old.kind)
            && (self.keeps_all() || new.match_buffers.is_empty())
    }

    /// A body; if it is what it was, the same object.
    fn block_or(&self, new: &Block, old: &Block, object: &Obj) -> Res<Obj> {
        if new == old && self.keeps_all() { Ok(object.clone()) } else { self.block(new) }
    }

    fn axes(&self, new: &[Axis], old: &[Axis], block: &Obj) -> Res<Obj> {
        let tvm = self.tvm;
        let same = new.iter().zip(old).all(|(new, old)| new.min == old.min && new.extent == old.extent);
        if !same {
            return Err(Unsupported::new("satir changed the domain of a block"));
        }
        tvm.counted(block, "iter_vars")
    }

    fn regions(
        &self,
        new: Option<&[BufferRegion]>,
        old: Option<&[BufferRegion]>,
        block: &Obj,
        name: &str,
    ) -> Res<Obj> {
        if new == old && self.keeps_all() {
            return self.tvm.counted(block, name);
        }
        let regions = new.unwrap_or_default().iter().map(|region| self.region(region.buffer, &region.ranges));
        self.tvm.array(&regions.collect::<Res<Vec<_>>>()?)
    }

    /// A block with other fields.
    pub(super) fn block_with(&self, block: &Obj, with: &Replaced<'_>) -> Res<Obj> {
        let tvm = self.tvm;
        let field = |name, new: Option<&Obj>| match new {
            Some(new) => Ok(Value::Object(new.clone())),
            None => tvm.get(block, name),
        };
        let fields = [
            field("iter_vars", with.iter_vars)?,
            field("reads", with.reads)?,
            field("writes", with.writes)?,
            tvm.get(block, "name_hint")?,
            field("body", with.body)?,
            field("init", with.init)?,
            field("alloc_buffers", with.alloc_buffers)?,
            tvm.get(block, "match_buffers")?,
            tvm.get(block, "annotations")?,
            tvm.get(block, "span")?,
        ];
        let args: Vec<Arg<'_>> = fields.iter().map(Arg::from).collect();
        tvm.make("s_tir.SBlock", &args)
    }
}
