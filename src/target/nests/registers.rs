//! Elements that LLVM keeps in registers while a loop runs: those at an address that the loop does not change, which it stores to in
//! each iteration, and which no other access of the buffer in it may be (LICM's promotion of memory to scalars). A condition
//! around the store prevents that: nothing may be stored where the program stores nothing.

use hashbrown::{HashMap, HashSet};

use super::folds::Fold;
use super::hash::{hash_by, mix};
use super::products::products;
use crate::ir::{Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::target::llvm::nests::first_of_row;

/// The most accesses of a loop that are looked at.
const MAX_ACCESSES: usize = 64;

/// An access.
#[derive(Clone, Copy, Debug)]
struct Access {
    buffer: BufferId,
    element: Element,
    is_store: bool,
    /// The innermost condition around it.
    guard: Option<usize>,
    /// Of a store: by what it folds something into the element that it stores to.
    fold: Option<Fold>,
}

/// Hashes of an address, and of the address but for what is constant in it: two that differ in that only are known to be different
/// elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    address: u64,
    base: u64,
}

/// A condition.
#[derive(Clone, Copy, Debug)]
struct Guard<'f> {
    cond: &'f Expr,
    /// How many loops there are around it.
    depth: usize,
    /// The next condition around it.
    outer: Option<usize>,
}

/// The accesses of a function, by loop, of buffers that it loads from and stores to.
#[derive(Debug, Default)]
pub(super) struct Registers<'f> {
    buffers: HashSet<BufferId>,
    accesses: Vec<Access>,
    /// Which of them each loop has: first, and one behind the last.
    spans: HashMap<VarId, (usize, usize)>,
    guards: Vec<Guard<'f>>,
}

/// The buffers that statements both load from and store to: in no others elements are accumulated.
fn loaded_and_stored(block: &Block) -> HashSet<BufferId> {
    let (mut loaded, mut stored) = (HashSet::new(), HashSet::new());
    let mut look = |stmt: &Stmt| {
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            stored.insert(*buffer);
        }
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                if let ExprKind::Load { buffer, .. } = &e.kind {
                    loaded.insert(*buffer);
                }
            });
        });
    };
    block.iter().for_each(|stmt| stmt.walk(&mut look));
    loaded.retain(|buffer| stored.contains(buffer));
    loaded
}

