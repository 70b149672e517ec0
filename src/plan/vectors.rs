//! What LLVM does to innermost loops before it puts them on vectors, for an estimate: short loops are written out, loops of
//! up to 16 iterations come apart where the quotients in their addresses change, conditions that are monotone in the loop
//! variable become choices between values. A minimum or maximum in an address keeps the loop as it is: measured, such loops
//! run on scalars.

use super::forward::{forwarded, is_over_rows};
use crate::analysis::length;
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, Block, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, Type, VarId};

/// Loops with fewer iterations than this are written out.
const SHORT: i64 = 8;

/// The most that a body may be long when it is written out.
const MAX_WRITTEN_OUT: usize = 400;

/// Loops with at most so many iterations come apart, into at most so many parts.
const MAX_CUT: i64 = 16;
const MAX_PARTS: usize = 6;

/// A condition around one store, in the innermost loop and monotone in its variable, becomes a choice of what is stored.
pub(super) fn guard_values(block: &mut Block) {
    each_innermost(block, &mut |l| {
        let var = l.var;
        for stmt in &mut l.body {
            let StmtKind::If { cond, then, otherwise } = &stmt.kind else { continue };
            let [Stmt { kind: StmtKind::Store { buffer, indices, value }, .. }] = &then[..] else { continue };
            if !otherwise.is_empty() || !mentions(cond, var) || !is_monotone(cond, var) {
                continue;
            }
            let old = Expr::load(value.dtype, *buffer, indices.clone());
            let chosen = Expr::select(cond.clone(), value.clone(), old);
            stmt.kind = StmtKind::Store { buffer: *buffer, indices: indices.clone(), value: chosen };
        }
    });
}

/// A choice by a condition that is monotone in the variable of the innermost loop takes both values.
pub(super) fn choose_values(block: &mut Block) {
    each_innermost(block, &mut |l| {
        let var = l.var;
        l.body.iter_mut().for_each(|stmt| stmt.for_each_expr_mut(|e| chosen(e, var)));
    });
}

fn chosen(e: &mut Expr, var: VarId) {
    e.for_each_child_mut(|part| chosen(part, var));
    if let Some(("if_then_else", [cond, then, otherwise])) = e.as_intrin()
        && mentions(cond, var)
        && is_monotone(cond, var)
    {
        *e = Expr::select(cond.clone(), then.clone(), otherwise.clone());
    }
}

/// Writes out short innermost loops.
pub(super) fn write_out(block: &mut Block) {
    write_out_in(block, None);
}

/// `around`: the loop around the block.
fn write_out_in(block: &mut Block, around: Option<VarId>) {
    let mut made = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        let inside = if let StmtKind::For(l) = &stmt.kind { Some(l.var) } else { around };
        stmt.for_each_block_mut(|block| write_out_in(block, inside));
        match short(&stmt) {
            Some(copies) if around.is_some_and(|var| is_over_rows(&copies, var)) => {
                made.extend(forwarded(copies));
            }
            Some(copies) => made.extend(copies),
            None => made.push(stmt),
        }
    }
    *block = made;
}

fn short(stmt: &Stmt) -> Option<Block> {
    let StmtKind::For(l) = &stmt.kind else { return None };
    let (min, extent) = (l.min.as_int()?, l.extent.as_int()?);
    let mut straight = true;
    l.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            straight &=
                matches!(stmt.kind, StmtKind::Store { .. } | StmtKind::Evaluate(_) | StmtKind::If { .. });
        });
    });
    let length = length::of_block(&l.body).saturating_mul(usize::try_from(extent).ok()?);
    let plain = l.step.is_none() && matches!(l.kind, ForKind::Serial | ForKind::Unrolled);
    if !straight || !plain || !(0..SHORT).contains(&extent) || length > MAX_WRITTEN_OUT {
        return None;
    }
    let mut copies = Block::new();
    for at in 0..extent {
        let value = Expr::int(min.checked_add(at)?, l.min.dtype);
        let mut body = l.body.clone();
        put(&mut body, l.var, &value);
        copies.append(&mut body);
    }
    Some(copies)
}

/// Takes innermost loops of few iterations apart where the quotients in their addresses change.
pub(super) fn cut(func: &mut PrimFunc) {
    let mut body = std::mem::take(&mut func.body);
    cut_block(func, &mut body);
    func.body = body;
}

