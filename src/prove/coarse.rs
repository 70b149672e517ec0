//! Quotients of what moves in large steps: `(g*x + r) // (g*c)` is `x // c` for `0 <= r < g`, as in
//! `(4*t + 2*i + j) // 16 = t // 4` for a vector of four. The divisor may be a number or a sum with a number in common.

use super::arith::{Sum, gcd};
use super::term::{Term, Terms};

impl Terms {
    /// The quotient of a sum by a positive multiple of such a number, without what is less than the number.
    pub(super) fn coarse_quotient(&mut self, sum: &Sum, divisor: &Sum) -> Option<Term> {
        let common = divisor.0.values().fold(0, |g, factor| gcd(g, *factor));
        let (step, dividend) = self.in_steps(sum, common)?;
        let (divisor, _) = divisor.split(step, |_| 0)?;
        let divisor = self.of_sum(divisor);
        Some(self.quotient(dividend, divisor))
    }

    /// What is not negative if and only if a sum is not, without what is less than a number that much of it is a multiple of:
    /// `8*x + r >= 0` is `x >= 0` for `0 <= r < 8`.
    pub(super) fn coarse_comparison(&mut self, sum: &Sum) -> Option<Term> {
        self.in_steps(sum, 0).map(|(_, steps)| steps)
    }

    /// A divisor of a number, of any if it is 0, and how often that is in a sum if the rest is less than it, whatever it is.
    fn in_steps(&mut self, sum: &Sum, common: i128) -> Option<(i128, Term)> {
        let mut steps: Vec<i128> = sum
            .0
            .iter()
            .filter(|(monomial, _)| !monomial.is_empty())
            .map(|(_, factor)| gcd(*factor, common))
            .filter(|&step| step > 1)
            .collect();
        steps.sort_unstable();
        steps.dedup();
        for step in steps.into_iter().rev() {
            let (steps, rest) = sum.split(step, |factor| factor.rem_euclid(step))?;
            // Where nothing is left there is a common factor.
            if rest.0.iter().all(|(monomial, factor)| monomial.is_empty() || *factor == 0) {
                continue;
            }
            let rest = self.of_sum(rest);
            let range = self.bounds(rest);
            let (Some(lo), Some(hi)) = (range.lo, range.hi) else { continue };
            let whole = lo.div_euclid(step);
            if whole == hi.div_euclid(step) {
                let (steps, whole) = (self.of_sum(steps), self.int(whole));
                return Some((step, self.add(steps, whole)));
            }
        }
        None
    }
}
