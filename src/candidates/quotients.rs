//! Ways to write sums that hold quotients, minima or maxima: candidates for extraction, beside those of
//! [`sums`](super::sums).
//!
//! - *remainders*: `R - c * (N // c) + N` as `R + N % c`, also by the other side `c - 1 - N`, and truncating;
//! - *absorbed terms*: `R + N // c` as `(N + c*R) // c`, and `R + min(P, Q)` as `min(P + R, Q + R)`, where `R` cancels
//!   something;
//! - *differences of quotients*: `(N + d) // c - N // c` as `(N % c + d) // c`;
//! - *negative factors*: `-(x * c)` as `x * -c`;
//! - *common factors* of all terms, products of variables among them.

use std::hash::BuildHasher;
use std::sync::Arc;

use egg::Id;
use foldhash::quality::FixedState;

use crate::egraph::{Axiom, Graph, Knowing, Monomial, Node, Poly, common_factor, poly_of};
use crate::ir::{BinOp, DType};
use crate::theory::{self, build, default_form, extremum, quotient_of, remainders_in, truncated_quotient_of};

/// How many times a form is looked at for further forms inside of it.
const DEPTH: u32 = 3;

/// Puts the ways to write a class's polynomial into the class.
pub(crate) fn offer(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    shared_factor(graph, id, dtype);
    negative_divisor(graph, id, poly, dtype);
    negative_factor(graph, id, poly, dtype);
    offer_within(graph, id, poly, dtype, DEPTH);
}

/// Puts the ways to write a class's polynomial with remainders into the class.
pub(crate) fn remainders(graph: &mut Graph, id: Id) {
    let dtype = graph.facts(id).dtype;
    let poly = Poly::clone(&poly_of(graph, id));
    for with_remainder in remainders_in(graph, &poly, dtype) {
        let form = default_form(graph, &with_remainder, dtype);
        graph.union(id, form, Axiom::Remainder);
    }
}

fn offer_within(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType, depth: u32) {
    if depth == 0 || poly.as_atom().is_some() || !is_new(graph, id, poly, depth) {
        return;
    }
    for with_remainder in remainders_in(graph, poly, dtype) {
        let form = default_form(graph, &with_remainder, dtype);
        graph.union(id, form, Axiom::Remainder);
        factors(graph, id, &with_remainder, dtype, 1);
    }
    factors(graph, id, poly, dtype, depth);
    quotients(graph, id, poly, dtype, depth);
    extrema(graph, id, poly, dtype, depth);
}

/// Whether the polynomial is looked at for the class for the first time, at this depth or a larger one.
fn is_new(graph: &mut Graph, id: Id, poly: &Poly, depth: u32) -> bool {
    let id = graph.find(id);
    let key = |depth: u32| FixedState::default().hash_one((id, poly, depth));
    let visited = &mut graph.analysis_mut().visited;
    visited.insert(key(depth)) && {
        visited.extend((1..depth).map(key));
        true
    }
}

/// The class of a polynomial, with the ways to write it.
fn part(graph: &mut Graph, poly: &Poly, dtype: DType, depth: u32) -> Id {
    let id = build(graph, poly, dtype);
    offer_within(graph, id, poly, dtype, depth - 1);
    graph.find(id)
}

/// What divides every term, taken out.
fn factors(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType, depth: u32) {
    if poly.terms().len() < 2 {
        return;
    }
    let (monomial, constant) = common_factor(&[poly]);
    // With more than that out of the terms but the constant one, there is one product instead of two.
    if monomial.is_empty() && (constant == 1 || poly.const_term() != 0 && constant < poly.content()) {
        return;
    }
    let Some((inner, _)) = poly.split_by_term(&monomial, constant) else { return };
    let inner =
        if depth > 1 { part(graph, &inner, dtype, depth) } else { default_form(graph, &inner, dtype) };
    let factor = build(graph, &Poly::term(monomial, constant), dtype);
    let product = graph.add(Node::bin(BinOp::Mul, dtype, inner, factor));
    graph.union(id, product, Axiom::SumWritten);
}

/// Terms taken into a numerator, and differences of two quotients.
fn quotients(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType, depth: u32) {
    let atoms: Vec<(Monomial, i64, Arc<Poly>, i64)> = poly
        .terms()
        .iter()
        .filter_map(|(m, k)| {
            let [atom] = m[..] else { return None };
            let (numerator, c) = quotient_of(graph, atom).filter(|_| k.abs() == 1)?;
            Some((m.clone(), *k, numerator, c))
        })
        .collect();
    for (monomial, k, numerator, c) in &atoms {
        let rest = poly.filter(|m, _| m != monomial);
        let Some(rest_of_quotient) = rest.scale(*k) else { continue };
        let cancelling =
            rest_of_quotient.filter(|m, r| m.is_empty() || numerator.coefficient(m).signum() == -r.signum());
        for taken in [rest_of_quotient.filter(|m, _| m.is_empty()), cancelling, rest_of_quotient.clone()] {
            if taken.terms().is_empty() {
                continue;
            }
            absorb(graph, id, (*k, numerator, *c), &rest_of_quotient, &taken, dtype, depth);
        }
    }
    for (i, (m, k, n, c)) in atoms.iter().enumerate() {
        for (m2, k2, n2, c2) in &atoms[i + 1..] {
            if c != c2 || *k != -k2 {
                continue;
            }
            // k * (n // c - n2 // c), either as n2 and a difference or as n and the opposite one.
            difference(graph, id, poly, (m, m2), *k, (n, n2), *c, dtype);
            difference(graph, id, poly, (m2, m), *k2, (n2, n), *c, dtype);
        }
    }
}

