//! Divisions by zero that TVM sees.
//!
//! Where the conditions of `if`s leave an expression one value, TVM's simplifier puts it in place of the expression, and it
//! stops at a divisor that becomes 0. A division that the input never evaluates, or traps on, is compiled as long as the condition
//! says so in a way that TVM does not follow, such as `m * 2 == 4`. What becomes of that is written as `m | 0 == 2`.

use hashbrown::{HashMap, HashSet};

use crate::analysis::ranges::satisfying;
use crate::arith::Interval;
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// The values that conditions leave to expressions.
type Ranges = HashMap<Expr, Interval>;

/// Conditions and integers that are bound to variables.
struct Bound(HashMap<VarId, Expr>);

/// How many bindings deep a divisor is looked into: each may name the one before it more than once.
const MAX_BINDINGS: usize = 4;

impl Bound {
    fn of(func: &PrimFunc) -> Bound {
        let mut bound = HashMap::new();
        for stmt in &func.body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Bind { var, value } = &stmt.kind
                    && (value.dtype == DType::BOOL || value.dtype.is_integral())
                {
                    bound.insert(*var, value.clone());
                }
            });
        }
        Bound(bound)
    }
}

/// Writes the conditions of `after` that show TVM a division by zero in another way, unless some of `before` do: then it does
/// not compile as it is. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let shows = |func: &PrimFunc| {
        let bound = Bound::of(func);
        func.body.iter().any(|stmt| has_shown(stmt, &bound, &Ranges::new()))
    };
    if !shows(after) || shows(before) {
        return false;
    }
    let bound = Bound::of(after);
    let mut masked = HashSet::new();
    hide(&mut after.body, &bound, &Ranges::new(), &mut masked);
    if !masked.is_empty() {
        mask_bound(&mut after.body, &bound, &mut masked);
    }
    true
}

/// Whether TVM sees a division by zero in a statement, in whose place the ranges hold.
fn has_shown(stmt: &Stmt, bound: &Bound, ranges: &Ranges) -> bool {
    let StmtKind::If { cond, then, otherwise } = &stmt.kind else {
        let (mut found, mut blocks) = (false, false);
        stmt.for_each_expr(|e| found |= divides_by_zero(e, bound, ranges));
        stmt.for_each_block(|block| blocks |= block.iter().any(|stmt| has_shown(stmt, bound, ranges)));
        return found || blocks;
    };
    let within = |block: &Block, truth: bool| {
        let ranges = narrowed(ranges, bound, cond, truth);
        block.iter().any(|stmt| has_shown(stmt, bound, &ranges))
    };
    divides_by_zero(cond, bound, &narrowed(ranges, bound, cond, true))
        || within(then, true)
        || within(otherwise, false)
}

/// Masks the conditions that show a division by zero; `masked` gets the variables that stand for some.
fn hide(block: &mut Block, bound: &Bound, ranges: &Ranges, masked: &mut HashSet<VarId>) {
    for stmt in block {
        let shown = has_shown(stmt, bound, ranges);
        if let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
            && shown
        {
            mask(cond, masked);
            hide(then, bound, ranges, masked);
            hide(otherwise, bound, ranges, masked);
        } else if shown {
            stmt.for_each_block_mut(|block| hide(block, bound, ranges, masked));
        }
    }
}

/// Masks the conditions that are bound to the variables, the last ones first: they may name others.
fn mask_bound(block: &mut Block, bound: &Bound, masked: &mut HashSet<VarId>) {
    for stmt in block.iter_mut().rev() {
        stmt.for_each_block_mut(|block| mask_bound(block, bound, masked));
        if let StmtKind::Bind { var, value } = &mut stmt.kind
            && masked.contains(var)
            && bound.0.contains_key(var)
        {
            mask(value, masked);
        }
    }
}

/// The ranges, and what the condition says beside them where it has the truth value.
fn narrowed(ranges: &Ranges, bound: &Bound, cond: &Expr, truth: bool) -> Ranges {
    let mut narrower = ranges.clone();
    narrow(&mut narrower, bound, cond, truth);
    narrower
}

