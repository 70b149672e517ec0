//! Negated products as products with a negative constant: `0 - x * 2` and `(0 - x) * 2` as `x * -2`, which is shorter, and
//! of which a compiler makes the same.

use crate::ir::{BinOp, Expr, ExprKind};

/// Writes all negated products in an expression as products.
pub(super) fn as_products(e: &mut Expr) {
    if let Some(product) = negated_product(e).or_else(|| product_of_negated(e)) {
        *e = product;
    }
    e.for_each_child_mut(as_products);
}

fn negated_product(e: &Expr) -> Option<Expr> {
    let (x, factor) = constant_multiple(negated(e)?)?;
    Some(times(x, factor.checked_neg()?))
}

fn product_of_negated(e: &Expr) -> Option<Expr> {
    let (x, factor) = constant_multiple(e)?;
    Some(times(negated(x)?, factor.checked_neg()?))
}

/// `x` of `0 - x`.
fn negated(e: &Expr) -> Option<&Expr> {
    match &e.kind {
        ExprKind::Binary(BinOp::Sub, zero, x) if zero.as_int() == Some(0) && e.dtype.is_int() => Some(x),
        _ => None,
    }
}

/// `x` and `c` of `x * c` for a positive constant.
fn constant_multiple(e: &Expr) -> Option<(&Expr, i64)> {
    let ExprKind::Binary(BinOp::Mul, a, b) = &e.kind else { return None };
    let (x, factor) = if b.as_int().is_some() { (a, b) } else { (b, a) };
    Some((x, factor.as_int().filter(|&c| c > 0)?))
}

fn times(x: &Expr, factor: i64) -> Expr {
    Expr::binary(BinOp::Mul, x.clone(), Expr::int(factor, x.dtype))
}
