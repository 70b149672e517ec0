//! What the intrinsics on matrices reach through pointers, written out as loads and stores.
//!
//! Who gets a pointer may do anything with it. Of these intrinsics the arguments say which elements they read and write
//! (`ir/matrix.rs`), so a buffer that only they reach through pointers can have a copy: of all its elements, so that
//! distances in memory are the same.

use std::collections::BTreeSet;

use super::accesses::Access;
use super::build::{loop_var, nest, serial};
use super::coverage::read_or_call;
use super::refusal::Refusals;
use super::values::{Values, bind_axes, inlined};
use crate::analysis::accesses::is_plain;
use crate::arith::Interval;
use crate::arith::invert::{Domain, range};
use crate::ir::matrix::{Matrices, Matrix, Place, is_matrix_call};
use crate::ir::{
    AttrNode, BinOp, Block, Buffer, BufferId, BufferRegion, DType, Expr, ExprKind, Origin, PrimFunc, Stmt,
    StmtKind, VarId,
};

/// The function with loads and stores of a buffer in the place of each intrinsic that reaches it through pointers, and without
/// the regions of it that only these intrinsics are about. Says why where that is not possible, for a copy in a storage scope.
/// What else has pointers to the buffer is left as it is. Statements keep their places.
pub(super) fn written_out(func: &PrimFunc, id: BufferId, scope: &str, refusals: &mut Refusals) -> PrimFunc {
    let mut result = func.clone();
    if !func.body.iter().any(|stmt| has_pointers(func, stmt, id)) {
        return result;
    }
    let shape = func.buffer(id).shape.iter().map(|extent| extent.as_int().filter(|n| *n > 0));
    let Some(layout) = shape.collect::<Option<Vec<i64>>>().and_then(Layout::new) else { return result };
    let mut body = std::mem::take(&mut result.body);
    let mut walk = Walk {
        func,
        matrices: Matrices::of(func),
        id,
        layout,
        scope,
        ranges: vec![Interval::ALL; func.vars.len()],
        values: Values::new(),
        bound: Values::new(),
        result: &mut result,
        refusals,
    };
    walk.block(&mut body);
    let named = named(func, &body);
    for stmt in &mut body {
        without_regions(stmt, &|view, region| {
            region.buffer == id
                && !named.contains(&view)
                && !region.ranges.iter().any(|(min, _)| read_or_call(std::slice::from_ref(min)))
        });
    }
    result.body = body;
    result
}

/// Whether a statement has pointers to the memory of a buffer, or matches regions of it.
pub(super) fn has_pointers(func: &PrimFunc, stmt: &Stmt, id: BufferId) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| {
        stmt.for_each_expr(|e| found |= points_to(func, e, id));
        if let StmtKind::SBlock(block) = &stmt.kind {
            found |= block.match_buffers.iter().any(|(_, region)| func.memory_of(region.buffer) == id);
        }
    });
    found
}

/// Whether statements have pointers to views of a buffer that are matched outside of them.
pub(super) fn has_outer_views(func: &PrimFunc, stmts: &[Stmt], id: BufferId) -> bool {
    let (mut matched, mut pointed) = (BTreeSet::new(), BTreeSet::new());
    for stmt in stmts {
        stmt.walk(&mut |stmt| {
            if let StmtKind::SBlock(block) = &stmt.kind {
                matched.extend(block.match_buffers.iter().map(|(view, _)| *view));
            }
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    if let ExprKind::BufferData(of) = e.kind {
                        pointed.insert(of);
                    }
                });
            });
        });
    }
    pointed.iter().any(|of| *of != id && func.memory_of(*of) == id && !matched.contains(of))
}

/// Whether an expression has a pointer to the memory of a buffer.
fn points_to(func: &PrimFunc, e: &Expr, id: BufferId) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match (&e.kind, e.as_intrin()) {
            (ExprKind::BufferData(of), _) => func.memory_of(*of) == id,
            (_, Some(("address_of", [Expr { kind: ExprKind::Load { buffer: of, .. }, .. }]))) => {
                func.memory_of(*of) == id
            }
            _ => false,
        };
    });
    found
}

/// The layout of a compact buffer of constant shape.
struct Layout {
    shape: Vec<i64>,
    strides: Vec<i64>,
    /// How many elements it has.
    size: i64,
}

