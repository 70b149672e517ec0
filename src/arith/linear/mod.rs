//! A decision procedure for conditions over integers: `+ - *`, `//`, `%`, `min`, `max`, choices, comparisons and
//! their connectives.
//!
//! A condition is proven by refuting its negation together with what is known: [`Prover::decide`] tries the condition
//! on sample values first, which tells which of the two answers is possible at all, and then refutes.
//!
//! - `translate` makes linear forms over columns of an expression. What is not linear is a column with a definition:
//!   a quotient `q = n // c` is defined by `0 <= n - c*q <= c - 1`, a minimum by being below its arguments and
//!   not below all, a choice by two cases; products are columns too.
//! - `eliminate` refutes conjunctions of linear constraints, or finds values that satisfy them.
//! - `search` splits disjunctions where such values violate them. Values that satisfy everything end the search.
//! - `bitop` bounds bit operations and shifts, `bitwise` makes forms of them.
//! - `products` multiplies constraints by columns of known sign; `bounds` narrows ranges.
//!
//! Every constraint used follows from the definitions and assumptions, so a refutation is right whatever was left out:
//! budgets (counted in operations, never time), overflow and incompleteness cost answers only. Division by zero
//! is 0, as in the e-graph.

mod bitop;
mod bitwise;
mod bounds;
mod eliminate;
mod form;
mod formula;
mod problem;
mod products;
mod search;
#[cfg(test)]
mod tests;
mod translate;

use hashbrown::HashMap;

use self::form::Column;
use self::formula::Formula;
use self::search::refute;
use self::translate::Translator;
use crate::arith::Interval;
use crate::ir::{Expr, VarId};

/// How many assignments are tried before a proof.
const SAMPLES: u64 = 24;

/// Decides conditions over variables of given ranges under assumptions. All loads are taken to read one state of
/// memory: nothing that is assumed or decided may write.
#[derive(Clone, Debug)]
pub(crate) struct Prover<'a> {
    translator: Translator<'a>,
    facts: Vec<Formula>,
}

impl<'a> Prover<'a> {
    /// The budget of one decision that suits single expressions.
    pub(crate) const FUEL: u64 = 400_000;

    /// As [`with_values`](Prover::with_values), with no variable bound to a value.
    #[cfg(test)]
    fn new(ranges: &'a [Interval]) -> Prover<'a> {
        Prover { translator: Translator::new(ranges, None), facts: Vec::new() }
    }

    /// Variables have these ranges ([`VarId`] is the index); those beyond have none. Some are bound to values, which
    /// must be pure and read no memory.
    pub(crate) fn with_values(ranges: &'a [Interval], values: &'a HashMap<VarId, Expr>) -> Prover<'a> {
        Prover { translator: Translator::new(ranges, Some(values)), facts: Vec::new() }
    }

    /// Takes a condition to be true or false.
    pub(crate) fn assume(&mut self, cond: &Expr, truth: bool) {
        let formula = self.translator.condition(cond);
        self.facts.extend(if truth { Some(formula) } else { formula.negate() });
    }

    /// Whether a condition holds for all values of the variables that satisfy the assumptions (`true`) or for none
    /// (`false`); `None` if neither was proven with `fuel`, or if nothing satisfies the assumptions.
    pub(crate) fn decide(&mut self, cond: &Expr, fuel: u64) -> Option<bool> {
        self.decide_possible(cond, fuel, false)
    }

    /// Whether [`decide`](Prover::decide) has this answer: nothing is asked about the other one.
    pub(crate) fn decides(&mut self, cond: &Expr, truth: bool, fuel: u64) -> bool {
        let condition = self.translator.condition(cond);
        let Some(opposite) = condition.negate() else { return false };
        let facts = self.relevant(&condition);
        let (seen_true, seen_false) = self.sample(&facts, &condition);
        let (goal, opposite) = if truth { (condition, opposite) } else { (opposite, condition) };
        let (seen, seen_opposite) = if truth { (seen_true, seen_false) } else { (seen_false, seen_true) };
        let mut fuel = fuel;
        let problem = &mut self.translator.problem;
        let mut impossible = |goal: Formula| {
            let formulas: Vec<Formula> = facts.iter().cloned().chain([goal]).collect();
            refute(problem, &formulas, &mut fuel)
        };
        !seen_opposite && impossible(opposite) && (seen || !impossible(goal))
    }

