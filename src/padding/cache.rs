//! Copies of buffers that a part of a function works on, so that their layout can be chosen freely.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::accesses::{Access, accesses, in_scope};
use super::assume::is_assumption;
use super::build::loop_var;
use super::coverage::covers;
use super::layout::fixed_layout;
use super::refusal::{Refusals, refuse};
use super::shared::memory_of_its_own;
use super::store_nest::store_nest;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Block, Buffer, BufferId, Expr, ExprKind, Origin, PrimFunc, SBlock, Stmt, StmtKind, VarId};

/// Lets a function read a copy of a buffer, made before the first statement of the buffer's scope that reads it. The copy is
/// `A_cache`, or `A_local` in the storage scope `local`. All that reads the buffer reads the copy. `readable`: all elements of
/// parameters may be read.
///
/// # Errors
///
/// If there is no such buffer, a statement writes it between its first and its last read, a pointer to it is made, or the
/// function is not certain to read all of its elements, which the copy does, and may not.
///
/// ```
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    T.func_attr({\"tirx.noalias\": True})\n    for i in range(8):\n        B[i] = A[i] * 2\n",
/// )?;
/// satir::padding::cache_read(&mut module.funcs[0], "A", Some("local"), false)?;
/// let text = module.to_string();
/// assert!(text.contains("A_local[i0] = A[i0]") && text.contains("B[i] = A_local[i] * 2"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cache_read(
    func: &mut PrimFunc,
    buffer: &str,
    scope: Option<&str>,
    readable: bool,
) -> Result<(), Error> {
    cache(func, buffer, scope, Access::Load, readable)
}

/// Lets a function work on a copy of a buffer that it writes, and copies it back after the last statement of the buffer's
/// scope that accesses it. What the buffer held before is copied in first, unless all of it is overwritten before it is read.
/// `readable`: all elements of parameters may be read.
///
/// # Errors
///
/// If there is no such buffer, a pointer to it is made, or the function is certain neither to write all of its elements nor
/// to read all of them.
///
/// ```
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    T.func_attr({\"tirx.noalias\": True})\n    for i in range(8):\n        B[i] = A[i] * 2\n",
/// )?;
/// satir::padding::cache_write(&mut module.funcs[0], "B", None, false)?;
/// let text = module.to_string();
/// assert!(text.contains("B_cache[i] = A[i] * 2") && text.contains("B[i0] = B_cache[i0]"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cache_write(
    func: &mut PrimFunc,
    buffer: &str,
    scope: Option<&str>,
    readable: bool,
) -> Result<(), Error> {
    cache(func, buffer, scope, Access::Store, readable)
}

/// What is found out before anything changes.
struct Plan {
    /// The statements of the scope that work on the copy.
    first: usize,
    last: usize,
    copy_in: bool,
}

fn cache(
    func: &mut PrimFunc,
    name: &str,
    scope: Option<&str>,
    how: Access,
    readable: bool,
) -> Result<(), Error> {
    let pass = if how == Access::Load { "cache-read" } else { "cache-write" };
    let mut result = func.clone();
    let id = super::find_buffer(&result, name, pass)?;
    let mut refusals = Refusals::of(&result);
    fixed_layout(&result, id, &mut refusals);
    refusals.result()?;
    let mut view = result.clone();
    let plan = in_scope(&mut view, id, &mut |block: &mut Block| plan(func, block, id, how, readable));
    let plan = match plan {
        Some(Some(plan)) => plan?,
        Some(None) => {
            let what = if how == Access::Load { "reads" } else { "writes" };
            return refuse(func, Span::NONE, format!("nothing {what} `{name}`"));
        }
        None => return refuse(func, Span::NONE, format!("no place was found where `{name}` is allocated")),
    };
    let in_blocks = has_blocks(&result.body);
    let copy = new_copy(&mut result, id, scope);
    let copy_in = if plan.copy_in { copy_loops(&mut result, id, copy, in_blocks) } else { Block::new() };
    let copy_out =
        if how == Access::Store { copy_loops(&mut result, copy, id, in_blocks) } else { Block::new() };
    let in_root_block = in_blocks && result.buffer(id).origin != Origin::Alloc;
    in_scope(&mut result, id, &mut |block: &mut Block| {
        for stmt in &mut block[plan.first..=plan.last] {
            redirect(stmt, id, copy);
        }
        block.splice(plan.last + 1..plan.last + 1, copy_out.iter().cloned());
        let mut before = Block::new();
        if !in_root_block {
            let kind = StmtKind::Alloc { buffer: copy, annotations: Vec::new() };
            before.push(Stmt { span: Span::NONE, kind });
        }
        before.extend(copy_in.iter().cloned());
        block.splice(plan.first..plan.first, before);
    });
    if in_root_block {
        allocate_in_root(&mut result.body, copy);
    }
    *func = result;
    Ok(())
}

fn plan(
    func: &PrimFunc,
    block: &Block,
    id: BufferId,
    how: Access,
    readable: bool,
) -> Option<Result<Plan, Error>> {
    let name = &func.buffer(id).name;
    let touches = |stmt: &Stmt| accesses(stmt, id, Access::Load) || accesses(stmt, id, Access::Store);
    let wanted = |stmt: &Stmt| if how == Access::Load { accesses(stmt, id, how) } else { touches(stmt) };
    if !block.iter().any(|stmt| accesses(stmt, id, how)) {
        return None;
    }
    let first = block.iter().position(wanted)?;
    let last = block.iter().rposition(wanted)?;
    let within: Vec<&Stmt> = block[first..=last].iter().collect();
    let refused = |span: Span, what: String| Some(refuse(func, span, what));
    if how == Access::Load
        && let Some(stmt) = within.iter().find(|stmt| accesses(stmt, id, Access::Store))
    {
        return refused(stmt.span, format!("`{name}` is written between its first and its last read"));
    }
    if let Some(stmt) = within.iter().find(|stmt| is_assumed(stmt, id)) {
        return refused(
            stmt.span,
            format!("an assumption on `{name}` stands among the statements that access it"),
        );
    }
    let mut refusals = Refusals::of(func);
    memory_of_its_own(func, id, &within, &mut refusals);
    if let Err(refused) = refusals.result() {
        return Some(Err(refused));
    }
    let readable = readable && matches!(func.buffer(id).origin, Origin::Param | Origin::Match(_));
    let all_read = || readable || covers(func, &within, id, Access::Load);
    let copy_in = match how {
        Access::Load if all_read() => true,
        Access::Load => {
            let what = format!("the copy would read elements of `{name}` that the function may not read");
            return refused(within[0].span, what);
        }
        // What an allocation holds at first is anything, and nobody may read it.
        Access::Store
            if (func.buffer(id).origin == Origin::Alloc || writes_first(func, &within, id))
                && covers(func, &within, id, Access::Store) =>
        {
            false
        }
        Access::Store if all_read() => true,
        Access::Store => {
            let what = format!(
                "not all elements of `{name}` are certain to be written before they are read, and copying them in \
                 would read elements that the function may not read"
            );
            return refused(within[0].span, what);
        }
    };
    Some(Ok(Plan { first, last, copy_in }))
}

/// Whether each load of a buffer is of an element that was stored before by these statements.
fn writes_first(func: &PrimFunc, stmts: &[&Stmt], id: BufferId) -> bool {
    for stmt in stmts {
        if !loads_follow_stores(stmt, id, &mut Vec::new()) {
            return false;
        }
        if covers(func, &[stmt], id, Access::Store) {
            return true;
        }
    }
    true
}

/// Whether each load of a buffer in a statement has the indices of a store that is certain to be made before it while the
/// variables in them have these values.
fn loads_follow_stores(stmt: &Stmt, id: BufferId, stored: &mut Vec<Vec<Expr>>) -> bool {
    let mut ok = true;
    stmt.for_each_expr(|e| {
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, indices } = &e.kind
                && *buffer == id
            {
                ok &= stored.iter().any(|known| **known == **indices);
            }
        });
    });
    if let StmtKind::Store { buffer, indices, .. } = &stmt.kind
        && *buffer == id
    {
        let mut reads = false;
        indices.iter().for_each(|e| {
            e.walk(&mut |e| reads |= matches!(e.kind, ExprKind::Load { .. } | ExprKind::Call(_)))
        });
        if !reads {
            stored.push(indices.clone());
        }
    }
    let outside = stored.len();
    stmt.for_each_block(|block| {
        for stmt in block {
            ok &= loads_follow_stores(stmt, id, stored);
        }
        // Of another arm, another iteration, or a variable that is not known any more.
        stored.truncate(outside);
    });
    ok
}

