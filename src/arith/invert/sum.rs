//! Sums of products over atoms, the normal form in which index maps are solved.
//!
//! An atom is an expression that is no sum or product: a variable, a quotient, anything else. `P % q` is
//! `P - q * (P // q)`, so quotients are the only atoms that division leaves. What is made of a sum is a candidate that
//! is proven afterwards, so nothing here has to hold for all values: a divisor is taken not to be zero.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::ir::{BinOp, DType, Expr, ExprKind};

/// An atom, by its number.
pub(super) type Atom = u32;

/// A product of atoms, sorted; empty for 1.
pub(super) type Product = SmallVec<[Atom; 4]>;

/// The most terms of a sum.
const MAX_TERMS: usize = 48;

/// The highest degree of a product.
const MAX_DEGREE: usize = 6;

/// `sum of coefficient * product`; no coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum(BTreeMap<Product, i64>);

impl Sum {
    /// The constant `c`.
    pub(super) fn constant(c: i64) -> Sum {
        Sum::term(Product::new(), c)
    }

    /// One atom.
    pub(super) fn atom(atom: Atom) -> Sum {
        Sum::term(Product::from_slice(&[atom]), 1)
    }

    /// `c * product`.
    pub(super) fn term(product: Product, c: i64) -> Sum {
        Sum(if c == 0 { BTreeMap::new() } else { BTreeMap::from([(product, c)]) })
    }

    /// The terms, in order of their products.
    pub(super) fn terms(&self) -> impl Iterator<Item = (&Product, i64)> {
        self.0.iter().map(|(product, &c)| (product, c))
    }

    /// The value, if it is a constant.
    pub(super) fn as_constant(&self) -> Option<i64> {
        let mut terms = self.terms();
        match (terms.next(), terms.next()) {
            (None, _) => Some(0),
            (Some((product, c)), None) if product.is_empty() => Some(c),
            _ => None,
        }
    }

    /// `self + k * other`; `None` if a number leaves 64 bits or the sum gets too long.
    pub(super) fn plus(&self, other: &Sum, k: i64) -> Option<Sum> {
        let mut sum = self.0.clone();
        for (product, c) in other.terms() {
            let c = c.checked_mul(k)?.checked_add(sum.get(product).copied().unwrap_or(0))?;
            if c == 0 {
                sum.remove(product);
            } else {
                sum.insert(product.clone(), c);
            }
        }
        (sum.len() <= MAX_TERMS).then_some(Sum(sum))
    }

    /// The product of two sums.
    pub(super) fn times(&self, other: &Sum) -> Option<Sum> {
        let mut sum = Sum::default();
        for (a, c) in self.terms() {
            for (b, d) in other.terms() {
                let mut product = a.clone();
                product.extend_from_slice(b);
                product.sort_unstable();
                if product.len() > MAX_DEGREE {
                    return None;
                }
                sum = sum.plus(&Sum::term(product, c.checked_mul(d)?), 1)?;
            }
        }
        Some(sum)
    }

    /// The sum with `value` in place of an atom.
    pub(super) fn substitute(&self, atom: Atom, value: &Sum) -> Option<Sum> {
        let mut sum = Sum::default();
        for (product, c) in self.terms() {
            let mut rest = product.clone();
            rest.retain(|a| *a != atom);
            let mut term = Sum::term(rest.clone(), c);
            for _ in rest.len()..product.len() {
                term = term.times(value)?;
            }
            sum = sum.plus(&term, 1)?;
        }
        Some(sum)
    }

    /// The terms that `pick` chooses, and the others.
    pub(super) fn split(&self, pick: impl Fn(&Product) -> bool) -> (Sum, Sum) {
        let (mut picked, mut rest) = (Sum::default(), Sum::default());
        for (product, c) in self.terms() {
            if pick(product) { &mut picked } else { &mut rest }.0.insert(product.clone(), c);
        }
        (picked, rest)
    }

    /// `self = c * quotient + rest` with every coefficient of `rest` in `0..c`, for `c > 0`.
    fn divide(&self, c: i64) -> (Sum, Sum) {
        let pick = |f: fn(i64, i64) -> i64| {
            Sum(self.terms().map(|(p, k)| (p.clone(), f(k, c))).filter(|(_, k)| *k != 0).collect())
        };
        (pick(i64::div_euclid), pick(i64::rem_euclid))
    }
}

/// The atoms of some sums, all of one integer type.
#[derive(Debug)]
pub(super) struct Atoms {
    /// The type of all sums.
    pub(super) dtype: DType,
    exprs: Vec<Expr>,
    /// Dividend and divisor of those that are quotients by constants.
    quotients: HashMap<Atom, (Sum, i64)>,
    numbers: HashMap<Expr, Atom>,
}

impl Atoms {
    /// None yet.
    pub(super) fn new(dtype: DType) -> Atoms {
        Atoms { dtype, exprs: Vec::new(), quotients: HashMap::new(), numbers: HashMap::new() }
    }

    /// The expression of an atom.
    pub(super) fn expr(&self, atom: Atom) -> &Expr {
        &self.exprs[atom as usize]
    }

    /// The number of an expression that is an atom.
    pub(super) fn number(&mut self, e: &Expr) -> Atom {
        if let Some(&atom) = self.numbers.get(e) {
            return atom;
        }
        let atom = self.exprs.len() as Atom;
        self.exprs.push(e.clone());
        self.numbers.insert(e.clone(), atom);
        atom
    }

