//! A loop goes into the loops that fold in it: loop distribution, and then loop interchange (Allen and Kennedy, "Optimizing
//! Compilers for Modern Architectures").
//!
//! A sum of floats keeps its order, so a loop that folds one does not run on vectors, but one over many such sums does. Where no
//! iteration of that loop writes what another one accesses, its iterations may be in any order, also among parts of its body;
//! each element is folded as before.

use super::obstacle::Obstacle;
use super::order::meets_no_earlier;
use super::reason::{Change, Reason};
use super::total;
use crate::analysis::accesses::Accesses;
use crate::analysis::instances::Asker;
use crate::analysis::volatile;
use crate::diag::Span;
use crate::ir::{Block, Expr, ExprKind, For, PrimFunc, Stmt, StmtKind, VarId, loop_anew};

/// The most accesses in a loop: each is compared with each.
const MAX_ACCESSES: usize = 32;

/// What each of the loops that may go into others leads to, at most so many.
pub(super) fn each(func: &PrimFunc, most: usize) -> Vec<(PrimFunc, Change)> {
    let mut sites = Vec::new();
    let mut number = 0;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind
                && l.body.iter().any(|stmt| folds_in(&chain(stmt, l.var), l.var))
                && may_move(l).is_ok()
            {
                sites.push((number, l.var));
            }
            number += 1;
        });
    }
    if sites.is_empty() || volatile::is_any(func) {
        return Vec::new();
    }
    let Some(accesses) = Accesses::new(func) else { return Vec::new() };
    let asker = Asker::new(&accesses, Asker::budget(&accesses));
    let made = sites.into_iter().take(most).filter_map(|(number, var)| {
        asker.renew(Asker::budget(&accesses));
        is_apart(&asker, number, var).then(|| interchanged(func, var))
    });
    made.collect()
}

/// Whether the loop, and all in it, may run in another order as far as the text tells.
fn may_move(l: &For) -> Result<(), Obstacle> {
    let binds = l.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Bind { .. }));
    let fixed = |e: &Expr| total::expression(e) && !e.reads_memory();
    if !l.is_plain() || binds || ![&l.min, &l.extent].into_iter().all(fixed) {
        return Err(Obstacle::Statement);
    }
    total::block(&l.body)
}

/// Whether no iteration of a loop writes what another one accesses.
fn is_apart(asker: &Asker<'_>, number: usize, var: VarId) -> bool {
    let (first, end) = asker.accesses.spans[number];
    let list = &asker.accesses.list[first..end];
    list.len() <= MAX_ACCESSES
        && list.iter().all(|a| {
            let itself = asker.itself(a);
            list.iter().all(|b| meets_no_earlier(asker, (a, &itself), b, (var, var)))
        })
}

/// The loops that stand in a statement, each the only statement of the one around it, which another loop may go into: their
/// lengths are the same in all its iterations, and read no memory.
fn chain(stmt: &Stmt, var: VarId) -> Vec<&For> {
    let mut loops = Vec::new();
    let mut inner = Some(stmt);
    while let Some(Stmt { kind: StmtKind::For(l), .. }) = inner {
        let fixed = |e: &Expr| !e.reads_memory() && !e.mentions(|other| other == var);
        if !l.is_plain() || ![&l.min, &l.extent].into_iter().all(fixed) {
            break;
        }
        loops.push(&**l);
        inner = match &l.body[..] {
            [only] => Some(only),
            _ => None,
        };
    }
    loops
}

/// Whether the innermost of the loops that the loop over `var` may go into folds: it stores to an element that does not vary
/// with it, but with the other one.
fn folds_in(loops: &[&For], var: VarId) -> bool {
    let Some(innermost) = loops.last() else { return false };
    let mut folds = false;
    for stmt in &innermost.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Store { buffer, indices, value } = &stmt.kind {
                let varies = |with: VarId| indices.iter().any(|index| index.mentions(|v| v == with));
                let mut reads = false;
                value.walk(&mut |e| {
                    reads |= matches!(e.kind, ExprKind::Load { buffer: of, .. } if of == *buffer)
                });
                folds |= reads && varies(var) && !varies(innermost.var);
            }
        });
    }
    folds
}

