//! Minima and maxima in one form: what is added to all operands and what all are multiples of comes out, and of a maximum of a
//! minimum with constants as bounds a minimum of a maximum is made.

use super::super::check::bounds::gcd;
use super::super::check::sexp::Sexp;
use super::super::check::term::{Monomial, Node, Term};
use super::reduce::{At, known_constant};

impl At<'_> {
    /// A step towards the one form of a minimum or maximum.
    pub(super) fn extremum_form(&mut self, parts: &[Term], greatest: bool) -> Option<Sexp> {
        let &[a, b] = parts else { return None };
        self.shifted(a, b, greatest).or_else(|| self.factored(a, b, greatest)).or_else(|| {
            let clamps = [(a, b), (b, a)].into_iter().filter(|_| greatest);
            clamps.into_iter().find_map(|(inner, bound)| self.clamp(inner, bound))
        })
    }

    /// A constant that is added to the operand that comes first, whatever is added to it.
    fn shifted(&mut self, a: Term, b: Term, greatest: bool) -> Option<Sexp> {
        let [x, y] = [a, b].map(|part| self.without_constant(part));
        let (_, constant) = [x, y].into_iter().filter(|(products, _)| !products.is_empty()).min()?;
        if constant == 0 {
            return None;
        }
        let r = self.terms.int(constant);
        let (p, q) = (self.terms.sub(a, r), self.terms.sub(b, r));
        let whole = self.terms.extremum(greatest, a, b);
        let rule = if greatest { "extremum-of-sums-max" } else { "extremum-of-sums" };
        self.solve(whole, rule, &[("?p", p), ("?q", q), ("?r", r)], [])
    }

    /// The products of a term, and its constant.
    fn without_constant(&self, term: Term) -> (Vec<(Monomial, i128)>, i128) {
        let (constant, products): (Vec<_>, Vec<_>) =
            self.terms.products(term).into_iter().partition(|(monomial, _)| monomial.is_empty());
        (products, constant.first().map_or(0, |(_, factor)| *factor))
    }

    /// A common factor of both operands.
    fn factored(&mut self, a: Term, b: Term, greatest: bool) -> Option<Sexp> {
        let [x, y] = [a, b].map(|part| self.terms.products(part));
        let common = x.iter().chain(&y).fold(0, |common, (_, factor)| gcd(common, *factor));
        // The rules have no such one for the greatest.
        if common <= 1 || greatest {
            return None;
        }
        let [p, q] = [x, y].map(|products| products.into_iter().map(|(m, f)| (m, f / common)).collect());
        let (p, q, c) = (self.terms.sum(p)?, self.terms.sum(q)?, self.terms.int(common));
        let letters = [("?a", p), ("?b", q), ("?c", c)];
        self.rewrite("extremum-normal-form-factor", &letters, [known_constant()])
    }

    /// The greater one of a constant and of a minimum with a constant.
    fn clamp(&mut self, inner: Term, low: Term) -> Option<Sexp> {
        let Node::Least(parts) = self.terms.node(inner).clone() else { return None };
        let &[x, y] = &parts[..] else { return None };
        let (x, high) = if self.terms.as_int(x).is_some() { (y, x) } else { (x, y) };
        let in_order = self.terms.as_int(low)? <= self.terms.as_int(high)?;
        in_order.then(|| {
            self.rewrite("clamp-order", &[("?x", x), ("#a", high), ("#b", low)], [known_constant()])
        })?
    }
}
