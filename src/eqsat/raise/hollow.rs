//! A function's parts without what [`raise`](super::raise) writes anew: copying that would be for nothing.

use crate::ir::{Block, Expr, For, PrimFunc, SBlock, Stmt, StmtKind};

/// The function without its body.
pub(super) fn func(of: &PrimFunc) -> PrimFunc {
    PrimFunc {
        name: of.name.clone(),
        decorator: of.decorator.clone(),
        params: of.params.clone(),
        ret: of.ret.clone(),
        attrs: of.attrs.clone(),
        matches: of.matches.clone(),
        body: Block::new(),
        vars: of.vars.clone(),
        buffers: of.buffers.clone(),
    }
}

/// The statement with empty blocks, and with an expression of no meaning wherever
/// [`visit_roots`](super::super::lower::visit_roots) comes.
pub(super) fn stmt(of: &Stmt) -> Stmt {
    let kind = match &of.kind {
        StmtKind::Bind { var, .. } => StmtKind::Bind { var: *var, value: blank() },
        StmtKind::Store { buffer, indices, .. } => StmtKind::Store {
            buffer: *buffer,
            indices: indices.iter().map(|_| blank()).collect(),
            value: blank(),
        },
        StmtKind::Evaluate(_) => StmtKind::Evaluate(blank()),
        StmtKind::For(l) => StmtKind::For(Box::new(For {
            var: l.var,
            min: blank(),
            extent: blank(),
            step: l.step.as_ref().map(|_| blank()),
            kind: l.kind.clone(),
            annotations: l.annotations.clone(),
            body: Block::new(),
        })),
        StmtKind::While { .. } => StmtKind::While { cond: blank(), body: Block::new() },
        StmtKind::If { .. } => StmtKind::If { cond: blank(), then: Block::new(), otherwise: Block::new() },
        StmtKind::Assert { kind, message, .. } => {
            StmtKind::Assert { cond: blank(), kind: kind.clone(), message: message.clone() }
        }
        StmtKind::Attr { node, key, .. } => {
            StmtKind::Attr { node: node.clone(), key: key.clone(), value: blank(), body: Block::new() }
        }
        StmtKind::LaunchThread { var, tag, .. } => {
            StmtKind::LaunchThread { var: *var, tag: tag.clone(), extent: blank(), body: Block::new() }
        }
        StmtKind::SBlock(block) => StmtKind::SBlock(Box::new(SBlock {
            name: block.name.clone(),
            axes: block.axes.clone(),
            predicate: block.predicate.as_ref().map(|_| blank()),
            reads: block.reads.clone(),
            writes: block.writes.clone(),
            attrs: block.attrs.clone(),
            alloc_buffers: block.alloc_buffers.clone(),
            match_buffers: block.match_buffers.clone(),
            init: None,
            body: Block::new(),
        })),
        StmtKind::Alloc { .. }
        | StmtKind::Decl { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => of.kind.clone(),
    };
    Stmt { span: of.span, kind }
}

fn blank() -> Expr {
    Expr::bool(false)
}
