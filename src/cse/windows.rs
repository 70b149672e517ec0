//! Long functions, a window of stores at a time.
//!
//! An e-graph of a whole function that was unrolled a thousandfold lies in no cache: each look at it waits for memory, and
//! longer the larger it is. So the stores of such a function are taken in windows of bounded size, each with a graph of its
//! own, and time grows with the length of the function as it does from one window to the next.
//!
//! The *view* of a window is the function with all other stores emptied: of each row of them is left that they write
//! their buffers. So scopes, frequencies and memory versions are what they are in the function, and what is right
//! in a view is right in the function: bindings stand before the first statement that uses them, and no memory
//! that they read is written in between. What several windows bind alike is bound once again when they are put together.

mod merge;

use std::ops::Range;

use super::summary;
use crate::diag::Span;
use crate::eqsat::lower::acts;
use crate::eqsat::{Failure, Stats};
use crate::ir::{Block, BufferId, DType, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// So many windows long is a function that is taken in windows.
const LONG: usize = 3;

/// The most windows, and how many times as long as the function its views may be in all: what is no store is in each.
const MOST: usize = 100;
const MOST_REPEATED: usize = 2;

/// The stores of a function in windows.
pub(super) struct Windows {
    /// Of each window, the numbers of its stores in the order of the text.
    ranges: Vec<Range<usize>>,
    rows: Vec<Row>,
}

/// Stores side by side that only compute values and write one each. All others are in all views.
struct Row {
    /// Their numbers.
    stores: Range<usize>,
    /// What they write.
    writes: Vec<BufferId>,
}

impl Row {
    /// The parts of the row before, in and behind a window, by place in the row.
    fn split(&self, window: &Range<usize>) -> [Range<usize>; 3] {
        let Range { start, end } = self.stores;
        let [first, last] = [window.start, window.end].map(|at| at.clamp(start, end) - start);
        [0..first, first..last, last..end - start]
    }

    /// What is left of some of the stores: one to each buffer.
    fn emptied(&self, stores: &Range<usize>, span: Span) -> impl Iterator<Item = Stmt> {
        let writes = if stores.is_empty() { &[] } else { &self.writes[..] };
        let value = Expr::int(0, DType::I32);
        let store = move |&buffer| StmtKind::Store { buffer, indices: Vec::new(), value: value.clone() };
        writes.iter().map(store).map(move |kind| Stmt { span, kind })
    }
}

impl Windows {
    /// Windows of about a length, for a function that is long enough and consists of stores mostly.
    pub(super) fn new(func: &PrimFunc, length: usize) -> Option<Windows> {
        let long = length.saturating_mul(LONG);
        if summary::size_up_to(func, long.saturating_add(1)) <= long {
            return None;
        }
        let size = summary::size(func);
        let mut windows = Windows { ranges: Vec::new(), rows: Vec::new() };
        let most = length.max(size.div_ceil(MOST));
        let mut scan = Scan { windows: &mut windows, most, length: 0, stores: 0, in_rows: 0, splits: true };
        scan.block(&func.body);
        let Scan { stores, in_rows, splits, .. } = scan;
        windows.close(stores);
        let count = windows.ranges.len();
        let fits = (size - in_rows).saturating_mul(count) <= MOST_REPEATED * size;
        (splits && fits && count > 1).then_some(windows)
    }

    /// Ends a window before a store.
    fn close(&mut self, store: usize) {
        let first = self.ranges.last().map_or(0, |last| last.end);
        if first < store {
            self.ranges.push(first..store);
        }
    }

    /// The function put together from what `optimize` makes of the view of each window. A view of which it makes nothing
    /// stays as it is, unless it makes nothing of any.
    pub(super) fn optimize(
        &self,
        func: &PrimFunc,
        optimize: impl Fn(&PrimFunc) -> Result<(PrimFunc, Stats), Failure>,
    ) -> Result<(PrimFunc, Stats), Failure> {
        log::debug!("function `{}` is taken in {} windows", func.name, self.ranges.len());
        let mut done: Result<Stats, Failure> = Err(Failure::NoTerm);
        let mut views = Vec::with_capacity(self.ranges.len());
        for window in &self.ranges {
            let mut view = func.hollow();
            view.body = self.view_of(&func.body, window, &mut Counters::default());
            match (optimize(&view), &mut done) {
                (Ok((made, stats)), Ok(sum)) => {
                    view = made;
                    sum.add(stats);
                }
                (Ok((made, stats)), Err(_)) => {
                    view = made;
                    done = Ok(stats);
                }
                (Err(_), Ok(_)) => {}
                (Err(failure), Err(_)) => done = Err(failure),
            }
            views.push(view);
        }
        done.map(|stats| (merge::merge(self, func, views), stats))
    }

    fn view_of(&self, block: &Block, window: &Range<usize>, at: &mut Counters) -> Block {
        let mut out = Block::new();
        let mut rest = &block[..];
        while let Some(stmt) = rest.first() {
            let Some(row) = self.row(stmt, at) else {
                let mut kept = stmt.hollow(Expr::clone);
                fill(&mut kept, stmt, |block| self.view_of(block, window, at));
                out.push(kept);
                rest = &rest[1..];
                continue;
            };
            let [before, inside, behind] = row.split(window);
            out.extend(row.emptied(&before, stmt.span));
            out.extend_from_slice(&rest[inside]);
            out.extend(row.emptied(&behind, stmt.span));
            rest = &rest[row.stores.len()..];
        }
        out
    }

    /// The row that begins with a statement.
    fn row(&self, stmt: &Stmt, at: &mut Counters) -> Option<&Row> {
        let StmtKind::Store { .. } = stmt.kind else { return None };
        match self.rows.get(at.rows).filter(|row| row.stores.start == at.stores) {
            Some(row) => {
                at.rows += 1;
                at.stores = row.stores.end;
                Some(row)
            }
            None => {
                at.stores += 1;
                None
            }
        }
    }
}

/// Finds rows and windows.
struct Scan<'w> {
    windows: &'w mut Windows,
    /// How long a window may become, and how long the one that is looked at is.
    most: usize,
    length: usize,
    /// How many stores were met.
    stores: usize,
    /// How long all rows are.
    in_rows: usize,
    splits: bool,
}

