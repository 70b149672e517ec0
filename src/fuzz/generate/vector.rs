//! Vector expressions and accesses.

use super::Generator;
use super::scope::{Array, Range};
use crate::ir::{BinOp, DType, Expr, StmtKind};

impl Generator<'_> {
    /// A store of some lanes, if there is a buffer for one.
    pub(super) fn vector_store(&mut self) -> Option<StmtKind> {
        let lanes = self.dice.pick(&[2, 4]);
        let fits = |a: &&Array| a.writable && !a.dtype.is_bool() && fits(a, lanes);
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(fits).cloned().collect();
        if arrays.is_empty() {
            return None;
        }
        let array = self.dice.pick(&arrays);
        let indices = self.vector_indices(&array, lanes)?;
        let value = self.vector(array.dtype, lanes, 2);
        let value = if array.dtype.is_index() {
            let divisor = self.dice.pick(&[5, 8, 64]);
            Expr::binary(BinOp::FloorMod, value, Expr::broadcast(Expr::int(divisor, array.dtype), lanes))
        } else {
            value
        };
        Some(StmtKind::Store { buffer: array.buffer, indices, value })
    }

    fn vector_indices(&mut self, array: &Array, lanes: u16) -> Option<Vec<Expr>> {
        let (last, rest) = array.shape.split_last()?;
        let mut indices = Vec::with_capacity(array.shape.len());
        for dim in rest {
            indices.push(self.index_of(dim, 2)?);
        }
        let stride = if last.size >= 8 * i64::from(lanes) { self.dice.int(1, 3) } else { 1 };
        let (e, range) =
            if self.dice.chance(20) { self.let_in(self.index, 2) } else { self.integer(self.index, 1) };
        let highest = last.size - 1 - stride * (i64::from(lanes) - 1);
        let base = self.confined(e, range, Range { lo: 0, hi: highest });
        indices.push(Expr::ramp(base, Expr::int(stride, self.index), lanes));
        Some(indices)
    }

    /// A vector of values of a type; of index types, small ones.
    fn vector(&mut self, dtype: DType, lanes: u16, depth: usize) -> Expr {
        self.budget -= 1;
        let wide = dtype.with_lanes(lanes);
        if depth == 0 || self.dice.chance(25) {
            if dtype.is_index() && self.dice.chance(40) {
                let (base, _) = self.atom(dtype);
                return Expr::ramp(base, Expr::int(self.dice.int(-3, 4), dtype), lanes);
            }
            let value = if dtype.is_integral() { self.atom(dtype).0 } else { self.value(dtype, 0) };
            return Expr::broadcast(value, lanes);
        }
        match self.dice.below(6) {
            0 | 1 => {
                let arrays: Vec<Array> = self
                    .scope
                    .arrays
                    .iter()
                    .filter(|a| a.dtype == dtype && fits(a, lanes))
                    .cloned()
                    .collect();
                if arrays.is_empty() {
                    return self.vector(dtype, lanes, 0);
                }
                let array = self.dice.pick(&arrays);
                match self.vector_indices(&array, lanes) {
                    Some(indices) => Expr::load(wide, array.buffer, indices),
                    None => self.vector(dtype, lanes, 0),
                }
            }
            2 => {
                let op = self.dice.pick(&[BinOp::Lt, BinOp::Le, BinOp::Eq]);
                let (x, y) = (self.vector(dtype, lanes, 0), self.vector(dtype, lanes, 0));
                let (a, b) = (self.vector(dtype, lanes, depth - 1), self.vector(dtype, lanes, depth - 1));
                Expr::select(Expr::binary(op, x, y), a, b)
            }
            3 if dtype.is_integral() => {
                let c = Expr::int(self.dice.pick(&[1, 2, 3, 8]), dtype);
                let op = self.dice.pick(&[BinOp::Mul, BinOp::FloorDiv, BinOp::FloorMod]);
                Expr::binary(op, self.vector(dtype, lanes, depth - 1), Expr::broadcast(c, lanes))
            }
            _ => {
                let ops = [BinOp::Add, BinOp::Sub, BinOp::Min, BinOp::Max];
                let op = self.dice.pick(&ops);
                let (a, b) = (self.vector(dtype, lanes, depth - 1), self.vector(dtype, lanes, depth - 1));
                Expr::binary(op, a, b)
            }
        }
    }
}

/// Whether the last dimension has room for vectors of `lanes` lanes.
fn fits(array: &Array, lanes: u16) -> bool {
    array.shape.last().is_some_and(|d| d.size >= i64::from(lanes))
}
