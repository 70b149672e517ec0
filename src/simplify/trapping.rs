//! What evaluating an expression may trap on, against what another one in its place does.
//!
//! `and` and `or` guard nothing in compiled code: TVM's code generators evaluate both operands. So what the left operand
//! says is no reason to let the right one evaluate anything that it did not evaluate before.

use crate::analysis::effects;
use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// An operation that may trap, with the operands before it that decide whether it is evaluated.
struct Trapping<'e> {
    operation: &'e Expr,
    guards: Vec<(&'e Expr, bool)>,
}

/// Whether every operation of `new` that may trap where `known` holds is one that `old` evaluates too, under no more
/// conditions. With `equal`, the values of both are known to be equal wherever `new` is evaluated: that of `old` fits its
/// type, and so does that of `new`.
pub(super) fn evaluates_no_more(known: &Known, new: &Expr, old: &Expr, equal: bool) -> bool {
    let [mut evaluated, mut before] = [Vec::new(), Vec::new()];
    collect(known, new, &mut Vec::new(), &mut evaluated);
    if equal && !effects::node_effect(new).may_trap {
        evaluated.retain(|trapping| !std::ptr::eq(trapping.operation, new));
    }
    if evaluated.is_empty() {
        return true;
    }
    collect(known, old, &mut Vec::new(), &mut before);
    evaluated.iter().all(|trapping| {
        before.iter().any(|known| {
            known.operation == trapping.operation && known.guards.iter().all(|g| trapping.guards.contains(g))
        })
    })
}

/// Whether an expression holds an operation that may trap where `known` holds and `before` was evaluated without trapping: what
/// that computes does not trap, and neither does a sum that lies between one of its summands and what it adds to that.
pub(super) fn may_trap_after(known: &Known, e: &Expr, before: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |part| found |= operation_may_trap(known, part) && !is_covered(part, before));
    found
}

/// Whether an operation is covered by one that evaluating `before` computes in any case.
fn is_covered(operation: &Expr, before: &Expr) -> bool {
    let is_between = |x: i64, end: i64| (0..=end).contains(&x) || (end..=0).contains(&x);
    let here = operation == before
        || operation.dtype == before.dtype
            && matches!((offset(operation), offset(before)), (Some((a, x)), Some((b, end)))
                if a == b && is_between(x, end));
    // What lies behind a guard need not be evaluated.
    here || match &before.kind {
        ExprKind::Binary(BinOp::And | BinOp::Or, a, _) => is_covered(operation, a),
        ExprKind::Call(call) if call.is_lazy_select() => {
            call.args.first().is_some_and(|cond| is_covered(operation, cond))
        }
        _ => {
            let mut found = false;
            before.for_each_child(|child| found |= is_covered(operation, child));
            found
        }
    }
}

/// The summand and the constant of a sum.
fn offset(e: &Expr) -> Option<(&Expr, i64)> {
    match &e.kind {
        ExprKind::Binary(BinOp::Add, a, b) => b.as_int().map(|b| (&**a, b)),
        ExprKind::Binary(BinOp::Sub, a, b) => Some((&**a, b.as_int()?.checked_neg()?)),
        _ => None,
    }
}

fn operation_may_trap(known: &Known, e: &Expr) -> bool {
    effects::node_effect(e).may_trap || known.magnitudes.may_overflow(e)
}

fn collect<'e>(
    known: &Known,
    e: &'e Expr,
    guards: &mut Vec<(&'e Expr, bool)>,
    found: &mut Vec<Trapping<'e>>,
) {
    if operation_may_trap(known, e) {
        found.push(Trapping { operation: e, guards: guards.clone() });
    }
    let mut guarded = |cond: &'e Expr, operands: &[(&'e Expr, bool)]| {
        collect(known, cond, guards, found);
        for &(operand, truth) in operands {
            guards.push((cond, truth));
            collect(known, operand, guards, found);
            guards.pop();
        }
    };
    match &e.kind {
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => guarded(a, &[(b, *op == BinOp::And)]),
        ExprKind::Call(call) if call.is_lazy_select() => {
            if let [cond, then, otherwise] = &call.args[..] {
                guarded(cond, &[(then, true), (otherwise, false)]);
            }
        }
        _ => e.for_each_child(|child| collect(known, child, guards, found)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;
    use crate::ir::build::FuncBuilder;

    fn no_more(new: &str, old: &str) -> bool {
        let mut b = FuncBuilder::new("main");
        b.param("x", DType::I32);
        b.param("d", DType::I32);
        let mut func = b.finish();
        let mut parse = |text: &str| crate::script::parse_expr(text, &mut func).expect("an expression");
        let (new, old) = (parse(new), parse(old));
        evaluates_no_more(&Known::default(), &new, &old, false)
    }

    #[test]
    fn only_what_was_evaluated_under_the_same_conditions_is() {
        assert!(no_more("x // d > 0", "x // d + 1 > 1"));
        assert!(no_more("x < 4", "x // d > 0"));
        assert!(!no_more("x // d > 0", "x // T.max(d, 1) > 0"));
        assert!(!no_more("x // d > 0", "d > 0 and x // d > 0"));
        assert!(no_more("d > 0 and x // d > 1", "d > 0 and x // d > 0"));
        assert!(!no_more("T.if_then_else(d > 0, x // d, 0)", "T.if_then_else(d > 1, x // d, 0)"));
        assert!(!no_more("x + d > 0", "x > 0 - d"));
        assert!(no_more("x // 2 + 5 > 0", "x > 0"));
        assert!(!no_more("x // d > 0", "d > 0"));
    }
}
