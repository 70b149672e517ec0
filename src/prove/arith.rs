//! Arithmetic on terms: sums in normal form, types that wrap, comparisons with zero.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::range::Range;
use super::term::{Monomial, Node, Term, Terms};

/// A sum that is being made: products with their factors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum(pub(super) BTreeMap<Monomial, i128>);

impl Sum {
    pub(super) fn constant(&self) -> i128 {
        self.0.get(&[][..]).copied().unwrap_or(0)
    }

    pub(super) fn add(&mut self, monomial: Monomial, factor: i128) -> Option<()> {
        let entry = self.0.entry(monomial).or_insert(0);
        *entry = entry.checked_add(factor)?;
        Some(())
    }

    pub(super) fn add_all(&mut self, other: &Sum, factor: i128) -> Option<()> {
        other.0.iter().try_for_each(|(monomial, f)| self.add(monomial.clone(), f.checked_mul(factor)?))
    }

    pub(super) fn times(&self, other: &Sum) -> Option<Sum> {
        /// Products of long sums are left as they are.
        const MAX_PRODUCTS: usize = 400;
        if self.0.len() * other.0.len() > MAX_PRODUCTS {
            return None;
        }
        let mut product = Sum::default();
        for (a, f) in &self.0 {
            for (b, g) in &other.0 {
                let mut monomial: Monomial = a.iter().chain(b).copied().collect();
                monomial.sort_unstable();
                product.add(monomial, f.checked_mul(*g)?)?;
            }
        }
        Some(product)
    }

    pub(super) fn gcd(&self) -> i128 {
        self.0.iter().filter(|(monomial, _)| !monomial.is_empty()).fold(0, |g, (_, f)| gcd(g, *f))
    }
}

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

/// The products of `a + factor * b`, in order; `None` if a number is too large.
fn added(a: &[(Monomial, i128)], b: &[(Monomial, i128)], factor: i128) -> Option<Vec<(Monomial, i128)>> {
    let mut all = Vec::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    loop {
        let order = match (a.peek(), b.peek()) {
            (Some(one), Some(other)) => one.0.cmp(&other.0),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return Some(all),
        };
        let one = if order.is_le() { a.next() } else { None };
        let other = if order.is_ge() { b.next() } else { None };
        let value = |of: Option<&(Monomial, i128)>| of.map_or(0, |(_, value)| *value);
        let sum = value(one).checked_add(value(other).checked_mul(factor)?)?;
        if let (Some((monomial, _)), true) = (one.or(other), sum != 0) {
            all.push((monomial.clone(), sum));
        }
    }
}

impl Terms {
    /// The term as a sum.
    pub(super) fn sum_of(&self, term: Term) -> Sum {
        let mut sum = Sum::default();
        match self.node(term) {
            Node::Int(0) => {}
            Node::Int(value) => drop(sum.0.insert(Vec::new(), *value)),
            Node::Sum(terms) => sum.0.extend(terms.iter().cloned()),
            _ => drop(sum.0.insert(vec![term], 1)),
        }
        sum
    }

