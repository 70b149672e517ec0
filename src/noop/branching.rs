//! Bodies of loops get a condition: where it does not hold they change nothing, so they need not run.
//!
//! Candidates come from the accesses themselves: where a later store overwrites what the body stores, and where an
//! assumption or an earlier store says what the body loads, the instance of that access which meets the same element is
//! named in the variables of the body, and what it takes for that instance to happen is a condition on these.

use super::obstacle::Obstacle;
use super::reason::{Change, Reason};
use super::statements::{find, replace};
use super::total;
use super::under::{ghosts, stores_leave_no_trace};
use crate::analysis::accesses::{Access, Accesses, Fact, Kind, is_plain};
use crate::analysis::instances::{Asker, Pin, Shared};
use crate::ir::{BinOp, Block, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// The most conditions that are added to one function.
const MAX_CHANGES: usize = 64;

/// The most conditions that are tried for one loop.
const MAX_CANDIDATES: usize = 16;

/// Adds conditions until none is left to add.
pub(super) fn run(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    'changed: while changes.len() < MAX_CHANGES {
        for site in sites(&func.body) {
            if let Ok(change) = at(func, site) {
                changes.push(change);
                continue 'changed;
            }
        }
        break;
    }
    changes
}

/// The numbers of loops whose bodies may get a condition, outer ones first.
pub(super) fn sites(body: &Block) -> Vec<usize> {
    fn walk(block: &Block, number: &mut usize, inside: bool, found: &mut Vec<usize>) {
        for stmt in block {
            // Blocks with axes declare what they write.
            let inside = inside || matches!(stmt.kind, StmtKind::SBlock(_));
            if !inside && matches!(stmt.kind, StmtKind::For(_)) {
                found.push(*number);
            }
            *number += 1;
            stmt.for_each_block(|inner| walk(inner, number, inside, found));
        }
    }
    let mut found = Vec::new();
    walk(body, &mut 0, false, &mut found);
    found
}

/// Gives the body of a loop a condition.
pub(super) fn at(func: &mut PrimFunc, site: usize) -> Result<Change, Obstacle> {
    let Some(stmt @ Stmt { kind: StmtKind::For(l), .. }) = find(&func.body, site) else {
        return Err(Obstacle::Nothing);
    };
    total::block(&l.body)?;
    let accesses = Accesses::new(func).ok_or(Obstacle::Statement)?;
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let (first, last) = accesses.spans[site];
    let own = &accesses.list[first..last];
    let Some(depth) = own
        .iter()
        .find_map(|access| access.loops.iter().position(|&of| accesses.loops[of].domain.var == l.var))
    else {
        return Err(Obstacle::Nothing);
    };
    let mut obstacle = Obstacle::Nothing;
    for idle in candidates(&asker, own, depth) {
        let mut made = (**l).clone();
        let guarded = StmtKind::If { cond: Expr::not(idle), then: made.body, otherwise: Block::new() };
        made.body = vec![Stmt::new(guarded)];
        let stmt = Stmt { kind: StmtKind::For(Box::new(made)), ..stmt.clone() };
        let mut result = func.clone();
        replace(&mut result.body, site, vec![stmt]);
        match leaves_no_trace(&result, site + 1) {
            Ok(reasons) => {
                let what = format!("the body of the loop over `{}` gets a condition", func.var(l.var).name);
                *func = result;
                return Ok(Change { what, reasons });
            }
            Err(other) => obstacle = other,
        }
    }
    Err(obstacle)
}

/// Conditions under which the accesses of a body may be for nothing, over the variables of its loops down to a depth.
fn candidates(asker: &Asker<'_>, own: &[Access], depth: usize) -> Vec<Expr> {
    let accesses = asker.accesses;
    let mut found: Vec<Expr> = Vec::new();
    for access in own.iter().filter(|access| access.loops.len() > depth) {
        let known: Vec<_> = access.loops[..=depth].iter().map(|&l| accesses.loops[l].domain.var).collect();
        let inner: Vec<_> = access.loops[depth + 1..].iter().map(|&l| accesses.loops[l].domain.var).collect();
        let at = asker.itself(access);
        // What holds wherever the body runs.
        let around: Vec<Fact> = known_facts(asker, access, &inner);
        for other in accesses.sharing(access.buffer).map(|i| &accesses.list[i]) {
            let tells = match other.kind {
                Kind::Store(_) | Kind::Undefined => other.order != access.order,
                Kind::Assumed(Some(_)) => true,
                _ => false,
            };
            if !tells || other.buffer != access.buffer || found.len() >= MAX_CANDIDATES {
                continue;
            }
            for shared in [Shared::Same, Shared::Solved] {
                let Some(named) = asker.named(other, &access.indices, &at, shared, Pin::Last) else {
                    continue;
                };
                let meets = asker.equal(&named.indices, &access.indices);
                let parts: Vec<Expr> = named
                    .conditions
                    .into_iter()
                    .chain(meets)
                    .filter(|(cond, truth)| !asker.proves(&around, cond, *truth))
                    .map(|(cond, truth)| if truth { cond } else { Expr::not(cond) })
                    .collect();
                let in_scope = |e: &Expr| {
                    let mut fine = is_plain(e);
                    e.walk(&mut |e| {
                        if let ExprKind::Var(var) = e.kind {
                            let is_inner = inner.contains(&var);
                            let is_local = access.locals.iter().any(|&(local, _)| local == var);
                            // A variable of another loop, or one that only stands for an iteration.
                            let is_other = accesses.loops.iter().any(|l| l.domain.var == var)
                                || var.index() >= accesses.ranges.len();
                            fine &= !is_inner && !is_local && (known.contains(&var) || !is_other);
                        }
                    });
                    fine
                };
                if parts.is_empty() || !parts.iter().all(in_scope) {
                    continue;
                }
                let idle = parts.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b));
                let Some(idle) = idle else { continue };
                if !found.contains(&idle) {
                    found.push(idle);
                }
            }
        }
    }
    found
}

/// What holds for an access, as far as it does not speak of inner loops.
fn known_facts(asker: &Asker<'_>, access: &Access, inner: &[crate::ir::VarId]) -> Vec<Fact> {
    let mentions_inner = |e: &Expr| {
        let mut found = false;
        e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Var(var) if inner.contains(&var)));
        found
    };
    asker.itself(access).conditions.into_iter().filter(|(cond, _)| !mentions_inner(cond)).collect()
}

/// Whether what the condition with this number keeps from running would leave no trace: it could be left out again, and the
/// function that has it not does what this one does.
fn leaves_no_trace(func: &PrimFunc, site: usize) -> Result<Vec<Reason>, Obstacle> {
    let mut accesses = Accesses::new(func).ok_or(Obstacle::Statement)?;
    let condition = accesses.conditions.get(&site).cloned().ok_or(Obstacle::Statement)?;
    let added = ghosts(&accesses, accesses.spans[site], &condition);
    let first = accesses.list.len();
    accesses.add(added);
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let reasons = stores_leave_no_trace(&asker, func, first)?;
    if reasons.is_empty() || asker.is_exhausted() { Err(Obstacle::Nothing) } else { Ok(reasons) }
}
