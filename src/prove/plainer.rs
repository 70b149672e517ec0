//! Sums of minima and maxima that are plain sums: `min(1, h) + max(0, h - 1)` is `h` for sizes. The lengths of pieces of a loop
//! are such sums, perhaps multiplied by others; what they are is guessed by values, and owed.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::arith::Sum;
use super::term::{Monomial, Node, Term, Terms};

/// Most free values that such a sum depends on.
const MAX_FREE: usize = 4;

impl Terms {
    /// The term with such sums as plain ones, and which of them have to be equal for that. `seems_zero` says what is 0 for some
    /// values.
    pub(super) fn plainer(
        &mut self,
        term: Term,
        seems_zero: &dyn Fn(&Terms, Term) -> bool,
    ) -> (Term, Vec<(Term, Term)>) {
        /// How many extrema may be multiplied.
        const MAX_ROUNDS: usize = 3;
        let (mut term, mut owed) = (term, Vec::new());
        for _ in 0..MAX_ROUNDS {
            let known = owed.len();
            let (mut groups, mut rest): (BTreeMap<Monomial, Sum>, Sum) = Default::default();
            for (monomial, factor) in self.sum_of(term).0 {
                let at = monomial.iter().position(|&part| matches!(self.node(part), Node::Extremum { .. }));
                let mut others = monomial.clone();
                let added = match at.map(|at| others.remove(at)) {
                    Some(extremum) => groups.entry(others).or_default().add(vec![extremum], factor),
                    None => rest.add(monomial, factor),
                };
                if added.is_none() {
                    return (term, owed);
                }
            }
            let mut made = self.of_sum(rest);
            for (others, sum) in groups {
                let sum = self.of_sum(sum);
                let by = self.of_sum(Sum([(others, 1)].into_iter().collect()));
                let plain = self.linear_like(sum).filter(|&plain| {
                    let difference = self.sub(sum, plain);
                    seems_zero(self, difference)
                });
                owed.extend(plain.map(|plain| (sum, plain)));
                let product = self.mul(by, plain.unwrap_or(sum));
                made = self.add(made, product);
            }
            if owed.len() == known {
                break;
            }
            term = made;
        }
        (term, owed)
    }

    /// Whether a minimum or maximum is a part of a sum.
    pub(super) fn has_extremum(&self, sum: Term) -> bool {
        let mut found = false;
        self.for_each_part(sum, |part| found |= matches!(self.node(part), Node::Extremum { .. }));
        found && matches!(self.node(sum), Node::Sum(_))
    }

    /// The linear sum of free values that a term is where these are large.
    fn linear_like(&mut self, term: Term) -> Option<Term> {
        /// What is large, and some more of each value, so that none is equal to another.
        const LARGE: i128 = 1_000;
        const MORE: i128 = 17;
        let cone = self.cone([term]);
        let free: Vec<Term> = cone.into_iter().filter(|&t| matches!(self.node(t), Node::Atom(_))).collect();
        if free.len() > MAX_FREE {
            return None;
        }
        let at = |numbers: &dyn Fn(usize) -> i128| {
            let value = |t: Term| free.iter().position(|&other| other == t).map(numbers);
            self.evaluated(term, &value, &mut HashMap::new())
        };
        let large = |i: usize| LARGE + MORE * i128::try_from(i).unwrap_or(0);
        let mut constant = at(&large)?;
        let mut sum = Sum::default();
        for (i, &part) in free.iter().enumerate() {
            let next = at(&|j| large(j) + i128::from(i == j))?;
            let factor = next.checked_sub(at(&large)?)?;
            constant = constant.checked_sub(factor.checked_mul(large(i))?)?;
            sum.add(vec![part], factor)?;
        }
        sum.add(Vec::new(), constant)?;
        Some(self.of_sum(sum))
    }
}