/// Whether a statement is or holds an assumption on a buffer.
fn is_assumed(stmt: &Stmt, id: BufferId) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| {
        if is_assumption(stmt) {
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| found |= matches!(&e.kind, ExprKind::Load { buffer, .. } if *buffer == id));
            });
        }
    });
    found
}

fn has_blocks(body: &Block) -> bool {
    let mut found = false;
    body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            found |= matches!(&stmt.kind, StmtKind::SBlock(block) if !block.axes.is_empty());
        });
    });
    found
}

fn new_copy(func: &mut PrimFunc, of: BufferId, scope: Option<&str>) -> BufferId {
    let buffer = func.buffer(of);
    let taken: BTreeSet<Arc<str>> = func.buffers.iter().map(|buffer| buffer.name.clone()).collect();
    let base = format!("{}_{}", buffer.name, scope.unwrap_or("cache"));
    let name = std::iter::once(base.clone())
        .chain((1..).map(|k| format!("{base}_{k}")))
        .find(|name| !taken.contains(name.as_str()))
        .unwrap_or(base);
    let copy = Buffer {
        name: name.into(),
        scope: scope.unwrap_or("global").into(),
        origin: Origin::Alloc,
        extra: Vec::new(),
        ..buffer.clone()
    };
    func.new_buffer(copy)
}