    /// The products of a term as a sum, in order.
    fn products(&self, term: Term) -> Cow<'_, [(Monomial, i128)]> {
        match self.node(term) {
            Node::Int(0) => Cow::Borrowed(&[]),
            Node::Int(value) => Cow::Owned(vec![(Vec::new(), *value)]),
            Node::Sum(products) => Cow::Borrowed(products),
            _ => Cow::Owned(vec![(vec![term], 1)]),
        }
    }

    pub(super) fn of_sum(&mut self, mut sum: Sum) -> Term {
        sum.0.retain(|_, factor| *factor != 0);
        let sum = self.without_pairs(sum);
        self.of_products(sum.0.into_iter().collect())
    }

    /// The term of products in order, no two of which are the same.
    fn of_products(&mut self, products: Vec<(Monomial, i128)>) -> Term {
        if products.is_empty() {
            return self.int(0);
        }
        if let [(monomial, factor)] = &products[..] {
            match (&monomial[..], *factor) {
                ([], value) => return self.int(value),
                ([term], 1) => return *term,
                _ => {}
            }
        }
        self.intern(Node::Sum(products))
    }

    /// An operation whose numbers are too large to compute with: nothing is known of it.
    fn unknown(&mut self, name: &str, operands: &[Term]) -> Term {
        self.apply(name, crate::ir::DType::int(64), operands.to_vec())
    }

    /// `a + factor * b`
    pub(super) fn add_scaled(&mut self, a: Term, b: Term, factor: i128) -> Term {
        if let Some(&known) = self.made.sums.get(&(a, b, factor)) {
            return known;
        }
        let sum = added(&self.products(a), &self.products(b), factor);
        let made = match sum {
            Some(products) if self.pairs.is_empty() => self.of_products(products),
            Some(products) => self.of_sum(Sum(products.into_iter().collect())),
            None => {
                let factor = self.int(factor);
                self.unknown("large sum", &[a, b, factor])
            }
        };
        self.made.sums.insert((a, b, factor), made);
        made
    }

    /// The sum of terms with factors.
    pub(super) fn sum_of_products(&mut self, products: &[(Term, i128)]) -> Term {
        let mut sum = Sum::default();
        let whole = products.iter().try_for_each(|&(term, factor)| sum.add_all(&self.sum_of(term), factor));
        match whole {
            Some(()) => self.of_sum(sum),
            None => {
                let zero = self.int(0);
                products.iter().fold(zero, |sum, &(term, factor)| self.add_scaled(sum, term, factor))
            }
        }
    }

    pub(super) fn add(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, 1)
    }

    pub(super) fn sub(&mut self, a: Term, b: Term) -> Term {
        self.add_scaled(a, b, -1)
    }

    pub(super) fn mul(&mut self, a: Term, b: Term) -> Term {
        match self.sum_of(a).times(&self.sum_of(b)) {
            Some(product) => self.of_sum(product),
            None => {
                let (a, b) = if a <= b { (a, b) } else { (b, a) };
                self.unknown("large product", &[a, b])
            }
        }
    }

    /// What a type of so many bits makes of an integer.
    pub(super) fn wrap(&mut self, bits: u8, signed: bool, a: Term) -> Term {
        let dtype = if signed { crate::ir::DType::int(bits) } else { crate::ir::DType::uint(bits) };
        let type_range = super::range::Range::of_type(dtype);
        let range = self.bounds(a);
        if range.lo.is_some() && range.hi.is_some() && range.within(type_range) == range {
            return a;
        }
        // What is inside is known modulo 2^bits: other types of at least so many bits wrap nothing of it.
        let modulus = 1i128 << bits;
        let mut inner = Sum::default();
        let mut whole = true;
        for (monomial, factor) in &self.sum_of(a).0 {
            let mut product = Sum::default();
            product.0.insert(Vec::new(), *factor);
            for &term in monomial {
                let part = match self.node(term) {
                    Node::Wrap { bits: of_bits, of, .. } if *of_bits >= bits => *of,
                    _ => term,
                };
                match product.times(&self.sum_of(part)) {
                    Some(p) => product = p,
                    None => whole = false,
                }
            }
            whole &= inner.add_all(&product, 1).is_some();
        }
        if !whole {
            return self.intern(Node::Wrap { bits, signed, of: a });
        }
        for factor in inner.0.values_mut() {
            *factor = factor.rem_euclid(modulus);
        }
        let inner = self.of_sum(inner);
        if let Some(value) = self.as_int(inner) {
            let value = if signed && value >= modulus / 2 { value - modulus } else { value };
            return self.int(value);
        }
        // A value of the type itself, as it was.
        let range = self.bounds(inner);
        if range.lo.is_some() && range.hi.is_some() && range.within(type_range) == range {
            return inner;
        }
        self.intern(Node::Wrap { bits, signed, of: inner })
    }

    /// `a >= 0`
    pub(super) fn not_negative(&mut self, a: Term) -> Term {
        if let Some(&known) = self.made.comparisons.get(&a) {
            return known;
        }
        let made = self.not_negative_anew(a);
        self.made.comparisons.insert(a, made);
        made
    }

    fn not_negative_anew(&mut self, a: Term) -> Term {
        let range = self.bounds(a);
        if range.not_negative() {
            return self.truth(true);
        }
        if range.negative() {
            return self.truth(false);
        }
        // g*x + k >= 0 is x + k//g >= 0.
        let mut sum = self.sum_of(a);
        let g = sum.gcd();
        if g > 1 {
            for (monomial, factor) in &mut sum.0 {
                *factor = if monomial.is_empty() { factor.div_euclid(g) } else { *factor / g };
            }
            let a = self.of_sum(sum);
            return self.not_negative(a);
        }
        match self.without_quotient(&sum) {
            Some(a) => self.not_negative(a),
            None => {
                let condition = self.intern(Node::NotNegative(a));
                self.on_few_values(condition)
            }
        }
    }

    /// What is not negative if and only if a sum with a quotient by a number is not: `p // c + y >= 0` where
    /// `p + c*y >= 0`, `y - p // c >= 0` where `p < c*(y + 1)`.
    fn without_quotient(&mut self, sum: &Sum) -> Option<Term> {
        self.multiplied(sum, 1, |terms, by| terms.as_int(by).is_some_and(|c| c > 0))
    }

    /// The condition as one without quotients by sizes, as [`Terms::not_negative`] writes those by numbers. Such a product is
    /// another form, no simpler one: what is known of quotients is found by them. Several times a quotient is as much of the rest:
    /// `3 * q + r >= 0` is `q + r // 3 >= 0`; and what is less than a step goes.
    pub(super) fn without_quotients_by_sizes(&mut self, condition: Term) -> Option<Term> {
        const MAX_TIMES: u64 = 64;
        let Node::NotNegative(of) = *self.node(condition) else { return None };
        let sum = self.sum_of(of);
        if let Some(steps) = self.coarse_comparison(&sum) {
            return Some(self.not_negative(steps));
        }
        let is_size = |terms: &Terms, by: Term| terms.as_int(by).is_none() && terms.range(by).not_negative();
        let product = self.multiplied(&sum, MAX_TIMES, is_size)?;
        Some(self.not_negative(product))
    }

    /// What is not negative if and only if a sum is not, multiplied by a positive divisor of one of its quotients, of which there
    /// are so many at most.
    fn multiplied(
        &mut self,
        sum: &Sum,
        most: u64,
        is_positive: impl Fn(&Terms, Term) -> bool,
    ) -> Option<Term> {
        let (term, p, by, factor) = sum.0.iter().find_map(|(monomial, &factor)| match monomial[..] {
            [term] if factor.unsigned_abs() <= u128::from(most) => match *self.node(term) {
                Node::Quotient(p, by) if is_positive(self, by) => Some((term, p, by, factor)),
                _ => None,
            },
            _ => None,
        })?;
        let sum = self.of_sum(sum.clone());
        let mut y = self.add_scaled(sum, term, -factor);
        if factor.abs() != 1 {
            // The greatest integer that is so many times no more than the rest; `-1 - (-1 - y) // d` is `y // d`.
            let (times, minus_one) = (self.int(factor.abs()), self.int(-1));
            y = if factor > 0 {
                self.quotient(y, times)
            } else {
                let negated = self.sub(minus_one, y);
                let quotient = self.quotient(negated, times);
                self.sub(minus_one, quotient)
            };
        }
        let product = self.mul(by, y);
        if factor > 0 {
            return Some(self.add(p, product));
        }
        let above = self.sub(by, p);
        let product = self.add(above, product);
        let one = self.int(1);
        Some(self.sub(product, one))
    }

    /// Whether two sums have a product in common, with factors of one sign: else no more is known of their difference than of
    /// the first one, if the second one is not negative.
    pub(super) fn shares(&self, a: Term, b: Term) -> bool {
        let (a, b) = (self.products(a), self.products(b));
        let same = |monomial: &Monomial, factor: &i128| {
            let at = b.binary_search_by(|(other, _)| other.cmp(monomial));
            at.is_ok_and(|at| b[at].1.signum() == factor.signum())
        };
        a.iter().any(|(monomial, factor)| !monomial.is_empty() && same(monomial, factor))
    }

    /// Whether `a - b` is not negative by the ranges of its products, and `b` has something in common with `a`. The difference is
    /// no new term.
    pub(super) fn is_above(&self, a: Term, b: Term) -> bool {
        if !self.shares(a, b) {
            return false;
        }
        let Some(difference) = added(&self.products(a), &self.products(b), -1) else { return false };
        let parts = match self.pairs.is_empty() {
            true => difference,
            false => self.without_pairs(Sum(difference.into_iter().collect())).0.into_iter().collect(),
        };
        let range = parts.iter().fold(Range::point(0), |sum, (monomial, factor)| {
            sum.plus(self.range_of_product(monomial).times(Range::point(*factor)))
        });
        range.not_negative()
            || self.known(&Node::Sum(parts)).is_some_and(|known| self.range(known).not_negative())
    }

    /// `a <= b`
    pub(super) fn at_most(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(b, a);
        self.not_negative(difference)
    }

    /// `a < b`
    pub(super) fn less(&mut self, a: Term, b: Term) -> Term {
        let difference = self.sub(b, a);
        let one = self.int(1);
        let difference = self.sub(difference, one);
        self.not_negative(difference)
    }

    /// `a == 0`
    pub(super) fn is_zero(&mut self, a: Term) -> Term {
        let range = self.bounds(a);
        if range.nonzero() {
            return self.truth(false);
        }
        let mut sum = self.sum_of(a);
        let (g, constant) = (sum.gcd(), sum.constant());
        if g == 0 {
            return self.truth(constant == 0);
        }
        if constant % g != 0 {
            return self.truth(false);
        }
        let sign = sum.0.iter().find(|(monomial, _)| !monomial.is_empty()).map_or(1, |(_, f)| f.signum());
        for factor in sum.0.values_mut() {
            *factor = *factor / g * sign;
        }
        let a = self.of_sum(sum);
        if self.range(a).nonzero() {
            return self.truth(false);
        }
        let condition = self.intern(Node::IsZero(a));
        self.on_few_values(condition)
    }
}
