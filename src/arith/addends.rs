//! Expressions as sums of products.

use crate::ir::{BinOp, Expr, ExprKind};

/// An expression as a sum of products: `(a + b) * 4 + c` is `a * 4 + b * 4 + c`. `None` if the first addend is taken away.
pub(crate) fn sum_of_products(e: &Expr) -> Option<Expr> {
    let mut terms = Vec::new();
    addends(e, None, false, &mut terms);
    summed(terms)
}

/// The sum of addends, each with whether it is taken away; `None` for none, or if the first is taken away.
pub(crate) fn summed(terms: Vec<(Expr, bool)>) -> Option<Expr> {
    let sum = terms.into_iter().reduce(|sum, (term, minus)| {
        let op = if minus { BinOp::Sub } else { BinOp::Add };
        (Expr::binary(op, sum.0, term), sum.1)
    });
    sum.and_then(|(sum, minus)| (!minus).then_some(sum))
}

/// The addends of `e` times a factor, each with whether it is taken away.
pub(crate) fn addends(e: &Expr, factor: Option<&Expr>, minus: bool, out: &mut Vec<(Expr, bool)>) {
    if let ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) = &e.kind {
        addends(a, factor, minus, out);
        addends(b, factor, minus != (*op == BinOp::Sub), out);
    } else if let ExprKind::Binary(BinOp::Mul, a, b) = &e.kind {
        addends(a, Some(&times(b, factor)), minus, out);
    } else {
        out.push((times(e, factor), minus));
    }
}

/// An expression times a factor.
fn times(e: &Expr, factor: Option<&Expr>) -> Expr {
    match factor.map(|factor| (factor, e.as_int(), factor.as_int())) {
        None => e.clone(),
        Some((_, Some(value), Some(factor))) => Expr::int(value.saturating_mul(factor), e.dtype),
        Some((factor, ..)) => Expr::binary(BinOp::Mul, e.clone(), factor.clone()),
    }
}
