//! What stays as it is: loads of volatile memory, and divisors that are zero where they stand.

use super::Generator;
use super::scope::Array;
use crate::ir::{AttrNode, AttrValue, BinOp, Block, DType, Expr, ExprKind, Stmt, StmtKind};

impl Generator<'_> {
    /// Statements in which the memory of a buffer is volatile. Not where they may turn out to be dead: without them the
    /// memory is no longer volatile elsewhere either.
    pub(super) fn volatile(&mut self, out: &mut Block) {
        if self.depth > 0 {
            return self.store(out);
        }
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(|a| a.writable).cloned().collect();
        let data = ExprKind::BufferData(self.dice.pick(&arrays).buffer);
        let node = AttrNode::Value(AttrValue::Expr(Box::new(Expr { dtype: DType::HANDLE, kind: data })));
        let body = self.block();
        out.push(Stmt::new(StmtKind::Attr {
            node,
            key: "volatile_scope".into(),
            value: Expr::int(1, DType::I32),
            body,
        }));
    }

    /// `if x * 2 == y * 2: B[i] = k // (x - y)` and the like: where the condition holds, the program ends there.
    pub(super) fn zero_divisor(&mut self, out: &mut Block) {
        let arrays: Vec<Array> =
            self.scope.arrays.iter().filter(|a| a.writable && a.dtype == self.index).cloned().collect();
        let ((x, _), (y, _), (k, _)) = (self.atom(self.index), self.atom(self.index), self.atom(self.index));
        // In loops it would end on hardly any input less than on all.
        if arrays.is_empty() || x == y || self.depth > 1 {
            return self.store(out);
        }
        let array = self.dice.pick(&arrays);
        let Some(indices) = self.plain_indices(&array) else { return self.store(out) };
        let factor = self.dice.int(1, 3);
        let cond = Expr::binary(BinOp::Eq, x.clone() * factor, y.clone() * factor);
        let op = self.dice.pick(&[BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div]);
        let value = Expr::binary(op, k, x - y).floormod(997);
        let then = vec![Stmt::new(StmtKind::Store { buffer: array.buffer, indices, value })];
        out.push(Stmt::guarded(cond, then));
    }
}
