//! Ranges of columns from linear constraints, and what ranges decide.

use super::form::{Column, Form};
use super::formula::Formula;
use super::problem::{Definition, Problem, range_in};
use crate::arith::Interval;

/// How often all constraints are looked at.
const MAX_ROUNDS: usize = 4;

/// Ranges of all columns under `0 <= at_least` and `0 = zero`; `None` if they contradict each other.
pub(super) fn propagate(problem: &Problem, at_least: &[Form], zero: &[Form]) -> Option<Vec<Interval>> {
    let mut ranges: Vec<Interval> = (0..problem.len()).map(|c| problem.range(c as Column)).collect();
    let products: Vec<Column> = (0..problem.len() as Column)
        .filter(|&c| matches!(problem.definition(c), Definition::Product(_)))
        .collect();
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        for form in at_least {
            changed |= narrow(form, 1, &mut ranges)?;
        }
        for form in zero {
            changed |= narrow(form, 1, &mut ranges)?;
            changed |= narrow(form, -1, &mut ranges)?;
        }
        for &column in &products {
            let Definition::Product(factors) = problem.definition(column) else { continue };
            let own = ranges[column as usize];
            let both = own.meet(problem.product_range(factors, &ranges))?;
            changed |= both != own;
            ranges[column as usize] = both;
            // A positive product of factors that are not negative has no factor zero.
            if both.at_least(1) && factors.iter().all(|&x| ranges[x as usize].at_least(0)) {
                for &x in factors {
                    let own = ranges[x as usize];
                    let positive = own.meet(Interval::new(1, Interval::POS_INF)?)?;
                    changed |= positive != own;
                    ranges[x as usize] = positive;
                }
            }
        }
        if !changed {
            break;
        }
    }
    Some(ranges)
}

/// Narrows the ranges of the columns of `0 <= sign * form`. Whether any changed; `None` for a contradiction.
fn narrow(form: &Form, sign: i64, ranges: &mut [Interval]) -> Option<bool> {
    let most = |c: i64, range: Interval| range.mul(Interval::point(c)).hi().map(i128::from);
    let mut total = i128::from(form.constant_term()) * i128::from(sign);
    let mut open = 0;
    for &(column, c) in form.terms() {
        let Some(c) = c.checked_mul(sign) else { return Some(false) };
        match most(c, ranges[column as usize]) {
            Some(v) => total += v,
            None => open += 1,
        }
    }
    if open == 0 && total < 0 {
        return None;
    }
    let mut changed = false;
    for &(column, c) in form.terms() {
        let c = c * sign;
        let own = ranges[column as usize];
        let rest = match most(c, own) {
            Some(v) if open == 0 => total - v,
            None if open == 1 => total,
            _ => continue,
        };
        // c * x >= -rest
        let limit = rest.div_euclid(i128::from(c).abs());
        let Ok(limit) = i64::try_from(limit) else { continue };
        let bound = match (c > 0, limit.checked_neg()) {
            (true, Some(least)) => Interval::new(least, Interval::POS_INF),
            (false, _) => Interval::new(Interval::NEG_INF, limit),
            (true, None) => None,
        };
        let Some(bound) = bound else { continue };
        let both = own.meet(bound)?;
        changed |= both != own;
        ranges[column as usize] = both;
    }
    Some(changed)
}

/// Whether ranges decide a formula.
pub(super) fn decided(formula: &Formula, ranges: &[Interval]) -> Option<bool> {
    match formula {
        Formula::AtLeast(form) => {
            let range = range_in(form, ranges);
            if range.at_least(0) { Some(true) } else { range.at_most(-1).then_some(false) }
        }
        Formula::Zero(form) => {
            let range = range_in(form, ranges);
            if range.as_point() == Some(0) { Some(true) } else { (!range.contains(0)).then_some(false) }
        }
        Formula::All(parts) => {
            let mut all = Some(true);
            for part in parts {
                match decided(part, ranges) {
                    Some(false) => return Some(false),
                    Some(true) => {}
                    None => all = None,
                }
            }
            all
        }
        Formula::Any(parts) => {
            let mut any = Some(false);
            for part in parts {
                match decided(part, ranges) {
                    Some(true) => return Some(true),
                    Some(false) => {}
                    None => any = None,
                }
            }
            any
        }
    }
}
