//! The case in which iterations change their order: what does not access the buffer is split off, and what is left runs over
//! the elements of the buffer.

use std::collections::BTreeMap;

use super::super::values::inlined;
use super::depend::{Pair, Touch, before, touches};
use super::found::Found;
use super::rewrite::{Rewriting, guarded};
use super::solve::{Solved, domains_of};
use crate::arith::invert::Domain;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{
    BinOp, Block, BufferId, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId, loop_anew,
};
use crate::padding::accesses::{Access, accesses};
use crate::padding::refusal::refuse;

/// The parts of a nest.
struct Parts {
    /// What is split off before the rest, with the number of loops around it.
    first: Vec<(usize, Block)>,
    /// What accesses the buffer, within all loops.
    core: Block,
}

/// A nest as loops over the elements of a buffer, after loops for what does not access it.
pub(super) fn reordered(
    func: &mut PrimFunc,
    stmt: &Stmt,
    found: &Found,
    solved: &Solved,
    id: BufferId,
    fast_math: bool,
) -> Result<Block, Error> {
    let no = |what: &str| refuse(func, found.span, what.to_owned());
    if found.loops.iter().any(|for_| for_.kind != ForKind::Serial || for_.step.is_some()) {
        return no("the loops around the access are not all serial, with step 1");
    }
    let mut loops = Vec::new();
    let mut parts = Parts { first: Vec::new(), core: Block::new() };
    take_apart(stmt, id, found, &mut loops, &mut parts).map_err(|span| unsplittable(func, span, id))?;
    let domains = domains_of(found);
    check_bounds(func, found, &domains)?;
    let values = &found.values;
    let Some(core) = touches(&parts.core, &domains, values) else {
        return no("something in the loops is not only loads and stores, so its order has to stay");
    };
    // What is split off comes before all that accesses the buffer.
    for (depth, block) in &parts.first {
        let Some(early) = touches(block, &domains[..*depth], values) else {
            return no("something in the loops is not only loads and stores, so its order has to stay");
        };
        let (outer, mut pair) = (&domains[..*depth], Pair::new(func));
        for a in &core {
            for b in &early {
                let order = order_of(outer, &mut pair);
                if !pair.never_meet(a, b, &order) {
                    let name = &func.buffer(b.buffer).name;
                    return no(&format!(
                        "a loop of its own for what does not access `{}` would access `{name}` too early: an iteration \
                         depends on earlier ones",
                        func.buffer(id).name
                    ));
                }
            }
        }
    }
    check_order(func, &parts, &core, found, solved, &domains, fast_math)?;
    let facts: Vec<Expr> = only_condition(&parts.core).into_iter().map(|c| inlined(c, values)).collect();
    if !solved.reaches_the_buffer(func, found, id, &facts) {
        return no("not all iterations were shown to access an element, so some would be lost");
    }
    Ok(build(func, stmt, parts, found, solved, id))
}

fn unsplittable(func: &PrimFunc, span: Span, id: BufferId) -> Error {
    let what = format!(
        "the loops hold more than statements that can be split off from what accesses `{}`",
        func.buffer(id).name
    );
    match refuse::<()>(func, span, what) {
        Err(error) => error,
        Ok(()) => Error::Unavailable("splitting of loops"),
    }
}

/// Bounds of inner loops that depend on outer variables stay as they are only if these are not solved for.
fn check_bounds(func: &PrimFunc, found: &Found, domains: &[Domain]) -> Result<(), Error> {
    let vars: Vec<VarId> = domains.iter().map(|domain| domain.var).collect();
    let dependent = domains
        .iter()
        .any(|domain| [&domain.min, &domain.extent].iter().any(|e| crate::arith::invert::mentions(e, &vars)));
    if dependent {
        return refuse(func, found.span, "a bound of a loop depends on another loop");
    }
    Ok(())
}

