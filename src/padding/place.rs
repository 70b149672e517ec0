//! Where the copy for a block stands: among the statements of the innermost list of several that leads to it, within the block
//! around it.

use super::refusal::refuse;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Block, BufferId, ForKind, PrimFunc, SBlock, Stmt, StmtKind, block_at, block_at_mut};

/// A statement of a list of statements.
#[derive(Debug)]
pub(super) struct Place {
    /// How to come to the list: of each statement on the way its number, and which of its blocks.
    way: Vec<(usize, usize)>,
    /// How many steps of the way lead into the innermost block (`T.sblock`) around the list.
    frame: usize,
    /// The number of the statement in the list.
    pub(super) at: usize,
}

impl Place {
    /// The place for the block of a name.
    pub(super) fn of(func: &PrimFunc, name: &str) -> Result<Place, Error> {
        let mut found = Vec::new();
        find(&func.body, name, &mut Vec::new(), &mut found);
        let [way] = &found[..] else {
            let why = if found.is_empty() { "there is no block" } else { "there are several blocks" };
            return refuse(func, Span::NONE, format!("{why} `{name}`"));
        };
        let (mut frame, mut depth, mut shared) = (0, 0, false);
        for (step, &(at, _)) in way.iter().enumerate().take(way.len() - 1) {
            let (list, inner) = (list_at(&func.body, &way[..step]), list_at(&func.body, &way[..=step]));
            match &list[at].kind {
                StmtKind::SBlock(_) => (frame, depth, shared) = (step + 1, step + 1, false),
                StmtKind::For(l) => shared |= !matches!(l.kind, ForKind::Serial | ForKind::Unrolled),
                StmtKind::LaunchThread { .. } | StmtKind::Attr { .. } => shared = true,
                _ => {}
            }
            // One copy would serve iterations that run at the same time.
            if inner.len() > 1 && !shared {
                depth = step + 1;
            }
        }
        Ok(Place { way: way[..depth].to_vec(), frame, at: way[depth].0 })
    }

    /// The list.
    pub(super) fn list<'f>(&self, body: &'f Block) -> &'f Block {
        list_at(body, &self.way)
    }

    /// Whether the list is deeper than the block around it, so that it runs several times in a run of the block.
    pub(super) fn is_deeper(&self) -> bool {
        self.way.len() > self.frame
    }

    /// Whether several runs of the list may be at the same time.
    pub(super) fn is_concurrent(&self, body: &Block) -> bool {
        (0..self.way.len()).any(|step| {
            let stmt = &list_at(body, &self.way[..step])[self.way[step].0];
            match &stmt.kind {
                StmtKind::For(l) => !matches!(l.kind, ForKind::Serial | ForKind::Unrolled),
                _ => is_launch(stmt),
            }
        })
    }

    /// Whether a buffer comes into being where the list begins, or in it.
    pub(super) fn allocates(&self, body: &Block, buffer: BufferId) -> bool {
        let here = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Alloc { buffer: of, .. } if of == buffer);
        let around = self.way[..self.frame].split_last().is_some_and(|(&(at, _), before)| {
            matches!(&list_at(body, before)[at].kind, StmtKind::SBlock(block)
                if block.alloc_buffers.contains(&buffer) && block.init.is_none())
        });
        !self.is_deeper() && around || self.list(body).iter().any(here)
    }

    /// The list, to change it.
    pub(super) fn list_mut<'f>(&self, body: &'f mut Block) -> Option<&'f mut Block> {
        block_at_mut(body, &self.way)
    }

    /// The innermost block around the list, to change it, if there is one.
    pub(super) fn frame_mut<'f>(&self, body: &'f mut Block) -> Option<&'f mut SBlock> {
        let (&(at, _), before) = self.way[..self.frame].split_last()?;
        match &mut block_at_mut(body, before)?.get_mut(at)?.kind {
            StmtKind::SBlock(block) => Some(block),
            _ => None,
        }
    }
}

/// The list at the end of a way that was found in these statements.
fn list_at<'f>(body: &'f Block, way: &[(usize, usize)]) -> &'f Block {
    block_at(body, way).expect("a way that was found")
}

/// The ways to the blocks of a name: the last step is the block itself.
fn find(list: &Block, name: &str, way: &mut Vec<(usize, usize)>, found: &mut Vec<Vec<(usize, usize)>>) {
    for (at, stmt) in list.iter().enumerate() {
        way.push((at, 0));
        if is_called(stmt, name) {
            found.push(way.clone());
        }
        let mut part = 0;
        stmt.for_each_block(|block| {
            if let Some(step) = way.last_mut() {
                step.1 = part;
            }
            find(block, name, way, found);
            part += 1;
        });
        way.pop();
    }
}

/// Whether a statement launches threads.
pub(super) fn is_launch(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::LaunchThread { .. } => true,
        StmtKind::For(l) => matches!(l.kind, ForKind::ThreadBinding(_)),
        StmtKind::Attr { key, .. } => matches!(&**key, "thread_extent" | "virtual_thread"),
        _ => false,
    }
}

fn is_called(stmt: &Stmt, name: &str) -> bool {
    matches!(&stmt.kind, StmtKind::SBlock(block) if *block.name == *name)
}
