//! Polynomials over expressions: what an index is made of, and division of one by another.

use std::cmp::Ordering;

use hashbrown::HashMap;
use smallvec::SmallVec;

use super::Interval;
use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

/// The most terms of a polynomial; what has more is not looked at.
const MAX_TERMS: usize = 48;

/// The expressions that polynomials of one place are made of.
#[derive(Debug, Default)]
pub(crate) struct Atoms {
    exprs: Vec<Expr>,
    numbers: HashMap<Expr, u32>,
    /// Whether a remainder is what the quotient leaves.
    opens_remainders: bool,
}

/// A product of atoms, by their numbers in ascending order. Products of fewer atoms come first, so that the order is kept
/// when both sides are multiplied by the same.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Monomial(SmallVec<[u32; 4]>);

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Monomial) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Monomial) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| other.0.cmp(&self.0))
    }
}

impl Monomial {
    fn times(&self, other: &Monomial) -> Monomial {
        let mut product: SmallVec<[u32; 4]> = self.0.iter().chain(&other.0).copied().collect();
        product.sort_unstable();
        Monomial(product)
    }

    fn over(&self, other: &Monomial) -> Option<Monomial> {
        let mut left = self.0.clone();
        for atom in &other.0 {
            let at = left.iter().position(|own| own == atom)?;
            left.remove(at);
        }
        Some(Monomial(left))
    }
}

/// A sum of products of atoms with integer coefficients, none of which is zero.
// Invariant: the products are in ascending order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Poly(SmallVec<[(Monomial, i128); 2]>);

impl Poly {
    pub(crate) fn constant(value: i64) -> Poly {
        let mut poly = Poly::default();
        poly.push(Monomial(SmallVec::new()), i128::from(value));
        poly
    }

    /// Adds a term that comes after all others.
    fn push(&mut self, monomial: Monomial, coefficient: i128) {
        debug_assert!(self.0.last().is_none_or(|(last, _)| *last < monomial));
        if coefficient != 0 {
            self.0.push((monomial, coefficient));
        }
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) {
        match self.0.binary_search_by(|(own, _)| own.cmp(&monomial)) {
            Ok(at) => {
                let own = &mut self.0[at].1;
                *own = own.saturating_add(coefficient);
                if *own == 0 {
                    self.0.remove(at);
                }
            }
            Err(at) if coefficient != 0 => self.0.insert(at, (monomial, coefficient)),
            Err(_) => {}
        }
    }

    pub(crate) fn plus(&self, other: &Poly, factor: i64) -> Poly {
        let (mut own, mut others, mut sum) = (&self.0[..], &other.0[..], Poly::default());
        let times = |coefficient: i128| coefficient.saturating_mul(i128::from(factor));
        while let ([(a, x), own_rest @ ..], [(b, y), others_rest @ ..]) = (own, others) {
            let order = a.cmp(b);
            match order {
                Ordering::Less => sum.push(a.clone(), *x),
                Ordering::Equal => sum.push(a.clone(), x.saturating_add(times(*y))),
                Ordering::Greater => sum.push(b.clone(), times(*y)),
            }
            own = if order.is_le() { own_rest } else { own };
            others = if order.is_ge() { others_rest } else { others };
        }
        own.iter().for_each(|(monomial, x)| sum.push(monomial.clone(), *x));
        others.iter().for_each(|(monomial, y)| sum.push(monomial.clone(), times(*y)));
        sum
    }

    pub(crate) fn times(&self, other: &Poly) -> Poly {
        let mut product = Poly::default();
        for (a, x) in &self.0 {
            for (b, y) in &other.0 {
                product.add_term(a.times(b), x.saturating_mul(*y));
            }
        }
        product
    }

    /// How many terms it has.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Its value, if it is a constant.
    pub(crate) fn as_constant(&self) -> Option<i64> {
        match &self.0[..] {
            [] => Some(0),
            [(monomial, value)] if monomial.0.is_empty() => i64::try_from(*value).ok(),
            _ => None,
        }
    }

