//! Neighbouring `if`s with equal or opposite conditions become one.
//!
//! `if c: A; if c: B` is `if c: A; B`, and `if c: A else: X; if not c: B` is `if c: A else: X; B`, if nothing in `A`
//! and `X` may change what the second condition reads. The two conditions may be spelled differently.

use super::assume::assume;
use super::engine::Engine;
use super::entail::relation;
use crate::analysis::known::Known;
use crate::analysis::memory::Written;
use crate::ir::{Block, Expr, Stmt, StmtKind};

/// Merges neighbours in a block. `known` holds at all of it. Returns how many conditions went.
pub(super) fn merge(engine: &Engine<'_>, known: &mut Known, block: &mut Block) -> usize {
    let mut merged = 0;
    let mut out: Block = Vec::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        let same = match (out.last(), &stmt) {
            (Some(first), second) => mergeable(engine, known, first, second),
            (None, _) => None,
        };
        if let Some(same) = same
            && let Some(first) = out.last_mut()
            && let StmtKind::If { cond, then, otherwise } = &mut first.kind
            && let StmtKind::If { then: more_then, otherwise: more_otherwise, .. } = &mut stmt.kind
        {
            let (x, y) = if same { (more_then, more_otherwise) } else { (more_otherwise, more_then) };
            for (body, more, truth) in [(then, x, true), (otherwise, y, false)] {
                let seam = !body.is_empty() && !more.is_empty();
                body.append(more);
                if seam {
                    let facts = known.facts.len();
                    // What the condition reads may have changed in the body.
                    if !cond.reads_memory() {
                        assume(known, cond, truth);
                    }
                    merged += merge(engine, known, body);
                    known.facts.truncate(facts);
                }
            }
            merged += 1;
        } else {
            out.push(stmt);
        }
    }
    *block = out;
    merged
}

/// How the conditions of two neighbours relate, if they can be merged: `true` for equal, `false` for opposite.
fn mergeable(engine: &Engine<'_>, known: &mut Known, first: &Stmt, second: &Stmt) -> Option<bool> {
    let StmtKind::If { cond: a, then, otherwise } = &first.kind else { return None };
    let StmtKind::If { cond: b, .. } = &second.kind else { return None };
    if changes(engine, [then, otherwise], b) {
        return None;
    }
    relation(engine, known, a, b)
}

/// Whether running one of the blocks may change the value of `e`.
fn changes(engine: &Engine<'_>, blocks: [&Block; 2], e: &Expr) -> bool {
    Written::by_blocks(engine.graphs.func, blocks).may_change(e)
}
