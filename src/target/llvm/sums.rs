//! Sums and products in addresses: what of them can be computed further out, and what the compiler still knows of them.

use egg::Id;

use super::access::Addresses;
use super::signs::{Signs, VISIBLE, divides_slowly};
use super::unrolled::{Unrolled, is_constant};
use crate::egraph::{Classes, Knowing, Monomial, Node, Op, Poly, poly_of};
use crate::ir::BinOp;
use crate::target::Reason;

/// The sums and products of a function's addresses.
pub(super) struct Sums<'a> {
    pub graph: &'a Classes<'a>,
    pub addresses: &'a Addresses<'a>,
    pub unrolled: &'a Unrolled<'a>,
    pub signs: &'a Signs<'a>,
}

impl Sums<'_> {
    /// The reasons against a node that is a sum or product.
    pub(super) fn reasons(&self, class: Id, node: &Node, mut found: impl FnMut(Reason)) {
        let Some((op, a, b)) = node.as_bin().filter(|_| self.addresses.have_part(class)) else { return };
        match op {
            BinOp::Add | BinOp::Sub => {
                let by_range = !self.unrolled.is_inmost(class);
                let is_backwards = op == BinOp::Add
                    && !is_constant(self.graph, b)
                    && (is_constant(self.graph, a) || self.level(a) > self.level(b));
                let is_detached = op == BinOp::Add
                    && self.addresses.contain(class)
                    && is_constant(self.graph, b)
                    && self.lowers_unrolled(a);
                for (holds, reason) in [
                    (self.signs.hide_sum(class, op, a, b, by_range), Reason::HiddenSign),
                    (is_detached, Reason::HiddenSign),
                    (self.is_rolled_first(a, b) || self.is_rolled_first(b, a), Reason::RolledFirst),
                    (is_backwards, Reason::OperandOrder),
                ] {
                    if holds {
                        found(reason);
                    }
                }
            }
            BinOp::Mul if self.scales_late(a, b) || self.scales_late(b, a) => found(Reason::LateProduct),
            _ => {}
        }
    }

    /// The reason against a sum or product that does not stand in the input.
    pub(super) fn reason_of_new(&self, class: Id, node: &Node) -> Option<Reason> {
        match node.op {
            Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) if self.addresses.have_strided_part(class) => {
                Some(Reason::NewStride)
            }
            Op::Bin(BinOp::Add)
                if self.addresses.have_part(class)
                    && self.has_quotient_of_part(node)
                    && self.addresses.have_neighbours(class, self.unrolled) =>
            {
                Some(Reason::MixedWidths)
            }
            _ => None,
        }
    }

    fn level(&self, id: Id) -> u32 {
        self.graph.facts(id).level
    }

    /// Whether a term of the class is the variable of an unrolled loop, subtracted: nothing tells that `x - unrolled` is not
    /// negative, where `x + 3 - unrolled` is a sum with one constant in each copy.
    fn lowers_unrolled(&self, id: Id) -> bool {
        let is_unrolled = |m: &Monomial| !m.is_empty() && m.iter().all(|&atom| self.unrolled.contains(atom));
        poly_of(self.graph, id).terms().iter().any(|(m, c)| *c < 0 && is_unrolled(m))
    }

    /// Whether the node adds a multiple of a variable's quotient to the variable.
    fn has_quotient_of_part(&self, node: &Node) -> bool {
        let atom = |id: Id| match poly_of(self.graph, id).as_term() {
            Some((m, _)) if m.len() == 1 => Some(self.graph.find(m[0])),
            _ => None,
        };
        let (Some(a), Some(b)) = (atom(node.children[0]), atom(node.children[1])) else { return false };
        let divides = |x: Id, quotient: Id| {
            self.graph[quotient].nodes.iter().any(|n| match n.as_bin() {
                Some((BinOp::FloorDiv, n, d)) => self.graph.find(n) == x && divides_slowly(self.graph, d),
                _ => false,
            })
        };
        divides(a, b) || divides(b, a)
    }

    /// Whether `outer` is a symbolic stride times the variable of an unrolled loop, and `inner` holds that of one which is not,
    /// with more that does not vary in it.
    fn is_rolled_first(&self, inner: Id, outer: Id) -> bool {
        if !self.unrolled.has_stride(outer) {
            return false;
        }
        let is_unrolled = |&atom: &Id| self.unrolled.contains(atom);
        let level = |atom: Id| if is_unrolled(&atom) { 0 } else { self.level(atom) };
        let terms = poly_of(self.graph, outer);
        let sum = poly_of(self.graph, inner);
        let rolled = factors(&sum).map(level).max().unwrap_or(0);
        factors(&terms).all(|atom| level(atom) < rolled)
            && sum
                .terms()
                .iter()
                .any(|(m, _)| !m.iter().all(is_unrolled) && m.iter().all(|&atom| level(atom) < rolled))
    }

    /// Whether `sum` has parts that can be computed further out, and `factor` is a constant, no power of two, that would better
    /// be applied to them there.
    fn scales_late(&self, sum: Id, factor: Id) -> bool {
        if !divides_slowly(self.graph, factor) || !self.is_mixed_sum(sum) {
            return false;
        }
        let level = self.level(sum);
        let poly = poly_of(self.graph, sum);
        let bounded = |atom: Id| self.graph.facts(atom).interval.at_most(VISIBLE);
        poly.atoms().into_iter().filter(|&atom| self.level(atom) == level).all(bounded)
    }

    /// Whether the class is computed as a sum of which a part can be computed further out.
    fn is_mixed_sum(&self, id: Id) -> bool {
        let class = &self.graph[id];
        let sums = |n: &Node| matches!(n.op, Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul));
        let level = self.level(id);
        class.nodes.iter().all(sums)
            && poly_of(self.graph, id)
                .terms()
                .iter()
                .any(|(m, _)| !m.is_empty() && m.iter().all(|&atom| self.level(atom) < level))
    }
}

/// The atoms of the polynomial, each as often as it stands there.
fn factors(poly: &Poly) -> impl Iterator<Item = Id> {
    poly.terms().iter().flat_map(|(monomial, _)| monomial.iter().copied())
}