fn cut_block(func: &mut PrimFunc, block: &mut Block) {
    let mut made = Block::with_capacity(block.len());
    for mut stmt in std::mem::take(block) {
        stmt.for_each_block_mut(|inner| cut_block(func, inner));
        match parts(&stmt) {
            Some((l, bounds)) => {
                for part in bounds.windows(2) {
                    let [from, to] = part else { continue };
                    let var = func.new_var(func.var(l.var).name.clone(), Type::Prim(l.min.dtype));
                    let mut body = l.body.clone();
                    put(&mut body, l.var, &Expr::var(var, l.min.dtype));
                    let (min, extent) = (Expr::int(*from, l.min.dtype), Expr::int(to - from, l.min.dtype));
                    made.push(Stmt::new(StmtKind::For(Box::new(For {
                        var,
                        min,
                        extent,
                        body,
                        ..l.clone()
                    }))));
                }
            }
            None => made.push(stmt),
        }
    }
    *block = made;
}

/// A loop that comes apart, and where.
fn parts(stmt: &Stmt) -> Option<(For, Vec<i64>)> {
    let StmtKind::For(l) = &stmt.kind else { return None };
    let (min, extent) = (l.min.as_int()?, l.extent.as_int()?);
    let stores = l.body.iter().all(|stmt| matches!(stmt.kind, StmtKind::Store { .. }));
    if !stores || l.kind != ForKind::Serial || l.step.is_some() || !(2..=MAX_CUT).contains(&extent) {
        return None;
    }
    let end = min.checked_add(extent)?;
    let mut bounds = vec![min, end];
    let mut whole = true;
    let mut look = |e: &Expr| match &e.kind {
        ExprKind::Binary(op, a, b) if op.is_division() && mentions(e, l.var) => {
            let quotient = Expr::binary(BinOp::FloorDiv, (**a).clone(), (**b).clone());
            let value =
                |at: i64| evaluate(&quotient, &|var| (var == l.var).then_some(Value::Int(at)))?.as_int();
            for at in min + 1..end {
                // What depends on other loops as well has no value here.
                if let (Some(before), Some(here)) = (value(at - 1), value(at))
                    && before != here
                {
                    bounds.push(at);
                }
            }
        }
        ExprKind::Binary(BinOp::Min | BinOp::Max, ..) if mentions(e, l.var) => whole = false,
        _ => {}
    };
    for stmt in &l.body {
        stmt.for_each_expr(|e| e.walk(&mut look));
    }
    bounds.sort_unstable();
    bounds.dedup();
    (whole && bounds.len() > 2 && bounds.len() <= MAX_PARTS + 1).then(|| ((**l).clone(), bounds))
}

/// Calls `f` on each serial loop without loops in it.
fn each_innermost(block: &mut Block, f: &mut dyn FnMut(&mut For)) {
    for stmt in block {
        stmt.for_each_block_mut(|inner| each_innermost(inner, f));
        let StmtKind::For(l) = &mut stmt.kind else { continue };
        let mut inner = false;
        l.body.iter().for_each(|stmt| {
            stmt.walk(&mut |stmt| inner |= matches!(stmt.kind, StmtKind::For(_) | StmtKind::While { .. }));
        });
        if !inner && l.kind == ForKind::Serial {
            f(l);
        }
    }
}

/// Whether a condition is a conjunction of comparisons of sums, so that what satisfies it along a variable is an interval.
fn is_monotone(cond: &Expr, var: VarId) -> bool {
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) => is_monotone(a, var) && is_monotone(b, var),
        ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, a, b) => {
            a.dtype.is_index() && is_sum(a, var) && is_sum(b, var)
        }
        _ => !mentions(cond, var),
    }
}

/// Whether an expression is linear in a variable.
fn is_sum(e: &Expr, var: VarId) -> bool {
    match &e.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => is_sum(a, var) && is_sum(b, var),
        ExprKind::Binary(BinOp::Mul, a, b) => {
            is_sum(a, var) && !mentions(b, var) || is_sum(b, var) && !mentions(a, var)
        }
        ExprKind::Var(_) => true,
        _ => !mentions(e, var),
    }
}

fn mentions(e: &Expr, var: VarId) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e.as_var() == Some(var));
    found
}

fn put(block: &mut Block, var: VarId, value: &Expr) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| e.substitute(&|own| (own == var).then_some(value)));
        stmt.for_each_block_mut(|inner| put(inner, var, value));
    }
}
