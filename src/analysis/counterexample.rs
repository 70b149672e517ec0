//! Values at which conditions hold together, found by trying: where sizes are symbols, hardly any point that is taken at random is
//! within all bounds. So sizes get small values first, then each variable one within the bounds that these make, or the one
//! that an equation gives it.
//!
//! Such values show that a question has no proof, which takes much less than an attempt to prove it.

use std::borrow::Cow;

use super::accesses::Fact;
use super::negation::negated;
use super::numbers::Numbers;
use super::ranges::compared;
use crate::arith::Interval;
use crate::arith::points::{mix, value_at};
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// How many points are tried.
const TRIED: u64 = 16;

/// Values of what nothing bounds from above.
const SIZES: [i64; 8] = [6, 3, 12, 2, 5, 1, 8, 4];

/// Whether values are found at which all the conditions hold. Variables are numbered from 0; `ranges` has theirs.
pub(super) fn hold_together<'e>(conditions: impl Iterator<Item = &'e Fact>, ranges: &[Interval]) -> bool {
    let mut parts = Vec::new();
    conditions.for_each(|(condition, truth)| split(condition, *truth, &mut parts));
    let trial = Trial::new(&parts, ranges);
    (0..TRIED).any(|point| {
        let values = trial.values(point);
        let is_possible =
            |(value, range): (&Option<i64>, &Interval)| value.is_some_and(|v| range.contains(v));
        if !values.iter().zip(ranges).all(is_possible) {
            return false;
        }
        let value = |var: VarId| values.get(var.index()).copied().flatten().map(Value::Int);
        parts
            .iter()
            .all(|part| evaluate(part, &value).and_then(Value::as_int).is_some_and(|holds| holds != 0))
    })
}

/// Whether something is so at one of some points, at which the conditions mostly hold together. It is told the number of the point
/// and the values of the conditions' variables. `ranges` has those of all variables.
pub(super) fn is_likely(
    conditions: &[Fact],
    ranges: &[Interval],
    mut is_so: impl FnMut(u64, Vec<(VarId, i64)>) -> bool,
) -> bool {
    let mut numbers = Numbers::default();
    let conditions: Vec<Fact> =
        conditions.iter().map(|(condition, truth)| (numbers.number(condition), *truth)).collect();
    let range = |var: &VarId| ranges.get(var.index()).copied().unwrap_or(Interval::ALL);
    let ranges: Vec<Interval> = numbers.vars().iter().map(range).collect();
    let mut parts = Vec::new();
    conditions.iter().for_each(|(condition, truth)| split(condition, *truth, &mut parts));
    let trial = Trial::new(&parts, &ranges);
    (0..TRIED).any(|point| {
        let values = numbers.vars().iter().zip(trial.values(point));
        is_so(point, values.filter_map(|(var, value)| Some((*var, value?))).collect())
    })
}

/// The parts that all have to hold where a condition is true, or false, as `truth` says.
fn split<'e>(condition: &'e Expr, truth: bool, parts: &mut Vec<Cow<'e, Expr>>) {
    match (&condition.kind, truth) {
        (ExprKind::Binary(BinOp::And, a, b), true) | (ExprKind::Binary(BinOp::Or, a, b), false) => {
            split(a, truth, parts);
            split(b, truth, parts);
        }
        (ExprKind::Not(inner), _) => split(inner, !truth, parts),
        (_, true) => parts.push(Cow::Borrowed(condition)),
        (_, false) => parts.push(Cow::Owned(negated(condition.clone()))),
    }
}

/// What bounds a variable.
#[derive(Clone, Copy)]
struct Bound<'e> {
    by: &'e Expr,
    /// `var op by`.
    op: BinOp,
}

impl Bound<'_> {
    /// Whether the variable gets its value from what bounds it: what bounds from below by a variable is bounded by that one.
    fn is_from(&self) -> bool {
        match self.op {
            BinOp::Ge | BinOp::Gt => self.by.as_var().is_none(),
            op => op != BinOp::Ne,
        }
    }
}

/// In which order variables get values, and what says which.
struct Trial<'e> {
    ranges: &'e [Interval],
    bounds: Vec<Vec<Bound<'e>>>,
    /// The variable that stands in the place of another one on the other side of an equation.
    alike: Vec<Option<usize>>,
    order: Vec<usize>,
}

impl<'e> Trial<'e> {
    fn new(parts: &'e [Cow<'_, Expr>], ranges: &'e [Interval]) -> Trial<'e> {
        let count = ranges.len();
        let mut trial =
            Trial { ranges, bounds: vec![Vec::new(); count], alike: vec![None; count], order: Vec::new() };
        for part in parts {
            let ExprKind::Binary(op, a, b) = &part.kind else { continue };
            if !op.is_compare() {
                continue;
            }
            trial.bound(a, *op, b);
            trial.bound(b, op.mirrored(), a);
            if *op == BinOp::Eq {
                trial.pair(a, b);
            }
        }
        let mut visited = vec![false; count];
        (0..count).for_each(|var| trial.visit(var, &mut visited));
        trial
    }

