//! Variables that have one value at a place, as those of loops that run once: what their values make of the operations on
//! them is written without a graph being asked.

use crate::analysis::known::Known;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// Folds the operations that the values of such variables decide. Returns how many were replaced.
pub(super) fn fold_points(known: &Known, e: &mut Expr) -> usize {
    let mut replaced = 0;
    e.for_each_child_mut(|part| replaced += fold_points(known, part));
    let value = |var: VarId| known.ranges.get(var.index())?.as_point();
    if let ExprKind::Binary(op, a, b) = &e.kind
        && e.dtype.is_scalar()
        && (replaced > 0 || [a, b].into_iter().any(|operand| operand.as_var().and_then(value).is_some()))
        && let Some(folded) = folded(*op, a, b, e, &value)
    {
        *e = folded;
        replaced += 1;
    }
    replaced
}

/// What the operation `e` is, if both operands have values, or if it adds 0.
fn folded(op: BinOp, a: &Expr, b: &Expr, e: &Expr, value: &impl Fn(VarId) -> Option<i64>) -> Option<Expr> {
    let of = |operand: &Expr| operand.as_int().or_else(|| value(operand.as_var()?));
    match (op, of(a), of(b)) {
        (_, Some(_), Some(_)) => {
            let all = evaluate(e, &|var| value(var).map(Value::Int))?;
            Some(all.to_expr(e.dtype))
        }
        (BinOp::Add, Some(0), None) => Some(b.clone()),
        (BinOp::Add | BinOp::Sub, None, Some(0)) => Some(a.clone()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arith::Interval;
    use crate::ir::DType;

    #[test]
    fn operations_on_a_variable_with_one_value_are_folded() {
        let [x, y] = [0, 1].map(|var| Expr::var(VarId(var), DType::I32));
        let known = Known { ranges: vec![Interval::ALL, Interval::point(2)].into(), ..Known::default() };
        let mut index = (y.clone() + 3) * 4 + x.clone();
        assert_eq!(fold_points(&known, &mut index), 2);
        assert_eq!(index, Expr::int(20, DType::I32) + x.clone());
        let mut cond = Expr::binary(BinOp::Lt, y, x);
        assert_eq!(fold_points(&known, &mut cond), 0, "nothing is shorter");
        let mut constant = Expr::binary(BinOp::Mul, Expr::int(2, DType::I32), Expr::int(3, DType::I32));
        assert_eq!(fold_points(&known, &mut constant), 0, "that is for others");
    }
}
