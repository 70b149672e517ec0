//! Arithmetic on terms: sums in normal form, quotients by their definition, comparisons with zero.

use std::collections::BTreeMap;

use super::term::{Monomial, Node, Term, Terms};

/// A sum that is being made: products with their factors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Sum(BTreeMap<Monomial, i128>);

impl Sum {
    fn constant(&self) -> i128 {
        self.0.get(&[][..]).copied().unwrap_or(0)
    }

    fn add(&mut self, monomial: Monomial, factor: i128) -> Option<()> {
        let entry = self.0.entry(monomial).or_insert(0);
        *entry = entry.checked_add(factor)?;
        Some(())
    }

    fn add_all(&mut self, other: &Sum, factor: i128) -> Option<()> {
        other.0.iter().try_for_each(|(monomial, f)| self.add(monomial.clone(), f.checked_mul(factor)?))
    }

    fn times(&self, other: &Sum) -> Option<Sum> {
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

    /// Quotient and remainder of each factor: the sum is `by * quotient + remainder`.
    fn split(&self, by: i128, remainder: impl Fn(i128) -> i128) -> Option<(Sum, Sum)> {
        let (mut quotient, mut rest) = (Sum::default(), Sum::default());
        for (monomial, factor) in &self.0 {
            let left = remainder(*factor);
            rest.add(monomial.clone(), left)?;
            quotient.add(monomial.clone(), factor.checked_sub(left)? / by)?;
        }
        Some((quotient, rest))
    }

    fn gcd(&self) -> i128 {
        self.0.iter().filter(|(monomial, _)| !monomial.is_empty()).fold(0, |g, (_, f)| gcd(g, *f))
    }
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
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

    fn of_sum(&mut self, mut sum: Sum) -> Term {
        sum.0.retain(|_, factor| *factor != 0);
        if sum.0.is_empty() {
            return self.int(0);
        }
        if sum.0.len() == 1
            && let Some((monomial, &factor)) = sum.0.first_key_value()
        {
            match (&monomial[..], factor) {
                ([], value) => return self.int(value),
                ([term], 1) => return *term,
                _ => {}
            }
        }
        self.intern(Node::Sum(sum.0.into_iter().collect()))
    }

    /// An operation whose numbers are too large to compute with: nothing is known of it.
    fn unknown(&mut self, name: &str, operands: &[Term]) -> Term {
        self.apply(name, crate::ir::DType::int(64), operands.to_vec())
    }

    /// `a + factor * b`
    pub(super) fn add_scaled(&mut self, a: Term, b: Term, factor: i128) -> Term {
        let mut sum = self.sum_of(a);
        match sum.add_all(&self.sum_of(b), factor) {
            Some(()) => self.of_sum(sum),
            None => {
                let factor = self.int(factor);
                self.unknown("large sum", &[a, b, factor])
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

    /// `a // b` for `b` that is not 0.
    pub(super) fn quotient(&mut self, a: Term, b: Term) -> Term {
        if let Some(by) = self.as_int(b) {
            return match by {
                0 => self.int(0),
                1 => a,
                i128::MIN..0 => {
                    let zero = self.int(0);
                    let (a, b) = (self.sub(zero, a), self.int(-by));
                    self.quotient(a, b)
                }
                _ => self.quotient_by_number(a, by),
            };
        }
        if a == b {
            return self.int(1);
        }
        self.quotient_by_product(a, b)
    }

    fn quotient_by_number(&mut self, a: Term, by: i128) -> Term {
        let sum = self.sum_of(a);
        // Factors as they are, between 0 and the divisor, and around 0: the first whose rest is known to be small.
        let centred = |f: i128| {
            let r = f.rem_euclid(by);
            if r > by / 2 { r - by } else { r }
        };
        let whole = |f: i128| f % by;
        for remainder in [&(|f: i128| f.rem_euclid(by)) as &dyn Fn(i128) -> i128, &centred, &whole] {
            let Some((quotient, rest)) = sum.split(by, remainder) else { continue };
            let rest = self.of_sum(rest);
            let range = self.range(rest);
            if let (Some(lo), Some(hi)) = (range.lo, range.hi)
                && lo.div_euclid(by) == hi.div_euclid(by)
            {
                let quotient = self.of_sum(quotient);
                let constant = self.int(lo.div_euclid(by));
                return self.add(quotient, constant);
            }
        }
        let Some((quotient, rest)) = sum.split(by, |f| f.rem_euclid(by)) else {
            let by = self.int(by);
            return self.intern(Node::Quotient(a, by));
        };
        let quotient = self.of_sum(quotient);
        let rest = self.small_quotient(rest, by);
        self.add(quotient, rest)
    }

    /// Of a sum whose factors are below the divisor.
    fn small_quotient(&mut self, rest: Sum, by: i128) -> Term {
        // (g*x + k) // (g*c) = (x + k//g) // c
        let g = gcd(rest.gcd(), by);
        if g > 1 {
            let constant = rest.constant();
            let mut inner = Sum::default();
            for (monomial, factor) in &rest.0 {
                let factor = if monomial.is_empty() { constant.div_euclid(g) } else { factor / g };
                inner.0.insert(monomial.clone(), factor);
            }
            let inner = self.of_sum(inner);
            let by = self.int(by / g);
            return self.quotient(inner, by);
        }
        // (x//c + y) // d = (x + c*y) // (c*d)
        let nested = rest.0.iter().find_map(|(monomial, &factor)| match (&monomial[..], factor) {
            ([term], 1) => match *self.node(*term) {
                Node::Quotient(x, c) => self.as_int(c).filter(|&c| c > 0).map(|c| (*term, x, c)),
                _ => None,
            },
            _ => None,
        });
        let rest = self.of_sum(rest);
        if let Some((term, x, c)) = nested
            && let Some(product) = c.checked_mul(by)
        {
            let other = self.sub(rest, term);
            let inner = self.add_scaled(x, other, c);
            let by = self.int(product);
            return self.quotient(inner, by);
        }
        let by = self.int(by);
        self.intern(Node::Quotient(rest, by))
    }

    /// By what is no number: products that hold the divisor come out.
    fn quotient_by_product(&mut self, a: Term, b: Term) -> Term {
        let divisor = self.sum_of(b);
        let sum = self.sum_of(a);
        let Some((by, factor)) = divisor.0.first_key_value().filter(|_| divisor.0.len() == 1) else {
            return self.intern(Node::Quotient(a, b));
        };
        let (mut quotient, mut rest) = (Sum::default(), Sum::default());
        for (monomial, f) in &sum.0 {
            let into = match without(monomial, by).filter(|_| f % factor == 0) {
                Some(left) => quotient.add(left, f / factor),
                None => rest.add(monomial.clone(), *f),
            };
            if into.is_none() {
                return self.intern(Node::Quotient(a, b));
            }
        }
        let (quotient, rest) = (self.of_sum(quotient), self.of_sum(rest));
        let zero = self.as_int(rest) == Some(0);
        if zero {
            return quotient;
        }
        let rest = self.intern(Node::Quotient(rest, b));
        self.add(quotient, rest)
    }

    /// `a % b` for `b` that is not 0, by the definition.
    pub(super) fn remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.quotient(a, b);
        let product = self.mul(quotient, b);
        self.sub(a, product)
    }

    /// `truncdiv(a, b)` for `b` that is not 0.
    pub(super) fn truncated(&mut self, a: Term, b: Term) -> Term {
        let (dividend, divisor) = (self.range(a), self.range(b));
        let zero = self.int(0);
        if dividend.not_negative() && divisor.not_negative() {
            return self.quotient(a, b);
        }
        if dividend.hi.is_some_and(|hi| hi <= 0) && divisor.not_negative() {
            let negated = self.sub(zero, a);
            let quotient = self.quotient(negated, b);
            return self.sub(zero, quotient);
        }
        if divisor.negative() {
            let negated = self.sub(zero, b);
            let quotient = self.truncated(a, negated);
            return self.sub(zero, quotient);
        }
        self.intern(Node::Truncated(a, b))
    }

    /// The remainder of [`Terms::truncated`].
    pub(super) fn truncated_remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.truncated(a, b);
        let product = self.mul(quotient, b);
        self.sub(a, product)
    }

    /// The least or greatest of two integers.
    pub(super) fn extremum(&mut self, greatest: bool, a: Term, b: Term) -> Term {
        let mut all = Vec::new();
        for term in [a, b] {
            match self.node(term) {
                Node::Extremum { greatest: g, of } if *g == greatest => all.extend(of.iter().copied()),
                _ => all.push(term),
            }
        }
        all.sort_unstable();
        all.dedup();
        // What is never beyond another one goes.
        let mut kept: Vec<Term> = Vec::new();
        for (i, &term) in all.iter().enumerate() {
            let beaten = all.iter().enumerate().any(|(j, &other)| {
                let difference = match greatest {
                    true => self.sub(other, term),
                    false => self.sub(term, other),
                };
                let range = self.range(difference);
                i != j && range.not_negative() && (j < i || range.lo != Some(0) || range.hi != Some(0))
            });
            if !beaten {
                kept.push(term);
            }
        }
        match kept[..] {
            [one] => one,
            [] => a,
            _ => self.intern(Node::Extremum { greatest, of: kept }),
        }
    }

    /// What a type of so many bits makes of an integer.
    pub(super) fn wrap(&mut self, bits: u8, signed: bool, a: Term) -> Term {
        let dtype = if signed { crate::ir::DType::int(bits) } else { crate::ir::DType::uint(bits) };
        let type_range = super::range::Range::of_type(dtype);
        if self.range(a).within(type_range) == self.range(a)
            && self.range(a).lo.is_some()
            && self.range(a).hi.is_some()
        {
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
        let range = self.range(inner);
        if range.lo.is_some() && range.hi.is_some() && range.within(type_range) == range {
            return inner;
        }
        self.intern(Node::Wrap { bits, signed, of: inner })
    }

    /// `a >= 0`
    pub(super) fn not_negative(&mut self, a: Term) -> Term {
        let range = self.range(a);
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
        self.intern(Node::NotNegative(a))
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
        let range = self.range(a);
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
        self.intern(Node::IsZero(a))
    }
}

/// The product without the factors of another one, if it has them all.
fn without(monomial: &[Term], factors: &[Term]) -> Option<Monomial> {
    let mut left = monomial.to_vec();
    for factor in factors {
        let at = left.iter().position(|t| t == factor)?;
        left.remove(at);
    }
    Some(left)
}