/// Loops that copy all elements.
fn copy_loops(func: &mut PrimFunc, from: BufferId, to: BufferId, in_blocks: bool) -> Block {
    let (dtype, shape) = (func.buffer(from).dtype, func.buffer(from).shape.clone());
    let loops: Vec<(usize, VarId, Expr)> = shape
        .iter()
        .enumerate()
        .map(|(k, extent)| (k, loop_var(func, &format!("i{k}"), extent), extent.clone()))
        .collect();
    store_nest(func, to, "copy", &loops, in_blocks, None, &|vars| {
        let indices: Vec<Expr> = vars.values().cloned().collect();
        (indices.clone(), Expr::load(dtype, from, indices))
    })
}

/// Lets a statement access another buffer.
fn redirect(stmt: &mut Stmt, from: BufferId, to: BufferId) {
    if is_assumption(stmt) {
        return;
    }
    stmt.for_each_expr_mut(|e| redirect_loads(e, from, to));
    match &mut stmt.kind {
        StmtKind::Store { buffer, .. } if *buffer == from => *buffer = to,
        StmtKind::SBlock(block) => {
            for region in block.reads.iter_mut().chain(&mut block.writes).flatten() {
                if region.buffer == from {
                    region.buffer = to;
                }
            }
        }
        _ => {}
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| redirect(stmt, from, to)));
}

fn redirect_loads(e: &mut Expr, from: BufferId, to: BufferId) {
    e.for_each_child_mut(|child| redirect_loads(child, from, to));
    if let ExprKind::Load { buffer, .. } = &mut e.kind
        && *buffer == from
    {
        *buffer = to;
    }
}

/// Lets the block that is all of a body allocate a buffer; makes one where there is none.
fn allocate_in_root(body: &mut Block, buffer: BufferId) {
    if let [Stmt { kind: StmtKind::SBlock(block), .. }] = body.as_mut_slice()
        && block.axes.is_empty()
        && block.predicate.is_none()
        && block.init.is_none()
    {
        block.alloc_buffers.push(buffer);
        return;
    }
    let block = SBlock {
        reads: Some(Vec::new()),
        writes: Some(Vec::new()),
        alloc_buffers: vec![buffer],
        body: std::mem::take(body),
        ..SBlock::new("root")
    };
    body.push(Stmt { span: Span::NONE, kind: StmtKind::SBlock(Box::new(block)) });
}
