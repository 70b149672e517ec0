//! Refutation of a formula: case splits over linear constraints, led by the solutions of what is not split yet.

use super::bounds::{decided, propagate};
use super::eliminate::{Outcome, solve};
use super::form::{Column, Form};
use super::formula::Formula;
use super::problem::{Definition, Problem};
use super::products;
use crate::arith::Interval;

/// The deepest nesting of case splits.
const MAX_DEPTH: usize = 48;

/// The widest range of a factor whose values are split.
const MAX_VALUES: i64 = 8;

/// Whether no integers satisfy all formulas. `false` means that some do or that `fuel` ran out.
pub(super) fn refute(problem: &mut Problem, formulas: &[Formula], fuel: &mut u64) -> bool {
    let mut search = Search { problem, formulas, fuel };
    let mut state = State::default();
    for formula in formulas {
        if !search.assert(&mut state, formula) {
            return true;
        }
    }
    search.refute(state, 0)
}

/// What is assumed on a branch.
#[derive(Clone, Default)]
struct State {
    at_least: Vec<Form>,
    zero: Vec<Form>,
    /// Disjunctions not decided yet.
    clauses: Vec<Vec<Formula>>,
    /// The columns whose definitions are among the above.
    defined: Vec<bool>,
}

struct Search<'a> {
    problem: &'a mut Problem,
    formulas: &'a [Formula],
    fuel: &'a mut u64,
}

