//! Statements get a condition: where it does not hold they change nothing, so they need not run. It is the reverse of
//! [`super::overcompute`], and asks the same question: a condition may be added if it could be left out again.
//!
//! Candidates come from the accesses themselves. Where a store overwrites what a statement stores, or a store or an
//! assumption says what it loads, the instance of that access which meets the same element is named in the variables of the
//! statement; what it takes for that instance to happen is a condition on these.

use super::obstacle::Obstacle;
use super::reason::{Change, Described, Reason};
use super::settings::Settings;
use super::statements::{find, replace};
use super::total;
use super::tries::{Made, Tries};
use super::under::{ghosts, stores_leave_no_trace};
use crate::analysis::accesses::{Access, Accesses, Fact, Kind, is_plain};
use crate::analysis::instances::{Asker, Pin};
use crate::analysis::negation::negated;
use crate::arith::invert::mentions;
use crate::ir::{BinOp, Block, Expr, ExprKind, ForKind, PrimFunc, Stmt, StmtKind, VarId};

/// The most conditions that are tried in one function.
const MAX_TRIES: usize = 96;

/// The most conditions that are tried for one statement.
const MAX_CANDIDATES: usize = 8;

/// The most accesses that are looked at for candidates, of a statement and for each of its accesses.
const MAX_ACCESSES: usize = 12;

/// What the questions of one try may cost, and those of looking for candidates.
const QUESTIONS: usize = 1_000;

/// Gives statements conditions, outer ones first, each place once.
pub(super) fn run(func: &mut PrimFunc) -> Made {
    let mut changes = Vec::new();
    let mut tries = Tries::new(MAX_TRIES);
    let mut from = 0;
    while let Some(accesses) = Accesses::new(func) {
        let asker = Asker::new(&accesses, QUESTIONS);
        let next = sites(&func.body).into_iter().filter(|&site| site >= from).find_map(|site| {
            asker.renew(QUESTIONS);
            let made = if tries.is_over() { None } else { within(func, &asker, site, &mut tries).ok() };
            Some((site, made?))
        });
        let Some((site, (made, change))) = next else { break };
        // What is behind the new condition has the next number.
        from = site + 1;
        *func = made;
        changes.push(change);
    }
    tries.made(changes)
}

/// The numbers of statements that may get a condition: loops, whose bodies get it, and what is not all of a loop's body.
pub(super) fn sites(body: &Block) -> Vec<usize> {
    fn walk(block: &Block, number: &mut usize, place: (bool, bool), found: &mut Vec<usize>) {
        let (inside, looped) = place;
        for stmt in block {
            let meant = match &stmt.kind {
                StmtKind::For(_) => true,
                StmtKind::Store { .. } => looped && block.len() > 1,
                _ => false,
            };
            // Blocks with axes declare what they write, and lanes of vectors have no conditions of their own.
            let fixed = match &stmt.kind {
                StmtKind::SBlock(_) => true,
                StmtKind::For(l) => {
                    !matches!(l.kind, ForKind::Serial | ForKind::Parallel | ForKind::Unrolled)
                }
                _ => false,
            };
            let inside = inside || fixed;
            if meant && !inside {
                found.push(*number);
            }
            *number += 1;
            let looped = looped || matches!(stmt.kind, StmtKind::For(_));
            stmt.for_each_block(|inner| walk(inner, number, (inside, looped), found));
        }
    }
    let mut found = Vec::new();
    walk(body, &mut 0, (false, false), &mut found);
    found
}

/// Gives a statement, or the body of a loop, a condition.
pub(super) fn at(func: &mut PrimFunc, asker: &Asker<'_>, site: usize) -> Result<Change, Obstacle> {
    asker.renew(QUESTIONS);
    let (made, change) = within(func, asker, site, &mut Tries::new(MAX_CANDIDATES))?;
    *func = made;
    Ok(change)
}

/// The function in which a statement, or the body of a loop, has a condition.
fn within(
    func: &PrimFunc,
    asker: &Asker<'_>,
    site: usize,
    tries: &mut Tries,
) -> Result<(PrimFunc, Change), Obstacle> {
    let accesses = asker.accesses;
    let stmt = find(&func.body, site).ok_or(Obstacle::Nothing)?;
    let body = match &stmt.kind {
        StmtKind::For(l) => &l.body[..],
        _ => std::slice::from_ref(stmt),
    };
    // That it would trap where it does not run any more is no obstacle.
    if let Err(obstacle @ Obstacle::Statement) = total::block(body) {
        return Err(obstacle);
    }
    let (first, last) = accesses.spans.get(site).copied().ok_or(Obstacle::Nothing)?;
    let own = accesses.list.get(first..last).ok_or(Obstacle::Nothing)?;
    // How many loops are around what gets the condition.
    let depth = match &stmt.kind {
        StmtKind::For(l) => own.iter().find_map(|access| {
            access.loops.iter().position(|&of| accesses.loops[of].domain.var == l.var).map(|at| at + 1)
        }),
        _ => own.first().map(|access| access.loops.len()),
    };
    let depth = depth.ok_or(Obstacle::Nothing)?;
    if asker.trace().is_some_and(|trace| trace.is_missed_anyway(accesses, (first, last), depth)) {
        return Err(Obstacle::Nothing);
    }
    let candidates = candidates(asker, own, depth);
    let mut obstacle = Obstacle::Nothing;
    for idle in candidates {
        if !tries.take() {
            break;
        }
        if asker.trace().is_some_and(|trace| trace.is_missed(accesses, (first, last), &idle)) {
            continue;
        }
        let kind = StmtKind::If { cond: negated(idle), then: body.to_vec(), otherwise: Block::new() };
        let span = stmt.span;
        let guarded = Stmt { span, kind };
        let (result, number) = match &stmt.kind {
            StmtKind::For(l) => {
                let mut l = l.clone();
                l.body = vec![guarded];
                (vec![Stmt { span, kind: StmtKind::For(l) }], site + 1)
            }
            _ => (vec![guarded], site),
        };
        let mut made = func.clone();
        replace(&mut made.body, site, result);
        match leaves_no_trace(&made, number) {
            Ok(reasons) => {
                let what = what_gets_it(func, stmt);
                return Ok((made, Change { what: format!("{what} gets a condition"), reasons }));
            }
            Err(other) => obstacle = other,
        }
    }
    Err(obstacle)
}

