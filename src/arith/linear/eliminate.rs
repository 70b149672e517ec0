//! Conjunctions of linear constraints over the integers: no solution, or a solution.
//!
//! Equalities are solved first, with a new unknown where no coefficient is 1 (the method of Pugh's Omega test).
//! Then columns are eliminated one by one: each pair of a lower and an upper bound gives a constraint without the
//! column (Fourier and Motzkin), whose coefficients are divided by their greatest common divisor and whose constant
//! is rounded. Every constraint made follows from the given ones, so that a contradiction among them is one among
//! the given ones, whatever was left out: what overflows, or passes a limit, is left out.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;
use indexmap::map::Entry;

use super::form::{Column, Form, Terms};
use crate::arith::{Interval, gcd};

/// The most constraints at a time.
const MAX_CONSTRAINTS: usize = 320;

/// The most unknowns that solving equalities may add.
const MAX_NEW: usize = 16;

/// What is found out about a conjunction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// It has no solution.
    Contradiction,
    /// Values for which it holds, or nearly: constraints may have been left out.
    Solution(Vec<i64>),
    /// With the values chosen for others the column would lie between this integer and the next.
    Between(Column, i64),
    /// Nothing.
    Unknown,
}

/// A step that removed a column, to be undone when values are chosen.
enum Step {
    /// The column equals the form.
    Equal(Column, Form),
    /// `0 <= a * column + rest` for the first, `0 <= rest - b * column` for the second.
    Between(Column, Vec<Form>, Vec<Form>),
}

struct System {
    /// `terms` lies in the interval; the first coefficient is positive, the common divisor 1.
    forms: IndexMap<Terms, Interval, DefaultHashBuilder>,
    contradiction: bool,
}

/// Solves `0 <= at_least` and `0 = zero` over `columns` unknowns. `fuel` falls by the work done; at zero the answer
/// is `Unknown`.
pub(super) fn solve(at_least: &[Form], zero: &[Form], columns: usize, fuel: &mut u64) -> Outcome {
    let mut system = System { forms: IndexMap::default(), contradiction: false };
    for form in at_least {
        system.insert(form.clone(), false);
    }
    for form in zero {
        system.insert(form.clone(), true);
    }
    let mut steps = Vec::new();
    let mut next = columns;
    while !system.contradiction {
        if *fuel == 0 {
            return Outcome::Unknown;
        }
        *fuel = fuel.saturating_sub(4 + system.forms.len() as u64);
        if let Some(at) = system.forms.iter().position(|(_, range)| range.as_point().is_some()) {
            if !system.solve_equality(at, &mut steps, &mut next, columns, fuel) {
                return Outcome::Unknown;
            }
        } else if let Some(column) = system.cheapest(next) {
            system.eliminate(column, &mut steps, fuel);
        } else {
            return choose(&steps, next, columns);
        }
    }
    Outcome::Contradiction
}

impl System {
    /// Adds `0 <= form` or `0 = form`.
    fn insert(&mut self, form: Form, equal: bool) {
        let g = form.content();
        let (mut terms, constant) = form.into_parts();
        if g == 0 {
            self.contradiction |= constant < 0 || equal && constant != 0;
            return;
        }
        if equal && constant % g != 0 {
            self.contradiction = true;
            return;
        }
        let Some(mut least) = constant.div_euclid(g).checked_neg() else { return };
        let flip = terms[0].1 < 0;
        let divisor = if flip { -g } else { g };
        for t in &mut terms {
            let Some(reduced) = t.1.checked_div(divisor) else { return };
            t.1 = reduced;
        }
        if flip {
            let Some(most) = least.checked_neg() else { return };
            least = most;
        }
        let (lo, hi) = match (equal, flip) {
            (true, _) => (least, least),
            (false, false) => (least, Interval::POS_INF),
            (false, true) => (Interval::NEG_INF, least),
        };
        if lo == Interval::POS_INF || hi == Interval::NEG_INF {
            return;
        }
        let Some(range) = Interval::new(lo, hi) else { return };
        let room = self.forms.len() < MAX_CONSTRAINTS || equal;
        match self.forms.entry(terms) {
            Entry::Occupied(mut entry) => match entry.get().meet(range) {
                Some(both) => *entry.get_mut() = both,
                None => self.contradiction = true,
            },
            Entry::Vacant(entry) if room => {
                entry.insert(range);
            }
            Entry::Vacant(_) => {}
        }
    }

    /// Takes out the constraints on a column.
    fn take(&mut self, column: Column) -> Vec<(Terms, Interval)> {
        self.forms.extract_if(.., |terms, _| terms.iter().any(|t| t.0 == column)).collect()
    }

