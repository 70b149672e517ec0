//! Ranges of variables that follow from where they are defined, and from conditions that compare one with a constant.

use super::negation::opposite;
use crate::arith::Interval;
use crate::ir::{BinOp, Expr, ExprKind, Param, PrimFunc};

/// The ranges that hold in the whole function: dimensions of parameters' buffers are not negative.
pub(crate) fn parameter_ranges(func: &PrimFunc) -> Vec<Interval> {
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    let of_params = func.params.iter().filter_map(|p| match p {
        Param::Buffer(buffer) => Some(*buffer),
        Param::Var(_) => None,
    });
    for buffer in of_params.chain(func.matches.iter().map(|&(_, buffer)| buffer)) {
        for extent in &func.buffer(buffer).shape {
            if let Some(v) = extent.as_var() {
                ranges[v.index()] = Interval::NON_NEGATIVE;
            }
        }
    }
    ranges
}

/// The range `min .. min + extent` of a loop variable, if both are constants and it is not empty.
pub(crate) fn extent_range(min: Option<i64>, extent: Option<i64>) -> Interval {
    let range = || {
        let (min, extent) = (min?, extent?);
        Interval::new(min, min.checked_add(extent)?.checked_sub(1)?)
    };
    range().unwrap_or_else(|| min.and_then(|m| Interval::new(m, Interval::POS_INF)).unwrap_or(Interval::ALL))
}

/// What a condition compares with a constant, and the values for which it has the truth value, if they are an interval.
pub(crate) fn satisfying(cond: &Expr, truth: bool) -> Option<(&Expr, Interval)> {
    let ExprKind::Binary(op, a, b) = &cond.kind else { return None };
    let (x, c, left) = match (a.as_int(), b.as_int()) {
        (None, Some(c)) => (a, c, true),
        (Some(c), None) => (b, c, false),
        _ => return None,
    };
    if a.dtype.is_uint() && c < 0 {
        // The upper half of `uint64`.
        return None;
    }
    let op = if left { *op } else { op.mirrored() };
    let op = if truth { op } else { opposite(op)? };
    Some((x, compared(op, c)?))
}

/// The values for which a comparison with a constant, which is on the right, holds, if they are an interval.
pub(super) fn compared(op: BinOp, c: i64) -> Option<Interval> {
    let c = i128::from(c);
    let (lo, hi) = match op {
        BinOp::Lt => (None, Some(c - 1)),
        BinOp::Le => (None, Some(c)),
        BinOp::Gt => (Some(c + 1), None),
        BinOp::Ge => (Some(c), None),
        BinOp::Eq => (Some(c), Some(c)),
        _ => return None,
    };
    Interval::between(lo, hi)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{DType, VarId};

    #[test]
    fn every_comparison_leaves_the_values_that_satisfy_it() {
        let x = Expr::var(VarId(0), DType::I32);
        let ops = [BinOp::Lt, BinOp::Le, BinOp::Gt, BinOp::Ge, BinOp::Eq, BinOp::Ne];
        for (op, truth, left) in ops.into_iter().flat_map(|op| {
            [true, false].into_iter().flat_map(move |t| [true, false].map(move |l| (op, t, l)))
        }) {
            let c = Expr::int(3, DType::I32);
            let cond = if left { Expr::binary(op, x.clone(), c) } else { Expr::binary(op, c, x.clone()) };
            let found = satisfying(&cond, truth);
            assert_eq!(found.is_none(), (op == BinOp::Ne) == truth && matches!(op, BinOp::Ne | BinOp::Eq));
            for v in -9..9 {
                let (a, b) = if left { (v, 3) } else { (3, v) };
                let holds = match op {
                    BinOp::Lt => a < b,
                    BinOp::Le => a <= b,
                    BinOp::Gt => a > b,
                    BinOp::Ge => a >= b,
                    BinOp::Eq => a == b,
                    _ => a != b,
                };
                if let Some((found, range)) = found {
                    assert_eq!((found, range.contains(v)), (&x, holds == truth), "{op:?} {truth} {left} {v}");
                }
            }
        }
        let wide = Expr::binary(BinOp::Lt, x.clone(), Expr::int(i64::MIN, DType::I64));
        assert_eq!(satisfying(&wide, true).map(|(_, range)| range.hi()), Some(Some(i64::MIN + 1)));
    }
}
