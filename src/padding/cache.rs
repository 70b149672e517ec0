//! Copies of buffers that a part of a function works on, so that their layout can be chosen freely.
//!
//! A copy is of the whole buffer and stands in the scope of its allocation, or, for the block of a name, it is of the elements
//! that the block may access and stands beside it ([`super::place`]). Where intrinsics reach the buffer through pointers
//! ([`super::pointers`]), it is of the whole buffer as well.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::accesses::{Access, accesses, in_scope};
use super::assume::is_assumption;
use super::build::loop_var;
use super::coverage::covers;
use super::layout::fixed_layout;
use super::place::{Place, is_launch};
use super::pointers::{has_outer_views, has_pointers, written_out};
use super::refusal::{Refusals, refuse};
use super::region::{Region, accessed};
use super::shared::memory_of_its_own;
use super::store_nest::store_nest;
use super::written_first::writes_first;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::{Block, Buffer, BufferId, Expr, ExprKind, Origin, PrimFunc, SBlock, Stmt, StmtKind, VarId};

/// Lets a function read a copy of a buffer, made before the first statement of the buffer's scope that reads it. The copy is
/// `A_cache`, or `A_local` in the storage scope `local`. All that reads the buffer reads the copy. For a `block` the copy is made
/// beside it, of the elements that it reads, for it and the statements around it that read the buffer, up to the next that
/// writes it. `readable`: all elements of parameters may be read.
///
/// # Errors
///
/// If there is no such buffer, block or storage scope, a statement writes it between its first and its last read,
/// something else than an intrinsic on matrices gets a pointer to it, or the function is not certain to read all elements that are copied, which it may not otherwise.
///
/// ```
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    T.func_attr({\"tirx.noalias\": True})\n    for i in range(8):\n        B[i] = A[i] * 2\n",
/// )?;
/// satir::padding::cache_read(&mut module.funcs[0], "A", Some("local"), None, false)?;
/// let text = module.to_string();
/// assert!(text.contains("A_local[i0] = A[i0]") && text.contains("B[i] = A_local[i] * 2"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cache_read(
    func: &mut PrimFunc,
    buffer: &str,
    scope: Option<&str>,
    block: Option<&str>,
    readable: bool,
) -> Result<(), Error> {
    cache(func, buffer, (scope, block), Access::Load, readable)
}

/// Lets a function work on a copy of a buffer that it writes, and copies it back after the last statement of the buffer's
/// scope that accesses it. What the buffer held before is copied in first, unless all of it is overwritten before it is read.
/// For a `block` the copy is of the elements that it accesses, and is copied back behind it. `readable`: all elements of
/// parameters may be read.
///
/// # Errors
///
/// If there is no such buffer, block or storage scope, something else than an intrinsic on matrices gets a pointer to it, the
/// function is certain neither to write all elements of the copy nor to read all of them, or others that it does not write may
/// be written elsewhere meanwhile.
///
/// ```
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), B: T.Buffer((8,), \"int32\")):\n    T.func_attr({\"tirx.noalias\": True})\n    for i in range(8):\n        B[i] = A[i] * 2\n",
/// )?;
/// satir::padding::cache_write(&mut module.funcs[0], "B", None, None, false)?;
/// let text = module.to_string();
/// assert!(text.contains("B_cache[i] = A[i] * 2") && text.contains("B[i0] = B_cache[i0]"), "{text}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cache_write(
    func: &mut PrimFunc,
    buffer: &str,
    scope: Option<&str>,
    block: Option<&str>,
    readable: bool,
) -> Result<(), Error> {
    cache(func, buffer, (scope, block), Access::Store, readable)
}

/// What the names of storage scopes begin with, as TVM knows them.
const SCOPES: [&str; 10] =
    ["global", "shared", "warp", "local", "wmma.", "texture", "amx.tmm", "m16n8k8.", "metal.", "trn."];

/// What is found out before anything changes.
struct Plan {
    /// The statements of the scope that work on the copy.
    first: usize,
    last: usize,
    copy_in: bool,
    /// The elements that are copied.
    region: Region,
    /// Those that the copy has room for: where it is made several times within a block, the elements keep their indices.
    room: Region,
}

