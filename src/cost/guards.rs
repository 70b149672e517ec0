//! How often conditions hold, counted: over the values of loop variables whose ranges are known.
//!
//! A conjunction is taken apart by the variables of its parts; parts without a common variable are counted by themselves.
//! Along one axis, the longest one in which all comparisons are linear, the values that satisfy them are an interval, which
//! is solved; all points of the other axes are visited. Where no axis is like that, all points are. What would need more
//! than [`MAX_POINTS`] points, or has parts that no value is known of, is not counted.

use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// The most points that are visited for one condition.
const MAX_POINTS: u64 = 65_536;

/// The values of a loop variable: the first one, the distance between two, and how many there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Axis {
    pub(super) first: i64,
    pub(super) step: i64,
    pub(super) count: u64,
}

impl Axis {
    fn at(&self, position: u64) -> i64 {
        self.first.saturating_add(self.step.saturating_mul(i64::try_from(position).unwrap_or(i64::MAX)))
    }
}

/// What is known of variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Domain<'a> {
    /// By variable, the values of a loop variable.
    pub(super) axes: &'a [Option<Axis>],
    /// By variable, the value of any other.
    pub(super) values: &'a [Option<i64>],
}

/// A condition, and whether it is to hold.
pub(super) type Fact = (Expr, bool);

/// A number of points out of a number of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    pub(super) holds: u64,
    pub(super) of: u64,
}

/// The share of the points where `given` holds at which `cond` does too. `None` if it cannot be counted. Of `given` only
/// what speaks of the variables of `cond` takes part, and nothing of it if it cannot be counted.
pub(super) fn share(domain: Domain<'_>, given: &[Fact], cond: &Expr) -> Option<Share> {
    if let Some(value) = domain.at(&[], &[], cond) {
        return Some(Share { holds: u64::from(value != 0), of: 1 });
    }
    let mut parts = Vec::new();
    conjuncts(cond, true, &mut parts);
    let mut known = Vec::new();
    given.iter().for_each(|(cond, truth)| conjuncts(cond, *truth, &mut known));
    let mut total = Share { holds: 1, of: 1 };
    while let Some(part) = parts.pop() {
        let mut vars = domain.vars_of(&part.0);
        let mut group = vec![part];
        let mut facts: Vec<Fact> = Vec::new();
        // All parts that are connected with this one.
        loop {
            let shares = |fact: &Fact| domain.vars_of(&fact.0).iter().any(|var| vars.contains(var));
            let (more, rest): (Vec<Fact>, Vec<Fact>) = parts.drain(..).partition(shares);
            let (more_known, rest_known): (Vec<Fact>, Vec<Fact>) = known.drain(..).partition(shares);
            (parts, known) = (rest, rest_known);
            if more.is_empty() && more_known.is_empty() {
                break;
            }
            for (cond, _) in more.iter().chain(&more_known) {
                for var in domain.vars_of(cond) {
                    if !vars.contains(&var) {
                        vars.push(var);
                    }
                }
            }
            group.extend(more);
            facts.extend(more_known);
        }
        let own = match domain.count(&facts) {
            Some(all) if !facts.is_empty() => {
                group.extend(facts);
                let all_axes = domain.size(&domain.vars_of_all(&group))?;
                let fact_axes = all.of;
                let count = domain.count(&group)?;
                // Both as numbers of points of all axes of the group.
                let of = all.holds.checked_mul(all_axes.checked_div(fact_axes).unwrap_or(0))?;
                if of == 0 { Share { holds: 0, of: 1 } } else { Share { holds: count.holds, of } }
            }
            _ => domain.count(&group)?,
        };
        total = Share { holds: total.holds.checked_mul(own.holds)?, of: total.of.checked_mul(own.of)? };
        if total.holds == 0 {
            return Some(Share { holds: 0, of: 1 });
        }
    }
    Some(total)
}

/// The mean of an integer over the values of the loop variables in it, negative values counting as 0, as a sum and the number
/// of points.
pub(super) fn mean(domain: Domain<'_>, e: &Expr) -> Option<(u64, u64)> {
    let vars = domain.vars_of(e);
    let points = domain.size(&vars).filter(|&points| points <= MAX_POINTS)?;
    let (mut sum, mut point) = (0_u64, vec![0; vars.len()]);
    for number in 0..points {
        domain.point(&vars, number, &mut point);
        let value = domain.at(&vars, &point, e)?;
        sum = sum.checked_add(u64::try_from(value).unwrap_or(0))?;
    }
    Some((sum, points.max(1)))
}

