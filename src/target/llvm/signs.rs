//! What the compiler of the result sees of signs.

use std::cell::OnceCell;

use egg::Id;

use crate::egraph::{ClassSet, Classes, Knowing, Op, poly_of};
use crate::ir::BinOp;

/// A range that ends here or below comes from constants: that of a dimension ends with its type's.
pub(super) const VISIBLE: i64 = (i32::MAX >> 8) as i64;

/// How deep terms are looked into for their sign, in rounds over the graph.
const SIGN_DEPTH: u32 = 6;

/// What the compiler sees of the signs of the classes of a function.
pub(super) struct Signs<'a> {
    graph: &'a Classes<'a>,
    /// [`visibly_positive`], once it was asked for.
    positive: OnceCell<ClassSet>,
}

impl<'a> Signs<'a> {
    pub(super) fn new(graph: &'a Classes<'a>) -> Signs<'a> {
        Signs { graph, positive: OnceCell::new() }
    }

    /// Whether the compiler can see that the class is not negative.
    pub(super) fn are_seen(&self, id: Id) -> bool {
        self.positive.get_or_init(|| visibly_positive(self.graph)).contains(self.graph.find(id))
    }

    /// Whether the class is not negative, but the compiler does not see it of the sum or difference of `a` and `b`. It sees it
    /// of a difference by the ranges of both, if it looks: `by_range`.
    pub(super) fn hide_sum(&self, class: Id, op: BinOp, a: Id, b: Id, by_range: bool) -> bool {
        let range = |id: Id| self.graph.facts(id).interval;
        let is_seen = match op {
            BinOp::Add => range(a).at_least(0) && range(b).at_least(0),
            _ => by_range && range(a).sub(range(b)).at_least(0),
        };
        range(class).at_least(0) && range(class).at_most(VISIBLE) && !is_seen
    }
}

/// The classes of which the compiler can see that they are not negative: it does not know that dimensions are not.
fn visibly_positive(graph: &Classes<'_>) -> ClassSet {
    let range = |id: Id| graph.facts(id).interval;
    let (bounded, mut open): (Vec<Id>, Vec<Id>) = graph
        .classes()
        .map(|class| class.id)
        .filter(|&id| range(id).at_least(0))
        .partition(|&id| range(id).at_most(VISIBLE));
    let mut seen = ClassSet::new(graph);
    seen.extend(bounded);
    for _ in 0..SIGN_DEPTH {
        let sees = |id: Id| seen.contains(graph.find(id));
        let by_node = |id: Id| {
            graph[id].nodes.iter().any(|n| match (&n.op, &n.children[..]) {
                (Op::Var(_), _) => graph.facts(id).level > 0,
                (Op::Bin(BinOp::FloorDiv | BinOp::FloorMod | BinOp::Min), &[a, b]) => sees(a) && sees(b),
                (Op::Bin(BinOp::Max), &[a, b]) => sees(a) || sees(b),
                _ => false,
            })
        };
        let by_terms = |id: Id| {
            poly_of(graph, id).terms().iter().all(|(m, c)| *c >= 0 && m.iter().all(|&atom| sees(atom)))
        };
        let (more, rest): (Vec<Id>, Vec<Id>) = open.into_iter().partition(|&id| by_node(id) || by_terms(id));
        if more.is_empty() {
            break;
        }
        open = rest;
        seen.extend(more);
    }
    seen
}

/// Whether the class is a constant that is no power of two: dividing by it is no shift.
pub(super) fn divides_slowly(graph: &Classes<'_>, id: Id) -> bool {
    graph[id]
        .nodes
        .iter()
        .any(|n| matches!(n.op, Op::Int(v) if v.get() != 0 && !v.get().unsigned_abs().is_power_of_two()))
}
