//! Buffers as they are compiled: TVM makes them flat (`FlattenBuffer`), and simplifies the sums that indices become. What says
//! by quotients where an element is may be a plain sum then: `A[x // 16, x % 16]` is `A[x]`.

use crate::arith::addends::{addends, sum_of_products, summed};
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, StmtKind};

/// The function with flat buffers, if some have several dimensions. It is for estimates only.
pub(crate) fn flat(func: &PrimFunc) -> Option<PrimFunc> {
    let shapes = func.buffers.iter().map(|buffer| {
        let is_plain = buffer.strides.is_empty() && buffer.dtype.is_scalar() && buffer.shape.len() > 1;
        is_plain.then(|| buffer.shape.clone())
    });
    let shapes: Vec<Option<Vec<Expr>>> = shapes.collect();
    if shapes.iter().all(Option::is_none) {
        return None;
    }
    let mut made = func.clone();
    flatten_block(&mut made.body, &shapes);
    for (buffer, shape) in made.buffers.iter_mut().zip(shapes) {
        if let Some(size) =
            shape.and_then(|shape| shape.into_iter().reduce(|a, b| Expr::binary(BinOp::Mul, a, b)))
        {
            buffer.shape = vec![size];
        }
    }
    Some(made)
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
    let place = parts.fold(first.clone(), |place, (index, extent)| in_row(place, index, extent));
    Some(sum_of_products(&place).unwrap_or(place))
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

#[cfg(test)]
mod tests {
    use super::super::{Bindings, Decided, Odds, Profile, taken};
    use super::*;
    use crate::script::print_func;

    /// The body of a function with flat buffers.
    fn flattened(body: &str) -> String {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((64, 256, 16)), B: T.Buffer((64, 256, 16))):\n{body}"
        );
        let func = crate::parse(&text).expect("a program").funcs.remove(0);
        print_func(&flat(&func).expect("buffers of several dimensions"))
    }

    #[test]
    fn quotients_that_only_number_elements_are_gone() {
        let text = flattened(
            "    for b, i, j, f in T.grid(64, 256, 16, 3):\n        B[b, i, j] = A[b, i + (j + f) // 16, (j + f) % 16]\n",
        );
        assert!(text.contains("B[b * 4096 + i * 16 + j] = A[b * 4096 + i * 16 + j + f]"), "{text}");
    }

    #[test]
    fn a_function_takes_what_the_same_with_flat_buffers_takes() {
        let taken = |func: &PrimFunc| {
            let (profile, bindings) = (Profile::default(), Bindings::default());
            taken(func, &profile, &bindings, (&Odds::default(), Decided::Free)).instructions
        };
        let [rows, fused] = ["b, j in T.grid(60, 6)", "f in range(360)"].map(|loops| {
            let [b, j] = if loops.starts_with('b') { ["b", "j"] } else { ["f // 6", "f % 6"] };
            let text = format!(
                "@T.prim_func\ndef main(A: T.Buffer((60, 6)), B: T.Buffer((60, 6))):\n    T.func_attr({{\"tirx.noalias\": True}})\n    \
                 for {loops}:\n        B[{b}, {j}] = A[{b}, {j}] * A[{b}, {j}]\n"
            );
            let func = crate::parse(&text).expect("a program").funcs.remove(0);
            let flat = crate::parse(&print_func(&flat(&func).expect("buffers of two dimensions")));
            assert_eq!(taken(&func), taken(&flat.expect("a program").funcs[0]));
            taken(&func)
        });
        // Rows of six are no whole vectors.
        assert!(fused < 0.7 * rows, "{fused} and {rows}");
    }
}
