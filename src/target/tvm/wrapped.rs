//! Differences of unsigned integers that TVM folds below 0.
//!
//! Where the conditions of `if`s leave `m // 16` the value 0, TVM's simplifier makes `0 - 3` of `m // 16 - 3`, and stops at
//! that constant of an unsigned type. It looks through bindings. A function gets no such difference that it did not have:
//! `m // 16 - 3` is then written as `(m // 16 | 0) - 3`.

use hashbrown::HashSet;

use super::mask::mask;
use crate::ir::{BinOp, Block, Expr, ExprKind, Kind, PrimFunc, StmtKind, VarId};

/// Writes the differences of `after` that TVM may fold below 0, and that `before` does not have, in a way that it keeps.
/// A variable of `before` is the same in `after`.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) {
    let found = differences(after);
    if found.is_empty() {
        return;
    }
    let had: HashSet<Expr> = differences(before).into_iter().cloned().collect();
    if found.iter().any(|e| !had.contains(*e)) || binds_one(&after.body, before.vars.len()) {
        rewrite(&mut after.body, &had, before.vars.len());
    }
}

/// The differences in a function that TVM may fold below 0.
fn differences(func: &PrimFunc) -> Vec<&Expr> {
    let mut found = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|root| {
                root.walk(&mut |e| {
                    if is_folded(e) {
                        found.push(e);
                    }
                });
            });
        });
    }
    found
}

/// Whether a constant is taken from what TVM may know the value of. It computes with narrower types than these in `int32`.
fn is_folded(e: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Sub, a, b) = &e.kind else { return false };
    e.dtype.kind == Kind::UInt
        && e.dtype.bits >= 32
        && b.as_int().is_some_and(|c| c != 0)
        && !matches!(a.kind, ExprKind::Call(_))
}

/// Whether a statement binds such a difference to a variable that is not among the first ones.
fn binds_one(block: &Block, first_new: usize) -> bool {
    let mut found = false;
    for stmt in block {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && var.index() >= first_new
            {
                value.walk(&mut |e| found |= is_folded(e));
            }
        });
    }
    found
}

/// Masks what constants are taken from, but for differences that were `had` and that no new variable is bound to.
fn rewrite(block: &mut Block, had: &HashSet<Expr>, first_new: usize) {
    for stmt in block {
        let is_new = |var: VarId| var.index() >= first_new;
        let binds = matches!(&stmt.kind, StmtKind::Bind { var, .. } if is_new(*var));
        stmt.for_each_expr_mut(|e| rewrite_expr(e, &|e| !binds && had.contains(e)));
        stmt.for_each_block_mut(|block| rewrite(block, had, first_new));
    }
}

fn rewrite_expr(e: &mut Expr, stays: &impl Fn(&Expr) -> bool) {
    let changes = is_folded(e) && !stays(e);
    e.for_each_child_mut(|part| rewrite_expr(part, stays));
    if changes && let ExprKind::Binary(_, a, _) = &mut e.kind {
        mask(a);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(body: &str) -> PrimFunc {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((8,), \"uint32\"), m: T.uint32, n: T.uint8):\n    {body}\n"
        );
        crate::parse(&text).unwrap().funcs.remove(0)
    }

    #[test]
    fn only_new_differences_and_bound_ones_are_masked() {
        let kept = |before: &PrimFunc, body: &str| {
            let mut after = function(body);
            keep(before, &mut after);
            crate::script::print_func(&after)
        };
        let before = function("A[0] = m // T.uint32(16) - T.uint32(3)");
        let again = "A[1] = m // T.uint32(16) - T.uint32(3)";
        assert!(kept(&before, again).contains(again), "the input has it");
        let text = kept(&before, "A[1] = m // T.uint32(8) - T.uint32(3)");
        assert!(text.contains("A[1] = (m // T.uint32(8) | T.uint32(0)) - T.uint32(3)"), "{text}");
        let text = kept(&function("A[0] = m"), "A[1] = T.uint32(3) - m // T.uint32(8)");
        assert!(text.contains("A[1] = T.uint32(3) - m // T.uint32(8)"), "{text}");
        let text = kept(&function("A[0] = m"), "A[1] = T.Cast(\"uint32\", n - T.uint8(3))");
        assert!(text.contains("n - T.uint8(3)"), "{text}");
    }

    #[test]
    fn a_difference_that_becomes_shared_is_masked() {
        let value = "m // T.uint32(16) - T.uint32(3)";
        let text = format!("if m < T.uint32(16):\n        A[0] = {value}\n        A[1] = {value}");
        let before = function(&text);
        let bound = "c: T.let[T.uint32] = m // T.uint32(16) - T.uint32(3)\n    A[0] = c\n    A[1] = c";
        let mut after = function(bound);
        // The variable is new: the parser of the second text made it as the last one.
        keep(&before, &mut after);
        let text = crate::script::print_func(&after);
        assert!(text.contains("= (m // T.uint32(16) | T.uint32(0)) - T.uint32(3)"), "{text}");
    }
}
