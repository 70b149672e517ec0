//! Whether another buffer may turn out to be the memory of one that gets a layout or a copy: what is written to the one
//! would then be read from the other, where it is no longer.

use hashbrown::HashSet;

use crate::analysis::alias::Regions;
use crate::diag::Span;
use crate::ir::{BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind};
use crate::padding::refusal::Refusals;

/// What statements do to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Use {
    Reads,
    Writes,
}

/// Refuses a buffer whose memory another one may be that these statements access, where one of the two is written.
pub(super) fn memory_of_its_own(func: &PrimFunc, id: BufferId, stmts: &[&Stmt], refusals: &mut Refusals) {
    let regions = Regions::new(func);
    let mut uses: Vec<(BufferId, Use, Span)> = Vec::new();
    let mut seen = HashSet::new();
    for stmt in stmts {
        stmt.walk(&mut |stmt| {
            each_use(stmt, &mut |buffer, how| {
                if seen.insert((buffer, how)) {
                    uses.push((buffer, how, stmt.span));
                }
            });
        });
    }
    let written = uses.iter().any(|&(buffer, how, _)| buffer == id && how == Use::Writes);
    let meets = |&&(buffer, how, _): &&(BufferId, Use, Span)| {
        buffer != id && regions.may_share(buffer, id) && (written || how == Use::Writes)
    };
    if let Some(&(buffer, _, span)) = uses.iter().find(meets) {
        let (other, name) = (&func.buffer(buffer).name, &func.buffer(id).name);
        refusals.add(span, format!("`{other}` may be the memory of `{name}`, as nothing says otherwise"));
    }
}

/// What a statement itself does, without those in it. A call with an effect may do anything to what it gets a pointer to.
fn each_use(stmt: &Stmt, f: &mut impl FnMut(BufferId, Use)) {
    if let StmtKind::Store { buffer, .. } = &stmt.kind {
        f(*buffer, Use::Writes);
    }
    stmt.for_each_expr(|e| {
        let acts = e.has_effect();
        e.walk(&mut |e: &Expr| match &e.kind {
            ExprKind::Load { buffer, .. } => {
                f(*buffer, Use::Reads);
                if acts {
                    f(*buffer, Use::Writes);
                }
            }
            ExprKind::BufferData(buffer) | ExprKind::BufferRef(buffer) | ExprKind::Region(buffer, _) => {
                f(*buffer, Use::Reads);
                f(*buffer, Use::Writes);
            }
            _ => {}
        });
    });
}