    /// The terms as a multiple of a constant, and what is left. Each coefficient that is left is not negative, or (`toward_zero`)
    /// has the sign that it had.
    pub(crate) fn split(&self, by: i64, toward_zero: bool) -> (Poly, Poly) {
        let (mut multiple, mut rest) = (Poly::default(), Poly::default());
        for (monomial, coefficient) in &self.0 {
            let by = i128::from(by);
            let left = if toward_zero { coefficient % by } else { coefficient.rem_euclid(by) };
            multiple.push(monomial.clone(), (coefficient - left) / by);
            rest.push(monomial.clone(), left);
        }
        (multiple, rest)
    }

    /// A quotient by terms, and what is left: `quotient * divisor + rest` is the polynomial.
    pub(crate) fn divided(&self, divisor: &Poly) -> Option<(Poly, Poly)> {
        let (lead, factor) = divisor.0.last()?;
        let (mut open, mut rest, mut quotient) = (self.clone(), Poly::default(), Poly::default());
        while let Some((top, coefficient)) = open.0.pop() {
            match top.over(lead) {
                Some(monomial) if coefficient % factor == 0 && quotient.0.len() <= MAX_TERMS => {
                    let times = coefficient / factor;
                    for (of, value) in &divisor.0 {
                        if of != lead {
                            open.add_term(of.times(&monomial), -value.saturating_mul(times));
                        }
                    }
                    quotient.add_term(monomial, times);
                }
                _ => rest.add_term(top, coefficient),
            }
            if open.0.len() > 4 * MAX_TERMS {
                return None;
            }
        }
        Some((quotient, rest))
    }

    /// The greatest common divisor of a constant and the coefficients of all terms but the constant one.
    pub(crate) fn common(&self, with: i64) -> i64 {
        let coefficients = self.0.iter().filter(|(monomial, _)| !monomial.0.is_empty());
        coefficients.fold(with, |all, (_, coefficient)| {
            i64::try_from(coefficient.unsigned_abs()).map_or(1, |size| super::gcd(all, size))
        })
    }

    /// The quotient, if there is no remainder.
    pub(crate) fn exactly_over(&self, divisor: &Poly) -> Option<Poly> {
        let (lead, factor) = divisor.0.last()?;
        let (mut rest, mut quotient) = (self.clone(), Poly::default());
        while let Some((top, coefficient)) = rest.0.last() {
            if coefficient % factor != 0 || quotient.0.len() > MAX_TERMS || rest.0.len() > 4 * MAX_TERMS {
                return None;
            }
            let (monomial, coefficient) = (top.over(lead)?, coefficient / factor);
            for (of, value) in &divisor.0 {
                rest.add_term(of.times(&monomial), -value.saturating_mul(coefficient));
            }
            quotient.add_term(monomial, coefficient);
        }
        Some(quotient)
    }
}

/// What a polynomial is of one atom: `slope * atom + rest`, where `rest` is free of it.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    pub(crate) slope: Poly,
    pub(crate) rest: Poly,
}

impl Atoms {
    /// With remainders by constants as what quotients leave, so that `x // 13 * 13 + x % 13` is `x`.
    pub(crate) fn of_quotients() -> Atoms {
        Atoms { opens_remainders: true, ..Atoms::default() }
    }

    fn number(&mut self, e: &Expr) -> u32 {
        if let Some(&number) = self.numbers.get(e) {
            return number;
        }
        let number = self.exprs.len() as u32;
        self.exprs.push(e.clone());
        self.numbers.insert(e.clone(), number);
        number
    }

    /// The polynomial that is just this expression.
    pub(crate) fn atom(&mut self, e: &Expr) -> Poly {
        let number = self.number(e);
        Poly(SmallVec::from_iter([(Monomial(SmallVec::from_slice(&[number])), 1)]))
    }

