//! Memory versions: when two loads of one buffer at equal indices are sure to give one value.
//!
//! [`MemoryVersions`] is taken along on a walk over a function in program order, and tells the [`Version`] of every
//! buffer at the head of the current statement. The rule is:
//!
//! > Two evaluations of loads of one buffer (or of buffers with one element type that view one memory the same
//! > way), at equal indices and in one version, within one execution of the block where the version is
//! > [born](MemoryVersions::birth), give one value.
//!
//! # Why it holds
//!
//! A version belongs to a [region](super::alias::Region) of memory. By induction over the walk, the current version
//! of a region was born after the last point that control passed and that may have written to the region:
//! - a store, an allocation, or a call that may change state gives the regions that it may write a version born
//!   right after the statement;
//! - the arms of an `if` both start with the versions before it; after it, what either arm may write has a version
//!   born there, since either may have run;
//! - a loop body starts with new versions, born at its first statement, of all that the loop may write anywhere
//!   (the iteration before may have written it), and after the loop these have new ones again (it may have run
//!   any number of times). What the loop writes nowhere keeps its version inside and after. The same for loops of
//!   threads and parallel loops: threads that write what others read without a barrier in between have no defined
//!   result, and a barrier is a call that changes state;
//! - the condition of a `while` is evaluated before each iteration: what the loop may write has versions there that
//!   are born nowhere, so that its loads equal no others;
//! - `break`, `continue` and early returns only skip statements; wherever control goes on then, all that the loop
//!   may write has a new version;
//! - a block's `T.init()` may run or not, as the arm of an `if`.
//!
//! Loads in a statement whose own expressions may change state have no version: the order within the statement
//! would matter.

use super::alias::{Region, Regions};
use super::effects::updates_state;
use crate::ir::{AttrNode, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// A state of a region of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Version(pub u32);

/// A point of a function: before statement `index` of the block that a walk in program order meets as number
/// `block` (the body of the function is 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Point {
    /// Number of the block.
    pub block: u32,
    /// Index of the statement.
    pub index: u32,
}

/// What a block may write, nested blocks included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Writes {
    everything: bool,
    /// Region numbers, ascending.
    regions: Vec<u32>,
}

impl Writes {
    fn add(&mut self, region: Region) {
        match region {
            Region::Unknown => self.everything = true,
            Region::Known(r) => {
                if let Err(i) = self.regions.binary_search(&r) {
                    self.regions.insert(i, r);
                }
            }
        }
    }

    fn merge(&mut self, other: &Writes) {
        self.everything |= other.everything;
        other.regions.iter().for_each(|&r| self.add(Region::Known(r)));
    }

    fn is_empty(&self) -> bool {
        !self.everything && self.regions.is_empty()
    }
}

/// What running some statements may write.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    regions: Regions,
    writes: Writes,
}

impl Written {
    /// What one statement of `func` may write, its blocks included.
    pub(crate) fn by(func: &PrimFunc, stmt: &Stmt) -> Written {
        let mut written = Written { regions: Regions::new(func), writes: Writes::default() };
        written.add(stmt);
        written
    }

    /// What any of some blocks of `func` may write.
    pub(crate) fn by_blocks<'b>(func: &PrimFunc, blocks: impl IntoIterator<Item = &'b Block>) -> Written {
        let mut written = Written { regions: Regions::new(func), writes: Writes::default() };
        blocks.into_iter().flatten().for_each(|stmt| written.add(stmt));
        written
    }

    fn add(&mut self, stmt: &Stmt) {
        stmt.walk(&mut |stmt| own_writes(stmt, &self.regions, &mut self.writes));
    }

    /// Whether the value of an expression may be another than before.
    pub(crate) fn may_change(&self, e: &Expr) -> bool {
        let mut changed = false;
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, .. } = e.kind {
                changed |= self.writes.everything
                    || match self.regions.of(buffer) {
                        Region::Known(r) => self.writes.regions.binary_search(&r).is_ok(),
                        Region::Unknown => !self.writes.is_empty(),
                    };
            }
        });
        changed
    }
}

