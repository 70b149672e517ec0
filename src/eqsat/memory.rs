//! The current memory version of every buffer while a function is walked in program order.
//!
//! Two loads of one buffer at equal indices and in one version give equal values: whenever something may write to
//! a buffer, its loads get a new version number from then on. The walk asks for a fresh number at every place
//! where a write may have happened ([`Memory::set_next`]) and says what was written.

use crate::ir::{Block, BufferId, Callee, Expr, ExprKind, Origin, PrimFunc, Stmt, StmtKind, intrin};

/// Versions of all buffers at one point of the walk.
#[derive(Clone, Debug)]
pub struct Memory {
    /// The version of each buffer; [`BufferId`] is the index.
    current: Vec<u32>,
    next: u32,
    /// The buffer that owns each buffer's memory; `None` if that is not known.
    owner: Vec<Option<BufferId>>,
    /// Whether each buffer's memory was allocated in the function.
    local: Vec<bool>,
    no_alias: bool,
}

impl Memory {
    /// Every buffer in version 0.
    pub fn new(func: &PrimFunc) -> Memory {
        let count = func.buffers.len();
        let ids = (0..count).map(|i| BufferId(u32::try_from(i).expect("fewer than 2^32 buffers")));
        let owners: Vec<BufferId> = ids.map(|b| func.memory_of(b)).collect();
        let known = |b: &BufferId| !matches!(func.buffer(*b).origin, Origin::Pointer(_));
        Memory {
            current: vec![0; count],
            next: 0,
            local: owners.iter().map(|b| matches!(func.buffer(*b).origin, Origin::Alloc)).collect(),
            owner: owners.into_iter().map(|b| known(&b).then_some(b)).collect(),
            no_alias: func.no_alias(),
        }
    }

    /// The number that the next writes give.
    pub fn set_next(&mut self, version: u32) {
        self.next = version;
    }

    /// The version that a load of `buffer` sees here.
    pub fn version(&self, buffer: BufferId) -> u32 {
        self.current[buffer.index()]
    }

    /// Something was stored in `buffer`.
    pub fn write(&mut self, buffer: BufferId) {
        for i in 0..self.current.len() {
            if self.may_share(buffer.index(), i) {
                self.current[i] = self.next;
            }
        }
    }

    /// Anything may have been stored anywhere.
    pub fn write_all(&mut self) {
        self.current.fill(self.next);
    }

    /// Whatever `body` (and `cond`) may write, anywhere in it.
    pub fn write_what(&mut self, body: &Block, cond: Option<&Expr>) {
        let mut written = Written::default();
        cond.iter().for_each(|e| written.expr(e));
        written.block(body);
        self.write_all_of(written);
    }

    /// Whatever one statement may write.
    pub fn write_stmt(&mut self, stmt: &Stmt) {
        let mut written = Written::default();
        written.stmt(stmt);
        self.write_all_of(written);
    }

    fn write_all_of(&mut self, mut written: Written) {
        if written.everything {
            self.write_all();
        } else {
            written.buffers.sort_unstable();
            written.buffers.dedup();
            written.buffers.into_iter().for_each(|b| self.write(b));
        }
    }

    /// Whether two buffers may share memory.
    fn may_share(&self, a: usize, b: usize) -> bool {
        match (self.owner[a], self.owner[b]) {
            (Some(x), Some(y)) => x == y || !(self.no_alias || self.local[a] || self.local[b]),
            _ => true,
        }
    }
}

/// What statements may write.
#[derive(Default)]
struct Written {
    buffers: Vec<BufferId>,
    everything: bool,
}

impl Written {
    fn block(&mut self, block: &Block) {
        block.iter().for_each(|s| self.stmt(s));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Bind { value, .. } | StmtKind::Evaluate(value) | StmtKind::Return(value) => {
                self.expr(value)
            }
            StmtKind::Store { buffer, indices, value } => {
                self.buffers.push(*buffer);
                indices.iter().chain([value]).for_each(|e| self.expr(e));
            }
            StmtKind::For(f) => {
                [&f.min, &f.extent].into_iter().chain(&f.step).for_each(|e| self.expr(e));
                self.block(&f.body);
            }
            StmtKind::While { cond, body } => {
                self.expr(cond);
                self.block(body);
            }
            StmtKind::If { cond, then, otherwise } => {
                self.expr(cond);
                self.block(then);
                self.block(otherwise);
            }
            StmtKind::Assert { cond, .. } => self.expr(cond),
            StmtKind::Attr { value, body, .. } => {
                self.expr(value);
                self.block(body);
            }
            StmtKind::LaunchThread { extent, body, .. } => {
                self.expr(extent);
                self.block(body);
            }
            // New memory holds new values.
            StmtKind::Alloc { buffer, .. } => self.buffers.push(*buffer),
            StmtKind::Decl { .. } | StmtKind::Break | StmtKind::Continue => {}
            StmtKind::SBlock(block) => {
                self.buffers.extend(&block.alloc_buffers);
                block.predicate.iter().for_each(|e| self.expr(e));
                block.axes.iter().for_each(|a| self.expr(&a.binding));
                block.init.iter().for_each(|b| self.block(b));
                self.block(&block.body);
            }
        }
    }

    fn expr(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let ExprKind::Call(call) = &e.kind {
                self.everything |= match &call.callee {
                    Callee::Intrin(name) => {
                        matches!(intrin::effect(name), intrin::Effect::Opaque | intrin::Effect::UpdatesState)
                    }
                    Callee::Global(_) => true,
                };
            }
        });
    }
}