impl<'f> Registers<'f> {
    pub(super) fn new(func: &'f PrimFunc) -> Registers<'f> {
        let mut registers = Registers { buffers: loaded_and_stored(&func.body), ..Registers::default() };
        registers.block(&func.body, 0, None);
        registers
    }

    /// `depth`: how many loops are around the block; `guard`: the innermost condition around it.
    fn block(&mut self, block: &'f Block, depth: usize, guard: Option<usize>) {
        for stmt in block {
            stmt.for_each_expr(|e| self.loads(e));
            let first = self.accesses.len();
            let (mut depth, mut inner) = (depth, guard);
            match &stmt.kind {
                StmtKind::Store { buffer, indices, value } => {
                    self.push(*buffer, indices, Some(value), guard);
                }
                StmtKind::For(_) => depth += 1,
                StmtKind::If { cond, .. } => {
                    inner = Some(self.guards.len());
                    self.guards.push(Guard { cond, depth, outer: guard });
                }
                _ => {}
            }
            stmt.for_each_block(|block| self.block(block, depth, inner));
            if let StmtKind::For(l) = &stmt.kind {
                self.spans.insert(l.var, (first, self.accesses.len()));
            }
        }
    }

    fn loads(&mut self, e: &Expr) {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, indices } = &e.kind {
                self.push(*buffer, indices, None, None);
            }
        });
    }

    /// `stored`: the value of a store.
    fn push(&mut self, buffer: BufferId, indices: &[Expr], stored: Option<&Expr>, guard: Option<usize>) {
        if self.buffers.contains(&buffer) {
            let element = Element::of(indices);
            let fold = stored.and_then(|value| Fold::of(value, &|e| is_load(e, buffer, element)));
            self.accesses.push(Access { buffer, element, is_store: stored.is_some(), guard, fold });
        }
    }

    fn of(&self, l: Option<VarId>) -> &[Access] {
        let span = l.and_then(|l| self.spans.get(&l));
        span.and_then(|&(first, end)| self.accesses.get(first..end)).unwrap_or_default()
    }

    /// Whether a loop stores to a buffer.
    pub(super) fn writes(&self, l: Option<VarId>, buffer: BufferId) -> bool {
        self.of(l).iter().any(|access| access.is_store && access.buffer == buffer)
    }

    /// Whether a loop stores to an element, as the address is written.
    pub(super) fn stores_to(&self, l: Option<VarId>, buffer: BufferId, element: Element) -> bool {
        self.of(l)
            .iter()
            .any(|access| access.is_store && access.buffer == buffer && access.element == element)
    }

    /// Whether a loop, of which `depth` says how many it and those around it are, keeps an element in a register, whose address it
    /// does not change. Conditions on variables of loops that are written out are none.
    pub(super) fn keep(
        &self,
        (l, depth): (Option<VarId>, usize),
        buffer: BufferId,
        element: Element,
        known: Option<&Known>,
    ) -> bool {
        let all = self.of(l);
        if all.len() > MAX_ACCESSES {
            return false;
        }
        let mut others = all.iter().filter(|access| access.buffer == buffer);
        others.clone().all(|access| access.element.base == element.base)
            && others.any(|access| {
                access.is_store
                    && access.element == element
                    && self.guarded(access.guard, known).is_none_or(|guarded| guarded < depth)
            })
    }

    /// Whether all that a loop does with an element, which it keeps in a register, is to fold something into it, always by the same
    /// operation.
    pub(super) fn fold(
        &self,
        l: (Option<VarId>, usize),
        buffer: BufferId,
        element: Element,
        known: Option<&Known>,
    ) -> bool {
        if !self.keep(l, buffer, element, known) {
            return false;
        }
        let of_it = |access: &&Access| access.buffer == buffer && access.element == element;
        let (stores, loads): (Vec<&Access>, Vec<&Access>) =
            self.of(l.0).iter().filter(of_it).partition(|access| access.is_store);
        // Each of these stores loads the element, so that no load is left for something else.
        let first = stores.first().and_then(|store| store.fold);
        first.is_some() && loads.len() == stores.len() && stores.iter().all(|store| store.fold == first)
    }

    /// How many loops there are around the innermost condition that stays.
    fn guarded(&self, mut at: Option<usize>, known: Option<&Known>) -> Option<usize> {
        while let Some(guard) = at.and_then(|at| self.guards.get(at)) {
            if !is_decided(guard.cond, known) {
                return Some(guard.depth);
            }
            at = guard.outer;
        }
        None
    }
}

/// What is known of the loops of a function once that all of them have been looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Those that are written out.
    pub(super) written_out: HashSet<VarId>,
    /// The hashes of the conditions that their first iterations decide, which are written out.
    pub(super) peeled: HashSet<u64>,
    /// The loops of which the other iterations are short enough then to be written out too: after LLVM has looked for vectors.
    pub(super) written_out_late: HashSet<VarId>,
}

/// Whether a condition depends on nothing but variables of loops that are known to be written out, or is decided by the iterations
/// of a loop that are: it is a constant then.
pub(super) fn is_decided(cond: &Expr, known: Option<&Known>) -> bool {
    let Some(known) = known else { return false };
    let is_constant = || {
        cond.mentions(|_| true)
            && !cond.mentions(|var| !known.written_out.contains(&var))
            && !cond.reads_memory()
    };
    !known.peeled.is_empty() && known.peeled.contains(&condition(cond)) || is_constant()
}

/// A hash of a condition.
pub(super) fn condition(cond: &Expr) -> u64 {
    hash_by(cond, &mut |var| u64::from(var.0))
}

impl Element {
    pub(super) fn of(indices: &[Expr]) -> Element {
        Element { address: address(indices), base: base(indices) }
    }
}

/// Whether an expression loads an element, as its address is written.
fn is_load(e: &Expr, of: BufferId, element: Element) -> bool {
    matches!(&e.kind, ExprKind::Load { buffer, indices } if *buffer == of && Element::of(indices) == element)
}

fn address(indices: &[Expr]) -> u64 {
    indices.iter().fold(21, |hash, index| mix(hash, hash_by(index, &mut |var| u64::from(var.0))))
}

fn base(indices: &[Expr]) -> u64 {
    indices.iter().fold(22, |hash, index| {
        let products = products(first_of_row(index)).0.into_iter().map(|product| {
            let factors = product.factors.iter().map(|e| mix(25, hash_by(e, &mut |var| u64::from(var.0))));
            mix(factors.fold(23, u64::wrapping_add), product.times as u64)
        });
        mix(hash, products.fold(u64::from(index.dtype.lanes), u64::wrapping_add))
    })
}
