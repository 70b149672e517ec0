//! Which statements of two blocks belong together: by what they look like, as few without a partner as can be.

use std::collections::BTreeSet;

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

/// A way on, what it costs, and how many leaves of both programs it takes.
#[derive(Clone, Copy)]
struct Next {
    way: Way,
    cost: u32,
    first: usize,
    second: usize,
}

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

/// The leaves of two blocks.
struct Sides<'a> {
    looks: [Vec<Look>; 2],
    /// Which of them do nothing.
    idle: [Vec<bool>; 2],
    covers: &'a Covers,
}

impl Sides<'_> {
    /// What it costs to pair two leaves, if they may belong together.
    fn pair(&self, i: usize, j: usize) -> Option<u32> {
        // What is in another order belongs together by its elements.
        let is_in_front =
            self.covers.front.as_ref().is_some_and(|(from, leaves, _)| (*from..from + leaves).contains(&i));
        let (x, y) = (self.looks[0].get(i)?, self.looks[1].get(j)?);
        if self.idle[0][i] || self.idle[1][j] || is_in_front {
            return None;
        }
        let fits = x.kind == y.kind && (x.kind != "store" || x.writes == y.writes);
        let differ = x.index.iter().zip(&y.index).any(|(x, y)| x.is_some() && y.is_some() && x != y);
        // Guards were looked at in both blocks or in neither: then both are none here.
        let other_guard = self.covers.guards[0].get(i) != self.covers.guards[1].get(j);
        let cost = u32::from(self.covers.differ.contains(&(i, j))) * OTHER_LENGTH
            + u32::from(self.covers.unlike.contains(&(i, j))) * OTHER_WORK
            + u32::from(other_guard) * OTHER_GUARD
            + u32::from(x.reads != y.reads) * OTHER_READS
            + if differ { OTHER_INDEX } else { u32::from(x.writes != y.writes) * OTHER_WRITES };
        fits.then_some(cost)
    }

    /// How many leaves of both programs belong together where a loop of the one is leaves of the other one.
    fn cover(&self, i: usize, j: usize) -> Option<(usize, usize)> {
        let (tree, shape) = self.covers.found.get(&(i, j))?;
        let (p, q) = if *tree == Side::Second { (1, shape.leaves()) } else { (shape.leaves(), 1) };
        let [a, b] = &self.looks;
        (writes(a.get(i..i + p)?) == writes(b.get(j..j + q)?)).then_some((p, q))
    }

    /// What may come next, in the order in which one of several that are as good is taken.
    fn ways(&self, i: usize, j: usize) -> impl Iterator<Item = Next> {
        let next = |way, cost, first, second| Next { way, cost, first, second };
        let alone =
            |side: usize, at: usize| self.idle[side].get(at).map(|&idle| if idle { 0 } else { ALONE });
        let covers = self.covers;
        let front = covers.front.as_ref().filter(|(from, ..)| (*from, *from) == (i, j));
        [
            self.pair(i, j).map(|cost| next(Way::Both, cost, 1, 1)),
            covers.peeled.get(&(i, j)).map(|leaves| next(Way::Peel, PEEL, 1, leaves + 1)),
            self.cover(i, j).map(|(p, q)| next(Way::Cover, COVER, p, q)),
            front.map(|(_, leaves, _)| next(Way::Front, FRONT, *leaves, *leaves)),
            covers.fission.contains_key(&(i, j)).then_some(next(Way::Fission, FISSION, 1, 2)),
            alone(0, i).map(|cost| next(Way::First, cost, 1, 0)),
            alone(1, j).map(|cost| next(Way::Second, cost, 0, 1)),
        ]
        .into_iter()
        .flatten()
    }

    /// The cheapest way from the beginning to the end of both; `None` if there are none.
    fn cheapest(&self) -> Option<Vec<(usize, usize, Next)>> {
        let [n, m] = [0, 1].map(|side| self.looks[side].len());
        let at = |i: usize, j: usize| i * (m + 1) + j;
        let mut cost = vec![0u32; (n + 1) * (m + 1)];
        let total = |cost: &[u32], i: usize, j: usize, next: &Next| {
            cost[at(i + next.first, j + next.second)] + next.cost
        };
        for i in (0..=n).rev() {
            for j in (0..=m).rev() {
                cost[at(i, j)] = self.ways(i, j).map(|next| total(&cost, i, j, &next)).min().unwrap_or(0);
            }
        }
        let (mut i, mut j, mut steps) = (0, 0, Vec::new());
        while (i, j) != (n, m) {
            let next = self.ways(i, j).find(|next| total(&cost, i, j, next) == cost[at(i, j)])?;
            steps.push((i, j, next));
            (i, j) = (i + next.first, j + next.second);
        }
        Some(steps)
    }
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
    let looks = [first, second].map(|(func, all)| all.iter().map(|s| look(func, s)).collect::<Vec<_>>());
    let mut idle = [0, 1].map(|side| {
        let all = [first, second][side].1;
        all.iter().map(|s| never[side].contains(&s.span)).collect::<Vec<_>>()
    });
    for (idle, never) in idle.iter_mut().zip(&covers.never) {
        never.iter().for_each(|&i| idle[i] = true);
    }
    let [n, m] = [first.1.len(), second.1.len()];
    let is_plain = looks[0] == looks[1] && !idle.iter().flatten().any(|&idle| idle) && covers.is_empty();
    if is_plain || (n + 1) * (m + 1) > MAX_CELLS {
        return None;
    }
    let mut pairs = Vec::new();
    for (i, j, next) in (Sides { looks, idle, covers }).cheapest()? {
        pairs.push(match next.way {
            Way::Both => Pair::Leaves(Some(i), Some(j)),
            Way::Peel => Pair::Peel(i, j, next.second - 1),
            Way::Cover => {
                covers.found.get(&(i, j)).map(|(tree, shape)| Pair::Cover(i, j, *tree, shape.clone()))?
            }
            Way::Front => Pair::Front(i, j, next.first, covers.front.as_ref()?.2.clone()),
            Way::Fission => Pair::Fission(i, j, *covers.fission.get(&(i, j))?),
            Way::First => Pair::Leaves(Some(i), None),
            Way::Second => Pair::Leaves(None, Some(j)),
        });
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
