//! A function of satir as a function of TVM. What satir left alone are the objects that it was read from.

use hashbrown::{HashMap, HashSet};
use std::cell::RefCell;

use satir::ir::{Block, Buffer, BufferId, DType, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

use super::call::Arg;
use super::object::Obj;
use super::read::{Source, Taken};
use super::schema::Tvm;
use super::{Res, Unsupported};

pub(super) struct Builder<'a> {
    pub(super) tvm: &'static Tvm,
    pub(super) after: &'a PrimFunc,
    pub(super) source: &'a Source,
    /// The statements that were read, by number.
    old: Vec<Option<&'a Stmt>>,
    /// The objects of the result's variables, as they are needed.
    vars: RefCell<Vec<Option<Obj>>>,
    /// The objects of the result's buffers.
    buffers: Vec<Obj>,
    /// The buffers that are others than in the input.
    changed: HashSet<BufferId>,
    ints: RefCell<HashMap<(DType, i64), Obj>>,
}

/// Builds the function that satir made of `taken`.
pub(crate) fn build(tvm: &'static Tvm, taken: &Taken, after: &PrimFunc) -> Res<Obj> {
    let Taken { func: before, source } = taken;
    if before.body == after.body && before.buffers == after.buffers {
        return Ok(source.object.clone());
    }
    let same_head = before.params == after.params
        && before.attrs == after.attrs
        && before.ret == after.ret
        && before.decorator == after.decorator
        && before.buffers.len() == after.buffers.len()
        && after.vars.len() >= before.vars.len()
        && before.vars.iter().zip(&after.vars).all(|(old, new)| old.ty == new.ty);
    if !same_head {
        return Err(Unsupported::new("satir changed more than the body of the function"));
    }
    let mut builder = Builder::new(tvm, after, source);
    builder.old.resize(source.stmts.len(), None);
    for stmt in &before.body {
        stmt.walk(&mut |stmt| builder.old[stmt.span.start as usize] = Some(stmt));
    }
    for (at, (old, new)) in before.buffers.iter().zip(&after.buffers).enumerate() {
        if old != new {
            builder.buffers[at] = builder.changed_buffer(old, new, at)?;
            builder.changed.insert(BufferId(at as u32));
        }
    }
    let mut body = builder.block(&after.body)?;
    if let Some(root) = &source.root {
        body = builder.around(root, &body)?;
    } else if matches!(&before.body[..], [Stmt { kind: StmtKind::SBlock(_), .. }]) && after.body.len() > 1 {
        // A function that can be scheduled has a block around all.
        body = builder.new_root(&body)?;
    }
    let field = |name| tvm.get(&source.object, name);
    let (params, ret, attrs, span) = (field("params")?, field("ret_type")?, field("attrs")?, field("span")?);
    tvm.make(
        "tirx.PrimFunc",
        &[(&params).into(), (&body).into(), (&ret).into(), (&attrs).into(), (&span).into()],
    )
}

