//! A function's parts without what is written anew: copying that would be for nothing.

use super::{Axis, Block, Expr, For, PrimFunc, SBlock, Stmt, StmtKind};

impl PrimFunc {
    /// The function without its body.
    pub(crate) fn hollow(&self) -> PrimFunc {
        PrimFunc { vars: self.vars.clone(), buffers: self.buffers.clone(), ..self.head() }
    }

    /// What stands before the body, without the tables of variables and buffers.
    pub(super) fn head(&self) -> PrimFunc {
        PrimFunc {
            name: self.name.clone(),
            decorator: self.decorator.clone(),
            params: self.params.clone(),
            ret: self.ret.clone(),
            attrs: self.attrs.clone(),
            matches: self.matches.clone(),
            body: Block::new(),
            vars: Vec::new(),
            buffers: Vec::new(),
        }
    }
}

impl Stmt {
    /// The statement with empty blocks, and with what `f` makes of each expression that the statement itself evaluates (see
    /// [`Stmt::for_each_expr`]).
    pub(crate) fn hollow(&self, f: impl Fn(&Expr) -> Expr) -> Stmt {
        let kind = match &self.kind {
            StmtKind::Bind { var, value } => StmtKind::Bind { var: *var, value: f(value) },
            StmtKind::Store { buffer, indices, value } => StmtKind::Store {
                buffer: *buffer,
                indices: indices.iter().map(&f).collect(),
                value: f(value),
            },
            StmtKind::Evaluate(e) => StmtKind::Evaluate(f(e)),
            StmtKind::Return(e) => StmtKind::Return(f(e)),
            StmtKind::For(l) => StmtKind::For(Box::new(For {
                var: l.var,
                min: f(&l.min),
                extent: f(&l.extent),
                step: l.step.as_ref().map(&f),
                kind: l.kind.clone(),
                annotations: l.annotations.clone(),
                body: Block::new(),
            })),
            StmtKind::While { cond, .. } => StmtKind::While { cond: f(cond), body: Block::new() },
            StmtKind::If { cond, .. } => {
                StmtKind::If { cond: f(cond), then: Block::new(), otherwise: Block::new() }
            }
            StmtKind::Assert { cond, kind, message } => {
                StmtKind::Assert { cond: f(cond), kind: kind.clone(), message: message.clone() }
            }
            StmtKind::Attr { node, key, value, .. } => {
                StmtKind::Attr { node: node.clone(), key: key.clone(), value: f(value), body: Block::new() }
            }
            StmtKind::LaunchThread { var, tag, extent, .. } => {
                StmtKind::LaunchThread { var: *var, tag: tag.clone(), extent: f(extent), body: Block::new() }
            }
            StmtKind::SBlock(block) => StmtKind::SBlock(Box::new(SBlock {
                name: block.name.clone(),
                axes: block
                    .axes
                    .iter()
                    .map(|axis| Axis { binding: f(&axis.binding), ..axis.clone() })
                    .collect(),
                predicate: block.predicate.as_ref().map(&f),
                reads: block.reads.clone(),
                writes: block.writes.clone(),
                attrs: block.attrs.clone(),
                alloc_buffers: block.alloc_buffers.clone(),
                match_buffers: block.match_buffers.clone(),
                init: block.init.as_ref().map(|_| Block::new()),
                body: Block::new(),
            })),
            StmtKind::Alloc { .. } | StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {
                self.kind.clone()
            }
        };
        Stmt { span: self.span, kind }
    }

    /// Puts what `f` makes of the blocks of `of`, of which this is the hollow statement, into its own, in order.
    pub(crate) fn fill(&mut self, of: &Stmt, mut f: impl FnMut(&Block) -> Block) {
        let mut blocks = Vec::new();
        of.for_each_block(|block| blocks.push(f(block)));
        let mut blocks = blocks.into_iter();
        self.for_each_block_mut(|block| *block = blocks.next().expect("both have the same blocks"));
    }
}
