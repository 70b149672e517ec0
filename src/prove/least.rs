//! Whether a sum is never negative, by the ends of what its parts may be: where it grows with a part, it is least where the part
//! is least, else where it is greatest. The ends may be sums of other parts, and so may what the part is multiplied with, so
//! that places of elements stay below products of sizes.

use super::arith::Sum;
use super::division::without;
use super::term::{Monomial, Node, Term, Terms};

/// How often a part is put at one of its ends, for one sum.
const MAX_STEPS: usize = 40;

/// How many products of sums are looked at for one sum.
const MAX_PRODUCTS: usize = 4_000;

/// What may still be done for one sum.
struct Left {
    steps: usize,
    products: usize,
}

/// Ends of types are so far away that they say nothing.
pub(super) const FAR: i128 = 1 << 20;

/// How many ends of a part are tried, the shortest first.
const MAX_ENDS: usize = 3;

impl Terms {
    /// Whether a sum is not negative where some others, the bounds, are not.
    pub(super) fn not_negative_at_ends(&mut self, bounds: &[Term], sum: Term) -> bool {
        let asked = (bounds.to_vec(), sum);
        if let Some(&known) = self.signs.get(&asked) {
            return known;
        }
        let (opened, mut left) = (self.opened(bounds), Left { steps: MAX_STEPS, products: MAX_PRODUCTS });
        let found = self.at_ends(&opened, sum, None, &mut left);
        self.signs.insert(asked, found);
        found
    }

    /// Bounds, and what those say in which there are minima and maxima: none of the operands of a minimum is less than it, and
    /// all operands but one may be too small.
    pub(super) fn opened(&mut self, bounds: &[Term]) -> Vec<Term> {
        /// Most bounds that come in addition.
        const MAX_NEW: usize = 24;
        let mut all = bounds.to_vec();
        let mut next = 0;
        while let Some(&bound) = all.get(next) {
            next += 1;
            let extremum =
                self.sum_of(bound).0.into_iter().find_map(|(monomial, factor)| match monomial[..] {
                    [part] => match self.node(part) {
                        Node::Extremum { greatest, of } => {
                            Some((part, factor, (factor > 0) != *greatest, of.clone()))
                        }
                        _ => None,
                    },
                    _ => None,
                });
            let Some((part, factor, each, of)) = extremum else { continue };
            let mut found = Vec::new();
            for operand in of {
                let difference = self.sub(operand, part);
                let there = self.add_scaled(bound, difference, factor);
                if each || !self.bounds(there).negative() {
                    found.push(there);
                }
            }
            let says = each || found.len() == 1;
            // As conditions have them: `h - (h + 1) // 2 - 1 >= 0` is `h - 2 >= 0`.
            for at in 0..found.len() {
                let condition = self.not_negative(found[at]);
                if let Node::NotNegative(plainer) = *self.node(condition)
                    && plainer != found[at]
                {
                    found.push(plainer);
                }
            }
            found.retain(|new| says && !all.contains(new));
            found.truncate((bounds.len() + MAX_NEW).saturating_sub(all.len()));
            all.extend(found);
        }
        all
    }

    /// Parts that were made last are put at their ends first, which are made of what was made before; each may stay as well.
    /// Only parts that were made before one are looked at, if there is one.
    fn at_ends(&mut self, bounds: &[Term], sum: Term, before: Option<Term>, left: &mut Left) -> bool {
        if self.bounds(sum).not_negative() {
            return true;
        }
        for part in self.parts_of_sum(sum).into_iter().rev() {
            if before.is_some_and(|before| part >= before) {
                continue;
            }
            let size = self.sum_of(sum).0.len();
            if left.products < size {
                return false;
            }
            left.products -= size;
            let Some((by, rest)) = self.linear_in(sum, part) else { continue };
            let Some(grows) = self.is_not_negative(bounds, by, left) else { continue };
            for end in self.ends(bounds, part, grows).into_iter().take(MAX_ENDS) {
                if left.steps == 0 {
                    return false;
                }
                left.steps -= 1;
                let there = self.mul(by, end);
                let least = self.add(rest, there);
                if self.at_ends(bounds, least, Some(part), left) {
                    return true;
                }
            }
        }
        self.has_positive_group(bounds, sum, left)
    }

    /// Whether what a part is multiplied with is not negative, or not positive.
    fn is_not_negative(&mut self, bounds: &[Term], by: Term, left: &mut Left) -> Option<bool> {
        let range = self.bounds(by);
        if range.not_negative() {
            return Some(true);
        }
        if range.hi.is_some_and(|hi| hi <= 0) {
            return Some(false);
        }
        let zero = self.int(0);
        let negated = self.sub(zero, by);
        [(by, true), (negated, false)]
            .into_iter()
            .find(|&(sum, _)| self.at_ends(bounds, sum, None, left))
            .map(|(_, grows)| grows)
    }