fn cache(
    func: &mut PrimFunc,
    name: &str,
    (scope, block): (Option<&str>, Option<&str>),
    how: Access,
    readable: bool,
) -> Result<(), Error> {
    let pass = if how == Access::Load { "cache-read" } else { "cache-write" };
    let mut result = func.clone();
    let id = super::find_buffer(&result, name, pass)?;
    if let Some(scope) = scope
        && !SCOPES.iter().any(|known| scope.starts_with(known))
    {
        return Err(Error::Argument { pass, what: format!("there is no storage scope `{scope}`") });
    }
    let mut refusals = Refusals::of(&result);
    let mut seen = written_out(&result, id, scope.unwrap_or("global"), &mut refusals);
    refusals.result()?;
    let mut refusals = Refusals::of(&result);
    fixed_layout(&seen, id, &mut refusals);
    refusals.result()?;
    let place = block.map(|block| Place::of(&result, block)).transpose()?;
    let plan = match &place {
        Some(place) => plan_at(func, &seen, place, id, how, readable)?,
        None => {
            let view = seen.clone();
            let plan =
                in_scope(&mut seen, id, &mut |block: &mut Block| plan(&view, block, id, how, readable));
            match plan {
                Some(Some(plan)) => plan?,
                Some(None) => return accesses_nothing(func, id, how),
                None => {
                    let what = format!("no place was found where `{name}` is allocated");
                    return refuse(func, Span::NONE, what);
                }
            }
        }
    };
    let in_blocks = has_blocks(&result.body);
    let copy = new_copy(&mut result, id, &plan.room, scope);
    let mut copies = |wanted: bool, inward: bool| {
        if wanted { copy_loops(&mut result, (id, copy), &plan, inward, in_blocks) } else { Block::new() }
    };
    let (copy_in, copy_out) = (copies(plan.copy_in, true), copies(how == Access::Store, false));
    let in_a_block = match &place {
        Some(_) => in_blocks,
        None => in_blocks && result.buffer(id).origin != Origin::Alloc,
    };
    let mut strays = false;
    let mut insert = |block: &mut Block| {
        strays |= has_outer_views(func, &block[plan.first..=plan.last], id);
        for stmt in &mut block[plan.first..=plan.last] {
            redirect(stmt, (id, copy), &plan.room);
        }
        block.splice(plan.last + 1..plan.last + 1, copy_out.iter().cloned());
        let mut before = Block::new();
        if !in_a_block {
            let kind = StmtKind::Alloc { buffer: copy, annotations: Vec::new() };
            before.push(Stmt { span: Span::NONE, kind });
        }
        before.extend(copy_in.iter().cloned());
        block.splice(plan.first..plan.first, before);
    };
    match &place {
        Some(place) => {
            place.list_mut(&mut result.body).into_iter().for_each(&mut insert);
            if in_a_block {
                match place.frame_mut(&mut result.body) {
                    Some(block) => block.alloc_buffers.push(copy),
                    None => allocate_in_root(&mut result.body, copy),
                }
            }
        }
        None => {
            in_scope(&mut result, id, &mut insert);
            if in_a_block {
                allocate_in_root(&mut result.body, copy);
            }
        }
    }
    if strays {
        let what =
            format!("a view of `{name}` is matched outside of the statements that are to access the copy");
        return refuse(func, Span::NONE, what);
    }
    let shared = scope.is_some_and(|scope| scope.starts_with("shared"));
    if !shared
        && func.body.iter().any(|stmt| has_pointers(func, stmt, id))
        && is_allocated_in_threads(&result.body, copy)
    {
        let what =
            format!("each thread would have its own copy of `{name}`, but a warp reaches it by one pointer");
        return refuse(func, Span::NONE, what);
    }
    rebase_regions(&mut result, copy);
    *func = result;
    Ok(())
}

/// Whether a buffer is allocated within a launch of threads.
fn is_allocated_in_threads(block: &Block, buffer: BufferId) -> bool {
    let allocates = |stmt: &Stmt| {
        let mut found = false;
        stmt.walk(&mut |stmt| {
            found |= match &stmt.kind {
                StmtKind::Alloc { buffer: of, .. } => *of == buffer,
                StmtKind::SBlock(block) => block.alloc_buffers.contains(&buffer),
                _ => false,
            };
        });
        found
    };
    let mut found = false;
    block.iter().for_each(|stmt| stmt.walk(&mut |stmt| found |= is_launch(stmt) && allocates(stmt)));
    found
}

/// Says of the buffers that are matched to regions of a copy whose memory they are.
fn rebase_regions(func: &mut PrimFunc, copy: BufferId) {
    let mut views = Vec::new();
    func.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::SBlock(block) = &stmt.kind {
                let own = block.match_buffers.iter().filter(|(_, region)| region.buffer == copy);
                views.extend(own.map(|(view, _)| *view));
            }
        });
    });
    let scope = func.buffer(copy).scope.clone();
    for view in views {
        let entry = &mut func.buffers[view.index()];
        (entry.origin, entry.scope) = (Origin::Region(copy), scope.clone());
    }
}

