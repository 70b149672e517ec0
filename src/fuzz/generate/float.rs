//! Float expressions. Nothing in them can trap, so there is nothing to keep track of.

use super::Generator;
use super::integer::choice;
use crate::ir::{BinOp, DType, Expr, ExprKind};

impl Generator<'_> {
    /// A scalar float expression.
    pub(super) fn float(&mut self, dtype: DType, depth: usize) -> Expr {
        self.budget -= 1;
        if depth == 0 || self.budget <= 0 {
            return self.float_atom(dtype);
        }
        match self.dice.below(16) {
            0..=6 => {
                let ops =
                    [BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Div, BinOp::Min, BinOp::Max, BinOp::Add];
                let op = self.dice.pick(&ops);
                let (a, b) = (self.float(dtype, depth - 1), self.float(dtype, depth - 1));
                if self.dice.chance(15) {
                    return Expr::binary(op, a.clone(), a);
                }
                if self.dice.chance(10) {
                    // Not the same the other way round, of some operations and for some values.
                    let turned = Expr::binary(op, b.clone(), a.clone());
                    let outer = self.dice.pick(&[BinOp::Sub, BinOp::Div, BinOp::Min, BinOp::Max]);
                    return Expr::binary(outer, Expr::binary(op, a, b), turned);
                }
                Expr::binary(op, a, b)
            }
            7..=10 => self.loaded(dtype, depth - 1).map_or_else(|| self.float_atom(dtype), |(e, _)| e),
            11 => {
                let cond = self.cond(depth - 1);
                let (a, b) = (self.float(dtype, depth - 1), self.float(dtype, depth - 1));
                choice(self.dice.chance(60), cond, a, b)
            }
            12 if self.dice.chance(25) => self.extreme_as_float(dtype),
            12 => {
                let (a, _) = self.integer(self.index, depth - 1);
                Expr::cast(dtype, a)
            }
            13 => {
                let a = self.float(dtype, depth - 1);
                if self.shape.portable {
                    return Expr::call(dtype, "fabs", vec![a]);
                }
                let name = self.dice.pick(&["exp", "sqrt", "fabs", "tanh"]);
                Expr::call(dtype, name, vec![a])
            }
            14 if dtype != DType::F32 => Expr::cast(dtype, self.float(DType::F32, depth - 1)),
            14 => {
                // Where a value is a fraction or nothing, no choice is left out.
                let a = self.float(dtype, depth - 1);
                let zero = Expr::float(self.dice.pick(&[0.0, -0.0, 1.0]), dtype);
                let op = self.dice.pick(&[BinOp::Add, BinOp::Mul, BinOp::Sub, BinOp::Div]);
                Expr::binary(op, a, zero)
            }
            _ => {
                let value = self.float(dtype, depth - 1);
                let var = self.new_var(dtype);
                let mark = self.scope.mark();
                self.scope.define(var, dtype, super::Range::constant(0));
                let body = self.float(dtype, depth - 1);
                self.scope.reset(&mark);
                Expr { dtype, kind: ExprKind::Let(var, Box::new(value), Box::new(body)) }
            }
        }
    }

    fn float_atom(&mut self, dtype: DType) -> Expr {
        let vars: Vec<_> = self.scope.vars.iter().filter(|v| v.dtype == dtype).cloned().collect();
        if !vars.is_empty() && self.dice.chance(60) {
            return Expr::var(self.dice.pick(&vars).var, dtype);
        }
        if self.dice.chance(50)
            && let Some((e, _)) = self.loaded(dtype, 0)
        {
            return e;
        }
        // Buffers hold NaN; a constant NaN is folded by TVMScript in its own way when it is read.
        let values = [0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 3.0, f64::INFINITY, f64::NEG_INFINITY];
        let most = if self.shape.portable { 7 } else { values.len() };
        Expr::float(self.dice.pick(&values[..most]), dtype)
    }
}
