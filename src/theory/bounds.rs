//! Ranges of polynomials, from those of their atoms and through remainders.

use egg::Id;

use super::quotients::{quotient_of, truncated_quotient_of, without_remainder};
use crate::arith::Interval;
use crate::egraph::{Graph, Knowing, Poly};

/// How often a bound looks through a remainder `P - c * (P // c)`.
pub(super) const BOUND_DEPTH: u32 = 3;

/// A range of the polynomial's value. Looks through remainders: where `P` holds `k*(N - c*(N // c))`, that part
/// lies in `k * [0, c-1]` (in `k * [1-c, c-1]` for truncating division).
pub(crate) fn bound(graph: &Graph, poly: &Poly, depth: u32) -> Interval {
    bound_within(graph, poly, depth, &mut { MAX_LOOKS })
}

/// As [`bound`], with at most so many ways looked at to leave remainders out.
fn bound_within(graph: &Graph, poly: &Poly, depth: u32, looks: &mut u32) -> Interval {
    graph.analysis.spend_on_terms(1 + poly.terms().len());
    let mut best = bound_terms(graph, poly);
    if depth == 0 || poly.terms().len() < 2 {
        return best;
    }
    if let Some(exact) = bound_by_corners(graph, poly) {
        best = best.meet(exact).unwrap_or(best);
    }
    // All ways to look through a short sum are tried, of a long one only one: a step each for its many remainders.
    if poly.terms().len() > MAX_SEARCHED_TERMS {
        return bound_through_all(graph, poly, best);
    }
    for (rest, range) in remainders_out(graph, poly) {
        let Some(left) = looks.checked_sub(1) else { return bound_through_all(graph, poly, best) };
        *looks = left;
        let through = bound_within(graph, &rest, depth - 1, looks).add(range);
        best = best.meet(through).unwrap_or(best);
    }
    best
}

/// The most terms of a sum in which all orders of looking through remainders are tried.
const MAX_SEARCHED_TERMS: usize = 16;

/// The most ways that are looked at in these orders.
const MAX_LOOKS: u32 = 64;

/// As [`bound`] with `best` known: looks through one remainder after the other.
fn bound_through_all(graph: &Graph, poly: &Poly, best: Interval) -> Interval {
    let (mut best, mut through) = (best, Interval::point(0));
    let mut rest = poly.clone();
    loop {
        let next = if graph.analysis.is_spent() { None } else { remainders_out(graph, &rest).next() };
        let Some((next, range)) = next else { return best };
        rest = next;
        through = through.add(range);
        graph.analysis.spend_on_terms(rest.terms().len());
        best = best.meet(bound_terms(graph, &rest).add(through)).unwrap_or(best);
    }
}

/// For each remainder that the polynomial holds: the rest, which is shorter, and the range of what was taken out.
fn remainders_out<'a>(graph: &'a Graph, poly: &'a Poly) -> impl Iterator<Item = (Poly, Interval)> + 'a {
    poly.terms().iter().filter_map(move |(monomial, k)| {
        let [atom] = monomial[..] else { return None };
        let floor = quotient_of(graph, atom).map(|(n, c)| (n, c, 0));
        let quotient = floor.or_else(|| truncated_quotient_of(graph, atom).map(|(n, c)| (n, c, 1 - c)));
        let (numerator, c, least) = quotient?;
        graph.analysis.spend_on_terms(numerator.terms().len());
        if k % c != 0 {
            return None;
        }
        // poly = rest + q * (N - c * atom) with q = -k / c.
        let q = -(k / c);
        let rest = without_remainder(poly, &numerator, monomial, *k, q)?;
        let remainder = Interval::new(least, c - 1)?;
        Some((rest, remainder.mul(Interval::point(q))))
    })
}

/// The most atoms of a polynomial whose corners are evaluated.
const MAX_CORNER_ATOMS: usize = 4;

/// The range of a polynomial with products, in which every atom is bounded and no term holds one twice: as a function
/// of one atom it is linear, so its least and its greatest value are at corners.
fn bound_by_corners(graph: &Graph, poly: &Poly) -> Option<Interval> {
    let products = poly.terms().iter().any(|(m, _)| m.len() > 1);
    if !products || poly.terms().iter().any(|(m, _)| m.windows(2).any(|w| w[0] == w[1])) {
        return None;
    }
    let atoms = poly.atoms();
    if atoms.len() > MAX_CORNER_ATOMS {
        return None;
    }
    let ranges: Option<Vec<(i64, i64)>> = atoms
        .iter()
        .map(|&atom| {
            let range = graph.facts(atom).interval;
            range.lo().zip(range.hi())
        })
        .collect();
    let ranges = ranges?;
    let mut hull: Option<Interval> = None;
    for corner in 0..1usize << atoms.len() {
        let end = |atom: Id| {
            let at = atoms.iter().position(|&a| a == atom)?;
            let (lo, hi) = ranges[at];
            Some(if corner >> at & 1 == 1 { hi } else { lo })
        };
        let value = Interval::point(value_of(poly, end)?);
        hull = Some(hull.map_or(value, |h| h.join(value)));
    }
    hull
}

/// The value of a polynomial, given that of each atom.
fn value_of(poly: &Poly, atom: impl Fn(Id) -> Option<i64>) -> Option<i64> {
    // Few need more than 64 bits on the way, with which computing takes several times as long.
    let wide = || {
        let value = poly.terms().iter().try_fold(0_i128, |sum, (monomial, c)| {
            let first = i128::from(*c);
            let product =
                monomial.iter().try_fold(first, |product, &id| product.checked_mul(i128::from(atom(id)?)))?;
            sum.checked_add(product)
        })?;
        i64::try_from(value).ok()
    };
    poly.value(&atom).or_else(wide)
}

fn bound_terms(graph: &Graph, poly: &Poly) -> Interval {
    let mut sum = Interval::point(0);
    for (monomial, c) in poly.terms() {
        let mut product = Interval::point(*c);
        let mut rest = &monomial[..];
        while let Some((&atom, tail)) = rest.split_first() {
            let range = graph.facts(atom).interval;
            if tail.first() == Some(&atom) {
                // A square is not negative.
                let factor = range.mul(range);
                product = product.mul(factor.meet(Interval::NON_NEGATIVE).unwrap_or(factor));
                rest = &tail[1..];
            } else {
                product = product.mul(range);
                rest = tail;
            }
        }
        sum = sum.add(product);
    }
    sum
}
