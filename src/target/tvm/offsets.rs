//! Indices whose constants TVM folds where the type cannot hold the result.
//!
//! TVM makes one index of several when it flattens a buffer: it multiplies each by the elements that a step of it passes, and
//! folds the constants on the way. Where a range leaves `d % 3` the value `d - 2147483646`, that times 24 has no place in
//! 32 bits, and TVM stops. Such an index is written as `d - 2147483646 | 0`, which it does not take apart.

use super::mask::mask;
use crate::ir::{BinOp, Block, Buffer, Expr, ExprKind, PrimFunc, Stmt, StmtKind};

/// Writes the indices of `after` that TVM folds over the limits of their type in another way, unless `before` has some: then
/// it does not compile as it is. Returns whether there were any.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) -> bool {
    let has_steps = after.buffers.iter().any(|buffer| buffer.shape.len() > 1);
    // Most programs have no constants of this size.
    if !has_steps || !has_large(after) || has_folded(before) || !has_folded(after) {
        return false;
    }
    let buffers = after.buffers.clone();
    hide_in_block(&mut after.body, &buffers);
    true
}

/// Whether there is an integer of more than half of the bits of its type.
fn has_large(func: &PrimFunc) -> bool {
    let mut found = false;
    func.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|root| {
                root.walk(&mut |e| found |= e.as_int().is_some_and(|c| c.unsigned_abs() >> 15 > 0))
            });
        });
    });
    found
}

fn has_folded(func: &PrimFunc) -> bool {
    let mut found = false;
    func.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| {
            if let StmtKind::Store { buffer, indices, .. } = &stmt.kind {
                found |= any_folded(func.buffer(*buffer), indices);
            }
            stmt.for_each_expr(|root| {
                root.walk(&mut |e| {
                    if let ExprKind::Load { buffer, indices } = &e.kind {
                        found |= any_folded(func.buffer(*buffer), indices);
                    }
                });
            });
        });
    });
    found
}

fn any_folded(buffer: &Buffer, indices: &[Expr]) -> bool {
    indices.iter().enumerate().any(|(at, index)| is_folded(buffer, at, index))
}

/// Whether a constant in the sum that is the index of dimension `at` has no place in its type, times the elements of a step.
fn is_folded(buffer: &Buffer, at: usize, index: &Expr) -> bool {
    let step = buffer
        .shape
        .iter()
        .skip(at + 1)
        .filter_map(Expr::as_int)
        .fold(1_i128, |step, n| step.saturating_mul(n.into()));
    let Some((least, most)) = index.dtype.int_range() else { return false };
    let fits = |c: i64| (least..=most).contains(&i128::from(c).saturating_mul(step));
    let mut sum = vec![index];
    while let Some(e) = sum.pop() {
        match &e.kind {
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => sum.extend([&**a, &**b]),
            ExprKind::Int(c) if !fits(*c) => return true,
            _ => {}
        }
    }
    false
}

fn hide_in_block(block: &mut Block, buffers: &[Buffer]) {
    for stmt in block {
        hide_in_stmt(stmt, buffers);
        stmt.for_each_block_mut(|block| hide_in_block(block, buffers));
    }
}

fn hide_in_stmt(stmt: &mut Stmt, buffers: &[Buffer]) {
    stmt.for_each_expr_mut(|e| hide_in_loads(e, buffers));
    if let StmtKind::Store { buffer, indices, .. } = &mut stmt.kind {
        hide(&buffers[buffer.index()], indices);
    }
}

fn hide_in_loads(e: &mut Expr, buffers: &[Buffer]) {
    e.for_each_child_mut(|child| hide_in_loads(child, buffers));
    if let ExprKind::Load { buffer, indices } = &mut e.kind {
        hide(&buffers[buffer.index()], indices);
    }
}

fn hide(buffer: &Buffer, indices: &mut [Expr]) {
    for (at, index) in indices.iter_mut().enumerate() {
        if index.as_int().is_none() && is_folded(buffer, at, index) {
            mask(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cse::{self, Options};

    #[test]
    fn constants_that_flattening_multiplies_over_the_limits_are_hidden() {
        let text = |shape: &str, index: &str| {
            format!(
                "@T.prim_func\ndef main(A: T.Buffer(({shape}), \"int32\"), d: T.int32):\n    if d > 2147483645:\n        A[{index}] = d\n"
            )
        };
        let simplified =
            |text: &str| cse::run(&crate::parse(text).unwrap(), &Options::default()).unwrap().0.to_string();
        let after = simplified(&text("3, 24", "d % 3, 1"));
        assert!(after.contains("A[d - 2147483646 | 0, 1]"), "{after}");
        let after = simplified(&text("3,", "d % 3"));
        assert!(after.contains("A[d - 2147483646]"), "a step passes one element: {after}");
    }
}