impl Scan<'_> {
    fn block(&mut self, block: &Block) {
        let mut in_row = false;
        for stmt in block {
            let parts = match &stmt.kind {
                StmtKind::Store { .. } => plain(stmt),
                // Variables that are bound belong to no window, and TVM looks at all accesses of a block together.
                StmtKind::Bind { .. } | StmtKind::SBlock(_) => {
                    self.splits = false;
                    None
                }
                _ => None,
            };
            if let (StmtKind::Store { buffer, .. }, Some(parts)) = (&stmt.kind, parts) {
                if !in_row {
                    self.windows.rows.push(Row { stores: self.stores..self.stores, writes: Vec::new() });
                }
                let row = self.windows.rows.last_mut().expect("one was begun");
                row.stores.end += 1;
                if !row.writes.contains(buffer) {
                    row.writes.push(*buffer);
                }
                self.in_rows += parts;
                self.length += parts;
            }
            in_row = parts.is_some();
            self.stores += usize::from(matches!(stmt.kind, StmtKind::Store { .. }));
            if self.length >= self.most {
                self.windows.close(self.stores);
                self.length = 0;
            }
            stmt.for_each_block(|block| self.block(block));
        }
    }
}

/// How long a statement is, if all that it does is to compute values and to write one.
fn plain(stmt: &Stmt) -> Option<usize> {
    let (mut parts, mut plain) = (1, true);
    stmt.for_each_expr(|e| {
        plain &= !acts(e);
        e.walk(&mut |e| {
            parts += 1;
            plain &= !matches!(e.kind, ExprKind::Let(..));
        });
    });
    plain.then_some(parts)
}

/// How many rows, stores and statements in no row were met, in the order of the text.
#[derive(Default)]
struct Counters {
    rows: usize,
    stores: usize,
    others: usize,
}

/// Puts what `f` makes of the blocks of a statement into one that has none.
fn fill(hollow: &mut Stmt, of: &Stmt, mut f: impl FnMut(&Block) -> Block) {
    let mut blocks = Vec::new();
    of.for_each_block(|block| blocks.push(f(block)));
    let mut blocks = blocks.into_iter();
    hollow.for_each_block_mut(|block| *block = blocks.next().expect("both have the same blocks"));
}
