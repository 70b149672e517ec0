//! Quotients that are computed with a multiplier and a shift ([`ir::reciprocal`](crate::ir::reciprocal)).

use hashbrown::HashSet;

use super::term::{Node, Term};
use super::value::{Machine, Side, Unsupported};
use crate::ir::Expr;
use crate::ir::reciprocal::{DIVISOR, SHIFT, WIDE, Written};

impl Machine<'_> {
    /// What an expression is worth that is worth `value` as it is written: a quotient where it is one of these.
    pub(super) fn reciprocal(&mut self, side: Side, e: &Expr, value: Term) -> Term {
        let Some(written) = Written::read(e) else { return value };
        // All of them have been evaluated with the expression, and owe nothing any more.
        let found = self.quietly(|machine| machine.divided(side, &written));
        let Ok(Some((x, divisor))) = found else { return value };
        let mut quotient = self.terms.quotient(x, divisor);
        if let Some(size) = self.clamped(divisor) {
            // A size is at least 1 where it is not 0, which is what a program that divides by it says.
            let is_positive = if self.terms.range(size).not_negative() {
                let zero = self.terms.is_zero(size);
                self.terms.not(zero)
            } else {
                let one = self.terms.int(1);
                self.terms.at_most(one, size)
            };
            // By more than the dividend can be the quotient is 0, however much more that is.
            let by_size = self.terms.quotient(x, size);
            quotient = self.terms.choice(is_positive, by_size, quotient);
        }
        // That a divisor that is no `int64` was an `int32` has to be known.
        let mut holds = vec![self.terms.not_negative(x)];
        let (number, most) = match written {
            Written::Narrow { .. } => (divisor, i128::from(i32::MAX)),
            Written::Wide { .. } => (x, (1 << WIDE) - 1),
        };
        let most = self.terms.int(most);
        holds.push(self.terms.at_most(number, most));
        let holds = self.terms.and(&holds);
        self.terms.choice(holds, quotient, value)
    }

    /// The dividend and the divisor, which is at least 1, if the numbers are those of one.
    fn divided(&mut self, side: Side, written: &Written<'_>) -> Result<Option<(Term, Term)>, Unsupported> {
        let mut values =
            |all: Vec<&Expr>| all.into_iter().map(|e| self.value(side, e)).collect::<Result<Vec<_>, _>>();
        let (x, numbers) = (values(written.dividends())?, values(written.numbers())?);
        if x.iter().any(|&other| other != x[0]) {
            return Ok(None);
        }
        for divisor in self.divisors(numbers[1]) {
            let range = self.terms.bounds(divisor);
            let is_bounded = range.positive() && range.hi.is_some_and(|hi| hi <= 1 << WIDE);
            if matches!(written, Written::Wide { .. }) && !is_bounded {
                continue;
            }
            self.program(side).vars.insert(DIVISOR, divisor);
            self.program(side).vars.insert(SHIFT, numbers[0]);
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
            self.terms.for_each_part(term, |part| open.push(part));
        }
        found
    }

    /// The integer of which a term is the greater one, and 1; perhaps the lesser one, and more than any dividend.
    fn clamped(&self, term: Term) -> Option<Term> {
        let other_than = |term: Term, kind: bool, number: i128| match self.terms.node(term) {
            Node::Extremum { greatest, of } if *greatest == kind => match of[..] {
                [one, other] | [other, one] if self.terms.as_int(one) == Some(number) => Some(other),
                _ => None,
            },
            _ => None,
        };
        let size = other_than(term, true, 1)?;
        Some(other_than(size, false, 1 << WIDE).unwrap_or(size))
    }
}
