//! Threads: which constructs launch them, and whether they may run one after the other.
//!
//! The threads of a block that share memory meet at barriers. TVM inserts those late, so a program may have none yet
//! although it needs them. Such a program runs in lockstep: each statement is executed by all threads before the
//! next one, which is what a program with every barrier in place does.

use crate::ir::matrix::is_matrix_call;
use crate::ir::{AttrNode, Block, BufferId, Expr, ForKind, Origin, PrimFunc, Stmt, StmtKind};

/// Whether `tag` names threads of a block (and not blocks).
pub(super) fn is_block_thread(tag: &str) -> bool {
    tag.starts_with("threadIdx") || tag.starts_with("vthread")
}

/// Whether threads of `func` may see what other threads of their block do.
pub(super) fn needs_lockstep(func: &PrimFunc) -> bool {
    let mut scan = Scan { func, regions: 0, depth: 0, communicates: false, outside: false };
    scan.block(&func.body);
    // Memory of one thread that outlives a region of threads must not be overwritten by the next thread.
    scan.regions > 0 && (scan.communicates || (scan.outside && scan.regions > 1))
}

struct Scan<'a> {
    func: &'a PrimFunc,
    /// Outermost launches of block threads.
    regions: usize,
    /// Launches of block threads around the current statement.
    depth: usize,
    /// Shared memory, reductions over threads, barriers or matrices that threads hold together are used.
    communicates: bool,
    /// A thread's own memory is allocated outside of the launch.
    outside: bool,
}

impl Scan<'_> {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn launch(&mut self, tag: Option<&str>, body: &Block) {
        let threads = tag.is_some_and(is_block_thread);
        if threads {
            self.regions += usize::from(self.depth == 0);
            self.depth += 1;
        }
        self.block(body);
        self.depth -= usize::from(threads);
    }

    fn alloc(&mut self, buffer: BufferId) {
        let buffer = self.func.buffer(buffer);
        if buffer.origin == Origin::Alloc {
            let global = buffer.scope.is_empty() || &*buffer.scope == "global";
            self.communicates |= buffer.scope.starts_with("shared");
            self.outside |= !global && self.depth == 0;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::For(for_) => {
                let tag = match &for_.kind {
                    ForKind::ThreadBinding(tag) => Some(&**tag),
                    ForKind::Serial | ForKind::Parallel | ForKind::Vectorized | ForKind::Unrolled => None,
                };
                self.launch(tag, &for_.body);
            }
            StmtKind::LaunchThread { tag, body, .. } => self.launch(Some(tag), body),
            StmtKind::Attr { node, key, body, .. } => self.launch(thread_tag(node, key), body),
            StmtKind::While { body, .. } => self.block(body),
            StmtKind::If { then, otherwise, .. } => {
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::SBlock(block) => {
                block.alloc_buffers.iter().for_each(|&buffer| self.alloc(buffer));
                block.init.iter().for_each(|init| self.block(init));
                self.block(&block.body);
            }
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => self.alloc(*buffer),
            StmtKind::Evaluate(e) => self.communicates |= is_communication(e),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
    }
}

fn is_communication(e: &Expr) -> bool {
    matches!(e.as_intrin(), Some(("tvm_thread_allreduce" | "tvm_storage_sync", _))) || is_matrix_call(e)
}

/// The thread tag, if an attribute on `node` with `key` launches threads.
pub(super) fn thread_tag<'a>(node: &'a AttrNode, key: &str) -> Option<&'a str> {
    match node {
        AttrNode::IterVar { thread_tag, .. } if matches!(key, "thread_extent" | "virtual_thread") => {
            Some(if thread_tag.is_empty() { "vthread" } else { thread_tag })
        }
        AttrNode::IterVar { .. }
        | AttrNode::Value(_)
        | AttrNode::Var(_)
        | AttrNode::Buffer(_)
        | AttrNode::CommReducer(_) => None,
    }
}
