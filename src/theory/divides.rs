//! Divisibility of normal forms, from the residues of their atoms, and quotients that leave a known remainder.

use std::sync::Arc;

use egg::Id;

use super::quotients::quotient_of;
use crate::arith::Residue;
use crate::egraph::{Graph, Knowing, Monomial, Poly};

/// The most quotients taken out of one sum.
const MAX_EXACT: usize = 16;

/// What is known of the polynomial's value modulo something.
pub(crate) fn residue_of(graph: &Graph, poly: &Poly) -> Residue {
    poly.terms().iter().fold(Residue::point(0), |sum, (monomial, c)| {
        let factors = monomial.iter().map(|&atom| graph.facts(atom).residue);
        sum.add(factors.fold(Residue::point(*c), Residue::mul))
    })
}

/// The polynomial without multiples `k*c * (N // c)` of quotients whose remainder `r` is known at the place that the graph
/// is about: each is `k * (N - r)`. `None` if it holds none.
pub(super) fn multiplied_out(graph: &Graph, poly: &Poly) -> Option<Poly> {
    if !graph.analysis.knows_rests {
        return None;
    }
    let mut found = None;
    for _ in 0..MAX_EXACT {
        match without_quotient(graph, found.as_ref().unwrap_or(poly)) {
            Some(next) => found = Some(next),
            None => break,
        }
    }
    found
}

fn without_quotient(graph: &Graph, poly: &Poly) -> Option<Poly> {
    poly.terms().iter().find_map(|(monomial, k)| {
        monomial.iter().find_map(|&atom| {
            let (numerator, c, rest) = known_remainder(graph, atom).filter(|(_, c, _)| k % c == 0)?;
            let factor = Poly::term(monomial.divide(&Monomial::atom(atom))?, k / c);
            let exact = numerator.add(&Poly::constant(rest.checked_neg()?))?.mul(&factor)?;
            poly.sub(&Poly::term(monomial.clone(), *k))?.add(&exact)
        })
    })
}

/// If the class is a quotient `N // c` by a positive constant and the remainder is known: the normal form of `N`, `c` and
/// the remainder.
pub(crate) fn known_remainder(graph: &Graph, class: Id) -> Option<(Arc<Poly>, i64, i64)> {
    let (numerator, c) = quotient_of(graph, class)?;
    let rest = residue_of(graph, &numerator).rest_modulo(c)?;
    Some((numerator, c, rest))
}
