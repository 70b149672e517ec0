//! Division of terms. A quotient stands for floor division by what is not 0: that a divisor is not 0 is shown elsewhere, so
//! each identity here may rely on it, and a divisor that is not negative is positive.
//!
//! What is a multiple of the divisor comes out, a quotient of a quotient is one quotient, common factors go. A remainder is what
//! the quotient leaves. So fused indices that are taken apart in other ways have one normal form, for symbolic sizes too.

use super::arith::{Sum, gcd};
use super::term::{Monomial, Node, Term, Terms};

/// How many divisions inside of others are looked through, of one quotient.
const MAX_DEPTH: u32 = 24;

impl Sum {
    /// Quotient and remainder of each factor: the sum is `by * quotient + remainder`.
    pub(super) fn split(&self, by: i128, remainder: impl Fn(i128) -> i128) -> Option<(Sum, Sum)> {
        let (mut quotient, mut rest) = (Sum::default(), Sum::default());
        for (monomial, factor) in &self.0 {
            let left = remainder(*factor);
            rest.add(monomial.clone(), left)?;
            quotient.add(monomial.clone(), factor.checked_sub(left)? / by)?;
        }
        Some((quotient, rest))
    }

    /// The greatest product by degree, then by its factors, with its factor: multiplying keeps this order. `None` for a
    /// constant.
    fn lead(&self) -> Option<(&Monomial, i128)> {
        let lead = self
            .0
            .iter()
            .filter(|(_, f)| **f != 0)
            .max_by_key(|(monomial, _)| (monomial.len(), *monomial))?;
        (!lead.0.is_empty()).then_some((lead.0, *lead.1))
    }

    /// Division of polynomials: the sum is `by * quotient + rest`, and no product of the rest is one of the first product of
    /// `by`, but for less than its factor. `None` if numbers are too large, or the divisor is a constant.
    pub(super) fn divided(&self, by: &Sum) -> Option<(Sum, Sum)> {
        /// Most products that come out.
        const MAX_STEPS: usize = 200;
        let (lead, factor) = by.lead()?;
        let (mut quotient, mut rest, mut open) = (Sum::default(), Sum::default(), self.clone());
        for _ in 0..MAX_STEPS {
            let Some((monomial, f)) = open.lead().map(|(monomial, f)| (monomial.clone(), f)) else {
                rest.add(Vec::new(), open.constant())?;
                return Some((quotient, rest));
            };
            let times = f.div_euclid(factor);
            if let (Some(left), true) = (without(&monomial, lead), times != 0) {
                let mut part = Sum::default();
                part.add(left.clone(), times)?;
                quotient.add(left, times)?;
                open.add_all(&part.times(by)?, -1)?;
            }
            let kept = open.0.remove(&monomial).unwrap_or(0);
            rest.add(monomial, kept)?;
        }
        None
    }

    /// The sum divided by another one, if nothing is left.
    pub(super) fn exactly_by(&self, by: &Sum) -> Option<Sum> {
        if by.lead().is_none() {
            let constant = by.constant();
            let (quotient, rest) =
                if constant == 0 { return None } else { self.split(constant, |f| f % constant)? };
            return rest.0.values().all(|f| *f == 0).then_some(quotient);
        }
        let (quotient, rest) = self.divided(by)?;
        rest.0.values().all(|f| *f == 0).then_some(quotient)
    }
}

