//! Bindings of addresses that are written out again ([`Reason::SharedAddress`](crate::target::Reason::SharedAddress)).
//!
//! LLVM takes the constant out of an address `x + 3` (`base[x]` and 12 bytes on), by which it sees that accesses lie side by
//! side, keeps accumulators in registers, and finds loops worth splitting or vectorizing. It does so only where the sum has
//! no other use. Of equal addresses in one stretch of code it makes one, which is such a use; but an access that may be
//! passed by, such as the first store of a reduction under `if k == 0`, computes the address on its own. So a binding that
//! serves both is a sum with two uses, and the constant stays in, where the sum written twice is two with one use each.
//! So it is with `x + y`, where `y` becomes a constant as its loop is unrolled, and with the accumulators of some
//! [reductions](rows).

mod rows;

use hashbrown::{HashMap, HashSet};

use crate::analysis::lets;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// Puts the sums of variables and constants that are bound to variables from `first_new` on in place of these, where they
/// are nothing but the address of elements of one buffer, and not all of these accesses come after the first of them
/// whenever they are reached; sums of two variables only where no loop is between, but a short reduction of rows: they cost
/// more than what addressing modes add, and LLVM would move them out of the loop again.
pub(crate) fn rematerialize(func: &mut PrimFunc, first_new: usize) {
    let mut offsets = Offsets { first_new, ..Offsets::default() };
    offsets.in_block(&func.body);
    offsets.sums.retain(|_, sum| sum.apart && !sum.elsewhere);
    if offsets.sums.values().any(|sum| !sum.within.is_empty()) {
        let rows = rows::reductions(func);
        offsets.sums.retain(|_, sum| sum.within.is_subset(&rows));
    }
    if !offsets.sums.is_empty() {
        lets::inline(&mut func.body, &|var| offsets.sums.contains_key(&var));
    }
}

/// The bindings of sums.
#[derive(Default)]
struct Offsets {
    first_new: usize,
    sums: HashMap<VarId, Sum>,
    /// The variables of the loops around what is looked at.
    loops: Vec<Option<VarId>>,
    /// The numbers of the stretches of code around the one that is looked at, itself the last; and how many there are.
    around: Vec<usize>,
    stretches: usize,
}

/// What is known of a binding.
struct Sum {
    /// How many loops may be around its uses.
    loops: usize,
    /// The variables of the loops that are around its uses besides, if there is one around each.
    within: HashSet<VarId>,
    /// The buffer and the stretch of the first access.
    first: Option<(BufferId, usize)>,
    /// Whether there is an access that may be reached without the first one.
    apart: bool,
    /// Whether it is used as something else, or for another buffer.
    elsewhere: bool,
}

impl Offsets {
    /// What is evaluated as a whole or not at all.
    fn stretch(&mut self, look: impl FnOnce(&mut Self)) {
        self.around.push(self.stretches);
        self.stretches += 1;
        look(self);
        self.around.pop();
    }

    fn in_block(&mut self, block: &Block) {
        self.stretch(|offsets| block.iter().for_each(|stmt| offsets.in_stmt(stmt)));
    }

    fn in_stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Store { buffer, indices, value } = &stmt.kind {
            self.in_expr(value);
            self.in_indices(*buffer, indices);
        } else {
            stmt.for_each_expr(|e| self.in_expr(e));
        }
        let outside = self.loops.len();
        match &stmt.kind {
            StmtKind::For(l) => self.loops.push(Some(l.var)),
            StmtKind::While { .. } => self.loops.push(None),
            _ => {}
        }
        stmt.for_each_block(|block| self.in_block(block));
        self.loops.truncate(outside);
        if let StmtKind::Bind { var, value } = &stmt.kind
            && var.index() >= self.first_new
            && let Some(offset) = offset(value)
        {
            let loops = if offset.as_int().is_some() { usize::MAX } else { self.loops.len() };
            let sum = Sum { loops, within: HashSet::new(), first: None, apart: false, elsewhere: false };
            self.sums.insert(*var, sum);
        }
    }

    fn in_expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Var(var) => {
                if let Some(sum) = self.sums.get_mut(var) {
                    sum.elsewhere = true;
                }
            }
            ExprKind::Load { buffer, indices } => self.in_indices(*buffer, indices),
            _ => match e.as_intrin() {
                Some(("if_then_else", [condition, arms @ ..])) => {
                    self.in_expr(condition);
                    arms.iter().for_each(|arm| self.stretch(|offsets| offsets.in_expr(arm)));
                }
                _ => e.for_each_child(|c| self.in_expr(c)),
            },
        }
    }

    fn in_indices(&mut self, buffer: BufferId, indices: &[Expr]) {
        let address = match indices {
            [only] => match &only.kind {
                ExprKind::Ramp(base, stride) if stride.as_int() == Some(1) => base.as_var(),
                _ => only.as_var(),
            },
            _ => None,
        };
        let Some(sum) = address.and_then(|var| self.sums.get_mut(&var)) else {
            indices.iter().for_each(|e| self.in_expr(e));
            return;
        };
        let here = *self.around.last().expect("accesses stand in blocks");
        let (first, stretch) = *sum.first.get_or_insert((buffer, here));
        match self.loops.get(sum.loops..).unwrap_or_default() {
            [] => {}
            [Some(var)] => _ = sum.within.insert(*var),
            _ => sum.elsewhere = true,
        }
        sum.elsewhere |= first != buffer;
        sum.apart |= !self.around.contains(&stretch);
    }
}

/// What is added to a variable, if the expression is the sum of it and another one or a constant.
fn offset(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            let simple = b.as_int().is_some() || b.as_var().is_some();
            (e.dtype.is_index() && a.as_var().is_some() && simple).then_some(&**b)
        }
        _ => None,
    }
}
