//! Ways to write a polynomial as additions and multiplications: candidates for extraction.
//!
//! The theory decides which sums are equal; these functions put the ways of computing one that can pay into its
//! class, so that extraction can choose:
//!
//! - *outermost first*: terms ordered by the depth of the scope that they need, so that the invariant part of a
//!   sum is one subterm and can be hoisted, and a constant offset comes last, so that neighbours share the rest;
//! - *grouped by depth*: the terms of each depth summed on their own and added to what is further out, so that
//!   equal groups are shared between sums with different outer parts;
//! - *factored*: `a*x + b*x = (a + b)*x` and `c*x + c*y = c*(x + y)`, which gives Horner forms for nested sums;
//! - *remainders*: `k*N - k*c*(N // c) + R = k*(N % c) + R`, and of a group `k*x + q*(x // c) = (k*c + q)*(x // c) + k*(x % c)`;
//! - *written*: the input's own terms, outermost first ([`written`]);
//! - *reduced*: what is known to be small as a remainder ([`reduced`]);
//! - *congruent*: remainders of other dividends ([`congruent`]);
//! - *shared*: parts that several sums of the function have in common ([`shared`]).

mod congruent;
pub(crate) mod divisors;
mod reduced;
pub(crate) mod shared;
pub(crate) mod written;

use std::sync::Arc;

use egg::Id;

use super::TheoryLevel;
use super::facts::{Graph, Knowing, in_theory, is_full, poly_of};
use super::lang::Node;
use super::poly::{Monomial, Poly};
use super::rebuild::rebuild;
use super::theory::{build, compare, last_remainder_in, quotient_of, vector};
use crate::ir::{BinOp, DType};

/// The most terms of a sum for which factored forms are offered.
const MAX_FACTORED_TERMS: usize = 16;

/// What nodes are put into: an e-graph, or one that remembers them.
trait Emit {
    fn emit(&mut self, node: Node) -> Id;
    fn graph(&self) -> &Graph;
}

impl Emit for Graph {
    fn emit(&mut self, node: Node) -> Id {
        self.add(node)
    }

    fn graph(&self) -> &Graph {
        self
    }
}

/// Builds the polynomial outermost terms first and returns the class.
pub(crate) fn default_form(graph: &mut Graph, poly: &Poly, dtype: DType) -> Id {
    let terms = by_level(graph, poly);
    let mut sum = Sum::new(dtype);
    for (_, monomial, coefficient) in terms {
        let product = product(graph, &monomial, coefficient.unsigned_abs(), dtype);
        sum.push(graph, product, coefficient < 0);
    }
    sum.finish(graph, poly.const_term())
}

/// Offers ways to write the sums and the comparisons of all classes, as long as the graph holds at most `node_limit`
/// nodes.
pub(crate) fn offer_all(graph: &mut Graph, node_limit: usize) {
    if graph.analysis.level < TheoryLevel::Full {
        return offer_sums(graph, node_limit);
    }
    offer_each(graph, node_limit, |graph, wanted| {
        graph.classes().filter(|class| wanted(graph.facts(class.id).dtype)).map(|class| class.id).collect()
    });
    congruent::offer(graph, node_limit);
}

/// As [`offer_all`], of the classes that some node of the roots needs.
pub(crate) fn offer_needed(graph: &mut Graph, roots: &[Id], node_limit: usize) {
    if graph.analysis.level < TheoryLevel::Full {
        return offer_sums(graph, node_limit);
    }
    offer_each(graph, node_limit, |graph, wanted| {
        let mut ids = super::needed(graph, roots);
        ids.retain(|&id| wanted(graph.facts(id).dtype));
        ids
    });
}

/// What is offered below the full theory: sums and products by their normal forms, if those are known.
fn offer_sums(graph: &mut Graph, node_limit: usize) {
    if graph.analysis.level == TheoryLevel::None {
        return;
    }
    let sums = graph.classes().filter(|class| in_theory(graph.facts(class.id).dtype));
    let mut ids: Vec<Id> = sums.map(|class| class.id).collect();
    ids.sort_unstable();
    for id in ids {
        if is_full(graph, node_limit) {
            break;
        }
        offer(graph, id);
    }
    rebuild(graph);
}

/// `classes`: those of some types.
fn offer_each(graph: &mut Graph, node_limit: usize, classes: impl Fn(&Graph, fn(DType) -> bool) -> Vec<Id>) {
    let of_type = |graph: &Graph, wanted: fn(DType) -> bool| {
        let mut ids = classes(graph, wanted);
        ids.sort_unstable();
        ids
    };
    // The lanes of vectors are no code; operations on vectors are made of them.
    let lanes = vector::lane_bound(graph);
    for id in of_type(graph, |dtype| dtype == DType::BOOL) {
        if is_full(graph, node_limit) {
            break;
        }
        if !lanes.contains(&id) {
            compare::offer(graph, id);
        }
    }
    for id in of_type(graph, in_theory) {
        if is_full(graph, node_limit) {
            break;
        }
        let terms = poly_of(graph, id).terms().len();
        graph.analysis.spend(terms);
        if lanes.contains(&id) {
            super::shapes::remainders(graph, id);
        } else {
            offer(graph, id);
        }
    }
    rebuild(graph);
    vector::offer(graph, node_limit);
}

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
    graph.union(id, form);
    grouped(graph, id, &poly, dtype);
    let divides = graph.analysis.level == TheoryLevel::Full;
    if divides {
        remainders(graph, id, &poly, dtype);
    }
    if poly.terms().len() <= MAX_FACTORED_TERMS {
        factored(graph, id, &poly, dtype);
    }
    if divides && poly.terms().len() <= MAX_FACTORED_TERMS {
        super::shapes::offer(graph, id, &poly, dtype);
        if graph.analysis.contextual {
            reduced::offer(graph, id, &poly, dtype);
        }
    }
}