/// `k * (N // c + T + R)` as `k * ((N + c*T) // c) + k*R`, where `whole` is `T + R`; the sign of `k` goes into the
/// numerator: `-(N // c) = (c - 1 - N) // c` is `-floor(x) = ceil(-x)`.
fn absorb(
    graph: &mut Graph,
    id: Id,
    (k, numerator, c): (i64, &Poly, i64),
    whole: &Poly,
    taken: &Poly,
    dtype: DType,
    depth: u32,
) {
    let form = |graph: &mut Graph| {
        let mut numerator = taken.scale(c).and_then(|t| numerator.add(&t))?;
        let mut rest = whole.sub(taken)?;
        if k < 0 {
            numerator = Poly::constant(c - 1).sub(&numerator)?;
            rest = rest.scale(-1)?;
        }
        let n = part(graph, &numerator, dtype, depth);
        let divisor = graph.add(Node::int(c, dtype));
        let quotient = graph.add(Node::bin(BinOp::FloorDiv, dtype, n, divisor));
        let sum = rest.add(&Poly::atom(graph.find(quotient)))?;
        Some(default_form(graph, &sum, dtype))
    };
    if let Some(form) = form(graph) {
        graph.union(id, form, Axiom::QuotientSplit);
    }
}

/// `k * (N // c - M // c) + R` as `k * ((M % c + (N - M)) // c) + R`.
#[expect(clippy::too_many_arguments, reason = "the parts of one sum")]
fn difference(
    graph: &mut Graph,
    id: Id,
    poly: &Poly,
    (m, m2): (&Monomial, &Monomial),
    k: i64,
    (n, n2): (&Poly, &Poly),
    c: i64,
    dtype: DType,
) {
    let Some(between) = n.sub(n2).filter(|d| d.terms().len() <= 2) else { return };
    let base = build(graph, n2, dtype);
    let divisor = graph.add(Node::int(c, dtype));
    let remainder = graph.add(Node::bin(BinOp::FloorMod, dtype, base, divisor));
    let Some(numerator) = between.add(&Poly::atom(remainder)) else { return };
    let numerator = default_form(graph, &numerator, dtype);
    let quotient = graph.add(Node::bin(BinOp::FloorDiv, dtype, numerator, divisor));
    let rest = poly.filter(|x, _| x != m && x != m2);
    if let Some(sum) = rest.add(&Poly::term(Monomial::atom(quotient), k)) {
        let form = default_form(graph, &sum, dtype);
        graph.union(id, form, Axiom::QuotientDifference);
    }
}

/// Terms taken into the operands of a minimum or maximum, where they cancel; and equal divisions taken out of it.
fn extrema(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType, depth: u32) {
    for (monomial, k) in poly.terms() {
        let [atom] = monomial[..] else { continue };
        let class = graph.find(atom);
        let op = graph[class].nodes.iter().find_map(|n| match n.as_bin() {
            Some((op @ (BinOp::Min | BinOp::Max), ..)) => Some(op),
            _ => None,
        });
        let Some(op) = op else { continue };
        let operands = extremum::flat(graph, op, class);
        quotient_out(graph, class, op, &operands, dtype);
        let op = if *k > 0 { op } else { extremum::dual(op) };
        let scaled: Option<Vec<Poly>> = operands.iter().map(|p| p.scale(*k)).collect();
        let Some(operands) = scaled else { continue };
        let rest = poly.filter(|m, _| m != monomial);
        let opposite =
            |p: &Poly, m: &Monomial, c: i64| !m.is_empty() && p.coefficient(m).signum() == -c.signum();
        let taken = rest.filter(|m, c| operands.iter().any(|p| opposite(p, m, c)));
        let constant = rest.filter(|m, _| m.is_empty());
        let with_constant = taken.add(&constant);
        for taken in [Some(taken), with_constant].into_iter().flatten() {
            if taken.terms().is_empty() && *k == 1 {
                continue;
            }
            let Some(rest) = rest.sub(&taken) else { continue };
            let Some(extremum) = extremum_with(graph, op, &operands, &taken, dtype, depth) else { continue };
            if let Some(sum) = rest.add(&Poly::atom(extremum)) {
                let form = default_form(graph, &sum, dtype);
                graph.union(id, form, Axiom::ExtremumOfSums);
            }
        }
    }
}

