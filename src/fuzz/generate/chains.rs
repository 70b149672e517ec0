//! Chains of bindings that depend on each other: `x1 = (x0 + y0) // 3`, `y1 = (x1 * 3 + y0) % 5`, and so on. Written out each
//! link holds the one before several times, so a search that looks through bindings meets terms that double with every link.

use super::Generator;
use super::scope::Range;
use crate::ir::{BinOp, Block, DType, Expr, Stmt, StmtKind};

/// The most links of a chain.
const MAX_LINKS: i64 = 6;

/// The values of all links stay below this.
const BOUND: i64 = 1 << 12;

impl Generator<'_> {
    /// Two coupled chains; what is behind them may use all of their variables.
    pub(super) fn chain(&mut self, out: &mut Block) {
        let dtype = self.index;
        let (x, _) = self.integer(dtype, 1);
        let (y, _) = self.integer(dtype, 1);
        let [mut x, mut y] = [self.link(x, out), self.link(y, out)];
        for _ in 0..self.dice.int(2, MAX_LINKS) {
            let [first, second] = [self.next(&x, &y), self.next(&y, &x)];
            x = self.link(first, out);
            y = self.link(second, out);
        }
    }

    /// A value made of both chains.
    fn next(&mut self, x: &Expr, y: &Expr) -> Expr {
        let dtype = x.dtype;
        let int = |v: i64| Expr::int(v, dtype);
        let (x, y) = (x.clone(), y.clone());
        let c = self.dice.int(2, 9);
        match self.dice.below(5) {
            0 => Expr::binary(BinOp::FloorDiv, Expr::binary(BinOp::Add, x, y), int(c)),
            1 => {
                let product = Expr::binary(BinOp::Mul, x, int(3));
                Expr::binary(BinOp::FloorMod, Expr::binary(BinOp::Add, product, y), int(c))
            }
            2 => {
                let rest = Expr::binary(BinOp::FloorMod, x.clone(), int(c));
                Expr::binary(BinOp::Max, rest, Expr::binary(BinOp::Sub, y, x))
            }
            3 => {
                let other = if dtype == DType::I32 { DType::I64 } else { DType::I32 };
                let sum = Expr::cast(other, Expr::binary(BinOp::Add, x, y));
                Expr::cast(dtype, Expr::binary(BinOp::Mod, sum, Expr::int(c, other)))
            }
            _ => Expr::binary(BinOp::Add, x, y),
        }
    }

    /// A variable for a value, which is brought into its bounds.
    fn link(&mut self, value: Expr, out: &mut Block) -> Expr {
        let dtype = value.dtype;
        let value = Expr::binary(BinOp::Mod, value, Expr::int(BOUND, dtype));
        let var = self.new_var(dtype);
        self.scope.define(var, dtype, Range { lo: 1 - BOUND, hi: BOUND - 1 });
        out.push(Stmt::new(StmtKind::Bind { var, value }));
        Expr::var(var, dtype)
    }
}