fn accesses_nothing<T>(func: &PrimFunc, id: BufferId, how: Access) -> Result<T, Error> {
    let what = if how == Access::Load { "reads" } else { "writes" };
    refuse(func, Span::NONE, format!("nothing {what} `{}` there", func.buffer(id).name))
}

/// The plan for the block at a place: for it alone where it writes, with its neighbours where it reads. `seen` is the function
/// with what it reaches through pointers written out.
fn plan_at(
    func: &PrimFunc,
    seen: &PrimFunc,
    place: &Place,
    id: BufferId,
    how: Access,
    readable: bool,
) -> Result<Plan, Error> {
    let list = place.list(&seen.body);
    let own = &list[place.at];
    if !accesses(own, id, how) {
        return accesses_nothing(func, id, how);
    }
    let planned = |first: usize, last: usize| {
        let within: Vec<&Stmt> = list[first..=last].iter().collect();
        let by_pointers =
            place.list(&func.body)[first..=last].iter().any(|stmt| has_pointers(func, stmt, id));
        let region = if by_pointers { Region::whole(func, id) } else { accessed(seen, &within, id, how) };
        let anew = place.allocates(&seen.body, id)
            && !list[..first]
                .iter()
                .any(|stmt| accesses(stmt, id, Access::Load) || accesses(stmt, id, Access::Store));
        let copy_in = copies_in(seen, &within, id, how, readable, &region, anew)?;
        // What is copied back has to be what is written there.
        if how == Access::Store
            && place.is_concurrent(&seen.body)
            && !covers(seen, &within, id, Access::Store, &region)
        {
            let name = &seen.buffer(id).name;
            let what =
                format!("elements of `{name}` would be copied back that are written elsewhere meanwhile");
            return refuse(func, own.span, what);
        }
        let room = if place.is_deeper() { Region::whole(func, id) } else { region.clone() };
        Ok(Plan { first, last, copy_in, region, room })
    };
    let alone = || planned(place.at, place.at);
    if how != Access::Load {
        return alone();
    }
    let reads = |at: &usize| accesses(&list[*at], id, Access::Load);
    let keeps = |at: &usize| !accesses(&list[*at], id, Access::Store);
    let before = (0..place.at).rev().take_while(keeps).filter(reads).last();
    let after = (place.at + 1..list.len()).take_while(keeps).filter(reads).last();
    planned(before.unwrap_or(place.at), after.unwrap_or(place.at)).or_else(|_| alone())
}

fn plan(
    func: &PrimFunc,
    block: &Block,
    id: BufferId,
    how: Access,
    readable: bool,
) -> Option<Result<Plan, Error>> {
    let touches = |stmt: &Stmt| accesses(stmt, id, Access::Load) || accesses(stmt, id, Access::Store);
    let wanted = |stmt: &Stmt| if how == Access::Load { accesses(stmt, id, how) } else { touches(stmt) };
    if !block.iter().any(|stmt| accesses(stmt, id, how)) {
        return None;
    }
    let first = block.iter().position(wanted)?;
    let last = block.iter().rposition(wanted)?;
    let within: Vec<&Stmt> = block[first..=last].iter().collect();
    let region = Region::whole(func, id);
    let copy_in = copies_in(func, &within, id, how, readable, &region, true);
    Some(copy_in.map(|copy_in| Plan { first, last, copy_in, room: region.clone(), region }))
}

/// Whether what a buffer holds has to be copied in, for statements that are to work on a copy of a region; an error if they
/// may not. `anew`: nothing accessed the buffer since it came into being, if the function allocates it.
fn copies_in(
    func: &PrimFunc,
    within: &[&Stmt],
    id: BufferId,
    how: Access,
    readable: bool,
    region: &Region,
    anew: bool,
) -> Result<bool, Error> {
    let name = &func.buffer(id).name;
    let refused = |span: Span, what: String| refuse(func, span, what);
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
    memory_of_its_own(func, id, within, &mut refusals);
    refusals.result()?;
    let readable =
        readable && matches!(func.buffer(id).origin, Origin::Param | Origin::Match(_)) && region.is_within();
    let all_read = || readable || covers(func, within, id, Access::Load, region);
    // What an allocation holds at first is anything, and nobody may read it.
    let is_first = anew && func.buffer(id).origin == Origin::Alloc;
    match how {
        Access::Load if all_read() => Ok(true),
        Access::Load => {
            let what = format!("the copy would read elements of `{name}` that the function may not read");
            refused(within[0].span, what)
        }
        Access::Store
            if (is_first || writes_first(func, within, id, region))
                && covers(func, within, id, Access::Store, region) =>
        {
            Ok(false)
        }
        Access::Store if all_read() => Ok(true),
        Access::Store => {
            let what = format!(
                "not all elements of `{name}` are certain to be written before they are read, and copying them in \
                 would read elements that the function may not read"
            );
            refused(within[0].span, what)
        }
    }
}

