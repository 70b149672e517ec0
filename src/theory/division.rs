//! Division and remainder, floor and truncating, over normal forms.
//!
//! `P // c` for a constant `c > 0` is reduced by
//!
//! - splitting: `(c*Q + R) // c = Q + R // c` (any integers `Q`, `R`),
//! - bounds: `R // c = m` when `m*c <= R < (m+1)*c`,
//! - common factors: `(g*R' + r) // (g*c') = (R' + r // g) // c'` (because `floor(floor(x / g) / c') = floor(x / (g*c'))`),
//! - small parts: the same where `r` is a sum with `m*g <= r < (m+1)*g`,
//! - residues: `(R + k) // c = R // c` where a known rest of `R` modulo a factor of `c` leaves `k` too small to count,
//! - nesting: `(N // d + T) // c = (N + d*T) // (c*d)` for `d > 0`,
//! - sign: `-N // c = -((N + c - 1) // c)`, so that the first coefficient is positive,
//! - halves: `(P + 1) // 2 = P - P // 2` where the graph has `P // 2`.
//!
//! `P // Q` for a divisor that is not constant splits and cancels where `Q` is known not to be zero, or where what is
//! split off is zero if `Q` is. Truncating
//! division is floor division where the operands' signs are known; else it is an odd function of its dividend.

use std::sync::Arc;

use egg::Id;

use super::bounds::{BOUND_DEPTH, bound};
use super::divides::residue_of;
use super::quotients::{quotient_of, truncated_quotient_of};
use super::sign::{self, Sign};
use super::sums::{build, unite_with};
use super::{convert, nonzero};
use crate::egraph::{Axiom, Graph, Knowing, Monomial, Node, Poly, common_factor, gcd, poly_of};
use crate::ir::{BinOp, DType};

/// How many common factors and inner quotients are taken out of one fraction.
const MAX_REDUCTIONS: usize = 16;

/// Floor division.
pub(super) fn floordiv(graph: &mut Graph, id: Id, a: Id, b: Id) -> bool {
    let dtype = graph.facts(a).dtype;
    let p = Poly::clone(&poly_of(graph, a));
    match graph.facts(b).interval.as_point() {
        Some(0) => false,
        Some(c) if c > 0 => match floordiv_const(graph, &p, c, dtype) {
            Some((result, law)) => unite_with(graph, id, &result, dtype, law),
            None => c == 2 && meet_other_half(graph, id, &p, dtype),
        },
        Some(c) => {
            // x // -c = -x // c.
            let (Some(negated), Some(c)) = (p.scale(-1), c.checked_neg()) else { return false };
            let quotient = quotient(graph, BinOp::FloorDiv, &negated, &Poly::constant(c), dtype);
            graph.unite(id, quotient, Axiom::QuotientNegativeDivisor)
        }
        None => floordiv_symbolic(graph, id, &p, a, b, dtype),
    }
}

/// The class of a quotient of normal forms.
fn quotient(graph: &mut Graph, op: BinOp, n: &Poly, d: &Poly, dtype: DType) -> Id {
    let n = build(graph, n, dtype);
    let d = build(graph, d, dtype);
    graph.add(Node::bin(op, dtype, n, d))
}

