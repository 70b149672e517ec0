//! Numbers of variables and buffers by the program's text.
//!
//! Ids tell in what order things were made, and what a pass makes comes last: two functions with one text may differ in
//! them. Where the order of ids decides between equals, or sample points are drawn by id, functions are numbered first, so
//! that their text decides.

use super::{
    AttrNode, AttrValue, Block, Buffer, BufferId, BufferRegion, Expr, ExprKind, Origin, Param, PrimFunc,
    SBlock, Stmt, StmtKind, VarId,
};

/// The ids before a function was numbered, by the new ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Numbering {
    vars: Vec<VarId>,
    buffers: Vec<BufferId>,
}

impl Numbering {
    /// The numbering that does the same as `first` and then `self`. What was made between them comes last.
    pub(crate) fn after(mut self, first: &Numbering) -> Numbering {
        for var in &mut self.vars {
            *var = first.vars.get(var.index()).copied().unwrap_or(*var);
        }
        for buffer in &mut self.buffers {
            *buffer = first.buffers.get(buffer.index()).copied().unwrap_or(*buffer);
        }
        self
    }
}

impl PrimFunc {
    /// Numbers variables and buffers in the order of their first occurrence; those that do not occur come last.
    pub(crate) fn number(&mut self) -> Numbering {
        let mut given =
            Given { vars: Order::of(self.vars.len()), buffers: Order::of(self.buffers.len()), described: 0 };
        in_head(self, &mut given);
        given.describe(&mut self.buffers);
        in_block(&mut self.body, &mut given);
        given.describe(&mut self.buffers);
        given.buffers.complete();
        given.describe(&mut self.buffers);
        given.vars.complete();
        let vars: Vec<VarId> = given.vars.ids.into_iter().map(VarId).collect();
        let buffers: Vec<BufferId> = given.buffers.ids.into_iter().map(BufferId).collect();
        self.vars = vars.iter().map(|var| self.vars[var.index()].clone()).collect();
        self.buffers = buffers.iter().map(|buffer| self.buffers[buffer.index()].clone()).collect();
        Numbering { vars, buffers }
    }

    /// Gives variables and buffers the ids that they had before the function was numbered.
    pub(crate) fn restore(&mut self, numbering: &Numbering) {
        let mut before = Before(numbering);
        in_head(self, &mut before);
        in_block(&mut self.body, &mut before);
        self.buffers.iter_mut().for_each(|buffer| in_buffer(buffer, &mut before));
        let mut vars = self.vars.clone();
        for (var, id) in std::mem::take(&mut self.vars).into_iter().zip(&numbering.vars) {
            vars[id.index()] = var;
        }
        let mut buffers = self.buffers.clone();
        for (buffer, id) in std::mem::take(&mut self.buffers).into_iter().zip(&numbering.buffers) {
            buffers[id.index()] = buffer;
        }
        (self.vars, self.buffers) = (vars, buffers);
    }
}

/// New ids for old ones.
trait Rename {
    fn var(&mut self, var: &mut VarId);
    fn buffer(&mut self, buffer: &mut BufferId);
}

/// The numbers given so far.
struct Given {
    vars: Order,
    buffers: Order,
    /// The descriptions of so many buffers are done.
    described: usize,
}

impl Given {
    /// Goes over the descriptions of the buffers that have numbers.
    fn describe(&mut self, buffers: &mut [Buffer]) {
        while let Some(&id) = self.buffers.ids.get(self.described) {
            self.described += 1;
            in_buffer(&mut buffers[id as usize], self);
        }
    }
}

impl Rename for Given {
    fn var(&mut self, var: &mut VarId) {
        var.0 = self.vars.number(var.0);
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        buffer.0 = self.buffers.number(buffer.0);
    }
}

struct Before<'a>(&'a Numbering);

impl Rename for Before<'_> {
    fn var(&mut self, var: &mut VarId) {
        *var = self.0.vars[var.index()];
    }

    fn buffer(&mut self, buffer: &mut BufferId) {
        *buffer = self.0.buffers[buffer.index()];
    }
}

/// Ids in the order in which they were asked for.
struct Order {
    numbers: Vec<Option<u32>>,
    ids: Vec<u32>,
}

impl Order {
    fn of(ids: usize) -> Order {
        Order { numbers: vec![None; ids], ids: Vec::with_capacity(ids) }
    }

    fn number(&mut self, id: u32) -> u32 {
        let next = self.ids.len() as u32;
        let number = *self.numbers[id as usize].get_or_insert(next);
        if number == next {
            self.ids.push(id);
        }
        number
    }

