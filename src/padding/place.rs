//! Where the copy for a block stands: among the statements of the innermost list of several that leads to it, within the block
//! around it.

use super::refusal::refuse;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Block, BufferId, ForKind, PrimFunc, SBlock, Stmt, StmtKind};

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
        // What the block stands in, outermost first.
        let mut lists: Vec<&Block> = vec![&func.body];
        let (mut frame, mut shared) = (0, false);
        let mut depth = 0;
        for (step, &(at, part)) in way.iter().enumerate().take(way.len() - 1) {
            let stmt = &lists[step][at];
            lists.push(part_of(stmt, part));
            match &stmt.kind {
                StmtKind::SBlock(_) => (frame, depth, shared) = (step + 1, step + 1, false),
                StmtKind::For(l) => shared |= !matches!(l.kind, ForKind::Serial | ForKind::Unrolled),
                StmtKind::LaunchThread { .. } | StmtKind::Attr { .. } => shared = true,
                _ => {}
            }
            // One copy would serve iterations that run at the same time.
            if lists[step + 1].len() > 1 && !shared {
                depth = step + 1;
            }
        }
        Ok(Place { way: way[..depth].to_vec(), frame, at: way[depth].0 })
    }

    /// The list.
    pub(super) fn list<'f>(&self, body: &'f Block) -> &'f Block {
        self.way.iter().fold(body, |list, &(at, part)| part_of(&list[at], part))
    }

    /// Whether the list is deeper than the block around it, so that it runs several times in a run of the block.
    pub(super) fn is_deeper(&self) -> bool {
        self.way.len() > self.frame
    }

    /// Whether a buffer comes into being where the list begins, or in it.
    pub(super) fn allocates(&self, body: &Block, buffer: BufferId) -> bool {
        let here = |stmt: &Stmt| matches!(stmt.kind, StmtKind::Alloc { buffer: of, .. } if of == buffer);
        let around = self.way[..self.frame].split_last().is_some_and(|(&(at, _), before)| {
            let list = before.iter().fold(body, |list, &(at, part)| part_of(&list[at], part));
            matches!(&list[at].kind, StmtKind::SBlock(block)
                if block.alloc_buffers.contains(&buffer) && block.init.is_none())
        });
        !self.is_deeper() && around || self.list(body).iter().any(here)
    }

    /// Changes the list.
    pub(super) fn change(&self, body: &mut Block, f: impl FnOnce(&mut Block)) {
        descend(body, &self.way, &mut Some(f));
    }

    /// Calls `f` with the innermost block around the list; whether there is one.
    pub(super) fn in_frame(&self, body: &mut Block, mut f: impl FnMut(&mut SBlock)) -> bool {
        let Some((&(at, _), before)) = self.way[..self.frame].split_last() else { return false };
        descend(
            body,
            before,
            &mut Some(|list: &mut Block| {
                if let StmtKind::SBlock(block) = &mut list[at].kind {
                    f(block);
                }
            }),
        );
        true
    }
}

/// The block of a statement with a number.
fn part_of(stmt: &Stmt, part: usize) -> &Block {
    let mut blocks = Vec::new();
    stmt.for_each_block(|block| blocks.push(block));
    blocks[part]
}

fn descend<F: FnOnce(&mut Block)>(list: &mut Block, way: &[(usize, usize)], f: &mut Option<F>) {
    let Some((&(at, part), rest)) = way.split_first() else {
        if let Some(f) = f.take() {
            f(list);
        }
        return;
    };
    let mut number = 0;
    list[at].for_each_block_mut(|block| {
        if number == part {
            descend(block, rest, f);
        }
        number += 1;
    });
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

fn is_called(stmt: &Stmt, name: &str) -> bool {
    matches!(&stmt.kind, StmtKind::SBlock(block) if *block.name == *name)
}