/// The reduced form of `p // c` for `c > 0`, with the law that decided last; `None` if it is already reduced.
fn floordiv_const(graph: &mut Graph, p: &Poly, c: i64, dtype: DType) -> Option<(Poly, Axiom)> {
    if c == 1 {
        return Some((p.clone(), Axiom::QuotientByOne));
    }
    let (mut whole, mut rest) = p.split_by_const(c);
    let range = bound(graph, &rest, BOUND_DEPTH).floordiv_const(c);
    if let Some(m) = range.as_point() {
        let multiple = rest.terms().is_empty();
        let law = if multiple { Axiom::QuotientOfMultiple } else { Axiom::QuotientInRange };
        return Some((whole.add(&Poly::constant(m))?, law));
    }
    let mut law = Axiom::QuotientSplit;
    if let Some(without) = without_offset(graph, &rest, c) {
        (rest, law) = (without, Axiom::QuotientRest);
    }
    if c == 2 {
        // The coefficients are odd: -m = m - 2*m.
        let negative = rest.filter(|m, k| !m.is_empty() && k < 0);
        whole = whole.add(&negative)?;
        rest = rest.add(&negative.scale(-2)?)?;
        if rest.const_term() == 1
            && let Some(half) = known_half(graph, &rest.without_const(), dtype)
        {
            return Some((whole.add(&rest.without_const())?.sub(&half)?, Axiom::QuotientHalves));
        }
    }
    let (numerator, divisor, reduction) = reduce_fraction(graph, &rest, c);
    let law = reduction.unwrap_or(law);
    if divisor == 1 {
        return Some((whole.add(&numerator)?, law));
    }
    if numerator.leading_sign() < 0 {
        // -N // c = -((N + c - 1) // c).
        let upper = numerator.scale(-1)?.add(&Poly::constant(divisor - 1))?;
        let negated = quotient(graph, BinOp::FloorDiv, &upper, &Poly::constant(divisor), dtype);
        let negated = Poly::clone(&poly_of(graph, negated));
        return Some((whole.sub(&negated)?, Axiom::QuotientNegated));
    }
    if numerator == *p && divisor == c {
        return None;
    }
    let reduced = quotient(graph, BinOp::FloorDiv, &numerator, &Poly::constant(divisor), dtype);
    Some((poly_of(graph, reduced).add(&whole)?, law))
}

/// `n` without its constant, if that does not change `n // c`: where `n` leaves the rest `r` modulo a factor `g` of `c`,
/// all of `n - r` to `n - r + g - 1` have one quotient.
fn without_offset(graph: &Graph, n: &Poly, c: i64) -> Option<Poly> {
    let k = n.const_term();
    if k == 0 {
        return None;
    }
    let known = residue_of(graph, n);
    let g = gcd(known.modulus(), c);
    let r = known.rest().rem_euclid(g);
    (r - g < k && k <= r).then(|| n.without_const())
}

/// The normal form of `p // 2` if the graph has it already. The sum `p - p // 2` is worse than the atom `(p + 1) // 2`, as
/// a divisor most of all, so that it is wanted only where it can meet the other half.
fn known_half(graph: &Graph, p: &Poly, dtype: DType) -> Option<Poly> {
    half_class(graph, p, dtype).map(|half| Poly::clone(&poly_of(graph, half)))
}

/// The class of `p // 2`, if the graph has it.
fn half_class(graph: &Graph, p: &Poly, dtype: DType) -> Option<Id> {
    let two = graph.lookup(Node::int(2, dtype))?;
    let dividend = p.as_atom().or_else(|| graph.analysis.class_of(dtype, p))?;
    graph.lookup(Node::bin(BinOp::FloorDiv, dtype, graph.find(dividend), two))
}

/// Unites `(p + 1) // 2`, if the graph has it, with `p - p // 2`, where `id` is the class of `p // 2`.
fn meet_other_half(graph: &mut Graph, id: Id, p: &Poly, dtype: DType) -> bool {
    if p.const_term() != 0 {
        return false;
    }
    let other = p.add(&Poly::constant(1)).and_then(|upper| half_class(graph, &upper, dtype));
    match other.zip(p.sub(&poly_of(graph, id))) {
        Some((other, sum)) if *poly_of(graph, other) != sum => {
            unite_with(graph, other, &sum, dtype, Axiom::QuotientHalves)
        }
        _ => false,
    }
}

