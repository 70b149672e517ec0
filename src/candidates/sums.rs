//! Ways to write the polynomial of a class: grouped, factored, with remainders.

use std::sync::Arc;

use egg::Id;

use super::{quotients, reduced};
use crate::egraph::{Axiom, Graph, Knowing, Monomial, Node, Poly, TheoryLevel};
use crate::ir::{BinOp, DType};
use crate::theory::sums::{Sum, by_level, level_of};
use crate::theory::{build, default_form, last_remainder_in, quotient_of};

/// The most terms of a sum for which factored forms are offered.
pub(super) const MAX_FACTORED_TERMS: usize = 16;

/// Puts the candidate forms of a class's polynomial into the class.
pub(crate) fn offer(graph: &mut Graph, id: Id) {
    let class = &graph[id];
    let (id, dtype) = (class.id, graph.facts(class.id).dtype);
    let Some(poly) = &graph.facts(class.id).poly else { return };
    if poly.as_const().is_some() || poly.as_atom().is_some_and(|a| graph.find(a) == id) {
        return;
    }
    let poly = Arc::clone(poly);
    let form = default_form(graph, &poly, dtype);
    graph.union(id, form, Axiom::SumWritten);
    grouped(graph, id, &poly, dtype);
    let divides = graph.analysis.level == TheoryLevel::Full;
    if divides {
        remainders(graph, id, &poly, dtype);
    }
    if poly.terms().len() <= MAX_FACTORED_TERMS {
        factored(graph, id, &poly, dtype);
    }
    if divides && poly.terms().len() <= MAX_FACTORED_TERMS {
        quotients::offer(graph, id, &poly, dtype);
        if graph.analysis.contextual {
            reduced::offer(graph, id, &poly, dtype);
        }
    }
}

/// The sum of each level's terms on its own, added to the levels further out.
fn grouped(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let terms = by_level(graph, poly);
    let groups = || terms.chunk_by(|(level, ..), (next, ..)| level == next);
    if groups().count() < 2 || groups().all(|group| group.len() == 1) {
        return;
    }
    let mut sum = Sum::new(dtype);
    for group in groups() {
        let negative = group.iter().all(|(_, _, c)| *c < 0);
        let terms = group.iter().map(|(_, m, c)| (m.clone(), if negative { -c } else { *c }));
        let Some(part) = Poly::from_terms(terms) else { return };
        let group = build(graph, &part, dtype);
        split(graph, group, &part, dtype);
        sum.push(graph, group, negative);
    }
    let form = sum.finish(graph, poly.const_term());
    graph.union(id, form, Axiom::SumWritten);
}

/// Remainders that stand in the polynomial in the form `N - c * (N // c)`: a form for each of them, of a long sum one
/// with all.
pub(super) fn remainders(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    if poly.terms().len() > MAX_FACTORED_TERMS {
        let mut all = poly.clone();
        for _ in poly.terms() {
            let Some(form) = last_remainder_in(graph, &all, dtype) else { break };
            all = form;
        }
        let form = default_form(graph, &all, dtype);
        graph.union(id, form, Axiom::SumWritten);
        return;
    }
    for (monomial, k) in poly.terms() {
        let [atom] = monomial[..] else { continue };
        let Some((numerator, c)) = quotient_of(graph, atom) else { continue };
        if k % c != 0 {
            continue;
        }
        let q = -(k / c);
        let without = Poly::term(monomial.clone(), *k).scale(-1).and_then(|t| poly.add(&t));
        let Some(rest) = numerator.scale(q).zip(without).and_then(|(n, w)| w.sub(&n)) else { continue };
        if rest.terms().len() >= poly.terms().len() {
            continue;
        }
        let n = build(graph, &numerator, dtype);
        let c = graph.add(Node::int(c, dtype));
        let remainder = graph.add(Node::bin(BinOp::FloorMod, dtype, n, c));
        add_scaled(graph, id, remainder, q, &rest, dtype);
    }
}

