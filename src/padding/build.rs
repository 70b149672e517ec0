//! Small pieces of programs: sums with constants folded, loops, conditions.

use crate::diag::Span;
use crate::ir::{BinOp, Block, Expr, For, ForKind, PrimFunc, Stmt, StmtKind, Type, VarId};
use crate::script;

/// A binary operation, with what TVM folds folded.
pub(super) fn folded(op: BinOp, a: Expr, b: Expr) -> Expr {
    script::fold(op, &a, &b).unwrap_or_else(|| Expr::binary(op, a, b))
}

/// A serial loop from 0.
pub(super) fn serial(var: VarId, extent: Expr, body: Block) -> Stmt {
    let min = Expr::int(0, extent.dtype);
    let (kind, step, annotations) = (ForKind::Serial, None, Vec::new());
    Stmt {
        span: Span::NONE,
        kind: StmtKind::For(Box::new(For { var, min, extent, step, kind, annotations, body })),
    }
}

/// Loops from 0 over these extents, the first outermost, around a body.
pub(super) fn nest(loops: &[(VarId, Expr)], body: Block) -> Block {
    loops.iter().rev().fold(body, |body, (var, extent)| vec![serial(*var, extent.clone(), body)])
}

/// A variable for a loop with this extent.
pub(super) fn loop_var(func: &mut PrimFunc, name: &str, extent: &Expr) -> VarId {
    func.new_var(name, Type::Prim(extent.dtype))
}
