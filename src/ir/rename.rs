//! Other ids for the variables and buffers of a function's parts.

use super::{
    AttrNode, AttrValue, Block, Buffer, BufferId, BufferRegion, Expr, ExprKind, For, Origin, Param, PrimFunc,
    SBlock, Stmt, StmtKind, Var, VarId,
};

/// New ids for old ones.
pub(super) trait Rename {
    fn var(&mut self, var: &mut VarId);
    fn buffer(&mut self, buffer: &mut BufferId);
}

/// Puts another variable of the same type in the place of one, also in what blocks say that they read and write.
pub(crate) fn rename_var(block: &mut Block, from: VarId, to: VarId) {
    in_block(block, &mut OneVar { from, to });
}

/// A loop like another one, with a variable of its own, around a body that has that one's variable.
pub(crate) fn loop_anew(func: &mut PrimFunc, like: &For, mut body: Block) -> For {
    let Var { name, ty } = func.var(like.var).clone();
    let var = func.new_var(name, ty);
    rename_var(&mut body, like.var, var);
    For { var, ..like.around(body) }
}

struct OneVar {
    from: VarId,
    to: VarId,
}

impl Rename for OneVar {
    fn var(&mut self, var: &mut VarId) {
        if *var == self.from {
            *var = self.to;
        }
    }

    fn buffer(&mut self, _: &mut BufferId) {}
}

pub(super) fn in_head(func: &mut PrimFunc, ids: &mut impl Rename) {
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

pub(super) fn in_buffer(buffer: &mut Buffer, ids: &mut impl Rename) {
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

pub(super) fn in_block(block: &mut Block, ids: &mut impl Rename) {
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
