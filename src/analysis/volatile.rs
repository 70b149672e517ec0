//! Volatile memory: what the attribute `volatile_scope` names may be read and written by others at any time.
//!
//! Its loads must happen exactly as often, and in the order, as they stand. So do calls of which nothing is known:
//! [`shielded`] makes each such load the argument of one, before anything is optimized, and [`unshield`] takes the calls
//! away afterwards. Stores stay where they stand in any case.

use super::alias::{is_behind, views_one_memory};
use super::effects::{Role, role};
use crate::ir::intrin::VOLATILE_LOAD;
use crate::ir::{AttrNode, AttrValue, Block, BufferId, Callee, Expr, ExprKind, PrimFunc, StmtKind, VarId};

/// The function with its loads from volatile memory out of reach; `None` if there are none.
pub(crate) fn shielded(func: &PrimFunc) -> Option<PrimFunc> {
    let named = named(&func.body);
    if named.is_empty() {
        return None;
    }
    let volatile: Vec<bool> = (0..func.buffers.len())
        .map(|i| {
            let buffer = BufferId(i as u32);
            named.iter().any(|name| match *name {
                Named::Buffer(of) => of == buffer || views_one_memory(func, of, buffer),
                Named::Handle(handle) => is_behind(func, handle, buffer),
                Named::Unclear => true,
            })
        })
        .collect();
    let is_volatile = |buffer: BufferId| volatile.get(buffer.index()).copied().unwrap_or(true);
    let mut shielded = func.clone();
    let mut found = false;
    for_each_root(&mut shielded.body, &mut |e| shield(e, Role::Value, &is_volatile, &mut found));
    found.then_some(shielded)
}

/// Whether any memory that the function names is volatile: others may see the order of its stores.
pub(crate) fn is_any(func: &PrimFunc) -> bool {
    !named(&func.body).is_empty()
}

/// Takes away what [`shielded`] put around loads.
pub(crate) fn unshield(func: &mut PrimFunc) {
    for_each_root(&mut func.body, &mut take_load);
}

/// What an attribute names.
enum Named {
    Buffer(BufferId),
    Handle(VarId),
    Unclear,
}

fn named(body: &Block) -> Vec<Named> {
    let mut found = Vec::new();
    for stmt in body {
        stmt.walk(&mut |stmt| {
            let StmtKind::Attr { node, key, .. } = &stmt.kind else { return };
            if key.ends_with("volatile_scope") {
                found.push(match node {
                    AttrNode::Buffer(buffer) => Named::Buffer(*buffer),
                    AttrNode::Var(handle) => Named::Handle(*handle),
                    AttrNode::Value(AttrValue::Expr(e)) => match e.kind {
                        ExprKind::BufferData(buffer) | ExprKind::BufferRef(buffer) => Named::Buffer(buffer),
                        ExprKind::Var(handle) => Named::Handle(handle),
                        _ => Named::Unclear,
                    },
                    AttrNode::Value(_) | AttrNode::CommReducer(_) | AttrNode::IterVar { .. } => {
                        Named::Unclear
                    }
                });
            }
        });
    }
    found
}

fn for_each_root(block: &mut Block, f: &mut impl FnMut(&mut Expr)) {
    for stmt in block {
        stmt.for_each_expr_mut(&mut *f);
        stmt.for_each_block_mut(|inner| for_each_root(inner, f));
    }
}

fn shield(e: &mut Expr, used_as: Role, is_volatile: &impl Fn(BufferId) -> bool, found: &mut bool) {
    let mut roles = Vec::new();
    e.for_each_child(|child| roles.push(role(e, roles.len(), child)));
    let mut roles = roles.into_iter();
    e.for_each_child_mut(|child| shield(child, roles.next().unwrap_or(Role::Value), is_volatile, found));
    if matches!(e.kind, ExprKind::Load { buffer, .. } if is_volatile(buffer)) && used_as != Role::Place {
        let load = std::mem::replace(e, Expr::bool(false));
        *e = Expr::call(load.dtype, VOLATILE_LOAD, vec![load]);
        *found = true;
    }
}

fn take_load(e: &mut Expr) {
    e.for_each_child_mut(take_load);
    if let ExprKind::Call(call) = &mut e.kind
        && matches!(&call.callee, Callee::Intrin(name) if &**name == VOLATILE_LOAD)
        && let [load] = &mut call.args[..]
    {
        *e = std::mem::replace(load, Expr::bool(false));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "@T.prim_func
def main(A: T.Buffer((8,)), B: T.Buffer((8,)), h: T.handle):
    V = T.match_buffer(h, (8,))
    W = T.decl_buffer((2, 4), data=A.data)
    with T.attr(A.data, \"volatile_scope\", 1):
        B[0] = A[1] + B[1] + W[0, 1] + V[0]
        T.evaluate(T.address_of(A[2]))
";

    #[test]
    fn loads_of_all_views_are_kept_and_come_back() {
        let func = crate::parse(TEXT).unwrap().funcs.remove(0);
        let mut made = shielded(&func).unwrap();
        let mut loads = Vec::new();
        for_each_root(&mut made.body, &mut |e| {
            e.walk(&mut |e| {
                if let Some((VOLATILE_LOAD, [load])) = e.as_intrin()
                    && let ExprKind::Load { buffer, .. } = load.kind
                {
                    loads.push(func.buffer(buffer).name.to_string());
                }
            });
        });
        assert_eq!(loads, ["A", "W"]);
        assert!(shielded(&made).is_none(), "what is kept already is left alone");
        unshield(&mut made);
        assert!(made == func);
    }

    #[test]
    fn what_an_attribute_names_may_be_a_handle_or_unclear() {
        let loads = |node: &str| {
            let text = TEXT.replace("A.data, \"volatile_scope\"", &format!("{node}, \"volatile_scope\""));
            shielded(&crate::parse(&text).unwrap().funcs[0]).map(|func| {
                let text = format!("{:?}", func.body);
                text.matches(VOLATILE_LOAD).count()
            })
        };
        assert_eq!(loads("h"), Some(1));
        assert_eq!(loads("V"), Some(1));
        assert_eq!(loads("0"), Some(4));
    }
}