impl Layout {
    /// `None` if there are too many elements to count.
    fn new(shape: Vec<i64>) -> Option<Layout> {
        let mut strides = vec![1; shape.len()];
        let mut size = 1_i64;
        for (stride, extent) in strides.iter_mut().zip(&shape).rev() {
            *stride = size;
            size = size.checked_mul(*extent)?;
        }
        Some(Layout { shape, strides, size })
    }

    /// The place of an element among all.
    fn place(&self, indices: &[Expr], dtype: DType) -> Expr {
        let parts = indices.iter().zip(&self.strides).map(|(index, stride)| times(index.clone(), *stride));
        parts.reduce(|a, b| Expr::binary(BinOp::Add, a, b)).unwrap_or_else(|| Expr::int(0, dtype))
    }

    /// The indices of the element at a place, which is one of the buffer's.
    fn indices(&self, place: &Expr) -> Vec<Expr> {
        let constant = |v: i64| Expr::int(v, place.dtype);
        let index = |(k, (extent, stride)): (usize, (&i64, &i64))| {
            let line = match stride {
                1 => place.clone(),
                _ => Expr::binary(BinOp::FloorDiv, place.clone(), constant(*stride)),
            };
            if k == 0 { line } else { Expr::binary(BinOp::FloorMod, line, constant(*extent)) }
        };
        self.shape.iter().zip(&self.strides).enumerate().map(index).collect()
    }
}

fn times(e: Expr, by: i64) -> Expr {
    if by == 1 {
        return e;
    }
    let by = Expr::int(by, e.dtype);
    Expr::binary(BinOp::Mul, e, by)
}

struct Walk<'f> {
    func: &'f PrimFunc,
    matrices: Matrices<'f>,
    id: BufferId,
    layout: Layout,
    /// The storage scope of the copy.
    scope: &'f str,
    /// The ranges of variables of loops.
    ranges: Vec<Interval>,
    /// The values of block axes and bindings.
    values: Values,
    /// The offsets and strides that regions of the buffer bind.
    bound: Values,
    /// What new variables are made in.
    result: &'f mut PrimFunc,
    refusals: &'f mut Refusals,
}

