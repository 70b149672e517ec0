//! Minimum and maximum as operations on sets of normal forms.
//!
//! `min` of any nesting is `C + g * min(P, Q, …)`: operands that another one bounds are dropped, what all operands have
//! in common is taken out, and the rest is one chain in a fixed order. So associativity and commutativity, idempotence,
//! absorption of bounds and `min(x + z, y + z) = min(x, y) + z` are decided without being enumerated. `max` is the
//! same with the signs reversed.

use egg::Id;

use super::bounds::{BOUND_DEPTH, bound};
use super::sums::{build, unite_with};
use super::{samples, sign};
use crate::egraph::{Axiom, Graph, Knowing, Node, Poly, common_factor, poly_of};
use crate::ir::BinOp;

/// The most operands of one chain.
const MAX_OPERANDS: usize = 8;

/// How deep nested extrema are looked into; classes may hold each other.
const MAX_DEPTH: u32 = 8;

/// The other of minimum and maximum.
pub(crate) fn dual(op: BinOp) -> BinOp {
    if op == BinOp::Min { BinOp::Max } else { BinOp::Min }
}

/// One step for a minimum or maximum.
pub(super) fn extremum(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let dtype = graph.facts(a).dtype;
    let mut operands = Vec::new();
    let mut whole = true;
    for side in [a, b] {
        let poly = Poly::clone(&poly_of(graph, side));
        whole &= gather(graph, op, id, poly, MAX_DEPTH, &mut operands);
    }
    let gathered = operands.len();
    without_bounded(graph, op, &mut operands);
    // The order of a part of a chain is no order of the chain: bringing parts of new chains into order would never end.
    if !whole && operands.len() == gathered {
        return false;
    }
    if let [single] = &operands[..] {
        let single = single.clone();
        return unite_with(graph, id, &single, dtype, Axiom::ExtremumBounded);
    }
    let Some((common, factor)) = take_common(&mut operands) else { return false };
    let (op, factor) = if factor < 0 { (dual(op), factor) } else { (op, factor) };
    let mut classes: Vec<Id> = operands.iter().map(|p| build(graph, p, dtype)).collect();
    classes.sort_unstable();
    classes.dedup();
    let Some(chain) = classes.into_iter().reduce(|x, y| graph.add(Node::bin(op, dtype, x, y))) else {
        return false;
    };
    let result = poly_of(graph, chain).scale(factor).and_then(|p| p.add(&common));
    match result {
        Some(p) if p.as_atom() == Some(graph.find(chain)) => {
            graph.unite(id, chain, Axiom::ExtremumNormalForm)
        }
        Some(p) => unite_with(graph, id, &p, dtype, Axiom::ExtremumNormalForm),
        None => false,
    }
}

/// The operands of a class that is a sum with one extremum in it: `R + k * min(P, Q)` is `min(R + k*P, R + k*Q)`.
pub(crate) fn operands_of(graph: &Graph, op: BinOp, poly: &Poly) -> Option<(Poly, Poly)> {
    let mut found = None;
    for (monomial, k) in poly.terms() {
        let [atom] = monomial[..] else { continue };
        let op = if *k > 0 { op } else { dual(op) };
        let class = graph.find(atom);
        let pair = graph[class].nodes.iter().find_map(|node| {
            let (_, a, b) = node.as_bin().filter(|(o, ..)| *o == op)?;
            let (p, q) = (poly_of(graph, a), poly_of(graph, b));
            (!p.mentions(class) && !q.mentions(class)).then_some((p, q))
        });
        if let Some((p, q)) = pair {
            if found.is_some() {
                return None;
            }
            let rest = poly.filter(|m, _| m != monomial);
            found = Some((p.scale(*k)?.add(&rest)?, q.scale(*k)?.add(&rest)?));
        }
    }
    found
}

/// Adds the operands of nested extrema of one kind; whether these are all that there are. `owner` is the class that is being
/// described.
fn gather(graph: &Graph, op: BinOp, owner: Id, poly: Poly, depth: u32, operands: &mut Vec<Poly>) -> bool {
    let nested = if poly.mentions(graph.find(owner)) { None } else { operands_of(graph, op, &poly) };
    let taken_apart = depth > 0 && operands.len() < MAX_OPERANDS;
    match nested {
        Some((p, q)) if taken_apart => {
            let whole = gather(graph, op, owner, p, depth - 1, operands);
            gather(graph, op, owner, q, depth - 1, operands) && whole
        }
        nested => {
            if !operands.contains(&poly) {
                operands.push(poly);
            }
            nested.is_none()
        }
    }
}

