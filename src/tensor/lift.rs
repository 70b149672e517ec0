//! From statements to definitions.
//!
//! A nest at the root of a function is a definition `T[a] = e(a)`, or `T[a] = reduce(op, init, e(a, r))`, if it stores each
//! element of one buffer once. Everything else is opaque: it stays where it is, and says why.

use std::sync::Arc;

use super::digits::{self, Bound, Loop};
use crate::ir::intrin::{self, Effect};
use crate::ir::{
    AttrValue, Axis, AxisKind, BinOp, Block, BufferId, Expr, ExprKind, Origin, PrimFunc, SBlock, Stmt,
    StmtKind, VarId,
};

/// A reduction: `T op= e`, starting from a constant.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fold {
    pub op: BinOp,
    pub init: Expr,
    /// Whether the accumulator is the first operand; of those that may change places it always is.
    pub left: bool,
    /// The axes, in the order in which they run.
    pub axes: Vec<Loop>,
}

/// What one nest defines.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Definition {
    pub name: Arc<str>,
    /// Whether it is a block with axes, not plain loops.
    pub is_block: bool,
    /// The block's annotations.
    pub attrs: Vec<(Arc<str>, AttrValue)>,
    pub buffer: BufferId,
    /// For each dimension of the buffer its axis; `None` where the only index is 0.
    pub axes: Vec<Option<Loop>>,
    pub fold: Option<Fold>,
    pub value: Expr,
}

/// A statement at the root of a function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Item {
    /// A definition.
    Defined(Definition),
    /// Something else, and why.
    Opaque(Arc<str>, String),
}

/// What each statement at the root is.
pub(crate) fn lift(func: &PrimFunc, body: &Block) -> Vec<Item> {
    let mut items: Vec<Item> = body
        .iter()
        .map(|stmt| match definition(func, stmt) {
            Ok(found) => Item::Defined(found),
            Err(why) => Item::Opaque(name_of(stmt), why.to_owned()),
        })
        .collect();
    // A buffer that is read before, or written elsewhere too, holds several values one after the other.
    for at in 0..items.len() {
        let Item::Defined(found) = &items[at] else { continue };
        let buffer = found.buffer;
        let read_before = body[..at].iter().any(|stmt| touches(stmt, buffer));
        let written_after = body[at + 1..].iter().any(|stmt| writes(stmt, buffer));
        if read_before || written_after {
            let why = format!("`{}` holds several values one after the other", func.buffer(buffer).name);
            items[at] = Item::Opaque(found.name.clone(), why);
        }
    }
    items
}

/// Whether a statement accesses the buffer, or memory that is not known.
pub(crate) fn touches(stmt: &Stmt, buffer: BufferId) -> bool {
    writes(stmt, buffer) || reads(stmt).contains(&buffer)
}

/// The buffers that a statement names in its expressions.
pub(crate) fn reads(stmt: &Stmt) -> Vec<BufferId> {
    let mut found = Vec::new();
    stmt.walk(&mut |inner| {
        inner.for_each_expr(|e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::Load { buffer, .. }
                | ExprKind::BufferData(buffer)
                | ExprKind::BufferRef(buffer)
                | ExprKind::Region(buffer, _) => found.push(*buffer),
                _ => {}
            });
        });
        if let StmtKind::SBlock(block) = &inner.kind {
            found.extend(block.match_buffers.iter().map(|(_, region)| region.buffer));
        }
    });
    found
}

/// Whether a statement may write the buffer.
pub(crate) fn writes(stmt: &Stmt, buffer: BufferId) -> bool {
    let mut found = false;
    stmt.walk(&mut |inner| {
        match &inner.kind {
            StmtKind::Store { buffer: stored, .. } => found |= *stored == buffer,
            StmtKind::SBlock(block) => {
                found |= block.match_buffers.iter().any(|(_, region)| region.buffer == buffer);
            }
            _ => {}
        }
        inner.for_each_expr(|e| {
            e.walk(&mut |e| match &e.kind {
                ExprKind::BufferData(b) | ExprKind::BufferRef(b) | ExprKind::Region(b, _) => {
                    found |= *b == buffer
                }
                _ => {}
            });
        });
    });
    found
}

fn name_of(stmt: &Stmt) -> Arc<str> {
    let mut name: Arc<str> = "statement".into();
    let mut found = false;
    stmt.walk(&mut |inner| {
        if let StmtKind::SBlock(block) = &inner.kind
            && !found
        {
            found = true;
            name = block.name.clone();
        }
    });
    name
}

type Lifted<T> = Result<T, &'static str>;

