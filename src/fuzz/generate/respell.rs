//! The same value in other words.

use super::Generator;
use super::extreme::is_extreme;
use crate::ir::{BinOp, Expr, ExprKind};

impl Generator<'_> {
    /// An expression that has the value of `e` wherever `e` is defined, and can trap only where `e` can.
    pub(super) fn respell(&mut self, e: Expr) -> Expr {
        let rounds = self.dice.int(1, 3);
        (0..rounds).fold(e, |e, _| self.respell_somewhere(e, 4))
    }

    fn respell_somewhere(&mut self, mut e: Expr, depth: usize) -> Expr {
        let descends = match &e.kind {
            ExprKind::Binary(..) | ExprKind::Not(_) | ExprKind::Select(..) | ExprKind::Load { .. } => true,
            ExprKind::Call(_) => e.as_intrin().is_some_and(|(name, _)| name == "if_then_else"),
            _ => false,
        };
        if descends && depth > 0 && self.dice.chance(60) {
            let mut count = 0;
            e.for_each_child(|_| count += 1);
            let chosen = self.dice.below(count.max(1));
            let mut k = 0;
            e.for_each_child_mut(|child| {
                if k == chosen {
                    let taken = std::mem::replace(child, Expr::bool(true));
                    *child = self.respell_somewhere(taken, depth - 1);
                }
                k += 1;
            });
            return e;
        }
        // Other words for the end of a type may not fit it.
        if !e.dtype.is_scalar() || is_extreme(&e) {
            return e;
        }
        if e.dtype.is_bool() {
            return self.respell_condition(e);
        }
        if e.dtype.is_integral() { self.respell_integer(e) } else { e }
    }

    fn respell_integer(&mut self, e: Expr) -> Expr {
        let dtype = e.dtype;
        if self.dice.chance(60) {
            match e.kind {
                ExprKind::Binary(op @ (BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max), a, b) => {
                    return self.respell_commutative(op, *a, *b);
                }
                ExprKind::Binary(BinOp::Sub, a, b) => {
                    return if dtype.is_uint() { *a - *b } else { *a + *b * -1 };
                }
                ExprKind::Binary(BinOp::FloorMod, a, b) if dtype.is_index() => {
                    return (*a).clone() - (*a).floordiv((*b).clone()) * *b;
                }
                ExprKind::Int(v) if dtype.is_index() => {
                    let part = self.dice.int(-5, 5);
                    return Expr::int(v - part, dtype) + part;
                }
                kind => return Expr { dtype, kind },
            }
        }
        match self.dice.below(6) {
            0 => e + 0,
            1 => e * 1,
            2 => {
                let c = self.dice.pick(&[2, 3, 4, 8]);
                e.clone().floordiv(c) * c + e.floormod(c)
            }
            3 => {
                let (x, _) = self.atom(dtype);
                e + x.clone() - x
            }
            4 => Expr::select(self.comparison_of_atoms(), e.clone(), e),
            _ => Expr::binary(BinOp::Max, e.clone(), e),
        }
    }

    fn comparison_of_atoms(&mut self) -> Expr {
        let ((a, _), (b, _)) = (self.atom(self.index), self.atom(self.index));
        Expr::binary(BinOp::Lt, a, b)
    }

    fn respell_commutative(&mut self, op: BinOp, a: Expr, b: Expr) -> Expr {
        match (op, &a.kind, &b.kind) {
            (BinOp::Mul, ExprKind::Binary(inner @ (BinOp::Add | BinOp::Sub), x, y), _)
                if self.dice.chance(60) =>
            {
                let (x, y) = ((**x).clone(), (**y).clone());
                Expr::binary(*inner, x * b.clone(), y * b)
            }
            (BinOp::Mul, _, ExprKind::Int(2)) if self.dice.chance(50) => a.clone() + a,
            (_, ExprKind::Binary(inner, x, y), _) if *inner == op && self.dice.chance(50) => {
                Expr::binary(op, (**x).clone(), Expr::binary(op, (**y).clone(), b))
            }
            (_, _, ExprKind::Binary(inner, x, y)) if *inner == op && self.dice.chance(50) => {
                Expr::binary(op, Expr::binary(op, a, (**x).clone()), (**y).clone())
            }
            _ => Expr::binary(op, b, a),
        }
    }

    fn respell_condition(&mut self, e: Expr) -> Expr {
        let dtype = e.dtype;
        match e.kind {
            ExprKind::Binary(op, a, b) if op.is_compare() && a.dtype.is_integral() => {
                let (swapped, negated) = match op {
                    BinOp::Lt => (BinOp::Gt, BinOp::Ge),
                    BinOp::Le => (BinOp::Ge, BinOp::Gt),
                    BinOp::Gt => (BinOp::Lt, BinOp::Le),
                    BinOp::Ge => (BinOp::Le, BinOp::Lt),
                    BinOp::Eq => (BinOp::Eq, BinOp::Ne),
                    _ => (BinOp::Ne, BinOp::Eq),
                };
                match self.dice.below(4) {
                    0 => Expr::binary(swapped, *b, *a),
                    1 => Expr::not(Expr::binary(negated, *a, *b)),
                    2 if a.dtype.is_index() && op == BinOp::Lt => Expr::binary(BinOp::Le, *a + 1, *b),
                    3 if a.dtype.is_index() => {
                        let zero = Expr::int(0, a.dtype);
                        Expr::binary(op, *a - *b, zero)
                    }
                    _ => Expr::binary(op, *a, *b),
                }
            }
            kind => {
                let e = Expr { dtype, kind };
                if self.dice.chance(50) { Expr::not(Expr::not(e)) } else { e }
            }
        }
    }
}
