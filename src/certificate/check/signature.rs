//! Functions that can be called alike: parameters one to one, of the same types and shapes.

use super::book::{Book, Goal};
use super::bounds::Bounds;
use super::eval::{Machine, Program, Refused, Side, bounds_of, contains_expression, sort_of};
use super::memory::Memories;
use super::term::{Sort, Terms};
use crate::ir::{Buffer, BufferId, Expr, ExprKind, Origin, Param, PrimFunc, VarId};

/// Both functions with their parameters, which are the same free values.
pub(crate) fn machine<'a>(a: &'a PrimFunc, b: &'a PrimFunc) -> Result<Machine<'a>, Refused> {
    let heads = |f: &PrimFunc| (f.params.len(), f.matches.len(), f.ret.clone(), f.name.clone());
    if heads(a) != heads(b) {
        return Err("different signatures: another number of parameters".into());
    }
    let same = (&a.attrs, &a.decorator) == (&b.attrs, &b.decorator);
    if !same || contains_expression(&a.attrs) || contains_expression(&a.decorator) {
        return Err("different attributes of the function".into());
    }
    let program = |func| Program { func, vars: hashbrown::HashMap::new(), calls: Vec::new() };
    let mut machine = Machine {
        terms: Terms::default(),
        book: Book::new(),
        programs: [program(a), program(b)],
        memories: Memories::new(a, b),
        pending: Vec::new(),
        quiet: false,
    };
    let mut pairs = Vec::new();
    for (i, (x, y)) in a.params.iter().zip(&b.params).enumerate() {
        let differ = || format!("different signatures: parameter {}", i + 1);
        match (x, y) {
            (Param::Var(x), Param::Var(y)) => {
                if a.var(*x).ty != b.var(*y).ty || a.var(*x).name != b.var(*y).name {
                    return Err(differ());
                }
                let dtype = a.var(*x).ty.dtype();
                free(&mut machine, *x, *y, sort_of(dtype), bounds_of(dtype));
            }
            (Param::Buffer(x), Param::Buffer(y)) => pairs.push((*x, *y)),
            _ => return Err(differ()),
        }
    }
    for ((v, x), (w, y)) in a.matches.iter().zip(&b.matches) {
        if machine.programs[0].vars.get(v) != machine.programs[1].vars.get(w) {
            return Err("different signatures: another parameter is matched".into());
        }
        pairs.push((*x, *y));
    }
    for &(x, y) in &pairs {
        sizes(&mut machine, x, y)?;
    }
    for &(x, y) in &pairs {
        let shape = a
            .buffer(x)
            .shape
            .iter()
            .map(|e| machine.described(Side::First, e))
            .collect::<Result<Vec<_>, _>>()?;
        for &extent in &shape {
            // No buffer has a negative size.
            let holds = machine.terms.not_negative(extent);
            if machine.terms.as_truth(holds).is_none() {
                machine.book.know(&machine.terms, holds);
            }
        }
        let number = machine.memories.declare(a, x, shape, None)?;
        same_buffer(&mut machine, x, y, number)?;
    }
    Ok(machine)
}

/// A value that the caller gives both.
fn free(machine: &mut Machine<'_>, a: VarId, b: VarId, sort: Sort, bounds: Bounds) {
    let term = machine.terms.atom(sort, bounds);
    machine.programs[0].vars.insert(a, term);
    machine.programs[1].vars.insert(b, term);
}

/// Variables that the shapes of two buffers define, at the same places.
fn sizes(machine: &mut Machine<'_>, x: BufferId, y: BufferId) -> Result<(), Refused> {
    let [a, b] = [0, 1].map(|i| machine.programs[i].func);
    let (x, y) = (a.buffer(x), b.buffer(y));
    let differ = || format!("different signatures: buffer `{}`", x.name);
    if x.shape.len() != y.shape.len() || x.strides.len() != y.strides.len() {
        return Err(differ());
    }
    let dims = x.shape.iter().zip(&y.shape).map(|pair| (pair, true));
    let rest = x.strides.iter().zip(&y.strides).chain(x.elem_offset.iter().zip(&y.elem_offset));
    for ((p, q), is_size) in dims.chain(rest.map(|pair| (pair, false))) {
        let (Some(v), Some(w)) = (variable(p), variable(q)) else { continue };
        let known = machine.programs[0].vars.contains_key(&v);
        if known != machine.programs[1].vars.contains_key(&w) || a.var(v).ty != b.var(w).ty {
            return Err(differ());
        }
        if !known {
            let mut bounds = bounds_of(a.var(v).ty.dtype());
            bounds.lo = if is_size { Some(0) } else { bounds.lo };
            free(machine, v, w, Sort::Int, bounds);
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

/// Whether a buffer of the second function is declared as the one of the first; from here on they are one.
pub(crate) fn same_buffer(
    machine: &mut Machine<'_>,
    x: BufferId,
    y: BufferId,
    number: usize,
) -> Result<(), Refused> {
    let [a, b] = [0, 1].map(|i| machine.programs[i].func);
    let (x, second) = (a.buffer(x), b.buffer(y));
    let differ = || format!("buffer `{}` is declared otherwise", x.name);
    let heads = |f: &Buffer| {
        let parts = (f.shape.len(), f.strides.len(), f.elem_offset.is_some());
        (f.name.clone(), f.dtype, f.scope.clone(), parts, std::mem::discriminant(&f.origin))
    };
    if heads(x) != heads(second) || x.extra != second.extra || contains_expression(&x.extra) {
        return Err(differ());
    }
    let shapes = x.shape.iter().zip(&second.shape).chain(x.strides.iter().zip(&second.strides));
    let mut pairs: Vec<(&Expr, &Expr)> =
        shapes.chain(x.elem_offset.iter().zip(&second.elem_offset)).collect();
    let mut same_memory = true;
    match (&x.origin, &second.origin) {
        (Origin::Pointer(p), Origin::Pointer(q)) => pairs.push((p, q)),
        (Origin::View(p), Origin::View(q)) | (Origin::Region(p), Origin::Region(q)) => {
            let numbers =
                (machine.memories.number(Side::First, *p)?, machine.memories.number(Side::Second, *q)?);
            same_memory = numbers.0 == numbers.1;
        }
        _ => {}
    }
    if !same_memory {
        return Err(differ());
    }
    for (p, q) in pairs {
        let (p, q) = (machine.described(Side::First, p)?, machine.described(Side::Second, q)?);
        if machine.terms.sort(p) != machine.terms.sort(q) {
            return Err(differ());
        }
        if p != q {
            machine.book.owe("a buffer is declared alike", Goal::Same(p, q));
        }
    }
    machine.memories.pair(number, y)
}
