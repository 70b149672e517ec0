//! Functions that can be called alike: parameters one to one, of the same types and shapes.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::buffers::Buffers;
use super::integers::Integers;
use super::place::Book;
use super::range::Range;
use super::term::{Term, Terms};
use super::value::{Machine, Program, Side, Unsupported};
use super::volatile;
use crate::ir::{BufferId, DType, Expr, ExprKind, Param, PrimFunc, VarId};

/// Both functions with their parameters, which are the same free values.
pub(super) fn machine<'a>(
    a: &'a PrimFunc,
    b: &'a PrimFunc,
    integers: Integers,
) -> Result<Machine<'a>, Unsupported> {
    if a.params.len() != b.params.len() || a.matches.len() != b.matches.len() {
        return Err("different signatures: another number of parameters".into());
    }
    let program = |func| Program { func, vars: HashMap::new(), regions: HashMap::new(), calls: Vec::new() };
    let mut machine = Machine {
        terms: Terms::default(),
        book: Book::new(),
        programs: [program(a), program(b)],
        buffers: Buffers::pair(a, b)?,
        memories: Vec::new(),
        volatile: BTreeSet::new(),
        quiet: false,
        integers,
    };
    let mut pairs = Vec::new();
    for (i, (x, y)) in a.params.iter().zip(&b.params).enumerate() {
        match (x, y) {
            (Param::Var(x), Param::Var(y)) => {
                if a.var(*x).ty != b.var(*y).ty {
                    return Err(format!("different signatures: parameter {} has another type", i + 1));
                }
                let dtype = a.var(*x).ty.dtype();
                free(&mut machine, *x, *y, dtype, Range::ALL);
            }
            (Param::Buffer(x), Param::Buffer(y)) => pairs.push((*x, *y)),
            _ => return Err(format!("different signatures: parameter {} is of another kind", i + 1)),
        }
    }
    pairs.extend(a.matches.iter().zip(&b.matches).map(|((_, x), (_, y))| (*x, *y)));
    for &(x, y) in &pairs {
        define_shape(&mut machine, x, y)?;
    }
    for &(x, y) in &pairs {
        same_buffer(&mut machine, x, y)?;
    }
    let volatile = |machine: &Machine<'_>, side, func| {
        let roots = volatile::memories(func).into_iter().map(|id| machine.buffers.root(side, id));
        roots.collect::<Result<BTreeSet<usize>, Unsupported>>()
    };
    machine.volatile = volatile(&machine, Side::First, a)?;
    if machine.volatile != volatile(&machine, Side::Second, b)? {
        return Err("other memory is volatile".into());
    }
    machine.memories = (0..a.buffers.len()).map(|_| machine.terms.new_memory()).collect();
    Ok(machine)
}

/// A value that the caller gives both.
fn free(machine: &mut Machine<'_>, a: VarId, b: VarId, dtype: DType, range: Range) -> Term {
    let name = machine.programs[0].func.var(a).name.clone();
    let term = machine.terms.new_atom(&name, dtype, range);
    machine.programs[0].vars.insert(a, term);
    machine.programs[1].vars.insert(b, term);
    term
}

/// Variables that the shapes of two buffers define, at the same places.
fn define_shape(machine: &mut Machine<'_>, x: BufferId, y: BufferId) -> Result<(), Unsupported> {
    let [a, b] = [0, 1].map(|i| machine.programs[i].func);
    let (x, y) = (a.buffer(x), b.buffer(y));
    let differ = || format!("different signatures: buffer `{}`", x.name);
    if x.dtype != y.dtype || x.shape.len() != y.shape.len() || x.strides.len() != y.strides.len() {
        return Err(differ());
    }
    let dims = x.shape.iter().zip(&y.shape).map(|pair| (pair, true));
    let strides = x.strides.iter().zip(&y.strides).map(|pair| (pair, false));
    let offsets = x.elem_offset.iter().zip(&y.elem_offset).map(|pair| (pair, false));
    for ((x, y), is_size) in dims.chain(strides).chain(offsets) {
        let (Some(v), Some(w)) = (variable(x), variable(y)) else { continue };
        let known = machine.programs[0].vars.contains_key(&v);
        if known != machine.programs[1].vars.contains_key(&w) {
            return Err(differ());
        }
        if !known {
            let range = if is_size { Range::new(Some(0), None) } else { Range::ALL };
            free(machine, v, w, x.dtype, range);
        }
    }
    Ok(())
}

fn variable(e: &Expr) -> Option<VarId> {
    match &e.kind {
        ExprKind::Cast(a) => variable(a),
        _ => e.as_var(),
    }
}

fn same_buffer(machine: &mut Machine<'_>, x: BufferId, y: BufferId) -> Result<(), Unsupported> {
    let [a, b] = [0, 1].map(|i| machine.programs[i].func);
    let (x, y) = (a.buffer(x), b.buffer(y));
    let pairs = x.shape.iter().zip(&y.shape).chain(x.strides.iter().zip(&y.strides));
    let offsets = (&x.elem_offset, &y.elem_offset);
    let mut same = offsets.0.is_some() == offsets.1.is_some();
    for (p, q) in pairs.chain(offsets.0.iter().zip(offsets.1)) {
        let (p, q) = (machine.described(Side::First, p)?, machine.described(Side::Second, q)?);
        same &= p == q;
    }
    let mut dims = Vec::new();
    for extent in &x.shape {
        let extent = machine.described(Side::First, extent)?;
        dims.push(extent);
        let holds = machine.terms.not_negative(extent);
        machine.terms.restrict(extent, Range::new(Some(0), None));
        if machine.terms.as_truth(holds).is_none() {
            machine.terms.restrict_compared(holds);
            machine.book.here.guards.push(holds);
        }
    }
    if let Some(first) = x.shape.first() {
        products_fit(machine, first.dtype, &dims);
    }
    if same { Ok(()) } else { Err(format!("different signatures: buffer `{}` has another shape", x.name)) }
}

/// The caller has such a buffer, so the dimensions and the products of neighbouring ones, which are its strides and its
/// length, are integers of their type.
fn products_fit(machine: &mut Machine<'_>, dtype: DType, dims: &[Term]) {
    for first in 0..dims.len() {
        let mut product = dims[first];
        machine.fits(Side::First, dtype, product);
        for &next in &dims[first + 1..] {
            product = machine.terms.mul(product, next);
            machine.fits(Side::First, dtype, product);
        }
    }
}
