//! Whether statements read of a buffer only what they have stored.

use super::accesses::Access;
use super::coverage::{covers, may_leave, read_or_call};
use super::region::Region;
use crate::ir::{
    Axis, AxisKind, BufferId, Expr, ExprKind, For, ForKind, PrimFunc, SBlock, Stmt, StmtKind, VarId,
};

/// Whether each load of a buffer is of an element that was stored before by these statements.
pub(super) fn writes_first(func: &PrimFunc, stmts: &[&Stmt], id: BufferId, region: &Region) -> bool {
    for stmt in stmts {
        if !loads_follow_stores(stmt, id, &mut Vec::new(), &[]) {
            return false;
        }
        if covers(func, &[stmt], id, Access::Store, region) {
            return true;
        }
    }
    true
}

/// Whether each load of a buffer in a statement has the indices of a store that is certain to be made before it while the
/// variables in them have these values. `loops` are those around the statement in whose iterations it always runs.
fn loads_follow_stores<'s>(
    stmt: &'s Stmt,
    id: BufferId,
    stored: &mut Vec<Vec<Expr>>,
    loops: &[&'s For],
) -> bool {
    let mut ok = true;
    stmt.for_each_expr(|e| {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, indices } = &e.kind
                && *buffer == id
            {
                ok &= stored.iter().any(|known| **known == **indices);
            }
        });
    });
    if let StmtKind::Store { buffer, indices, .. } = &stmt.kind
        && *buffer == id
        && !read_or_call(indices)
    {
        stored.push(indices.clone());
    }
    let outside = stored.len();
    let starts = matches!(&stmt.kind, StmtKind::SBlock(block) if initializes(block, loops));
    let around: Vec<&For> = match &stmt.kind {
        StmtKind::For(l) if !l.body.iter().any(may_leave) => loops.iter().copied().chain([&**l]).collect(),
        StmtKind::SBlock(block) if block.predicate.is_none() => loops.to_vec(),
        // What is in it may not run in the first iterations of the loops.
        _ => Vec::new(),
    };
    stmt.for_each_block(|block| {
        for stmt in block {
            ok &= loads_follow_stores(stmt, id, stored, &around);
        }
        // Of another arm, another iteration, or a variable that is not known any more; the body of a reduction follows its
        // initialization.
        if !starts {
            stored.truncate(outside);
        }
    });
    stored.truncate(outside);
    ok
}

/// Whether what a block stores in its initialization is stored before its body is run for the same axes, but for those that it
/// folds over: these are loops around it, within the statement, that begin where the axes do.
fn initializes(block: &SBlock, loops: &[&For]) -> bool {
    let Some(init) = &block.init else { return false };
    let (folds, keeps): (Vec<&Axis>, Vec<&Axis>) =
        block.axes.iter().partition(|axis| axis.kind == AxisKind::Reduce);
    let over = |axis: &Axis| {
        let l = loops.iter().find(|l| axis.binding.as_var() == Some(l.var))?;
        let begins = l.min.as_int().is_some() && l.min.as_int() == axis.min.as_int();
        (begins && l.kind == ForKind::Serial && l.step.is_none()).then_some(l.var)
    };
    let Some(vars) = folds.iter().map(|axis| over(axis)).collect::<Option<Vec<VarId>>>() else {
        return false;
    };
    let of_folds =
        |e: &Expr| e.mentions(|var| vars.contains(&var) || folds.iter().any(|axis| axis.var == var));
    // A loop whose bounds vary might not run in the first iteration of those around it.
    let mut inner = loops.iter().skip_while(|l| !vars.contains(&l.var));
    let fixed = inner.all(|l| l.min.as_int().is_some() && l.extent.as_int().is_some());
    let mut plain = block.predicate.is_none() && fixed && !keeps.iter().any(|axis| of_folds(&axis.binding));
    for stmt in init {
        plain &= matches!(&stmt.kind, StmtKind::Store { indices, .. } if !indices.iter().any(of_folds));
    }
    plain
}