fn what_gets_it(func: &PrimFunc, stmt: &Stmt) -> String {
    match &stmt.kind {
        StmtKind::For(l) => format!("the body of the loop over `{}`", func.var(l.var).name),
        StmtKind::Store { buffer, .. } => format!("the store to `{}`", func.name_of(*buffer)),
        _ => "a statement".to_owned(),
    }
}

/// Conditions under which accesses may be for nothing, over the variables of the first `depth` loops around them.
fn candidates(asker: &Asker<'_>, own: &[Access], depth: usize) -> Vec<Expr> {
    let accesses = asker.accesses;
    let mut found: Vec<Expr> = Vec::new();
    for access in own.iter().filter(|access| access.loops.len() >= depth).take(MAX_ACCESSES) {
        let vars =
            |loops: &[usize]| -> Vec<VarId> { loops.iter().map(|&l| accesses.loops[l].domain.var).collect() };
        let (known, inner) = (vars(&access.loops[..depth]), vars(&access.loops[depth..]));
        let at = asker.itself(access);
        // What holds wherever the statement runs.
        let around: Vec<Fact> =
            at.conditions.iter().filter(|(cond, _)| !mentions(cond, &inner)).cloned().collect();
        let in_scope = |e: &Expr| {
            let mut fine = is_plain(e);
            e.walk(&mut |e| {
                if let ExprKind::Var(var) = e.kind {
                    let is_local = access.locals.iter().any(|&(local, _)| local == var);
                    // A variable of another loop, or one that only stands for an iteration.
                    let is_other = accesses.loops.iter().any(|l| l.domain.var == var)
                        || var.index() >= accesses.ranges.len();
                    fine &= known.contains(&var) || !is_local && !is_other;
                }
            });
            fine
        };
        let others = accesses.sharing(access.buffer).filter(|&i| {
            let other = &accesses.list[i];
            other.buffer == access.buffer
                && match other.kind {
                    Kind::Store(_) | Kind::Undefined => other.order != access.order,
                    Kind::Assumed(Some(_)) => true,
                    _ => false,
                }
        });
        for other in others.take(MAX_ACCESSES) {
            for &shared in asker.ways(other, &at) {
                let Some(named) = asker.named(other, &access.indices, &at, shared, Pin::Last) else {
                    continue;
                };
                let meets = asker.equal(&named.indices, &access.indices);
                let parts: Vec<Expr> = named
                    .conditions
                    .iter()
                    .cloned()
                    .chain(meets)
                    .filter(|(cond, truth)| !asker.proves(&around, cond, *truth))
                    .map(|(cond, truth)| if truth { cond } else { negated(cond) })
                    .collect();
                if !parts.iter().all(in_scope) {
                    continue;
                }
                let Some(idle) = parts.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b)) else {
                    continue;
                };
                // Where it is never so, nothing is saved.
                let mut all = around.clone();
                all.push((idle.clone(), true));
                if found.len() < MAX_CANDIDATES && !found.contains(&idle) && !asker.refutes(&all) {
                    found.push(idle);
                }
            }
        }
    }
    found
}

/// Whether what the condition with this number keeps from running would leave no trace: the condition could be left out
/// again, and the function without it does what this one does. What the function without it does was allowed before.
fn leaves_no_trace(func: &PrimFunc, site: usize) -> Result<Vec<Reason>, Obstacle> {
    let mut accesses = Accesses::new(func).ok_or(Obstacle::Statement)?;
    let condition = accesses.conditions.get(&site).cloned().ok_or(Obstacle::Statement)?;
    if !is_plain(&condition.cond) {
        return Err(Obstacle::Statement);
    }
    let added = ghosts(&accesses, accesses.spans[site], &condition);
    let first = accesses.list.len();
    accesses.add(added);
    let asker = Asker::new(&accesses, QUESTIONS);
    let reasons = stores_leave_no_trace(&asker, func, first, Settings::default())?;
    if reasons.is_empty() { Err(Obstacle::Nothing) } else { Ok(reasons) }
}