    /// Whether something that quotients are multiplied with is not negative, nor is all that it multiplies, nor the rest:
    /// `h * ((c + 3) // 4) - h * (c // 4) + r`.
    fn has_positive_group(&mut self, bounds: &[Term], sum: Term, left: &mut Left) -> bool {
        let all = self.sum_of(sum);
        let factors: Vec<Monomial> = all
            .0
            .keys()
            .filter_map(|monomial| {
                let at = monomial.iter().position(|&term| self.is_quotient(term))?;
                let mut factor = monomial.clone();
                factor.remove(at);
                (!factor.is_empty() && self.range_of_product(&factor).not_negative()).then_some(factor)
            })
            .collect();
        for factor in factors {
            let (mut inside, mut rest) = (Sum::default(), Sum::default());
            for (monomial, &number) in &all.0 {
                let added = match without(monomial, &factor) {
                    Some(left) => inside.add(left, number),
                    None => rest.add(monomial.clone(), number),
                };
                if added.is_none() {
                    return false;
                }
            }
            let (inside, rest) = (self.of_sum(inside), self.of_sum(rest));
            let inside = self.not_negative(inside);
            if left.steps > 0 && self.as_truth(inside) == Some(true) {
                left.steps -= 1;
                return self.at_ends(bounds, rest, None, left);
            }
        }
        false
    }

    fn is_quotient(&self, term: Term) -> bool {
        matches!(self.node(term), Node::Quotient(..))
    }

    /// What a sum multiplies, once each, in the order in which it was made.
    fn parts_of_sum(&self, sum: Term) -> Vec<Term> {
        let mut parts: Vec<Term> = self.sum_of(sum).0.into_keys().flatten().collect();
        parts.sort_unstable();
        parts.dedup();
        parts
    }

    /// A sum as `by * part + rest`, where neither of these depends on the part.
    fn linear_in(&mut self, sum: Term, part: Term) -> Option<(Term, Term)> {
        let (mut by, mut rest) = (Sum::default(), Sum::default());
        for (monomial, factor) in self.sum_of(sum).0 {
            match monomial.iter().position(|&t| t == part) {
                Some(at) => {
                    let mut others: Monomial = monomial;
                    others.remove(at);
                    by.add(others, factor)?;
                }
                None => rest.add(monomial, factor)?,
            }
        }
        let (by, rest) = (self.of_sum(by), self.of_sum(rest));
        let depends = |term: Term| self.mentions(term, &|other| other == part);
        (!depends(by) && !depends(rest)).then_some((by, rest))
    }

    /// The least, or the greatest values of a part that bounds and its range allow, the shortest first.
    pub(super) fn ends(&mut self, bounds: &[Term], part: Term, least: bool) -> Vec<Term> {
        let mut ends: Vec<Term> = bounds.iter().filter_map(|&bound| self.end(bound, part, least)).collect();
        let range = self.range(part);
        let end = if least { range.lo } else { range.hi }.filter(|end| end.abs() < FAR);
        ends.extend(end.map(|end| self.int(end)));
        ends.extend(bounds.iter().filter_map(|&bound| self.end_of_quotient(bound, part, least)));
        ends.sort_by_key(|&end| self.sum_of(end).0.len());
        ends
    }

    /// The least, or the greatest value of a quotient by a number, if a bound says between what numbers the dividend is.
    fn end_of_quotient(&mut self, bound: Term, part: Term, least: bool) -> Option<Term> {
        let Node::Quotient(dividend, by) = *self.node(part) else { return None };
        let by = self.as_int(by).filter(|&by| by > 0)?;
        let end = if least { self.sub(dividend, bound) } else { self.add(dividend, bound) };
        let end = self.as_int(end)?;
        Some(self.int(end.div_euclid(by)))
    }

    /// The least, or the greatest value of a part that a bound allows.
    fn end(&mut self, bound: Term, part: Term, least: bool) -> Option<Term> {
        let Node::Sum(products) = self.node(bound) else { return None };
        let factor = products.iter().find(|(monomial, _)| monomial[..] == [part])?.1;
        if (factor > 0) != least || factor == 0 {
            return None;
        }
        // `k * part + other >= 0` or `other - k * part >= 0`.
        let other = self.add_scaled(bound, part, factor.checked_neg()?);
        if self.mentions(other, &|term| term == part) {
            return None;
        }
        let k = self.int(factor.checked_abs()?);
        let end = self.quotient(other, k);
        let zero = self.int(0);
        Some(if least { self.sub(zero, end) } else { end })
    }
}
