//! Integer polynomials in normal form: the theory of `+`, `-` and `*`.
//!
//! A polynomial is a sum of products `coefficient * atom * atom …` where atoms are e-classes whose value is not a
//! sum or product. Terms are sorted and no coefficient is zero, so two polynomials are equal as functions of
//! their atoms over the integers exactly if they are the same value of this type: commutativity, associativity,
//! distributivity and constant folding are decided by construction.
//!
//! Operations fail (`None`) when a coefficient leaves 64 bits or the number of terms passes [`MAX_TERMS`]; the
//! caller then treats the operation as an atom, which loses equalities but nothing else.

use std::cmp::Ordering;

use egg::Id;

use super::monomial::Monomial;
use crate::arith::gcd;

/// The most terms of a polynomial: a bound on the work for one class, and so on the whole for long chains.
pub(crate) const MAX_TERMS: usize = 128;

/// The highest degree of a product.
pub(crate) const MAX_DEGREE: usize = 8;

/// A polynomial in normal form.
// Invariant: terms are strictly increasing in their monomials, no coefficient is zero, and none is the least `i64`, so that
// all can be negated.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub(crate) struct Poly {
    terms: Vec<(Monomial, i64)>,
}

/// A coefficient that a normal form may have.
fn kept(c: i64) -> Option<i64> {
    (c != i64::MIN).then_some(c)
}

impl Poly {
    /// The constant `c`.
    pub(crate) fn constant(c: i64) -> Poly {
        Poly { terms: if c == 0 { Vec::new() } else { vec![(Monomial::new(), c)] } }
    }

    /// A single atom.
    pub(crate) fn atom(id: Id) -> Poly {
        Poly { terms: vec![(Monomial::atom(id), 1)] }
    }

    /// `coefficient * monomial`.
    pub(crate) fn term(monomial: Monomial, coefficient: i64) -> Poly {
        Poly { terms: if coefficient == 0 { Vec::new() } else { vec![(monomial, coefficient)] } }
    }

    /// The sum of terms in any order; `None` on overflow.
    pub(crate) fn from_terms(terms: impl IntoIterator<Item = (Monomial, i64)>) -> Option<Poly> {
        let mut terms: Vec<(Monomial, i64)> = terms.into_iter().collect();
        terms.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut out: Vec<(Monomial, i64)> = Vec::with_capacity(terms.len());
        for (m, c) in terms {
            match out.last_mut() {
                Some((last, sum)) if *last == m => *sum = kept(sum.checked_add(c)?)?,
                _ => out.push((m, c)),
            }
        }
        out.retain(|&(_, c)| c != 0);
        (out.len() <= MAX_TERMS).then_some(Poly { terms: out })
    }

    /// The terms in order, the constant one first.
    pub(crate) fn terms(&self) -> &[(Monomial, i64)] {
        &self.terms
    }

    /// The value, if it is a constant.
    pub(crate) fn as_const(&self) -> Option<i64> {
        match &self.terms[..] {
            [] => Some(0),
            [(m, c)] if m.is_empty() => Some(*c),
            _ => None,
        }
    }

    /// The atom, if it is one atom with coefficient 1.
    pub(crate) fn as_atom(&self) -> Option<Id> {
        match &self.terms[..] {
            [(m, 1)] if m.len() == 1 => Some(m[0]),
            _ => None,
        }
    }

    /// The monomial and coefficient, if there is one term.
    pub(crate) fn as_term(&self) -> Option<(&Monomial, i64)> {
        match &self.terms[..] {
            [(m, c)] => Some((m, *c)),
            _ => None,
        }
    }

    /// The constant term.
    pub(crate) fn const_term(&self) -> i64 {
        match self.terms.first() {
            Some((m, c)) if m.is_empty() => *c,
            _ => 0,
        }
    }

    /// The polynomial without its constant term.
    pub(crate) fn without_const(&self) -> Poly {
        let skip = usize::from(self.terms.first().is_some_and(|(m, _)| m.is_empty()));
        Poly { terms: self.terms[skip..].to_vec() }
    }

    /// The atoms, each once, in order.
    pub(crate) fn atoms(&self) -> Vec<Id> {
        let mut atoms: Vec<Id> = self.terms.iter().flat_map(|(m, _)| m.iter().copied()).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// The value, given that of each atom; `None` if one has none, or on the way something leaves 64 bits.
    pub(crate) fn value(&self, atom: impl Fn(Id) -> Option<i64>) -> Option<i64> {
        self.terms().iter().try_fold(0_i64, |sum, (monomial, c)| {
            let product = monomial.iter().try_fold(*c, |product, &id| product.checked_mul(atom(id)?))?;
            sum.checked_add(product)
        })
    }

    /// Whether the atom occurs.
    pub(crate) fn mentions(&self, id: Id) -> bool {
        self.terms.iter().any(|(m, _)| m.contains(&id))
    }

    /// The coefficient of a monomial.
    pub(crate) fn coefficient(&self, monomial: &[Id]) -> i64 {
        match self.terms.binary_search_by(|(m, _)| m[..].cmp(monomial)) {
            Ok(i) => self.terms[i].1,
            Err(_) => 0,
        }
    }

    /// Sum.
    pub(crate) fn add(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, Some)
    }