fn definition(func: &PrimFunc, stmt: &Stmt) -> Lifted<Definition> {
    let mut loops = Vec::new();
    let mut at = stmt;
    loop {
        match &at.kind {
            StmtKind::For(l) => {
                if !l.is_plain() {
                    return Err("a loop that is scheduled");
                }
                if l.min.as_int() != Some(0) || !is_size(&l.extent) {
                    return Err("a loop that does not run from 0 to a size");
                }
                if names(&l.extent, &loops) {
                    return Err("a loop whose length depends on another one");
                }
                loops.push(Loop { var: l.var, dtype: l.min.dtype, extent: l.extent.clone() });
                let [inner] = &l.body[..] else { return Err("several statements in a loop") };
                at = inner;
            }
            StmtKind::SBlock(block) => return of_block(func, &loops, block),
            StmtKind::Store { .. } => {
                let found = of_body(func, "store".into(), loops, Vec::new(), None, std::slice::from_ref(at))?;
                return Ok(Definition { is_block: false, ..found });
            }
            _ => return Err("no nest of loops around one store"),
        }
    }
}

/// Whether an expression names the variable of a loop.
fn names(e: &Expr, loops: &[Loop]) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= e.as_var().is_some_and(|var| loops.iter().any(|l| l.var == var)));
    found
}

/// Sizes: constants, variables, and what is computed of these without traps.
fn is_size(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Int(_) | ExprKind::Var(_) => e.dtype.is_index(),
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Min | BinOp::Max, a, b) => {
            is_size(a) && is_size(b)
        }
        ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, a, b) => {
            is_size(a) && b.as_int().is_some_and(|b| b > 0)
        }
        _ => false,
    }
}

fn of_block(func: &PrimFunc, loops: &[Loop], block: &SBlock) -> Lifted<Definition> {
    if !block.alloc_buffers.is_empty() || !block.match_buffers.is_empty() {
        return Err("a block with buffers of its own");
    }
    if !block.attrs.iter().all(|(_, value)| is_constant(value)) {
        return Err("annotations that are computed");
    }
    let mut names_loops = false;
    for stmt in block.init.iter().flatten().chain(&block.body) {
        stmt.walk(&mut |inner| inner.for_each_expr(|e| names_loops |= names(e, loops)));
    }
    if names_loops {
        return Err("it uses the variables of its loops");
    }
    let (spatial, reduced) = match one_to_one(loops, block) {
        Err(why) => in_digits(loops, block).ok_or(why)?,
        Ok(axes) => axes,
    };
    let found = of_body(func, block.name.clone(), spatial, reduced, block.init.as_ref(), &block.body)?;
    Ok(Definition { attrs: block.attrs.clone(), ..found })
}

/// The spatial axes of a block, and those that it folds, in the order in which they run.
type Axes = (Vec<Loop>, Vec<Loop>);

/// The axes of a block of which each follows one loop.
fn one_to_one(loops: &[Loop], block: &SBlock) -> Lifted<Axes> {
    if block.predicate.is_some() {
        return Err("a condition guards it");
    }
    let (mut spatial, mut reduced) = (Vec::new(), Vec::new());
    let mut used = vec![false; loops.len()];
    for axis in &block.axes {
        if axis.min.as_int() != Some(0) {
            return Err("an axis that does not start at 0");
        }
        let own = Loop { var: axis.var, dtype: axis.min.dtype, extent: axis.extent.clone() };
        let bound = axis.binding.as_var().and_then(|var| loops.iter().position(|l| l.var == var));
        match bound {
            Some(at) if !used[at] && same_extent(&loops[at].extent, &axis.extent) => used[at] = true,
            _ if axis.extent.as_int() == Some(1) && axis.binding.as_int() == Some(0) => {}
            _ => return Err("loops and axes are not bound one to one"),
        }
        match axis.kind {
            AxisKind::Spatial => spatial.push(own),
            // The order of a reduction is that of its loops.
            AxisKind::Reduce => reduced.push((bound, own)),
            AxisKind::Scan | AxisKind::Opaque => return Err("an axis that is neither spatial nor reduced"),
        }
    }
    if loops.iter().zip(&used).any(|(l, used)| !used && l.extent.as_int() != Some(1)) {
        return Err("a loop that no axis follows");
    }
    reduced.sort_by_key(|(bound, _)| *bound);
    Ok((spatial, reduced.into_iter().map(|(_, own)| own).collect()))
}