    /// The sum that an expression of the type is; `None` if it gets too long.
    pub(super) fn sum_of(&mut self, e: &Expr) -> Option<Sum> {
        if e.dtype != self.dtype {
            return None;
        }
        match &e.kind {
            ExprKind::Int(v) => Some(Sum::constant(*v)),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.sum_of(a)?, self.sum_of(b)?);
                match op {
                    BinOp::Add => x.plus(&y, 1),
                    BinOp::Sub => x.plus(&y, -1),
                    BinOp::Mul => x.times(&y),
                    BinOp::FloorDiv => self.quotient(&x, &y),
                    BinOp::FloorMod => {
                        let quotient = self.quotient(&x, &y)?;
                        x.plus(&quotient.times(&y)?, -1)
                    }
                    _ => Some(Sum::atom(self.number(e))),
                }
            }
            ExprKind::Call(_) => {
                let (name, args) = e.as_intrin()?;
                match (name, args, args.get(1).and_then(Expr::as_int)) {
                    ("shift_left", [a, _], Some(k @ 0..=62)) => self.sum_of(a)?.times(&Sum::constant(1 << k)),
                    ("shift_right", [a, _], Some(k @ 0..=62)) => {
                        let a = self.sum_of(a)?;
                        self.quotient(&a, &Sum::constant(1 << k))
                    }
                    ("bitwise_and", [a, _], Some(mask)) if mask > 0 && (mask & (mask + 1)) == 0 => {
                        let (a, size) = (self.sum_of(a)?, Sum::constant(mask + 1));
                        let quotient = self.quotient(&a, &size)?;
                        a.plus(&quotient.times(&size)?, -1)
                    }
                    _ => Some(Sum::atom(self.number(e))),
                }
            }
            _ => Some(Sum::atom(self.number(e))),
        }
    }

    /// `floor(n / d)`: multiples of a constant divisor split off, quotients of quotients merged.
    pub(super) fn quotient(&mut self, n: &Sum, d: &Sum) -> Option<Sum> {
        let c = match d.as_constant() {
            Some(0) => return None,
            Some(c) if c > 0 => c,
            Some(_) | None => {
                let (n, d) = (self.build(n), self.build(d));
                return Some(Sum::atom(self.number(&Expr::binary(BinOp::FloorDiv, n, d))));
            }
        };
        let (whole, mut rest) = n.divide(c);
        let mut c = c;
        // floor((floor(m / d) + s) / c) = floor((m + s * d) / (c * d))
        while let Some((inner, shift)) = rest.as_shifted_atom()
            && let Some((m, d)) = self.quotients.get(&inner).cloned()
        {
            rest = m.plus(&Sum::constant(shift.checked_mul(d)?), 1)?;
            c = c.checked_mul(d)?;
        }
        if let Some(v) = rest.as_constant() {
            return whole.plus(&Sum::constant(v.div_euclid(c)), 1);
        }
        let (more, rest) = rest.divide(c);
        let whole = whole.plus(&more, 1)?;
        let e = Expr::binary(BinOp::FloorDiv, self.build(&rest), Expr::int(c, self.dtype));
        let atom = self.number(&e);
        self.quotients.insert(atom, (rest, c));
        whole.plus(&Sum::atom(atom), 1)
    }

    /// The sum as an expression: what is added first, then what is subtracted.
    pub(super) fn build(&self, sum: &Sum) -> Expr {
        let (constant, rest) = sum.split(|product| product.is_empty());
        let constant = constant.as_constant().unwrap_or(0);
        let mut parts: Vec<(bool, Expr)> = Vec::new();
        for negative in [false, true] {
            for (product, c) in rest.terms().filter(|(_, c)| (*c < 0) == negative) {
                let factors = product.iter().map(|&atom| self.expr(atom).clone());
                let Some(mut value) = factors.reduce(|a, b| Expr::binary(BinOp::Mul, a, b)) else { continue };
                if c.saturating_abs() != 1 {
                    value = Expr::binary(BinOp::Mul, value, Expr::int(c.saturating_abs(), self.dtype));
                }
                parts.push((negative, value));
            }
        }
        if constant != 0 {
            let at = if parts.first().is_none_or(|(negative, _)| *negative) { 0 } else { parts.len() };
            // A sum starts with what is added.
            let part = if at == 0 {
                (false, Expr::int(constant, self.dtype))
            } else {
                (constant < 0, Expr::int(constant.saturating_abs(), self.dtype))
            };
            parts.insert(at, part);
        }
        let mut sum = None;
        for (negative, value) in parts {
            let op = if negative { BinOp::Sub } else { BinOp::Add };
            sum = Some(match sum {
                None if negative => Expr::binary(op, Expr::int(0, self.dtype), value),
                None => value,
                Some(sum) => Expr::binary(op, sum, value),
            });
        }
        sum.unwrap_or_else(|| Expr::int(0, self.dtype))
    }
}

impl Sum {
    /// The atom and the constant, if it is `atom + constant`.
    fn as_shifted_atom(&self) -> Option<(Atom, i64)> {
        let (constant, rest) = self.split(|product| product.is_empty());
        let mut terms = rest.terms();
        match (terms.next(), terms.next()) {
            (Some((product, 1)), None) if product.len() == 1 => {
                Some((product[0], constant.as_constant().unwrap_or(0)))
            }
            _ => None,
        }
    }
}
