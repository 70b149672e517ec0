//! Elements that LLVM keeps in registers while a loop runs: those at an address that the loop does not change, which it stores to in
//! each iteration, and which no other access of the buffer in it may be (LICM's promotion of memory to scalars). A condition
//! around the store prevents that: nothing may be stored where the program stores nothing.

use hashbrown::{HashMap, HashSet};

use super::hash::{hash_by, mix};
use super::products::products;
use crate::analysis::accesses::reads_memory;
use crate::ir::{Block, BufferId, Expr, ExprKind, PrimFunc, StmtKind, VarId};

/// The most accesses of a loop that are looked at.
const MAX_ACCESSES: usize = 64;

/// An access.
#[derive(Clone, Copy, Debug)]
struct Access {
    buffer: BufferId,
    /// Hashes of the address, and of the address but for what is constant in it: two that differ in that only are known to be
    /// different elements.
    address: u64,
    base: u64,
    /// How many loops there are around the innermost condition of a store; `None` of a load.
    store: Option<usize>,
}

/// The accesses of a function, by loop.
#[derive(Debug, Default)]
pub(super) struct Registers {
    accesses: Vec<Access>,
    /// Which of them each loop has: first, and one behind the last.
    spans: HashMap<VarId, (usize, usize)>,
}

impl Registers {
    /// Those of a function. Conditions on variables of loops that are written out are none.
    pub(super) fn new(func: &PrimFunc, written_out: Option<&HashSet<VarId>>) -> Registers {
        let mut registers = Registers::default();
        registers.block(&func.body, 0, 0, written_out);
        registers
    }

    /// `depth`: how many loops are around the block; `guarded`: around its innermost condition.
    fn block(&mut self, block: &Block, depth: usize, guarded: usize, written_out: Option<&HashSet<VarId>>) {
        for stmt in block {
            stmt.for_each_expr(|e| self.loads(e));
            let first = self.accesses.len();
            let (mut depth, mut guarded) = (depth, guarded);
            match &stmt.kind {
                StmtKind::Store { buffer, indices, .. } => self.push(*buffer, indices, Some(guarded)),
                StmtKind::For(_) => depth += 1,
                StmtKind::If { cond, .. } => {
                    let is_decided = written_out.is_some_and(|known| {
                        !reads_memory(cond) && !cond.mentions(|var| !known.contains(&var))
                    });
                    if !is_decided {
                        guarded = depth;
                    }
                }
                _ => {}
            }
            stmt.for_each_block(|inner| self.block(inner, depth, guarded, written_out));
            if let StmtKind::For(l) = &stmt.kind {
                self.spans.insert(l.var, (first, self.accesses.len()));
            }
        }
    }

    fn loads(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, indices } = &e.kind {
                self.push(*buffer, indices, None);
            }
        });
    }

    fn push(&mut self, buffer: BufferId, indices: &[Expr], store: Option<usize>) {
        self.accesses.push(Access { buffer, address: address(indices), base: base(indices), store });
    }

    fn of(&self, l: Option<VarId>) -> &[Access] {
        let span = l.and_then(|l| self.spans.get(&l));
        span.and_then(|&(first, end)| self.accesses.get(first..end)).unwrap_or_default()
    }

    /// Whether a loop stores to a buffer.
    pub(super) fn writes(&self, l: Option<VarId>, buffer: BufferId) -> bool {
        self.of(l).iter().any(|access| access.store.is_some() && access.buffer == buffer)
    }

    /// Whether a loop, of which `depth` says how many it and those around it are, keeps an element in a register, whose address it
    /// does not change.
    pub(super) fn keep(&self, l: Option<VarId>, depth: usize, buffer: BufferId, indices: &[Expr]) -> bool {
        let all = self.of(l);
        if all.len() > MAX_ACCESSES {
            return false;
        }
        let (address, base) = (address(indices), base(indices));
        let mut others = all.iter().filter(|access| access.buffer == buffer);
        others.clone().all(|access| access.base == base)
            && others.any(|a| a.address == address && a.store.is_some_and(|guarded| guarded < depth))
    }
}

fn address(indices: &[Expr]) -> u64 {
    indices.iter().fold(21, |hash, index| mix(hash, hash_by(index, &mut |var| u64::from(var.0))))
}

fn base(indices: &[Expr]) -> u64 {
    indices.iter().fold(22, |hash, index| {
        let products = products(index).0.into_iter().map(|product| {
            let factors = product.factors.iter().map(|e| mix(25, hash_by(e, &mut |var| u64::from(var.0))));
            mix(factors.fold(23, u64::wrapping_add), product.times as u64)
        });
        mix(hash, products.fold(24, u64::wrapping_add))
    })
}