/// The memory versions at one point of a walk.
///
/// The walk calls, for each statement in order: [`head`](Self::head); then for each of its blocks
/// [`enter_block`](Self::enter_block), the statements, [`leave_block`](Self::leave_block); then
/// [`after`](Self::after).
#[derive(Clone, Debug)]
pub(crate) struct MemoryVersions {
    regions: Regions,
    /// By number of the block.
    blocks: Vec<Writes>,
    /// By version.
    births: Vec<Option<Point>>,
    /// Per region, its version.
    current: Vec<Version>,
    /// The version of a buffer that may lie anywhere: changes whenever anything is written.
    any: Version,
    /// Number of the next block that the walk enters.
    next_block: u32,
    open: Vec<Open>,
}

/// A block that the walk is in.
#[derive(Clone, Debug)]
struct Open {
    block: u32,
    /// Index of the current statement.
    index: u32,
    /// Whether the head of the current statement may change state.
    head_changes: bool,
    /// What the current statement's blocks write that were left so far.
    written: Writes,
    /// Versions before the statement, to start its second arm with.
    before: Option<(Vec<Version>, Version)>,
}

impl Open {
    fn new(block: u32) -> Open {
        Open { block, index: 0, head_changes: false, written: Writes::default(), before: None }
    }
}

impl MemoryVersions {
    /// At the head of the function: every region in the version it is passed in.
    pub(crate) fn new(func: &PrimFunc) -> MemoryVersions {
        let regions = Regions::new(func);
        let mut blocks = Vec::new();
        summarize(&func.body, &regions, &mut blocks);
        let start = Point { block: 0, index: 0 };
        MemoryVersions {
            current: vec![Version(0); regions.count()],
            any: Version(0),
            regions,
            blocks,
            births: vec![Some(start)],
            next_block: 1,
            open: vec![Open::new(0)],
        }
    }

    /// The version that a load of `buffer` in the head of the current statement sees; `None` if none can be told.
    pub(crate) fn version(&self, buffer: BufferId) -> Option<Version> {
        let changes = self.open.last().is_none_or(|open| open.head_changes);
        (!changes).then(|| self.version_of(self.regions.of(buffer)))
    }

    fn version_of(&self, region: Region) -> Version {
        match region {
            Region::Known(r) => self.current[r as usize],
            Region::Unknown => self.any,
        }
    }

    /// Where a version was born: a load in it gives the same value anywhere from this point on, as long as the version
    /// is current. `None` if nowhere: such a load equals no other.
    pub(crate) fn birth(&self, version: Version) -> Option<Point> {
        self.births.get(version.0 as usize).copied().flatten()
    }

    /// Comes to the head of a statement.
    pub(crate) fn head(&mut self, stmt: &Stmt) {
        if let Some(open) = self.open.last_mut() {
            // Where some statement's does, the function may write everything.
            open.head_changes = self.blocks[0].everything && head_changes(stmt);
        }
        if let StmtKind::While { .. } = &stmt.kind {
            let written = self.blocks[self.next_block as usize].clone();
            self.renew(&written, None);
        }
    }

