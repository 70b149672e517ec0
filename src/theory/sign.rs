//! Signs of polynomials, from ranges and, in a contextual graph, from assumptions that are themselves polynomials
//! (`n - 1 - i >= 0` inside of `for i in range(n)`).
//!
//! An assumption `F >= 0` proves `P >= 0` if `P - q*F >= 0` for some product `q` of a positive constant and atoms
//! that are not negative. The search takes those `q` for which a term of `P` cancels, to a bounded depth. For a
//! quotient `D = N // Q` with `Q >= 1` the two inequalities `0 <= N - Q*D <= Q - 1` are assumptions too.

use egg::Id;

use super::bounds::{BOUND_DEPTH, bound};
use super::divides::known_remainder;
use super::samples;
use crate::arith::{Interval, Residue};
use crate::egraph::{self, Axiom, Graph, Knowing, Monomial, Node, Op, Poly, poly_of, rebuild};
use crate::ir::{BinOp, DType};

/// The most assumptions of a graph; later ones are not used.
const MAX_ASSUMPTIONS: usize = 48;

/// How many assumptions one proof combines.
const PROOF_DEPTH: u32 = 3;

/// The most attempts of one proof.
const PROOF_FUEL: u32 = 40;

/// The most quotients taken out of one comparison.
const MAX_ELIMINATIONS: usize = 4;

/// What is known of the sign of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Negative,
    NotPositive,
    Zero,
    NotNegative,
    Positive,
    NonZero,
    Unknown,
}

impl Sign {
    /// Whether `d op 0` holds for a value `d` of this sign, if that follows.
    pub(crate) fn decide(self, op: BinOp) -> Option<bool> {
        let (neg, zero, pos) = match self {
            Sign::Negative => (true, false, false),
            Sign::NotPositive => (true, true, false),
            Sign::Zero => (false, true, false),
            Sign::NotNegative => (false, true, true),
            Sign::Positive => (false, false, true),
            Sign::NonZero => (true, false, true),
            Sign::Unknown => (true, true, true),
        };
        // For each possible sign of d, whether the comparison holds.
        let holds = |n: bool, z: bool, p: bool| {
            let can_hold = neg && n || zero && z || pos && p;
            let can_fail = neg && !n || zero && !z || pos && !p;
            (can_hold != can_fail).then_some(can_hold)
        };
        match op {
            BinOp::Lt => holds(true, false, false),
            BinOp::Le => holds(true, true, false),
            BinOp::Gt => holds(false, false, true),
            BinOp::Ge => holds(false, true, true),
            BinOp::Eq => holds(false, true, false),
            BinOp::Ne => holds(true, false, true),
            _ => None,
        }
    }
}

/// The sign of a polynomial's value, from ranges alone.
pub(crate) fn sign_by_range(graph: &Graph, p: &Poly) -> Sign {
    let range = bound(graph, p, BOUND_DEPTH);
    if range.as_point() == Some(0) {
        Sign::Zero
    } else if range.at_least(1) {
        Sign::Positive
    } else if range.at_most(-1) {
        Sign::Negative
    } else if range.at_least(0) {
        Sign::NotNegative
    } else if range.at_most(0) {
        Sign::NotPositive
    } else if !range.contains(0) {
        Sign::NonZero
    } else {
        Sign::Unknown
    }
}

/// The sign of a polynomial's value, from ranges and assumptions.
pub(crate) fn sign(graph: &Graph, p: &Poly) -> Sign {
    let by_range = sign_by_range(graph, p);
    let (below, above) = match by_range {
        Sign::Unknown => (true, true),
        Sign::NotNegative => (false, true),
        Sign::NotPositive => (true, false),
        Sign::Negative | Sign::Zero | Sign::Positive | Sign::NonZero => return by_range,
    };
    if !graph.analysis.contextual {
        return by_range;
    }
    let seen = samples::signs(graph, p);
    if seen.negative && seen.positive {
        return by_range;
    }
    let Some(negated) = p.scale(-1) else { return by_range };
    let positive = |p: &Poly| p.add(&Poly::constant(-1)).is_some_and(|q| not_negative(graph, &q));
    let not_below = !below || not_negative(graph, p);
    if not_below && positive(p) {
        return Sign::Positive;
    }
    let not_above = !above || not_negative(graph, &negated);
    if not_above && !not_below && positive(&negated) {
        return Sign::Negative;
    }
    match (not_above, not_below) {
        (true, true) => Sign::Zero,
        (true, false) => Sign::NotPositive,
        (false, true) => Sign::NotNegative,
        (false, false) => Sign::Unknown,
    }
}

