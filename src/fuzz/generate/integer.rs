//! Integer expressions, each with the range of its values.

use super::scope::{Array, Dim, Range, Written};
use super::{BOUND, Generator};
use crate::ir::{BinOp, DType, Expr, ExprKind};

/// Expressions of at most this many nodes are remembered, to be written again.
const REMEMBERED: usize = 24;

impl Generator<'_> {
    /// A scalar integer expression and the range of its values (of types that wrap, that of the type).
    pub(super) fn integer(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        self.budget -= 1;
        if depth > 0
            && self.dice.chance(30)
            && let Some(again) = self.again(dtype)
        {
            return again;
        }
        let (e, range) = if depth == 0 || self.budget <= 0 || self.dice.chance(15) {
            self.atom(dtype)
        } else {
            self.compound(dtype, depth)
        };
        let range = if dtype.is_index() { range } else { Range::of_type(dtype) };
        if dtype.is_index() && range.magnitude() > BOUND {
            let divisor = self.dice.pick(&[7, 8, 10, 16, 37, 64]);
            return (e.floormod(divisor), Range { lo: 0, hi: divisor - 1 });
        }
        if size(&e) <= REMEMBERED {
            self.scope.written.push(Written { expr: e.clone(), range });
        }
        (e, range)
    }

    /// Something that stands somewhere already, in the same words or in others.
    fn again(&mut self, dtype: DType) -> Option<(Expr, Range)> {
        let alike: Vec<usize> = (0..self.scope.written.len())
            .rev()
            .filter(|&k| self.scope.written[k].expr.dtype == dtype)
            .take(12)
            .collect();
        if alike.is_empty() {
            return None;
        }
        let k = self.dice.pick(&alike);
        let Written { expr, range } = self.scope.written[k].clone();
        self.budget -= size(&expr) as i64 / 2;
        let expr = if self.dice.chance(60) { self.respell(expr) } else { expr };
        Some((expr, range))
    }

    pub(super) fn atom(&mut self, dtype: DType) -> (Expr, Range) {
        let vars: Vec<_> = self.scope.vars.iter().filter(|v| v.dtype == dtype).cloned().collect();
        if !vars.is_empty() && self.dice.chance(75) {
            let known = self.dice.pick(&vars);
            return (Expr::var(known.var, dtype), known.range);
        }
        let others: Vec<_> = self
            .scope
            .vars
            .iter()
            .filter(|v| v.dtype != dtype && v.dtype.is_integral() && v.dtype.is_scalar())
            .cloned()
            .collect();
        if !others.is_empty() && self.dice.chance(30) {
            let known = self.dice.pick(&others);
            let small = known.range.magnitude() <= BOUND;
            if !dtype.is_index() || small {
                return (Expr::cast(dtype, Expr::var(known.var, known.dtype)), known.range);
            }
        }
        let v = self.constant(dtype);
        (Expr::int(v, dtype), Range::constant(v))
    }

    /// Small constants, and of types that wrap also the ends of the range.
    pub(super) fn constant(&mut self, dtype: DType) -> i64 {
        let range = Range::of_type(dtype);
        let v = match self.dice.below(8) {
            0..=4 => self.dice.pick(&[0, 1, 2, 3, 4, 5, 7, 8]),
            5 => self.dice.pick(&[-1, -2, -3, -7, -8]),
            6 => self.dice.pick(&[10, 15, 16, 31, 32, 33, 64, 100, 127]),
            _ if dtype.is_index() => self.dice.int(-20, 20),
            _ => return self.extreme(dtype).as_int().unwrap_or(0),
        };
        v.clamp(range.lo, range.hi)
    }

    fn compound(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let wraps = !dtype.is_index();
        match self.dice.below(27) {
            0..=5 => {
                let ((a, x), (b, y)) = (self.integer(dtype, depth - 1), self.integer(dtype, depth - 1));
                (a + b, x.add(y))
            }
            6..=7 => {
                let ((a, x), (b, y)) = (self.integer(dtype, depth - 1), self.integer(dtype, depth - 1));
                (a - b, x.sub(y))
            }
            8..=10 => self.product(dtype, depth),
            11..=14 => self.division(dtype, depth),
            15..=16 => {
                let ((a, x), (b, y)) = (self.integer(dtype, depth - 1), self.integer(dtype, depth - 1));
                if self.dice.chance(50) {
                    (Expr::binary(BinOp::Min, a, b), Range { lo: x.lo.min(y.lo), hi: x.hi.min(y.hi) })
                } else {
                    (Expr::binary(BinOp::Max, a, b), Range { lo: x.lo.max(y.lo), hi: x.hi.max(y.hi) })
                }
            }
            17..=19 => self.loaded(dtype, depth).unwrap_or_else(|| self.atom(dtype)),
            20..=21 => {
                let cond = self.cond(depth - 1);
                let ((a, x), (b, y)) = (self.integer(dtype, depth - 1), self.integer(dtype, depth - 1));
                let lazy = self.dice.chance(60);
                (choice(lazy, cond, a, b), x.union(y))
            }
            22 => self.guarded_division(dtype, depth),
            23 => self.let_in(dtype, depth),
            24 => self.bits(dtype, depth),
            25 => self.at_the_ends(dtype, depth),
            _ if wraps || self.dice.chance(50) => self.cast_from(dtype, depth),
            _ if self.shape.portable => self.atom(dtype),
            _ => {
                let (a, _) = self.integer(dtype, depth - 1);
                let name = Expr { dtype: DType::HANDLE, kind: ExprKind::Str("pure".into()) };
                (Expr::call(dtype, "call_pure_extern", vec![name, a]), Range { lo: 0, hi: 7 })
            }
        }
    }

    /// A product; of index types one factor is small.
    fn product(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let (a, x) = self.integer(dtype, depth - 1);
        if self.dice.chance(60) {
            let c = self.dice.pick(&[2, 3, 4, 8, 16, 64, 100]);
            return (a * c, x.mul(Range::constant(c)));
        }
        let (b, y) = self.integer(dtype, depth - 1);
        let range = x.mul(y);
        if dtype.is_index() && range.magnitude() > BOUND { (a, x) } else { (a * b, range) }
    }

    /// A quotient or remainder whose divisor is a constant or known not to be 0.
    fn division(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let (a, x) = self.integer(dtype, depth - 1);
        let ops =
            [BinOp::FloorDiv, BinOp::FloorMod, BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div, BinOp::Mod];
        let op = self.dice.pick(&ops);
        let known: Vec<Expr> = self.scope.nonzero.iter().filter(|e| e.dtype == dtype).cloned().collect();
        if !known.is_empty() && self.dice.chance(40) {
            let divisor = self.dice.pick(&known);
            let divisor = if self.dice.chance(30) { self.respell(divisor) } else { divisor };
            return (Expr::binary(op, a, divisor), x.quotient().union(Range { lo: -1001, hi: 1001 }));
        }
        let c = self.dice.pick(&[1, 2, 3, 4, 5, 7, 8, 16, 10, 64]);
        let range = match op {
            BinOp::FloorMod => Range { lo: 0, hi: c - 1 },
            BinOp::Mod => Range { lo: 1 - c, hi: c - 1 },
            _ => x.quotient(),
        };
        (Expr::binary(op, a, Expr::int(c, dtype)), range)
    }

    /// `T.if_then_else(b != 0, a // b, c)`: the division must stay behind its guard.
    fn guarded_division(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let ((a, x), (b, y)) = (self.integer(dtype, depth - 1), self.integer(dtype, depth.min(2) - 1));
        let (otherwise, z) = self.atom(dtype);
        let op = self.dice.pick(&[BinOp::FloorDiv, BinOp::FloorMod, BinOp::Div, BinOp::Mod]);
        let zero = Expr::int(0, dtype);
        let guard = self.not_zero(&b);
        let divided = Expr::binary(op, a.clone(), b.clone());
        let range = x.quotient().union(y.quotient()).union(z);
        // The same division outside of the guard, where the divisor is made not to be 0.
        if self.dice.chance(20) {
            let safe = choice(false, Expr::binary(BinOp::Eq, b.clone(), zero), Expr::int(1, dtype), b);
            return (Expr::binary(op, a, safe), range);
        }
        (choice(true, guard, divided, otherwise), range)
    }

    /// A condition under which `e` is not 0.
    pub(super) fn not_zero(&mut self, e: &Expr) -> Expr {
        let zero = Expr::int(0, e.dtype);
        let op = self.dice.pick(&[BinOp::Ne, BinOp::Gt, BinOp::Ne]);
        match self.dice.below(4) {
            0 => Expr::binary(BinOp::Lt, zero, e.clone()),
            1 if e.dtype.is_index() => Expr::binary(BinOp::Ge, e.clone(), Expr::int(1, e.dtype)),
            2 => Expr::not(Expr::binary(BinOp::Eq, e.clone(), zero)),
            _ => Expr::binary(op, e.clone(), zero),
        }
    }

    /// `T.Let(body, where={variable: value})`
    pub(super) fn let_in(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let (value, x) = self.integer(dtype, depth - 1);
        let var = self.new_var(dtype);
        let mark = self.scope.mark();
        self.scope.define(var, dtype, x);
        let (body, range) = self.integer(dtype, depth - 1);
        self.scope.reset(&mark);
        (Expr { dtype, kind: ExprKind::Let(var, Box::new(value), Box::new(body)) }, range)
    }

    /// Shifts by constants and bitwise operations.
    fn bits(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        let (a, x) = self.integer(dtype, depth - 1);
        match self.dice.below(5) {
            0 => {
                let by = self.dice.int(0, 4);
                let range = x.mul(Range::constant(1 << by));
                (Expr::call(dtype, "shift_left", vec![a, Expr::int(by, dtype)]), range)
            }
            1 => {
                let by = self.dice.int(0, 6);
                (Expr::call(dtype, "shift_right", vec![a, Expr::int(by, dtype)]), x.quotient())
            }
            k => {
                let (b, y) = self.integer(dtype, depth - 1);
                let name = ["bitwise_and", "bitwise_or", "bitwise_xor"][k - 2];
                let most = x.magnitude().max(y.magnitude()).min(BOUND) as u64;
                let bound = (most + 1).next_power_of_two() as i64;
                (Expr::call(dtype, name, vec![a, b]), Range { lo: -bound, hi: bound })
            }
        }
    }

    /// A conversion from another integer type or from `bool`.
    fn cast_from(&mut self, dtype: DType, depth: usize) -> (Expr, Range) {
        if self.dice.chance(25) {
            return (Expr::cast(dtype, self.cond(depth - 1)), Range { lo: 0, hi: 1 });
        }
        let types = [DType::I32, DType::I64, DType::int(8), DType::uint(8), DType::int(16)];
        let from = self.dice.pick(&types);
        let (a, range) = self.integer(from, depth - 1);
        (Expr::cast(dtype, a), range)
    }

    /// A load of this type.
    pub(super) fn loaded(&mut self, dtype: DType, depth: usize) -> Option<(Expr, Range)> {
        let arrays: Vec<Array> = self.scope.arrays.iter().filter(|a| a.dtype == dtype).cloned().collect();
        if arrays.is_empty() {
            return None;
        }
        let array = self.dice.pick(&arrays);
        if let Some(indices) = self.indices(&array, depth) {
            return Some((Expr::load(dtype, array.buffer, indices), array.values));
        }
        // No index is known to be in range: check it where it stands.
        let mut guard: Option<Expr> = None;
        let mut indices = Vec::new();
        for dim in &array.shape {
            let (e, _) = self.integer(dim.extent.dtype, depth.min(1));
            let low = Expr::binary(BinOp::Le, Expr::int(0, e.dtype), e.clone());
            let high = Expr::binary(BinOp::Lt, e.clone(), dim.extent.clone());
            let both = Expr::binary(BinOp::And, low, high);
            guard = Some(match guard {
                None => both,
                Some(before) => Expr::binary(BinOp::And, before, both),
            });
            indices.push(e);
        }
        let (otherwise, range) =
            if dtype.is_integral() { self.atom(dtype) } else { (self.value(dtype, 0), Range::constant(0)) };
        let load = Expr::load(dtype, array.buffer, indices);
        Some((choice(true, guard?, load, otherwise), array.values.union(range)))
    }

    /// Indices in range of a buffer, if there are any that are known to be.
    pub(super) fn indices(&mut self, array: &Array, depth: usize) -> Option<Vec<Expr>> {
        let used: Vec<Vec<Expr>> =
            self.scope.indices.iter().filter(|(b, _)| *b == array.buffer).map(|(_, i)| i.clone()).collect();
        if !used.is_empty() && self.dice.chance(45) {
            let indices = self.dice.pick(&used);
            let again = indices.into_iter().map(|i| if self.dice.chance(50) { self.respell(i) } else { i });
            return Some(again.collect());
        }
        let mut indices = Vec::with_capacity(array.shape.len());
        for dim in &array.shape {
            indices.push(self.index_of(dim, depth)?);
        }
        if indices.iter().map(size).sum::<usize>() <= 2 * REMEMBERED {
            self.scope.indices.push((array.buffer, indices.clone()));
        }
        Some(indices)
    }

    /// An expression in range of a dimension, if one is known.
    pub(super) fn index_of(&mut self, dim: &Dim, depth: usize) -> Option<Expr> {
        if dim.size > 0 {
            let dtype = if self.dice.chance(95) { self.index } else { DType::I64 };
            let (e, range) = self.integer(dtype, depth.clamp(1, 3) - 1);
            return Some(self.confined(e, range, Range { lo: 0, hi: dim.size - 1 }));
        }
        let known: Vec<Expr> =
            self.scope.bounded.iter().filter(|(_, n)| *n == dim.extent).map(|(e, _)| e.clone()).collect();
        if known.is_empty() {
            return None;
        }
        let e = self.dice.pick(&known);
        Some(match self.dice.below(4) {
            0 => dim.extent.clone() - 1 - e,
            1 => self.respell(e),
            _ => e,
        })
    }

    /// An expression with values in `wanted`, made of one with values in `range`.
    pub(super) fn confined(&mut self, e: Expr, range: Range, wanted: Range) -> Expr {
        let dtype = e.dtype;
        if range.within(wanted) {
            return e;
        }
        let constant = |v: i64| Expr::int(v, dtype);
        if wanted.lo == 0 && self.dice.chance(60) || wanted.lo < 0 && self.dice.chance(50) {
            return e.floormod(wanted.hi + 1);
        }
        let (low, high) = (constant(wanted.lo), constant(wanted.hi));
        match self.dice.below(3) {
            0 => {
                let in_range = Expr::binary(
                    BinOp::And,
                    Expr::binary(BinOp::Le, low.clone(), e.clone()),
                    Expr::binary(BinOp::Le, e.clone(), high),
                );
                choice(true, in_range, e, low)
            }
            1 => Expr::binary(BinOp::Max, Expr::binary(BinOp::Min, e, high), low),
            _ => Expr::binary(BinOp::Min, Expr::binary(BinOp::Max, low, e), high),
        }
    }
}

/// `T.if_then_else` or `T.Select`.
pub(super) fn choice(lazy: bool, cond: Expr, a: Expr, b: Expr) -> Expr {
    if lazy { Expr::call(a.dtype, "if_then_else", vec![cond, a, b]) } else { Expr::select(cond, a, b) }
}

/// The number of nodes.
pub(super) fn size(e: &Expr) -> usize {
    let mut n = 0;
    e.walk(&mut |_| n += 1);
    n
}
