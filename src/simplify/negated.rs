//! Negated products as products with a negative constant: `0 - x * 2` as `x * -2`, which is shorter, and of which a
//! compiler makes the same.

use crate::ir::{BinOp, Expr, ExprKind};

/// Writes all negated products in an expression as products.
pub(super) fn as_products(e: &mut Expr) {
    if let Some(product) = product(e) {
        *e = product;
    }
    e.for_each_child_mut(as_products);
}

fn product(e: &Expr) -> Option<Expr> {
    let ExprKind::Binary(BinOp::Sub, zero, product) = &e.kind else { return None };
    let ExprKind::Binary(BinOp::Mul, a, b) = &product.kind else { return None };
    if zero.as_int() != Some(0) || !e.dtype.is_int() {
        return None;
    }
    let (x, factor) = if b.as_int().is_some() { (a, b) } else { (b, a) };
    let negated = factor.as_int().filter(|&c| c > 0)?.checked_neg()?;
    Some(Expr::binary(BinOp::Mul, (**x).clone(), Expr::int(negated, e.dtype)))
}
