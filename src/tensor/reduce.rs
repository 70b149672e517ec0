//! Reductions as values. Of real numbers (`--fast-math`) a sum is taken apart: what stays the same along the axes that are folded
//! stands outside of it, and where one of its summands is summed elsewhere that sum is read (the identities of Wang et al., SPORES,
//! VLDB 2020, that are about one reduction).

use super::keys::Values;
use super::stored::{Folding, Size, Stored};
use super::term::Term;
use crate::ir::{BinOp, ExprKind};

impl Values {
    /// What a reduction of a body is, a term of the first `kept` of `axes`; it folds over the others.
    pub(super) fn reduction(&mut self, body: Term, axes: &[Size], kept: usize, folding: &Folding) -> Term {
        let dtype = folding.init.dtype;
        let is_sum = folding.op == BinOp::Add && folding.init.kind == ExprKind::Float(0_f64.to_bits());
        if !is_sum || !dtype.is_scalar() || !self.takes_floats_as_real() {
            return self.stored_reduction(body, axes, kept, folding);
        }
        self.sum(body, axes, kept, folding)
    }

    fn sum(&mut self, body: Term, axes: &[Size], kept: usize, folding: &Folding) -> Term {
        if self.is_known(body, axes, kept, folding) {
            return self.stored_reduction(body, axes, kept, folding);
        }
        if self.is_invariant(body, kept)
            && let Some(count) = count(&axes[kept..])
        {
            self.terms.used.push("sum-of-invariant");
            let count = self.terms.float(count, folding.init.dtype);
            return self.terms.binary(BinOp::Mul, body, count);
        }
        if let Some((a, b)) = self.terms.operands(BinOp::Div, body)
            && self.is_invariant(b, kept)
        {
            self.terms.used.push("sum-factor");
            let sum = self.sum(a, axes, kept, folding);
            return self.terms.binary(BinOp::Div, sum, b);
        }
        let factors = self.factors(body);
        let (outside, inside): (Vec<Term>, Vec<Term>) =
            factors.into_iter().partition(|&factor| self.is_invariant(factor, kept));
        if let (Some(outside), Some(inside)) = (self.product(outside), self.product(inside)) {
            self.terms.used.push("sum-factor");
            let sum = self.sum(inside, axes, kept, folding);
            return self.terms.binary(BinOp::Mul, sum, outside);
        }
        for op in [BinOp::Add, BinOp::Sub] {
            let Some((a, b)) = self.terms.operands(op, body) else { continue };
            if self.is_known(a, axes, kept, folding) || self.is_known(b, axes, kept, folding) {
                self.terms.used.push("sum-of-sums");
                let (a, b) = (self.sum(a, axes, kept, folding), self.sum(b, axes, kept, folding));
                return self.terms.binary(op, a, b);
            }
        }
        self.stored_reduction(body, axes, kept, folding)
    }

    fn is_invariant(&self, term: Term, kept: usize) -> bool {
        self.terms.axes(term).iter().all(|&axis| (axis as usize) < kept)
    }

    /// The operands of a product of products.
    fn factors(&self, body: Term) -> Vec<Term> {
        let mut factors = Vec::new();
        let mut open = vec![body];
        while let Some(term) = open.pop() {
            match self.terms.operands(BinOp::Mul, term) {
                Some((a, b)) => open.extend([b, a]),
                None => factors.push(term),
            }
        }
        factors
    }

    fn product(&mut self, factors: Vec<Term>) -> Option<Term> {
        factors.into_iter().reduce(|a, b| self.terms.binary(BinOp::Mul, a, b))
    }

    /// Whether some definition before this one sums the same.
    fn is_known(&mut self, body: Term, axes: &[Size], kept: usize, folding: &Folding) -> bool {
        let (stored, _) = self.as_stored(body, axes, kept, folding);
        self.numbers.contains_key(&stored)
    }

    /// An element of a reduction that is kept in a buffer.
    fn stored_reduction(&mut self, body: Term, axes: &[Size], kept: usize, folding: &Folding) -> Term {
        let (stored, used) = self.as_stored(body, axes, kept, folding);
        let number = self.number(stored);
        let indices = used.iter().map(|&axis| self.terms.axis(axis, axes[axis as usize].dtype)).collect();
        self.terms.stored(number, folding.init.dtype, indices)
    }

    /// A reduction, and the axes that it keeps of those that its body is a term of.
    fn as_stored(&mut self, body: Term, axes: &[Size], kept: usize, folding: &Folding) -> (Stored, Vec<u32>) {
        let used: Vec<u32> =
            self.terms.axes(body).iter().copied().filter(|&axis| (axis as usize) < kept).collect();
        let mut places = Vec::new();
        for (at, size) in axes.iter().enumerate() {
            let place = match used.iter().position(|&axis| axis as usize == at) {
                Some(place) => place,
                None => used.len() + at.saturating_sub(kept),
            };
            places.push(self.terms.axis(place as u32, size.dtype));
        }
        let body = self.terms.replace(body, &places);
        let stored = Stored {
            folding: Some(folding.clone()),
            kept: used.iter().map(|&axis| axes[axis as usize].clone()).collect(),
            folded: axes[kept..].to_vec(),
            body,
        };
        (stored, used)
    }
}

/// How many values a sum over axes has.
fn count(axes: &[Size]) -> Option<f64> {
    let mut product = 1_i64;
    for size in axes {
        product = product.checked_mul(size.extent.as_int().filter(|extent| *extent > 0)?)?;
    }
    // Larger ones are no numbers of `float32`.
    (product < 1 << 24).then_some(product as f64)
}