impl Walk<'_> {
    fn block(&mut self, block: &mut Block) {
        block.iter_mut().for_each(|stmt| self.stmt(stmt));
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::For(l) if l.step.is_none() => {
                let (min, extent) = (inlined(&l.min, &self.values), inlined(&l.extent, &self.values));
                self.ranges[l.var.index()] = Domain { var: l.var, min, extent }.range();
            }
            StmtKind::LaunchThread { var, extent, .. } => {
                let (min, extent) = (Expr::int(0, extent.dtype), inlined(extent, &self.values));
                self.ranges[var.index()] = Domain { var: *var, min, extent }.range();
            }
            StmtKind::Bind { var, value } if is_plain(value) => {
                let value = inlined(value, &self.values);
                self.values.insert(*var, value);
            }
            StmtKind::SBlock(block) => {
                bind_axes(block, &mut self.values);
                for (view, region) in &block.match_buffers {
                    if region.buffer == self.id {
                        self.bind_region(*view, region);
                    }
                }
            }
            StmtKind::Evaluate(e) if is_matrix_call(e) && points_to(self.func, e, self.id) => {
                match self.call(e) {
                    Ok(body) => {
                        let once = Expr::int(1, DType::I32);
                        let var = loop_var(self.result, "once", &once);
                        *stmt = Stmt { span: stmt.span, ..serial(var, once, body) };
                    }
                    Err(why) => self.refusals.add(stmt.span, why),
                }
                return;
            }
            _ => {}
        }
        stmt.for_each_block_mut(|block| self.block(block));
    }

    /// Adds the values of the variables that a region of the buffer gives to a view and to nothing else.
    fn bind_region(&mut self, view: BufferId, region: &BufferRegion) {
        let view = self.func.buffer(view);
        let said_once = |var: VarId| {
            let names = |e: &Expr| e.mentions(|own| own == var);
            let of = |b: &Buffer| b.shape.iter().chain(&b.strides).chain(&b.elem_offset).any(names);
            self.func.buffers.iter().filter(|buffer| of(buffer)).count() == 1
        };
        if let Some(offset) = &view.elem_offset
            && let Some(var) = offset.as_var().filter(|var| said_once(*var))
        {
            let mins: Vec<Expr> = region.ranges.iter().map(|(min, _)| inlined(min, &self.bound)).collect();
            if mins.iter().all(|min| min.dtype == offset.dtype) {
                self.bound.insert(var, self.layout.place(&mins, offset.dtype));
            }
        }
        // A region of more dimensions than the view has extent 1 in the first ones.
        let skipped = self.layout.strides.len().saturating_sub(view.shape.len());
        for (stride, value) in view.strides.iter().zip(&self.layout.strides[skipped..]) {
            if let Some(var) = stride.as_var().filter(|var| said_once(*var)) {
                self.bound.insert(var, Expr::int(*value, stride.dtype));
            }
        }
    }

    /// What a call does to the buffer, and what it gets besides it.
    fn call(&mut self, e: &Expr) -> Result<Block, String> {
        let op =
            self.matrices.op(e).unwrap_or_else(|| Err("a call of no intrinsic on matrices".to_owned()))?;
        let reads = op.reads().into_iter().map(|matrix| (matrix, Access::Load));
        let all = reads.chain([(op.writes(), Access::Store)]);
        let own: Vec<(Matrix<'_>, Access)> =
            all.filter(|(matrix, _)| points_to(self.func, matrix.pointer, self.id)).collect();
        // What else the call gets stays in it.
        let mut rest = e.clone();
        if let (ExprKind::Call(call), Some((_, args))) = (&mut rest.kind, e.as_intrin()) {
            for (arg, given) in call.args.iter_mut().zip(args) {
                if own.iter().any(|(matrix, _)| std::ptr::eq(matrix.pointer, given)) {
                    *arg = Expr::int(0, DType::I32);
                }
            }
        }
        let mut body = vec![Stmt::new(StmtKind::Evaluate(rest))];
        for (matrix, how) in own {
            body.extend(self.matrix(matrix, how)?);
        }
        Ok(body)
    }

    /// Loops over the elements of a matrix in the buffer.
    fn matrix(&mut self, matrix: Matrix<'_>, how: Access) -> Result<Block, String> {
        let name = &self.func.buffer(self.id).name;
        let start = self.start(matrix.pointer, how)?;
        let is_global = matches!(&*self.func.buffer(self.id).scope, "" | "global");
        let (first, strides) = match matrix.place {
            Place::Fragment { .. } if !is_global || self.scope != "global" => {
                return Err(format!(
                    "`{name}` holds fragments, whose elements only global memory has one by one"
                ));
            }
            Place::Fragment { index, are_rows } => {
                let first = times(inlined(index, &self.bound), matrix.rows * matrix.cols);
                (first, if are_rows { [matrix.cols, 1] } else { [1, matrix.rows] })
            }
            Place::Lines { .. } if self.scope != "global" && !self.scope.starts_with("shared") => {
                return Err(format!(
                    "a matrix cannot be read from or written to memory of scope `{}`",
                    self.scope
                ));
            }
            Place::Lines { stride, are_rows } => {
                let length = if are_rows { matrix.cols } else { matrix.rows };
                let Some(stride) = inlined(stride, &self.bound).as_int().filter(|n| *n >= length) else {
                    return Err(format!("the stride of a matrix in `{name}` is no constant, or too small"));
                };
                (start, if are_rows { [stride, 1] } else { [1, stride] })
            }
        };
        self.is_within(&first, matrix, strides)?;
        let dtype = first.dtype;
        let mut loops = Vec::new();
        let mut place = first;
        for (extent, stride) in [matrix.rows, matrix.cols].into_iter().zip(strides) {
            let extent = Expr::int(extent, dtype);
            let var = loop_var(self.result, "e", &extent);
            place = Expr::binary(BinOp::Add, place, times(Expr::var(var, dtype), stride));
            loops.push((var, extent));
        }
        let (buffer, indices) = (self.id, self.layout.indices(&place));
        let access = match how {
            Access::Load => StmtKind::Evaluate(Expr::load(matrix.dtype, buffer, indices)),
            Access::Store => {
                let value = Expr::cast(matrix.dtype, Expr::int(0, DType::I32));
                StmtKind::Store { buffer, indices, value }
            }
        };
        Ok(nest(&loops, vec![Stmt::new(access)]))
    }

    /// The place in the buffer that a pointer is to, which has to say that it is used in this way.
    fn start(&self, pointer: &Expr, how: Access) -> Result<Expr, String> {
        let entry = self.func.buffer(self.id);
        let name = &entry.name;
        let is_data = |e: &Expr| match e.kind {
            ExprKind::BufferData(of) => {
                let view = self.func.buffer(of);
                (of == self.id || view.origin == Origin::Region(self.id)) && view.dtype == entry.dtype
            }
            _ => false,
        };
        let is_index = |e: &Expr| e.dtype.is_index() && e.dtype.is_scalar();
        let mask = if how == Access::Load { 1 } else { 2 };
        match pointer.as_intrin() {
            None if is_data(pointer) => Ok(Expr::int(0, DType::I32)),
            Some(("tvm_access_ptr", [element, data, offset, extent, used]))
                if matches!(element.as_intrin(), Some(("type_annotation", _)))
                    && element.dtype == entry.dtype
                    && is_data(data)
                    && is_index(offset)
                    && !read_or_call(std::slice::from_ref(extent)) =>
            {
                if used.as_int() != Some(mask) {
                    let uses = if how == Access::Load { "reads" } else { "writes" };
                    return Err(format!(
                        "a pointer to `{name}` says something else than that what gets it only {uses}"
                    ));
                }
                Ok(inlined(offset, &self.bound))
            }
            Some(("address_of", [Expr { kind: ExprKind::Load { buffer, indices }, .. }]))
                if *buffer == self.id
                    && indices.iter().all(|index| is_index(index) && index.dtype == indices[0].dtype) =>
            {
                let indices: Vec<Expr> = indices.iter().map(|index| inlined(index, &self.bound)).collect();
                Ok(self.layout.place(&indices, DType::I32))
            }
            _ => Err(format!("it is not known where in `{name}` a pointer is to")),
        }
    }

    /// An error unless all elements of a matrix that begins at a place are some of the buffer's.
    fn is_within(&self, first: &Expr, matrix: Matrix<'_>, [row, col]: [i64; 2]) -> Result<(), String> {
        let first = range(&inlined(first, &self.values), &self.ranges);
        let more = (matrix.rows - 1).checked_mul(row).zip((matrix.cols - 1).checked_mul(col));
        let last = more.and_then(|(a, b)| first.hi()?.checked_add(a)?.checked_add(b));
        if first.at_least(0) && last.is_some_and(|last| last < self.layout.size) {
            return Ok(());
        }
        let name = &self.func.buffer(self.id).name;
        Err(format!("a matrix was not shown to lie within `{name}`"))
    }
}

