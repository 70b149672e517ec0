//! A block as steps in order, and which steps of two blocks belong together.
//!
//! Conditions are flattened: `if c: S` is S under the guard `c`. So a condition that was dropped, split or merged moves no
//! statement, and only guards are compared. A loop with one iteration is a binding.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::buffers::Buffers;
use super::term::Term;
use super::value::Side;
use crate::ir::intrin::VOLATILE_LOAD;
use crate::ir::value::evaluate;
use crate::ir::{Block, BufferId, Expr, ExprKind, For, ForKind, Stmt, StmtKind, VarId};

/// A step of a block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// A variable gets a value.
    Bind(VarId, &'a Expr),
    /// An expression without effect is evaluated.
    Eval(&'a Expr),
    /// What follows is under a condition.
    If(&'a Expr),
    /// What follows is under its negation.
    Else,
    /// The end of what is under it.
    End,
    /// New memory.
    Alloc(BufferId),
    /// `T.assume(…)`
    Assume(&'a Expr),
    /// A loop with an iteration, which follows, and no more.
    Single(&'a For),
    /// A statement with an effect of its own, which the other program must have too.
    Leaf(&'a Stmt),
}

/// A step with its statement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placed<'a> {
    pub(super) stmt: &'a Stmt,
    pub(super) step: Step<'a>,
}

/// The steps of a block.
pub(super) fn flatten<'a>(block: &'a Block, out: &mut Vec<Placed<'a>>) {
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
            StmtKind::For(l) if constant(&l.extent) == Some(1) && may_be_single(l) => {
                add(Step::Bind(l.var, &l.min));
                if matches!(l.extent.kind, ExprKind::Let(..)) {
                    add(Step::Eval(&l.extent));
                }
                flatten(&l.body, out);
            }
            // It evaluates where it would begin, and its step.
            StmtKind::For(l) if never_runs(l) => {
                [Some(&l.min), Some(&l.extent), l.step.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|e| add(Step::Eval(e)));
            }
            StmtKind::Evaluate(e) => match e.as_intrin() {
                Some(("assume", [cond])) => add(Step::Assume(cond)),
                _ if !e.has_effect() => add(Step::Eval(e)),
                _ => add(Step::Leaf(stmt)),
            },
            StmtKind::Alloc { buffer, .. } => add(Step::Alloc(*buffer)),
            StmtKind::Decl { .. } => {}
            _ => add(Step::Leaf(stmt)),
        }
    }
}

/// The integer that an expression of constants is, perhaps with bindings around it that do not matter.
fn constant(mut e: &Expr) -> Option<i64> {
    while let ExprKind::Let(_, _, body) = &e.kind {
        e = body;
    }
    evaluate(e, &|_| None)?.as_int()
}

/// Whether a loop has no iteration.
pub(super) fn never_runs(l: &For) -> bool {
    let effect = l.min.has_effect() || l.extent.has_effect() || l.step.as_ref().is_some_and(Expr::has_effect);
    !effect && constant(&l.extent).is_some_and(|n| n <= 0)
}

/// Whether a loop is a binding and its body if it has one iteration.
pub(super) fn may_be_single(l: &For) -> bool {
    let one = !l.min.has_effect() && !l.extent.has_effect() && l.step.is_none();
    let plain =
        matches!(l.kind, ForKind::Serial | ForKind::Parallel | ForKind::Vectorized | ForKind::Unrolled);
    let mut jumps = false;
    l.body
        .iter()
        .for_each(|stmt| stmt.walk(&mut |s| jumps |= matches!(s.kind, StmtKind::Break | StmtKind::Continue)));
    one && plain && l.annotations.is_empty() && !jumps
}

/// Whether iterations run one after the other, by one, and nothing leaves them.
pub(super) fn is_plain(l: &For) -> bool {
    let mut jumps = false;
    for stmt in &l.body {
        stmt.walk(&mut |s| {
            jumps |= matches!(
                s.kind,
                StmtKind::Break | StmtKind::Continue | StmtKind::Return(_) | StmtKind::While { .. }
            );
        });
    }
    l.is_plain() && !jumps
}

/// Whether evaluation may change memory: loads of volatile memory do not.
pub(super) fn may_write(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e.is_effect() && e.as_intrin().is_none_or(|(name, _)| name != VOLATILE_LOAD));
    found
}