    /// Difference.
    pub(crate) fn sub(&self, other: &Poly) -> Option<Poly> {
        self.combine(other, i64::checked_neg)
    }

    /// `self + k * other`.
    pub(crate) fn add_scaled(&self, other: &Poly, k: i64) -> Option<Poly> {
        self.combine(other, |c| c.checked_mul(k))
    }

    /// The number of terms of `self + k * other` that `self` does not have, and of those of `self` that it does not have.
    pub(crate) fn gained_and_lost(&self, other: &Poly, k: i64) -> (usize, usize) {
        let (mut gained, mut lost) = (0, 0);
        for (monomial, c) in &other.terms {
            match self.coefficient(monomial) {
                0 => gained += 1,
                old => lost += usize::from(c.checked_mul(k).and_then(i64::checked_neg) == Some(old)),
            }
        }
        (gained, lost)
    }

    /// The sum with what `other` is when each of its coefficients is replaced.
    fn combine(&self, other: &Poly, coefficient: impl Fn(i64) -> Option<i64>) -> Option<Poly> {
        let (mut a, mut b) = (&self.terms[..], &other.terms[..]);
        let mut terms = Vec::with_capacity(a.len() + b.len());
        while let ([(m, x), a_rest @ ..], [(n, y), b_rest @ ..]) = (a, b) {
            match m.cmp(n) {
                Ordering::Less => {
                    terms.push((m.clone(), *x));
                    a = a_rest;
                }
                Ordering::Greater => {
                    terms.push((n.clone(), kept(coefficient(*y)?)?));
                    b = b_rest;
                }
                Ordering::Equal => {
                    let sum = kept(x.checked_add(coefficient(*y)?)?)?;
                    if sum != 0 {
                        terms.push((m.clone(), sum));
                    }
                    (a, b) = (a_rest, b_rest);
                }
            }
        }
        terms.extend_from_slice(a);
        for (n, y) in b {
            terms.push((n.clone(), kept(coefficient(*y)?)?));
        }
        (terms.len() <= MAX_TERMS).then_some(Poly { terms })
    }

    /// Product with a constant.
    pub(crate) fn scale(&self, k: i64) -> Option<Poly> {
        if k == 0 {
            return Some(Poly::default());
        }
        let mut terms = self.terms.clone();
        for (_, c) in &mut terms {
            *c = kept(c.checked_mul(k)?)?;
        }
        Some(Poly { terms })
    }

    /// Product.
    pub(crate) fn mul(&self, other: &Poly) -> Option<Poly> {
        if self.terms.len().checked_mul(other.terms.len())? > MAX_TERMS {
            return None;
        }
        match (self.as_const(), other.as_const()) {
            (Some(k), _) => return other.scale(k),
            (_, Some(k)) => return self.scale(k),
            _ => {}
        }
        let mut terms = Vec::with_capacity(self.terms.len() * other.terms.len());
        for (m, c) in &self.terms {
            for (n, d) in &other.terms {
                if m.len() + n.len() > MAX_DEGREE {
                    return None;
                }
                terms.push((m.mul(n), kept(c.checked_mul(*d)?)?));
            }
        }
        Poly::from_terms(terms)
    }

    /// Greatest common divisor of the coefficients of all terms but the constant one; 0 if there are none.
    pub(crate) fn content(&self) -> i64 {
        self.terms.iter().filter(|(m, _)| !m.is_empty()).fold(0, |g, (_, c)| gcd(g, *c))
    }

    /// Splits into `(quotient, remainder)` with `self = quotient * c + remainder`: each coefficient divided by `c`
    /// toward zero, the constant term toward minus infinity (so `0 <= remainder's constant < c`). `c > 0`.
    pub(crate) fn split_by_const(&self, c: i64) -> (Poly, Poly) {
        let (mut q, mut r) = (Vec::new(), Vec::new());
        for (m, k) in &self.terms {
            let (quo, rem) = if m.is_empty() { (k.div_euclid(c), k.rem_euclid(c)) } else { (k / c, k % c) };
            if quo != 0 {
                q.push((m.clone(), quo));
            }
            if rem != 0 {
                r.push((m.clone(), rem));
            }
        }
        (Poly { terms: q }, Poly { terms: r })
    }

    /// Splits into `(quotient, remainder)` by the product `c * monomial`: terms that it divides go to the quotient.
    pub(crate) fn split_by_term(&self, monomial: &Monomial, c: i64) -> Option<(Poly, Poly)> {
        let (mut q, mut r) = (Vec::new(), Vec::new());
        for (m, k) in &self.terms {
            match m.divide(monomial) {
                Some(rest) if k % c == 0 => q.push((rest, k.checked_div(c)?)),
                _ => r.push((m.clone(), *k)),
            }
        }
        Some((Poly::from_terms(q)?, Poly { terms: r }))
    }

