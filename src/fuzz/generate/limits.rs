//! Conditions at the edge of what is defined: operands of `and` and `or` that compiled code evaluates whatever the others
//! say, and comparisons that overflow if they are multiplied out.

use super::Generator;
use super::integer::choice;
use super::scope::Array;
use crate::ir::{BinOp, DType, Expr};

const COMPARISONS: [BinOp; 4] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge];

impl Generator<'_> {
    /// `d >= 0 and A[T.max(d, 0)] > c`, `d > 0 and a // T.max(d, 1) > c` and the like, and the same with `or`: the operand
    /// behind the guard is defined without it, in these words only.
    pub(super) fn clamped(&mut self, depth: usize) -> Expr {
        let dtype = self.index;
        let int = |v: i64| Expr::int(v, dtype);
        let (d, _) = self.integer(dtype, depth.min(1));
        let arrays: Vec<Array> = self
            .scope
            .arrays
            .iter()
            .filter(|a| a.dtype == dtype && a.shape.iter().all(|dim| dim.size > 0))
            .cloned()
            .collect();
        let (guard, value) = if arrays.is_empty() || self.dice.chance(40) {
            let (a, _) = self.integer(dtype, depth.min(1));
            let op = self.dice.pick(&[BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div]);
            let guard = Expr::binary(BinOp::Gt, d.clone(), int(0));
            (guard, Expr::binary(op, a, Expr::binary(BinOp::Max, d, int(1))))
        } else {
            let array = self.dice.pick(&arrays);
            let last = array.shape[0].size - 1;
            let least = Expr::binary(BinOp::Ge, d.clone(), int(0));
            let most = Expr::binary(BinOp::Le, d.clone(), int(last));
            let inside = Expr::binary(BinOp::And, least, most);
            let is_clamped = self.dice.chance(60);
            let clamped = |d: Expr| Expr::binary(BinOp::Min, Expr::binary(BinOp::Max, d, int(0)), int(last));
            let index = if is_clamped { clamped(d) } else { d };
            let others = array.shape[1..].iter().map(|dim| Expr::int(self.dice.int(0, dim.size - 1), dtype));
            let indices = std::iter::once(index).chain(others).collect();
            let load = Expr::load(dtype, array.buffer, indices);
            let load = if is_clamped { load } else { choice(true, inside.clone(), load, int(0)) };
            (inside, load)
        };
        let compare = self.dice.pick(&COMPARISONS);
        let tested = Expr::binary(compare, value, int(self.dice.int(-3, 5)));
        if self.dice.chance(60) {
            Expr::binary(BinOp::And, guard, tested)
        } else {
            Expr::binary(BinOp::Or, Expr::not(guard), tested)
        }
    }

    /// `x // c < y`, where to multiply by `c` may overflow.
    pub(super) fn quotient_against(&mut self, depth: usize) -> Expr {
        let dtype = if self.dice.chance(80) { self.index } else { DType::I64 };
        let ((x, _), (y, _)) = (self.integer(dtype, depth.min(1)), self.integer(dtype, depth.min(1)));
        let divisor = if self.dice.chance(60) {
            Expr::int(self.dice.pick(&[1000, 46_341, 65_536, 100_000, -8, -1000, i64::from(i32::MAX)]), dtype)
        } else {
            let (d, _) = self.atom(dtype);
            Expr::binary(BinOp::Max, d, Expr::int(1, dtype))
        };
        let op = self.dice.pick(&[BinOp::FloorDiv, BinOp::FloorDiv, BinOp::Div]);
        let compare = self.dice.pick(&COMPARISONS);
        Expr::binary(compare, Expr::binary(op, x, divisor), y)
    }
}
