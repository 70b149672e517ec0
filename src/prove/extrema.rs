//! The least and the greatest of integers, in normal form: one set of operands whatever the order and nesting, with what they
//! have in common taken out, without those that others bound, and a lower bound outside of an upper one.

use super::arith::Sum;
use super::term::{Monomial, Node, Term, Terms};

impl Terms {
    /// The least or greatest of two integers.
    pub(super) fn extremum(&mut self, greatest: bool, a: Term, b: Term) -> Term {
        let mut all = Vec::new();
        for term in [a, b] {
            self.operands_of(greatest, term, &mut all);
        }
        let offset = self.offset_of(&all);
        let offset = self.of_sum(offset);
        let mut all: Vec<Term> = all.into_iter().map(|term| self.sub(term, offset)).collect();
        all.sort_unstable();
        all.dedup();
        let kept = self.unbeaten(greatest, &all);
        let value = match kept[..] {
            [] => all[0],
            [one] => one,
            [x, y] => match self.clamped(greatest, x, y).or_else(|| self.clamped(greatest, y, x)) {
                Some(value) => value,
                None => {
                    let other = self.known(&Node::Extremum { greatest: !greatest, of: kept.clone() });
                    let value = self.intern(Node::Extremum { greatest, of: kept });
                    if let Some(other) = other {
                        let both = self.add(x, y);
                        self.made.clear();
                        self.pairs.insert(value, (other, both));
                        self.pairs.insert(other, (value, both));
                    }
                    value
                }
            },
            _ => self.intern(Node::Extremum { greatest, of: kept }),
        };
        self.add(value, offset)
    }

    /// A sum in which no minimum stands beside the maximum of the same two integers: together they are the sum of these.
    pub(super) fn without_pairs(&self, mut sum: Sum) -> Sum {
        let without = |mut sum: Sum, (one, other, both, factor): (Monomial, Monomial, Sum, i128)| {
            sum.add(one, factor.checked_neg()?)?;
            sum.add(other, factor.checked_neg()?)?;
            sum.add_all(&both, factor)?;
            sum.0.retain(|_, factor| *factor != 0);
            Some(sum)
        };
        while !self.pairs.is_empty()
            && let Some(pair) = self.pair_in(&sum)
            && let Some(made) = without(sum.clone(), pair)
        {
            sum = made;
        }
        sum
    }

    /// Two products of a sum that have such a pair, how often they are there together, and what they add up to.
    fn pair_in(&self, sum: &Sum) -> Option<(Monomial, Monomial, Sum, i128)> {
        sum.0.iter().find_map(|(monomial, &factor)| {
            monomial.iter().enumerate().find_map(|(at, part)| {
                let &(other, both) = self.pairs.get(part)?;
                let mut rest = monomial.clone();
                rest.remove(at);
                let mut partner: Monomial = rest.iter().copied().chain([other]).collect();
                partner.sort_unstable();
                let beside = sum.0.get(&partner).copied().filter(|f| f.signum() == factor.signum())?;
                let times = if factor.abs() <= beside.abs() { factor } else { beside };
                let rest = Sum([(rest, 1)].into_iter().collect());
                Some((monomial.clone(), partner, self.sum_of(both).times(&rest)?, times))
            })
        })
    }

    /// Adds the operands of an extremum of the same kind, perhaps with something added to it, or else the term itself.
    fn operands_of(&mut self, greatest: bool, term: Term, into: &mut Vec<Term>) {
        let inner =
            self.sum_of(term).0.iter().find_map(|(monomial, &factor)| match (&monomial[..], factor) {
                ([part], 1) => match self.node(*part) {
                    Node::Extremum { greatest: g, of } if *g == greatest => Some((*part, of.clone())),
                    _ => None,
                },
                _ => None,
            });
        match inner {
            Some((part, of)) => {
                let rest = self.sub(term, part);
                into.extend(of.into_iter().map(|operand| self.add(operand, rest)));
            }
            None => into.push(term),
        }
    }

    /// What all operands have in common, and the constant of the first one that is none.
    fn offset_of(&self, all: &[Term]) -> Sum {
        let sums: Vec<Sum> = all.iter().map(|&term| self.sum_of(term)).collect();
        let mut common = sums[0].clone();
        common.0.retain(|monomial, factor| {
            !monomial.is_empty() && sums.iter().all(|sum| sum.0.get(monomial) == Some(factor))
        });
        let varies = |sum: &Sum| -> Vec<(Monomial, i128)> {
            let own = sum
                .0
                .iter()
                .filter(|(monomial, _)| !monomial.is_empty() && !common.0.contains_key(*monomial));
            own.map(|(monomial, factor)| (monomial.clone(), *factor)).collect()
        };
        let first =
            sums.iter().filter(|sum| !varies(sum).is_empty()).min_by_key(|sum| (varies(sum), sum.constant()));
        if let Some(constant) = first.map(Sum::constant).filter(|&constant| constant != 0) {
            common.0.insert(Vec::new(), constant);
        }
        common
    }

    /// Operands without those that are never beyond another one.
    fn unbeaten(&mut self, greatest: bool, all: &[Term]) -> Vec<Term> {
        let mut kept = Vec::new();
        for (i, &term) in all.iter().enumerate() {
            let beaten = all.iter().enumerate().any(|(j, &other)| {
                let difference = if greatest { self.sub(other, term) } else { self.sub(term, other) };
                let range = self.bounds(difference);
                i != j && range.not_negative() && (j < i || range.lo != Some(0) || range.hi != Some(0))
            });
            if !beaten {
                kept.push(term);
            }
        }
        kept
    }

    /// `min(a, max(b, r)) = max(b, min(a, r))` for constants `b <= a`.
    fn clamped(&mut self, greatest: bool, constant: Term, other: Term) -> Option<Term> {
        let (a, Node::Extremum { greatest: true, of }) = (self.as_int(constant)?, self.node(other).clone())
        else {
            return None;
        };
        let lower = of.iter().copied().find(|&term| self.as_int(term).is_some_and(|b| b <= a))?;
        if greatest {
            return None;
        }
        let rest: Vec<Term> = of.into_iter().filter(|&term| term != lower).collect();
        let (&first, others) = rest.split_first()?;
        let rest = others.iter().fold(first, |value, &term| self.extremum(true, value, term));
        let upper = self.extremum(false, constant, rest);
        Some(self.extremum(true, lower, upper))
    }
}
