//! Conditions that hold in the first iterations of a loop only, or in all but these: LLVM writes these iterations out in front of
//! an innermost loop (`computePeelCount` of its LoopPeel), so that nothing is left of the conditions.

use super::registers::condition;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// The most iterations that are written out (`-unroll-peel-max-count`).
const MOST: i64 = 7;

/// Such conditions of one loop.
#[derive(Clone, Debug, Default)]
pub(super) struct FirstOnes {
    conditions: Vec<Decided>,
}

/// A condition that does not vary from some iteration on.
#[derive(Clone, Copy, Debug)]
struct Decided {
    /// Its hash.
    condition: u64,
    /// How many iterations are in front of that one.
    from: i64,
    /// Whether that one is the last iteration.
    is_last: bool,
}

impl FirstOnes {
    /// Looks at a condition in the loop over `var`, of `trips` iterations from `first` on.
    pub(super) fn add(&mut self, cond: &Expr, var: VarId, (first, trips): (&Expr, Option<i64>)) {
        if let Some(later) = later(cond, var, first) {
            let is_last = trips.is_some_and(|trips| later.from == trips - 1);
            self.conditions.push(Decided { condition: condition(cond), from: later.from, is_last });
        }
    }

    /// How many first iterations are written out where there is room for so many, and the hashes of the conditions of which nothing
    /// is left then. If it is none, it may be the last one, which takes room for one (`PeelLast`).
    pub(super) fn written_out(&self, room: i64) -> (i64, Vec<u64>) {
        let most = room.min(MOST);
        let first = self.conditions.iter().map(|decided| decided.from).filter(|&from| from <= most).max();
        let first = first.unwrap_or(0);
        let peels_last = first == 0 && room > 0;
        let is_gone = |decided: &&Decided| decided.from <= first || peels_last && decided.is_last;
        (first, self.conditions.iter().filter(is_gone).map(|decided| decided.condition).collect())
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
        return compared(cond, var, first.as_int()?);
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

/// The same for a comparison of what nothing but the loop changes, iteration by iteration.
fn compared(cond: &Expr, var: VarId, first: i64) -> Option<Later> {
    /// An iteration that is late enough.
    const LATE: i64 = 1_000;
    let holds = |at: i64| {
        let at = Value::Int(first.checked_add(at)?);
        let value = evaluate(cond, &|v| (v == var).then_some(at))?;
        Some(value.as_int()? != 0)
    };
    let late = holds(LATE)?;
    let from = (0..=MOST).find(|&at| (at..=MOST).all(|at| holds(at) == Some(late)))?;
    Some(Later { holds: late, from })
}