/// `n // c` with common factors, small parts and inner quotients taken out, as far as possible; the law that came last.
fn reduce_fraction(graph: &Graph, n: &Poly, c: i64) -> (Poly, i64, Option<Axiom>) {
    let (mut n, mut c) = (n.clone(), c);
    let mut law = None;
    for _ in 0..MAX_REDUCTIONS {
        let g = gcd(n.content(), c);
        if g > 1 {
            let constant = n.const_term().div_euclid(g);
            if let Some(reduced) = n.without_const().exact_div(g).add(&Poly::constant(constant)) {
                (n, c, law) = (reduced, c / g, Some(Axiom::QuotientCommonFactor));
                continue;
            }
        }
        if let Some((larger, divisor)) = without_small_part(graph, &n, c) {
            (n, c, law) = (larger, divisor, Some(Axiom::QuotientSmallPart));
            continue;
        }
        let inner = n.terms().iter().find_map(|(monomial, k)| match monomial[..] {
            [atom] if *k == 1 => quotient_of(graph, atom).map(|(numerator, d)| (atom, numerator, d)),
            _ => None,
        });
        // Only a quotient plus a constant: with more terms the merged form is no simpler.
        if let Some((atom, numerator, d)) = inner
            && n.without_const().as_atom() == Some(atom)
            && let Some(shift) = n.const_term().checked_mul(d)
            && let Some(merged) = numerator.add(&Poly::constant(shift))
            && let Some(product) = c.checked_mul(d)
        {
            (n, c, law) = (merged, product, Some(Axiom::QuotientNested));
            continue;
        }
        break;
    }
    (n, c, law)
}

/// `n = g*A + r` with `g` a divisor of `c` and `m*g <= r < (m+1)*g`: then `n // c = (A + m) // (c / g)`.
fn without_small_part(graph: &Graph, n: &Poly, c: i64) -> Option<(Poly, i64)> {
    let mut factors: Vec<i64> =
        n.terms().iter().filter(|(m, _)| !m.is_empty()).map(|(_, k)| gcd(*k, c)).filter(|&g| g > 1).collect();
    factors.sort_unstable();
    factors.dedup();
    factors.into_iter().rev().find_map(|g| {
        let (large, small) = n.split_multiples(g)?;
        let m = bound(graph, &small, BOUND_DEPTH).floordiv_const(g).as_point()?;
        Some((large.add(&Poly::constant(m))?, c / g))
    })
}

/// Division by a class that is not a constant: exact multiples, bounds, common factors, and nested quotients
/// `x // a // b = x // (a*b)`.
fn floordiv_symbolic(graph: &mut Graph, id: Id, p: &Poly, a: Id, b: Id, dtype: DType) -> bool {
    let divisor = Poly::clone(&poly_of(graph, b));
    let range = graph.facts(b).interval;
    let mut changed = false;
    if nonzero::is_nonzero(graph, &divisor)
        && let Some((quotient, rest)) = split_by(p, &divisor)
    {
        if rest.terms().is_empty() {
            return unite_with(graph, id, &quotient, dtype, Axiom::QuotientOfMultiple);
        }
        if range.at_least(1)
            && let Some(m) = sign::small_quotient(graph, &rest, &divisor)
            && let Some(result) = quotient.add(&Poly::constant(m))
        {
            return unite_with(graph, id, &result, dtype, Axiom::QuotientInRange);
        }
        if !quotient.terms().is_empty() {
            let rest_id = build(graph, &rest, dtype);
            let remaining = graph.add(Node::bin(BinOp::FloorDiv, dtype, rest_id, b));
            if let Some(sum) = poly_of(graph, remaining).add(&quotient) {
                changed |= unite_with(graph, id, &sum, dtype, Axiom::QuotientSplit);
            }
        }
    }
    changed |= split_vanishing(graph, id, p, &divisor, b, dtype);
    if let Some((n, d)) = cancel(graph, p, &divisor) {
        let cancelled = quotient(graph, BinOp::FloorDiv, &n, &d, dtype);
        changed |= graph.unite(id, cancelled, Axiom::QuotientCommonFactor);
    }
    if range.at_least(0) {
        let inner = graph[a].nodes.iter().find_map(|n| match n.as_bin() {
            Some((BinOp::FloorDiv, x, d)) => Some((x, d)),
            _ => None,
        });
        if let Some((x, d)) = inner
            && let Some(product) = poly_of(graph, d).mul(&divisor)
        {
            let product = build(graph, &product, dtype);
            let merged = graph.add(Node::bin(BinOp::FloorDiv, dtype, x, product));
            changed |= graph.unite(id, merged, Axiom::QuotientNested);
        }
    }
    changed
}