impl Terms {
    /// `a // b` for `b` that is not 0.
    pub(super) fn quotient(&mut self, a: Term, b: Term) -> Term {
        if let Some(&known) = self.made.quotients.get(&(a, b)) {
            return known;
        }
        self.depth += 1;
        let quotient = match self.as_int(b) {
            _ if self.depth > MAX_DEPTH => self.intern(Node::Quotient(a, b)),
            Some(0) => self.int(0),
            Some(1) => a,
            Some(by @ i128::MIN..0) => {
                let zero = self.int(0);
                let (a, b) = (self.sub(zero, a), self.int(-by));
                self.quotient(a, b)
            }
            Some(by) => self.quotient_by_number(a, by),
            None if a == b => self.int(1),
            None => self.quotient_by_sum(a, b),
        };
        self.depth -= 1;
        // Deep inside of others not all is looked through.
        if self.depth == 0 {
            self.made.quotients.insert((a, b), quotient);
        }
        quotient
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
            let range = self.bounds(rest);
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
        let divisor = self.int(by);
        if let Some(quotient) = self.coarse_quotient(&rest, &self.sum_of(divisor)) {
            return quotient;
        }
        let rest = self.of_sum(rest);
        self.nested(rest, divisor).unwrap_or_else(|| self.quotient_or_complement(rest, by))
    }

    /// `(x//c + y) // d = (x + c*y) // (c*d)` for a divisor that is positive.
    fn nested(&mut self, a: Term, d: Term) -> Option<Term> {
        let (x, c, term) =
            self.sum_of(a).0.iter().find_map(|(monomial, &factor)| match (&monomial[..], factor) {
                ([term], 1) => match *self.node(*term) {
                    Node::Quotient(x, c) => Some((x, c, *term)),
                    _ => None,
                },
                _ => None,
            })?;
        // By a number it may be its complement's; by a sum it is found no more.
        if let (None, Some(by)) = (self.as_int(c), self.as_int(d))
            && let Some((whole, complement)) = self.simpler_complement(a, by)
        {
            let other = self.quotient(complement, d);
            return Some(self.sub(whole, other));
        }
        let others = self.sub(a, term);
        let scaled = self.mul(others, c);
        let (inner, by) = (self.add(x, scaled), self.mul(c, d));
        Some(self.quotient(inner, by))
    }

    /// By what is no number: what is a multiple of the divisor comes out.
    fn quotient_by_sum(&mut self, a: Term, b: Term) -> Term {
        let (mut sum, mut divisor) = (self.sum_of(a), self.sum_of(b));
        let whole = Node::Quotient(a, b);
        if divisor.lead().is_some_and(|(_, factor)| factor < 0) {
            for factor in sum.0.values_mut().chain(divisor.0.values_mut()) {
                match factor.checked_neg() {
                    Some(negated) => *factor = negated,
                    None => return self.intern(whole),
                }
            }
        }
        let Some((quotient, rest)) = sum.divided(&divisor) else { return self.intern(whole) };
        let (quotient, rest, divisor) = (self.of_sum(quotient), self.of_sum(rest), self.of_sum(divisor));
        let rest = self.rest_by_sum(rest, divisor);
        self.add(quotient, rest)
    }

    /// Of a sum that holds no multiple of the divisor.
    fn rest_by_sum(&mut self, rest: Term, divisor: Term) -> Term {
        if self.as_int(rest) == Some(0) {
            return rest;
        }
        if let Some(reduced) = self.without_common_factor(rest, divisor) {
            return reduced;
        }
        if self.range(divisor).not_negative() {
            if let Some(quotient) = self.coarse_quotient(&self.sum_of(rest), &self.sum_of(divisor)) {
                return quotient;
            }
            if let Some(quotient) = self.nested(rest, divisor) {
                return quotient;
            }
            if let Some(quotient) = self.by_factor(rest, divisor) {
                return quotient;
            }
        }
        self.intern(Node::Quotient(rest, divisor))
    }

    /// `(g*x) // (g*c) = x // c` for a product `g` of all that is in common.
    fn without_common_factor(&mut self, rest: Term, divisor: Term) -> Option<Term> {
        let (sum, by) = (self.sum_of(rest), self.sum_of(divisor));
        let mut all = sum.0.keys().chain(by.0.keys());
        let mut common = all.next()?.clone();
        for monomial in all {
            let mut left = monomial.clone();
            common.retain(|factor| {
                let at = left.iter().position(|t| t == factor);
                at.map(|at| left.remove(at)).is_some()
            });
        }
        let number = gcd(sum.0.values().fold(0, |g, f| gcd(g, *f)), by.0.values().fold(0, |g, f| gcd(g, *f)));
        if common.is_empty() && number <= 1 {
            return None;
        }
        let reduced = |sum: Sum| {
            let parts = sum.0.iter().map(|(monomial, f)| Some((without(monomial, &common)?, f / number)));
            parts.collect::<Option<_>>().map(Sum)
        };
        let (x, c) = (reduced(sum)?, reduced(by)?);
        let (x, c) = (self.of_sum(x), self.of_sum(c));
        Some(self.quotient(x, c))
    }

