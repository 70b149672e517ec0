//! Short reductions of rows.
//!
//! LLVM keeps the accumulator of `B[i] = B[i] + A[i * 33 + k]` in a register where it sees before the loop over `k` is unrolled that
//! all accesses to it are to one element. What is left is a loop over `i` without stores to the same element, and it computes
//! several `i` at once. That pays where neighbours in `i` lie side by side. Here each element of the row is picked from
//! another place, which takes more instructions than it saves.

use hashbrown::{HashMap, HashSet};

use crate::ir::{BinOp, Block, Expr, ExprKind, ForKind, PrimFunc, StmtKind, VarId};
use crate::target::llvm::unrolled;

/// The variables of the innermost loops, short enough to be unrolled, in which all that is accumulated is read in steps of
/// more than an element as the loop around goes on.
pub(super) fn reductions(func: &PrimFunc) -> HashSet<VarId> {
    let mut finder = Finder::default();
    finder.block(&func.body, None);
    finder.found
}

#[derive(Default)]
struct Finder {
    /// By how much bindings change from one value of a loop's variable to the next, with that variable: of the loop around them,
    /// and of those in an innermost loop that of the loop around it, once that was looked at.
    steps: HashMap<VarId, (VarId, Option<i64>)>,
    found: HashSet<VarId>,
}

impl Finder {
    fn block(&mut self, block: &Block, around: Option<VarId>) {
        for stmt in block {
            match (&stmt.kind, around) {
                (StmtKind::Bind { var, value }, Some(around)) => self.bind(*var, value, around),
                (StmtKind::For(l), _) => {
                    self.block(&l.body, Some(l.var));
                    let short = l.extent.as_int().is_some_and(|n| n as f64 <= unrolled::MAX_ITERATIONS);
                    if let Some(around) = around
                        && short
                        && l.kind == ForKind::Serial
                        && self.reduces_rows(&l.body, around)
                    {
                        self.found.insert(l.var);
                    }
                }
                _ => stmt.for_each_block(|block| self.block(block, around)),
            }
        }
    }

    fn bind(&mut self, var: VarId, value: &Expr, around: VarId) {
        let step = self.step(value, around);
        self.steps.insert(var, (around, step));
    }

    /// Whether the statements accumulate, and all that they accumulate is read in steps as `around` goes on.
    fn reduces_rows(&mut self, block: &Block, around: VarId) -> bool {
        let (mut accumulates, mut rows) = (false, true);
        for stmt in block {
            match &stmt.kind {
                StmtKind::Bind { var, value } => self.bind(*var, value, around),
                StmtKind::Store { buffer, indices, value } => value.walk(&mut |e| {
                    let ExprKind::Load { buffer: read, indices: at } = &e.kind else { return };
                    if read == buffer && at[..] == indices[..] {
                        accumulates = true;
                    } else {
                        let step = |index| self.step(index, around);
                        rows &= at.split_last().is_some_and(|(last, outer)| {
                            let in_row = step(last).is_some_and(|step| step.unsigned_abs() > 1);
                            in_row || outer.iter().any(|index| step(index).is_some_and(|step| step != 0))
                        });
                    }
                }),
                StmtKind::For(_) | StmtKind::While { .. } => rows = false,
                _ => {}
            }
        }
        accumulates && rows
    }

    /// By how much the index changes from one value of the variable to the next; `None` if that is not known.
    fn step(&self, index: &Expr, around: VarId) -> Option<i64> {
        match &index.kind {
            ExprKind::Int(_) => Some(0),
            ExprKind::Var(var) if *var == around => Some(1),
            ExprKind::Var(var) => match self.steps.get(var) {
                Some(&(within, step)) if within == around => step,
                _ => Some(0),
            },
            ExprKind::Binary(BinOp::Add, a, b) => self.step(a, around)?.checked_add(self.step(b, around)?),
            ExprKind::Binary(BinOp::Sub, a, b) => self.step(a, around)?.checked_sub(self.step(b, around)?),
            ExprKind::Binary(BinOp::Mul, a, b) if b.as_int().is_some() => {
                self.step(a, around)?.checked_mul(b.as_int()?)
            }
            _ => None,
        }
    }
}