/// The extremum of `operand + taken`: those in which something cancels each on its own, the others together.
fn extremum_with(
    graph: &mut Graph,
    op: BinOp,
    operands: &[Poly],
    taken: &Poly,
    dtype: DType,
    depth: u32,
) -> Option<Id> {
    let shorter =
        |p: &Poly| p.add(taken).is_some_and(|sum| sum.terms().len() < p.terms().len() + taken.terms().len());
    let (cancelling, others): (Vec<&Poly>, Vec<&Poly>) = operands.iter().partition(|p| shorter(p));
    let mut parts = Vec::new();
    for p in cancelling {
        let sum = p.add(taken)?;
        parts.push(part(graph, &sum, dtype, depth));
    }
    let others: Vec<Id> = others.into_iter().map(|p| build(graph, p, dtype)).collect();
    let together = others.into_iter().reduce(|x, y| graph.add(Node::bin(op, dtype, x, y)));
    if let Some(together) = together {
        let sum = taken.add(&Poly::atom(graph.find(together)))?;
        parts.push(default_form(graph, &sum, dtype));
    }
    let extremum = parts.into_iter().reduce(|x, y| graph.add(Node::bin(op, dtype, x, y)))?;
    Some(graph.find(extremum))
}

/// `min(N // c + R, M // c + S)` as `min(N + c*R, M + c*S) // c`, for `c > 0`.
fn quotient_out(graph: &mut Graph, class: Id, op: BinOp, operands: &[Poly], dtype: DType) {
    let mut numerators = Vec::new();
    let mut divisor = None;
    for operand in operands {
        let found = operand.terms().iter().find_map(|(m, k)| match m[..] {
            [atom] if *k == 1 => quotient_of(graph, atom).map(|(n, c)| (m, n, c)),
            _ => None,
        });
        let Some((monomial, numerator, c)) = found else { return };
        if divisor.is_some_and(|d| d != c) {
            return;
        }
        divisor = Some(c);
        let rest = operand.filter(|m, _| m != monomial).scale(c);
        let Some(sum) = rest.and_then(|r| numerator.add(&r)) else { return };
        numerators.push(build(graph, &sum, dtype));
    }
    let extremum = numerators.into_iter().reduce(|x, y| graph.add(Node::bin(op, dtype, x, y)));
    if let (Some(extremum), Some(c)) = (extremum, divisor) {
        let c = graph.add(Node::int(c, dtype));
        let quotient = graph.add(Node::bin(BinOp::FloorDiv, dtype, extremum, c));
        graph.union(class, quotient, Axiom::ExtremumOfQuotients);
    }
}

/// `a*b + c*b` as `(a + c)*b` where the common factor is a sum itself, so that the polynomial does not show it.
fn shared_factor(graph: &mut Graph, id: Id, dtype: DType) {
    let id = graph.find(id);
    let sums: Vec<(BinOp, Id, Id)> = graph[id]
        .nodes
        .iter()
        .filter_map(Node::as_bin)
        .filter(|(op, ..)| matches!(op, BinOp::Add | BinOp::Sub))
        .take(MAX_NODES)
        .collect();
    for (op, a, b) in sums {
        let (left, right) = (products(graph, a), products(graph, b));
        let shared = left.iter().find_map(|&(x, factor)| {
            let sum = poly_of(graph, factor).terms().len() > 1;
            right.iter().find(|(_, f)| sum && *f == factor).map(|&(y, _)| (x, y, factor))
        });
        if let Some((x, y, factor)) = shared {
            let sum = graph.add(Node::bin(op, dtype, x, y));
            let product = graph.add(Node::bin(BinOp::Mul, dtype, sum, factor));
            graph.union(id, product, Axiom::SumWritten);
        }
    }
}

/// The most nodes of a class that are looked at for a shared factor.
const MAX_NODES: usize = 8;

/// The ways in which a class is a product of two classes, either as the factor.
fn products(graph: &Graph, class: Id) -> Vec<(Id, Id)> {
    let nodes = graph[graph.find(class)].nodes.iter().filter_map(Node::as_bin);
    nodes
        .filter(|(op, ..)| *op == BinOp::Mul)
        .take(MAX_NODES)
        .map(|(_, a, b)| (graph.find(a), graph.find(b)))
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .collect()
}

/// `0 - x * c` as `x * -c`.
fn negative_factor(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let Some((monomial, c)) = poly.as_term() else { return };
    if c < -1 && !monomial.is_empty() && theory::representable(c, dtype) {
        let x = build(graph, &Poly::term(monomial.clone(), 1), dtype);
        let factor = graph.add(Node::int(c, dtype));
        let product = graph.add(Node::bin(BinOp::Mul, dtype, x, factor));
        graph.union(id, product, Axiom::SumWritten);
    }
}

/// `-(N tdiv c)` as `N tdiv -c`.
fn negative_divisor(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let Some((monomial, -1)) = poly.as_term() else { return };
    let [atom] = monomial[..] else { return };
    if let Some((numerator, c)) = truncated_quotient_of(graph, atom) {
        let n = build(graph, &numerator, dtype);
        let c = graph.add(Node::int(-c, dtype));
        let quotient = graph.add(Node::bin(BinOp::Div, dtype, n, c));
        graph.union(id, quotient, Axiom::TruncationIsOdd);
    }
}