/// The terms but the constant one, by the level that they need, each level's in the polynomial's order.
fn by_level(graph: &Graph, poly: &Poly) -> Vec<(u32, Monomial, i64)> {
    let mut terms: Vec<(u32, Monomial, i64)> = poly
        .terms()
        .iter()
        .filter(|(m, _)| !m.is_empty())
        .map(|(m, c)| (monomial_level(graph, m), m.clone(), *c))
        .collect();
    terms.sort_by_key(|&(level, ..)| level);
    terms
}

fn level_of(graph: &Graph, id: Id) -> u32 {
    graph.facts(id).level
}

fn monomial_level(graph: &Graph, monomial: &Monomial) -> u32 {
    monomial.iter().map(|&id| level_of(graph, id)).max().unwrap_or(0)
}

/// `coefficient * monomial`, outermost atoms first and the coefficient with the first of them.
fn product(to: &mut impl Emit, monomial: &Monomial, coefficient: u64, dtype: DType) -> Id {
    let graph = to.graph();
    let mut atoms: Vec<Id> = monomial.iter().map(|&id| graph.find(id)).collect();
    atoms.sort_by_key(|&id| (level_of(graph, id), id));
    // A coefficient of 2^63 has no positive constant; it stays negative in the sum instead of being split here.
    let coefficient = i64::try_from(coefficient).unwrap_or(i64::MIN);
    let mut atoms = atoms.into_iter();
    let Some(mut value) = atoms.next() else { return to.emit(Node::int(coefficient, dtype)) };
    if coefficient != 1 {
        let factor = to.emit(Node::int(coefficient, dtype));
        value = to.emit(Node::bin(BinOp::Mul, dtype, value, factor));
    }
    for atom in atoms {
        value = to.emit(Node::bin(BinOp::Mul, dtype, value, atom));
    }
    value
}

/// A sum under construction: what has been added up, and what waits to be subtracted.
struct Sum {
    dtype: DType,
    positive: Option<Id>,
    negative: Option<Id>,
}

impl Sum {
    fn new(dtype: DType) -> Sum {
        Sum { dtype, positive: None, negative: None }
    }

    fn push(&mut self, to: &mut impl Emit, term: Id, negative: bool) {
        let dtype = self.dtype;
        match (self.positive, negative) {
            (Some(sum), false) => self.positive = Some(to.emit(Node::bin(BinOp::Add, dtype, sum, term))),
            (Some(sum), true) => self.positive = Some(to.emit(Node::bin(BinOp::Sub, dtype, sum, term))),
            (None, true) => {
                self.negative = Some(match self.negative {
                    Some(sum) => to.emit(Node::bin(BinOp::Add, dtype, sum, term)),
                    None => term,
                });
            }
            (None, false) => {
                self.positive = Some(match self.negative.take() {
                    Some(negative) => to.emit(Node::bin(BinOp::Sub, dtype, term, negative)),
                    None => term,
                });
            }
        }
    }

    fn finish(self, to: &mut impl Emit, constant: i64) -> Id {
        let dtype = self.dtype;
        match (self.positive, self.negative) {
            (None, None) => to.emit(Node::int(constant, dtype)),
            (None, Some(negative)) => {
                let start = to.emit(Node::int(constant, dtype));
                to.emit(Node::bin(BinOp::Sub, dtype, start, negative))
            }
            (Some(sum), _) if constant == 0 => sum,
            (Some(sum), _) => {
                let (op, magnitude) = match constant.checked_neg() {
                    Some(negated) if constant < 0 => (BinOp::Sub, negated),
                    _ => (BinOp::Add, constant),
                };
                let offset = to.emit(Node::int(magnitude, dtype));
                to.emit(Node::bin(op, dtype, sum, offset))
            }
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
    graph.union(id, form);
}

/// Remainders that stand in the polynomial in the form `N - c * (N // c)`: a form for each of them, of a long sum one
/// with all.
fn remainders(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) {
    if poly.terms().len() > MAX_FACTORED_TERMS {
        let mut all = poly.clone();
        for _ in poly.terms() {
            let Some(form) = last_remainder_in(graph, &all, dtype) else { break };
            all = form;
        }
        let form = default_form(graph, &all, dtype);
        graph.union(id, form);
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
    graph.union(id, form);
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