/// `(D*T + R) // D = T + R // D` for a `D` that may be zero, where each term of `T` is zero if `D` is: it holds a quotient
/// by a multiple of `D`, and a quotient by zero is taken to be zero. So `x % (k*D) // D = x // D - k * (x // (k*D))`.
fn split_vanishing(graph: &mut Graph, id: Id, p: &Poly, divisor: &Poly, b: Id, dtype: DType) -> bool {
    let vanishes = |graph: &Graph, m: &Monomial| {
        m.iter().any(|&atom| {
            graph[graph.find(atom)].nodes.iter().any(|n| match n.as_bin() {
                Some((BinOp::FloorDiv | BinOp::Div, _, d)) => split_by(&poly_of(graph, d), divisor)
                    .is_some_and(|(k, rest)| rest.terms().is_empty() && !k.terms().is_empty()),
                _ => false,
            })
        })
    };
    let form = |graph: &mut Graph| {
        let (quotient, _) = split_by(p, divisor)?;
        let whole = quotient.filter(|m, _| vanishes(graph, m));
        if whole.terms().is_empty() {
            return None;
        }
        let rest = p.sub(&whole.mul(divisor)?)?;
        let rest = build(graph, &rest, dtype);
        let remaining = graph.add(Node::bin(BinOp::FloorDiv, dtype, rest, b));
        poly_of(graph, remaining).add(&whole)
    };
    match form(graph) {
        Some(sum) => unite_with(graph, id, &sum, dtype, Axiom::QuotientVanishing),
        None => false,
    }
}

/// Numerator and divisor without their common factor, if they have one that is not zero.
fn cancel(graph: &Graph, n: &Poly, d: &Poly) -> Option<(Poly, Poly)> {
    let (mut monomial, constant) = common_factor(&[n, d]);
    // A factor of the divisor is not zero where the divisor is not.
    if !monomial.is_empty() && !nonzero::is_nonzero(graph, d) {
        monomial = Monomial::new();
    }
    if monomial.is_empty() && constant == 1 {
        return None;
    }
    let divide = |p: &Poly| p.split_by_term(&monomial, constant).filter(|(_, r)| r.terms().is_empty());
    Some((divide(n)?.0, divide(d)?.0))
}

/// The most steps of a division by a sum.
const MAX_DIVISION_STEPS: usize = 8;

/// `p = quotient * divisor + rest`, by the terms that the divisor's leading term divides.
fn split_by(p: &Poly, divisor: &Poly) -> Option<(Poly, Poly)> {
    if let Some((monomial, c)) = divisor.as_term() {
        return p.split_by_term(monomial, c);
    }
    let (lead, k) = divisor.terms().iter().max_by_key(|(m, _)| m.len())?;
    let (mut whole, mut rest) = (Poly::default(), p.clone());
    for _ in 0..MAX_DIVISION_STEPS {
        let Some((step, _)) = rest.first_multiple(lead, *k) else { break };
        let next = rest.sub(&step.mul(divisor)?)?;
        whole = whole.add(&step)?;
        rest = next;
    }
    if rest.terms().len() < p.terms().len() {
        Some((whole, rest))
    } else {
        Some((Poly::default(), p.clone()))
    }
}

/// `p % q = p - q * (p // q)`, and the same for truncating division.
pub(super) fn remainder(graph: &mut Graph, id: Id, op: BinOp, dtype: DType, a: Id, b: Id) -> bool {
    let division = if op == BinOp::FloorMod { BinOp::FloorDiv } else { BinOp::Div };
    let quotient = graph.add(Node::bin(division, dtype, a, b));
    // The quotient is reduced first, so that the remainder's form is made of reduced quotients.
    let (dividend, divisor) = (graph.find(a), graph.find(b));
    let class = graph.find(quotient);
    if !convert::fold(graph, class, &Node::bin(division, dtype, dividend, divisor)) {
        match division {
            BinOp::FloorDiv => floordiv(graph, class, dividend, divisor),
            _ => truncdiv(graph, class, dtype, dividend, divisor),
        };
    }
    let (p, q) = (poly_of(graph, a), poly_of(graph, b));
    let Some(remainder) = poly_of(graph, quotient).mul(&q).and_then(|m| p.sub(&m)) else { return false };
    if poly_of(graph, id).as_ref() == &remainder {
        return false;
    }
    let law = if op == BinOp::FloorMod { Axiom::Remainder } else { Axiom::TruncationRemainder };
    unite_with(graph, id, &remainder, dtype, law)
}

