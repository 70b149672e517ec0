//! Bounds of sums, by the remainders that are in them: what `y - d * (y // d)` can be is known for any `y`.

use super::arith::Sum;
use super::range::Range;
use super::term::{Node, Term, Terms};

/// Most truncated quotients of a sum whose remainders bound it.
const MAX_TRUNCATED: usize = 8;

/// Most floor quotients of a sum whose remainders bound it; the sums that are left without these are looked at in turn.
const MAX_FLOORED: usize = 3;

impl Terms {
    /// The range of the value, as [`Terms::range`], with what the remainders in a sum say. It is remembered.
    pub(super) fn bounds(&mut self, term: Term) -> Range {
        if matches!(self.node(term), Node::Sum(_)) && self.refined.insert(term) {
            let (truncated, floored): (Vec<Term>, Vec<Term>) = self
                .quotients_in(term)
                .into_iter()
                .partition(|&quotient| matches!(self.node(quotient), Node::Truncated(..)));
            // Outer ones first, of whose dividends others may be parts; what is left has the others.
            for quotient in floored.into_iter().rev().take(MAX_FLOORED) {
                if let Some(range) = self.by_remainder(term, quotient) {
                    self.narrow(term, range);
                }
            }
            // The outermost one first, of whose dividend others may be parts. What is left has the others, so one is enough.
            let few = truncated.len() <= MAX_TRUNCATED;
            let mut outer_first = truncated.into_iter().rev().filter(|_| few);
            let found = outer_first.find_map(|quotient| self.by_truncated(term, quotient));
            if let Some(range) = found {
                self.narrow(term, range);
            }
        }
        self.range(term)
    }

    /// What a comparison says of a sum, and of the one value that this may be made of: it is known everywhere.
    pub(super) fn restrict_compared(&mut self, condition: Term) {
        let Node::NotNegative(of) = *self.node(condition) else { return };
        self.restrict(of, Range::new(Some(0), None));
        let mut sum = self.sum_of(of);
        let constant = sum.constant();
        sum.0.remove(&Vec::new());
        let mut products = sum.0.into_iter();
        let (Some((monomial, factor)), None) = (products.next(), products.next()) else { return };
        let range = match factor {
            1 => Range::new(constant.checked_neg(), None),
            -1 => Range::new(None, Some(constant)),
            _ => return,
        };
        if let [value] = monomial[..] {
            self.restrict(value, range);
        }
    }

    /// Quotients that are factors in a sum, once each, in the order in which they were made.
    fn quotients_in(&self, sum: Term) -> Vec<Term> {
        let mut found = Vec::new();
        self.for_each_part(sum, |part| {
            if matches!(self.node(part), Node::Quotient(..) | Node::Truncated(..)) && !found.contains(&part) {
                found.push(part);
            }
        });
        found.sort_unstable();
        found
    }

    /// Bounds of a sum that is `rest + k * (a - d * q)` for `q = a / d`, rounded towards 0, by a number that is not 0.
    fn by_truncated(&mut self, sum: Term, q: Term) -> Option<Range> {
        let Node::Truncated(a, by) = *self.node(q) else { return None };
        let d = self.as_int(by).filter(|&d| d != 0)?;
        let factor = *self.sum_of(sum).0.get(&vec![q])?;
        if factor % d != 0 {
            return None;
        }
        let k = -(factor / d);
        let others = self.add_scaled(sum, q, factor.checked_neg()?);
        let rest = self.add_scaled(others, a, k.checked_neg()?);
        let remainder = self.truncated_remainder_range(a, d);
        Some(self.bounds(rest).plus(remainder.times(Range::point(k))))
    }

    /// What `a - d * (a / d)` can be: as far from 0 as the divisor allows, on the side of the dividend.
    fn truncated_remainder_range(&mut self, a: Term, d: i128) -> Range {
        let most = d.checked_abs().map(|d| d - 1);
        let dividend = self.bounds(a);
        let lo = if dividend.not_negative() { Some(0) } else { most.map(|most| -most) };
        let hi = if dividend.hi.is_some_and(|hi| hi <= 0) { Some(0) } else { most };
        Range::new(lo, hi)
    }

    /// Bounds of a sum that is `rest + k * (y - d * q)` for `q = y // d`, where `d` is positive.
    fn by_remainder(&mut self, sum: Term, q: Term) -> Option<Range> {
        let Node::Quotient(p, by) = *self.node(q) else { return None };
        let (mut cofactor, mut others) = (Sum::default(), Sum::default());
        for (monomial, factor) in self.sum_of(sum).0 {
            match monomial.iter().position(|&t| t == q) {
                Some(at) => {
                    let mut left = monomial.clone();
                    left.remove(at);
                    // Its square is not taken apart.
                    if left.contains(&q) {
                        return None;
                    }
                    cofactor.add(left, factor)?;
                }
                None => others.add(monomial, factor)?,
            }
        }
        let content = cofactor.0.values().fold(0, |g, f| super::arith::gcd(g, *f));
        let others = self.of_sum(others);
        let (mut tried, mut known) = (Vec::new(), Range::ALL);
        for k in [content, -content, 1, -1] {
            if k == 0 || tried.contains(&k) {
                continue;
            }
            tried.push(k);
            let minus_k = Sum([(Vec::new(), -k)].into_iter().collect());
            let Some(d) = cofactor.exactly_by(&minus_k) else { continue };
            let (divisor, d) = (self.sum_of(by), self.of_sum(d));
            if !self.range(d).not_negative() {
                continue;
            }
            let Some(c) = divisor.exactly_by(&self.sum_of(d)) else { continue };
            let c = self.of_sum(c);
            let y = self.quotient(p, c);
            if self.quotient(y, d) != q {
                continue;
            }
            let rest = self.add_scaled(others, y, -k);
            let last = self.range(d).hi.and_then(|hi| hi.checked_sub(1));
            let remainder = Range::new(Some(0), last);
            known = known.within(self.bounds(rest).plus(remainder.times(Range::point(k))));
            // The remainder is below the divisor, whatever that is: `d - 1 - y % d` is not negative.
            if self.as_int(d).is_none() {
                let one = self.int(1);
                let most = self.sub(d, one);
                let end = self.add_scaled(rest, most, k);
                let end = self.bounds(end);
                known = known.within(if k > 0 { Range::new(None, end.hi) } else { Range::new(end.lo, None) });
            }
        }
        Some(known)
    }
}