fn narrow(ranges: &mut Ranges, bound: &Bound, cond: &Expr, truth: bool) {
    match &cond.kind {
        ExprKind::Var(var) => {
            if let Some(value) = bound.0.get(var) {
                narrow(ranges, bound, value, truth);
            }
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if (*op == BinOp::And) == truth => {
            narrow(ranges, bound, a, truth);
            narrow(ranges, bound, b, truth);
        }
        ExprKind::Not(a) => narrow(ranges, bound, a, !truth),
        _ => {
            if let Some((e, range)) = satisfying(cond, truth) {
                let own = ranges.entry(e.clone()).or_insert(Interval::ALL);
                *own = own.meet(range).unwrap_or(*own);
            }
        }
    }
}

fn divides_by_zero(e: &Expr, bound: &Bound, ranges: &Ranges) -> bool {
    let mut found = false;
    if !ranges.is_empty() {
        e.walk(&mut |e| {
            if let ExprKind::Binary(op, _, divisor) = &e.kind
                && op.is_division()
                && divisor.dtype.is_integral()
                && divisor.as_int().is_none()
            {
                found |= range(divisor, bound, ranges, MAX_BINDINGS).as_point() == Some(0);
            }
        });
    }
    found
}

/// The range of an integer, with at most so many bindings on the way.
fn range(e: &Expr, bound: &Bound, ranges: &Ranges, depth: usize) -> Interval {
    let of = |e: &Expr| range(e, bound, ranges, depth);
    if let Some(known) = ranges.get(e) {
        return *known;
    }
    match &e.kind {
        ExprKind::Int(v) => Interval::point(*v),
        ExprKind::Var(v) => match bound.0.get(v) {
            Some(value) if depth > 0 => range(value, bound, ranges, depth - 1),
            _ => Interval::ALL,
        },
        ExprKind::Binary(BinOp::Add, a, b) => of(a).add(of(b)),
        ExprKind::Binary(BinOp::Sub, a, b) => of(a).sub(of(b)),
        ExprKind::Binary(BinOp::Mul, a, b) => of(a).mul(of(b)),
        ExprKind::Binary(BinOp::Min, a, b) => of(a).min(of(b)),
        ExprKind::Binary(BinOp::Max, a, b) => of(a).max(of(b)),
        ExprKind::Cast(a) | ExprKind::Broadcast(a) => of(a),
        _ => Interval::ALL,
    }
}

/// Writes what a condition compares with constants as `v | 0`; `masked` gets the variables that it consists of itself.
fn mask(cond: &mut Expr, masked: &mut HashSet<VarId>) {
    if let ExprKind::Var(var) = cond.kind {
        masked.insert(var);
    } else if satisfying(cond, true).or_else(|| satisfying(cond, false)).is_some() {
        cond.for_each_child_mut(|e| {
            if e.as_int().is_none() {
                super::mask::mask(e);
            }
        });
    } else if matches!(&cond.kind, ExprKind::Binary(op, ..) if op.is_logic())
        || matches!(cond.kind, ExprKind::Not(_))
    {
        cond.for_each_child_mut(|part| mask(part, masked));
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
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.int32, n: T.int32):\n    \
                    c: T.let[T.bool] = m == 2\n    d: T.let[T.bool] = not c or n < 1\n    if d:\n        A[1] = 1\n    else:\n        \
                    A[0] = n % (m - 2)\n";
        let mut bound = crate::parse(text).unwrap().funcs.remove(0);
        assert!(keep(&before, &mut bound));
        let text = crate::script::print_func(&bound);
        assert!(text.contains("= m | 0 == 2") && text.contains("= not c or n | 0 < 1"), "{text}");
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.int32, n: T.int32):\n    \
                    c: T.let[T.bool] = m == 2\n    d: T.let[T.int32] = m - 2\n    e: T.let[T.int32] = d * n\n    if c:\n        \
                    A[0] = n % e\n";
        let mut divisor = crate::parse(text).unwrap().funcs.remove(0);
        assert!(keep(&before, &mut divisor), "a divisor that is bound, by way of another one");
        assert!(crate::script::print_func(&divisor).contains("= m | 0 == 2"));
        let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), m: T.uint8, n: T.int32):\n    \
                    if T.Cast(\"int32\", m) == 2:\n        A[0] = n % (T.Cast(\"int32\", m) - 2)\n";
        let mut converted = crate::parse(text).unwrap().funcs.remove(0);
        assert!(keep(&before, &mut converted), "what the condition compares is no variable");
        assert!(crate::script::print_func(&converted).contains("if T.Cast(\"int32\", m) | 0 == 2:"));
        for cond in ["m == 3", "m >= 2", "m == 2 or n == 3", "n == 2"] {
            assert!(!keep(&before, &mut function(cond)), "{cond}");
        }
    }
}
