//! Neighbouring loops become one.
//!
//! Merged, iteration `s` of the second loop runs before iterations `t > s` of the first. So for all `s < t` it is refuted
//! that an access of the second at `s` meets one of the first at `t`, where one of the two writes.

use super::clause::Clause;
use super::obstacle::Obstacle;
use super::reason::{Change, Reason};
use crate::analysis::accesses::{Accesses, Kind};
use crate::analysis::instances::Asker;
use crate::ir::{BinOp, Block, Expr, For, ForKind, PrimFunc, StmtKind, VarId};

/// The most merges in one function.
const MAX_MERGES: usize = 256;

/// Merges loops until none can be.
pub(super) fn run(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    while changes.len() < MAX_MERGES
        && let Ok(change) = merge_one(func, |_| true)
    {
        changes.push(change);
    }
    changes
}

/// The number of a statement, and of the one that follows it.
type Pair = (usize, usize);

/// The numbers of loops that the next one may be merged into.
pub(super) fn sites(body: &Block) -> Vec<usize> {
    let mut pairs = Vec::new();
    neighbours(body, &mut 0, &mut pairs);
    pairs.into_iter().map(|((first, _), _)| first).collect()
}

/// Merges the first pair of loops that can be, among those of which the number of the first is wanted.
pub(super) fn merge_one(func: &mut PrimFunc, wanted: impl Fn(usize) -> bool) -> Result<Change, Obstacle> {
    let mut pairs = Vec::new();
    neighbours(&func.body, &mut 0, &mut pairs);
    pairs.retain(|((first, _), _)| wanted(*first));
    if pairs.is_empty() {
        return Err(Obstacle::Nothing);
    }
    let accesses = Accesses::new(func).ok_or(Obstacle::Statement)?;
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let ((first, second), vars) = pairs
        .into_iter()
        .find(|&((first, second), vars)| {
            independent(&asker, accesses.spans[first], accesses.spans[second], vars)
        })
        .ok_or(Obstacle::Order)?;
    let names = [vars.0, vars.1].map(|var| func.var(var).name.clone());
    join(&mut func.body, &mut 0, (first, second));
    Ok(Change {
        what: format!("the loops over `{}` and `{}` become one", names[0], names[1]),
        reasons: vec![Reason::Independent],
    })
}

/// Collects neighbouring loops that may be merged as far as their heads say so.
fn neighbours(block: &Block, number: &mut usize, pairs: &mut Vec<(Pair, (VarId, VarId))>) {
    let mut last: Option<(usize, &For)> = None;
    for stmt in block {
        let own = *number;
        *number += 1;
        stmt.for_each_block(|inner| neighbours(inner, number, pairs));
        let current = match &stmt.kind {
            StmtKind::For(l) => Some((own, &**l)),
            _ => None,
        };
        if let (Some((before, a)), Some((_, b))) = (last, current)
            && alike(a, b)
        {
            pairs.push(((before, own), (a.var, b.var)));
        }
        last = current;
    }
}

/// Whether two loops run over the same values, one after the other.
fn alike(a: &For, b: &For) -> bool {
    a.kind == ForKind::Serial
        && b.kind == ForKind::Serial
        && a.step.is_none()
        && b.step.is_none()
        && a.annotations.is_empty()
        && b.annotations.is_empty()
        && a.min == b.min
        && a.extent == b.extent
        && [&a.min, &a.extent].into_iter().all(crate::analysis::accesses::is_plain)
        && a.min.dtype == b.min.dtype
        && !only_states(&a.body)
        && !only_states(&b.body)
}

/// Whether a body does nothing but state assumptions, which nothing is gained from merging.
fn only_states(body: &Block) -> bool {
    body.iter().all(|stmt| match &stmt.kind {
        StmtKind::Evaluate(e) => matches!(e.as_intrin(), Some(("assume", _))),
        StmtKind::For(l) => only_states(&l.body),
        StmtKind::If { then, otherwise, .. } => only_states(then) && only_states(otherwise),
        _ => false,
    })
}

/// Whether no iteration of the second loop meets what a later one of the first accesses, if one of the two writes.
fn independent(
    asker: &Asker<'_>,
    first: (usize, usize),
    second: (usize, usize),
    (x, y): (VarId, VarId),
) -> bool {
    let accesses = asker.accesses;
    (first.0..first.1).all(|at| {
        let a = &accesses.list[at];
        let own = asker.itself(a);
        (second.0..second.1).all(|other| {
            let b = &accesses.list[other];
            // What an assumption reads is listed as loads.
            let matters = |kind: &Kind| !matches!(kind, Kind::Assumed(_));
            if !(a.writes() || b.writes()) || !matters(&a.kind) || !matters(&b.kind) {
                return true;
            }
            if !accesses.sharing(a.buffer).any(|i| i == other) {
                return true;
            }
            let Some(depth) = a.loops.iter().position(|&l| accesses.loops[l].domain.var == x) else {
                return false;
            };
            let instance = asker.some(b);
            let mut all = asker.meets((&a.indices, a.buffer), &instance, b);
            // Both in the same iteration of the loops around them.
            for &l in &a.loops[..depth] {
                let domain = &accesses.loops[l].domain;
                let var = Expr::var(domain.var, domain.min.dtype);
                all.push((Expr::binary(BinOp::Eq, var.clone(), instance.apply(&var)), true));
            }
            let dtype = accesses.loops[a.loops[depth]].domain.min.dtype;
            let earlier = instance.apply(&Expr::var(y, dtype));
            all.push((Expr::binary(BinOp::Lt, earlier, Expr::var(x, dtype)), true));
            all.extend(own.conditions.iter().cloned());
            all.extend(instance.conditions);
            asker.refutes(&all) || !Clause::Order.counts()
        })
    })
}

/// Puts the body of the second loop behind that of the first.
fn join(block: &mut Block, number: &mut usize, (first, second): Pair) {
    let mut at = 0;
    while at < block.len() {
        let own = *number;
        *number += 1;
        if own == first
            && at + 1 < block.len()
            && let StmtKind::For(b) = std::mem::replace(&mut block[at + 1].kind, StmtKind::Break)
        {
            block.remove(at + 1);
            if let StmtKind::For(a) = &mut block[at].kind {
                let var = Expr::var(a.var, a.min.dtype);
                let mut body = b.body;
                rename(&mut body, b.var, &var);
                a.body.append(&mut body);
            }
            return;
        }
        block[at].for_each_block_mut(|inner| join(inner, number, (first, second)));
        at += 1;
    }
}

/// Puts another expression in the place of a variable.
fn rename(block: &mut Block, from: VarId, to: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| e.substitute(&|var| (var == from).then_some(to)));
        stmt.for_each_block_mut(|inner| rename(inner, from, to));
    }
}
