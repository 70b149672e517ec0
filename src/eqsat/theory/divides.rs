//! Divisibility of normal forms, from the residues of their atoms.

use super::super::facts::Graph;
use super::super::poly::Poly;
use crate::arith::Residue;

/// What is known of the polynomial's value modulo something.
pub(crate) fn residue_of(graph: &Graph, poly: &Poly) -> Residue {
    poly.terms().iter().fold(Residue::point(0), |sum, (monomial, c)| {
        let factors = monomial.iter().map(|&atom| graph[graph.find(atom)].data.residue);
        sum.add(factors.fold(Residue::point(*c), Residue::mul))
    })
}