/// Whether a statement stores nothing, has no effect, and ends: without it a program does the same.
pub(super) fn is_idle(stmt: &Stmt) -> bool {
    let mut idle = true;
    stmt.walk(&mut |stmt| {
        idle &= match &stmt.kind {
            StmtKind::Bind { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::For(_)
            | StmtKind::If { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. } => true,
            StmtKind::Store { .. }
            | StmtKind::While { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Attr { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::SBlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => false,
        };
        stmt.for_each_expr(|e| idle &= !e.has_effect());
    });
    idle
}

/// How many loops stand in one another in a statement.
pub(super) fn depth(stmt: &Stmt) -> usize {
    let mut inner = 0;
    stmt.for_each_block(|block| inner = block.iter().map(depth).fold(inner, usize::max));
    inner + usize::from(matches!(stmt.kind, StmtKind::For(_)))
}

/// Whether an element is stored in its own place.
fn stores_its_own(buffer: BufferId, indices: &[Expr], value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Load { buffer: from, indices: at } => {
            *from == buffer && at[..] == *indices && !at.iter().any(Expr::has_effect)
        }
        _ => false,
    }
}

/// Adds the memories that statements may change; true if that can be any.
pub(super) fn written(buffers: &Buffers, side: Side, block: &[Stmt], out: &mut BTreeSet<usize>) -> bool {
    let mut all = false;
    for stmt in block {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| all |= may_write(e));
            if let StmtKind::Store { buffer, indices, value } = &stmt.kind
                && !stores_its_own(*buffer, indices, value)
                && let Ok(root) = buffers.root(side, *buffer)
            {
                out.extend(buffers.changed_with(root));
            }
            if let StmtKind::Alloc { buffer, .. } = &stmt.kind
                && let Ok(root) = buffers.root(side, *buffer)
            {
                out.insert(root);
            }
            if let StmtKind::SBlock(b) = &stmt.kind {
                out.extend(b.alloc_buffers.iter().filter_map(|&id| buffers.root(side, id).ok()));
            }
        });
    }
    all
}

/// What a leaf looks like: leaves that look different do not belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Look {
    kind: String,
    roots: BTreeSet<usize>,
    /// Constant indices, by which stores are told apart.
    index: Vec<Option<i64>>,
}

/// What is known of a leaf before it is run: it only helps to find its partner.
#[derive(Clone, Debug, Default)]
pub(super) struct Glimpse {
    /// The condition under which it runs.
    pub(super) guard: Option<Term>,
    /// Whether that never holds.
    pub(super) never: bool,
    /// The element that it stores.
    pub(super) index: Option<Vec<Term>>,
    /// What it stores there.
    pub(super) value: Option<Term>,
    /// Whether that is what is there already.
    pub(super) idle: bool,
    /// How many stores and calls it executes, and if it is a loop, in one iteration.
    pub(super) work: Option<Term>,
    pub(super) body_work: Option<Term>,
    /// How many iterations it has.
    pub(super) length: Option<Term>,
    /// How many loops stand in one another.
    pub(super) depth: usize,
    /// A variable for a loop's, its first value, and when an iteration does something.
    pub(super) acts: Option<(Term, Term, Term)>,
}

fn look(buffers: &Buffers, side: Side, stmt: &Stmt) -> Look {
    let mut roots = BTreeSet::new();
    written(buffers, side, std::slice::from_ref(stmt), &mut roots);
    let mut index = Vec::new();
    let kind = match &stmt.kind {
        StmtKind::Store { indices, .. } => {
            index = indices.iter().map(Expr::as_int).collect();
            "store".to_owned()
        }
        StmtKind::Evaluate(e) => match &e.kind {
            ExprKind::Call(call) => format!("{:?}", call.callee),
            _ => "evaluate".to_owned(),
        },
        StmtKind::For(l) => format!("for {:?}", l.kind),
        StmtKind::While { .. } => "while".into(),
        StmtKind::If { .. } => "if".into(),
        StmtKind::Assert { .. } => "assert".into(),
        StmtKind::Attr { key, .. } => format!("attr {key}"),
        StmtKind::LaunchThread { tag, .. } => format!("launch {tag}"),
        StmtKind::SBlock(b) => format!("block {}", b.name),
        StmtKind::Break => "break".into(),
        StmtKind::Continue => "continue".into(),
        StmtKind::Return(_) => "return".into(),
        StmtKind::Bind { .. } => "bind".into(),
        StmtKind::Alloc { .. } | StmtKind::Decl { .. } => "declaration".into(),
    };
    Look { kind, roots, index }
}

/// What leaves of a block of the second program are of a loop of the first one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// A loop, iteration by iteration.
    Loop,
    /// A loop, each iteration of which is several: so many pieces.
    Nest(Vec<Piece>),
    /// So many leaves, which are one iteration.
    Once(usize),
    /// None: the iterations that are left do nothing.
    Rest,
}

