//! Sums that the compiler would rewrite.
//!
//! LLVM takes common factors out of sums (`a*x + b*x` becomes `(a + b)*x`), and brings the terms of a sum into one
//! order. It looks through everything that has no other use: bindings are no obstacle, a second use is. A sum that it
//! has rewritten may overflow for all that it knows afterwards; then the address that it is a part of is computed in
//! each iteration, and extended to 64 bits, where else a pointer would be advanced. Whether that happens depends on
//! the choices for the terms and on their other uses, so it cannot be told from a node alone.

use smallvec::SmallVec;

use crate::cost::Weight;
use crate::egraph::{Node, Op};
use crate::ir::BinOp;
use crate::target::{Model, Reason};

/// A class, by its number among those of which a node is chosen.
type Index = usize;

/// The most terms, and the most factors of each, that are looked at.
const MAX_TERMS: usize = 16;

/// A factor of a product, as the compiler sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Factor {
    Constant(u64),
    Class(Index),
}

type Product = SmallVec<[Factor; 4]>;

/// Nodes that are chosen for classes, and the uses of these.
pub(crate) trait Choices {
    /// The node that is chosen for a class.
    fn node(&self, class: Index) -> Option<&Node>;
    /// The operands of that node.
    fn operands(&self, class: Index) -> &[u32];
    /// Whether a class has no other use.
    fn is_single(&self, class: Index) -> bool;
}

/// What it costs each time that the compiler rewrites the sum of `a` and `b` in an address. `inside` tells whether the sum is
/// computed as often as the address: then a stride of the innermost loop is lost with a common factor.
pub(crate) fn penalty(model: Model, choices: &impl Choices, a: Index, b: Index, inside: bool) -> Weight {
    let terms = Terms(choices);
    let mut parts = 0;
    if model.has(Reason::CommonFactor) && terms.have_common_factor(a, b) {
        parts += Reason::CommonFactor.parts() * if inside { 2 } else { 1 };
    }
    if model.has(Reason::ReorderedSum) && choices.is_single(b) && terms.is_variable_sum(b) {
        parts += Reason::ReorderedSum.parts();
    }
    Weight::ZERO.changed_by(parts)
}

struct Terms<'a, C>(&'a C);

impl<C: Choices> Terms<'_, C> {
    /// Whether a product among the terms of `a` and one among those of `b` have a factor in common.
    fn have_common_factor(&self, a: Index, b: Index) -> bool {
        let mut right = Vec::new();
        self.products(b, &mut right);
        if right.is_empty() {
            return false;
        }
        let mut left = Vec::new();
        self.products(a, &mut left);
        left.iter().any(|t| right.iter().any(|u| t.iter().any(|f| u.contains(f))))
    }

    /// Whether the class is computed as a sum of two terms that are not constant.
    fn is_variable_sum(&self, c: Index) -> bool {
        self.0.node(c).is_some_and(|node| {
            matches!(node.op, Op::Bin(BinOp::Add | BinOp::Sub))
                && self.0.operands(c).iter().all(|&child| self.constant(child as Index).is_none())
        })
    }

    fn constant(&self, c: Index) -> Option<i64> {
        match self.0.node(c)?.op {
            Op::Int(v) => Some(v.get()),
            _ => None,
        }
    }

    /// The terms of `c` that are products.
    fn products(&self, c: Index, out: &mut Vec<Product>) {
        if out.len() >= MAX_TERMS || !self.0.is_single(c) {
            return;
        }
        match self.0.node(c).map(|node| (&node.op, self.0.operands(c))) {
            Some((Op::Bin(BinOp::Add | BinOp::Sub), &[a, b])) => {
                self.products(a as Index, out);
                self.products(b as Index, out);
            }
            Some((Op::Bin(BinOp::Mul), _)) => {
                let mut factors = Product::new();
                self.factors(c, &mut factors);
                out.push(factors);
            }
            _ => {}
        }
    }

    fn factors(&self, c: Index, out: &mut Product) {
        if out.len() >= MAX_TERMS {
            return;
        }
        if let Some(v) = self.constant(c) {
            out.push(Factor::Constant(v.unsigned_abs()));
            return;
        }
        match self.0.node(c) {
            Some(node) if matches!(node.op, Op::Bin(BinOp::Mul)) && self.0.is_single(c) => {
                for &child in self.0.operands(c) {
                    self.factors(child as Index, out);
                }
            }
            _ => out.push(Factor::Class(c)),
        }
    }
}
