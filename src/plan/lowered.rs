//! A function as the compiler's vectorizer meets it: assumptions and `T.undef()` are gone, buffers are flat, short loops are
//! written out (`vectors`). It is made for the estimate only: it may read what the function does not, and is never printed.

use super::vectors;
use crate::cse::Options;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, StmtKind};
use crate::padding::{remove_assume, remove_undef};
use crate::simplify::{self, Reach};

/// The function as the vectorizer meets it; short loops only if they are to be `written_out`.
pub(super) fn lowered(func: &PrimFunc, options: &Options, written_out: bool) -> PrimFunc {
    let mut made = runs(func);
    let mut has_blocks = false;
    made.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| has_blocks |= matches!(stmt.kind, StmtKind::SBlock(_)));
    });
    if has_blocks {
        return made;
    }
    let flat: Vec<Option<Vec<Expr>>> = made
        .buffers
        .iter()
        .map(|b| {
            let plain = b.strides.is_empty() && b.dtype.is_scalar() && b.shape.len() > 1;
            plain.then(|| b.shape.clone())
        })
        .collect();
    flatten_block(&mut made.body, &flat);
    for (buffer, shape) in made.buffers.iter_mut().zip(&flat) {
        if let Some(shape) = shape
            && let Some(size) = shape.iter().cloned().reduce(|a, b| Expr::binary(BinOp::Mul, a, b))
        {
            buffer.shape = vec![size];
        }
    }
    if written_out {
        vectors::guard_values(&mut made.body);
        vectors::write_out(&mut made.body);
        vectors::cut(&mut made);
        simplify::run(&mut made, &options.simplification(Reach::Everything));
        vectors::choose_values(&mut made.body);
    }
    grow(&mut made.body);
    made
}

/// The function without what does not run.
pub(super) fn runs(func: &PrimFunc) -> PrimFunc {
    let mut made = func.clone();
    remove_assume(&mut made);
    let mut without = made.clone();
    if remove_undef(&mut without).is_ok() { without } else { made }
}

fn flatten_block(block: &mut Block, flat: &[Option<Vec<Expr>>]) {
    for stmt in block {
        stmt.for_each_expr_mut(|e| flatten(e, flat));
        if let StmtKind::Store { buffer, indices, .. } = &mut stmt.kind
            && let Some(place) = linear(*buffer, indices, flat)
        {
            *indices = vec![place];
        }
        stmt.for_each_block_mut(|inner| flatten_block(inner, flat));
    }
}

fn flatten(e: &mut Expr, flat: &[Option<Vec<Expr>>]) {
    e.for_each_child_mut(|child| flatten(child, flat));
    if let ExprKind::Load { buffer, indices } = &mut e.kind
        && let Some(place) = linear(*buffer, indices, flat)
    {
        *indices = Box::new([place]);
    }
}

/// The place in memory that indices name, for a buffer that becomes flat.
fn linear(buffer: BufferId, indices: &[Expr], flat: &[Option<Vec<Expr>>]) -> Option<Expr> {
    let shape = flat.get(buffer.index())?.as_ref()?;
    let fits = |(index, extent): (&Expr, &Expr)| index.dtype == extent.dtype && index.dtype.is_index();
    if indices.len() != shape.len() || !indices.iter().zip(shape).all(fits) {
        return None;
    }
    let mut parts = indices.iter().zip(shape);
    let (first, _) = parts.next()?;
    Some(parts.fold(first.clone(), |place, (index, extent)| {
        let row = Expr::binary(BinOp::Mul, place, extent.clone());
        Expr::binary(BinOp::Add, row, index.clone())
    }))
}

/// Writes indices as sums of variables times what does not vary with them, as addresses that grow with loops.
fn grow(block: &mut Block) {
    for stmt in block {
        stmt.for_each_expr_mut(grown_loads);
        if let StmtKind::Store { indices, .. } = &mut stmt.kind {
            indices.iter_mut().for_each(grown);
        }
        stmt.for_each_block_mut(grow);
    }
}

fn grown_loads(e: &mut Expr) {
    e.for_each_child_mut(grown_loads);
    if let ExprKind::Load { indices, .. } = &mut e.kind {
        indices.iter_mut().for_each(grown);
    }
}

fn grown(e: &mut Expr) {
    let mut terms = Vec::new();
    addends(e, None, false, &mut terms);
    let sum = terms.into_iter().reduce(|sum, (term, minus)| {
        let op = if minus { BinOp::Sub } else { BinOp::Add };
        (Expr::binary(op, sum.0, term), sum.1)
    });
    if let Some((sum, false)) = sum {
        *e = sum;
    }
}

/// The addends of `e` times a factor, each with whether it is taken away.
fn addends(e: &Expr, factor: Option<&Expr>, minus: bool, out: &mut Vec<(Expr, bool)>) {
    match &e.kind {
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            addends(a, factor, minus, out);
            addends(b, factor, minus != (*op == BinOp::Sub), out);
        }
        ExprKind::Binary(BinOp::Mul, a, b) => {
            let product = match factor {
                Some(factor) => match (b.as_int(), factor.as_int()) {
                    (Some(b), Some(f)) => Expr::int(b.saturating_mul(f), e.dtype),
                    _ => Expr::binary(BinOp::Mul, (**b).clone(), factor.clone()),
                },
                None => (**b).clone(),
            };
            addends(a, Some(&product), minus, out);
        }
        _ => {
            let term = match factor {
                Some(factor) => match (e.as_int(), factor.as_int()) {
                    (Some(value), Some(f)) => Expr::int(value.saturating_mul(f), e.dtype),
                    _ => Expr::binary(BinOp::Mul, e.clone(), factor.clone()),
                },
                None => e.clone(),
            };
            out.push((term, minus));
        }
    }
}