/// Takes a nest apart along the loops around the access; an error is a place where that cannot be done.
fn take_apart(
    stmt: &Stmt,
    id: BufferId,
    found: &Found,
    loops: &mut Vec<VarId>,
    parts: &mut Parts,
) -> Result<(), Span> {
    let StmtKind::For(for_) = &stmt.kind else { return Err(stmt.span) };
    loops.push(for_.var);
    let depth = loops.len();
    let touches = |stmt: &Stmt| accesses(stmt, id, Access::Load) || accesses(stmt, id, Access::Store);
    if depth == found.loops.len() {
        let (first, rest) = split_at_first(&for_.body, &touches);
        let declares = |stmt: &&Stmt| match &stmt.kind {
            StmtKind::Bind { var, .. } => !found.values.contains_key(var),
            _ => !is_plain(stmt),
        };
        if let Some(stmt) = first.iter().find(declares) {
            return Err(stmt.span);
        }
        if !first.is_empty() {
            parts.first.push((depth, first));
        }
        parts.core = rest;
        return Ok(());
    }
    let at = for_.body.iter().position(&touches).ok_or(stmt.span)?;
    let (before, rest) = for_.body.split_at(at);
    let next_is_loop = matches!(&rest[0].kind, StmtKind::For(inner) if inner.var == found.loops[depth].var);
    let alone = rest[1..].is_empty();
    if !next_is_loop || !alone {
        return Err(rest.get(1).map_or(stmt.span, |stmt| stmt.span));
    }
    let lost =
        |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Bind { var, .. } if !found.values.contains_key(var));
    if let Some(stmt) = before.iter().find(|stmt| lost(stmt)) {
        return Err(stmt.span);
    }
    let split: Block =
        before.iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Bind { .. })).cloned().collect();
    if split.iter().any(|stmt| !is_plain(stmt)) {
        return Err(stmt.span);
    }
    if !split.is_empty() {
        parts.first.push((depth, split));
    }
    take_apart(&rest[0], id, found, loops, parts)
}

/// Whether a statement may stand in another loop: it declares nothing.
fn is_plain(stmt: &Stmt) -> bool {
    let mut plain = true;
    stmt.walk(&mut |stmt| {
        plain &= matches!(
            stmt.kind,
            StmtKind::Store { .. }
                | StmtKind::If { .. }
                | StmtKind::For(_)
                | StmtKind::Bind { .. }
                | StmtKind::Evaluate(_)
        );
    });
    plain
}

/// The statements before the first one that is wanted, but for bindings, and the rest.
fn split_at_first(body: &Block, wanted: &impl Fn(&Stmt) -> bool) -> (Block, Block) {
    let at = body.iter().position(wanted).unwrap_or(0);
    let (before, rest) = body.split_at(at);
    if before.iter().all(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })) {
        return (Block::new(), body.clone());
    }
    (before.to_vec(), rest.to_vec())
}

/// That the first of a pair of iterations of these loops is the earlier one.
fn order_of(loops: &[Domain], pair: &mut Pair<'_>) -> Expr {
    let first: Vec<Expr> = loops.iter().map(|d| Expr::var(d.var, d.min.dtype)).collect();
    let second: Vec<Expr> = first.iter().map(|e| pair.other(e, loops)).collect();
    before(&first, &second)
}

/// Refuses if two iterations that depend on each other change their order.
fn check_order(
    func: &PrimFunc,
    parts: &Parts,
    core: &[Touch],
    found: &Found,
    solved: &Solved,
    domains: &[Domain],
    fast_math: bool,
) -> Result<(), Error> {
    let sum = reduction(&parts.core);
    let mut pair = Pair::new(func);
    let earlier = order_of(domains, &mut pair);
    // The new order: the elements, then the loops that are left.
    let left = domains.iter().filter(|d| solved.value(d.var).is_none());
    let new: Vec<Expr> =
        found.indices.iter().cloned().chain(left.map(|d| Expr::var(d.var, d.min.dtype))).collect();
    let others: Vec<Expr> = new.iter().map(|e| pair.other(e, domains)).collect();
    let kept = before(&new, &others);
    let changed = Expr::binary(BinOp::And, earlier, Expr::not(kept));
    for a in core {
        for b in core {
            if pair.never_meet(a, b, &changed) {
                continue;
            }
            let name = &func.buffer(a.buffer).name;
            let is_sum = sum.as_ref().is_some_and(|(buffer, indices)| {
                a.buffer == *buffer
                    && b.buffer == *buffer
                    && core.iter().filter(|t| t.buffer == *buffer).count() == 2
                    && [a, b].iter().all(|t| {
                        indices.iter().map(|e| inlined(e, &found.values)).eq(t.indices.iter().cloned())
                    })
            });
            if is_sum && (func.buffer(a.buffer).dtype.is_integral() || fast_math) {
                continue;
            }
            let what = if is_sum {
                format!("the floats in `{name}` would be added in another order, which --fast-math allows")
            } else {
                format!("accesses to `{name}` that depend on each other would change their order")
            };
            return refuse(func, found.span, what);
        }
    }
    Ok(())
}

