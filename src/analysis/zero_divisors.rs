//! Divisions by zero that TVM sees.
//!
//! Where the conditions of `if`s leave a variable one value, TVM's simplifier puts it in place of the variable, and it stops
//! at a divisor that becomes 0. A division that the input never evaluates, or traps on, is compiled as long as the condition
//! says so in a way that TVM does not follow, such as `m * 2 == 4`. What becomes of that is written as `m | 0 == 2`.

use hashbrown::HashMap;

use super::ranges::satisfying;
use crate::arith::Interval;
use crate::ir::{BinOp, Block, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// The values that conditions leave to variables.
type Ranges = HashMap<VarId, Interval>;

/// Writes the conditions of `after` that show TVM a division by zero in another way, unless some of `before` do: then it does
/// not compile as it is. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let shows = |func: &PrimFunc| func.body.iter().any(|stmt| has_shown(stmt, &Ranges::new()));
    if !shows(after) || shows(before) {
        return false;
    }
    hide(&mut after.body, &Ranges::new());
    true
}

/// Whether TVM sees a division by zero in a statement, in whose place the ranges hold.
fn has_shown(stmt: &Stmt, ranges: &Ranges) -> bool {
    let StmtKind::If { cond, then, otherwise } = &stmt.kind else {
        let (mut found, mut blocks) = (false, false);
        stmt.for_each_expr(|e| found |= divides_by_zero(e, ranges));
        stmt.for_each_block(|block| blocks |= block.iter().any(|stmt| has_shown(stmt, ranges)));
        return found || blocks;
    };
    let within = |block: &Block, truth: bool| {
        let ranges = narrowed(ranges, cond, truth);
        block.iter().any(|stmt| has_shown(stmt, &ranges))
    };
    divides_by_zero(cond, &narrowed(ranges, cond, true)) || within(then, true) || within(otherwise, false)
}

fn hide(block: &mut Block, ranges: &Ranges) {
    for stmt in block {
        let shown = has_shown(stmt, ranges);
        if let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
            && shown
        {
            mask(cond);
            hide(then, ranges);
            hide(otherwise, ranges);
        } else if shown {
            stmt.for_each_block_mut(|block| hide(block, ranges));
        }
    }
}

/// The ranges, and what the condition says beside them where it has the truth value.
fn narrowed(ranges: &Ranges, cond: &Expr, truth: bool) -> Ranges {
    let mut narrower = ranges.clone();
    narrow(&mut narrower, cond, truth);
    narrower
}

fn narrow(ranges: &mut Ranges, cond: &Expr, truth: bool) {
    match &cond.kind {
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if (*op == BinOp::And) == truth => {
            narrow(ranges, a, truth);
            narrow(ranges, b, truth);
        }
        ExprKind::Not(a) => narrow(ranges, a, !truth),
        _ => {
            if let Some((var, range)) = satisfying(cond, truth) {
                let own = ranges.entry(var).or_insert(Interval::ALL);
                *own = own.meet(range).unwrap_or(*own);
            }
        }
    }
}

fn divides_by_zero(e: &Expr, ranges: &Ranges) -> bool {
    let mut found = false;
    if !ranges.is_empty() {
        e.walk(&mut |e| {
            if let ExprKind::Binary(op, _, divisor) = &e.kind
                && op.is_division()
                && divisor.dtype.is_integral()
                && divisor.as_int().is_none()
            {
                found |= range(divisor, ranges).as_point() == Some(0);
            }
        });
    }
    found
}

fn range(e: &Expr, ranges: &Ranges) -> Interval {
    match &e.kind {
        ExprKind::Int(v) => Interval::point(*v),
        ExprKind::Var(v) => ranges.get(v).copied().unwrap_or(Interval::ALL),
        ExprKind::Binary(BinOp::Add, a, b) => range(a, ranges).add(range(b, ranges)),
        ExprKind::Binary(BinOp::Sub, a, b) => range(a, ranges).sub(range(b, ranges)),
        ExprKind::Binary(BinOp::Mul, a, b) => range(a, ranges).mul(range(b, ranges)),
        ExprKind::Binary(BinOp::Min, a, b) => range(a, ranges).min(range(b, ranges)),
        ExprKind::Binary(BinOp::Max, a, b) => range(a, ranges).max(range(b, ranges)),
        ExprKind::Cast(a) | ExprKind::Broadcast(a) => range(a, ranges),
        _ => Interval::ALL,
    }
}

/// Writes the variables that a condition compares with constants as `v | 0`.
fn mask(cond: &mut Expr) {
    if satisfying(cond, true).or_else(|| satisfying(cond, false)).is_some() {
        cond.for_each_child_mut(|e| {
            if e.as_var().is_some() {
                let dtype = e.dtype;
                let var = std::mem::replace(e, Expr::bool(false));
                *e = Expr::call(dtype, "bitwise_or", vec![var, Expr::int(0, dtype)]);
            }
        });
    } else if matches!(&cond.kind, ExprKind::Binary(op, ..) if op.is_logic())
        || matches!(cond.kind, ExprKind::Not(_))
    {
        cond.for_each_child_mut(mask);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(cond: &str) -> PrimFunc {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.int32, n: T.int32):\n    if {cond}:\n        \
             if n > 4:\n            A[0] = n // ((m - 2) * n)\n"
        );
        crate::parse(&text).unwrap().funcs.remove(0)
    }

    #[test]
    fn only_conditions_that_the_input_does_not_have_are_written_otherwise() {
        let before = function("m * 2 == 4");
        for (cond, hidden) in [
            ("m == 2", "if m | 0 == 2:"),
            ("n < 9 and 2 == m", "if n | 0 < 9 and 2 == m | 0:"),
            ("m >= 2 and m < 3", "if m | 0 >= 2 and m | 0 < 3:"),
            ("not m != 2", "if not m | 0 != 2:"),
        ] {
            let mut after = function(cond);
            assert!(keep(&before, &mut after), "{cond}");
            let text = crate::script::print_func(&after);
            assert!(text.contains(hidden), "{text}");
            assert!(!keep(&before, &mut after));
            assert!(!keep(&function("m < 3 and m > 1"), &mut function(cond)), "TVM stops at the input");
        }
        for cond in ["m == 3", "m >= 2", "m == 2 or n == 3", "n == 2"] {
            assert!(!keep(&before, &mut function(cond)), "{cond}");
        }
    }
}
