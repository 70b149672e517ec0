//! Conditions around and in loops that TVM does not lower.
//!
//! A loop that is to be unrolled or to run on vectors, of a length that is no constant, stops TVM unless it sees that control
//! never comes there. It sees that by conditions as they are written: of `d + d >= 0 and d + d < d` it finds out that it never
//! holds, of `v >= 0 and v < d`, where `v` is bound to `d + d`, it does not. A loop whose body is
//! never run goes, too. So values are written out in conditions around such loops and in them.

use hashbrown::HashMap;

use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{Block, Expr, ForKind, PrimFunc, Stmt, StmtKind, VarId};

/// Values that are longer than this, in parts, stay in their variables.
const LONGEST: usize = 64;

/// Writes out what is bound to variables in the conditions of a function around such loops and in them.
pub(crate) fn keep(func: &mut PrimFunc) {
    if func.body.iter().any(has_unlowered) {
        in_block(&mut func.body, false, &mut HashMap::new());
    }
}

/// Whether TVM does not lower a loop in the statement.
fn has_unlowered(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| found |= is_unlowered(stmt));
    found
}

fn is_unlowered(stmt: &Stmt) -> bool {
    let StmtKind::For(l) = &stmt.kind else { return false };
    matches!(l.kind, ForKind::Unrolled | ForKind::Vectorized) && l.extent.as_int().is_none()
}

/// `inside`: whether the block is one of such a loop. `values`: those of the variables that are bound so far.
fn in_block(block: &mut Block, inside: bool, values: &mut HashMap<VarId, Expr>) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::Bind { var, value } if !reads_or_has_side_effects(value) => {
                let mut whole = value.clone();
                whole.substitute(&|var| values.get(&var));
                let mut length = 0;
                whole.walk(&mut |_| length += 1);
                if length <= LONGEST {
                    values.insert(*var, whole);
                }
            }
            StmtKind::If { cond, then, otherwise }
                if inside || then.iter().chain(&*otherwise).any(has_unlowered) =>
            {
                cond.substitute(&|var| values.get(&var));
            }
            _ => {}
        }
        let inside = inside || is_unlowered(stmt);
        stmt.for_each_block_mut(|inner| in_block(inner, inside, values));
    }
}