    /// `(g*x + r) // (g*c) = (x + r//g) // c` for a divisor `g` of the dividend's own quotients, where `r//g` leaves none.
    fn by_factor(&mut self, rest: Term, divisor: Term) -> Option<Term> {
        let (sum, by) = (self.sum_of(rest), self.sum_of(divisor));
        let mut candidates: Vec<Term> = Vec::new();
        for term in sum.0.keys().flatten() {
            if let Node::Quotient(_, g) = *self.node(*term)
                && !candidates.contains(&g)
            {
                candidates.push(g);
            }
        }
        for g in candidates {
            let factor = self.sum_of(g);
            let Some(c) = by.exactly_by(&factor) else { continue };
            let Some((x, r)) = sum.divided(&factor).filter(|(x, _)| x.0.values().any(|f| *f != 0)) else {
                continue;
            };
            let c = self.of_sum(c);
            if self.as_int(c) == Some(1) || !self.range(c).not_negative() {
                continue;
            }
            let (x, r) = (self.of_sum(x), self.of_sum(r));
            let r = self.quotient(r, g);
            let inner = self.add(x, r);
            let nested = self.sum_of(inner).0.iter().any(|(monomial, f)| match (&monomial[..], f) {
                ([term], 1) => matches!(*self.node(*term), Node::Quotient(_, d) if d == g),
                _ => false,
            });
            if !nested {
                return Some(self.quotient(inner, c));
            }
        }
        None
    }

    /// `a % b` for `b` that is not 0, by the definition.
    pub(super) fn remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.quotient(a, b);
        let product = self.mul(quotient, b);
        self.sub(a, product)
    }

    /// `truncdiv(a, b)` for `b` that is not 0.
    pub(super) fn truncated(&mut self, a: Term, b: Term) -> Term {
        // A multiple of the divisor, whatever its sign.
        if let Some(quotient) = self.sum_of(a).exactly_by(&self.sum_of(b)) {
            return self.of_sum(quotient);
        }
        let (dividend, divisor) = (self.bounds(a), self.bounds(b));
        let zero = self.int(0);
        if dividend.not_negative() && divisor.not_negative() {
            return self.quotient(a, b);
        }
        if dividend.hi.is_some_and(|hi| hi <= 0) && divisor.not_negative() {
            let negated = self.sub(zero, a);
            let quotient = self.quotient(negated, b);
            return self.sub(zero, quotient);
        }
        if divisor.hi.is_some_and(|hi| hi <= 0) && !divisor.not_negative() {
            let negated = self.sub(zero, b);
            let quotient = self.truncated(a, negated);
            return self.sub(zero, quotient);
        }
        if let (Some(lo), Some(hi), Some(d)) = (dividend.lo, dividend.hi, self.as_int(b))
            && d.checked_abs().is_some_and(|d| -d < lo && hi < d)
        {
            return zero;
        }
        self.intern(Node::Truncated(a, b))
    }

    /// The remainder of [`Terms::truncated`].
    pub(super) fn truncated_remainder(&mut self, a: Term, b: Term) -> Term {
        let quotient = self.truncated(a, b);
        let product = self.mul(quotient, b);
        self.sub(a, product)
    }
}

/// The product without the factors of another one, if it has them all.
pub(super) fn without(monomial: &[Term], factors: &[Term]) -> Option<Monomial> {
    let mut left = monomial.to_vec();
    for factor in factors {
        let at = left.iter().position(|t| t == factor)?;
        left.remove(at);
    }
    Some(left)
}