/// `k*x + q*(x // c)` as `(k*c + q)*(x // c) + k*(x % c)`.
fn split(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let [(x, k), (y, q)] = poly.terms() else { return };
    for (dividend, k, quotient, q) in [(x, *k, y, *q), (y, *q, x, *k)] {
        let (&[dividend], &[atom]) = (&dividend[..], &quotient[..]) else { continue };
        let Some((numerator, c)) = quotient_of(graph, atom) else { continue };
        if k < 1 || q < 1 || *numerator != Poly::atom(graph.find(dividend)) {
            continue;
        }
        let factor = k.checked_mul(c).and_then(|kc| kc.checked_add(q));
        let Some(rest) = factor.map(|factor| Poly::term(quotient.clone(), factor)) else { continue };
        let divisor = graph.add(Node::int(c, dtype));
        let remainder = graph.add(Node::bin(BinOp::FloorMod, dtype, dividend, divisor));
        add_scaled(graph, id, remainder, k, &rest, dtype);
    }
}

/// Puts `q * factor + rest` into the class.
fn add_scaled(graph: &mut Graph, id: Id, factor: Id, q: i64, rest: &Poly, dtype: DType) {
    let magnitude = q.checked_abs().unwrap_or(q);
    let scaled = if magnitude == 1 {
        factor
    } else {
        let k = graph.add(Node::int(magnitude, dtype));
        graph.add(Node::bin(BinOp::Mul, dtype, factor, k))
    };
    let form = if rest.terms().is_empty() && q > 0 {
        scaled
    } else if rest.without_const().terms().is_empty() {
        let mut sum = Sum::new(dtype);
        sum.push(graph, scaled, q < 0);
        sum.finish(graph, rest.const_term())
    } else {
        let variable_part = build(graph, &rest.without_const(), dtype);
        let mut sum = Sum::new(dtype);
        if level_of(graph, variable_part) <= level_of(graph, scaled) || q < 0 {
            sum.push(graph, variable_part, false);
            sum.push(graph, scaled, q < 0);
        } else {
            sum.push(graph, scaled, q < 0);
            sum.push(graph, variable_part, false);
        }
        sum.finish(graph, rest.const_term())
    };
    graph.union(id, form, Axiom::SumWritten);
}

/// Common factors: of all variable terms a constant, and each atom that divides two terms or more.
fn factored(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let variable = poly.without_const();
    let g = variable.content();
    if g > 1 && variable.terms().len() > 1 {
        let inner = build(graph, &variable.exact_div(g), dtype);
        add_scaled(graph, id, inner, g, &Poly::constant(poly.const_term()), dtype);
    }
    for atom in poly.atoms() {
        if poly.terms().iter().filter(|(m, _)| m.contains(&atom)).count() < 2 {
            continue;
        }
        let Some((quotient, rest)) = poly.split_by_term(&Monomial::atom(atom), 1) else { continue };
        let inner = build(graph, &quotient, dtype);
        let atom = graph.find(atom);
        let product = graph.add(Node::bin(BinOp::Mul, dtype, inner, atom));
        add_scaled(graph, id, product, 1, &rest, dtype);
    }
    constant_factors(graph, id, poly, dtype);
}

/// `c*x + c*d*y + R` as `c*(x + d*y) + R`, for the coefficients that divide the most others.
fn constant_factors(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    let terms = poly.terms();
    let mut divisors: Vec<i64> = terms
        .iter()
        .filter(|(m, _)| !m.is_empty())
        .filter_map(|(_, c)| c.checked_abs())
        .filter(|&c| c > 1)
        .collect();
    divisors.sort_unstable();
    divisors.dedup();
    for c in divisors {
        let divided = |(m, k): &&(Monomial, i64)| !m.is_empty() && k % c == 0;
        if terms.iter().filter(divided).count() < 2 {
            continue;
        }
        let (quotient, rest): (Vec<_>, Vec<_>) = terms.iter().cloned().partition(|term| divided(&term));
        if rest.iter().all(|(m, _)| m.is_empty()) {
            continue;
        }
        let quotient = quotient.into_iter().map(|(m, k)| (m, k / c));
        let (Some(inner), Some(rest)) = (Poly::from_terms(quotient), Poly::from_terms(rest)) else {
            continue;
        };
        let inner = build(graph, &inner, dtype);
        add_scaled(graph, id, inner, c, &rest, dtype);
    }
}
