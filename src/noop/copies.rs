//! Buffers go that only hold what was moved there from elsewhere: what they are read for is read where it came from.
//!
//! Each load of such a buffer is of an element of which it is known which store was the last ([`contents`]), and that what was
//! stored is a choice among loads and constants, all unchanged since. So nothing is computed anew: floats keep their bits
//! whatever a compiler contracts. TVM's `compute_inline` does the like for blocks that write each element once.

use super::named::{self, How};
use super::reason::{Change, Described, Reason};
use crate::analysis::accesses::{Accesses, Kind, is_plain};
use crate::analysis::alias::have_the_same_elements;
use crate::analysis::instances::Asker;
use crate::analysis::{contents, lets, volatile};
use crate::arith::invert::mentions;
use crate::ir::{Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::simplify::tidy;

/// The most buffers that are tried.
pub(super) const MAX_BUFFERS: usize = 16;

/// Removes all buffers of which nothing is needed.
pub(super) fn run(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    for buffer in buffers(func).into_iter().take(MAX_BUFFERS) {
        if let Some((made, change)) = without(func, buffer) {
            *func = made;
            changes.push(change);
        }
    }
    changes
}

/// The function's own buffers that it names in loads and stores only.
pub(super) fn buffers(func: &PrimFunc) -> Vec<BufferId> {
    if volatile::is_any(func) {
        return Vec::new();
    }
    let mut own: Vec<BufferId> = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::Alloc { buffer, annotations } if annotations.is_empty() => own.push(*buffer),
            _ => {}
        });
    }
    named::each_buffer(func, &mut |buffer, how| {
        if how == How::Otherwise {
            own.retain(|own| *own != func.memory_of(buffer));
        }
    });
    own
}

/// The function without a buffer, if each of its loads can be one of what was moved there.
pub(super) fn without(func: &PrimFunc, buffer: BufferId) -> Option<(PrimFunc, Change)> {
    let mut made = func.clone();
    let is_seen_alike = |view| func.memory_of(view) == buffer && have_the_same_elements(func, view, buffer);
    made.put_ids(|var| var, |view| if is_seen_alike(view) { buffer } else { view });
    tidy(&mut made);
    let before = made.clone();
    let accesses = Accesses::new(&before)?;
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let moving = Moving { func: &before, asker, memory: buffer, bound: lets::bound(&before.body) };
    moving.in_block(&mut made.body, &mut 0)?;
    tidy(&mut made);
    let name = func.name_of(buffer);
    let reasons = vec![Reason::Moved { buffer: name.clone() }];
    Some((made, Change { what: format!("the buffer `{name}` goes"), reasons }))
}

/// A buffer that is to go.
struct Moving<'a> {
    func: &'a PrimFunc,
    asker: Asker<'a>,
    /// The allocation, whose views go too.
    memory: BufferId,
    bound: Vec<VarId>,
}

impl Moving<'_> {
    /// Takes the buffer out of a block; `None` if it cannot be.
    fn in_block(&self, block: &mut Block, number: &mut usize) -> Option<()> {
        let mut kept = Block::with_capacity(block.len());
        for mut stmt in std::mem::take(block) {
            let own = *number;
            *number += 1;
            if self.goes(&stmt)? {
                continue;
            }
            let mut all = Some(());
            stmt.for_each_expr_mut(|e| all = all.and_then(|()| self.in_expr(e, own)));
            stmt.for_each_block_mut(|inner| all = all.and_then(|()| self.in_block(inner, number)));
            all?;
            kept.push(stmt);
        }
        *block = kept;
        Some(())
    }

    /// Whether a statement does nothing but to make the buffer, to fill it, or to say something of it; `None` if it does more
    /// than to fill it.
    fn goes(&self, stmt: &Stmt) -> Option<bool> {
        Some(match &stmt.kind {
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => self.is_it(*buffer),
            StmtKind::Store { buffer, indices, value } if self.is_it(*buffer) => {
                let acts = indices.iter().chain([value]).any(Expr::has_effect);
                return (!acts || value.is_undef()).then_some(true);
            }
            StmtKind::Evaluate(e) => match e.as_intrin() {
                Some(("assume", [said])) => self.is_named_in(said),
                _ => false,
            },
            _ => false,
        })
    }

    fn is_it(&self, buffer: BufferId) -> bool {
        self.func.memory_of(buffer) == self.memory
    }

    fn is_named_in(&self, e: &Expr) -> bool {
        e.loads_from(|buffer| self.is_it(buffer))
    }

    fn in_expr(&self, e: &mut Expr, stmt: usize) -> Option<()> {
        if let ExprKind::Load { buffer, indices } = &e.kind
            && self.is_it(*buffer)
        {
            *e = self.moved(*buffer, indices, stmt)?;
            return Some(());
        }
        let mut all = Some(());
        e.for_each_child_mut(|child| all = all.and_then(|()| self.in_expr(child, stmt)));
        all
    }

    /// What was moved to an element that a statement loads, wherever it does so.
    fn moved(&self, buffer: BufferId, indices: &[Expr], stmt: usize) -> Option<Expr> {
        let accesses = self.asker.accesses;
        let (first, end) = accesses.spans[stmt];
        let mut value: Option<Expr> = None;
        for load in accesses.list[first..end].iter().filter(|access| access.stmt == stmt) {
            if load.kind != Kind::Load || load.buffer != buffer || load.indices != indices {
                continue;
            }
            let at = self.asker.itself(load);
            let mut facts = at.conditions.clone();
            facts.extend(self.asker.in_bounds(load));
            let content = contents::value(&self.asker, &at, &facts, buffer, indices)?;
            let is_usable = content.stored
                && content.value.dtype == self.func.buffer(buffer).dtype
                && is_moved(&content.value)
                && !self.is_named_in(&content.value)
                && !mentions(&content.value, &self.bound);
            if !is_usable || value.as_ref().is_some_and(|value| *value != content.value) {
                return None;
            }
            value = Some(content.value);
        }
        value
    }
}

/// Whether a value is a choice among elements and constants: nothing is computed but indices and conditions.
fn is_moved(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Int(_) | ExprKind::Float(_) => true,
        ExprKind::Load { indices, .. } => {
            indices.iter().all(|index| index.dtype.is_scalar() && is_plain(index))
        }
        ExprKind::Select(select) => {
            is_plain(&select.cond) && is_moved(&select.then) && is_moved(&select.otherwise)
        }
        ExprKind::Call(call) if call.is_lazy_select() => {
            is_plain(&call.args[0]) && call.args[1..].iter().all(is_moved)
        }
        _ => false,
    }
}
