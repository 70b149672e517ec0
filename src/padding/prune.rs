//! What is left empty when statements go: branches, loops, blocks and bindings that do nothing.

use std::collections::BTreeSet;

use crate::analysis::negation::negated;
use crate::ir::{AttrNode, Block, DType, Expr, PrimFunc, Stmt, StmtKind, VarId};

/// Removes the statements for which `gone` says so, and what does nothing then. What is opaque in a statement that goes
/// stays as an evaluation. Whether anything went.
pub(super) fn remove(func: &mut PrimFunc, gone: impl Fn(&Stmt) -> bool) -> bool {
    let described = described(func);
    let pruning = Pruning { gone, described };
    let mut changed = false;
    let body = std::mem::take(&mut func.body);
    func.body = pruning.keep(body, &mut changed);
    if changed && func.body.is_empty() {
        func.body.push(Stmt::new(StmtKind::Evaluate(Expr::int(0, DType::I32))));
    }
    changed
}

/// The expressions of a statement that have effects of their own, as evaluations, in order. `T.undef()` and what
/// `T.assume` says are no effects.
pub(super) fn effects_of(stmt: &Stmt) -> Block {
    let mut effects = Block::new();
    stmt.for_each_expr(|e| {
        let argument = match e.as_intrin() {
            Some(("assume", [cond])) => cond,
            _ => e,
        };
        let mut rest = argument.clone();
        choose_undef(&mut rest);
        if rest.has_effect() {
            effects.push(Stmt { span: stmt.span, kind: StmtKind::Evaluate(rest) });
        }
    });
    effects
}

/// Puts 0 in place of each `T.undef()`, which may be any value.
pub(super) fn choose_undef(e: &mut Expr) {
    if e.is_undef() {
        *e = zero(e.dtype);
    } else {
        e.for_each_child_mut(choose_undef);
    }
}

/// Zero of a type, in all lanes.
pub(super) fn zero(dtype: DType) -> Expr {
    let scalar = dtype.scalar();
    let zero = if scalar.is_float() { Expr::float(0.0, scalar) } else { Expr::int(0, scalar) };
    if dtype.is_scalar() { zero } else { Expr::broadcast(zero, dtype.lanes) }
}

struct Pruning<F> {
    gone: F,
    /// Variables that something uses that is never evaluated, such as the shape of a buffer.
    described: BTreeSet<VarId>,
}

impl<F: Fn(&Stmt) -> bool> Pruning<F> {
    fn keep(&self, block: Block, changed: &mut bool) -> Block {
        let mut kept = Block::with_capacity(block.len());
        let mut any = false;
        for mut stmt in block {
            if (self.gone)(&stmt) {
                any = true;
                kept.extend(effects_of(&stmt));
                continue;
            }
            let mut inner = false;
            stmt.for_each_block_mut(|block| {
                let body = std::mem::take(block);
                *block = self.keep(body, &mut inner);
            });
            any |= inner;
            if inner {
                keep_other_arm(&mut stmt);
            }
            if inner && is_idle(&stmt) {
                kept.extend(effects_of(&stmt));
            } else {
                kept.push(stmt);
            }
        }
        if any {
            self.drop_unused(&mut kept);
        }
        *changed |= any;
        kept
    }

    /// Drops bindings without effects that nothing after them in the block uses.
    fn drop_unused(&self, block: &mut Block) {
        let mut used = self.described.clone();
        let mut kept: Block = Vec::with_capacity(block.len());
        for stmt in std::mem::take(block).into_iter().rev() {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && !used.contains(var)
                && !value.has_effect()
            {
                continue;
            }
            stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut |e| used.extend(e.as_var()))));
            kept.push(stmt);
        }
        kept.reverse();
        *block = kept;
    }
}

/// `if c: (nothing) else: B` becomes `if not c: B`.
fn keep_other_arm(stmt: &mut Stmt) {
    if let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
        && then.is_empty()
        && !otherwise.is_empty()
    {
        std::mem::swap(then, otherwise);
        *cond = negated(std::mem::replace(cond, Expr::bool(true)));
    }
}

/// Whether a statement whose blocks lost something does nothing more than evaluate its own expressions.
fn is_idle(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::If { then, otherwise, .. } => then.is_empty() && otherwise.is_empty(),
        StmtKind::For(for_) => for_.body.is_empty(),
        StmtKind::SBlock(block) => {
            block.body.is_empty()
                && block.init.as_ref().is_none_or(Vec::is_empty)
                && block.match_buffers.is_empty()
        }
        StmtKind::Attr { body, .. } | StmtKind::LaunchThread { body, .. } => body.is_empty(),
        _ => false,
    }
}

/// The variables in what is never evaluated: shapes, regions, what attributes are about.
fn described(func: &PrimFunc) -> BTreeSet<VarId> {
    let mut vars = BTreeSet::new();
    let mut look = |e: &Expr| e.walk(&mut |e| vars.extend(e.as_var()));
    for buffer in &func.buffers {
        buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset).for_each(&mut look);
        if let crate::ir::Origin::Pointer(pointer) = &buffer.origin {
            look(pointer);
        }
    }
    let mut regions = Vec::new();
    let mut about = Vec::new();
    let mut attributed = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::SBlock(block) => {
                let listed = block.reads.iter().chain(&block.writes).flatten();
                regions.extend(listed.chain(block.match_buffers.iter().map(|(_, region)| region)));
                block.axes.iter().for_each(|axis| about.extend([&axis.min, &axis.extent]));
            }
            StmtKind::Attr { node: AttrNode::Var(var), .. } => attributed.push(*var),
            _ => {}
        });
    }
    for region in regions {
        region.ranges.iter().for_each(|(min, extent)| {
            look(min);
            extent.iter().for_each(&mut look);
        });
    }
    about.into_iter().for_each(look);
    vars.extend(attributed);
    vars
}
