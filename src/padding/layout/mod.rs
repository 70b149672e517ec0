//! Gives a buffer another layout: its elements go where an index map says, and the rest of the new buffer is padding.

mod boxes;
mod change;
mod fill;
mod map;
mod rows;
mod uses;

pub(super) use self::boxes::{Cuboid, MAX_BOXES, MAX_ELEMENTS, complement};
pub use self::change::{Layout, LayoutChange};
pub(super) use self::uses::fixed_layout;

use std::collections::BTreeSet;

use self::fill::Filling;
use self::map::{IndexMap, Padding, param_buffers};
use super::accesses::{Access, accesses, first_access, in_root, in_scope, map_indices};
use super::place::is_launch;
use super::refusal::{Refusals, refuse};
use super::shared::memory_of_its_own;
use super::value::Pad;
use crate::diag::Span;
use crate::error::Error;
use crate::ir::value::{Value, evaluate};
use crate::ir::{
    Block, Buffer, BufferId, DType, Expr, ExprKind, Origin, Param, PrimFunc, Stmt, StmtKind, VarId,
};

/// The name of the pass.
pub(super) const NAME: &str = "transform-layout";

/// Gives the buffer of this name another layout. All accesses are rewritten. Where there is a value for padding it is stored
/// after the last statement that writes the buffer, and assumed of a parameter that the function reads before it writes it.
///
/// # Errors
///
/// If the function has no such buffer, the map is not injective or has negative indices, the value does not fit, or
/// something fixes the layout: views, pointers, strides, calls that get the buffer, or another buffer that may be the same
/// memory, where one of the two is written.
///
/// ```
/// use satir::padding::{LayoutChange, transform_layout};
///
/// let mut module = satir::parse(
///     "@T.prim_func\ndef main(A: T.Buffer((14,), \"int32\")):\n    for i in range(14):\n        A[i] = i\n",
/// )?;
/// let change = LayoutChange { map: "lambda i: [i // 4, i % 4]", pad: Some("0"), elide: false };
/// transform_layout(&mut module.funcs[0], "A", &change)?;
/// let text = module.to_string();
/// assert!(text.contains("A: T.Buffer((4, 4), \"int32\")") && text.contains("A[i // 4, i % 4] = i"), "{text}");
/// assert!(text.contains("A[3, i1 + 2] = 0"), "{text}");
///
/// let collides = LayoutChange { map: "lambda i, j: [i // 4, j]", pad: None, elide: false };
/// let error = transform_layout(&mut module.funcs[0], "A", &collides).unwrap_err();
/// assert!(error.to_string().contains("would both be at [0, 0]"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn transform_layout(
    func: &mut PrimFunc,
    buffer: &str,
    change: &LayoutChange<'_>,
) -> Result<Layout, Error> {
    let mut result = func.clone();
    let id = super::find_buffer(&result, buffer, NAME)?;
    let argument = |what: String| Error::Argument { pass: NAME, what };
    let mut refusals = Refusals::of(&result);
    fixed_layout(&result, id, &mut refusals);
    refusals.result()?;
    let mut refusals = Refusals::of(&result);
    memory_of_its_own(&result, id, &result.body.iter().collect::<Vec<_>>(), &mut refusals);
    refusals.result()?;
    let map = IndexMap::new(&mut result, id, change.map).map_err(argument)?;
    let dtype = result.buffer(id).dtype;
    let old = result.buffer(id).clone();
    check_dimensions(&result, id)?;
    result.buffers[id.index()].shape.clone_from(&map.shape);
    // A padding value speaks of the buffer as it will be.
    let pad = Pad::parse(change.pad, dtype, &mut result).map_err(argument)?;
    let filling = filling(&result, id, &map, &pad).map_err(argument)?;
    let reads_first = reads_first(&result.body, id);
    let writes = result.body.iter().any(|stmt| accesses(stmt, id, Access::Store));
    let is_parameter = result.buffer(id).origin != Origin::Alloc;
    map_indices(&mut result, id, &map.shape, &|indices| map.apply(indices));
    if change.elide {
        elide(&mut result, id, &old, &map, &pad)?;
    }
    if let Some(filling) = &filling {
        if writes {
            store_padding(&mut result, id, &map, filling)?;
        }
        if is_parameter && reads_first {
            let loops = fill::assumptions(&mut result, id, &map, filling);
            in_root(&mut result.body, &mut |block| {
                block.splice(0..0, loops.iter().cloned());
            });
        }
    }
    let made = Layout::new(&result, id, &map, change);
    *func = result;
    Ok(made)
}

