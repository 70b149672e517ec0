//! What LLVM knows of the signs of values.

use hashbrown::HashMap;

use crate::arith::Interval;
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// What LLVM knows of the sign of a value.
#[derive(Clone, Copy)]
pub(super) struct Sign {
    /// Whether it sees by the operations that the value is not negative.
    pub seen: bool,
    /// Whether the value is the sum of a constant and something of which that is not seen, bounded by constants or not.
    shifted: bool,
    /// The range that it finds where all is computed in one loop.
    range: Interval,
}

impl Sign {
    pub(super) const UNKNOWN: Sign = Sign { seen: false, shifted: false, range: Interval::ALL };
    pub(super) const NATURAL: Sign = Sign { seen: true, shifted: false, range: Interval::NON_NEGATIVE };

    /// Whether LLVM finds that the value is not negative only where all is computed in one loop.
    pub(super) fn is_hidden(self) -> bool {
        !self.seen && self.range.at_least(0)
    }

    /// That of a value made of two that are not negative.
    pub(super) fn and(self, other: Sign) -> Sign {
        Sign { seen: self.seen && other.seen, shifted: false, range: self.range.min(other.range) }
    }
}

/// The signs of variables.
#[derive(Default)]
pub(super) struct Signs(HashMap<VarId, Sign>);

impl Signs {
    pub(super) fn insert(&mut self, var: VarId, sign: Sign) {
        self.0.insert(var, sign);
    }

    /// The sign of a value.
    pub(super) fn of(&self, e: &Expr) -> Sign {
        match &e.kind {
            _ if !e.dtype.is_index() => Sign::UNKNOWN,
            ExprKind::Int(v) => Sign { seen: *v >= 0, shifted: false, range: Interval::point(*v) },
            ExprKind::Var(var) => self.0.get(var).copied().unwrap_or(Sign::UNKNOWN),
            ExprKind::Ramp(base, _) | ExprKind::Broadcast(base) => self.of(base),
            ExprKind::Binary(op, a, b) => self.of_operation(*op, a, b),
            _ => Sign::UNKNOWN,
        }
    }

    fn of_operation(&self, op: BinOp, left: &Expr, right: &Expr) -> Sign {
        let (a, b) = (self.of(left), self.of(right));
        let mask = right.as_int().is_some_and(|v| v > 0 && v.unsigned_abs().is_power_of_two());
        let divides = mask || right.as_int().is_some_and(|v| v > 0) && a.range.at_least(0);
        let offset = right.as_int().is_some() && !a.seen;
        // Of bounds of a sum with a constant, LLVM takes the constant out.
        let shifted = match (left.as_int(), right.as_int()) {
            (None, Some(_)) => a.shifted,
            (Some(_), None) => b.shifted,
            _ => false,
        };
        // Where the dividend may be negative, TVM corrects what the hardware divides, but for shifts and masks.
        let (seen, shifted, range) = match op {
            BinOp::Add => (a.seen && b.seen, offset, Some(a.range.add(b.range))),
            BinOp::Sub => (false, offset, Some(a.range.sub(b.range))),
            BinOp::Mul => (a.seen && b.seen, false, Some(a.range.mul(b.range))),
            BinOp::Min => (a.seen && b.seen && !shifted, shifted, Some(a.range.min(b.range))),
            BinOp::Max => ((a.seen || b.seen) && !shifted, shifted, Some(a.range.max(b.range))),
            BinOp::FloorDiv if divides => (a.seen, false, a.range.floordiv(b.range)),
            BinOp::FloorMod if divides => (a.seen || mask, false, a.range.floormod(b.range)),
            _ => return Sign::UNKNOWN,
        };
        Sign { seen, shifted, range: range.unwrap_or(Interval::ALL) }
    }
}
