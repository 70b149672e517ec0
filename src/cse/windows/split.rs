//! Where the windows of a function are, and what the view of each has.

use std::borrow::Cow;
use std::ops::Range;

use crate::analysis::length;
use crate::analysis::lets;
use crate::ir::{Block, BufferId, DType, Expr, PrimFunc, Stmt, StmtKind};

/// So many windows long is a function that is taken in windows.
const LONG: usize = 3;

/// The most windows, and how many times as long as the function may be in all what is in each view.
const MAX_WINDOWS: usize = 100;
const MAX_REPEATED: usize = 2;

/// How many times as long a function may become that is taken without its bindings.
const MAX_INLINED: usize = 4;

/// A function in windows.
pub(in crate::cse) struct Windows<'f> {
    pub(super) func: Cow<'f, PrimFunc>,
    /// Of each window, the numbers of its stores and calls in the order of the text.
    pub(super) ranges: Vec<Range<usize>>,
    /// By number of the block: the rows in it.
    blocks: Vec<Vec<Row>>,
}

/// Statements side by side that are emptied where they are in no window.
struct Row {
    /// The index of the first.
    start: usize,
    /// What was met before each of them, and before what comes after the last.
    before: Vec<Counters>,
    effects: Effects,
}

impl Row {
    /// Ends the row before what comes after it.
    fn end(mut self, met: Counters) -> Row {
        self.before.push(met);
        self
    }
}

/// How many blocks, stores and calls, and other statements were met, in the order of the text.
#[derive(Clone, Copy, Default)]
pub(super) struct Counters {
    blocks: usize,
    pub(super) leaves: usize,
    pub(super) others: usize,
}

/// What a view has of a block, in order.
pub(super) enum Step<'w> {
    /// The statement with this index.
    Kept(usize),
    /// What is left of some statements, and what was met when they are passed.
    Emptied(&'w Effects, Counters),
}

impl<'f> Windows<'f> {
    /// Windows of about a length, for a function that is long enough and can be taken apart: without the bindings of the
    /// input, which are to be made again where they pay.
    pub(in crate::cse) fn new(func: &'f PrimFunc, length: usize) -> Option<Windows<'f>> {
        let long = length.saturating_mul(LONG);
        if length::up_to(func, long.saturating_add(1)) <= long {
            return None;
        }
        let mut size = length::of(func);
        let mut func = Cow::Borrowed(func);
        if lets::has_bind(&func.body) {
            func = Cow::Owned(lets::inlined(&func, MAX_INLINED * size)?);
            size = length::of(&func);
        }
        let most = length.max(size.div_ceil(MAX_WINDOWS));
        let mut scan = Scan { most, splits: true, ..Scan::default() };
        scan.block(&func.body);
        scan.close();
        let Scan { ranges, blocks, kept, splits, .. } = scan;
        let fits = kept.saturating_mul(ranges.len()) <= MAX_REPEATED * size;
        (splits && fits && ranges.len() > 1).then_some(Windows { func, ranges, blocks })
    }

    /// What the view of a window has of the block that is met next, as statements.
    pub(super) fn view_of(&self, block: &Block, window: &Range<usize>, at: &mut Counters) -> Block {
        let mut out = Block::new();
        for step in self.steps(block, window, at) {
            match step {
                Step::Kept(index) => {
                    let stmt = &block[index];
                    at.meet(stmt);
                    let mut kept = stmt.hollow(Expr::clone);
                    kept.fill(stmt, |block| self.view_of(block, window, at));
                    out.push(kept);
                }
                Step::Emptied(effects, met) => {
                    *at = met;
                    out.extend(effects.statements().map(Stmt::new));
                }
            }
        }
        out
    }

    /// What the view of a window has of the block that is met next.
    pub(super) fn steps(&self, block: &Block, window: &Range<usize>, at: &mut Counters) -> Vec<Step<'_>> {
        let rows = &self.blocks[at.blocks];
        at.blocks += 1;
        let mut steps = Vec::new();
        let mut next = 0;
        for row in rows {
            steps.extend((next..row.start).map(Step::Kept));
            let last = row.before.len() - 1;
            // Those that end before the window, and those that begin before its end.
            let first_inside = row.before[1..].partition_point(|met| met.leaves <= window.start);
            let first_behind = row.before[..last].partition_point(|met| met.leaves < window.end);
            if first_inside > 0 {
                steps.push(Step::Emptied(&row.effects, row.before[first_inside]));
            }
            steps.extend((first_inside..first_behind).map(|i| Step::Kept(row.start + i)));
            if first_behind.max(first_inside) < last {
                steps.push(Step::Emptied(&row.effects, row.before[last]));
            }
            next = row.start + last;
        }
        steps.extend((next..block.len()).map(Step::Kept));
        steps
    }
}