/// Whether a statement is or holds an assumption on a buffer.
fn is_assumed(stmt: &Stmt, id: BufferId) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| {
        if is_assumption(stmt) {
            stmt.for_each_expr(|e| found |= e.loads_from(|buffer| buffer == id));
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

fn new_copy(func: &mut PrimFunc, of: BufferId, region: &Region, scope: Option<&str>) -> BufferId {
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
        shape: region.extents(),
        origin: Origin::Alloc,
        extra: Vec::new(),
        ..buffer.clone()
    };
    func.new_buffer(copy)
}

/// Loops that copy the elements of a plan's region from a buffer to its copy (`inward`) or back.
fn copy_loops(
    func: &mut PrimFunc,
    (buffer, copy): (BufferId, BufferId),
    Plan { region, room, .. }: &Plan,
    inward: bool,
    in_blocks: bool,
) -> Block {
    let dtype = func.buffer(buffer).dtype;
    let loops: Vec<(usize, VarId, Expr)> = region
        .extents()
        .into_iter()
        .enumerate()
        .map(|(k, extent)| (k, loop_var(func, &format!("i{k}"), &extent), extent))
        .collect();
    let (from, to) = if inward { (buffer, copy) } else { (copy, buffer) };
    // Where elements keep their indices, these are what the axes of the block are bound to.
    let keeps = in_blocks && room != region;
    let shape = room.extents();
    let mut copies = store_nest(func, to, "copy", &loops, in_blocks, None, &|vars| {
        let element: Vec<Expr> = vars.values().cloned().collect();
        let outside = if keeps { element } else { region.outside(&element) };
        let inside = room.inside(&outside);
        if inward {
            (inside, Expr::load(dtype, from, outside))
        } else {
            (outside, Expr::load(dtype, from, inside))
        }
    });
    if keeps {
        let bind = &mut |block: &mut SBlock| {
            let loops: Vec<Expr> = block.axes.iter().map(|axis| axis.binding.clone()).collect();
            let bindings = region.outside(&loops).into_iter().zip(&shape);
            for (axis, (binding, extent)) in block.axes.iter_mut().zip(bindings) {
                (axis.binding, axis.extent) = (binding, extent.clone());
            }
        };
        copies.iter_mut().for_each(|stmt| each_sblock(stmt, bind));
    }
    copies
}

/// Calls `f` with the outermost blocks of a statement.
fn each_sblock(stmt: &mut Stmt, f: &mut impl FnMut(&mut SBlock)) {
    match &mut stmt.kind {
        StmtKind::SBlock(block) => f(block),
        _ => stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| each_sblock(stmt, f))),
    }
}

/// Lets a statement access the copy of a region of a buffer.
fn redirect(stmt: &mut Stmt, (from, to): (BufferId, BufferId), region: &Region) {
    if is_assumption(stmt) {
        return;
    }
    stmt.for_each_expr_mut(|e| redirect_loads(e, (from, to), region));
    match &mut stmt.kind {
        StmtKind::Store { buffer, indices, .. } if *buffer == from => {
            *indices = region.inside(indices);
            *buffer = to;
        }
        StmtKind::SBlock(block) => {
            for listed in block.reads.iter_mut().chain(&mut block.writes).flatten() {
                if listed.buffer == from {
                    let first: Vec<Expr> = listed.ranges.iter().map(|(min, _)| min.clone()).collect();
                    for ((min, _), new) in listed.ranges.iter_mut().zip(region.inside(&first)) {
                        *min = new;
                    }
                    listed.buffer = to;
                }
            }
            for (_, matched) in block.match_buffers.iter_mut().filter(|(_, region)| region.buffer == from) {
                matched.buffer = to;
            }
        }
        _ => {}
    }
    stmt.for_each_block_mut(|block| block.iter_mut().for_each(|stmt| redirect(stmt, (from, to), region)));
}

/// The same for an expression. Pointers, and regions that blocks match, are only there where the region is the whole buffer.
fn redirect_loads(e: &mut Expr, (from, to): (BufferId, BufferId), region: &Region) {
    e.for_each_child_mut(|child| redirect_loads(child, (from, to), region));
    match &mut e.kind {
        ExprKind::Load { buffer, indices } if *buffer == from => {
            *indices = region.inside(indices).into();
            *buffer = to;
        }
        ExprKind::BufferData(buffer) if *buffer == from => *buffer = to,
        _ => {}
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
