//! Constants at the ends of their types, and indices that bind what they are made of.

use super::scope::Range;
use super::{BOUND, Generator};
use crate::ir::{BinOp, DType, Expr, ExprKind};

impl Generator<'_> {
    /// A constant at an end of its type, or in the middle of those without a sign, or next to one.
    pub(super) fn extreme(&mut self, dtype: DType) -> Expr {
        let (lo, hi) = dtype.int_range().unwrap_or((0, 1));
        let middle = lo + (hi - lo + 1) / 2;
        let near = self.dice.pick(&[lo, hi, hi, middle]);
        let v = (near + i128::from(self.dice.int(-2, 2))).clamp(lo, hi);
        // Those of uint64 from the middle on are held as negative numbers.
        Expr::int(v as i64, dtype)
    }

    /// An expression compared with, cut at or made of the ends of types: nothing of it overflows.
    pub(super) fn at_the_ends(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let (e, range) = self.integer(dtype, depth - 1);
        if !dtype.is_index() {
            let (a, b) = (self.extreme(dtype), self.extreme(dtype));
            let sum = Expr::binary(self.dice.pick(&[BinOp::Add, BinOp::Sub, BinOp::Mul]), e, a);
            let op = self.dice.pick(&[BinOp::Min, BinOp::Max, BinOp::Add, BinOp::Sub]);
            return (Expr::binary(op, sum, b), range);
        }
        let end = Expr::int(if dtype.bits == 32 { i64::from(i32::MAX) } else { i64::MAX }, dtype);
        let start = Expr::int(if dtype.bits == 32 { i64::from(i32::MIN) } else { i64::MIN }, dtype);
        match self.dice.below(3) {
            0 => (Expr::binary(BinOp::Min, e, end), range),
            1 => (Expr::binary(BinOp::Max, start, e), range),
            _ => {
                let from = self.small_int();
                let (low, high) = (self.extreme(from), self.extreme(from));
                let low = Expr::cast(dtype, Expr::binary(BinOp::Lt, low, high));
                (e + low, range.add(Range { lo: 0, hi: 1 }))
            }
        }
    }

    /// A number at an end of an integer type, as a float.
    pub(super) fn extreme_as_float(&mut self, dtype: DType) -> Expr {
        let from =
            self.dice.pick(&[DType::uint(64), DType::uint(64), DType::uint(32), DType::I64, DType::I32]);
        Expr::cast(dtype, self.extreme(from))
    }
}

/// Whether index arithmetic with a constant near the end of its type is in the expression.
pub(super) fn is_extreme(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(e.kind, ExprKind::Int(v) if e.dtype.is_index() && v.unsigned_abs() > BOUND.unsigned_abs());
    });
    found
}
