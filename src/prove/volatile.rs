//! Volatile memory: what the attribute `volatile_scope` names may be changed by others at any time, and they see each store. Its
//! loads are calls with an effect here, and its stores are never left out. What is accessed by another name is not volatile, as in
//! C, even if it may be the same memory; a store to one may change the other as elsewhere. An attribute in what never runs names
//! nothing.

use hashbrown::HashSet;

use super::steps::never_runs;
use crate::ir::intrin::VOLATILE_LOAD;
use crate::ir::{AttrNode, AttrValue, Block, BufferId, Expr, ExprKind, Origin, PrimFunc, StmtKind};

/// The memories of a function that are volatile. Where pointers are, any may be another name of one.
pub(super) fn memories(func: &PrimFunc) -> HashSet<BufferId> {
    let mut named = Some(HashSet::new());
    names(func, &func.body, &mut named);
    let pointers = func.buffers.iter().any(|buffer| matches!(buffer.origin, Origin::Pointer(_)));
    let own = |id: &BufferId| matches!(func.buffer(*id).origin, Origin::Alloc);
    match named {
        Some(named) if !pointers || named.iter().all(own) => named,
        _ => (0..func.buffers.len()).map(|at| func.memory_of(BufferId(at as u32))).collect(),
    }
}

/// Adds the memories that statements name; `None` if one of them is unclear.
fn names(func: &PrimFunc, block: &Block, named: &mut Option<HashSet<BufferId>>) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::For(l) if never_runs(l) => continue,
            StmtKind::Attr { node, key, .. } if key.contains("volatile") => {
                let buffer = match node {
                    AttrNode::Buffer(buffer) => Some(*buffer),
                    AttrNode::Value(AttrValue::Expr(e)) => match e.kind {
                        ExprKind::BufferData(buffer) | ExprKind::BufferRef(buffer) => Some(buffer),
                        _ => None,
                    },
                    AttrNode::Var(_)
                    | AttrNode::Value(_)
                    | AttrNode::CommReducer(_)
                    | AttrNode::IterVar { .. } => None,
                };
                match (buffer, &mut *named) {
                    (Some(buffer), Some(named)) => drop(named.insert(func.memory_of(buffer))),
                    _ => *named = None,
                }
            }
            _ => {}
        }
        stmt.for_each_block(|inner| names(func, inner, named));
    }
}

/// The function with its loads of these memories as calls; `None` if there are none.
pub(super) fn shielded(func: &PrimFunc) -> Option<PrimFunc> {
    let memories = memories(func);
    if memories.is_empty() {
        return None;
    }
    let mut made = func.clone();
    shield_block(&mut made.body, &|buffer| memories.contains(&func.memory_of(buffer)));
    Some(made)
}

fn shield_block(block: &mut Block, is_volatile: &impl Fn(BufferId) -> bool) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| shield(e, is_volatile));
        stmt.for_each_block_mut(|inner| shield_block(inner, is_volatile));
    }
}

fn shield(e: &mut Expr, is_volatile: &impl Fn(BufferId) -> bool) {
    // An address is none of its element's loads.
    if let Some(("address_of", [Expr { kind: ExprKind::Load { .. }, .. }])) = e.as_intrin() {
        return e.for_each_child_mut(|load| load.for_each_child_mut(|index| shield(index, is_volatile)));
    }
    e.for_each_child_mut(|child| shield(child, is_volatile));
    if matches!(e.kind, ExprKind::Load { buffer, .. } if is_volatile(buffer)) {
        let load = std::mem::replace(e, Expr::bool(false));
        *e = Expr::call(load.dtype, VOLATILE_LOAD, vec![load]);
    }
}
