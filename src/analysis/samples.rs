//! The elements that accesses meet at sample values of variables, those in loops in any iteration: two that differ there are not
//! always the same. To see that takes much less than to ask whether they are.

use std::cell::Cell;

use smallvec::SmallVec;

use super::accesses::{Access, Accesses, Fact, Loop};
use super::counterexample::{is_likely, sample};
use crate::arith::Interval;
use crate::arith::invert::range_by;
use crate::ir::value::{Value, evaluate};
use crate::ir::{Expr, VarId};

/// How many points are tried.
const POINTS: u64 = 16;

/// Whether a point is found at which facts hold, and an access meets an element that none of the others does.
pub(super) fn is_apart(accesses: &Accesses, own: usize, others: &[usize], facts: &[Fact]) -> bool {
    let own = &accesses.list[own];
    // What is bound within loops has another value in each iteration.
    let is_known = |access: &Access| access.locals.is_empty();
    if !is_known(own) || !others.iter().all(|&other| is_known(&accesses.list[other])) {
        return false;
    }
    let held = Cell::new(false);
    let is_apart_at = |point: &Point<'_>| {
        let Some(element) = point.element(own) else { return false };
        let holds =
            |(fact, truth): &Fact| point.evaluate(fact).is_some_and(|v| (v != Value::Int(0)) == *truth);
        let all_hold = facts.iter().all(holds);
        held.set(held.get() || all_hold);
        all_hold && !others.iter().any(|&other| point.may_meet(&accesses.list[other], &element))
    };
    let point = |number, given| Point { accesses, number, given };
    (0..POINTS).any(|number| is_apart_at(&point(number, Vec::new())))
        || !held.get()
            && is_likely(facts, &accesses.ranges, |number, given| is_apart_at(&point(number, given)))
}

/// Sample values of all variables.
struct Point<'a> {
    accesses: &'a Accesses,
    number: u64,
    /// Those of some variables, if others than usual.
    given: Vec<(VarId, i64)>,
}

impl Point<'_> {
    fn value(&self, var: VarId) -> Option<i64> {
        if let Some((_, value)) = self.given.iter().find(|(given, _)| *given == var) {
            return Some(*value);
        }
        let range = *self.accesses.ranges.get(var.index())?;
        Some(sample(Some(range), var.index(), self.number))
    }

    fn evaluate(&self, e: &Expr) -> Option<Value> {
        evaluate(e, &|var| self.value(var).map(Value::Int))
    }

    /// The indices of an access in the iteration that its variables name.
    fn element(&self, access: &Access) -> Option<SmallVec<[i64; 4]>> {
        access.indices.iter().map(|index| self.evaluate(index)?.as_int()).collect()
    }

    /// Whether an access may meet an element in some iteration of the loops around it.
    fn may_meet(&self, access: &Access, element: &[i64]) -> bool {
        if access.loops.is_empty() {
            return self.element(access).is_none_or(|met| met[..] == *element);
        }
        let mut counters: SmallVec<[(VarId, Interval); 4]> = SmallVec::new();
        for &l in &*access.loops {
            let Loop { domain, exact, .. } = &self.accesses.loops[l];
            let [min, extent] = [&domain.min, &domain.extent].map(|e| self.range(e, &counters));
            let last = extent.hi().and_then(|extent| min.hi()?.checked_add(extent.checked_sub(1)?));
            let range = Interval::between(min.lo().map(i128::from), last.map(i128::from));
            counters.push((domain.var, range.filter(|_| *exact).unwrap_or(Interval::ALL)));
        }
        access.indices.len() != element.len()
            || element.iter().zip(&access.indices).all(|(&v, index)| self.range(index, &counters).contains(v))
    }

    /// The range of an index where some variables have ranges.
    fn range(&self, e: &Expr, counters: &[(VarId, Interval)]) -> Interval {
        range_by(e, &|var| match counters.iter().find(|(counter, _)| *counter == var) {
            Some((_, range)) => *range,
            None => self.value(var).map_or(Interval::ALL, Interval::point),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{BinOp, DType, Expr};

    #[test]
    fn only_what_differs_at_a_point_is_apart() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    A[n // 3] = 1\n    A[(n + 1) // 3] = 2\n    \
                    A[(n + 3) // 3 - 1] = 3\n    for i in range(8):\n        A[i] = 4\n    for i in range(3):\n        \
                    A[n + i] = 5\n";
        let func = crate::parse(text).unwrap().funcs.remove(0);
        let accesses = Accesses::new(&func).unwrap();
        let is_apart = |others: &[usize], facts: &[Fact]| is_apart(&accesses, 0, others, facts);
        assert!(is_apart(&[1], &[]));
        // The same element, whatever `n` is.
        assert!(!is_apart(&[2], &[]) && !is_apart(&[1, 2], &[]));
        // A loop meets it in one of its iterations, or in none.
        assert!(!is_apart(&[3], &[]) && is_apart(&[4], &[]));
        let n = Expr::var(VarId(0), DType::I32);
        let never = Expr::binary(BinOp::Lt, n.clone(), n);
        assert!(!is_apart(&[1], &[(never.clone(), true)]) && is_apart(&[1], &[(never, false)]));
    }
}
