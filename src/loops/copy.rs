//! Copies of statements: each with variables and buffers of its own, and with expressions in place of loop variables.

use hashbrown::{HashMap, HashSet};

use super::folded::folded;
use crate::ir::value::evaluate;
use crate::ir::{AttrValue, Block, BufferId, Expr, ExprKind, For, Origin, PrimFunc, Stmt, StmtKind, VarId};

/// What copies of a block have in place of its variables and buffers.
pub(super) struct Copier<'a> {
    func: &'a mut PrimFunc,
    vars: HashMap<VarId, Expr>,
    buffers: HashMap<BufferId, BufferId>,
}

/// A copy of a block with expressions in place of variables. Everything that the block defines is defined anew.
pub(super) fn copy(func: &mut PrimFunc, block: &Block, values: &[(VarId, Expr)]) -> Block {
    let vars = values.iter().cloned().collect();
    Copier { func, vars, buffers: HashMap::new() }.block(block)
}

/// Whether [`copy`] knows what the statements define and name.
pub(super) fn is_copyable(block: &Block) -> bool {
    let mut plain = true;
    let mut look = |stmt: &Stmt| {
        plain &= match &stmt.kind {
            StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::While { .. }
            | StmtKind::If { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Bind { .. }
            | StmtKind::Decl { .. } => true,
            StmtKind::For(l) => l.annotations.iter().all(|(_, value)| is_plain(value)),
            StmtKind::Alloc { annotations, .. } => annotations.iter().all(|(_, value)| is_plain(value)),
            StmtKind::Attr { .. }
            | StmtKind::LaunchThread { .. }
            | StmtKind::SBlock(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => false,
        };
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                if let ExprKind::Call(call) = &e.kind {
                    plain &= call.kwargs.iter().all(|(_, value)| is_plain(value));
                }
            });
        });
    };
    block.iter().for_each(|stmt| stmt.walk(&mut look));
    plain
}

/// The variables that a block defines.
pub(super) fn defined(block: &Block) -> HashSet<VarId> {
    let mut vars = HashSet::new();
    let mut look = |stmt: &Stmt| {
        stmt.for_each_defined(|var| {
            vars.insert(var);
        });
        stmt.for_each_expr(|e| {
            e.walk(&mut |e| {
                if let ExprKind::Let(var, ..) = e.kind {
                    vars.insert(var);
                }
            });
        });
    };
    block.iter().for_each(|stmt| stmt.walk(&mut look));
    vars
}

/// Whether a variable occurs in an expression.
pub(super) fn mentions(e: &Expr, var: VarId) -> bool {
    e.mentions(|v| v == var)
}

/// Whether any of the variables occurs in an expression.
pub(super) fn mentions_any(e: &Expr, vars: &HashSet<VarId>) -> bool {
    e.mentions(|var| vars.contains(&var))
}

/// The loop without its body.
pub(super) fn hollow(l: &For) -> For {
    For {
        var: l.var,
        min: l.min.clone(),
        extent: l.extent.clone(),
        step: l.step.clone(),
        kind: l.kind.clone(),
        annotations: l.annotations.clone(),
        body: Block::new(),
    }
}

/// Whether a value names no variable.
fn is_plain(value: &AttrValue) -> bool {
    match value {
        AttrValue::None
        | AttrValue::Bool(_)
        | AttrValue::Int(_)
        | AttrValue::Float(_)
        | AttrValue::Str(_)
        | AttrValue::Type(_) => true,
        AttrValue::List(items) => items.iter().all(is_plain),
        AttrValue::Dict(items) => items.iter().all(|(_, value)| is_plain(value)),
        AttrValue::Expr(e) => e.is_number() || matches!(e.kind, ExprKind::Str(_)),
        AttrValue::Call(..) => false,
    }
}