    /// Solves the equality at an index for one column and replaces that everywhere.
    fn solve_equality(
        &mut self,
        at: usize,
        steps: &mut Vec<Step>,
        next: &mut usize,
        columns: usize,
        fuel: &mut u64,
    ) -> bool {
        let Some((terms, range)) = self.forms.get_index(at) else { return false };
        let Some(constant) = range.as_point().and_then(i64::checked_neg) else { return false };
        let equality = Form::from_sorted(Terms::from_slice(terms), constant);
        // The smallest coefficient; of equals the column made last.
        let Some(&(column, k)) = terms.iter().rev().min_by_key(|t| t.1.unsigned_abs()) else { return false };
        let value = if k.unsigned_abs() == 1 {
            equality.substitute(column, &Form::default()).and_then(|rest| rest.scale(-k))
        } else if *next < columns + MAX_NEW {
            // With m = |k| + 1 and residues of least size, k leaves -sign(k): the column is
            // sign(k) * (sum of the other residues - m * new).
            let Some(m) = k.checked_abs().and_then(|k| k.checked_add(1)) else { return false };
            let residue = |c: i64| {
                let r = c.rem_euclid(m);
                if r >= m - m / 2 { r - m } else { r }
            };
            let new = *next as Column;
            *next += 1;
            let mut residues: Terms =
                terms.iter().filter(|t| t.0 != column).map(|t| (t.0, residue(t.1))).collect();
            residues.retain(|t| t.1 != 0);
            residues.push((new, -m));
            Form::from_sorted(residues, residue(constant)).scale(k.signum())
        } else {
            None
        };
        let Some(value) = value else { return false };
        for (terms, range) in self.take(column) {
            *fuel = fuel.saturating_sub(terms.len() as u64);
            let substituted = Form::from_sorted(terms, 0).substitute(column, &value);
            let Some(form) = substituted else { continue };
            let ends = [(range.lo(), 1), (range.hi(), -1)];
            if let Some(v) = range.as_point() {
                if let Some(f) = v.checked_neg().and_then(|v| form.plus(v)) {
                    self.insert(f, true);
                }
                continue;
            }
            for (bound, sign) in ends {
                let shifted = bound.and_then(i64::checked_neg).and_then(|b| form.plus(b));
                if let Some(f) = shifted.and_then(|f| f.scale(sign)) {
                    self.insert(f, false);
                }
            }
        }
        steps.push(Step::Equal(column, value));
        true
    }

    /// The column whose elimination adds the fewest constraints, exact ones first; `None` if there is none left.
    fn cheapest(&self, columns: usize) -> Option<Column> {
        #[derive(Clone, Copy, Default)]
        struct Uses {
            lower: i64,
            upper: i64,
            lower_unit: bool,
            upper_unit: bool,
            used: bool,
        }
        let start = Uses { lower_unit: true, upper_unit: true, ..Uses::default() };
        let mut uses = vec![start; columns];
        for (terms, range) in &self.forms {
            for &(column, c) in terms {
                let uses = &mut uses[column as usize];
                uses.used = true;
                let (from_lo, from_hi) = (range.lo().is_some(), range.hi().is_some());
                let (lower, upper) = if c > 0 { (from_lo, from_hi) } else { (from_hi, from_lo) };
                uses.lower += i64::from(lower);
                uses.upper += i64::from(upper);
                uses.lower_unit &= !lower || c.unsigned_abs() == 1;
                uses.upper_unit &= !upper || c.unsigned_abs() == 1;
            }
        }
        let cost = |u: &Uses| {
            let pairs = u.lower * u.upper;
            (if u.lower_unit || u.upper_unit { pairs } else { 2 * pairs }) - u.lower - u.upper
        };
        let used = uses.iter().enumerate().filter(|(_, u)| u.used);
        used.min_by_key(|(_, u)| cost(u)).map(|(column, _)| column as Column)
    }

    /// Replaces the constraints on a column by those that pairs of them imply.
    fn eliminate(&mut self, column: Column, steps: &mut Vec<Step>, fuel: &mut u64) {
        let (mut lower, mut upper) = (Vec::new(), Vec::new());
        for (terms, range) in self.take(column) {
            let form = Form::from_sorted(terms, 0);
            let up = range.lo().and_then(i64::checked_neg).and_then(|b| form.plus(b));
            let down = range.hi().and_then(i64::checked_neg).and_then(|b| form.plus(b)?.scale(-1));
            for f in [up, down].into_iter().flatten() {
                if f.coefficient(column) > 0 { lower.push(f) } else { upper.push(f) }
            }
        }
        for low in &lower {
            for high in &upper {
                *fuel = fuel.saturating_sub((low.terms().len() + high.terms().len()) as u64);
                let (a, b) = (low.coefficient(column), high.coefficient(column).saturating_neg());
                let g = gcd(a, b);
                if let Some(both) = low.combine(b / g, high, a / g) {
                    self.insert(both, false);
                }
                if self.contradiction || *fuel == 0 {
                    return;
                }
            }
        }
        steps.push(Step::Between(column, lower, upper));
    }
}

/// Chooses values for the removed columns, last removed first: within their bounds, as near to zero as can be.
fn choose(steps: &[Step], columns: usize, original: usize) -> Outcome {
    let mut values = vec![0_i64; columns];
    for step in steps.iter().rev() {
        match step {
            Step::Equal(column, form) => match form.evaluate(&values) {
                Some(v) => values[*column as usize] = v,
                None => return Outcome::Unknown,
            },
            Step::Between(column, lower, upper) => {
                values[*column as usize] = 0;
                let (mut lo, mut hi) = (None::<i64>, None::<i64>);
                for form in lower {
                    let Some(rest) = form.evaluate(&values) else { return Outcome::Unknown };
                    // a * x >= -rest
                    let least = rest.div_euclid(form.coefficient(*column)).saturating_neg();
                    lo = Some(lo.map_or(least, |v| v.max(least)));
                }
                for form in upper {
                    let Some(rest) = form.evaluate(&values) else { return Outcome::Unknown };
                    let most = rest.div_euclid(form.coefficient(*column).saturating_neg());
                    hi = Some(hi.map_or(most, |v| v.min(most)));
                }
                let value = match (lo, hi) {
                    (Some(lo), Some(hi)) if lo > hi => {
                        let inside = (*column as usize) < original;
                        return if inside { Outcome::Between(*column, hi) } else { Outcome::Unknown };
                    }
                    (Some(lo), Some(hi)) => 0.clamp(lo, hi),
                    (Some(lo), None) => lo.max(0),
                    (None, Some(hi)) => hi.min(0),
                    (None, None) => 0,
                };
                values[*column as usize] = value;
            }
        }
    }
    values.truncate(original);
    Outcome::Solution(values)
}
