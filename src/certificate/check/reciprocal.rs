//! Quotients that are computed with a multiplier and a shift ([`ir::reciprocal`](crate::ir::reciprocal)). That a divisor or a
//! dividend of `int32` fits it is no part of what is shown, as for all sums.

use hashbrown::HashSet;

use super::eval::{Machine, Refused, Side};
use super::term::{Node, Term, for_each_part};
use crate::ir::Expr;
use crate::ir::reciprocal::{DIVISOR, SHIFT, WIDE, Written};

impl Machine<'_> {
    /// What an expression is worth that is worth `value` as it is written: a quotient where it is one of these.
    pub(super) fn reciprocal(&mut self, side: Side, e: &Expr, value: Term) -> Result<Term, Refused> {
        let Some(written) = Written::read(e) else { return Ok(value) };
        // All of them have been evaluated with the expression.
        let quiet = std::mem::replace(&mut self.quiet, true);
        let found = self.divided(side, &written);
        self.quiet = quiet;
        let Some((x, divisor)) = found? else { return Ok(value) };
        let mut quotient = self.terms.quotient(x, divisor);
        if let Some(size) = self.clamped(divisor) {
            // A size is at least 1 where it is not 0, which is what a program that divides by it says.
            let is_positive = if self.terms.bounds(size).lo.is_some_and(|lo| lo >= 0) {
                let zero = self.terms.is_zero(size);
                self.terms.not(zero)
            } else {
                self.terms.positive(size)
            };
            // By more than the dividend can be the quotient is 0, however much more that is.
            let by_size = self.terms.quotient(x, size);
            quotient = self.terms.choice(is_positive, by_size, quotient);
        }
        let mut holds = vec![self.terms.not_negative(x)];
        if let Written::Wide { .. } = written {
            let most = self.terms.int((1 << WIDE) - 1);
            holds.push(self.terms.at_most(x, most));
        }
        let holds = self.terms.and(&holds);
        Ok(self.terms.choice(holds, quotient, value))
    }

    /// The dividend and the divisor, which is at least 1, if the numbers are those of one.
    fn divided(&mut self, side: Side, written: &Written<'_>) -> Result<Option<(Term, Term)>, Refused> {
        let mut values =
            |all: Vec<&Expr>| all.into_iter().map(|e| self.value(side, e)).collect::<Result<Vec<_>, _>>();
        let (x, numbers) = (values(written.dividends())?, values(written.numbers())?);
        if x.iter().any(|&other| other != x[0]) {
            return Ok(None);
        }
        for divisor in self.divisors(numbers[1]) {
            let bounds = self.terms.bounds(divisor);
            let is_bounded =
                bounds.lo.is_some_and(|lo| lo >= 1) && bounds.hi.is_some_and(|hi| hi <= 1 << WIDE);
            if matches!(written, Written::Wide { .. }) && !is_bounded {
                continue;
            }
            self.program(side).vars.extend([(DIVISOR, divisor), (SHIFT, numbers[0])]);
            let formulas = written.formulas();
            let of_divisor = formulas.iter().map(|e| self.value(side, e)).collect::<Result<Vec<_>, _>>()?;
            if of_divisor == numbers {
                return Ok(Some((x[0], divisor)));
            }
        }
        Ok(None)
    }

    /// What quotients in a term are divided by.
    fn divisors(&self, term: Term) -> Vec<Term> {
        let (mut found, mut open, mut seen) = (Vec::new(), vec![term], HashSet::new());
        while let Some(term) = open.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Node::Quotient(_, by) = self.terms.node(term) {
                found.push(*by);
            }
            for_each_part(self.terms.node(term), |part| open.push(part));
        }
        found
    }

    /// The integer of which a term is the greater one, and 1; perhaps the lesser one, and more than any dividend.
    fn clamped(&self, term: Term) -> Option<Term> {
        let other_than = |of: &[Term], number: i128| match *of {
            [one, other] | [other, one] if self.terms.as_int(one) == Some(number) => Some(other),
            _ => None,
        };
        let Node::Greatest(of) = self.terms.node(term) else { return None };
        let size = other_than(of, 1)?;
        Some(match self.terms.node(size) {
            Node::Least(of) => other_than(of, 1 << WIDE).unwrap_or(size),
            _ => size,
        })
    }
}
