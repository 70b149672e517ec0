//! Quotients that are each other's complement: `(x + 1) // 2` is `x - x // 2`, and `(a*x + c) // d` is
//! `x - ((d - a)*x + d - 1 - c) // d`, for any integer `x` and positive `d`. Neither is simpler, so the one that is made first
//! stays, and the other one is made of it.

use super::arith::Sum;
use super::term::{Node, Term, Terms};

impl Terms {
    /// The quotient of a sum by a positive number, both as they are.
    pub(super) fn quotient_or_complement(&mut self, sum: Term, by: i128) -> Term {
        let d = self.int(by);
        if let Some((whole, complement)) = self.complement(sum, by)
            && self.known(&Node::Quotient(sum, d)).is_none()
            && let Some(other) = self.known(&Node::Quotient(complement, d))
        {
            return self.sub(whole, other);
        }
        self.intern(Node::Quotient(sum, d))
    }

    /// Where the complement of a sum has the same products, as that of what is halved has, and a smaller constant: what both
    /// quotients add up to, and the complement. `(x + 1) // 2` is `x - x // 2`.
    pub(super) fn simpler_complement(&mut self, sum: Term, by: i128) -> Option<(Term, Term)> {
        let products = self.sum_of(sum);
        let constant = products.constant();
        let is_half = |factor: i128| factor.checked_mul(2) == Some(by);
        let halved = products.0.iter().all(|(monomial, &factor)| monomial.is_empty() || is_half(factor));
        if !halved || constant <= by.checked_sub(1)?.checked_sub(constant)? {
            return None;
        }
        self.complement(sum, by)
    }

    /// What the quotients of a sum and of its complement add up to, and the latter.
    fn complement(&mut self, sum: Term, by: i128) -> Option<(Term, Term)> {
        let (mut whole, mut other) = (Sum::default(), Sum::default());
        let sum = self.sum_of(sum);
        for (monomial, factor) in sum.0.iter().filter(|(monomial, _)| !monomial.is_empty()) {
            whole.add(monomial.clone(), 1)?;
            other.add(monomial.clone(), by.checked_sub(*factor)?)?;
        }
        other.add(Vec::new(), by.checked_sub(1)?.checked_sub(sum.constant())?)?;
        Some((self.of_sum(whole), self.of_sum(other)))
    }
}
