//! Which classes are addresses of elements, or parts of these.

use std::cell::OnceCell;
use std::cmp::Reverse;

use egg::Id;

use super::unrolled::{Unrolled, is_constant};
use crate::cost::Frequency;
use crate::egraph::{ClassMap, ClassSet, Classes, Knowing, Monomial, Node, Op, poly_of};
use crate::encode::{Lowered, Site};
use crate::ir::BinOp;

/// The addresses of a function.
pub(super) struct Addresses<'a> {
    graph: &'a Classes<'a>,
    /// Classes that are addresses of elements, but for a constant offset, with the most that one is executed.
    addresses: ClassMap<Frequency>,
    /// Classes that addresses are computed from without loads, with the most that one is executed.
    parts: ClassMap<Frequency>,
    /// Of these the ones that belong to no other addresses than such with a symbolic stride; `None` if there are no
    /// such addresses.
    strided: Option<ClassSet>,
    /// The parts of addresses that lie beside others, each with the greatest level of these; once they were asked for.
    beside: OnceCell<ClassMap<u32>>,
}

impl<'a> Addresses<'a> {
    pub(super) fn new(lowered: &Lowered, graph: &'a Classes<'a>) -> Addresses<'a> {
        let addresses = spread(graph, elements(lowered, graph), |id, next| {
            for node in &graph[id].nodes {
                match (&node.op, &node.children[..]) {
                    (Op::Ramp, &[base, _]) => next.push(graph.find(base)),
                    (Op::Bin(BinOp::Add | BinOp::Sub), &[base, offset]) if is_constant(graph, offset) => {
                        next.push(graph.find(base));
                    }
                    _ => {}
                }
            }
        });
        let all: Vec<(Id, Frequency)> = addresses.iter().collect();
        let (strided, others): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|&(id, _)| has_symbolic_stride(graph, id));
        let parts = parts_of(graph, all);
        let strided = (!strided.is_empty()).then(|| {
            let others = parts_of(graph, others);
            let mut only = ClassSet::new(graph);
            only.extend(parts_of(graph, strided).iter().map(|(id, _)| id).filter(|&id| !others.contains(id)));
            only
        });
        Addresses { graph, addresses, parts, strided, beside: OnceCell::new() }
    }

    /// Whether the class is an address, but for a constant offset.
    pub(super) fn contain(&self, class: Id) -> bool {
        self.addresses.contains(class)
    }

    /// Whether an address is computed from the class.
    pub(super) fn have_part(&self, class: Id) -> bool {
        self.parts.contains(class)
    }

    /// The most that an address is executed that is computed from the class; zero if there is none.
    pub(super) fn executed(&self, class: Id) -> Frequency {
        self.parts.get(class).unwrap_or(Frequency::ZERO)
    }

    /// Whether all addresses that are computed from the class have a symbolic stride.
    pub(super) fn have_strided_part(&self, class: Id) -> bool {
        self.strided.as_ref().is_some_and(|strided| strided.contains(class))
    }

    /// Whether an address that varies further in is computed from the class, beside which lie others: written out, or in an
    /// unrolled loop.
    pub(super) fn have_neighbours(&self, class: Id, unrolled: &Unrolled<'_>) -> bool {
        let level = |id: Id| self.graph.facts(id).level;
        let levels = self.beside.get_or_init(|| {
            let is_step = |(m, c): &(Monomial, i64)| *c == 1 && m.len() == 1 && unrolled.contains(m[0]);
            let lies_beside = |&id: &Id| {
                let poly = poly_of(self.graph, id);
                poly.const_term() != 0 || poly.terms().iter().any(is_step)
            };
            let addresses = self.addresses.iter().map(|(id, _)| id).filter(lies_beside);
            parts_of(self.graph, addresses.map(|id| (id, level(id))).collect())
        });
        levels.get(class).is_some_and(|most| most > level(class))
    }
}

/// Whether the class is a polynomial of loops' variables and of what varies in no loop, in which a variable of the innermost
/// loop has a factor that is not constant.
fn has_symbolic_stride(graph: &Classes<'_>, id: Id) -> bool {
    let is_variable = |id: Id| graph[id].nodes.iter().any(|n| matches!(n.op, Op::Var(_)));
    let poly = poly_of(graph, id);
    let level = graph.facts(id).level;
    let is_inmost = |&atom: &Id| graph.facts(atom).level == level;
    level > 0
        && poly.terms().iter().any(|(m, _)| m.len() > 1 && m.iter().any(is_inmost))
        && poly.atoms().into_iter().all(|atom| graph.facts(atom).level == 0 || is_variable(atom))
}

/// The classes that are indices of loads and stores, each with how often a statement runs that executes it.
fn elements(lowered: &Lowered, graph: &Classes<'_>) -> Vec<(Id, Frequency)> {
    let frequency = |site: &Site| lowered.scopes.get(site.place.scope).frequency;
    let mut sites: Vec<&Site> = lowered.sites.iter().collect();
    sites.sort_by_key(|site| Reverse(frequency(site)));
    let mut found = Vec::new();
    // The first site that reaches a load runs the most.
    let mut reached = ClassSet::new(graph);
    for site in sites {
        if site.address {
            found.push((graph.find(site.class), frequency(site)));
        }
        let mut waiting = vec![graph.find(site.class)];
        while let Some(id) = waiting.pop() {
            if !reached.insert(id) {
                continue;
            }
            for node in &graph[id].nodes {
                let operands = node.children.iter().map(|&c| graph.find(c));
                if matches!(node.op, Op::Load(..)) {
                    found.extend(operands.clone().map(|c| (c, frequency(site))));
                }
                waiting.extend(operands);
            }
        }
    }
    found
}

/// The classes that addresses are computed from without loads, each with the greatest number of one of these.
fn parts_of<N: Copy + Default + Ord>(graph: &Classes<'_>, addresses: Vec<(Id, N)>) -> ClassMap<N> {
    spread(graph, addresses, |id, next| {
        let computes = |n: &&Node| matches!(n.op, Op::Bin(_) | Op::Select | Op::IfThenElse | Op::Cast);
        for node in graph[id].nodes.iter().filter(computes).filter(|n| n.dtype.is_index()) {
            next.extend(node.children.iter().map(|&c| graph.find(c)));
        }
    })
}

/// The classes that can be reached from some, each with the greatest number of one from which it can.
fn spread<N: Copy + Default + Ord>(
    graph: &Classes<'_>,
    mut from: Vec<(Id, N)>,
    operands: impl Fn(Id, &mut Vec<Id>),
) -> ClassMap<N> {
    from.sort_by_key(|&(_, number)| number);
    let mut reached = ClassMap::new(graph);
    let mut waiting = Vec::new();
    while let Some((id, number)) = from.pop() {
        waiting.push(id);
        while let Some(id) = waiting.pop() {
            if !reached.contains(id) {
                reached.insert(id, number);
                operands(id, &mut waiting);
            }
        }
    }
    reached
}
