//! Sums that the compiler of the result would rewrite.
//!
//! LLVM takes common factors out of sums (`a*x + b*x` becomes `(a + b)*x`), and brings the terms of a sum into one
//! order. It looks through everything that has no other use: bindings are no obstacle, a second use is. A sum that it
//! has rewritten may overflow for all that it knows afterwards; then the address that it is a part of is computed in
//! each iteration, and extended to 64 bits, where else a pointer would be advanced. Whether that happens depends on
//! the choices for the terms and on their other uses, so it cannot be told from a node alone as the
//! [penalties](super::penalty) can.

use smallvec::SmallVec;

use super::selection::Index;
use super::selector::{Candidate, Selector};
use crate::egraph::Op;
use crate::ir::BinOp;

/// Per execution of an address: what it costs that a factor is taken out of a part that is computed further out.
const FACTORED_OUTSIDE: f64 = 0.5;

/// The same, of a part that is computed where the address is: a stride of the innermost loop is lost.
const FACTORED_INSIDE: f64 = 1.0;

/// Per execution of an address: what it costs that terms are reordered.
const REORDERED: f64 = 0.5;

/// The most terms, and the most factors of each, that are looked at.
const MAX_TERMS: usize = 16;

/// A factor of a product, as the compiler sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Constant(u64),
    Class(Index),
}

type Product = SmallVec<[Factor; 4]>;

impl Selector<'_> {
    /// What it costs that the compiler rewrites the sum of a candidate of class `c`, under the choices that are made
    /// for its operands. `single` tells whether a class has no other use.
    pub(super) fn rewriting(
        &self,
        c: Index,
        candidate: &Candidate<'_>,
        single: impl Fn(Index) -> bool,
    ) -> f64 {
        let executed = self.executed[c];
        let (Some((BinOp::Add | BinOp::Sub, ..)), &[a, b]) =
            (candidate.node.as_bin(), self.operands(candidate))
        else {
            return 0.0;
        };
        if executed == 0.0 {
            return 0.0;
        }
        let (a, b) = (a as Index, b as Index);
        let mut cost = 0.0;
        if self.have_common_factor(a, b, &single) {
            let place = self.candidate_needs(candidate);
            let inside = self.frequency[place.scope.0 as usize] >= executed;
            cost += if inside { FACTORED_INSIDE } else { FACTORED_OUTSIDE };
        }
        if single(b) && self.is_variable_sum(b) {
            cost += REORDERED;
        }
        cost * executed
    }

    /// Whether a product among the terms of `a` and one among those of `b` have a factor in common.
    fn have_common_factor(&self, a: Index, b: Index, single: &impl Fn(Index) -> bool) -> bool {
        let mut right = Vec::new();
        self.products(b, single, &mut right);
        if right.is_empty() {
            return false;
        }
        let mut left = Vec::new();
        self.products(a, single, &mut left);
        left.iter().any(|t| right.iter().any(|u| t.iter().any(|f| u.contains(f))))
    }

    /// Whether the class is computed as a sum of two terms that are not constant.
    fn is_variable_sum(&self, c: Index) -> bool {
        self.chosen(c).is_some_and(|k| {
            matches!(k.node.op, Op::Bin(BinOp::Add | BinOp::Sub))
                && self.operands(k).iter().all(|&child| self.constant(child as Index).is_none())
        })
    }

    fn constant(&self, c: Index) -> Option<i64> {
        match self.chosen(c)?.node.op {
            Op::Int(v) => Some(v.get()),
            _ => None,
        }
    }

    /// The terms of `c` that are products.
    fn products(&self, c: Index, single: &impl Fn(Index) -> bool, out: &mut Vec<Product>) {
        if out.len() >= MAX_TERMS || !single(c) {
            return;
        }
        match self.chosen(c).map(|k| (&k.node.op, self.operands(k))) {
            Some((Op::Bin(BinOp::Add | BinOp::Sub), &[a, b])) => {
                self.products(a as Index, single, out);
                self.products(b as Index, single, out);
            }
            Some((Op::Bin(BinOp::Mul), _)) => {
                let mut factors = Product::new();
                self.factors(c, single, &mut factors);
                out.push(factors);
            }
            _ => {}
        }
    }

    fn factors(&self, c: Index, single: &impl Fn(Index) -> bool, out: &mut Product) {
        if out.len() >= MAX_TERMS {
            return;
        }
        if let Some(v) = self.constant(c) {
            out.push(Factor::Constant(v.unsigned_abs()));
            return;
        }
        match self.chosen(c) {
            Some(k) if matches!(k.node.op, Op::Bin(BinOp::Mul)) && single(c) => {
                for &child in self.operands(k) {
                    self.factors(child as Index, single, out);
                }
            }
            _ => out.push(Factor::Class(c)),
        }
    }
}