/// `rest // divisor` for a divisor of at least 1, if that is 0 or -1.
pub(crate) fn small_quotient(graph: &Graph, rest: &Poly, divisor: &Poly) -> Option<i64> {
    let proven = |p: Option<Poly>| p.is_some_and(|p| not_negative(graph, &p));
    let below = divisor.sub(rest).and_then(|p| p.add(&Poly::constant(-1)));
    if proven(Some(rest.clone())) {
        return proven(below).then_some(0);
    }
    let negative = rest.scale(-1).and_then(|p| p.add(&Poly::constant(-1)));
    (proven(negative) && proven(rest.add(divisor))).then_some(-1)
}

/// Whether the value is proven not to be negative.
pub(crate) fn not_negative(graph: &Graph, p: &Poly) -> bool {
    if samples::refutes_not_negative(graph, p) {
        return false;
    }
    if bound(graph, p, 1).at_least(0) {
        return true;
    }
    let quotients = quotient_facts(graph, p);
    let facts: Vec<&Poly> = graph.analysis.assumptions.iter().chain(&quotients).collect();
    let mut fuel = PROOF_FUEL;
    prove(graph, &facts, p, PROOF_DEPTH, &mut fuel)
}

/// Whether some combination of facts leaves something that ranges prove not to be negative.
fn prove(graph: &Graph, facts: &[&Poly], p: &Poly, depth: u32, fuel: &mut u32) -> bool {
    for f in facts {
        for (monomial, c) in p.terms().iter().filter(|(m, _)| !m.is_empty()) {
            for q in multipliers(graph, f, monomial, *c) {
                if *fuel == 0 {
                    return false;
                }
                *fuel -= 1;
                let reduced = f.mul(&q).and_then(|qf| p.sub(&qf));
                let Some(rest) = reduced.filter(|r| r.terms().len() <= p.terms().len() + 1) else { continue };
                if samples::refutes_not_negative(graph, &rest) {
                    continue;
                }
                if bound(graph, &rest, 1).at_least(0)
                    || depth > 1 && prove(graph, facts, &rest, depth - 1, fuel)
                {
                    return true;
                }
            }
        }
    }
    false
}

/// The products `q` for which the term `c * monomial` cancels in `p - q * f`.
fn multipliers(graph: &Graph, f: &Poly, monomial: &Monomial, c: i64) -> Vec<Poly> {
    let mut found = Vec::new();
    for (m, k) in f.terms() {
        if (c < 0) != (*k < 0) || m.is_empty() || c % k != 0 {
            continue;
        }
        let Some(rest) = monomial.divide(m) else { continue };
        if rest.iter().all(|&a| graph.facts(a).interval.at_least(0)) {
            found.push(Poly::term(rest, c / k));
        }
    }
    found
}

/// `0 <= N - Q*D` and `0 <= Q - 1 - (N - Q*D)` for the quotients `D = N // Q`, `Q >= 1`, among the atoms; where the
/// remainder is known, that it is no less and no more.
fn quotient_facts(graph: &Graph, p: &Poly) -> Vec<Poly> {
    let mut facts = Vec::new();
    for atom in p.atoms() {
        if graph.analysis.knows_rests
            && let Some((numerator, c, rest)) = known_remainder(graph, atom)
        {
            let exact = Poly::term(Monomial::atom(atom), c)
                .add(&Poly::constant(rest))
                .and_then(|whole| numerator.sub(&whole));
            facts.extend(exact.as_ref().and_then(|zero| zero.scale(-1)));
            facts.extend(exact);
            continue;
        }
        let Some((numerator, divisor)) = any_quotient(graph, atom) else { continue };
        let remainder = divisor.mul(&Poly::atom(atom)).and_then(|m| numerator.sub(&m));
        let Some(remainder) = remainder else { continue };
        let above = divisor.add(&Poly::constant(-1)).and_then(|q| q.sub(&remainder));
        facts.push(remainder);
        facts.extend(above);
    }
    facts
}