impl Search<'_> {
    /// Adds a formula and the definitions of the columns that it mentions. `false` if that is plainly contradictory.
    fn assert(&mut self, state: &mut State, formula: &Formula) -> bool {
        let mut open = vec![formula.clone()];
        while let Some(formula) = open.pop() {
            match formula {
                Formula::AtLeast(form) => {
                    self.define(state, &form, &mut open);
                    state.at_least.push(form);
                }
                Formula::Zero(form) => {
                    self.define(state, &form, &mut open);
                    state.zero.push(form);
                }
                Formula::All(parts) => open.extend(parts),
                Formula::Any(parts) if parts.is_empty() => return false,
                Formula::Any(parts) => state.clauses.push(parts),
            }
        }
        true
    }

    fn define(&mut self, state: &mut State, form: &Form, open: &mut Vec<Formula>) {
        let mut columns: Vec<Column> = form.terms().iter().map(|t| t.0).collect();
        while let Some(column) = columns.pop() {
            let at = column as usize;
            if state.defined.len() <= at {
                state.defined.resize(self.problem.len().max(at + 1), false);
            }
            if std::mem::replace(&mut state.defined[at], true) {
                continue;
            }
            open.extend(self.problem.defining(column));
            let ranged = match self.problem.definition(column) {
                Definition::Product(factors) => {
                    columns.extend(factors);
                    true
                }
                Definition::Free | Definition::Choice(..) | Definition::Bits(..) | Definition::Vscale => true,
                Definition::Quotient(_, d) => d.as_constant().is_none(),
                Definition::Min(_) => false,
            };
            if ranged {
                let (own, range) = (Form::column(column), self.problem.range(column));
                state.at_least.extend(range.lo().and_then(i64::checked_neg).and_then(|lo| own.plus(lo)));
                state.at_least.extend(range.hi().and_then(|hi| own.scale(-1)?.plus(hi)));
            }
        }
    }

    fn refute(&mut self, mut state: State, depth: usize) -> bool {
        let ranges = loop {
            if *self.fuel == 0 || depth > MAX_DEPTH {
                return false;
            }
            let size = state.at_least.len() + state.zero.len() + state.clauses.len();
            *self.fuel = self.fuel.saturating_sub(8 + size as u64);
            let Some(ranges) = propagate(self.problem, &state.at_least, &state.zero) else { return true };
            let mut forced = Vec::new();
            let mut clauses = Vec::with_capacity(state.clauses.len());
            for mut clause in std::mem::take(&mut state.clauses) {
                if clause.iter().any(|f| decided(f, &ranges) == Some(true)) {
                    continue;
                }
                clause.retain(|f| decided(f, &ranges) != Some(false));
                match clause.len() {
                    0 => return true,
                    1 => forced.append(&mut clause),
                    _ => clauses.push(clause),
                }
            }
            state.clauses = clauses;
            if forced.is_empty() {
                break ranges;
            }
            for formula in &forced {
                if !self.assert(&mut state, formula) {
                    return true;
                }
            }
        };
        match self.solve(&state, &ranges) {
            Outcome::Contradiction => true,
            Outcome::Unknown => false,
            Outcome::Between(column, below) => {
                let own = Form::column(column);
                let sides = [
                    own.scale(-1).and_then(|f| f.plus(below)),
                    below.checked_add(1).and_then(i64::checked_neg).and_then(|b| own.plus(b)),
                ];
                let [Some(low), Some(high)] = sides else { return false };
                self.cases(&state, &[Formula::AtLeast(low), Formula::AtLeast(high)], depth)
            }
            Outcome::Solution(values) => {
                let Some(cases) = self.cases_for(&mut state, values, &ranges) else { return false };
                self.cases(&state, &cases, depth)
            }
        }
    }

    fn solve(&mut self, state: &State, ranges: &[Interval]) -> Outcome {
        let (mut at_least, mut zero) = (state.at_least.clone(), state.zero.clone());
        products::extend(self.problem, ranges, &mut at_least, &mut zero, self.fuel);
        solve(&at_least, &zero, self.problem.len(), self.fuel)
    }

    /// Cases to split, none of which a solution of the rest satisfies if that can be had: the shortest clause, taken
    /// out of the state, or the values of a factor. `None` if there is nothing to split, or if the solution leads
    /// to integers that satisfy everything.
    fn cases_for(
        &mut self,
        state: &mut State,
        mut values: Vec<i64>,
        ranges: &[Interval],
    ) -> Option<Vec<Formula>> {
        values.resize(self.problem.len(), 0);
        let mut real = values.clone();
        let computed = self.problem.compute(&mut real, |_| false).is_some();
        if computed && self.formulas.iter().all(|f| f.holds(&real) == Some(true)) {
            return None;
        }
        let defined = &state.defined;
        self.problem.compute(&mut values, |c| defined.get(c as usize).copied().unwrap_or(false))?;
        let violated = |clause: &[Formula]| clause.iter().all(|f| f.holds(&values) == Some(false));
        let clauses = state.clauses.iter().enumerate();
        let shortest = clauses.min_by_key(|(_, clause)| (!violated(clause), clause.len()));
        match shortest {
            Some((at, _)) => Some(state.clauses.swap_remove(at)),
            None => self.values_of_factor(state, &values, ranges),
        }
    }

    /// Cases for a factor of a product that a solution gives another value than its factors: its sign, or its
    /// value if there are few.
    fn values_of_factor(&self, state: &State, values: &[i64], ranges: &[Interval]) -> Option<Vec<Formula>> {
        for (at, _) in state.defined.iter().enumerate().filter(|(_, defined)| **defined) {
            let Definition::Product(factors) = self.problem.definition(at as Column) else { continue };
            let product = factors.iter().try_fold(1_i64, |p, &x| p.checked_mul(values[x as usize]));
            if product == Some(values[at]) {
                continue;
            }
            for &x in factors {
                let range = ranges[x as usize];
                let few = range
                    .lo()
                    .zip(range.hi())
                    .is_some_and(|(lo, hi)| lo < hi && hi.saturating_sub(lo) <= MAX_VALUES);
                let middle = match (range.at_least(0) || range.at_most(0), few) {
                    (false, _) => 0,
                    (true, true) => values[x as usize].clamp(range.lo()?, range.hi()?),
                    (true, false) => continue,
                };
                let own = Form::column(x).plus(middle.checked_neg()?)?;
                return Some(vec![
                    Formula::Zero(own.clone()),
                    Formula::AtLeast(own.plus(-1)?),
                    Formula::AtLeast(own.scale(-1)?.plus(-1)?),
                ]);
            }
        }
        None
    }

    /// Whether each of the cases is refuted; a later one may take the earlier ones to be false.
    fn cases(&mut self, state: &State, cases: &[Formula], depth: usize) -> bool {
        let mut state = state.clone();
        for case in cases {
            let mut branch = state.clone();
            if self.assert(&mut branch, case) && !self.refute(branch, depth + 1) {
                return false;
            }
            if let (Formula::AtLeast(_), Some(not)) = (case, case.negate())
                && !self.assert(&mut state, &not)
            {
                return true;
            }
        }
        true
    }
}