/// Whether what a buffer holds at first is read: by the first access in the order of the text.
fn reads_first(body: &Block, buffer: BufferId) -> bool {
    first_access(body, buffer) == Some(Access::Load)
}

/// Refuses a parameter whose shape defines a size that nothing else does.
fn check_dimensions(func: &PrimFunc, buffer: BufferId) -> Result<(), Error> {
    if func.buffer(buffer).origin == Origin::Alloc {
        return Ok(());
    }
    let mut known: BTreeSet<VarId> = BTreeSet::new();
    known.extend(func.params.iter().filter_map(|param| match param {
        Param::Var(var) => Some(*var),
        Param::Buffer(_) => None,
    }));
    for other in param_buffers(func).filter(|&other| other != buffer) {
        known.extend(func.buffer(other).shape.iter().filter_map(Expr::as_var));
    }
    let lost = func.buffer(buffer).shape.iter().filter_map(Expr::as_var).find(|var| !known.contains(var));
    match lost {
        Some(var) => {
            let (size, name) = (&func.var(var).name, &func.buffer(buffer).name);
            refuse(func, Span::NONE, format!("only the shape of `{name}` says what `{size}` is"))
        }
        None => Ok(()),
    }
}

/// What the padding holds, checked; `None` if that is nothing or there is none.
fn filling(func: &PrimFunc, buffer: BufferId, map: &IndexMap, pad: &Pad) -> Result<Option<Filling>, String> {
    let entry = func.buffer(buffer);
    let (axes, value) = match pad {
        Pad::None => return Ok(None),
        Pad::Undef => {
            let undef = Expr::call(DType::I32, "undef", Vec::new());
            let value = if entry.dtype == DType::I32 { undef } else { Expr::cast(entry.dtype, undef) };
            (Vec::new(), value)
        }
        Pad::Value { axes, value } => (axes.clone(), value.clone()),
    };
    if !axes.is_empty() && axes.len() != map.shape.len() {
        let (has, needs) = (axes.len(), map.shape.len());
        return Err(format!(
            "the padding value has {has} parameters, but the new buffer has {needs} dimensions"
        ));
    }
    let scope: BTreeSet<VarId> = map::scalars(func).into_iter().chain(axes.iter().copied()).collect();
    let mut wrong = None;
    value.walk(&mut |e| match &e.kind {
        ExprKind::Load { buffer: other, .. } if *other != buffer => {
            let (other, name) = (&func.buffer(*other).name, &entry.name);
            wrong = Some(format!("the padding value reads `{other}`; it may only read `{name}`"));
        }
        ExprKind::Load { indices, .. } if !reads_elements(map, &axes, indices) => {
            let name = &entry.name;
            wrong = Some(format!("the padding value was not shown to read only elements of `{name}`"));
        }
        ExprKind::Var(var) if !scope.contains(var) => {
            let name = &func.var(*var).name;
            wrong = Some(format!("the padding value has `{name}`, which is no scalar parameter"));
        }
        ExprKind::Float(bits) if f64::from_bits(*bits).is_nan() => {
            wrong = Some("the padding value is NaN, which equals nothing".to_owned());
        }
        _ => {}
    });
    if !value.is_undef() && value.has_effect() {
        wrong = Some("the padding value has an effect".to_owned());
    }
    wrong.map_or(Ok(Some(Filling { axes, value })), Err)
}