/// The buffer and the indices, if the only store of statements adds to an element.
fn reduction(core: &Block) -> Option<(BufferId, Vec<Expr>)> {
    let mut stores = Vec::new();
    core.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Store { buffer, indices, value } = &stmt.kind {
                stores.push((*buffer, indices.clone(), value.clone()));
            }
        });
    });
    let [(buffer, indices, value)] = <[_; 1]>::try_from(stores).ok()?;
    let ExprKind::Binary(BinOp::Add, a, b) = &value.kind else { return None };
    let own = |e: &Expr| matches!(&e.kind, ExprKind::Load { buffer: of, indices: at } if *of == buffer && **at == *indices);
    let reads = |e: &Expr| e.loads_from(|of| of == buffer);
    ((own(a) && !reads(b)) || (own(b) && !reads(a))).then_some((buffer, indices))
}

/// The condition, if a block is one branch.
fn only_condition(core: &Block) -> Option<&Expr> {
    let mut rest = core.iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Bind { .. }));
    match (rest.next(), rest.next()) {
        (Some(Stmt { kind: StmtKind::If { cond, otherwise, .. }, .. }), None) if otherwise.is_empty() => {
            Some(cond)
        }
        _ => None,
    }
}

fn build(
    func: &mut PrimFunc,
    stmt: &Stmt,
    parts: Parts,
    found: &Found,
    solved: &Solved,
    id: BufferId,
) -> Block {
    let span = stmt.span;
    let as_stmt = |l: For| Stmt { span, kind: StmtKind::For(Box::new(l)) };
    // Bindings are in place of their names everywhere: what they compute may be needed in several loops.
    let without_bindings = |mut block: Block| {
        put_values(&mut block, &found.values);
        block
    };
    let mut made = Block::new();
    for (depth, block) in parts.first {
        // Loops that are not solved for stay around the core as well.
        let loops = found.loops[..depth].iter().rev();
        made.extend(loops.fold(without_bindings(block), |body, l| vec![as_stmt(loop_anew(func, l, body))]));
    }
    let rewriting = Rewriting { found, solved, id };
    let mut core = without_bindings(parts.core);
    core.iter_mut().for_each(|stmt| rewriting.stmt(stmt));
    let condition = solved.inverse.image.iter().cloned().reduce(|a, b| Expr::binary(BinOp::And, a, b));
    if let Some(cond) = condition {
        core = guarded(cond, core, span);
    }
    let left = found.loops.iter().filter(|l| solved.value(l.var).is_none());
    let inner = left.rev().fold(core, |body, l| vec![as_stmt(l.around(body))]);
    let shape = &func.buffer(id).shape;
    let loops: Vec<(VarId, Expr)> = solved.axes.iter().copied().zip(shape.iter().cloned()).collect();
    made.extend(crate::padding::build::nest(&loops, inner));
    made
}

/// Puts the values of bindings in place of their names.
fn put_values(block: &mut Block, values: &BTreeMap<VarId, Expr>) {
    block.retain(|stmt| !matches!(&stmt.kind, StmtKind::Bind { var, .. } if values.contains_key(var)));
    for stmt in block {
        stmt.for_each_expr_mut(|e| e.substitute(&|var| values.get(&var)));
        stmt.for_each_block_mut(|block| put_values(block, values));
    }
}
