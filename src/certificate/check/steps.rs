//! A block as steps in order.
//!
//! Conditions are flattened: `if c: S` is S under the guard `c`. So a condition that was dropped, split or merged moves no
//! statement, and only guards are compared. A loop with one iteration is a binding.

use crate::ir::{Block, BufferId, Expr, For, ForKind, Stmt, StmtKind, VarId};

/// A step of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// A variable gets a value.
    Bind(VarId, &'a Expr),
    /// An expression without effect is evaluated.
    Eval(&'a Expr),
    /// The first iteration of a loop begins; what follows is under the condition that the loop runs.
    First(&'a For),
    /// What follows is under a condition.
    If(&'a Expr),
    /// What follows is under its negation.
    Else,
    /// The end of what is under it.
    End,
    /// A buffer from here on; with new memory, or as another view of some.
    Buffer(BufferId),
    /// `T.assume(…)`
    Assume(&'a Expr),
    /// A statement with an effect of its own, which the other program must have too.
    Leaf(&'a Stmt),
}

/// A step with its statement.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'a> {
    pub(crate) stmt: &'a Stmt,
    pub(crate) step: Step<'a>,
}

/// The steps of a block.
pub(crate) fn flatten<'a>(block: &'a Block, out: &mut Vec<Placed<'a>>) {
    for stmt in block {
        let mut add = |step| out.push(Placed { stmt, step });
        match &stmt.kind {
            StmtKind::Bind { var, value } if !value.has_effect() => add(Step::Bind(*var, value)),
            StmtKind::If { cond, then, otherwise } if !cond.has_effect() => {
                add(Step::If(cond));
                flatten(then, out);
                if !otherwise.is_empty() {
                    out.push(Placed { stmt, step: Step::Else });
                    flatten(otherwise, out);
                }
                out.push(Placed { stmt, step: Step::End });
            }
            StmtKind::For(l) if is_one_iteration(l) => {
                add(Step::Bind(l.var, &l.min));
                flatten(&l.body, out);
            }
            StmtKind::Evaluate(e) => match e.as_intrin() {
                Some(("assume", [cond])) => add(Step::Assume(cond)),
                _ if !e.has_effect() => add(Step::Eval(e)),
                _ => add(Step::Leaf(stmt)),
            },
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => add(Step::Buffer(*buffer)),
            _ => add(Step::Leaf(stmt)),
        }
    }
}

fn is_one_iteration(l: &For) -> bool {
    let plain =
        matches!(l.kind, ForKind::Serial | ForKind::Parallel | ForKind::Vectorized | ForKind::Unrolled);
    let mut jumps = false;
    l.body
        .iter()
        .for_each(|stmt| stmt.walk(&mut |s| jumps |= matches!(s.kind, StmtKind::Break | StmtKind::Continue)));
    let expressions = !l.min.has_effect() && l.step.is_none();
    l.extent.as_int() == Some(1) && plain && expressions && l.annotations.is_empty() && !jumps
}

/// Whether a statement stores nothing, has no effect, and ends: without it a program does the same.
pub(crate) fn is_idle(stmt: &Stmt) -> bool {
    let mut idle = true;
    stmt.walk(&mut |stmt| {
        idle &= matches!(
            stmt.kind,
            StmtKind::Bind { .. } | StmtKind::Evaluate(_) | StmtKind::For(_) | StmtKind::If { .. }
        );
        stmt.for_each_expr(|e| idle &= !e.has_effect());
    });
    idle
}

/// Whether iterations run one after the other, by one, nothing leaves them, and they declare no memory.
pub(crate) fn is_plain_loop(l: &For) -> bool {
    let mut plain = l.is_plain();
    for stmt in &l.body {
        stmt.walk(&mut |s| {
            plain &= matches!(
                s.kind,
                StmtKind::Bind { .. }
                    | StmtKind::Store { .. }
                    | StmtKind::Evaluate(_)
                    | StmtKind::For(_)
                    | StmtKind::If { .. }
            );
        });
    }
    plain && !l.min.has_effect() && !l.extent.has_effect()
}