/// The function with the loop over `var` in the loops in it.
fn interchanged(func: &PrimFunc, var: VarId) -> (PrimFunc, Change) {
    let mut made = func.clone();
    let mut body = std::mem::take(&mut made.body);
    let mut inner = Vec::new();
    in_block(&mut body, var, &mut made, &mut inner);
    made.body = body;
    let names: Vec<String> = inner.iter().map(|&var| format!("`{}`", func.var(var).name)).collect();
    let what = format!("the loop over `{}` goes into {}", func.var(var).name, names.join(", "));
    (made, Change { what, reasons: vec![Reason::Apart] })
}

fn in_block(block: &mut Block, var: VarId, func: &mut PrimFunc, inner: &mut Vec<VarId>) {
    let room = Block::with_capacity(block.len());
    for mut stmt in std::mem::replace(block, room) {
        match stmt.kind {
            StmtKind::For(l) if l.var == var => block.extend(distributed(*l, func, inner)),
            _ => {
                stmt.for_each_block_mut(|part| in_block(part, var, func, inner));
                block.push(stmt);
            }
        }
    }
}

/// A loop as several, one for each part of its body, of which those with loops that fold have it inside of these. The variables of
/// the loops that it goes into are noted.
fn distributed(mut l: For, func: &mut PrimFunc, inner: &mut Vec<VarId>) -> Block {
    let mut made = Block::new();
    let mut rest = Block::new();
    for mut stmt in std::mem::take(&mut l.body) {
        let loops = chain(&stmt, l.var);
        if folds_in(&loops, l.var) {
            if !rest.is_empty() {
                made.push(around(&l, std::mem::take(&mut rest), made.is_empty(), func));
            }
            let depth = loops.len();
            inner.extend(loops.iter().map(|l| l.var));
            let mut is_first = made.is_empty();
            sink(&mut stmt, depth, l.var, &mut |body| {
                around(&l, body, std::mem::replace(&mut is_first, false), func)
            });
            made.push(stmt);
        } else {
            rest.push(stmt);
        }
    }
    if !rest.is_empty() {
        made.push(around(&l, rest, made.is_empty(), func));
    }
    made
}

/// A body within a loop like another one, and of the same variable if it is the first of these.
fn around(like: &For, body: Block, is_first: bool, func: &mut PrimFunc) -> Stmt {
    let l = if is_first { like.around(body) } else { loop_anew(func, like, body) };
    Stmt { span: Span::NONE, kind: StmtKind::For(Box::new(l)) }
}

/// Puts another loop around the body of the innermost of so many loops: around each condition in it that the loop does not change,
/// such as that of an initialization, within that condition.
fn sink(stmt: &mut Stmt, depth: usize, var: VarId, around: &mut impl FnMut(Block) -> Stmt) {
    let StmtKind::For(l) = &mut stmt.kind else { return };
    match &mut l.body[..] {
        [only] if depth > 1 => sink(only, depth - 1, var, around),
        _ => l.body = within(std::mem::take(&mut l.body), var, around),
    }
}

fn within(body: Block, var: VarId, around: &mut impl FnMut(Block) -> Stmt) -> Block {
    // Bindings are for what stands behind them.
    if body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })) {
        return vec![around(body)];
    }
    let (mut made, mut rest) = (Block::new(), Block::new());
    for stmt in body {
        match stmt.kind {
            StmtKind::If { cond, then, otherwise }
                if !cond.reads_memory() && !cond.mentions(|v| v == var) =>
            {
                if !rest.is_empty() {
                    made.push(around(std::mem::take(&mut rest)));
                }
                let [then, otherwise] = [then, otherwise].map(|arm| within(arm, var, around));
                made.push(Stmt { span: stmt.span, kind: StmtKind::If { cond, then, otherwise } });
            }
            _ => rest.push(stmt),
        }
    }
    if !rest.is_empty() {
        made.push(around(rest));
    }
    made
}