    /// Gives numbers to all that have none.
    fn complete(&mut self) {
        (0..self.numbers.len() as u32).for_each(|id| _ = self.number(id));
    }
}

fn in_head(func: &mut PrimFunc, ids: &mut impl Rename) {
    for param in &mut func.params {
        match param {
            Param::Var(var) => ids.var(var),
            Param::Buffer(buffer) => ids.buffer(buffer),
        }
    }
    for (handle, buffer) in &mut func.matches {
        ids.var(handle);
        ids.buffer(buffer);
    }
    in_values(&mut func.attrs, ids);
}

fn in_buffer(buffer: &mut Buffer, ids: &mut impl Rename) {
    let Buffer { shape, strides, elem_offset, extra, origin, name: _, dtype: _, scope: _ } = buffer;
    in_exprs(shape, ids);
    in_exprs(strides, ids);
    in_exprs(elem_offset, ids);
    in_values(extra, ids);
    match origin {
        Origin::Match(handle) => ids.var(handle),
        Origin::View(of) | Origin::Region(of) => ids.buffer(of),
        Origin::Pointer(pointer) => in_expr(pointer, ids),
        Origin::Param | Origin::Alloc | Origin::Unbound => {}
    }
}

fn in_block(block: &mut Block, ids: &mut impl Rename) {
    block.iter_mut().for_each(|stmt| in_stmt(stmt, ids));
}

fn in_stmt(stmt: &mut Stmt, ids: &mut impl Rename) {
    stmt.for_each_expr_mut(|e| in_expr(e, ids));
    match &mut stmt.kind {
        StmtKind::Bind { var, .. } | StmtKind::LaunchThread { var, .. } => ids.var(var),
        StmtKind::Store { buffer, .. } | StmtKind::Decl { buffer } => ids.buffer(buffer),
        StmtKind::For(l) => {
            ids.var(&mut l.var);
            in_values(&mut l.annotations, ids);
        }
        StmtKind::Alloc { buffer, annotations } => {
            ids.buffer(buffer);
            in_values(annotations, ids);
        }
        StmtKind::Attr { node, .. } => in_node(node, ids),
        StmtKind::SBlock(block) => in_sblock(block, ids),
        StmtKind::Evaluate(_)
        | StmtKind::While { .. }
        | StmtKind::If { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => {}
    }
    stmt.for_each_block_mut(|block| in_block(block, ids));
}

fn in_node(node: &mut AttrNode, ids: &mut impl Rename) {
    match node {
        AttrNode::Value(value) => in_value(value, ids),
        AttrNode::Var(var) => ids.var(var),
        AttrNode::Buffer(buffer) => ids.buffer(buffer),
        AttrNode::CommReducer(reducer) => {
            reducer.params.iter_mut().for_each(|var| ids.var(var));
            in_exprs(&mut reducer.result, ids);
            in_exprs(&mut reducer.identity, ids);
        }
        AttrNode::IterVar { var, dom, .. } => {
            ids.var(var);
            in_exprs(dom.iter_mut().flat_map(|(min, extent)| [min, extent]), ids);
        }
    }
}

/// All of a block but its bindings and its predicate, which it evaluates, and its statements.
fn in_sblock(block: &mut SBlock, ids: &mut impl Rename) {
    for axis in &mut block.axes {
        ids.var(&mut axis.var);
        in_exprs([&mut axis.min, &mut axis.extent], ids);
    }
    let regions = block.reads.iter_mut().chain(&mut block.writes).flatten();
    regions.for_each(|region| in_region(region, ids));
    in_values(&mut block.attrs, ids);
    block.alloc_buffers.iter_mut().for_each(|buffer| ids.buffer(buffer));
    for (buffer, region) in &mut block.match_buffers {
        ids.buffer(buffer);
        in_region(region, ids);
    }
}

fn in_region(region: &mut BufferRegion, ids: &mut impl Rename) {
    ids.buffer(&mut region.buffer);
    in_ranges(&mut region.ranges, ids);
}

fn in_ranges(ranges: &mut [(Expr, Option<Expr>)], ids: &mut impl Rename) {
    for (min, extent) in ranges {
        in_expr(min, ids);
        in_exprs(extent, ids);
    }
}

fn in_exprs<'a>(exprs: impl IntoIterator<Item = &'a mut Expr>, ids: &mut impl Rename) {
    exprs.into_iter().for_each(|e| in_expr(e, ids));
}