impl<'a> Builder<'a> {
    /// A builder that knows variables and buffers of what was read, and no statements.
    pub(super) fn new(tvm: &'static Tvm, after: &'a PrimFunc, source: &'a Source) -> Builder<'a> {
        let mut vars: Vec<Option<Obj>> = source.vars.iter().cloned().map(Some).collect();
        vars.resize_with(after.vars.len(), || None);
        Builder {
            tvm,
            after,
            source,
            old: Vec::new(),
            vars: RefCell::new(vars),
            buffers: source.buffers.clone(),
            changed: HashSet::new(),
            ints: RefCell::new(HashMap::new()),
        }
    }

    /// The statement that a statement was made of, and its object.
    pub(super) fn origin(&self, stmt: &Stmt) -> Option<(&'a Stmt, &'a Obj)> {
        let at = stmt.span.start as usize;
        Some(((*self.old.get(at)?)?, &self.source.stmts[at]))
    }

    /// The object of a buffer.
    pub(super) fn buffer(&self, id: BufferId) -> Res<&Obj> {
        self.buffers.get(id.index()).ok_or_else(|| Unsupported::new("a buffer that satir made"))
    }

    /// The object of a variable.
    pub(super) fn var(&self, id: VarId) -> Res<Obj> {
        if let Some(Some(object)) = self.vars.borrow().get(id.index()) {
            return Ok(object.clone());
        }
        let var = self.after.var(id);
        let satir::ir::Type::Prim(dtype) = var.ty else {
            return Err(Unsupported::new("a pointer that satir made"));
        };
        let ty = self.tvm.make_type(dtype)?;
        let object = self.tvm.make("ir.Var", &[Arg::Str(&var.name), (&ty).into(), Arg::None])?;
        self.vars.borrow_mut()[id.index()] = Some(object.clone());
        Ok(object)
    }

    /// A constant.
    pub(super) fn int(&self, dtype: DType, value: i64) -> Res<Obj> {
        if let Some(object) = self.ints.borrow().get(&(dtype, value)) {
            return Ok(object.clone());
        }
        let bits = super::dtypes::bits(dtype)?;
        let object = self.tvm.make("ir.IntImm", &[Arg::DType(bits), Arg::Int(value), Arg::None])?;
        self.ints.borrow_mut().insert((dtype, value), object.clone());
        Ok(object)
    }

    /// Whether the objects of an expression's buffers are those of the input.
    pub(super) fn keeps_buffers(&self, e: &Expr) -> bool {
        if self.changed.is_empty() {
            return true;
        }
        let mut keeps = true;
        e.walk(&mut |part| {
            if let ExprKind::Load { buffer, .. }
            | ExprKind::BufferData(buffer)
            | ExprKind::BufferRef(buffer)
            | ExprKind::Region(buffer, _) = &part.kind
            {
                keeps &= !self.changed.contains(buffer);
            }
        });
        keeps
    }

    /// Whether all buffers are those of the input. Which statements name another one is not looked for: there are few such
    /// functions.
    pub(super) fn keeps_all(&self) -> bool {
        self.changed.is_empty()
    }

    /// A buffer of which satir changed shape, strides or offset.
    fn changed_buffer(&self, old: &Buffer, new: &Buffer, at: usize) -> Res<Obj> {
        let tvm = self.tvm;
        let same = old.name == new.name
            && old.dtype == new.dtype
            && old.scope == new.scope
            && old.extra == new.extra
            && old.strides == new.strides
            && old.elem_offset == new.elem_offset
            && old.origin == new.origin
            && old.shape.len() == new.shape.len();
        if !same || old.origin == satir::ir::Origin::Param {
            return Err(Unsupported::new("satir changed a buffer"));
        }
        let object = &self.source.buffers[at];
        let ty = tvm.counted(object, "ty")?;
        // The default layout holds the shape.
        if tvm.optional(&ty, "layout")?.is_some() {
            return Err(Unsupported::new("satir changed the shape of a buffer that has a layout"));
        }
        let shape: Vec<Obj> = new.shape.iter().map(|e| self.expr(e, None)).collect::<Res<_>>()?;
        let shape = tvm.array(&shape)?;
        let field = |name| tvm.get(&ty, name);
        let (scope, strides, offset) = (field("storage_scope")?, field("strides")?, field("elem_offset")?);
        let (align, factor, addr) =
            (field("data_alignment")?, field("offset_factor")?, field("allocated_addr")?);
        let (span, name) = (field("span")?, tvm.get(object, "name")?);
        let dtype = Arg::DType(super::dtypes::bits(new.dtype)?);
        let ty = tvm.make(
            "tirx.BufferType",
            &[
                (&scope).into(),
                dtype,
                (&shape).into(),
                (&strides).into(),
                (&offset).into(),
                (&align).into(),
                (&factor).into(),
                Arg::None,
                (&addr).into(),
                (&span).into(),
            ],
        )?;
        tvm.make("tirx.BufferVar", &[(&name).into(), (&ty).into(), Arg::None])
    }

    /// The block around a function's body with another body.
    fn around(&self, root: &Obj, body: &Obj) -> Res<Obj> {
        let tvm = self.tvm;
        let block = tvm.counted(root, "block")?;
        let with = super::build_stmt::Replaced { body: Some(body), ..Default::default() };
        let block = self.block_with(&block, &with)?;
        let field = |name| tvm.get(root, name);
        let (values, predicate, span) = (field("iter_values")?, field("predicate")?, field("span")?);
        tvm.make(
            "s_tir.SBlockRealize",
            &[(&values).into(), (&predicate).into(), (&block).into(), (&span).into()],
        )
    }

    /// A block around a function's body that says nothing.
    fn new_root(&self, body: &Obj) -> Res<Obj> {
        let tvm = self.tvm;
        let (none, map) = (tvm.array(&[])?, tvm.make("ffi.Map", &[])?);
        let none = || Arg::from(&none);
        let args = [
            none(),
            none(),
            none(),
            Arg::Str("root"),
            body.into(),
            Arg::None,
            none(),
            none(),
            (&map).into(),
            Arg::None,
        ];
        let block = tvm.make("s_tir.SBlock", &args)?;
        let holds = self.int(DType::BOOL, 1)?;
        tvm.make("s_tir.SBlockRealize", &[none(), (&holds).into(), (&block).into(), Arg::None])
    }

    /// The statements of a body. One that does nothing stands alone or goes.
    pub(super) fn block(&self, block: &Block) -> Res<Obj> {
        let idle = |stmt: &&Stmt| matches!(&stmt.kind, StmtKind::Evaluate(e) if e.as_int() == Some(0));
        let kept = block.iter().filter(|stmt| block.len() == 1 || !idle(stmt));
        let mut objects: Vec<Obj> = kept.map(|stmt| self.stmt(stmt)).collect::<Res<_>>()?;
        match objects.len() {
            0 => self.tvm.make("tirx.Evaluate", &[(&self.int(DType::I32, 0)?).into(), Arg::None]),
            1 => Ok(objects.remove(0)),
            _ => self.tvm.make("tirx.SeqStmt", &[(&self.tvm.array(&objects)?).into(), Arg::None]),
        }
    }
}