/// How many leaves pieces are.
pub(super) fn leaves_of(pieces: &[Piece]) -> usize {
    let each = |piece: &Piece| match piece {
        Piece::Loop | Piece::Nest(_) => 1,
        Piece::Once(leaves) => *leaves,
        Piece::Rest => 0,
    };
    pieces.iter().map(each).sum()
}

/// What comes next of the leaves of two blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// One of each, which belong together.
    Both,
    /// One without partner.
    First,
    Second,
    /// A loop of the first block, and its pieces in the second one.
    Cut(Vec<Piece>),
    /// So many leaves of one block, of which one runs at most, and a leaf of the other one.
    Either(Side, usize),
}

/// Leaves of two blocks in order.
pub(super) type Pairs = Vec<Pair>;

/// Whether leaves look alike one by one, loops with lengths, so that they belong together in order.
pub(super) fn alike(buffers: &Buffers, first: &[&Stmt], second: &[&Stmt]) -> bool {
    let looks = |side, all: &[&Stmt]| all.iter().map(|s| look(buffers, side, s)).collect::<Vec<_>>();
    let lengths = |all: &[&Stmt]| {
        let length = |stmt: &&Stmt| match &stmt.kind {
            StmtKind::For(l) => l.extent.as_int(),
            _ => None,
        };
        all.iter().map(length).collect::<Vec<_>>()
    };
    looks(Side::First, first) == looks(Side::Second, second) && lengths(first) == lengths(second)
}

/// The first and the last element that a leaf stores for some values of the variables, if it stores any, as far as that is known.
pub(super) type Seen = Option<Option<[(Option<usize>, Vec<i64>); 2]>>;

/// What is guessed of two blocks by some values of their variables.
#[derive(Default)]
pub(super) struct Guess {
    /// Loops of the first block by their numbers, each with the first of the leaves that are its pieces.
    pub(super) cuts: HashMap<(usize, usize), Vec<Piece>>,
    /// How many leaves of each block, from each of them on, run under conditions of which no two hold.
    pub(super) exclusive: [Vec<usize>; 2],
    /// What was seen of the leaves of each block, for some values.
    pub(super) seen: [Vec<Vec<Seen>>; 2],
}

impl Guess {
    /// Whether a leaf of the first block was never seen to do anything.
    fn is_quiet(&self, leaf: usize) -> bool {
        let seen = self.seen[0].get(leaf);
        seen.is_some_and(|seen| !seen.is_empty() && seen.iter().all(|seen| *seen == Some(None)))
    }

    /// Whether two leaves were seen to do something else.
    fn differ(&self, first: usize, second: usize) -> bool {
        let (Some(x), Some(y)) = (self.seen[0].get(first), self.seen[1].get(second)) else { return false };
        x.iter().zip(y).any(|(x, y)| x.is_some() && y.is_some() && x != y)
    }
}

