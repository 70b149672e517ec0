//! Variables that have one value where some conditions hold: because they are between two ends that leave no more room, as those
//! of loops of one iteration at most, or because a sum with them is 0, as `h - 2 * (h // 2)` is for a size that is even.

use super::follows::parts_of;
use super::least::FAR;
use super::term::{Node, Term, Terms};

/// Most variables that get their value, for one question.
const MAX_PINNED: usize = 8;

/// A question, whose variables have the values of others.
pub(super) struct Pinned {
    pub(super) facts: Vec<Term>,
    pub(super) goal: Term,
    values: Vec<(Term, Term)>,
}

impl Pinned {
    /// Conditions, one by one and in order, and a goal.
    pub(super) fn of(terms: &mut Terms, facts: &[Term], goal: Term) -> Pinned {
        let mut found = Pinned { facts: facts.to_vec(), goal, values: Vec::new() };
        while found.values.len() < MAX_PINNED && !terms.is_full() {
            let all = terms.cone(found.facts.iter().copied().chain([found.goal]));
            let value = terms.equated(&found.facts).or_else(|| terms.pinned_variable(&found.facts, &all));
            let Some((variable, value)) = value else { break };
            let mut facts: Vec<Term> =
                found.facts.iter().map(|&fact| terms.replace(fact, variable, value)).collect();
            facts.extend(terms.in_range_of(variable, value));
            found.facts = parts_of(terms, &facts);
            found.goal = terms.replace(found.goal, variable, value);
            found.values.push((variable, value));
        }
        found
    }

    /// A condition that came later.
    pub(super) fn pin(&self, terms: &mut Terms, condition: Term) -> Term {
        self.values
            .iter()
            .fold(condition, |condition, &(variable, value)| terms.replace(condition, variable, value))
    }
}

impl Terms {
    /// A variable that is worth a sum where the facts hold, by a sum that is 0. Where the variable is in quotients too, these
    /// are new variables, of which nothing is known but their range: `h - 2 * (h // 2) = 0` says `h = 2 * q` for some `q`.
    fn equated(&mut self, facts: &[Term]) -> Option<(Term, Term)> {
        facts.iter().find_map(|&fact| match *self.node(fact) {
            Node::IsZero(sum) => self.solved(sum),
            Node::NotNegative(sum) => {
                let is_zero = self.bounds(sum).hi.is_some_and(|hi| hi <= 0);
                if is_zero { self.solved(sum) } else { None }
            }
            _ => None,
        })
    }

    /// A variable of a sum that is 0, by the rest of the sum.
    fn solved(&mut self, sum: Term) -> Option<(Term, Term)> {
        let products = self.sum_of(sum).0;
        let variables: Vec<(Term, i128)> = products
            .iter()
            .filter_map(|(monomial, &factor)| match (&monomial[..], factor) {
                ([variable], 1 | -1) if matches!(self.node(*variable), Node::Atom(_)) => {
                    Some((*variable, factor))
                }
                _ => None,
            })
            .collect();
        // Those that were met last are those of inner loops.
        variables.into_iter().rev().find_map(|(variable, factor)| {
            let mut value = self.int(0);
            for (monomial, &f) in products.iter().filter(|(monomial, _)| monomial[..] != [variable]) {
                let mut product = self.int(f.checked_mul(-factor)?);
                for &term in monomial {
                    let by = match self.mentions(term, &|part| part == variable) {
                        false => term,
                        true if matches!(self.node(term), Node::Quotient(..)) => self.unnamed(term),
                        true => return None,
                    };
                    product = self.mul(product, by);
                }
                value = self.add(value, product);
            }
            Some((variable, value))
        })
    }

    /// A variable in place of a quotient, the same one each time.
    fn unnamed(&mut self, quotient: Term) -> Term {
        if let Some(&known) = self.quotients.get(&quotient) {
            return known;
        }
        let new = self.new_integer("quotient", self.range(quotient));
        self.quotients.insert(quotient, new);
        new
    }

    /// That a value has the range of a variable, as far as that is near.
    fn in_range_of(&mut self, variable: Term, value: Term) -> [Term; 2] {
        let range = self.range(variable);
        let near = |end: Option<i128>| end.filter(|end| end.abs() < FAR);
        let low = near(range.lo).map(|lo| self.int(lo)).map(|lo| self.at_most(lo, value));
        let high = near(range.hi).map(|hi| self.int(hi)).map(|hi| self.at_most(value, hi));
        [low, high].map(|end| end.unwrap_or_else(|| self.truth(true)))
    }

    /// A variable of some terms that has one value where the facts hold, and the value, which does not depend on it.
    fn pinned_variable(&mut self, facts: &[Term], of: &[Term]) -> Option<(Term, Term)> {
        let bounds: Vec<Term> = facts
            .iter()
            .filter_map(|&fact| match *self.node(fact) {
                Node::NotNegative(bound) => Some(bound),
                _ => None,
            })
            .collect();
        let bounds = self.opened(&bounds);
        let variables: Vec<Term> =
            of.iter().rev().copied().filter(|&term| matches!(self.node(term), Node::Atom(_))).collect();
        for variable in variables {
            if self.is_full() {
                break;
            }
            let (least, most) = (self.ends(&bounds, variable, true), self.ends(&bounds, variable, false));
            for &low in &least {
                for &high in &most {
                    let room = self.sub(high, low);
                    if self.bounds(room).hi.is_some_and(|room| room <= 0) {
                        let short = self.sum_of(low).0.len() <= self.sum_of(high).0.len();
                        return Some((variable, if short { low } else { high }));
                    }
                }
            }
        }
        None
    }
}
