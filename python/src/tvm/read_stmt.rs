//! Statements of TVM as statements of satir.

use std::sync::Arc;

use satir::ir::{AttrNode, Axis, AxisKind, Block, ExprKind, For, ForKind, Origin, SBlock, Stmt, StmtKind};

use super::object::Obj;
use super::read::Reader;
use super::schema::Kind;
use super::{Res, Unsupported};

impl Reader<'_> {
    /// The statements of a body.
    pub(super) fn block(&mut self, object: &Obj) -> Res<Block> {
        self.depth += 1;
        if self.depth > self.limits.depth {
            return Err(Unsupported::new("the function is nested too deep"));
        }
        let mut block = Block::new();
        self.sequence(object, &mut block)?;
        self.depth -= 1;
        Ok(block)
    }

    fn sequence(&mut self, object: &Obj, out: &mut Block) -> Res<()> {
        if self.tvm.kind(object) != Some(Kind::SeqStmt) {
            let stmt = self.stmt(object)?;
            out.push(stmt);
            return Ok(());
        }
        for item in &self.tvm.objects(object, "seq")? {
            // Sequences in sequences do not occur in what TVM makes.
            if self.tvm.kind(item) == Some(Kind::SeqStmt) {
                return Err(Unsupported::new("a sequence within a sequence"));
            }
            let stmt = self.stmt(item)?;
            out.push(stmt);
        }
        Ok(())
    }

    fn stmt(&mut self, object: &Obj) -> Res<Stmt> {
        let number = self.number(object)?;
        let kind = self.stmt_kind(object)?;
        Ok(self.stmt_of(object, kind, number))
    }

    fn stmt_kind(&mut self, object: &Obj) -> Res<StmtKind> {
        let tvm = self.tvm;
        let Some(kind) = tvm.kind(object) else {
            return Err(Unsupported::new("a statement of a class that is not known"));
        };
        Ok(match kind {
            Kind::Bind => {
                let value = self.field(object, "value")?;
                let var = self.var(&*tvm.object(object, "var")?)?;
                StmtKind::Bind { var, value }
            }
            Kind::BufferStore => {
                let buffer = self.buffer(&*tvm.object(object, "buffer")?)?;
                let indices = self.exprs(object, "indices")?;
                StmtKind::Store { buffer, indices, value: self.field(object, "value")? }
            }
            Kind::Evaluate => StmtKind::Evaluate(self.field(object, "value")?),
            Kind::For => StmtKind::For(Box::new(self.for_loop(object)?)),
            Kind::While => {
                let cond = self.field(object, "condition")?;
                StmtKind::While { cond, body: self.body(object, "body")? }
            }
            Kind::IfThenElse => {
                let cond = self.field(object, "condition")?;
                let then = self.body(object, "then_case")?;
                let otherwise = match tvm.optional(object, "else_case")? {
                    Some(other) => self.block(&other)?,
                    None => Block::new(),
                };
                StmtKind::If { cond, then, otherwise }
            }
            Kind::AssertStmt => {
                let cond = self.field(object, "condition")?;
                let kind = tvm.text(&*tvm.object(object, "error_kind")?, "value")?.into();
                let parts = tvm.objects(object, "message_parts")?;
                let message = parts.iter().map(|part| Ok(Arc::from(tvm.text(part, "value")?)));
                StmtKind::Assert { cond, kind, message: message.collect::<Res<_>>()? }
            }
            Kind::AttrStmt => self.attr_stmt(object)?,
            Kind::AllocBuffer => {
                let buffer = self.define_buffer(&*tvm.object(object, "buffer")?, Origin::Alloc)?;
                let annotations = self.annotations(&*tvm.object(object, "annotations")?)?;
                StmtKind::Alloc { buffer, annotations }
            }
            Kind::DeclBuffer => {
                let data = self.field(object, "data")?;
                let origin = match data.kind {
                    ExprKind::BufferData(of) => Origin::View(of),
                    _ => Origin::Pointer(Box::new(data)),
                };
                StmtKind::Decl { buffer: self.define_buffer(&*tvm.object(object, "buffer")?, origin)? }
            }
            Kind::SBlockRealize => StmtKind::SBlock(Box::new(self.realized(object)?)),
            Kind::Break => StmtKind::Break,
            Kind::Continue => StmtKind::Continue,
            Kind::Return => StmtKind::Return(self.field(object, "value")?),
            _ => return Err(Unsupported(format!("a statement of the class {kind:?}"))),
        })
    }

    fn body(&mut self, object: &Obj, name: &str) -> Res<Block> {
        let body = self.tvm.object(object, name)?;
        self.block(&body)
    }

    fn for_loop(&mut self, object: &Obj) -> Res<For> {
        let tvm = self.tvm;
        let (min, extent) = (self.field(object, "min")?, self.field(object, "extent")?);
        let step = match tvm.optional(object, "step")? {
            Some(step) => Some(self.expr(&step)?).filter(|step| step.as_int() != Some(1)),
            None => None,
        };
        let thread = tvm.optional(object, "thread_binding")?;
        let kind = match (tvm.int(object, "kind")?, &thread) {
            (0, None) => ForKind::Serial,
            (1, None) => ForKind::Parallel,
            (2, None) => ForKind::Vectorized,
            (3, None) => ForKind::Unrolled,
            (4, Some(thread)) => ForKind::ThreadBinding(tvm.text(thread, "thread_tag")?.into()),
            _ => return Err(Unsupported::new("a loop of an unknown kind")),
        };
        let annotations = self.annotations(&*tvm.object(object, "annotations")?)?;
        let var = self.var(&*tvm.object(object, "loop_var")?)?;
        let body = self.body(object, "body")?;
        Ok(For { var, min, extent, step, kind, annotations, body })
    }

    fn attr_stmt(&mut self, object: &Obj) -> Res<StmtKind> {
        let tvm = self.tvm;
        let key = tvm.text(object, "attr_key")?;
        let value = self.field(object, "value")?;
        let node = self.attr_node(&tvm.get(object, "node")?)?;
        let body = self.body(object, "body")?;
        if let AttrNode::IterVar { var, thread_tag, .. } = &node
            && (key == "thread_extent" || key == "virtual_thread")
        {
            return Ok(StmtKind::LaunchThread { var: *var, tag: thread_tag.clone(), extent: value, body });
        }
        Ok(StmtKind::Attr { node, key: key.into(), value, body })
    }

    /// The body of a block around a function's body that says nothing.
    pub(super) fn empty_root(&mut self, object: &Obj) -> Res<Option<Obj>> {
        let tvm = self.tvm;
        if tvm.kind(object) != Some(Kind::SBlockRealize) {
            return Ok(None);
        }
        let block = tvm.object(object, "block")?;
        for name in ["iter_vars", "reads", "writes", "alloc_buffers", "match_buffers"] {
            if !tvm.objects(&block, name)?.is_empty() {
                return Ok(None);
            }
        }
        let plain = tvm.text(&block, "name_hint")? == "root"
            && tvm.entries(&*tvm.object(&block, "annotations")?)?.is_empty()
            && tvm.optional(&block, "init")?.is_none();
        if plain { tvm.counted(&block, "body").map(Some) } else { Ok(None) }
    }

    fn realized(&mut self, object: &Obj) -> Res<SBlock> {
        let tvm = self.tvm;
        let block = tvm.object(object, "block")?;
        let bindings = self.exprs(object, "iter_values")?;
        let predicate = Some(self.field(object, "predicate")?).filter(|e| e.as_int() != Some(1));
        let iter_vars = tvm.objects(&block, "iter_vars")?;
        if iter_vars.len() != bindings.len() {
            return Err(Unsupported::new("a block whose axes are not bound"));
        }
        let mut axes = Vec::new();
        for (iter, binding) in iter_vars.iter().zip(bindings) {
            let dom = tvm.object(iter, "dom")?;
            let (min, extent) = (self.field(&dom, "min")?, self.field(&dom, "extent")?);
            let kind = match tvm.int(iter, "iter_type")? {
                0 => AxisKind::Spatial,
                2 => AxisKind::Reduce,
                3 => AxisKind::Scan,
                4 => AxisKind::Opaque,
                _ => return Err(Unsupported::new("an axis of an unknown kind")),
            };
            let var = self.var(&*tvm.object(iter, "var")?)?;
            axes.push(Axis { var, min, extent, kind, binding });
        }
        let mut alloc_buffers = Vec::new();
        for buffer in &tvm.objects(&block, "alloc_buffers")? {
            alloc_buffers.push(self.define_buffer(buffer, Origin::Alloc)?);
        }
        let mut match_buffers = Vec::new();
        for matched in &tvm.objects(&block, "match_buffers")? {
            let region = self.region(&*tvm.object(matched, "source")?)?;
            let buffer =
                self.define_buffer(&*tvm.object(matched, "buffer")?, Origin::Region(region.buffer))?;
            match_buffers.push((buffer, region));
        }
        let mut regions = [Vec::new(), Vec::new()];
        for (name, found) in ["reads", "writes"].into_iter().zip(&mut regions) {
            for region in &tvm.objects(&block, name)? {
                found.push(self.region(region)?);
            }
        }
        let [reads, writes] = regions;
        let attrs = self.annotations(&*tvm.object(&block, "annotations")?)?;
        let init = match tvm.optional(&block, "init")? {
            Some(init) => Some(self.block(&init)?),
            None => None,
        };
        let body = self.body(&block, "body")?;
        Ok(SBlock {
            name: tvm.text(&block, "name_hint")?.into(),
            axes,
            predicate,
            reads: Some(reads),
            writes: Some(writes),
            attrs,
            alloc_buffers,
            match_buffers,
            init,
            body,
        })
    }
}
