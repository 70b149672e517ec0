//! Which elements of a finished program's buffers are padding, who provides what they hold, and who reads them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::assume::is_assumption;
use super::layout::{Cuboid, Layout, MAX_BOXES, MAX_ELEMENTS, complement};
use crate::analysis::accesses::{Access, Accesses, Fact, Kind};
use crate::analysis::instances::Asker;
use crate::diag::{LineIndex, Span};
use crate::ir::value::{Value, evaluate};
use crate::ir::{BinOp, BufferId, Expr, Module, PrimFunc, VarId};
use crate::script;

/// A buffer with padding.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((4, 4), \"int32\"), B: T.Buffer((1,), \"int32\")):\n    \
///     T.func_attr({\"tirx.noalias\": True})\n    \
///     for i, j in T.grid(4, 4):\n        T.assume(i < 3 or j < 2 or A[i, j] == 0)\n    \
///     for i, j in T.grid(4, 4):\n        B[0] = B[0] + A[i, j]\n";
/// let found = satir::padding::padded(&satir::parse(text)?, &[]);
/// let part = &found[0].parts[0];
/// assert_eq!((&*found[0].buffer, &*part.ranges), ("A", &[(3, 1), (2, 2)][..]));
/// let uses = part.uses.as_ref().expect("the text tells the order");
/// assert_eq!((uses.assumed.len(), uses.written.len(), uses.read.len()), (1, 0, 1));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Padded {
    /// The function.
    pub function: String,
    /// The buffer.
    pub buffer: String,
    /// The index map, where a pass gave the buffer its layout.
    pub map: Option<String>,
    /// What padding holds, where a pass was told.
    pub value: Option<String>,
    /// The extents of the dimensions.
    pub shape: Vec<i64>,
    /// The padding.
    pub parts: Vec<Part>,
}

/// A box of padding.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\")):\n    T.assume(A[7] == 1)\n    A[0] = A[7]\n";
/// let found = satir::padding::padded(&satir::parse(text)?, &[]);
/// assert_eq!(found[0].parts[0].ranges, [(7, 1)]);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Part {
    /// For each dimension the first index and the number of indices.
    pub ranges: Vec<(i64, i64)>,
    /// Who has to do with it; `None` where the text does not tell the order of execution.
    pub uses: Option<Uses>,
}

/// The lines of a program, as it is printed, whose statements were not shown to leave a box of padding alone.
///
/// ```
/// assert!(satir::padding::Uses::default().read.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Uses {
    /// Assumptions: the caller provides what it holds.
    pub assumed: Vec<u32>,
    /// Statements that store there.
    pub written: Vec<u32>,
    /// Statements that read it, and so rely on what it holds.
    pub read: Vec<u32>,
}

/// The buffers with padding: those that `layouts` names, and those of whose elements assumptions tell some. Lines are those of
/// the program as it is printed.
///
/// ```
/// let plain = satir::parse("@T.prim_func\ndef main(A: T.Buffer((4,), \"int32\")):\n    A[0] = 1\n")?;
/// assert!(satir::padding::padded(&plain, &[]).is_empty());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn padded(module: &Module, layouts: &[Layout]) -> Vec<Padded> {
    let assumes = |func: &PrimFunc| {
        let mut found = false;
        func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| found |= is_assumption(stmt)));
        found
    };
    // Most programs have neither, and are not printed for nothing.
    if layouts.is_empty() && !module.funcs.iter().any(assumes) {
        return Vec::new();
    }
    let text = module.to_string();
    // What is printed has places, which what passes made has not.
    let Ok(module) = script::parse("", &text) else { return Vec::new() };
    let lines = LineIndex::new(&text);
    module.funcs.iter().flat_map(|func| of_func(func, layouts, &lines)).collect()
}

fn of_func(func: &PrimFunc, layouts: &[Layout], lines: &LineIndex) -> Vec<Padded> {
    let layout_of = |name: &str| layouts.iter().rev().find(|l| l.function == *func.name && l.buffer == name);
    let accesses = Accesses::new(func);
    let asker = accesses.as_ref().map(|accesses| Asker::new(accesses, Asker::budget(accesses)));
    let statements = statement_lines(func, lines);
    let of = |number: usize| {
        let id = BufferId(number as u32);
        let buffer = func.buffer(id);
        let shape: Vec<i64> = buffer.shape.iter().map(Expr::as_int).collect::<Option<_>>()?;
        let layout = layout_of(&buffer.name);
        let boxes = match layout {
            Some(layout) => layout.padding.clone().filter(|_| shape_is(&shape, &layout.shape))?,
            None => assumed(accesses.as_ref()?, id, &shape)?,
        };
        let uses = |ranges: &Vec<(i64, i64)>| Part {
            uses: asker.as_ref().map(|asker| uses(asker, id, ranges, &statements)),
            ranges: ranges.clone(),
        };
        Some(Padded {
            function: func.name.to_string(),
            buffer: buffer.name.to_string(),
            map: layout.map(|layout| layout.map.clone()),
            value: layout.and_then(|layout| layout.value.clone()),
            parts: boxes.iter().map(uses).collect(),
            shape,
        })
    };
    (0..func.buffers.len()).filter_map(of).collect()
}

