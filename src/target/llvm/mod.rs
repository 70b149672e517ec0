//! What LLVM makes of the expressions of a function, by what it sees of them: signs, addresses, unrolled loops.
//!
//! The weights of the cost model count operations; this module says what a way to write an expression costs beyond its own
//! operation. Compilers for GPUs are built on LLVM: of the [reasons](super::Reason) those that have to do with addressing
//! modes and 64-bit addresses on x86 do not go for them.

mod access;
mod copies;
mod divisions;
pub(super) mod nests;
pub(crate) mod rewritten;
mod signs;
mod sums;
mod unrolled;

use egg::Id;

use super::{Model, Reason};
use crate::cost::Frequency;
use crate::egraph::{Classes, Knowing, Node, Op};
use crate::encode::Lowered;
use crate::ir::{BinOp, Expr, ExprKind, PrimFunc};
use access::Addresses;
use copies::Copies;
use signs::Signs;
use sums::Sums;
use unrolled::Unrolled;

/// How many floor divisions of indices by what is no constant stand in a function: TVM and LLVM correct each for signs, unless
/// they see that there are none.
pub(crate) fn floor_divisions(func: &PrimFunc) -> usize {
    let mut count = 0;
    let mut look = |e: &Expr| {
        if let ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, _, divisor) = &e.kind {
            count += usize::from(e.dtype.is_index() && divisor.as_int().is_none());
        }
    };
    func.body.iter().for_each(|stmt| stmt.walk(&mut |stmt| stmt.for_each_expr(|e| e.walk(&mut look))));
    count
}

/// The penalties of the nodes of a function.
pub(crate) struct Penalties<'a> {
    graph: &'a Classes<'a>,
    model: Model,
    has_blocks: bool,
    addresses: Addresses<'a>,
    unrolled: Unrolled<'a>,
    copies: Copies,
    signs: Signs<'a>,
}

impl<'a> Penalties<'a> {
    /// The penalties of a function's nodes under a model; `None` if it has none.
    pub(crate) fn new(lowered: &Lowered, graph: &'a Classes<'a>, model: Model) -> Option<Penalties<'a>> {
        (model != Model::NEUTRAL).then(|| {
            let unrolled = Unrolled::new(lowered, graph);
            Penalties {
                graph,
                model,
                has_blocks: lowered.has_blocks,
                addresses: Addresses::new(lowered, graph),
                copies: Copies::new(graph, &unrolled),
                unrolled,
                signs: Signs::new(graph),
            }
        })
    }

    /// The penalty of a node of `class`, in units of 1/1024 of an operation; `is_new` if it does not stand in the input.
    pub(crate) fn of(&self, class: Id, node: &Node, is_new: bool) -> i32 {
        let mut sum = 0;
        self.reasons(class, node, is_new, |reason| sum += reason.parts());
        sum
    }

    /// The reasons for the penalty of a node.
    pub(crate) fn reasons(&self, class: Id, node: &Node, is_new: bool, mut found: impl FnMut(Reason)) {
        let mut found = |reason| {
            if self.model.has(reason) {
                found(reason);
            }
        };
        match node.op {
            Op::Bin(BinOp::FloorDiv | BinOp::FloorMod) => {
                let slow = divisions::of_slow(self.graph, &self.unrolled, &self.signs, node);
                slow.into_iter().for_each(&mut found);
                if self.has_blocks && divisions::is_nested(self.graph, node) {
                    found(Reason::NestedQuotient);
                }
                if is_new && self.copies.are_more(self.graph, &self.unrolled, class, node) {
                    found(Reason::CopiedQuotient);
                }
            }
            Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) => {
                let Penalties { graph, addresses, unrolled, signs, .. } = self;
                let sums = Sums { graph, addresses, unrolled, signs };
                sums.reasons(class, node, &mut found);
                if is_new {
                    sums.reason_of_new(class, node).into_iter().for_each(&mut found);
                }
            }
            _ => {}
        }
        if is_new && self.unrolled.is_divided(class) && divisions::compares(node) {
            found(Reason::DividedCondition);
        }
    }

    /// Whether the division is better written as one that truncates.
    pub(crate) fn truncates(&self, class: Id, node: &Node) -> bool {
        // Before blocks are lowered, TVM infers ranges from indices, for which it knows less of truncating division.
        self.model.has(Reason::TruncatedDivision)
            && !self.has_blocks
            && self.graph.facts(class).level > 0
            && divisions::hides_signs(self.graph, &self.signs, node)
    }

    /// The most that an address is executed that is computed from the class; zero if there is none.
    pub(crate) fn executed(&self, class: Id) -> Frequency {
        self.addresses.executed(class)
    }
}