/// Whether a load at these indices, over axes that run through all padding, is of no padding and within the buffer.
fn reads_elements(map: &IndexMap, axes: &[VarId], indices: &[Expr]) -> bool {
    let Padding::Boxes(boxes) = &map.padding else { return matches!(map.padding, Padding::None) };
    let extents: Option<Vec<i64>> = map.shape.iter().map(Expr::as_int).collect();
    let Some(extents) = extents else { return false };
    let padding = |at: &[i64]| boxes.iter().any(|cuboid| cuboid.contains(at));
    boxes.iter().all(|cuboid| {
        cuboid.elements().all(|element| {
            let value_of = |var: VarId| {
                let k = axes.iter().position(|&axis| axis == var)?;
                Some(Value::Int(element[k]))
            };
            let at: Option<Vec<i64>> = indices.iter().map(|e| evaluate(e, &value_of)?.as_int()).collect();
            at.is_some_and(|at| at.iter().zip(&extents).all(|(i, n)| (0..*n).contains(i)) && !padding(&at))
        })
    })
}

/// Stores what the padding holds, after the last statement of the buffer's scope that writes it.
fn store_padding(
    func: &mut PrimFunc,
    buffer: BufferId,
    map: &IndexMap,
    filling: &Filling,
) -> Result<(), Error> {
    let mut in_blocks = false;
    let mut leaves = None;
    for stmt in &func.body {
        stmt.walk(&mut |stmt| match &stmt.kind {
            StmtKind::SBlock(block) => in_blocks |= !block.axes.is_empty(),
            StmtKind::Return(_) => leaves = Some(stmt.span),
            StmtKind::Evaluate(e) if matches!(e.as_intrin(), Some(("ret" | "thread_return", _))) => {
                leaves = Some(stmt.span);
            }
            _ => {}
        });
    }
    if let Some(span) = leaves {
        return refuse(func, span, "the function may return before the padding is stored");
    }
    let loops = fill::stores(func, buffer, map, filling, in_blocks);
    let name = func.buffer(buffer).name.clone();
    let placed = in_scope(func, buffer, &mut |block: &mut Block| {
        let last = block.iter().rposition(|stmt| accesses(stmt, buffer, Access::Store))?;
        if launches(&block[last]) {
            return Some(Err(block[last].span));
        }
        block.splice(last + 1..last + 1, loops.iter().cloned());
        Some(Ok(()))
    });
    match placed.flatten() {
        Some(Ok(())) => Ok(()),
        Some(Err(span)) => {
            refuse(func, span, format!("threads write `{name}`, so no loop can store its padding"))
        }
        None => refuse(func, Span::NONE, format!("no place was found to store the padding of `{name}`")),
    }
}

/// Whether a statement is or holds a launch of threads.
fn launches(stmt: &Stmt) -> bool {
    let mut found = false;
    stmt.walk(&mut |stmt| found |= is_launch(stmt));
    found
}

/// Lets an allocated buffer be a view of memory of its old size: elements stay where they were.
fn elide(
    func: &mut PrimFunc,
    buffer: BufferId,
    old: &Buffer,
    map: &IndexMap,
    pad: &Pad,
) -> Result<(), Error> {
    let argument = |what: String| Err(Error::Argument { pass: NAME, what });
    let name = &old.name;
    if *pad != Pad::None {
        return argument(format!("`{name}` would have no memory for padding, but there is a value for it"));
    }
    if !map.keeps_places(&old.shape) {
        return argument(format!("the elements of `{name}` would not stay where they are in memory"));
    }
    let backing = Buffer { name: format!("{name}_backing").into(), ..old.clone() };
    let backing = func.new_buffer(backing);
    let moved = where_allocated(func, buffer, backing);
    if !moved {
        return argument(format!("`{name}` is not allocated by a statement of its own"));
    }
    func.buffers[buffer.index()].origin = Origin::View(backing);
    Ok(())
}

fn where_allocated(func: &mut PrimFunc, buffer: BufferId, backing: BufferId) -> bool {
    in_scope(func, buffer, &mut |block: &mut Block| {
        let allocates =
            |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Alloc { buffer: of, .. } if *of == buffer);
        let Some(at) = block.iter().position(allocates) else { return false };
        if let StmtKind::Alloc { buffer: of, .. } = &mut block[at].kind {
            *of = backing;
        }
        let span = block[at].span;
        block.insert(at + 1, Stmt { span, kind: StmtKind::Decl { buffer } });
        true
    })
    .unwrap_or(false)
}