/// Takes a conjunction apart, or a disjunction that does not hold.
fn conjuncts(cond: &Expr, truth: bool, out: &mut Vec<Fact>) {
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) if truth => {
            conjuncts(a, true, out);
            conjuncts(b, true, out);
        }
        ExprKind::Binary(BinOp::Or, a, b) if !truth => {
            conjuncts(a, false, out);
            conjuncts(b, false, out);
        }
        ExprKind::Not(a) => conjuncts(a, !truth, out),
        _ => match cond.as_intrin() {
            Some(("likely", [a])) => conjuncts(a, truth, out),
            _ => out.push((cond.clone(), truth)),
        },
    }
}

impl Domain<'_> {
    /// The loop variables with known values in an expression, in the order of their numbers.
    fn vars_of(&self, e: &Expr) -> Vec<VarId> {
        let mut vars = Vec::new();
        e.walk(&mut |e| {
            if let Some(var) = e.as_var()
                && self.axis(var).is_some()
                && !vars.contains(&var)
            {
                vars.push(var);
            }
        });
        vars.sort_unstable_by_key(|var| var.index());
        vars
    }

    fn vars_of_all(&self, facts: &[Fact]) -> Vec<VarId> {
        let mut vars: Vec<VarId> = facts.iter().flat_map(|(cond, _)| self.vars_of(cond)).collect();
        vars.sort_unstable_by_key(|var| var.index());
        vars.dedup();
        vars
    }

    fn axis(&self, var: VarId) -> Option<Axis> {
        *self.axes.get(var.index())?
    }

    /// How many points these variables have.
    fn size(&self, vars: &[VarId]) -> Option<u64> {
        vars.iter().try_fold(1_u64, |all, &var| all.checked_mul(self.axis(var)?.count))
    }

    /// The values of the variables at the point with a number.
    fn point(&self, vars: &[VarId], mut number: u64, point: &mut [i64]) {
        for (slot, &var) in point.iter_mut().zip(vars) {
            let Some(axis) = self.axis(var) else { continue };
            let count = axis.count.max(1);
            *slot = axis.at(number % count);
            number /= count;
        }
    }

    /// The value of an expression where the variables have these values.
    fn at(&self, vars: &[VarId], point: &[i64], e: &Expr) -> Option<i64> {
        let value_of = |var: VarId| match vars.iter().position(|&own| own == var) {
            Some(at) => point.get(at).copied().map(Value::Int),
            None => self.values.get(var.index()).copied().flatten().map(Value::Int),
        };
        evaluate(e, &value_of)?.as_int()
    }

    /// How many points satisfy all of these conditions, out of how many.
    fn count(&self, facts: &[Fact]) -> Option<Share> {
        let vars = self.vars_of_all(facts);
        let of = self.size(&vars)?;
        let linear = |var: &VarId| facts.iter().all(|fact| self.is_linear(fact, *var));
        let longest = vars.iter().copied().filter(linear).max_by_key(|&var| self.axis(var).map(|a| a.count));
        let others: Vec<VarId> = match longest {
            Some(longest) => vars.iter().copied().filter(|&var| var != longest).collect(),
            None => vars.clone(),
        };
        let points = self.size(&others).filter(|&points| points <= MAX_POINTS)?;
        let (mut holds, mut point) = (0_u64, vec![0; others.len()]);
        // The axis that is solved comes last.
        let mut all_vars = others.clone();
        all_vars.extend(longest);
        point.resize(all_vars.len(), 0);
        for number in 0..points {
            self.point(&others, number, &mut point);
            holds += match longest {
                Some(longest) => self.along(&all_vars, &mut point, longest, facts)?,
                None => {
                    let mut all = true;
                    for (cond, truth) in facts {
                        all = all && (self.at(&others, &point, cond)? != 0) == *truth;
                    }
                    u64::from(all)
                }
            };
        }
        Some(Share { holds, of })
    }

    /// Whether a condition is a comparison that is linear in a variable, with an interval of solutions, or does not depend on
    /// it.
    fn is_linear(&self, (cond, truth): &Fact, var: VarId) -> bool {
        if !mentions(cond, var) {
            return true;
        }
        match &cond.kind {
            ExprKind::Binary(op, a, b)
                if op.is_compare() && *op != BinOp::Ne && (*truth || *op != BinOp::Eq) =>
            {
                a.dtype.is_index() && self.slope(a, var).is_some() && self.slope(b, var).is_some()
            }
            _ => false,
        }
    }

    /// By how much an expression grows with a variable, if always by the same.
    fn slope(&self, e: &Expr, var: VarId) -> Option<i64> {
        if e.as_var() == Some(var) {
            return Some(1);
        }
        if !mentions(e, var) {
            return Some(0);
        }
        match &e.kind {
            ExprKind::Binary(BinOp::Add, a, b) => self.slope(a, var)?.checked_add(self.slope(b, var)?),
            ExprKind::Binary(BinOp::Sub, a, b) => self.slope(a, var)?.checked_sub(self.slope(b, var)?),
            ExprKind::Binary(BinOp::Mul, a, b) => {
                let constant = |e: &Expr| self.at(&[], &[], e);
                match (constant(a), constant(b)) {
                    (Some(a), _) => a.checked_mul(self.slope(b, var)?),
                    (_, Some(b)) => b.checked_mul(self.slope(a, var)?),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// How many values of one variable satisfy conditions that are linear in it; `point` has the values of the others.
    fn along(&self, vars: &[VarId], point: &mut [i64], var: VarId, facts: &[Fact]) -> Option<u64> {
        let axis = self.axis(var)?;
        if axis.count == 0 {
            return Some(0);
        }
        // Positions on the axis, both ends included.
        let (mut low, mut high) = (0_i128, i128::from(axis.count) - 1);
        let slot = point.last_mut()?;
        *slot = axis.first;
        for (cond, truth) in facts {
            let holds_all = |value: i64| (value != 0) == *truth;
            if !mentions(cond, var) {
                if !holds_all(self.at(vars, point, cond)?) {
                    return Some(0);
                }
                continue;
            }
            let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
            let slope = i128::from(self.slope(a, var)?) - i128::from(self.slope(b, var)?);
            let slope = slope * i128::from(axis.step);
            let start = i128::from(self.at(vars, point, a)?) - i128::from(self.at(vars, point, b)?);
            // `start + slope * t op 0` for the positions t.
            let op = if *truth { *op } else { opposite(*op)? };
            let (from, to) = solve(op, start, slope)?;
            low = low.max(from);
            high = high.min(to);
        }
        u64::try_from((high - low + 1).max(0)).ok()
    }
}

fn mentions(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e.as_var() == Some(var));
    found
}

/// The comparison that holds where this one does not; `None` if its solutions are no interval.
fn opposite(op: BinOp) -> Option<BinOp> {
    match op {
        BinOp::Lt => Some(BinOp::Ge),
        BinOp::Le => Some(BinOp::Gt),
        BinOp::Gt => Some(BinOp::Le),
        BinOp::Ge => Some(BinOp::Lt),
        _ => None,
    }
}

/// The interval of the `t` with `start + slope * t op 0`, which may be empty.
fn solve(op: BinOp, start: i128, slope: i128) -> Option<(i128, i128)> {
    let (all, none) = ((i128::MIN / 4, i128::MAX / 4), (1, 0));
    let (op, start, slope) = match op {
        // `<=` and `>=` of integers, and a positive slope, are enough.
        BinOp::Lt => (BinOp::Le, start + 1, slope),
        BinOp::Gt => (BinOp::Ge, start - 1, slope),
        op => (op, start, slope),
    };
    if slope == 0 {
        let holds = match op {
            BinOp::Le => start <= 0,
            BinOp::Ge => start >= 0,
            BinOp::Eq => start == 0,
            _ => return None,
        };
        return Some(if holds { all } else { none });
    }
    let (op, start, slope) = match (op, slope < 0) {
        (BinOp::Le, true) => (BinOp::Ge, -start, -slope),
        (BinOp::Ge, true) => (BinOp::Le, -start, -slope),
        (op, negative) => {
            if negative {
                (op, -start, -slope)
            } else {
                (op, start, slope)
            }
        }
    };
    match op {
        BinOp::Le => Some((all.0, (-start).div_euclid(slope))),
        BinOp::Ge => Some((-(start.div_euclid(slope)), all.1)),
        BinOp::Eq if start.rem_euclid(slope) == 0 => Some((-start / slope, -start / slope)),
        BinOp::Eq => Some(none),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    fn var(at: u32) -> Expr {
        Expr::var(VarId(at), DType::I32)
    }

    fn int(value: i64) -> Expr {
        Expr::int(value, DType::I32)
    }

    const OPS: [BinOp; 6] = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];

    /// The share by visiting all points, with no thought.
    fn visited(axes: &[Axis], given: &[Fact], cond: &Expr) -> (u64, u64) {
        let (mut holds, mut of) = (0, 0);
        let all: u64 = axes.iter().map(|axis| axis.count).product();
        for number in 0..all {
            let mut rest = number;
            let values: Vec<i64> = axes
                .iter()
                .map(|axis| {
                    let at = rest % axis.count;
                    rest /= axis.count;
                    axis.first + axis.step * at as i64
                })
                .collect();
            let value_of = |var: VarId| values.get(var.index()).copied().map(Value::Int);
            let truth = |e: &Expr| evaluate(e, &value_of).and_then(|v| v.as_int()) != Some(0);
            if given.iter().all(|(cond, holds)| truth(cond) == *holds) {
                of += 1;
                holds += u64::from(truth(cond));
            }
        }
        (holds, of)
    }

    #[test]
    fn counts_are_those_of_all_points() {
        let axis = |first, step, count| Axis { first, step, count };
        let boxes =
            [[axis(0, 1, 4), axis(0, 1, 7)], [axis(-3, 2, 5), axis(2, 3, 4)], [axis(5, 1, 1), axis(0, 1, 0)]];
        let mut compared = 0;
        for axes in boxes {
            let slots: Vec<Option<Axis>> = axes.iter().copied().map(Some).collect();
            let domain = Domain { axes: &slots, values: &[] };
            for (at, op) in OPS.into_iter().enumerate() {
                for (a, b, c) in [(4, 1, 14), (-3, 2, 1), (0, -1, -2), (2, 2, 6), (1, 0, 3)] {
                    let sum = Expr::binary(BinOp::Add, var(0) * a, var(1) * b);
                    let cond = Expr::binary(op, sum.clone(), int(c));
                    let other = Expr::binary(OPS[(at + 3) % 6], var(1), int(c - 9));
                    let both = Expr::binary(BinOp::And, cond.clone(), other.clone());
                    let either = Expr::binary(BinOp::Or, cond.clone(), other.clone());
                    let quotient = Expr::binary(op, sum.floordiv(3), int(1));
                    for cond in [cond.clone(), Expr::not(both.clone()), both, either, quotient] {
                        for given in [vec![], vec![(other.clone(), true)], vec![(other.clone(), false)]] {
                            let (holds, of) = visited(&axes, &given, &cond);
                            let found = share(domain, &given, &cond).expect("small boxes are counted");
                            if of == 0 {
                                continue;
                            }
                            assert_eq!(
                                u128::from(found.holds) * u128::from(of),
                                u128::from(holds) * u128::from(found.of),
                                "{cond:?} given {given:?} in {axes:?}: {found:?}, {holds} of {of}"
                            );
                            compared += 1;
                        }
                    }
                }
            }
        }
        assert!(compared > 500, "{compared}");
    }

    #[test]
    fn long_axes_are_solved_and_too_many_points_are_not_counted() {
        let long = Some(Axis { first: 0, step: 1, count: 1 << 40 });
        let slots = [Some(Axis { first: 0, step: 1, count: 4 }), long, long];
        let domain = Domain { axes: &slots, values: &[] };
        let cond = Expr::binary(BinOp::Lt, var(0) + var(1), int(14));
        assert_eq!(share(domain, &[], &cond), Some(Share { holds: 14 + 13 + 12 + 11, of: 4 << 40 }));
        let wide = Expr::binary(BinOp::Lt, var(1) + var(2), int(14));
        assert_eq!(share(domain, &[], &wide), None);
        let loaded = Expr::binary(BinOp::Lt, var(0), var(7));
        assert_eq!(share(domain, &[], &loaded), None);
    }

    #[test]
    fn means_are_of_all_values() {
        let slots = [Some(Axis { first: 0, step: 1, count: 4 })];
        let domain = Domain { axes: &slots, values: &[] };
        let e = Expr::binary(BinOp::Min, int(4), int(6) + var(0) * -4);
        assert_eq!(mean(domain, &e), Some((4 + 2, 4)));
    }
}