impl Copier<'_> {
    fn block(&mut self, block: &Block) -> Block {
        block.iter().map(|stmt| self.stmt(stmt)).collect()
    }

    fn stmt(&mut self, stmt: &Stmt) -> Stmt {
        let mut copy = stmt.hollow(Expr::clone);
        // The values and bounds of a definition are outside of its scope.
        copy.for_each_expr_mut(|e| self.expr(e));
        match &mut copy.kind {
            StmtKind::Store { buffer, .. } => *buffer = self.buffer(*buffer),
            StmtKind::Bind { var, .. } => *var = self.define(*var),
            StmtKind::For(l) => l.var = self.define(l.var),
            StmtKind::Alloc { buffer, .. } | StmtKind::Decl { buffer } => *buffer = self.declare(*buffer),
            _ => {}
        }
        copy.fill(stmt, |block| self.block(block));
        copy
    }

    fn define(&mut self, var: VarId) -> VarId {
        let entry = self.func.var(var).clone();
        let new = self.func.new_var(entry.name, entry.ty);
        self.vars.insert(var, self.func.var_expr(new));
        new
    }

    fn declare(&mut self, buffer: BufferId) -> BufferId {
        let mut entry = self.func.buffer(buffer).clone();
        entry
            .shape
            .iter_mut()
            .chain(&mut entry.strides)
            .chain(&mut entry.elem_offset)
            .for_each(|e| self.expr(e));
        match &mut entry.origin {
            Origin::View(of) | Origin::Region(of) => *of = self.buffer(*of),
            Origin::Pointer(e) => self.expr(e),
            Origin::Param | Origin::Match(_) | Origin::Alloc | Origin::Unbound => {}
        }
        let new = self.func.new_buffer(entry);
        self.buffers.insert(buffer, new);
        new
    }

    fn buffer(&self, buffer: BufferId) -> BufferId {
        self.buffers.get(&buffer).copied().unwrap_or(buffer)
    }

    fn expr(&mut self, e: &mut Expr) {
        if let Some(value) = e.as_var().and_then(|var| self.vars.get(&var)) {
            e.clone_from(value);
            return;
        }
        if let ExprKind::Let(var, value, body) = &mut e.kind {
            self.expr(value);
            *var = self.define(*var);
            self.expr(body);
            return;
        }
        if let ExprKind::Load { buffer, .. }
        | ExprKind::BufferData(buffer)
        | ExprKind::BufferRef(buffer)
        | ExprKind::Region(buffer, _) = &mut e.kind
        {
            *buffer = self.buffer(*buffer);
        }
        e.for_each_child_mut(|part| self.expr(part));
        if let ExprKind::Binary(op, a, b) = &e.kind
            && a.dtype.is_index()
        {
            match (a.as_int(), b.as_int()) {
                (Some(_), Some(_)) if e.dtype.is_bool() => {
                    if let Some(truth) = evaluate(e, &|_| None).and_then(|truth| truth.as_int()) {
                        *e = Expr::bool(truth != 0);
                    }
                }
                (Some(_), _) | (_, Some(_)) if e.dtype.is_index() => {
                    *e = folded(*op, Expr::clone(a), Expr::clone(b));
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    #[test]
    fn a_copy_defines_everything_anew() {
        let text = r#"
@T.prim_func
def main(A: T.Buffer((64,), "int32"), n: T.int32):
    y = T.int32()
    for i in range(4):
        tmp = T.alloc_buffer((i + 1,), "int32")
        view = T.decl_buffer((i + 1,), "int32", data=tmp.data)
        x: T.let[T.int32] = T.Let(y + i, where={y: i * n})
        for j in range(i):
            view[j] = x + j
        A[i] = tmp[0]
"#;
        let mut module = crate::parse(text).unwrap();
        let func = &mut module.funcs[0];
        let StmtKind::For(l) = func.body[0].kind.clone() else { panic!("a loop") };
        assert!(is_copyable(&l.body));
        let made = copy(func, &l.body, &[(l.var, Expr::int(3, DType::I32))]);
        func.body.extend(made);
        crate::verify::verify_func(func).unwrap();
        let func = func.clone();
        let text = module.to_string();
        let copied = text.rsplit_once("A[i] = tmp[0]").unwrap().1;
        assert!(copied.contains("range(3)") && copied.contains("A[3] = "), "{text}");
        // Other variables and buffers, though they may have the names of those whose scope has ended.
        let StmtKind::Alloc { buffer, .. } = func.body[1].kind else { panic!("an allocation") };
        assert_ne!(StmtKind::Alloc { buffer, annotations: Vec::new() }, l.body[0].kind);
        assert!(crate::parse(&text).is_ok(), "{text}");
    }

    #[test]
    fn exits_are_not_copied() {
        let text = "@T.prim_func\ndef main(n: T.int32):\n    for i in range(n):\n        if i > 3:\n            break\n";
        assert!(!is_copyable(&crate::parse(text).unwrap().funcs[0].body));
    }
}
