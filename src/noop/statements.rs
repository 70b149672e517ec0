//! Statements by their numbers, in the order in which [`Stmt::walk`] meets them, and with other variables.

use crate::ir::{Block, Stmt};

/// The statement with a number.
pub(super) fn find(block: &Block, wanted: usize) -> Option<&Stmt> {
    fn walk<'a>(block: &'a Block, number: &mut usize, wanted: usize) -> Option<&'a Stmt> {
        for stmt in block {
            if *number == wanted {
                return Some(stmt);
            }
            *number += 1;
            let mut found = None;
            stmt.for_each_block(|inner| {
                if found.is_none() {
                    found = walk(inner, number, wanted);
                }
            });
            if found.is_some() {
                return found;
            }
        }
        None
    }
    walk(block, &mut 0, wanted)
}

/// Puts statements in the place of the one with a number; whether there is one.
pub(super) fn replace(block: &mut Block, wanted: usize, by: Block) -> bool {
    fn walk(block: &mut Block, number: &mut usize, wanted: usize, by: &mut Block) -> bool {
        for at in 0..block.len() {
            if *number == wanted {
                block.splice(at..=at, std::mem::take(by));
                return true;
            }
            *number += 1;
            let mut done = false;
            block[at].for_each_block_mut(|inner| {
                if !done {
                    done = walk(inner, number, wanted, by);
                }
            });
            if done {
                return true;
            }
        }
        false
    }
    let mut by = by;
    walk(block, &mut 0, wanted, &mut by)
}