/// If the class is a quotient by something at least 1: numerator and divisor.
fn any_quotient(graph: &Graph, class: Id) -> Option<(Poly, Poly)> {
    let class = graph.find(class);
    graph[class].nodes.iter().find_map(|node| match node.as_bin() {
        Some((BinOp::FloorDiv, n, d)) if graph.facts(d).interval.at_least(1) => {
            let (n, d) = (poly_of(graph, n), poly_of(graph, d));
            (!n.mentions(class) && !d.mentions(class)).then(|| (Poly::clone(&n), Poly::clone(&d)))
        }
        _ => None,
    })
}

/// `sum <= 0` with quotients multiplied out: `N // Q <= e` is `N <= e*Q + Q - 1` and `e <= N // Q` is `e*Q <= N`,
/// for `Q >= 1`.
pub(crate) fn without_quotients(graph: &Graph, sum: Poly) -> Poly {
    let mut sum = sum;
    for _ in 0..MAX_ELIMINATIONS {
        let next = sum.terms().iter().find_map(|(monomial, c)| {
            let [atom] = monomial[..] else { return None };
            let (numerator, divisor) = any_quotient(graph, atom)?;
            let rest = sum.sub(&Poly::term(monomial.clone(), *c))?.mul(&divisor)?;
            match c {
                1 => rest.add(&numerator)?.sub(&divisor)?.add(&Poly::constant(1)),
                -1 => rest.sub(&numerator),
                _ => None,
            }
        });
        match next {
            Some(p) => sum = p,
            None => break,
        }
    }
    sum
}

/// Takes what the graph's true and false comparisons say as assumptions and ranges, and splits true conjunctions
/// and false disjunctions. Returns whether anything is new.
pub(crate) fn assume_what_is_true(graph: &mut Graph) -> bool {
    let mut changed = false;
    for truth in [true, false] {
        let Some(class) = graph.lookup(Node::int(i64::from(truth), DType::BOOL)) else { continue };
        let nodes = graph[class].nodes.clone();
        for node in nodes {
            match (&node.op, &node.children[..]) {
                (Op::Bin(BinOp::And), &[a, b]) if truth => {
                    changed |= graph.unite(a, class, Axiom::PartsHold);
                    changed |= graph.unite(b, class, Axiom::PartsHold);
                }
                (Op::Bin(BinOp::Or), &[a, b]) if !truth => {
                    changed |= graph.unite(a, class, Axiom::PartsHold);
                    changed |= graph.unite(b, class, Axiom::PartsHold);
                }
                (Op::Likely, &[a]) => changed |= graph.unite(a, class, Axiom::Likely),
                (Op::Not, &[a]) => {
                    let opposite = graph.add(Node::int(i64::from(!truth), DType::BOOL));
                    changed |= graph.unite(a, opposite, Axiom::PartsHold);
                }
                (Op::Bin(op), &[a, b]) if egraph::in_theory(graph.facts(a).dtype) => {
                    changed |= unite_equals(graph, *op, truth, a, b);
                    if truth == (*op == BinOp::Eq) && matches!(op, BinOp::Eq | BinOp::Ne) {
                        changed |= leave_rest(graph, a) | leave_rest(graph, b);
                    }
                    for fact in inequalities(graph, *op, truth, a, b) {
                        let negated = fact.scale(-1).map(|sum| without_quotients(graph, sum));
                        let multiplied_out = negated.and_then(|sum| sum.scale(-1)).filter(|p| *p != fact);
                        changed |= assume(graph, fact);
                        changed |= multiplied_out.is_some_and(|p| assume(graph, p));
                    }
                }
                _ => {}
            }
        }
    }
    if changed || !graph.clean {
        rebuild(graph);
    }
    changed
}

/// What a true or false `==` or `!=` says of classes: equal operands are one class, and the opposite comparison of
/// the same operands has the opposite truth value.
fn unite_equals(graph: &mut Graph, op: BinOp, truth: bool, a: Id, b: Id) -> bool {
    let (opposite, equal) = match op {
        BinOp::Eq => (BinOp::Ne, truth),
        BinOp::Ne => (BinOp::Eq, !truth),
        _ => return false,
    };
    let mut changed = equal && graph.unite(a, b, Axiom::EquationHolds);
    if let Some(class) = graph.lookup(Node::bin(opposite, DType::BOOL, a, b)) {
        let value = graph.add(Node::int(i64::from(!truth), DType::BOOL));
        changed |= graph.unite(class, value, Axiom::ComparisonOpposite);
    }
    changed
}