/// Which leaves belong together: pairs in order, a leaf of one block alone where the other has none for it.
pub(super) fn align(
    buffers: &Buffers,
    guess: &Guess,
    first: (&[&Stmt], &[Glimpse]),
    second: (&[&Stmt], &[Glimpse]),
) -> Option<Pairs> {
    /// Most pairs of leaves that are compared.
    const MAX_CELLS: usize = 4_000_000;
    /// What it costs to leave out a leaf that may run, one of the first block that stores what is there already, one of it that
    /// was never seen to do anything, to pair two stores with other constant indices, two loops that write to other memories, two
    /// leaves whose conditions, elements or values are written otherwise, and two that were seen to store other elements.
    const ALONE: u32 = 12;
    const IDLE: u32 = 1;
    const QUIET: u32 = 2;
    const OTHER_INDEX: u32 = 16;
    const OTHER_ROOTS: u32 = 8;
    const OTHER_TERM: u32 = 1;
    const OTHER_ENDS: u32 = 4;
    /// What it costs to take a loop for pieces, and a leaf for what several leaves do.
    const CUT: u32 = 3;
    const EITHER: u32 = 3;
    let looks = |side, all: &[&Stmt]| all.iter().map(|s| look(buffers, side, s)).collect::<Vec<_>>();
    let (a, b) = (looks(Side::First, first.0), looks(Side::Second, second.0));
    let (n, m) = (a.len(), b.len());
    if (n + 1) * (m + 1) > MAX_CELLS {
        return None;
    }
    let alone = |side, leaf: usize| match if side == Side::First { &first.1[leaf] } else { &second.1[leaf] } {
        Glimpse { never: true, .. } => 0,
        Glimpse { idle: true, .. } if side == Side::First => IDLE,
        _ if side == Side::First && guess.is_quiet(leaf) => QUIET,
        _ => ALONE,
    };
    let pair = |i: usize, j: usize| -> Option<u32> {
        let (x, y) = (&a[i], &b[j]);
        let same = x.kind == y.kind && (x.roots == y.roots || x.kind != "store");
        let differ = x.index.iter().zip(&y.index).any(|(x, y)| x.is_some() && y.is_some() && x != y);
        let (p, q) = (&first.1[i], &second.1[j]);
        let terms =
            u32::from(p.guard != q.guard) + u32::from(p.index != q.index) + u32::from(p.value != q.value);
        let cost = if differ { OTHER_INDEX } else { u32::from(x.roots != y.roots) * OTHER_ROOTS };
        let ends = u32::from(guess.differ(i, j)) * OTHER_ENDS;
        same.then_some(cost + ends + terms * OTHER_TERM)
    };
    let at = |i: usize, j: usize| i * (m + 1) + j;
    // A loop that does nothing after some iterations is no pair with one that has no more, or with what one of them does, nor one
    // whose iterations are those of loops in another one.
    let cuts = &guess.cuts;
    let pair = |i: usize, j: usize| match cuts.get(&(i, j)).map(Vec::as_slice) {
        Some([Piece::Loop | Piece::Nest(_) | Piece::Once(1), Piece::Rest] | [Piece::Nest(_)]) => None,
        _ => pair(i, j),
    };
    // All the leaves that exclude one another, if they are stores, or loops that are not left, and look like a leaf of the other
    // block.
    let either = |many: Side, i: usize, j: usize| {
        let (first, second) = match many {
            Side::First => ((i, &a, first.0), (j, &b, second.0)),
            Side::Second => ((j, &b, second.0), (i, &a, first.0)),
        };
        let (from, looks, _) = first;
        let (one, other_looks, others) = second;
        match &others.get(one)?.kind {
            StmtKind::Store { .. } => {}
            StmtKind::For(l) if is_plain(l) => {}
            _ => return None,
        }
        let count = guess.exclusive[many as usize].get(from).copied().filter(|&count| count > 1)?;
        let look = &other_looks[one];
        let alike =
            looks.get(from..from + count)?.iter().all(|x| x.kind == look.kind && x.roots == look.roots);
        alike.then_some((
            i + if many == Side::First { count } else { 1 },
            j + if many == Side::First { 1 } else { count },
            count,
        ))
    };
    let mut cost = vec![0u32; (n + 1) * (m + 1)];
    for i in (0..=n).rev() {
        for j in (0..=m).rev() {
            let mut best = if (i, j) == (n, m) { 0 } else { u32::MAX };
            if i < n {
                best = best.min(cost[at(i + 1, j)] + alone(Side::First, i));
            }
            if j < m {
                best = best.min(cost[at(i, j + 1)] + alone(Side::Second, j));
            }
            if i < n
                && j < m
                && let Some(c) = pair(i, j)
            {
                best = best.min(cost[at(i + 1, j + 1)] + c);
            }
            if let Some(pieces) = cuts.get(&(i, j)) {
                best = best.min(cost[at(i + 1, j + leaves_of(pieces))] + CUT);
            }
            for many in [Side::First, Side::Second] {
                if let Some((x, y, _)) = either(many, i, j) {
                    best = best.min(cost[at(x, y)] + EITHER);
                }
            }
            cost[at(i, j)] = best;
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while (i, j) != (n, m) {
        let here = cost[at(i, j)];
        if i < n && j < m && pair(i, j).is_some_and(|c| cost[at(i + 1, j + 1)] + c == here) {
            pairs.push(Pair::Both);
            (i, j) = (i + 1, j + 1);
        } else if let Some(pieces) =
            cuts.get(&(i, j)).filter(|p| cost[at(i + 1, j + leaves_of(p))] + CUT == here)
        {
            (i, j) = (i + 1, j + leaves_of(pieces));
            pairs.push(Pair::Cut(pieces.clone()));
        } else if let Some((many, (x, y, count))) = [Side::Second, Side::First]
            .into_iter()
            .filter_map(|many| Some((many, either(many, i, j)?)))
            .find(|(_, (x, y, _))| cost[at(*x, *y)] + EITHER == here)
        {
            (i, j) = (x, y);
            pairs.push(Pair::Either(many, count));
        } else if i < n && cost[at(i + 1, j)] + alone(Side::First, i) == here {
            pairs.push(Pair::First);
            i += 1;
        } else {
            pairs.push(Pair::Second);
            j += 1;
        }
    }
    Some(pairs)
}
