//! Bodies of loops get a condition: where it does not hold they change nothing, so they need not run.
//!
//! Candidates come from the accesses themselves: where a later store overwrites what the body stores, and where an
//! assumption or an earlier store says what the body loads, the instance of that access which meets the same element is
//! named in the variables of the body, and what it takes for that instance to happen is a condition on these.

use super::clause::Clause;
use super::obstacle::Obstacle;
use super::reason::{Change, Described, Reason};
use super::same::stores_what_is_there;
use super::statements::{find, replace};
use super::total;
use crate::analysis::accesses::{Access, Accesses, Fact, Kind, is_plain};
use crate::analysis::dead::is_dead;
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
        match leaves_no_trace(&asker, func, (first, last), &idle) {
            Ok(reasons) => {
                let name = &func.var(l.var).name;
                let what = format!("the body of the loop over `{name}` gets a condition");
                let mut made = (**l).clone();
                let cond = Expr::not(idle);
                let guarded = StmtKind::If { cond, then: made.body, otherwise: Block::new() };
                made.body = vec![Stmt::new(guarded)];
                let stmt = Stmt { kind: StmtKind::For(Box::new(made)), ..stmt.clone() };
                replace(&mut func.body, site, vec![stmt]);
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

/// Whether the stores of a body change nothing where `idle` holds. Those to one memory are all overwritten, or all store
/// what is there: of two that go, either may be the reason why the other one may.
fn leaves_no_trace(
    asker: &Asker<'_>,
    func: &PrimFunc,
    (first, last): (usize, usize),
    idle: &Expr,
) -> Result<Vec<Reason>, Obstacle> {
    let accesses = asker.accesses;
    // By position: whether it is overwritten, and whether it stores what is there.
    let mut gone: Vec<(usize, bool, bool)> = Vec::new();
    for at in (first..last).filter(|&at| accesses.list[at].writes()) {
        let own = &accesses.list[at];
        let mut facts = asker.itself(own).conditions;
        facts.push((idle.clone(), true));
        // It does not happen there at all.
        if asker.refutes(&facts) {
            continue;
        }
        let unchanged = match &own.kind {
            Kind::Store(value) => stores_what_is_there(asker, own, value, &facts),
            _ => false,
        };
        let dead = is_dead(asker, at, &facts, |_| Clause::Reads.counts()).is_ok();
        if !dead && !unchanged {
            return Err(Obstacle::Store(own.buffer));
        }
        gone.push((at, dead, unchanged));
    }
    if gone.is_empty() || asker.is_exhausted() {
        return Err(Obstacle::Nothing);
    }
    let mut reasons: Vec<Reason> = Vec::new();
    for (at, ..) in &gone {
        let own = accesses.list[*at].buffer;
        let sharing: Vec<usize> = accesses.sharing(own).collect();
        let mut together = gone.iter().filter(|(other, ..)| other == at || sharing.contains(other));
        let all_unchanged = together.clone().all(|(.., unchanged)| *unchanged);
        let buffer = func.name_of(own);
        let reason = if all_unchanged {
            Reason::Unchanged { buffer }
        } else if together.all(|(_, dead, _)| *dead) || !Clause::Mixed.counts() {
            Reason::Overwritten { buffer }
        } else {
            return Err(Obstacle::Store(own));
        };
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    Ok(reasons)
}