/// The axes of a block whose loops were split or fused. A size that is a symbol has a loop of its own.
fn in_digits(loops: &[Loop], block: &SBlock) -> Option<Axes> {
    let mut loops = loops.to_vec();
    let mut axes = Vec::new();
    for axis in &block.axes {
        let folds = match axis.kind {
            AxisKind::Spatial => false,
            AxisKind::Reduce => true,
            AxisKind::Scan | AxisKind::Opaque => return None,
        };
        if axis.min.as_int() != Some(0) {
            return None;
        }
        match axis.extent.as_int() {
            Some(extent) => axes.push((axis, Bound { binding: &axis.binding, extent, folds })),
            None if folds => return None,
            None => {
                let is_own =
                    |l: &Loop| axis.binding.as_var() == Some(l.var) && same_extent(&l.extent, &axis.extent);
                loops.remove(loops.iter().position(is_own)?);
            }
        }
    }
    let (axes, bounds): (Vec<&Axis>, Vec<Bound<'_>>) = axes.into_iter().unzip();
    let order = digits::order(&loops, &bounds, block.predicate.as_ref())?;
    let own = |axis: &Axis| Loop { var: axis.var, dtype: axis.min.dtype, extent: axis.extent.clone() };
    let in_order = block.axes.iter().filter(|axis| axis.kind == AxisKind::Spatial);
    Some((in_order.map(own).collect(), order.into_iter().map(|at| own(axes[at])).collect()))
}

/// Whether an annotation names no variable and no buffer.
fn is_constant(value: &AttrValue) -> bool {
    match value {
        AttrValue::Expr(e) => e.is_number() || matches!(e.kind, ExprKind::Str(_)),
        AttrValue::List(values) => values.iter().all(is_constant),
        AttrValue::Dict(entries) => entries.iter().all(|(_, value)| is_constant(value)),
        AttrValue::Call(..) => false,
        AttrValue::None
        | AttrValue::Bool(_)
        | AttrValue::Int(_)
        | AttrValue::Float(_)
        | AttrValue::Str(_)
        | AttrValue::Type(_) => true,
    }
}

fn of_body(
    func: &PrimFunc,
    name: Arc<str>,
    spatial: Vec<Loop>,
    reduced: Vec<Loop>,
    init: Option<&Block>,
    body: &[Stmt],
) -> Lifted<Definition> {
    let [Stmt { kind: StmtKind::Store { buffer, indices, value }, .. }] = body else {
        return Err("not one store");
    };
    let buffer = *buffer;
    is_simple(func, buffer)?;
    if !value.dtype.is_scalar() {
        return Err("a vector is stored");
    }
    let shape = &func.buffer(buffer).shape;
    let mut axes = Vec::new();
    for (index, extent) in indices.iter().zip(shape) {
        let at = index.as_var().and_then(|var| spatial.iter().position(|l| l.var == var));
        match at {
            Some(at) if same_extent(&spatial[at].extent, extent) => axes.push(Some(spatial[at].clone())),
            None if index.as_int() == Some(0) && extent.as_int() == Some(1) => axes.push(None),
            _ => return Err("it does not store each element of its buffer once"),
        }
    }
    let stores = |axis: &Loop| axes.iter().flatten().filter(|l| l.var == axis.var).count();
    let covered = |axis: &Loop| stores(axis) == 1 || (stores(axis) == 0 && axis.extent.as_int() == Some(1));
    if !spatial.iter().all(covered) {
        return Err("it does not store each element of its buffer once");
    }
    let (fold, value) = match init {
        None if reduced.iter().all(|l| l.extent.as_int() == Some(1)) => (None, value.clone()),
        None => return Err("a reduction without an initial value"),
        Some(init) => {
            let (fold, value) = update(buffer, indices, init, value, reduced)?;
            (Some(fold), value)
        }
    };
    // The first iteration stores the initial value: without one the buffer holds what it held, which a caller may see.
    let runs = |axis: &Loop| axis.extent.as_int().is_some_and(|extent| extent > 0);
    let is_own = func.buffer(buffer).origin == Origin::Alloc;
    if !is_own && !fold.iter().flat_map(|fold| &fold.axes).all(runs) {
        return Err("a reduction of the caller's buffer that may have nothing to fold");
    }
    readable(func, &value)?;
    let mut own = false;
    value.walk(&mut |e| own |= matches!(&e.kind, ExprKind::Load { buffer: b, .. } if *b == buffer));
    if own {
        return Err("it reads what it stores");
    }
    // Axes of one element are index 0 all along.
    let mut value = value;
    let zero: Vec<(VarId, Expr)> = spatial
        .iter()
        .chain(fold.iter().flat_map(|fold| &fold.axes))
        .filter(|l| l.extent.as_int() == Some(1))
        .map(|l| (l.var, Expr::int(0, l.dtype)))
        .collect();
    value.substitute(&|var| zero.iter().find(|(v, _)| *v == var).map(|(_, e)| e));
    let wide = |l: &Loop| l.extent.as_int() != Some(1);
    let axes = axes.into_iter().map(|axis| axis.filter(wide)).collect();
    let fold = fold.map(|fold| Fold { axes: fold.axes.into_iter().filter(wide).collect(), ..fold });
    Ok(Definition { name, is_block: true, attrs: Vec::new(), buffer, axes, fold, value })
}

/// What an update of a reduction folds, and from where.
fn update(
    buffer: BufferId,
    indices: &[Expr],
    init: &Block,
    value: &Expr,
    axes: Vec<Loop>,
) -> Lifted<(Fold, Expr)> {
    let start = match &init[..] {
        [Stmt { kind: StmtKind::Store { buffer: b, indices: i, value }, .. }]
            if *b == buffer && i == indices =>
        {
            value
        }
        _ => return Err("an initial value that is not one store"),
    };
    if !start.is_number() {
        return Err("an initial value that is no constant");
    }
    let ExprKind::Binary(op, a, b) = &value.kind else { return Err("an update that is no operation") };
    if !matches!(op, BinOp::Add | BinOp::Mul | BinOp::Min | BinOp::Max | BinOp::And | BinOp::Or) {
        return Err("an update by another operation");
    }
    let is_own = |e: &Expr| matches!(&e.kind, ExprKind::Load { buffer: b, indices: i } if *b == buffer && i[..] == *indices);
    let commutes = matches!(op, BinOp::Add | BinOp::Mul);
    let (left, folded) = match (is_own(a), is_own(b)) {
        (true, false) => (true, b),
        (false, true) if !op.is_logic() => (commutes, a),
        _ => return Err("an update that does not read what it updates"),
    };
    Ok((Fold { op: *op, init: start.clone(), left, axes }, (**folded).clone()))
}

/// Whether a buffer's elements are what was stored there: it has memory of its own.
fn is_simple(func: &PrimFunc, id: BufferId) -> Lifted<()> {
    let buffer = func.buffer(id);
    let viewed = func
        .buffers
        .iter()
        .any(|other| matches!(other.origin, Origin::View(of) | Origin::Region(of) if of == id));
    let own = matches!(buffer.origin, Origin::Param | Origin::Match(_) | Origin::Alloc);
    let compact =
        buffer.strides.is_empty() && buffer.elem_offset.as_ref().is_none_or(|e| e.as_int() == Some(0));
    if !own || viewed || !compact || &*buffer.scope != "global" {
        return Err("a buffer that shares its memory, or is not in plain memory");
    }
    if !buffer.shape.iter().all(is_size) {
        return Err("a buffer whose shape is read from memory, or may have no value");
    }
    Ok(())
}

/// Whether all that an expression does is compute a value of what it reads.
fn readable(func: &PrimFunc, e: &Expr) -> Lifted<()> {
    let mut result = Ok(());
    e.walk(&mut |e| {
        let bad = match &e.kind {
            ExprKind::Load { buffer, .. } => is_simple(func, *buffer).err(),
            ExprKind::Call(_) => match e.as_intrin() {
                Some(("if_then_else", _)) => None,
                Some(("undef" | "likely", _)) => Some("a call that is no function"),
                Some((name, _)) if intrin::effect(name) == Effect::Pure => None,
                _ => Some("a call that is no function"),
            },
            ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Str(_)
            | ExprKind::Var(_)
            | ExprKind::Binary(..)
            | ExprKind::Not(_)
            | ExprKind::Cast(_)
            | ExprKind::Select(_) => None,
            ExprKind::Ramp(..)
            | ExprKind::Broadcast(_)
            | ExprKind::Shuffle(_)
            | ExprKind::Let(..)
            | ExprKind::BufferData(_)
            | ExprKind::BufferRef(_)
            | ExprKind::Region(..)
            | ExprKind::Tuple(_) => Some("an expression that is no scalar"),
        };
        let bad = bad.or_else(|| (!e.dtype.is_scalar()).then_some("an expression that is no scalar"));
        if let Some(why) = bad
            && result.is_ok()
        {
            result = Err(why);
        }
    });
    result
}

/// Whether two extents are the same number.
pub(crate) fn same_extent(a: &Expr, b: &Expr) -> bool {
    match (a.as_int(), b.as_int()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
