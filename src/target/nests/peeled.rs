//! Conditions that hold in the first iterations of a loop only, or in all but these: LLVM writes these iterations out in front of
//! an innermost loop (`computePeelCount` of its LoopPeel), so that nothing is left of the conditions.

use super::registers::condition;
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// The most iterations that are written out (`-unroll-peel-max-count`).
const MOST: i64 = 7;

/// Such conditions of one loop.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstOnes {
    /// Their hashes.
    pub(super) conditions: Vec<u64>,
    /// How many iterations have to be written out for all of them.
    pub(super) iterations: i64,
}

impl FirstOnes {
    /// Looks at a condition in the loop over `var` from `first` on.
    pub(super) fn add(&mut self, cond: &Expr, var: VarId, first: &Expr) {
        if let Some(later) = later(cond, var, first).filter(|later| later.from <= MOST) {
            self.conditions.push(condition(cond));
            self.iterations = self.iterations.max(later.from);
        }
    }
}

/// What a condition is in all iterations but so many first ones.
#[derive(Clone, Copy)]
struct Later {
    holds: bool,
    from: i64,
}

fn later(cond: &Expr, var: VarId, first: &Expr) -> Option<Later> {
    let of = |e: &Expr| later(e, var, first);
    let (op, a, b) = match &cond.kind {
        ExprKind::Not(inner) => return of(inner).map(|later| Later { holds: !later.holds, ..later }),
        ExprKind::Binary(op, a, b) => (*op, a, b),
        _ => return None,
    };
    if let BinOp::And | BinOp::Or = op {
        // One part is enough if it alone decides.
        let decides = op == BinOp::Or;
        return match (of(a), of(b)) {
            (Some(later), _) if later.holds == decides => Some(later),
            (_, Some(later)) if later.holds == decides => Some(later),
            (Some(a), Some(b)) => Some(Later { from: a.from.max(b.from), ..a }),
            _ => None,
        };
    }
    if a.as_var() != Some(var) {
        return None;
    }
    let before = match (b.as_int(), first.as_int()) {
        (Some(b), Some(first)) => b.checked_sub(first)?,
        _ => (**b == *first).then_some(0)?,
    };
    let later = match op {
        BinOp::Eq if before == 0 => Later { holds: false, from: 1 },
        BinOp::Ne if before == 0 => Later { holds: true, from: 1 },
        BinOp::Lt => Later { holds: false, from: before },
        BinOp::Le => Later { holds: false, from: before + 1 },
        BinOp::Ge => Later { holds: true, from: before },
        BinOp::Gt => Later { holds: true, from: before + 1 },
        _ => return None,
    };
    (later.from >= 0).then_some(later)
}