/// Drops operands that another one bounds.
fn without_bounded(graph: &Graph, op: BinOp, operands: &mut Vec<Poly>) {
    let mut i = 0;
    while i < operands.len() {
        let redundant = (0..operands.len()).filter(|&j| j != i).any(|j| {
            let (p, q) = (&operands[i], &operands[j]);
            if op == BinOp::Min {
                at_least(graph, p, q, CASE_DEPTH)
            } else {
                at_least(graph, q, p, CASE_DEPTH)
            }
        });
        if redundant {
            operands.remove(i);
        } else {
            i += 1;
        }
    }
}

/// How many extrema a comparison of two operands takes apart.
const CASE_DEPTH: u32 = 2;

/// Whether `p >= q` is proven; extrema on either side are taken apart.
fn at_least(graph: &Graph, p: &Poly, q: &Poly, depth: u32) -> bool {
    let Some(difference) = p.sub(q) else { return at_least_by_cases(graph, p, q, depth) };
    if samples::refutes_not_negative(graph, &difference) {
        return false;
    }
    let range = bound(graph, &difference, BOUND_DEPTH);
    if range.at_least(0) || range.at_most(-1) {
        return range.at_least(0);
    }
    if graph.analysis.unproven.borrow().contains(&difference) {
        return false;
    }
    let proven = graph.analysis.contextual && sign::not_negative(graph, &difference)
        || at_least_by_cases(graph, p, q, depth);
    if !proven && depth == CASE_DEPTH {
        graph.analysis.unproven.borrow_mut().insert(difference);
    }
    proven
}

fn at_least_by_cases(graph: &Graph, p: &Poly, q: &Poly, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let left = |(a, b): &(Poly, Poly), every: bool| {
        let of = |x: &Poly| at_least(graph, x, q, depth - 1);
        if every { of(a) && of(b) } else { of(a) || of(b) }
    };
    let right = |(a, b): &(Poly, Poly), every: bool| {
        let of = |x: &Poly| at_least(graph, p, x, depth - 1);
        if every { of(a) && of(b) } else { of(a) || of(b) }
    };
    let split = |op: BinOp, p: &Poly| operands_of(graph, op, p);
    split(BinOp::Max, p).is_some_and(|pair| left(&pair, false))
        || split(BinOp::Min, p).is_some_and(|pair| left(&pair, true))
        || split(BinOp::Max, q).is_some_and(|pair| right(&pair, true))
        || split(BinOp::Min, q).is_some_and(|pair| right(&pair, false))
}

/// The operands of the nested extrema of one kind that a class is.
pub(crate) fn flat(graph: &Graph, op: BinOp, class: Id) -> Vec<Poly> {
    let mut operands = Vec::new();
    let pair = graph[graph.find(class)].nodes.iter().find_map(|n| n.as_bin().filter(|(o, ..)| *o == op));
    if let Some((_, a, b)) = pair {
        for side in [a, b] {
            gather(graph, op, class, Poly::clone(&poly_of(graph, side)), MAX_DEPTH, &mut operands);
        }
    }
    operands
}

/// Takes out of all operands what they have in common: `operand = common + factor * rest`. The factor is negative if
/// the first operand would start with a negative coefficient.
fn take_common(operands: &mut [Poly]) -> Option<(Poly, i64)> {
    let first = operands.first()?.clone();
    let mut common = Poly::default();
    for (monomial, c) in first.terms() {
        let coefficients = operands.iter().map(|p| p.coefficient(monomial));
        let least = if monomial.is_empty() {
            coefficients.min()?
        } else if *c > 0 {
            coefficients.min()?.max(0)
        } else {
            coefficients.max()?.min(0)
        };
        common = common.add(&Poly::term(monomial.clone(), least))?;
    }
    if first.const_term() == 0 {
        let least = operands.iter().map(Poly::const_term).min()?;
        common = common.add(&Poly::constant(least))?;
    }
    for p in operands.iter_mut() {
        *p = p.sub(&common)?;
    }
    let rests: Vec<&Poly> = operands.iter().collect();
    let (_, g) = common_factor(&rests);
    let sign = operands.iter().map(Poly::leading_sign).find(|&s| s != 0).unwrap_or(1);
    let all_negative = operands.iter().all(|p| p.terms().iter().all(|(_, c)| *c < 0));
    let factor = if sign < 0 && all_negative { g.checked_neg()? } else { g };
    for p in operands.iter_mut() {
        *p = if factor < 0 { p.exact_div(g).scale(-1)? } else { p.exact_div(g) };
    }
    Some((common, factor))
}