impl Counters {
    /// Comes to a statement; what is in its blocks is met afterwards.
    pub(super) fn meet(&mut self, stmt: &Stmt) {
        if is_leaf(stmt) {
            self.leaves += 1;
        } else {
            self.others += 1;
        }
    }
}

/// Whether the statement belongs to one window.
pub(super) fn is_leaf(stmt: &Stmt) -> bool {
    matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::Evaluate(_))
}

/// Finds rows and windows.
#[derive(Default)]
struct Scan {
    ranges: Vec<Range<usize>>,
    blocks: Vec<Vec<Row>>,
    /// How long a window may become, and how long the one that is looked at is.
    most: usize,
    length: usize,
    met: Counters,
    /// How long all that is in each view is.
    kept: usize,
    splits: bool,
}

/// What is left of statements.
#[derive(Clone, Default)]
pub(super) struct Effects {
    writes: Vec<BufferId>,
    acts: bool,
}

impl Effects {
    fn add(&mut self, other: Effects) {
        self.acts |= other.acts;
        let new = other.writes.into_iter().filter(|buffer| !self.writes.contains(buffer));
        self.writes.extend(new.collect::<Vec<_>>());
    }

    /// Statements that write the same buffers, and act where these do.
    pub(super) fn statements(&self) -> impl Iterator<Item = StmtKind> {
        let value = Expr::int(0, DType::I32);
        let write = move |&buffer| StmtKind::Store { buffer, indices: Vec::new(), value: value.clone() };
        let call = || StmtKind::Evaluate(Expr::call(DType::I32, "call_extern", Vec::new()));
        self.writes.iter().map(write).chain(self.acts.then(call))
    }
}

impl Scan {
    /// Finds the rows of a block. What would be left of the block, if nothing of it has to be in each view.
    fn block(&mut self, block: &Block) -> Option<Effects> {
        let number = self.met.blocks;
        self.met.blocks += 1;
        self.blocks.push(Vec::new());
        let mut rows: Vec<Row> = Vec::new();
        let mut open: Option<Row> = None;
        let mut whole = true;
        for (start, stmt) in block.iter().enumerate() {
            let met = self.met;
            let Some(effects) = self.stmt(stmt) else {
                rows.extend(open.take().map(|row| row.end(met)));
                whole = false;
                continue;
            };
            let begin = || Row { start, before: Vec::new(), effects: Effects::default() };
            let row = open.get_or_insert_with(begin);
            row.before.push(met);
            row.effects.add(effects);
        }
        rows.extend(open.map(|row| row.end(self.met)));
        // A block of which all can be emptied is one row, if it is not empty.
        let left = whole.then(|| rows.first().map(|row| row.effects.clone()).unwrap_or_default());
        self.blocks[number] = rows;
        left
    }

    /// What would be left of a statement, if it need not be in each view.
    fn stmt(&mut self, stmt: &Stmt) -> Option<Effects> {
        let before = self.met.leaves;
        self.met.meet(stmt);
        let mut parts = 1;
        let mut effects = Effects::default();
        stmt.for_each_expr(|e| {
            effects.acts |= e.has_effect();
            e.walk(&mut |_| parts += 1);
        });
        self.length += parts;
        if let StmtKind::Store { buffer, .. } = &stmt.kind {
            effects.writes.push(*buffer);
        }
        let mut left = match &stmt.kind {
            StmtKind::Store { .. } | StmtKind::Evaluate(_) => {
                if self.length >= self.most {
                    self.close();
                }
                return Some(effects);
            }
            StmtKind::For(_) | StmtKind::If { .. } => Some(effects),
            // TVM looks at all accesses of a block together.
            StmtKind::SBlock(_) => {
                self.splits = false;
                None
            }
            _ => None,
        };
        stmt.for_each_block(|block| match (self.block(block), &mut left) {
            (Some(inner), Some(left)) => left.add(inner),
            _ => left = None,
        });
        // What holds nothing of any window is in all views.
        let left = left.filter(|_| self.met.leaves > before);
        if left.is_none() {
            self.kept += parts;
        }
        left
    }

    /// Ends a window.
    fn close(&mut self) {
        let first = self.ranges.last().map_or(0, |last| last.end);
        if first < self.met.leaves {
            self.ranges.push(first..self.met.leaves);
        }
        self.length = 0;
    }
}
