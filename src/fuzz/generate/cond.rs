//! Conditions.

use super::Generator;
use super::integer::size;
use super::scope::{Range, Written};
use crate::ir::{BinOp, DType, Expr};

const COMPARISONS: [BinOp; 6] = [BinOp::Eq, BinOp::Ne, BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge];

impl Generator<'_> {
    /// A scalar condition.
    pub(super) fn cond(&mut self, depth: usize) -> Expr {
        self.budget -= 1;
        let written: Vec<Expr> = self
            .scope
            .written
            .iter()
            .filter(|w| w.expr.dtype == DType::BOOL)
            .map(|w| w.expr.clone())
            .collect();
        if !written.is_empty() && self.dice.chance(30) {
            let e = self.dice.pick(&written);
            return if self.dice.chance(50) { self.respell(e) } else { e };
        }
        let e = if depth == 0 || self.budget <= 0 { self.comparison(0) } else { self.condition(depth) };
        if size(&e) <= 16 {
            self.scope.written.push(Written { expr: e.clone(), range: Range { lo: 0, hi: 1 } });
        }
        e
    }

    fn condition(&mut self, depth: usize) -> Expr {
        match self.dice.below(14) {
            0..=5 => self.comparison(depth - 1),
            6 | 7 => {
                let op = self.dice.pick(&[BinOp::And, BinOp::Or]);
                let (a, b) = (self.cond(depth - 1), self.cond(depth - 1));
                Expr::binary(op, a, b)
            }
            8 => Expr::not(self.cond(depth - 1)),
            9 => self.guarded(depth),
            12 => self.clamped(depth - 1),
            13 => self.quotient_against(depth - 1),
            10 => match self.loaded(DType::BOOL, depth - 1) {
                Some((e, _)) => e,
                None => self.comparison(depth - 1),
            },
            _ => {
                let flags: Vec<_> =
                    self.scope.vars.iter().filter(|v| v.dtype == DType::BOOL).cloned().collect();
                if flags.is_empty() {
                    Expr::bool(self.dice.chance(50))
                } else {
                    Expr::var(self.dice.pick(&flags).var, DType::BOOL)
                }
            }
        }
    }

    fn comparison(&mut self, depth: usize) -> Expr {
        let op = self.dice.pick(&COMPARISONS);
        if depth > 0 && self.dice.chance(15) {
            let (a, b) = (self.float(DType::F32, depth - 1), self.float(DType::F32, depth - 1));
            return Expr::binary(op, a, b);
        }
        let dtype = if self.dice.chance(85) { self.index } else { self.small_int() };
        let (a, x) = self.integer(dtype, depth);
        let b = if self.dice.chance(6) {
            self.extreme(dtype)
        } else if self.dice.chance(60) {
            // A constant near the values that there are.
            let v = if dtype.is_index() && x.magnitude() < 100 {
                self.dice.int(x.lo - 1, x.hi + 1)
            } else {
                self.constant(dtype)
            };
            Expr::int(v, dtype)
        } else {
            self.integer(dtype, depth).0
        };
        Expr::binary(op, a, b)
    }

    /// `b != 0 and a // b < c`, or `b == 0 or a % b < c`.
    fn guarded(&mut self, depth: usize) -> Expr {
        let dtype = self.index;
        let ((a, _), (b, _)) = (self.integer(dtype, depth - 1), self.atom(dtype));
        let op = self.dice.pick(&[BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div]);
        let compare = self.dice.pick(&COMPARISONS);
        let c = Expr::int(self.dice.int(-2, 5), dtype);
        let divided = Expr::binary(compare, Expr::binary(op, a, b.clone()), c);
        if self.dice.chance(50) {
            let guard = self.not_zero(&b);
            Expr::binary(BinOp::And, guard, divided)
        } else {
            let zero = Expr::binary(BinOp::Eq, b, Expr::int(0, dtype));
            Expr::binary(BinOp::Or, zero, divided)
        }
    }
}
