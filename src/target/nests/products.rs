//! Addresses as sums of products.

use smallvec::{SmallVec, smallvec};

use crate::ir::{BinOp, Expr, ExprKind};

/// A product in a sum.
#[derive(Clone)]
pub(super) struct Product<'e> {
    pub(super) times: i64,
    pub(super) factors: SmallVec<[&'e Expr; 4]>,
}

/// A sum of products.
pub(super) type Products<'e> = SmallVec<[Product<'e>; 8]>;

/// The most products that a sum is multiplied out to.
const MAX_PRODUCTS: usize = 24;

/// The products of which an integer consists when it is multiplied out, and the constant beside them.
pub(super) fn products(e: &Expr) -> (Products<'_>, i64) {
    let mut found = Products::new();
    if !multiply_out(e, &Product { times: 1, factors: SmallVec::new() }, &mut found) {
        let mut addends = Vec::new();
        addends_of(e, &mut addends);
        found = addends.into_iter().map(|e| Product { times: 1, factors: smallvec![e] }).collect();
    }
    let mut constant = 0_i64;
    found.retain(|product| {
        let is_constant = product.factors.is_empty();
        constant = constant.wrapping_add(if is_constant { product.times } else { 0 });
        !is_constant
    });
    (found, constant)
}

/// Adds the products of `e * by`; `false` if they become too many.
fn multiply_out<'e>(e: &'e Expr, by: &Product<'e>, out: &mut Products<'e>) -> bool {
    let times = |c: i64| Product { times: by.times.wrapping_mul(c), factors: by.factors.clone() };
    match &e.kind {
        ExprKind::Int(value) => out.push(times(*value)),
        ExprKind::Binary(BinOp::Add, a, b) => return multiply_out(a, by, out) && multiply_out(b, by, out),
        ExprKind::Binary(BinOp::Sub, a, b) => {
            return multiply_out(a, by, out) && multiply_out(b, &times(-1), out);
        }
        ExprKind::Binary(BinOp::Mul, a, b) => {
            let mut inner = Products::new();
            return multiply_out(b, by, &mut inner)
                && inner.iter().all(|product| multiply_out(a, product, out));
        }
        _ => {
            let mut product = by.clone();
            product.factors.push(e);
            out.push(product);
        }
    }
    out.len() <= MAX_PRODUCTS
}

fn addends_of<'e>(e: &'e Expr, out: &mut Vec<&'e Expr>) {
    match &e.kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) => {
            addends_of(a, out);
            addends_of(b, out);
        }
        ExprKind::Int(_) => {}
        _ => out.push(e),
    }
}
