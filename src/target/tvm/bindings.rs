//! Bindings that TVM's passes do not take.
//!
//! A variable that is bound to a vector of truth values stops its simplifier, wherever it is used, while the vector itself does
//! not: none is bound.
//!
//! TVM looks through bindings: what it knows of a variable's value goes into the arithmetic around its uses. It computes with
//! constants in 64 bits and stops where the result has no place in the type: at the end of `range(3, 3 + v)` for
//! `v = T.min(d, 2147483647)`, and at `T.uint64(1) - v` for `v = T.Add(T.uint64(10), T.uint64(10))`. Written out, such values
//! are simplified away before anyone asks. So a value of constants alone, and one that is cut off near the limit of its
//! type, is not bound unless the input binds it; no compiler computes the former, nor hardly ever the latter. Of a comparison
//! of unsigned constants it makes their difference, which may be negative, as soon as it is bound to a variable.

use hashbrown::HashSet;

use crate::analysis::lets;
use crate::ir::{BinOp, DType, Expr, ExprKind, Kind, PrimFunc, StmtKind, VarId};

/// Takes such bindings out of `after` that are not in `before`, of which it was made. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let first_new = before.vars.len();
    let mut found = HashSet::new();
    for stmt in &after.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && var.index() >= first_new
                && stops(value, &found)
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

/// Whether TVM stops at uses of a variable with this value. `inlined`: variables that are written out.
fn stops(value: &Expr, inlined: &HashSet<VarId>) -> bool {
    value.dtype.is_bool() && !value.dtype.is_scalar()
        || value.dtype.is_integral() && (is_cut_off(value) || is_constant(value, inlined))
        || compares_constants(value, inlined)
}

/// Whether unsigned constants are compared in the value: TVM takes one from the other.
fn compares_constants(value: &Expr, inlined: &HashSet<VarId>) -> bool {
    let mut found = false;
    value.walk(&mut |e| {
        if let ExprKind::Binary(op, a, b) = &e.kind {
            let unsigned = op.is_compare() && a.dtype.kind == Kind::UInt;
            found |= unsigned && is_constant(a, inlined) && is_constant(b, inlined);
        }
    });
    found
}

fn is_cut_off(value: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) = &value.kind else { return false };
    is_near_limit(a) || is_near_limit(b)
}

/// Whether the expression is made by operators, of constants and such variables.
fn is_constant(e: &Expr, inlined: &HashSet<VarId>) -> bool {
    let of = |e: &Expr| is_constant(e, inlined);
    match &e.kind {
        ExprKind::Int(_) => true,
        ExprKind::Var(var) => inlined.contains(var),
        ExprKind::Binary(_, a, b) => of(a) && of(b),
        ExprKind::Cast(a) | ExprKind::Not(a) => of(a),
        _ => matches!(e.as_intrin(), Some(("bitwise_or", [a, b])) if of(a) && of(b)),
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
            "T.Cast(\"int32\", T.Add(T.int64(9), T.int64(9)) | T.int64(0))",
            "T.max(T.Mul(1, -17), T.Mul(1, -17))",
            "d * 3 + T.Cast(\"int32\", T.LT(T.uint8(0), T.uint8(254)))",
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
