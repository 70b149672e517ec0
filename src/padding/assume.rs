//! Removes assumptions, once nothing rests on them any more.

use super::prune;
use super::refusal::Refusals;
use crate::analysis::side_effects::has_side_effects;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Expr, PrimFunc, Stmt, StmtKind};

/// Removes the assumptions of a function, with loops, branches and blocks that hold nothing else. What acts in an
/// assumption stays as an evaluation. Whether anything went.
///
/// ```
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    for i in range(8):\n        T.assume(i < n or A[i] == 0)\n    A[0] = 1\n",
/// )?;
/// assert!(satir::padding::remove_assume(&mut module.funcs[0]));
/// assert!(!module.to_string().contains("for"), "{module}");
/// assert!(!satir::padding::remove_assume(&mut module.funcs[0]));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn remove_assume(func: &mut PrimFunc) -> bool {
    let removed = prune::remove(func, is_assumption);
    // An assumption within another expression is true, as far as the program goes.
    let mut replaced = false;
    let mut look = |e: &mut Expr| replace(e, &mut replaced);
    func.body.iter_mut().for_each(|stmt| each_expr(stmt, &mut look));
    removed || replaced
}

/// The places of assumptions that are `False` as they are written.
fn never_true(func: &PrimFunc) -> Vec<Span> {
    let mut found = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Evaluate(e) = &stmt.kind
                && let Some(("assume", [cond])) = e.as_intrin()
                && cond.as_int() == Some(0)
            {
                found.push(stmt.span);
            }
        });
    }
    found
}

/// Refuses a function in which an assumption turned out to be false wherever it is reached: `simplified` is what
/// simplification made of `func`. What is written as `T.assume(False)` says that its place is never reached, and may stay.
pub(crate) fn refuse_false_assumptions(func: &PrimFunc, simplified: &PrimFunc) -> Result<(), Error> {
    let written = never_true(func);
    let mut refusals = Refusals::of(func);
    for span in never_true(simplified).into_iter().filter(|span| !written.contains(span)) {
        refusals.add(span, "the assumption is false wherever it is reached");
    }
    refusals.result()
}

/// Whether a statement is an assumption.
pub(super) fn is_assumption(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("assume", [_]))))
}

fn replace(e: &mut Expr, replaced: &mut bool) {
    e.for_each_child_mut(|child| replace(child, replaced));
    if let Some(("assume", [cond])) = e.as_intrin()
        && !has_side_effects(cond)
    {
        *e = Expr::bool(true);
        *replaced = true;
    }
}

/// Calls `f` on each expression that a statement or a statement in it evaluates.
pub(super) fn each_expr(stmt: &mut Stmt, f: &mut impl FnMut(&mut Expr)) {
    stmt.for_each_expr_mut(&mut *f);
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| each_expr(stmt, f)));
}