    /// The terms for which `keep` holds of monomial and coefficient.
    pub(crate) fn filter(&self, keep: impl Fn(&Monomial, i64) -> bool) -> Poly {
        Poly { terms: self.terms.iter().filter(|(m, c)| keep(m, *c)).cloned().collect() }
    }

    /// Splits into `(A, r)` with `self = g*A + r`, `g > 0`: the terms that `g` divides go to `A`, and of the
    /// constant term as much as leaves `0 <= rest < g`.
    pub(crate) fn split_multiples(&self, g: i64) -> Option<(Poly, Poly)> {
        let constant = self.const_term();
        let large = self.filter(|m, c| !m.is_empty() && c % g == 0);
        let small = self.filter(|m, c| !m.is_empty() && c % g != 0);
        let large = large.exact_div(g).add(&Poly::constant(constant.div_euclid(g)))?;
        Some((large, small.add(&Poly::constant(constant.rem_euclid(g)))?))
    }

    /// The first term that `k * monomial` divides: what it is divided, and the term itself.
    pub(crate) fn first_multiple(&self, monomial: &Monomial, k: i64) -> Option<(Poly, Poly)> {
        self.terms.iter().find_map(|(m, c)| {
            let rest = m.divide(monomial).filter(|_| c % k == 0)?;
            Some((Poly::term(rest, c.checked_div(k)?), Poly { terms: vec![(m.clone(), *c)] }))
        })
    }

    /// The sign of the first term that is not the constant one: 1, -1, or 0 if there is none.
    pub(crate) fn leading_sign(&self) -> i64 {
        self.terms.iter().find(|(m, _)| !m.is_empty()).map_or(0, |(_, c)| c.signum())
    }

    /// Divides every coefficient by `g`, which must divide them all.
    pub(crate) fn exact_div(&self, g: i64) -> Poly {
        Poly { terms: self.terms.iter().map(|(m, c)| (m.clone(), c / g)).collect() }
    }

    /// Replaces each atom by a polynomial; `None` on overflow or when the result is too large.
    pub(crate) fn substitute(&self, mut f: impl FnMut(Id) -> Poly) -> Option<Poly> {
        let mut sum = Poly::default();
        for (m, c) in &self.terms {
            let mut product = Poly::constant(*c);
            for &id in m {
                product = product.mul(&f(id))?;
            }
            sum = sum.add(&product)?;
        }
        Some(sum)
    }

    /// Replaces each atom by another; `None` on overflow.
    pub(crate) fn rename(&self, mut f: impl FnMut(Id) -> Id) -> Option<Poly> {
        Poly::from_terms(self.terms.iter().map(|(m, c)| (m.iter().map(|&id| f(id)).collect(), *c)))
    }

    /// A total order by size, for choosing among normal forms of one class.
    pub(crate) fn complexity(&self) -> (usize, usize) {
        (self.terms.len(), self.terms.iter().map(|(m, _)| m.len()).sum())
    }
}

/// The largest product of atoms, and the largest constant, that divide every term of all the polynomials.
pub(crate) fn common_factor(polys: &[&Poly]) -> (Monomial, i64) {
    let mut terms = polys.iter().flat_map(|p| p.terms.iter());
    let Some((first, c)) = terms.next() else { return (Monomial::new(), 1) };
    let mut monomial = first.clone();
    let mut constant = c.checked_abs().unwrap_or(1);
    for (m, c) in terms {
        monomial = monomial.common(m);
        constant = gcd(constant, *c);
    }
    (monomial, constant.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(i: usize) -> Poly {
        Poly::atom(Id::from(i))
    }

    #[test]
    fn ring_axioms_hold_by_construction() {
        let (a, b, c) = (atom(1), atom(2), atom(3));
        let left = a.add(&b).unwrap().mul(&c.add(&Poly::constant(2)).unwrap()).unwrap();
        let right = c.mul(&b).unwrap().add(&b.scale(2).unwrap()).unwrap();
        let right = right.add(&a.mul(&c).unwrap()).unwrap().add(&a.scale(2).unwrap()).unwrap();
        assert_eq!(left, right);
        assert_eq!(left.sub(&right).unwrap().as_const(), Some(0));
    }

    #[test]
    fn overflow_is_reported_not_wrapped() {
        assert_eq!(Poly::constant(i64::MAX).add(&Poly::constant(1)), None);
        assert_eq!(atom(1).scale(i64::MAX).unwrap().scale(2), None);
    }

    #[test]
    fn splitting_by_a_constant_keeps_the_value() {
        for k in -20..=20 {
            for r in -20..=20 {
                let p = atom(1).scale(k).unwrap().add(&Poly::constant(r)).unwrap();
                let (q, rest) = p.split_by_const(7);
                assert_eq!(q.scale(7).unwrap().add(&rest).unwrap(), p);
                assert!((0..7).contains(&rest.const_term()));
            }
        }
    }
}
