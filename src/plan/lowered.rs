//! A function as the compiler's vectorizer meets it: assumptions and `T.undef()` are gone, buffers are flat, short loops are
//! written out (`vectors`). It is made for the estimate only: it may read what the function does not, and is never printed.

use super::calls;
use super::nests::{self, Work};
use super::sums::{addends, grow, summed};
use super::vectors;
use crate::cse::Options;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, StmtKind};
use crate::padding::{remove_assume, remove_undef};
use crate::simplify::{self, Reach};

/// The function as the vectorizer meets it, short loops only if they are to be `written_out`; and what calls take that loops
/// became before that ([`calls`]).
pub(super) fn lowered(func: &PrimFunc, options: &Options, written_out: bool) -> (PrimFunc, f64) {
    let mut made = runs(func);
    let mut has_blocks = false;
    made.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| has_blocks |= matches!(stmt.kind, StmtKind::SBlock(_)));
    });
    if has_blocks {
        return (made, 0.0);
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
    let calls = calls::of(&made);
    if written_out {
        if made.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })) {
            write_out(&mut made, options);
        } else {
            nests::each(&mut made, (Work::WriteOut, options), |alone| {
                write_out(alone, options);
                true
            });
        }
    }
    grow(&mut made.body);
    (made, calls)
}

/// Writes out short loops, and simplifies what that makes. What elements hold was put to use before.
fn write_out(func: &mut PrimFunc, options: &Options) {
    vectors::guard_values(&mut func.body);
    vectors::write_out(&mut func.body);
    vectors::cut(func);
    simplify::run_without_elements(func, &options.simplification(Reach::Everything));
    vectors::choose_values(&mut func.body);
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
    Some(parts.fold(first.clone(), |place, (index, extent)| in_row(place, index, extent)))
}

/// The place of an element of a row: `(p + x // d) * d + x % d` is `p * d + x`.
fn in_row(row: Expr, index: &Expr, extent: &Expr) -> Expr {
    if let ExprKind::Binary(BinOp::FloorMod, x, by) = &index.kind
        && **by == *extent
    {
        let quotient = Expr::binary(BinOp::FloorDiv, (**x).clone(), extent.clone());
        let mut terms = Vec::new();
        addends(&row, None, false, &mut terms);
        if let Some(at) = terms.iter().position(|(term, minus)| !minus && *term == quotient) {
            terms.remove(at);
            if terms.is_empty() {
                return (**x).clone();
            }
            if let Some(row) = summed(terms) {
                return in_row(row, x, extent);
            }
        }
    }
    let start = Expr::binary(BinOp::Mul, row, extent.clone());
    Expr::binary(BinOp::Add, start, index.clone())
}
