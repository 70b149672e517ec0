//! Removes assumptions, once nothing rests on them any more.

use super::prune;
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

/// Whether a statement is an assumption.
pub(super) fn is_assumption(stmt: &Stmt) -> bool {
    matches!(&stmt.kind, StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("assume", [_]))))
}

fn replace(e: &mut Expr, replaced: &mut bool) {
    e.for_each_child_mut(|child| replace(child, replaced));
    if let Some(("assume", [cond])) = e.as_intrin()
        && !cond.has_effect()
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
