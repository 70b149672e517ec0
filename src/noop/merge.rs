//! Neighbouring loops become one.
//!
//! Merged, iteration `s` of the second loop runs before iterations `t > s` of the first. So for all `s < t` it is refuted
//! that an access of the second at `s` meets one of the first at `t`, where one of the two writes.

use hashbrown::{HashMap, HashSet};

use super::obstacle::Obstacle;
use super::order::meets_no_earlier;
use super::reason::{Change, Reason};
use crate::analysis::accesses::Accesses;
use crate::analysis::instances::Asker;
use crate::ir::{Block, For, PrimFunc, Stmt, StmtKind, VarId, rename_var};

/// The most accesses of loops that become one: each is compared with those of the next loop.
const MAX_ACCESSES: usize = 128;

/// Merges loops until none can be.
pub(super) fn run(func: &mut PrimFunc) -> Vec<Change> {
    let mut changes = Vec::new();
    // The loops in those that were merged may be neighbours now.
    while let Some(accesses) = Accesses::new(func) {
        let asker = Asker::new(&accesses, Asker::budget(&accesses));
        let Ok(mut more) = merge(func, &asker, |_| true) else { break };
        changes.append(&mut more);
    }
    changes
}

/// The numbers of loops that the next one may be merged into.
pub(super) fn sites(body: &Block) -> Vec<usize> {
    let mut pairs = Vec::new();
    neighbours(body, &mut 0, &mut pairs);
    pairs.into_iter().map(|pair| pair.first.number).collect()
}

/// Merges the loop with a number and the one that follows it.
pub(super) fn merge_one(func: &mut PrimFunc, asker: &Asker<'_>, first: usize) -> Result<Change, Obstacle> {
    asker.renew(Asker::budget(asker.accesses));
    merge(func, asker, |number| number == first)?.pop().ok_or(Obstacle::Nothing)
}

/// A loop, by the number of its statement and its variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Head {
    number: usize,
    var: VarId,
}

/// Two neighbouring loops.
#[derive(Clone, Copy, Debug)]
struct Pair {
    first: Head,
    second: Head,
}

/// Merges all pairs of loops that can be, among those of which the number of the first is wanted. Whether iterations meet
/// does not depend on what is merged elsewhere, so the accesses of the function as it is tell of all pairs.
fn merge(
    func: &mut PrimFunc,
    asker: &Asker<'_>,
    wanted: impl Fn(usize) -> bool,
) -> Result<Vec<Change>, Obstacle> {
    let mut pairs = Vec::new();
    neighbours(&func.body, &mut 0, &mut pairs);
    pairs.retain(|pair| wanted(pair.first.number));
    if pairs.is_empty() {
        return Err(Obstacle::Nothing);
    }
    let accesses = asker.accesses;
    // Loops that become one, by the number of the last of them.
    let mut groups: HashMap<usize, Vec<Head>> = HashMap::new();
    let (mut joined, mut changes) = (HashSet::new(), Vec::new());
    for Pair { first, second } in pairs {
        let mut group = groups.remove(&first.number).unwrap_or_else(|| vec![first]);
        let accesses_of = |head: &Head| accesses.spans[head.number].1 - accesses.spans[head.number].0;
        if group.iter().chain([&second]).map(accesses_of).sum::<usize>() > MAX_ACCESSES
            || !group.iter().all(|&member| independent(asker, member, second))
        {
            continue;
        }
        group.push(second);
        groups.insert(second.number, group);
        joined.insert(second.number);
        let names = [first, second].map(|head| func.var(head.var).name.clone());
        changes.push(Change {
            what: format!("the loops over `{}` and `{}` become one", names[0], names[1]),
            reasons: vec![Reason::Independent],
        });
    }
    if changes.is_empty() {
        return Err(Obstacle::Order);
    }
    join(&mut func.body, &mut 0, &joined);
    Ok(changes)
}

/// Collects neighbouring loops that may be merged as far as their heads say so.
fn neighbours(block: &Block, number: &mut usize, pairs: &mut Vec<Pair>) {
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
            let second = Head { number: own, var: b.var };
            pairs.push(Pair { first: Head { number: before, var: a.var }, second });
        }
        last = current;
    }
}

/// Whether two loops run over the same values, one after the other.
fn alike(a: &For, b: &For) -> bool {
    a.is_plain()
        && b.is_plain()
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
fn independent(asker: &Asker<'_>, former: Head, latter: Head) -> bool {
    let accesses = asker.accesses;
    let (first, second) = (accesses.spans[former.number], accesses.spans[latter.number]);
    accesses.list[first.0..first.1].iter().all(|a| {
        let itself = asker.itself(a);
        let mut others = accesses.list[second.0..second.1].iter();
        others.all(|b| meets_no_earlier(asker, (a, &itself), b, (former.var, latter.var)))
    })
}

/// Puts the bodies of some loops behind those of the loops in front of them.
fn join(block: &mut Block, number: &mut usize, joined: &HashSet<usize>) {
    let room = Block::with_capacity(block.len());
    for mut stmt in std::mem::replace(block, room) {
        let own = *number;
        *number += 1;
        stmt.for_each_block_mut(|inner| join(inner, number, joined));
        if joined.contains(&own)
            && let Some(Stmt { kind: StmtKind::For(a), .. }) = block.last_mut()
            && let StmtKind::For(b) = &mut stmt.kind
        {
            rename_var(&mut b.body, b.var, a.var);
            a.body.append(&mut b.body);
        } else {
            block.push(stmt);
        }
    }
}
