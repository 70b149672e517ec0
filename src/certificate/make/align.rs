//! Which statements of two blocks belong together: by what they look like, as few without a partner as can be.

use std::collections::BTreeSet;

use super::super::check::pairs::Shape;
use super::super::check::side::Side;
use crate::diag::Span;
use crate::ir::{BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

use super::super::check::pairs::{Pair, Pairs};
use super::cover::Covers;

/// What a statement looks like.
#[derive(PartialEq, Eq)]
struct Look {
    kind: String,
    /// Names of the buffers that are written.
    writes: Vec<String>,
    /// Constant indices of a store.
    index: Vec<Option<i64>>,
    /// Whether what is stored depends on memory.
    reads: bool,
}

fn look(func: &PrimFunc, stmt: &Stmt) -> Look {
    let name = |id: BufferId| func.buffer(id).name.to_string();
    let mut writes = Vec::new();
    stmt.walk(&mut |s| {
        if let StmtKind::Store { buffer, .. } = &s.kind {
            writes.push(name(*buffer));
        }
    });
    writes.sort_unstable();
    writes.dedup();
    let (mut index, mut reads) = (Vec::new(), false);
    let kind = match &stmt.kind {
        StmtKind::Store { indices, value, .. } => {
            reads = value.reads_memory();
            index = indices.iter().map(Expr::as_int).collect();
            "store".to_owned()
        }
        StmtKind::Evaluate(e) => match &e.kind {
            ExprKind::Call(call) => format!("{:?}", call.callee),
            _ => "evaluate".to_owned(),
        },
        StmtKind::For(l) => format!("for {:?}", l.kind),
        StmtKind::Attr { key, .. } => format!("attribute {key}"),
        StmtKind::LaunchThread { tag, .. } => format!("launch {tag}"),
        StmtKind::SBlock(b) => format!("block {}", b.name),
        other => format!("{:?}", std::mem::discriminant(other)),
    };
    Look { kind, writes, index, reads }
}

/// Names of the buffers that statements write to.
fn writes(all: &[Look]) -> BTreeSet<&str> {
    all.iter().flat_map(|look| &look.writes).map(String::as_str).collect()
}

/// What may come next of two sequences of leaves.
#[derive(Clone, Copy)]
enum Way {
    /// One of both.
    Both,
    /// One of the pairs of the same name.
    Peel,
    Cover,
    Front,
    Fission,
    /// One of the first or the second program alone.
    First,
    Second,
}

/// Pairs in order, if not all belong together one to one.
pub(super) fn pairs(
    first: (&PrimFunc, &[&Stmt]),
    second: (&PrimFunc, &[&Stmt]),
    never: &[Vec<Span>; 2],
    covers: &Covers,
) -> Option<Pairs> {
    /// Most pairs of statements that are compared.
    const MAX_CELLS: usize = 4_000_000;
    /// What it costs to leave a statement alone, and to pair two that write elsewhere, of which one reads nothing, or that run under
    /// conditions that look different.
    const ALONE: u32 = 24;
    const OTHER_INDEX: u32 = 16;
    const OTHER_WRITES: u32 = 8;
    const OTHER_READS: u32 = 6;
    const OTHER_GUARD: u32 = 1;
    /// Two loops with other lengths, two that do not do as much, and one that is something else in the other program.
    const OTHER_LENGTH: u32 = 20;
    const OTHER_WORK: u32 = 3;
    const COVER: u32 = 2;
    /// A loop of which statements before that of the second program belong to the first iteration, one that is two of the second
    /// program, and statements in another order.
    const PEEL: u32 = 3;
    const FISSION: u32 = 2;
    const FRONT: u32 = 4;
    let looks = |(func, all): (&PrimFunc, &[&Stmt])| all.iter().map(|s| look(func, s)).collect::<Vec<_>>();
    let (a, b) = (looks(first), looks(second));
    let (n, m) = (a.len(), b.len());
    let idle =
        |side: usize, all: &[&Stmt]| all.iter().map(|s| never[side].contains(&s.span)).collect::<Vec<_>>();
    let (mut idle_a, mut idle_b) = (idle(0, first.1), idle(1, second.1));
    covers.never[0].iter().for_each(|&i| idle_a[i] = true);
    covers.never[1].iter().for_each(|&j| idle_b[j] = true);
    let some = idle_a.contains(&true) || idle_b.contains(&true);
    if (a == b && !some && covers.is_empty()) || (n + 1) * (m + 1) > MAX_CELLS {
        return None;
    }
    let pair = |i: usize, j: usize| -> Option<u32> {
        // What is in another order belongs together by its elements.
        let is_in_front =
            covers.front.as_ref().is_some_and(|(from, leaves, _)| (*from..from + leaves).contains(&i));
        if idle_a[i] || idle_b[j] || is_in_front {
            return None;
        }
        let (x, y) = (&a[i], &b[j]);
        let differ = x.index.iter().zip(&y.index).any(|(x, y)| x.is_some() && y.is_some() && x != y);
        let fits = x.kind == y.kind && (x.kind != "store" || x.writes == y.writes);
        let length = u32::from(covers.differ.contains(&(i, j))) * OTHER_LENGTH
            + u32::from(covers.unlike.contains(&(i, j))) * OTHER_WORK;
        // Where the conditions are known at all.
        let other_guard = covers.guards[0].get(i) != covers.guards[1].get(j);
        fits.then_some(
            length
                + u32::from(other_guard) * OTHER_GUARD
                + u32::from(x.reads != y.reads) * OTHER_READS
                + if differ { OTHER_INDEX } else { u32::from(x.writes != y.writes) * OTHER_WRITES },
        )
    };
    // Where a loop of one program is leaves of the other one, and how many leaves of both.
    let cover = |i: usize, j: usize| -> Option<(&(Side, Shape), usize, usize)> {
        let found = covers.found.get(&(i, j))?;
        let leaves = found.1.leaves();
        let (p, q) = if found.0 == Side::Second { (1, leaves) } else { (leaves, 1) };
        (writes(a.get(i..i + p)?) == writes(b.get(j..j + q)?)).then_some((found, p, q))
    };
    let alone = |idle: bool| if idle { 0 } else { ALONE };
    // What may come next, with what it costs and how many leaves of both it takes; of several that are as good, the first.
    let ways = |i: usize, j: usize| -> [Option<(Way, u32, usize, usize)>; 7] {
        let both = (i < n && j < m).then(|| pair(i, j)).flatten();
        let front = covers.front.as_ref().filter(|(from, ..)| (*from, *from) == (i, j));
        [
            both.map(|cost| (Way::Both, cost, 1, 1)),
            covers.peeled.get(&(i, j)).map(|leaves| (Way::Peel, PEEL, 1, leaves + 1)),
            cover(i, j).map(|(_, p, q)| (Way::Cover, COVER, p, q)),
            front.map(|(_, leaves, _)| (Way::Front, FRONT, *leaves, *leaves)),
            covers.fission.contains_key(&(i, j)).then_some((Way::Fission, FISSION, 1, 2)),
            (i < n).then(|| (Way::First, alone(idle_a[i]), 1, 0)),
            (j < m).then(|| (Way::Second, alone(idle_b[j]), 0, 1)),
        ]
    };
    let at = |i: usize, j: usize| i * (m + 1) + j;
    let mut cost = vec![0u32; (n + 1) * (m + 1)];
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            let total = |(_, own, p, q): (Way, u32, usize, usize)| cost[at(i + p, j + q)] + own;
            cost[at(i, j)] = ways(i, j).into_iter().flatten().map(total).min().unwrap_or(0);
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while (i, j) != (n, m) {
        let is_best =
            |(_, own, p, q): &(Way, u32, usize, usize)| cost[at(i + p, j + q)] + own == cost[at(i, j)];
        let (way, _, p, q) = ways(i, j).into_iter().flatten().find(is_best)?;
        pairs.push(match way {
            Way::Both => Pair::Leaves(Some(i), Some(j)),
            Way::Peel => Pair::Peel(i, j, q - 1),
            Way::Cover => cover(i, j).map(|((tree, shape), ..)| Pair::Cover(i, j, *tree, shape.clone()))?,
            Way::Front => Pair::Front(i, j, p, covers.front.as_ref()?.2.clone()),
            Way::Fission => Pair::Fission(i, j, *covers.fission.get(&(i, j))?),
            Way::First => Pair::Leaves(Some(i), None),
            Way::Second => Pair::Leaves(None, Some(j)),
        });
        (i, j) = (i + p, j + q);
    }
    let plain = n == m && pairs.iter().all(|pair| matches!(pair, Pair::Leaves(i, j) if i == j));
    (!plain).then_some(pairs)
}

/// The pairs of leaves, one by one if none are given, where some loops do not run under the same condition; `None` if none are
/// given and all do.
pub(super) fn with_overlaps(
    pairs: Option<Pairs>,
    first: &[&Stmt],
    second: &[&Stmt],
    overlap: &[(Span, Span)],
) -> Option<Pairs> {
    let is_loop = |stmt: &Stmt| matches!(stmt.kind, StmtKind::For(_));
    let overlaps = |i: usize, j: usize| {
        first
            .get(i)
            .zip(second.get(j))
            .is_some_and(|(x, y)| is_loop(x) && is_loop(y) && overlap.contains(&(x.span, y.span)))
    };
    let count = first.len();
    let one_by_one = || (0..count).map(|i| Pair::Leaves(Some(i), Some(i))).collect();
    if pairs.is_none() && (count != second.len() || !(0..count).any(|i| overlaps(i, i))) {
        return None;
    }
    let changed = |pair| match pair {
        Pair::Leaves(Some(i), Some(j)) if overlaps(i, j) => Pair::Overlap(i, j),
        other => other,
    };
    Some(pairs.unwrap_or_else(one_by_one).into_iter().map(changed).collect())
}