    /// Enters the next block of the current statement.
    pub(crate) fn enter_block(&mut self, stmt: &Stmt) {
        let block = self.next_block;
        self.next_block += 1;
        let mut written = Writes::default();
        let head_changes = self.open.last().is_some_and(|open| open.head_changes);
        match &stmt.kind {
            StmtKind::For(_)
            | StmtKind::While { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::Attr { node: AttrNode::IterVar { .. }, .. } => {
                written = self.blocks[block as usize].clone();
            }
            StmtKind::If { .. } => {
                let versions = (self.current.clone(), self.any);
                if let Some(open) = self.open.last_mut() {
                    match open.before.take() {
                        None => open.before = Some(versions),
                        Some((current, any)) => (self.current, self.any) = (current, any),
                    }
                }
            }
            StmtKind::SBlock(b) => {
                b.alloc_buffers.iter().for_each(|&a| written.add(self.regions.of(a)));
                if let Some(open) = self.open.last() {
                    written.merge(&open.written);
                }
            }
            StmtKind::Attr { .. }
            | StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
        written.everything |= head_changes;
        self.renew(&written, Some(Point { block, index: 0 }));
        self.open.push(Open::new(block));
    }

    /// Leaves the block entered last.
    pub(crate) fn leave_block(&mut self) {
        if let Some(inner) = self.open.pop()
            && let Some(open) = self.open.last_mut()
        {
            open.written.merge(&self.blocks[inner.block as usize]);
        }
    }

    /// Leaves a statement, and comes to the point before the next one of its block.
    pub(crate) fn after(&mut self, stmt: &Stmt) {
        let mut written = Writes::default();
        direct_writes(stmt, &self.regions, &mut written);
        let mut point = None;
        if let Some(open) = self.open.last_mut() {
            written.everything |= open.head_changes;
            written.merge(&std::mem::take(&mut open.written));
            open.index += 1;
            open.head_changes = false;
            point = Some(Point { block: open.block, index: open.index });
        }
        self.renew(&written, point);
    }

    /// Gives what may have been written a new version.
    fn renew(&mut self, written: &Writes, birth: Option<Point>) {
        if written.is_empty() {
            return;
        }
        let version = Version(self.births.len() as u32);
        self.births.push(birth);
        self.any = version;
        if written.everything {
            self.current.fill(version);
        } else {
            written.regions.iter().for_each(|&r| self.current[r as usize] = version);
        }
    }
}

/// Whether the expressions of a statement's head may change memory or other state.
fn head_changes(stmt: &Stmt) -> bool {
    let mut changes = false;
    stmt.for_each_expr(|e| changes |= updates_state(e));
    changes
}

/// The keyword that marks an assumption as one that was found out and that the program does not have.
pub(crate) const MARK: &str = "satir.found";

/// Whether a statement only states what was found out.
fn only_states(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Evaluate(Expr { kind: ExprKind::Call(call), .. }) => {
            call.kwargs.iter().any(|(key, _)| &**key == MARK)
        }
        _ => false,
    }
}

/// What a statement may write, apart from its blocks.
fn own_writes(stmt: &Stmt, regions: &Regions, written: &mut Writes) {
    if only_states(stmt) {
        return;
    }
    written.everything |= head_changes(stmt);
    direct_writes(stmt, regions, written);
}

/// What a statement writes itself, apart from what its expressions and blocks do.
fn direct_writes(stmt: &Stmt, regions: &Regions, written: &mut Writes) {
    match &stmt.kind {
        // New memory holds anything.
        StmtKind::Store { buffer, .. } | StmtKind::Alloc { buffer, .. } => written.add(regions.of(*buffer)),
        StmtKind::SBlock(b) => b.alloc_buffers.iter().for_each(|&a| written.add(regions.of(a))),
        StmtKind::Bind { .. }
        | StmtKind::Evaluate(_)
        | StmtKind::For(_)
        | StmtKind::While { .. }
        | StmtKind::If { .. }
        | StmtKind::Assert { .. }
        | StmtKind::Attr { .. }
        | StmtKind::LaunchThread { .. }
        | StmtKind::Decl { .. }
        | StmtKind::Break
        | StmtKind::Continue
        | StmtKind::Return(_) => {}
    }
}

/// Appends what the block and the blocks in it may write, in the order in which a walk meets them.
fn summarize(block: &Block, regions: &Regions, all: &mut Vec<Writes>) {
    let number = all.len();
    all.push(Writes::default());
    let mut written = Writes::default();
    for stmt in block {
        own_writes(stmt, regions, &mut written);
        stmt.for_each_block(|inner| {
            let inner_number = all.len();
            summarize(inner, regions, all);
            written.merge(&all[inner_number]);
        });
    }
    all[number] = written;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::build::FuncBuilder;
    use crate::ir::{DType, SBlock};

    fn int(v: i64) -> Expr {
        Expr::int(v, DType::I32)
    }

    /// The versions that the loads of buffer `A` see, in the order of the text, as small numbers by first occurrence;
    /// `-` for none, and `!` behind one that is born nowhere.
    fn versions(func: &PrimFunc) -> String {
        fn walk(block: &Block, memory: &mut MemoryVersions, seen: &mut Vec<Version>, out: &mut Vec<String>) {
            for stmt in block {
                memory.head(stmt);
                stmt.for_each_expr(|e| {
                    e.walk(&mut |e| {
                        let ExprKind::Load { buffer: BufferId(0), .. } = e.kind else { return };
                        let Some(version) = memory.version(BufferId(0)) else { return out.push("-".into()) };
                        let number = seen.iter().position(|v| *v == version).unwrap_or_else(|| {
                            seen.push(version);
                            seen.len() - 1
                        });
                        let nowhere = if memory.birth(version).is_none() { "!" } else { "" };
                        out.push(format!("{number}{nowhere}"));
                    });
                });
                stmt.for_each_block(|b| {
                    memory.enter_block(stmt);
                    walk(b, memory, seen, out);
                    memory.leave_block();
                });
                memory.after(stmt);
            }
        }
        let mut out = Vec::new();
        walk(&func.body, &mut MemoryVersions::new(func), &mut Vec::new(), &mut out);
        out.join(" ")
    }

    /// A function with buffers `A` and `B`, which may alias unless `no_alias`.
    fn with(no_alias: bool, body: impl FnOnce(&mut FuncBuilder)) -> String {
        let mut b = FuncBuilder::new("main");
        if no_alias {
            b.no_alias();
        }
        b.buffer_param("A", DType::I32, vec![int(8)]);
        b.buffer_param("B", DType::I32, vec![int(8)]);
        body(&mut b);
        versions(&b.finish())
    }

    fn load(b: &mut FuncBuilder) {
        let value = b.load(BufferId(0), vec![int(0)]);
        b.evaluate(value);
    }

    fn store(b: &mut FuncBuilder, buffer: u32) {
        b.store(BufferId(buffer), vec![int(0)], int(1));
    }

    #[test]
    fn stores_to_what_may_alias() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            store(b, 1);
            load(b);
            store(b, 0);
            load(b);
            load(b);
        };
        assert_eq!(with(true, body), "0 0 1 1");
        assert_eq!(with(false, body), "0 1 2 2");
    }

    #[test]
    fn arms_start_alike_and_merge() {
        let body = |b: &mut FuncBuilder| {
            b.if_else(
                Expr::bool(true),
                |b| {
                    load(b);
                    store(b, 0);
                    load(b);
                },
                load,
            );
            load(b);
            b.if_then(Expr::bool(true), load);
            load(b);
        };
        assert_eq!(with(true, body), "0 1 0 2 2 2");
    }

    #[test]
    fn loops_that_write_have_versions_of_their_own() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            b.serial("i", int(3), |b, _| {
                load(b);
                store(b, 0);
            });
            load(b);
            b.serial("j", int(3), |b, _| {
                load(b);
                b.serial("k", int(3), |b, _| load(b));
                store(b, 1);
            });
            load(b);
        };
        assert_eq!(with(true, body), "0 1 2 2 2 2");
        assert_eq!(with(false, body), "0 1 2 3 3 4");
    }

    #[test]
    fn a_nested_loop_sees_what_the_outer_one_writes_later() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            b.serial("i", int(3), |b, _| {
                b.serial("j", int(3), |b, _| load(b));
                store(b, 0);
                load(b);
            });
        };
        assert_eq!(with(true, body), "0 1 2");
    }

    #[test]
    fn a_while_condition_sees_every_iteration() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            let cond = b.load(BufferId(0), vec![int(0)]).lt(3);
            b.while_loop(cond.clone(), |b| {
                load(b);
                store(b, 0);
            });
            load(b);
            b.while_loop(cond, load);
        };
        assert_eq!(with(true, body), "0 1! 2 3 3 3");
    }

    #[test]
    fn calls_that_may_change_state() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            let both = Expr::call(DType::I32, "call_extern", vec![]) + b.load(BufferId(0), vec![int(0)]);
            b.evaluate(both.clone());
            load(b);
            b.if_else(both.lt(1), load, load);
            load(b);
            b.evaluate(Expr::call(DType::I32, "popcount", vec![int(3)]));
            load(b);
        };
        assert_eq!(with(true, body), "0 - 1 - 2 3 4 4");
    }

    #[test]
    fn threads_allocations_and_blocks() {
        let body = |b: &mut FuncBuilder| {
            load(b);
            b.launch_thread("threadIdx.x", int(4), |b, _| {
                load(b);
                store(b, 0);
                b.evaluate(Expr::call(DType::I32, "tvm_storage_sync", vec![]));
                load(b);
            });
            load(b);
            let init = b.block(|b| store(b, 0));
            let body = b.block(load);
            b.push(StmtKind::SBlock(Box::new(SBlock { init: Some(init), body, ..SBlock::new("b") })));
            load(b);
            b.alloc("C", DType::I32, vec![int(4)]);
            load(b);
        };
        assert_eq!(with(true, body), "0 1 2 3 4 5 5");
    }
}
