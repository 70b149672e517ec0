//! Constraints on products: what follows from multiplying a constraint with a column of known sign.
//!
//! From `0 <= r` and `0 <= x - lo` follows `0 <= r * (x - lo)`; likewise with `hi - x`, and from `0 = r` follows
//! `0 = r * x` for any `x`. A result is kept if it speaks of a product that the constraints mention already, so
//! that it can meet them. The other way round, from `1 <= x * r` and `0 <= x` follows `1 <= r`, and from
//! `c <= x * r` with `c <= 0` and `1 <= x` follows `c <= r`.

use hashbrown::HashSet;

use super::form::{Column, Form};
use super::problem::{Definition, Problem};
use crate::arith::Interval;

/// The most constraints made.
const MAX_NEW: usize = 96;

/// How often the constraints made are multiplied again.
const ROUNDS: usize = 2;

/// Extends `0 <= at_least` and `0 = zero`; `ranges` holds under them. Does nothing if no product occurs.
pub(super) fn extend(
    problem: &mut Problem,
    ranges: &[Interval],
    at_least: &mut Vec<Form>,
    zero: &mut Vec<Form>,
    fuel: &mut u64,
) {
    let mut products: HashSet<Column> = HashSet::new();
    for form in at_least.iter().chain(&*zero) {
        products.extend(nonlinear(problem, form));
    }
    if products.is_empty() {
        return;
    }
    let mut factors: Vec<Column> = products.iter().flat_map(|&p| problem.factors(p)).collect();
    factors.sort_unstable();
    factors.dedup();
    // The bounds of factors are constraints to multiply too.
    let mut bounds = Vec::new();
    for &x in &factors {
        let range = ranges[x as usize];
        if range.at_least(1) {
            bounds.push(Form::column(x));
        }
        bounds.extend(distances(x, range));
    }
    let mut listed: Vec<Column> = products.iter().copied().collect();
    listed.sort_unstable();
    for p in listed {
        zero.extend(known_factors(problem, p, ranges));
        at_least.extend(distances(p, ranges[p as usize]));
    }
    let mut made: HashSet<Form> = HashSet::new();
    let mut open: Vec<Form> = at_least.iter().chain(&bounds).cloned().collect();
    let mut open_zero: Vec<Form> = zero.clone();
    for _ in 0..ROUNDS {
        let pairs = pairs(problem, &products);
        let (mut new, mut new_zero) = (Vec::new(), Vec::new());
        for (row, equal) in open.iter().map(|r| (r, false)).chain(open_zero.iter().map(|r| (r, true))) {
            *fuel = fuel.saturating_sub(row.terms().len() as u64);
            if let Some(form) = divided(problem, row, equal, ranges)
                && made.insert(form.clone())
            {
                if equal { new_zero.push(form) } else { new.push(form) }
            }
        }
        for row in &open {
            for bound in &bounds {
                if *fuel == 0 {
                    return;
                }
                *fuel = fuel.saturating_sub(2 * row.terms().len() as u64);
                let others =
                    if bound.as_shifted_column().is_some_and(|(_, shift)| shift == 0) { 2 } else { 1 };
                if adds_more(row, bound, &pairs, others) {
                    continue;
                }
                let Some(product) = problem.product(row, bound) else { continue };
                if meets(problem, &product, &products, others) && made.insert(product.clone()) {
                    new.push(product);
                }
            }
        }
        for row in &open_zero {
            for &x in &factors {
                *fuel = fuel.saturating_sub(row.terms().len() as u64);
                let factor = Form::column(x);
                if adds_more(row, &factor, &pairs, 2) {
                    continue;
                }
                let Some(product) = problem.product(row, &factor) else { continue };
                if meets(problem, &product, &products, 2) && made.insert(product.clone()) {
                    new_zero.push(product);
                }
            }
        }
        if made.len() > MAX_NEW || *fuel == 0 {
            new.truncate(MAX_NEW);
            new_zero.truncate(MAX_NEW);
        }
        for form in new.iter().chain(&new_zero) {
            products.extend(nonlinear(problem, form));
        }
        at_least.extend(new.iter().cloned());
        zero.extend(new_zero.iter().cloned());
        if made.len() > MAX_NEW || new.is_empty() && new_zero.is_empty() {
            break;
        }
        (open, open_zero) = (new, new_zero);
    }
}