/// If the class is a known rest modulo a constant: what is so divided leaves that rest.
fn leave_rest(graph: &mut Graph, class: Id) -> bool {
    let class = graph.find(class);
    let Some(rest) = graph.facts(class).interval.as_point() else { return false };
    let divided: Vec<(Id, i64)> = graph[class]
        .nodes
        .iter()
        .filter_map(|node| match node.as_bin() {
            Some((BinOp::FloorMod, n, d)) => {
                Some((graph.find(n), graph.facts(d).interval.as_point().filter(|&d| d > 0)?))
            }
            _ => None,
        })
        .collect();
    let mut changed = false;
    for (n, d) in divided {
        let data = graph.facts(n);
        match data.residue.meet(Residue::new(d, rest)).filter(|_| (0..d).contains(&rest)) {
            Some(both) if both != data.residue => {
                let mut facts = data.clone();
                facts.residue = both;
                graph.set_facts(n, facts);
                graph.analysis_mut().knows_rests = true;
                changed = true;
            }
            Some(_) => {}
            None => graph.analysis_mut().contradictions += 1,
        }
    }
    changed
}

/// The polynomials that are not negative when the comparison has this truth value.
fn inequalities(graph: &Graph, op: BinOp, truth: bool, a: Id, b: Id) -> Vec<Poly> {
    let (a, b) = (poly_of(graph, a), poly_of(graph, b));
    let (Some(up), Some(down)) = (b.sub(&a), a.sub(&b)) else { return Vec::new() };
    let strict = |p: &Poly| p.add(&Poly::constant(-1));
    let facts = match (op, truth) {
        (BinOp::Lt, true) | (BinOp::Ge, false) => vec![strict(&up)],
        (BinOp::Le, true) | (BinOp::Gt, false) => vec![Some(up)],
        (BinOp::Gt, true) | (BinOp::Le, false) => vec![strict(&down)],
        (BinOp::Ge, true) | (BinOp::Lt, false) => vec![Some(down)],
        (BinOp::Eq, true) | (BinOp::Ne, false) => vec![Some(up), Some(down)],
        // What is not zero and not negative is positive.
        (BinOp::Eq, false) | (BinOp::Ne, true) if not_negative(graph, &up) => vec![strict(&up)],
        (BinOp::Eq, false) | (BinOp::Ne, true) if not_negative(graph, &down) => vec![strict(&down)],
        _ => Vec::new(),
    };
    facts.into_iter().flatten().collect()
}

/// Adds `fact >= 0`: to the ranges if it is about one atom, else to the assumptions.
fn assume(graph: &mut Graph, fact: Poly) -> bool {
    if fact.as_const().is_some() || bound(graph, &fact, 1).at_least(0) {
        return false;
    }
    let mut changed = false;
    let variable = fact.without_const();
    if let Some((monomial, k)) = variable.as_term() {
        // k*m + c >= 0.
        let c = fact.const_term();
        let limit =
            if k > 0 { Some(-(c.div_euclid(k))) } else { c.checked_div(-k).map(|_| c.div_euclid(-k)) };
        match (&monomial[..], limit) {
            (&[atom], Some(limit)) => {
                let range = if k > 0 {
                    Interval::new(limit, Interval::POS_INF)
                } else {
                    Interval::new(Interval::NEG_INF, limit)
                };
                changed |= range.is_some_and(|r| narrow(graph, atom, r));
            }
            // A positive product of factors that are not negative: none of them is zero.
            (factors, Some(limit)) if k > 0 && limit >= 1 => {
                let factors = factors.to_vec();
                if factors.iter().all(|&a| graph.facts(a).interval.at_least(0)) {
                    for atom in factors {
                        changed |=
                            Interval::new(1, Interval::POS_INF).is_some_and(|r| narrow(graph, atom, r));
                    }
                }
            }
            _ => {}
        }
    }
    let assumptions = &mut graph.analysis_mut().assumptions;
    if assumptions.len() < MAX_ASSUMPTIONS && !assumptions.contains(&fact) {
        assumptions.push(fact);
        changed = true;
    }
    changed
}

fn narrow(graph: &mut Graph, atom: Id, range: Interval) -> bool {
    let atom = graph.find(atom);
    let data = graph.facts(atom);
    match data.interval.meet(range) {
        Some(both) if both != data.interval => {
            let mut facts = data.clone();
            facts.interval = both;
            graph.set_facts(atom, facts);
            true
        }
        Some(_) => false,
        None => {
            graph.analysis_mut().contradictions += 1;
            false
        }
    }
}