/// The buffers that statements name, but for the regions that blocks match and list.
fn named(func: &PrimFunc, body: &Block) -> BTreeSet<BufferId> {
    let mut found = BTreeSet::new();
    let in_expr = |e: &Expr, found: &mut BTreeSet<BufferId>| {
        e.walk(&mut |e| match &e.kind {
            ExprKind::BufferData(of)
            | ExprKind::BufferRef(of)
            | ExprKind::Region(of, _)
            | ExprKind::Load { buffer: of, .. } => drop(found.insert(*of)),
            _ => {}
        });
    };
    for stmt in body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| in_expr(e, &mut found));
            match &stmt.kind {
                StmtKind::Store { buffer, .. } | StmtKind::Attr { node: AttrNode::Buffer(buffer), .. } => {
                    found.insert(*buffer);
                }
                StmtKind::Decl { buffer } | StmtKind::Alloc { buffer, .. } => {
                    match &func.buffer(*buffer).origin {
                        Origin::View(of) | Origin::Region(of) => drop(found.insert(*of)),
                        Origin::Pointer(pointer) => in_expr(pointer, &mut found),
                        Origin::Param | Origin::Match(_) | Origin::Alloc | Origin::Unbound => {}
                    }
                }
                StmtKind::SBlock(block) => {
                    for (_, region) in &block.match_buffers {
                        found.insert(region.buffer);
                        region.ranges.iter().for_each(|(min, _)| in_expr(min, &mut found));
                    }
                }
                _ => {}
            }
        });
    }
    found
}

/// Takes away regions that blocks match.
fn without_regions(stmt: &mut Stmt, goes: &impl Fn(BufferId, &BufferRegion) -> bool) {
    if let StmtKind::SBlock(block) = &mut stmt.kind {
        block.match_buffers.retain(|(view, region)| !goes(*view, region));
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| without_regions(stmt, goes)));
}
