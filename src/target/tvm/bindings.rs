//! Bindings that TVM's passes do not take.
//!
//! A variable that is bound to a vector of truth values stops its simplifier, wherever it is used, while the vector itself does
//! not: none is bound.
//!
//! TVM looks through bindings: what it knows of a variable's value goes into the arithmetic around its uses. It computes with
//! constants in 64 bits and stops where the result has no place in the type: at the end of `range(3, 3 + v)` for
//! `v = T.min(d, 2147483647)`, and at `T.uint64(1) - v` for `v = T.Add(T.uint64(10), T.uint64(10))`. Written out, such values
//! are simplified away before anyone asks. So a value of constants alone, and one that is cut off near the limit of its
//! type, is not bound unless the input binds it; no compiler computes the former, nor hardly ever the latter.

use crate::analysis::lets;
use crate::ir::{BinOp, DType, Expr, ExprKind, PrimFunc, StmtKind};

/// Takes such bindings out of `after` that are not in `before`, of which it was made. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let first_new = before.vars.len();
    let mut found = hashbrown::HashSet::new();
    for stmt in &after.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && var.index() >= first_new
                && stops(value)
            {
                found.insert(*var);
            }
        });
    }
    if found.is_empty() {
        return false;
    }
    let named = lets::named(after);
    found.retain(|var| !named.contains(var));
    lets::inline(&mut after.body, &|var| found.contains(&var));
    !found.is_empty()
}

/// Whether TVM stops at uses of a variable with this value.
fn stops(value: &Expr) -> bool {
    value.dtype.is_bool() && !value.dtype.is_scalar() || is_folded(value)
}

fn is_folded(value: &Expr) -> bool {
    value.dtype.is_integral()
        && match &value.kind {
            ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) => {
                [a, b].into_iter().any(|e| is_near_limit(e)) || is_constant(value)
            }
            _ => is_constant(value),
        }
}

/// Whether the expression is made of constants by operators.
fn is_constant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) => true,
        ExprKind::Binary(_, a, b) => is_constant(a) && is_constant(b),
        ExprKind::Cast(a) | ExprKind::Not(a) => is_constant(a),
        _ => false,
    }
}

/// Whether the expression is a constant of which twice as much has no place in its type.
fn is_near_limit(e: &Expr) -> bool {
    let half = |dtype: DType| dtype.int_range().map(|(_, most)| most / 2);
    matches!((e.as_int(), half(e.dtype)), (Some(c), Some(half)) if i128::from(c).abs() > half)
}

#[cfg(test)]
mod tests {
    use crate::cse::{self, Mode, Options};

    #[test]
    fn what_tvm_folds_over_the_limits_of_a_type_is_not_bound() {
        let shared = |text: &str| {
            let text =
                format!("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), d: T.int32):\n    {text}\n");
            let options = Options { mode: Mode::Syntactic, ..Options::default() };
            cse::run(&crate::parse(&text).unwrap(), &options).unwrap().0.to_string()
        };
        let twice = |value: &str| format!("A[{value}] = {value} + 3");
        for value in [
            "T.min(d, 2147483647)",
            "T.max(-2147483647, d)",
            "T.Cast(\"int32\", T.Add(T.uint64(9), T.uint64(9)))",
        ] {
            let text = shared(&twice(value));
            assert!(text.contains(&twice(value)), "{text}");
        }
        let text = shared(&twice("T.min(d, 1073741823)"));
        assert!(text.contains("T.let[T.int32] = T.min(d, 1073741823)"), "{text}");
        let bound = "c: T.let[T.int32] = T.min(d, 2147483647)";
        assert!(
            shared(&format!("{bound}\n    A[c] = c + 3")).contains(bound),
            "what the input binds stays bound"
        );
    }

    #[test]
    fn vectors_of_truth_values_are_not_bound() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((64,), \"int32\"), n: T.int32, p: T.int32):\n    for v in range(n):\n        \
                    A[v:v + 4] = T.Select(T.Broadcast(p, 4) < T.Ramp(1, 3, 4), T.Ramp(v, 1, 4), T.min(T.Broadcast(n, 4), T.Ramp(1, 5, 4)))\n";
        let (after, _) = cse::run(&crate::parse(text).unwrap(), &Options::default()).unwrap();
        let text = after.to_string();
        assert!(!text.contains("T.let = T.Broadcast(p, 4) <"), "{text}");
        assert!(text.contains("T.Ramp(v, 1, 4), cse_v1)"), "{text}");
    }
}