/// `x - lo` and `hi - x`, both not negative.
fn distances(x: Column, range: Interval) -> Vec<Form> {
    let own = Form::column(x);
    let above = range.lo().and_then(i64::checked_neg).and_then(|lo| own.plus(lo));
    let below = range.hi().and_then(|hi| own.scale(-1)?.plus(hi));
    above.into_iter().chain(below).collect()
}

/// `0 = p - value * rest` for a product with factors that have one value.
fn known_factors(problem: &mut Problem, p: Column, ranges: &[Interval]) -> Option<Form> {
    let (known, open): (Vec<Column>, Vec<Column>) =
        problem.factors(p).into_iter().partition(|&x| ranges[x as usize].as_point().is_some());
    if known.is_empty() {
        return None;
    }
    let values = known.iter().map(|&x| ranges[x as usize].as_point());
    let value = values.into_iter().try_fold(1_i64, |p, v| p.checked_mul(v?))?;
    let mut rest = Form::constant(1);
    for x in open {
        rest = problem.product(&rest, &Form::column(x))?;
    }
    Form::column(p).combine(1, &rest, value.checked_neg()?)
}

/// What `0 <= row` (or `0 = row`) says after division by a factor of all its terms that is not negative.
fn divided(problem: &mut Problem, row: &Form, equal: bool, ranges: &[Interval]) -> Option<Form> {
    let (&(first, _), rest) = row.terms().split_first()?;
    if !matches!(problem.definition(first), Definition::Product(_)) && rest.is_empty() {
        return None;
    }
    let constant = row.constant_term();
    let divides = |&x: &Column| {
        let range = ranges[x as usize];
        range.at_least(if constant < 0 && !equal { 0 } else { 1 })
            && rest.iter().all(|&(column, _)| problem.factors(column).contains(&x))
    };
    let x = problem.factors(first).into_iter().find(divides)?;
    if equal && constant != 0 {
        return None;
    }
    // x * r >= -constant: at least 1 if that is positive, else r is at least as large.
    let mut quotient = Form::constant(constant.max(-1));
    for &(column, c) in row.terms() {
        let mut factors = problem.factors(column);
        let at = factors.iter().position(|&f| f == x)?;
        factors.remove(at);
        let mut cofactor = Form::constant(1);
        for f in factors {
            cofactor = problem.product(&cofactor, &Form::column(f))?;
        }
        quotient = quotient.combine(1, &cofactor, c)?;
    }
    Some(quotient)
}

/// The product columns of a form.
fn nonlinear(problem: &Problem, form: &Form) -> impl Iterator<Item = Column> {
    let is_product = |c: &Column| matches!(problem.definition(*c), Definition::Product(_));
    form.terms().iter().map(|t| t.0).filter(is_product)
}

/// The pairs of a column and a factor whose products are among those that are known.
fn pairs(problem: &Problem, known: &HashSet<Column>) -> HashSet<(Column, Column)> {
    let mut pairs = HashSet::new();
    for &product in known {
        let factors = problem.factors(product);
        for at in 0..factors.len() {
            let mut rest = factors.clone();
            let x = rest.remove(at);
            pairs.extend(problem.known_product(rest).map(|column| (column, x)));
        }
    }
    pairs
}

/// Whether the product of a form and a column (plus a constant) mentions more than `others` products that are not
/// known, so that it need not be made. Those that cancel are among the known ones: the form mentions them.
fn adds_more(form: &Form, by: &Form, known: &HashSet<(Column, Column)>, others: usize) -> bool {
    let [(x, _)] = by.terms() else { return false };
    form.terms().iter().filter(|(c, _)| !known.contains(&(*c, *x))).take(others + 1).count() > others
}

/// Whether a form mentions a known product, and at most so many others.
fn meets(problem: &Problem, form: &Form, known: &HashSet<Column>, others: usize) -> bool {
    let (mut old, mut new) = (0, 0);
    for product in nonlinear(problem, form) {
        *if known.contains(&product) { &mut old } else { &mut new } += 1;
    }
    old > 0 && new <= others
}
