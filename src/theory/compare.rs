//! Comparisons of sums: decided by the range of the difference, and brought to one form for equal meaning.
//!
//! A comparison is `sum <= 0`, `sum == 0` or `sum != 0`. The terms' common factor is taken out, and so are parts
//! that are too small to matter: `g*A + r <= 0` with `k*g <= r < (k+1)*g` is `A + k < 1` where the end of the range
//! allows it.

use egg::Id;

use super::bounds::{BOUND_DEPTH, bound};
use super::quotients::truncated_quotient_of;
use super::sums::build;
use super::{divides, sign};
use crate::egraph::{Axiom, Graph, Knowing, Node, Poly, gcd, poly_of};
use crate::ir::{BinOp, DType};

/// Decides a comparison, or gives comparisons of equal meaning one class.
pub(super) fn compare(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let dtype = graph.facts(a).dtype;
    if graph.facts(id).interval.as_point().is_some() {
        return false;
    }
    let Some(difference) = poly_of(graph, a).sub(&poly_of(graph, b)) else { return false };
    if let Some(truth) = sign::sign_by_range(graph, &difference).decide(op) {
        return decide(graph, id, truth, Axiom::ComparisonByRange);
    }
    let Some((kind, sum)) = normal(op, &difference) else { return false };
    if kind != BinOp::Le && never_zero(graph, &sum) {
        return decide(graph, id, kind == BinOp::Ne, Axiom::ComparisonByDivisibility);
    }
    let sum = reduced(graph, kind, sum);
    // The terms' common factor does not divide the constant: never equal.
    if kind != BinOp::Le && sum.const_term() % sum.content().max(1) != 0 {
        return decide(graph, id, kind == BinOp::Ne, Axiom::ComparisonByDivisibility);
    }
    let Some((left, right)) = canonical_sides(&sum, kind) else { return false };
    let left = build(graph, &left, dtype);
    let right = build(graph, &right, dtype);
    let canonical = graph.add(Node::bin(kind, dtype, left, right));
    let changed = graph.unite(id, canonical, Axiom::ComparisonNormalForm);
    if (kind, left, right) != (op, a, b) {
        return changed;
    }
    // Proofs from assumptions are tried once for all comparisons of one meaning.
    if graph.analysis.contextual {
        let Some(difference) = poly_of(graph, left).sub(&poly_of(graph, right)) else { return changed };
        if let Some(truth) = sign::sign(graph, &difference).decide(kind) {
            return decide(graph, id, truth, Axiom::ComparisonByFacts);
        }
    }
    changed
}

/// `sum <= 0` without what cannot change whether it holds.
pub(crate) fn reduced(graph: &Graph, kind: BinOp, sum: Poly) -> Poly {
    if kind != BinOp::Le {
        return sum;
    }
    let sum = sign::without_quotients(graph, sum);
    let sum = without_truncation(graph, &sum).unwrap_or(sum);
    without_small_parts(graph, sum)
}

/// `N tdiv c <= m` and `N tdiv c >= m` as bounds of `N`.
fn without_truncation(graph: &Graph, sum: &Poly) -> Option<Poly> {
    let variable = sum.without_const();
    let (monomial, sign) = variable.as_term()?;
    let [atom] = monomial[..] else { return None };
    let (numerator, c) = truncated_quotient_of(graph, atom)?;
    let k = sum.const_term();
    match sign {
        // At most m: below c*(m + 1), or at most c*m where that is negative.
        1 => {
            let m = k.checked_neg()?;
            let most = if m >= 0 { c.checked_mul(m.checked_add(1)?)? - 1 } else { c.checked_mul(m)? };
            numerator.sub(&Poly::constant(most))
        }
        // At least k: at least c*k, or above c*(k - 1) where that is not positive.
        -1 => {
            let least =
                if k > 0 { c.checked_mul(k)? } else { c.checked_mul(k.checked_sub(1)?)?.checked_add(1)? };
            Poly::constant(least).sub(&numerator)
        }
        _ => None,
    }
}

fn decide(graph: &mut Graph, id: Id, truth: bool, why: Axiom) -> bool {
    let constant = graph.add(Node::int(i64::from(truth), DType::BOOL));
    graph.unite(id, constant, why)
}