    fn bound(&mut self, of: &Expr, op: BinOp, by: &'e Expr) {
        if let Some(bounds) = of.as_var().and_then(|var| self.bounds.get_mut(var.index())) {
            bounds.push(Bound { by, op });
        }
    }

    /// Notes which variables have the same places in two sums.
    fn pair(&mut self, a: &Expr, b: &Expr) {
        match (&a.kind, &b.kind) {
            (ExprKind::Binary(op, a, b), ExprKind::Binary(other, c, d)) if op == other => {
                self.pair(a, c);
                self.pair(b, d);
            }
            (ExprKind::Var(a), ExprKind::Var(b)) if a != b => {
                if let Some(alike) = self.alike.get_mut(b.index()) {
                    *alike = alike.or(Some(a.index()));
                }
            }
            _ => {}
        }
    }

    /// Puts a variable behind those from which it gets its value.
    fn visit(&mut self, var: usize, visited: &mut [bool]) {
        if visited.get(var).is_none_or(|&is_visited| is_visited) {
            return;
        }
        visited[var] = true;
        let mut from: Vec<usize> = self.alike[var].into_iter().collect();
        for bound in self.bounds[var].iter().filter(|bound| bound.is_from()) {
            bound.by.walk(&mut |e| from.extend(e.as_var().map(VarId::index)));
        }
        from.into_iter().for_each(|var| self.visit(var, visited));
        self.order.push(var);
    }

    /// The values at one point.
    fn values(&self, point: u64) -> Vec<Option<i64>> {
        let mut values: Vec<Option<i64>> = vec![None; self.ranges.len()];
        for &var in &self.order {
            values[var] = Some(self.value(var, &values, point));
        }
        values
    }

    fn value(&self, var: usize, values: &[Option<i64>], point: u64) -> i64 {
        let known = |var: VarId| values.get(var.index()).copied().flatten().map(Value::Int);
        let mut range = Some(self.ranges[var]);
        for Bound { by, op } in &self.bounds[var] {
            let Some(by) = evaluate(by, &known).and_then(Value::as_int) else { continue };
            if *op == BinOp::Eq {
                return by;
            }
            if let Some(values) = compared(*op, by) {
                range = range.and_then(|range| range.meet(values));
            }
        }
        if point.is_multiple_of(2)
            && let Some(same) = self.alike[var].and_then(|alike| values[alike])
        {
            return same;
        }
        sample(range, var, point)
    }
}

/// A value in a range for the variable with a number at a point: a small one where nothing bounds it from above. Where the range
/// is empty, any.
pub(super) fn sample(range: Option<Interval>, var: usize, point: u64) -> i64 {
    let size = SIZES[(mix(var as u64, point) % 8) as usize];
    match range.map(|range| (range, range.lo(), range.hi())) {
        Some((range, Some(_), Some(_))) => value_at(range, true, var as u64, point),
        Some((_, Some(lo), None)) => lo.max(size),
        Some((_, None, Some(hi))) => hi.min(size),
        // Where nothing is left, the conditions tell.
        _ => size,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    fn var(number: u32) -> Expr {
        Expr::var(VarId(number), DType::I32)
    }

    fn binary(op: BinOp, a: &Expr, b: &Expr) -> Expr {
        Expr::binary(op, a.clone(), b.clone())
    }

    #[test]
    fn sizes_come_before_what_they_bound() {
        let (i, j, n, m) = (var(0), var(1), var(2), var(3));
        let above = |e: &Expr| (Expr::binary(BinOp::Ge, e.clone(), Expr::int(0, DType::I32)), true);
        let flat = binary(BinOp::Add, &binary(BinOp::Mul, &i, &m), &j);
        let facts = [
            above(&i),
            above(&j),
            (binary(BinOp::Ge, &i, &n), false),
            (binary(BinOp::And, &binary(BinOp::Lt, &j, &m), &binary(BinOp::Lt, &j, &i)), true),
            (binary(BinOp::Lt, &flat, &binary(BinOp::Mul, &n, &m)), true),
        ];
        let size = Interval::new(0, i64::from(i32::MAX)).expect("not empty");
        assert!(hold_together(facts.iter(), &[size; 4]));
        // The last one follows from the others.
        let mut all = facts.to_vec();
        all[4].1 = false;
        assert!(!hold_together(all.iter(), &[size; 4]));
    }

    #[test]
    fn what_has_the_same_place_in_an_equation_is_equal() {
        let (i, j, m) = (var(0), var(1), var(2));
        let (x, y) = (var(3), var(4));
        let flat = |a: &Expr, b: &Expr| binary(BinOp::Add, &binary(BinOp::Mul, a, &m), b);
        let less = |a: &Expr| (Expr::binary(BinOp::Lt, a.clone(), Expr::int(1_000_000, DType::I32)), true);
        let facts = [(binary(BinOp::Eq, &flat(&i, &j), &flat(&x, &y)), true), less(&i), less(&j)];
        let wide = Interval::new(0, 1_000_000).expect("not empty");
        assert!(hold_together(facts.iter(), &[wide; 5]));
    }
}