    /// The polynomial of an expression of `int32` or `int64`; of no other, since the others wrap.
    pub(crate) fn poly(&mut self, e: &Expr) -> Option<Poly> {
        if !e.dtype.is_index() {
            return None;
        }
        let poly = match &e.kind {
            ExprKind::Int(value) => Poly::constant(*value),
            ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
                let sign = if *op == BinOp::Sub { -1 } else { 1 };
                self.poly(a)?.plus(&self.poly(b)?, sign)
            }
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let (a, b) = (self.poly(a)?, self.poly(b)?);
                if a.0.len() * b.0.len() > MAX_TERMS {
                    return None;
                }
                a.times(&b)
            }
            ExprKind::Binary(BinOp::FloorMod, a, b)
                if self.opens_remainders && b.as_int().is_some_and(|b| b > 0) =>
            {
                let quotient = self.atom(&(**a).clone().floordiv((**b).clone()));
                self.poly(a)?.plus(&self.poly(b)?.times(&quotient), -1)
            }
            _ => self.atom(e),
        };
        (poly.0.len() <= MAX_TERMS).then_some(poly)
    }

    /// The atoms that a sum has, alone or as factors; those of several products more than once.
    pub(crate) fn parts<'s>(&'s self, poly: &'s Poly) -> impl Iterator<Item = &'s Expr> {
        poly.0.iter().flat_map(|(monomial, _)| monomial.0.iter().map(|&atom| &self.exprs[atom as usize]))
    }

    /// The atoms that are addends as they are.
    pub(crate) fn addends<'s>(&'s self, poly: &'s Poly) -> impl Iterator<Item = &'s Expr> {
        poly.0.iter().filter_map(|(monomial, coefficient)| match monomial.0[..] {
            [atom] if *coefficient == 1 => Some(&self.exprs[atom as usize]),
            _ => None,
        })
    }

    /// The atoms of which multiples are addends, each with its coefficient.
    pub(crate) fn multiples(&self, poly: &Poly) -> Vec<(Expr, i64)> {
        let terms = poly.0.iter().filter_map(|(monomial, coefficient)| match monomial.0[..] {
            [atom] => Some((self.exprs[atom as usize].clone(), i64::try_from(*coefficient).ok()?)),
            _ => None,
        });
        terms.collect()
    }

    /// Where the values lie, given where those of the atoms do.
    pub(crate) fn range(&self, poly: &Poly, of_atom: &impl Fn(&Expr) -> Interval) -> Interval {
        poly.0.iter().fold(Interval::point(0), |sum, (monomial, coefficient)| {
            let Ok(coefficient) = i64::try_from(*coefficient) else { return Interval::ALL };
            let product = monomial.0.iter().fold(Interval::point(coefficient), |product, &atom| {
                product.mul(of_atom(&self.exprs[atom as usize]))
            });
            sum.add(product)
        })
    }

    /// The polynomial as one of a variable, if that occurs in it only as a factor of degree 1, and inside of no atom.
    pub(crate) fn linear(&self, poly: &Poly, var: VarId) -> Option<Linear> {
        let mut linear = Linear { slope: Poly::default(), rest: Poly::default() };
        for (monomial, coefficient) in &poly.0 {
            let (own, others): (SmallVec<[u32; 4]>, SmallVec<[u32; 4]>) =
                monomial.0.iter().copied().partition(|&atom| self.exprs[atom as usize].as_var() == Some(var));
            if own.len() > 1 || others.iter().any(|&atom| self.exprs[atom as usize].mentions(|v| v == var)) {
                return None;
            }
            let part = if own.is_empty() { &mut linear.rest } else { &mut linear.slope };
            part.add_term(Monomial(others), *coefficient);
        }
        Some(linear)
    }

    /// The part of the polynomial without terms that have an atom which satisfies `f`, and the coefficients of the others.
    pub(crate) fn without(&self, poly: &Poly, f: impl Fn(&Expr) -> bool) -> (Poly, Vec<i128>) {
        let (mut kept, mut gone) = (Poly::default(), Vec::new());
        for (monomial, coefficient) in &poly.0 {
            if monomial.0.iter().any(|&atom| f(&self.exprs[atom as usize])) {
                gone.push(*coefficient);
            } else {
                kept.push(monomial.clone(), *coefficient);
            }
        }
        (kept, gone)
    }

    /// An expression with this value; `None` if a coefficient is none of the type.
    pub(crate) fn expr(&self, poly: &Poly, dtype: DType) -> Option<Expr> {
        let (least, most) = dtype.int_range()?;
        let mut sum: Option<Expr> = None;
        let mut constant = 0;
        for &(ref monomial, coefficient) in poly.0.iter().rev() {
            if coefficient < least || coefficient > most {
                return None;
            }
            let coefficient = coefficient as i64;
            if monomial.0.is_empty() {
                constant = coefficient;
                continue;
            }
            let product = monomial.0.iter().map(|&atom| self.exprs[atom as usize].clone());
            let product = product.reduce(|a, b| a * b)?;
            if product.dtype != dtype {
                return None;
            }
            let (minus, size) = (coefficient < 0 && sum.is_some(), coefficient.checked_abs()?);
            let factor = if minus { size } else { coefficient };
            let term = if factor == 1 { product } else { product * factor };
            sum = Some(match sum {
                None => term,
                Some(sum) if minus => sum - term,
                Some(sum) => sum + term,
            });
        }
        Some(match sum {
            None => Expr::int(constant, dtype),
            Some(sum) if constant == 0 => sum,
            Some(sum) if constant < 0 => sum - constant.checked_neg()?,
            Some(sum) => sum + constant,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{parse_expr, print_expr};

    fn quotient(dividend: &str, divisor: &str) -> Option<String> {
        let mut b = crate::ir::build::FuncBuilder::new("main");
        for name in ["n", "m", "k", "h", "w"] {
            b.param(name, DType::I32);
        }
        let mut func = b.finish();
        let mut atoms = Atoms::default();
        let (a, b) = (parse_expr(dividend, &mut func).unwrap(), parse_expr(divisor, &mut func).unwrap());
        let (a, b) = (atoms.poly(&a).unwrap(), atoms.poly(&b).unwrap());
        let quotient = a.exactly_over(&b)?;
        assert_eq!(quotient.times(&b), a);
        Some(print_expr(&func, &atoms.expr(&quotient, DType::I32)?))
    }

    #[test]
    fn exact_quotients_are_found() {
        assert_eq!(quotient("n * m", "m").as_deref(), Some("n"));
        assert_eq!(quotient("n * m * k", "k * n").as_deref(), Some("m"));
        assert_eq!(quotient("12", "4").as_deref(), Some("3"));
        assert_eq!(quotient("n * ((h - 1) // 2 + 1) * 10", "(h - 1) // 2 * 5 + 5").as_deref(), Some("n * 2"));
        let product = "n * ((h - 1) // 2 + 1) * ((w - 1) // 2 + 1) * 10";
        let row = "((h - 1) // 2 + 1) * ((w - 1) // 2 * 10 + 10)";
        assert_eq!(quotient(product, row).as_deref(), Some("n"));
        assert_eq!(quotient(product, "(w - 1) // 2 * 10 + 10").as_deref(), Some("n * ((h - 1) // 2) + n"));
    }

    #[test]
    fn what_is_left_of_a_quotient_is_found() {
        let mut b = crate::ir::build::FuncBuilder::new("main");
        for name in ["n", "m", "k"] {
            b.param(name, DType::I32);
        }
        let mut func = b.finish();
        let mut atoms = Atoms::default();
        let mut poly = |text: &str| {
            let e = parse_expr(text, &mut func).unwrap();
            atoms.poly(&e).unwrap()
        };
        let (a, b) = (poly("n * m * 3 + k * m + m + 7 * n"), poly("m"));
        let (quotient, rest) = a.divided(&b).unwrap();
        assert_eq!((quotient, rest), (poly("n * 3 + k + 1"), poly("n * 7")));
        let sum = poly("n * 26 + m * 14 - k + 40");
        let (multiple, rest) = sum.split(13, false);
        assert_eq!((multiple, rest), (poly("n * 2 + m - k + 3"), poly("m + k * 12 + 1")));
        let (multiple, rest) = sum.split(13, true);
        assert_eq!((multiple, rest), (poly("n * 2 + m + 3"), poly("m - k + 1")));
        assert_eq!(poly("n * 12 + m * 18 + 5").common(30), 6);
    }

    #[test]
    fn remainders_are_refused() {
        for (dividend, divisor) in
            [("n * m", "k"), ("n * m + 1", "m"), ("13", "4"), ("n", "0"), ("n", "n * n")]
        {
            assert_eq!(quotient(dividend, divisor), None, "{dividend} by {divisor}");
        }
        assert_eq!(quotient("0", "n").as_deref(), Some("0"));
    }
}