/// Truncating division.
pub(super) fn truncdiv(graph: &mut Graph, id: Id, dtype: DType, a: Id, b: Id) -> bool {
    let (p, q) = (Poly::clone(&poly_of(graph, a)), Poly::clone(&poly_of(graph, b)));
    let up = |s: Sign| matches!(s, Sign::NotNegative | Sign::Positive | Sign::Zero);
    let down = |s: Sign| matches!(s, Sign::NotPositive | Sign::Negative);
    if up(sign::sign(graph, &q)) {
        // Where the signs agree it is floor division; it is an odd function of the dividend.
        let sign = sign::sign(graph, &p);
        if up(sign) {
            let floored = graph.add(Node::bin(BinOp::FloorDiv, dtype, a, b));
            return graph.unite(id, floored, Axiom::TruncationIsFloor);
        }
        if down(sign) {
            return opposite(graph, id, BinOp::FloorDiv, &p, &q, dtype);
        }
    }
    let Some(c) = q.as_const() else {
        return match cancel(graph, &p, &q) {
            Some((n, d)) => {
                let cancelled = quotient(graph, BinOp::Div, &n, &d, dtype);
                graph.unite(id, cancelled, Axiom::TruncationCommonFactor)
            }
            None => false,
        };
    };
    if c < 0 {
        return match q.scale(-1) {
            // p tdiv -c = -p tdiv c = -(p tdiv c).
            Some(positive) => {
                let quotient = quotient(graph, BinOp::Div, &p, &positive, dtype);
                negated(graph, id, quotient, dtype)
            }
            None => false,
        };
    }
    if p.leading_sign() < 0 {
        return opposite(graph, id, BinOp::Div, &p, &q, dtype);
    }
    if c == 0 {
        return false;
    }
    let range = bound(graph, &p, BOUND_DEPTH);
    if range.at_least(1 - c) && range.at_most(c - 1) {
        return unite_with(graph, id, &Poly::default(), dtype, Axiom::TruncationInRange);
    }
    let (_, g) = common_factor(&[&p, &q]);
    let reduced = if g > 1 {
        Some((Arc::new(p.exact_div(g)), c / g, Axiom::TruncationCommonFactor))
    } else {
        // x tdiv d tdiv c = x tdiv (d*c), for positive divisors.
        p.as_atom()
            .and_then(|atom| truncated_quotient_of(graph, atom))
            .and_then(|(n, d)| Some((n, c.checked_mul(d)?, Axiom::TruncationNested)))
    };
    match reduced {
        Some((n, 1, law)) => unite_with(graph, id, &n, dtype, law),
        Some((n, c, law)) => {
            let reduced = quotient(graph, BinOp::Div, &n, &Poly::constant(c), dtype);
            graph.unite(id, reduced, law)
        }
        None => c == 1 && unite_with(graph, id, &p, dtype, Axiom::TruncationByOne),
    }
}

/// Unites the class with `-((-p) op q)`.
fn opposite(graph: &mut Graph, id: Id, op: BinOp, p: &Poly, q: &Poly, dtype: DType) -> bool {
    let Some(positive) = p.scale(-1) else { return false };
    let quotient = quotient(graph, op, &positive, q, dtype);
    negated(graph, id, quotient, dtype)
}

/// Unites the class with `-other`.
fn negated(graph: &mut Graph, id: Id, other: Id, dtype: DType) -> bool {
    match poly_of(graph, other).scale(-1) {
        Some(result) => unite_with(graph, id, &result, dtype, Axiom::TruncationIsOdd),
        None => false,
    }
}
