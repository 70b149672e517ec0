//! Rewrites and finds the accesses to a buffer.

use crate::diag::Span;
use crate::ir::{Block, BufferId, BufferRegion, Expr, ExprKind, Origin, PrimFunc, Stmt, StmtKind};

use super::assume::is_assumption;

/// Gives each access to a buffer, and each region of it that a block lists, new indices. A region that is more than one
/// element becomes that of `whole`.
pub(super) fn map_indices(
    func: &mut PrimFunc,
    buffer: BufferId,
    whole: &[Expr],
    new: &impl Fn(&[Expr]) -> Vec<Expr>,
) {
    func.body.iter_mut().for_each(|stmt| in_stmt(stmt, buffer, whole, new));
}

fn in_stmt(stmt: &mut Stmt, buffer: BufferId, whole: &[Expr], new: &impl Fn(&[Expr]) -> Vec<Expr>) {
    stmt.for_each_expr_mut(|e| in_expr(e, buffer, new));
    match &mut stmt.kind {
        StmtKind::Store { buffer: to, indices, .. } if *to == buffer => *indices = new(indices),
        StmtKind::SBlock(block) => {
            for region in block.reads.iter_mut().chain(&mut block.writes).flatten() {
                for (min, extent) in &mut region.ranges {
                    in_expr(min, buffer, new);
                    extent.iter_mut().for_each(|e| in_expr(e, buffer, new));
                }
                if region.buffer == buffer {
                    region.ranges = mapped_region(region, whole, new);
                }
            }
        }
        _ => {}
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| in_stmt(stmt, buffer, whole, new)));
}

fn mapped_region(
    region: &BufferRegion,
    whole: &[Expr],
    new: &impl Fn(&[Expr]) -> Vec<Expr>,
) -> Vec<(Expr, Option<Expr>)> {
    let one = |extent: &Option<Expr>| extent.as_ref().is_none_or(|e| e.as_int() == Some(1));
    if region.ranges.iter().all(|(_, extent)| one(extent)) {
        let indices: Vec<Expr> = region.ranges.iter().map(|(min, _)| min.clone()).collect();
        return new(&indices).into_iter().map(|index| (index, None)).collect();
    }
    whole.iter().map(|extent| (Expr::int(0, extent.dtype), Some(extent.clone()))).collect()
}

fn in_expr(e: &mut Expr, buffer: BufferId, new: &impl Fn(&[Expr]) -> Vec<Expr>) {
    e.for_each_child_mut(|child| in_expr(child, buffer, new));
    if let ExprKind::Load { buffer: from, indices } = &mut e.kind
        && *from == buffer
    {
        *indices = new(indices).into();
    }
}

/// A load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Load,
    Store,
}

/// Calls `f` on each access to a buffer that a statement makes, in the order of the text: the loads of a statement before
/// its store. Assumptions access nothing.
pub(super) fn each_access(stmt: &Stmt, buffer: BufferId, f: &mut impl FnMut(Access, &[Expr], Span)) {
    if is_assumption(stmt) {
        return;
    }
    stmt.for_each_expr(|e| {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer: from, indices } = &e.kind
                && *from == buffer
            {
                f(Access::Load, indices, stmt.span);
            }
        });
    });
    if let StmtKind::Store { buffer: to, indices, .. } = &stmt.kind
        && *to == buffer
    {
        f(Access::Store, indices, stmt.span);
    }
    stmt.for_each_block(|block| block.iter().for_each(|stmt| each_access(stmt, buffer, f)));
}

/// Whether a statement accesses a buffer in this way.
pub(super) fn accesses(stmt: &Stmt, buffer: BufferId, how: Access) -> bool {
    let mut found = false;
    each_access(stmt, buffer, &mut |access, _, _| found |= access == how);
    found
}

/// The first access to a buffer in the order of the text.
pub(super) fn first_access(block: &Block, buffer: BufferId) -> Option<Access> {
    let mut first = None;
    for stmt in block {
        each_access(stmt, buffer, &mut |access, _, _| {
            first.get_or_insert(access);
        });
    }
    first
}

/// Calls `f` with the statements among which a buffer is known: those of the function's body, or of the block that is all
/// of it; for a buffer that is allocated, those of the block that does. `None` if none does.
pub(super) fn in_scope<R>(
    func: &mut PrimFunc,
    buffer: BufferId,
    f: &mut dyn FnMut(&mut Block) -> R,
) -> Option<R> {
    if func.buffer(buffer).origin == Origin::Alloc {
        return where_allocated(&mut func.body, buffer, f);
    }
    Some(in_root(&mut func.body, f))
}

/// Calls `f` with the statements of a body, or with those of the block without axes that is all of it.
pub(super) fn in_root<R>(body: &mut Block, f: &mut dyn FnMut(&mut Block) -> R) -> R {
    match body.as_mut_slice() {
        [Stmt { kind: StmtKind::SBlock(block), .. }]
            if block.axes.is_empty() && block.predicate.is_none() && block.init.is_none() =>
        {
            f(&mut block.body)
        }
        _ => f(body),
    }
}

fn where_allocated<R>(block: &mut Block, buffer: BufferId, f: &mut dyn FnMut(&mut Block) -> R) -> Option<R> {
    if block.iter().any(|stmt| matches!(&stmt.kind, StmtKind::Alloc { buffer: of, .. } if *of == buffer)) {
        return Some(f(block));
    }
    for stmt in block {
        if let StmtKind::SBlock(block) = &mut stmt.kind
            && block.alloc_buffers.contains(&buffer)
        {
            return Some(f(&mut block.body));
        }
        let mut done = None;
        stmt.for_each_block_mut(|inner| {
            if done.is_none() {
                done = where_allocated(inner, buffer, f);
            }
        });
        if done.is_some() {
            return done;
        }
    }
    None
}