fn in_expr(e: &mut Expr, ids: &mut impl Rename) {
    match &mut e.kind {
        ExprKind::Var(var) | ExprKind::Let(var, ..) => ids.var(var),
        ExprKind::Load { buffer, .. }
        | ExprKind::BufferData(buffer)
        | ExprKind::BufferRef(buffer)
        | ExprKind::Region(buffer, _) => ids.buffer(buffer),
        ExprKind::Call(call) => in_values(&mut call.kwargs, ids),
        ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Binary(..)
        | ExprKind::Not(_)
        | ExprKind::Cast(_)
        | ExprKind::Select(..)
        | ExprKind::Ramp(..)
        | ExprKind::Broadcast(_)
        | ExprKind::Shuffle(..)
        | ExprKind::Tuple(_) => {}
    }
    e.for_each_child_mut(|child| in_expr(child, ids));
}

fn in_values<K>(values: &mut [(K, AttrValue)], ids: &mut impl Rename) {
    values.iter_mut().for_each(|(_, value)| in_value(value, ids));
}

fn in_value(value: &mut AttrValue, ids: &mut impl Rename) {
    match value {
        AttrValue::Expr(e) => in_expr(e, ids),
        AttrValue::List(values) => values.iter_mut().for_each(|value| in_value(value, ids)),
        AttrValue::Dict(entries) => in_values(entries, ids),
        AttrValue::Call(_, args, kwargs) => {
            args.iter_mut().for_each(|value| in_value(value, ids));
            in_values(kwargs, ids);
        }
        AttrValue::None
        | AttrValue::Bool(_)
        | AttrValue::Int(_)
        | AttrValue::Float(_)
        | AttrValue::Str(_)
        | AttrValue::Type(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{DType, Type};

    const TEXT: &str = r#"
from tvm.script import tirx as T

@T.prim_func(s_tir=True)
def main(A: T.Buffer(("n",), "float32"), p: T.handle, q: T.handle("float32"), m: T.int32):
    n = T.int32()
    k = T.int32()
    B = T.match_buffer(p, (k, n), "float32", strides=(n, 1))
    T.func_attr({"bound": m})
    C = T.decl_buffer((m,), data=q)
    D = T.alloc_buffer((k, T.max(m, 1)), "float32")
    view = T.decl_buffer((k * 2,), "float32", data=D.data)
    v = T.int32()
    x: T.let[T.int32] = T.Let(v + 1, where={v: m * 2})
    thread = T.int32()
    with T.attr(T.iter_var(thread, None, "ThreadIndex", "vthread"), "virtual_thread", 2):
        for i in T.serial(n, annotations={"hint": x}):
            with T.sblock("update"):
                vi = T.axis.spatial(n, i)
                T.where(i < m)
                T.reads(A[vi], B[0, vi])
                T.writes(C[vi])
                with T.init():
                    C[vi] = T.float32(0)
                C[vi] = A[vi] + B[0, vi]
    with T.attr(T.comm_reducer(lambda a, b: a + b, [T.float32(0)]), "reduce_scope", T.reinterpret("handle", T.uint64(0))):
        view[x] = T.call_extern("float32", "f", T.address_of(D[0, 0]), T.tvm_access_ptr(T.type_annotation("float32"), C.data, 0, m, 1))
"#;

    fn func() -> PrimFunc {
        crate::parse(TEXT).unwrap_or_else(|e| panic!("{e}")).funcs.remove(0)
    }

    /// The function with all ids in the opposite order.
    fn reversed(mut func: PrimFunc) -> PrimFunc {
        let last = |ids: usize| ids as u32 - 1;
        let vars = (0..func.vars.len()).map(|i| VarId(last(func.vars.len()) - i as u32)).collect();
        let buffers =
            (0..func.buffers.len()).map(|i| BufferId(last(func.buffers.len()) - i as u32)).collect();
        func.restore(&Numbering { vars, buffers });
        func
    }

    #[test]
    fn numbers_depend_on_the_text_only() {
        let (mut func, mut other) = (func(), reversed(func()));
        assert!(func.body != other.body);
        assert_eq!(crate::script::print_func(&func), crate::script::print_func(&other));
        func.number();
        other.number();
        assert!((func.params, func.buffers, func.body) == (other.params, other.buffers, other.body));
    }

    #[test]
    fn what_was_numbered_can_be_restored() {
        let before = reversed(func());
        let mut after = before.clone();
        let first = after.number();
        let made = after.new_var("made", Type::Prim(DType::I32));
        after.body.insert(0, Stmt::new(StmtKind::Bind { var: made, value: Expr::int(1, DType::I32) }));
        let both = after.number().after(&first);
        after.restore(&both);
        let made = before.vars.len();
        assert_eq!((&*after.vars[made].name, &after.vars[..made]), ("made", &before.vars[..]));
        assert_eq!((after.buffers, &after.body[1..]), (before.buffers, &before.body[..]));
    }
}