/// `difference op 0` as one of `sum <= 0`, `sum == 0`, `sum != 0`.
pub(crate) fn normal(op: BinOp, difference: &Poly) -> Option<(BinOp, Poly)> {
    let one = Poly::constant(1);
    Some(match op {
        BinOp::Lt => (BinOp::Le, difference.add(&one)?),
        BinOp::Le => (BinOp::Le, difference.clone()),
        BinOp::Gt => (BinOp::Le, difference.scale(-1)?.add(&one)?),
        BinOp::Ge => (BinOp::Le, difference.scale(-1)?),
        BinOp::Eq | BinOp::Ne => (op, difference.clone()),
        _ => return None,
    })
}

/// Whether divisibility, or what the smaller terms leave, says that the sum is never zero.
fn never_zero(graph: &Graph, sum: &Poly) -> bool {
    if divides::residue_of(graph, sum).excludes_zero() {
        return true;
    }
    factors(sum).into_iter().any(|g| {
        let Some((_, small)) = sum.split_multiples(g) else { return false };
        let range = bound(graph, &small, BOUND_DEPTH);
        // No multiple of g in the range.
        let before = range.lo().and_then(|lo| lo.checked_sub(1));
        before.zip(range.hi()).is_some_and(|(before, hi)| before.div_euclid(g) == hi.div_euclid(g))
    })
}

/// The magnitudes of the coefficients of variable terms, and their pairwise common divisors with the largest.
fn factors(sum: &Poly) -> Vec<i64> {
    let magnitudes: Vec<i64> = sum
        .terms()
        .iter()
        .filter(|(m, _)| !m.is_empty())
        .filter_map(|(_, c)| c.checked_abs())
        .filter(|&c| c > 1)
        .collect();
    let largest = magnitudes.iter().copied().max().unwrap_or(1);
    let mut factors: Vec<i64> = magnitudes
        .iter()
        .map(|&c| gcd(c, largest))
        .chain(magnitudes.iter().copied())
        .filter(|&g| g > 1)
        .collect();
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// `sum <= 0` without the terms that cannot change whether it holds.
fn without_small_parts(graph: &Graph, sum: Poly) -> Poly {
    let reduced = factors(&sum).into_iter().rev().find_map(|g| {
        let (large, small) = sum.split_multiples(g)?;
        if small.without_const().terms().is_empty() {
            return None;
        }
        // g*A + r <= 0 is A <= floor(-r / g); the same for all r in the range.
        let range = bound(graph, &small, BOUND_DEPTH).neg().floordiv_const(g);
        large.sub(&Poly::constant(range.as_point()?))
    });
    reduced.unwrap_or(sum)
}

/// `sum <= 0` (or `== 0`, `!= 0`) as two sides with positive coefficients on each; `None` if the constant is not
/// divisible where it must be, or if 64 bits do not hold a side.
fn canonical_sides(sum: &Poly, kind: BinOp) -> Option<(Poly, Poly)> {
    let (left, right, constant) = sides(sum, kind)?;
    Some((left, right.add(&Poly::constant(constant))?))
}

/// The variable parts of both sides, and the constant that belongs to the right one.
pub(crate) fn sides(sum: &Poly, kind: BinOp) -> Option<(Poly, Poly, i64)> {
    let g = sum.content().max(1);
    let constant = sum.const_term();
    if kind != BinOp::Le && constant % g != 0 {
        return None;
    }
    // T*g + k <= 0 is T + ceil(k / g) <= 0.
    let constant = (-(constant.checked_neg()?.div_euclid(g))).checked_neg()?;
    let terms = sum.without_const().exact_div(g);
    let flip = kind != BinOp::Le && terms.leading_sign() < 0;
    let terms = if flip { terms.scale(-1)? } else { terms };
    let left = terms.filter(|_, c| c > 0);
    let right = terms.filter(|_, c| c < 0).scale(-1)?;
    Some((left, right, if flip { constant.checked_neg()? } else { constant }))
}

/// A sum that is not positive exactly where the comparison has this truth value; `None` for equalities that are
/// not of that kind.
pub(super) fn bounded_sum(op: BinOp, truth: bool, difference: &Poly) -> Option<Poly> {
    let op = if truth {
        op
    } else {
        match op {
            BinOp::Lt => BinOp::Ge,
            BinOp::Le => BinOp::Gt,
            BinOp::Gt => BinOp::Le,
            BinOp::Ge => BinOp::Lt,
            _ => return None,
        }
    };
    normal(op, difference).filter(|(kind, _)| *kind == BinOp::Le).map(|(_, sum)| sum)
}
