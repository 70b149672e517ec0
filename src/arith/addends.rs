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