fn shape_is(shape: &[i64], texts: &[String]) -> bool {
    shape.len() == texts.len() && shape.iter().zip(texts).all(|(extent, text)| extent.to_string() == *text)
}

/// By number of the statement, its line.
fn statement_lines(func: &PrimFunc, lines: &LineIndex) -> Vec<Option<u32>> {
    let mut found = Vec::new();
    for stmt in &func.body {
        stmt.walk(&mut |stmt| {
            found.push((stmt.span != Span::NONE).then(|| lines.line(stmt.span.start)));
        });
    }
    found
}

/// The elements of a buffer of which assumptions tell what they hold, as boxes; `None` if those are none or all of them, or
/// it is not known which.
fn assumed(accesses: &Accesses, buffer: BufferId, shape: &[i64]) -> Option<Vec<Vec<(i64, i64)>>> {
    let told = |access: &&Access| access.buffer == buffer && matches!(access.kind, Kind::Assumed(_));
    let mut elements = BTreeSet::new();
    let mut left = MAX_ELEMENTS;
    for access in accesses.list.iter().filter(told) {
        instances(accesses, access, &mut BTreeMap::new(), &mut left, &mut elements)?;
    }
    if elements.is_empty() {
        return None;
    }
    let others: BTreeSet<Vec<i64>> =
        Cuboid::whole(shape)?.elements().filter(|at| !elements.contains(at)).collect();
    if others.is_empty() {
        return None;
    }
    Some(complement(&others, shape, MAX_BOXES)?.into_iter().map(|cuboid| cuboid.ranges).collect())
}

/// The elements that an access meets in all iterations of its loops that come after those with a value.
fn instances(
    accesses: &Accesses,
    access: &Access,
    values: &mut BTreeMap<VarId, i64>,
    left: &mut i64,
    elements: &mut BTreeSet<Vec<i64>>,
) -> Option<()> {
    let value = |e: &Expr, values: &BTreeMap<VarId, i64>| {
        evaluate(e, &|var| values.get(&var).map(|&v| Value::Int(v)))?.as_int()
    };
    if let Some(&next) = access.loops.get(values.len()) {
        let domain = &accesses.loops[next].domain;
        let (min, extent) = (value(&domain.min, values)?, value(&domain.extent, values)?);
        for v in min..min.checked_add(extent)? {
            values.insert(domain.var, v);
            instances(accesses, access, values, left, elements)?;
            values.remove(&domain.var);
        }
        return Some(());
    }
    *left = left.checked_sub(1).filter(|&left| left >= 0)?;
    for (guard, truth) in access.guards.iter() {
        if (value(guard, values)? != 0) != *truth {
            return Some(());
        }
    }
    elements.insert(access.indices.iter().map(|e| value(e, values)).collect::<Option<_>>()?);
    Some(())
}

/// The lines of the statements that may access a box of a buffer.
fn uses(asker: &Asker<'_>, buffer: BufferId, ranges: &[(i64, i64)], lines: &[Option<u32>]) -> Uses {
    let accesses = asker.accesses;
    asker.renew(Asker::budget(accesses));
    let mut found = Uses::default();
    let own = || accesses.list.iter().filter(|access| access.buffer == buffer);
    let is_assumption = |access: &&Access| matches!(access.kind, Kind::Assumed(_));
    let assumptions: BTreeSet<usize> = own().filter(is_assumption).map(|access| access.stmt).collect();
    // What an assumption speaks of it does not rely on.
    for access in own().filter(|access| access.kind != Kind::Load || !assumptions.contains(&access.stmt)) {
        let list = match access.kind {
            Kind::Load => &mut found.read,
            Kind::Store(_) | Kind::Undefined => &mut found.written,
            Kind::Assumed(_) => &mut found.assumed,
            Kind::Fresh => continue,
        };
        let mut facts = asker.itself(access).conditions;
        facts.extend(within(&access.indices, ranges));
        let line = lines.get(access.stmt).copied().flatten();
        if let Some(line) = line.filter(|line| !list.contains(line))
            && !asker.refutes(&facts)
        {
            list.push(line);
        }
    }
    for list in [&mut found.assumed, &mut found.written, &mut found.read] {
        list.sort_unstable();
    }
    found
}

/// That indices lie in a box.
fn within<'e>(indices: &'e [Expr], ranges: &'e [(i64, i64)]) -> impl Iterator<Item = Fact> + 'e {
    indices.iter().zip(ranges).flat_map(|(index, &(first, length))| {
        let constant = |v| Expr::int(v, index.dtype);
        let least = Expr::binary(BinOp::Ge, index.clone(), constant(first));
        [(least, true), (Expr::binary(BinOp::Lt, index.clone(), constant(first + length)), true)]
    })
}