    /// As [`decide`](Prover::decide) of a condition of which it may be known that it holds for some values of the
    /// variables that satisfy the assumptions: then no time is lost with refuting it.
    pub(crate) fn decide_possible(&mut self, cond: &Expr, fuel: u64, possible: bool) -> Option<bool> {
        let goal = self.translator.condition(cond);
        let opposite = goal.negate()?;
        let facts = self.relevant(&goal);
        let (seen_true, seen_false) = self.sample(&facts, &goal);
        let seen_true = seen_true || possible;
        if seen_true && seen_false {
            return None;
        }
        let mut fuel = fuel;
        let problem = &mut self.translator.problem;
        let mut impossible = |goal: Formula| {
            let formulas: Vec<Formula> = facts.iter().cloned().chain([goal]).collect();
            refute(problem, &formulas, &mut fuel)
        };
        let proven = !seen_false && impossible(opposite);
        if proven && seen_true {
            return Some(true);
        }
        let refuted = !seen_true && impossible(goal);
        (proven != refuted).then_some(proven)
    }

    /// The facts that share columns with a formula, also through one another.
    fn relevant(&self, goal: &Formula) -> Vec<Formula> {
        let problem = &self.translator.problem;
        let mut reached = vec![false; problem.len()];
        problem.reach(goal, &mut reached);
        let mut facts: Vec<(&Formula, Vec<bool>)> = Vec::with_capacity(self.facts.len());
        for fact in &self.facts {
            let mut columns = vec![false; problem.len()];
            problem.reach(fact, &mut columns);
            facts.push((fact, columns));
        }
        let mut relevant = Vec::new();
        loop {
            let shares = |columns: &[bool]| columns.iter().zip(&reached).any(|(a, b)| *a && *b);
            let (near, far): (Vec<_>, Vec<_>) = facts.into_iter().partition(|(_, columns)| shares(columns));
            facts = far;
            if near.is_empty() {
                return relevant;
            }
            for (fact, columns) in near {
                relevant.push(fact.clone());
                for (reached, own) in reached.iter_mut().zip(columns) {
                    *reached |= own;
                }
            }
        }
    }

    /// Whether the goal holds for some, and fails for some, of a few assignments that satisfy the facts.
    fn sample(&self, facts: &[Formula], goal: &Formula) -> (bool, bool) {
        let problem = &self.translator.problem;
        let mut values = vec![0_i64; problem.len()];
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let (mut seen_true, mut seen_false) = (false, false);
        for round in 0..SAMPLES {
            for (column, value) in values.iter_mut().enumerate() {
                if problem.is_free(column as Column) {
                    *value = random.within(problem.range(column as Column), round);
                }
            }
            if problem.compute(&mut values, |_| false).is_none()
                || !facts.iter().all(|f| f.holds(&values) == Some(true))
            {
                continue;
            }
            match goal.holds(&values) {
                Some(true) => seen_true = true,
                Some(false) => seen_false = true,
                None => {}
            }
            if seen_true && seen_false {
                break;
            }
        }
        (seen_true, seen_false)
    }
}

/// A small generator of numbers (xorshift), the same for each call.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A value of the range: near its bounds, or near zero, in early rounds; further away in later ones.
    fn within(&mut self, range: Interval, round: u64) -> i64 {
        let spread = [1, 3, 16, 256, 4_096, 100_000][(round % 6) as usize];
        let offset = (self.next() >> 11) as i64 % spread;
        let negative = self.next() & 1 == 0;
        let value = match (range.lo(), range.hi()) {
            (Some(lo), Some(hi)) if negative => hi.saturating_sub(offset).max(lo),
            (Some(lo), _) => lo.saturating_add(offset),
            (None, Some(hi)) => hi.saturating_sub(offset),
            (None, None) if negative => -offset,
            (None, None) => offset,
        };
        range.hi().map_or(value, |hi| value.min(hi))
    }
}
