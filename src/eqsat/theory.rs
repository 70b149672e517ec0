//! The arithmetic theory beyond the ring axioms: floor division and remainder, minimum and maximum, comparisons
//! and selections over normal forms and intervals.
//!
//! The canonical form of `P % q` is the polynomial `P - q * (P // q)`, so quotients are the only atoms that
//! division makes, and identities such as `x // c * c + x % c = x` or `x % (a*b) // a = x // a % b` hold by the
//! equality of polynomials. `P // c` for a constant `c > 0` is reduced by
//!
//! - splitting: `(c*Q + R) // c = Q + R // c` (any integers `Q`, `R`),
//! - bounds: `R // c = m` when `m*c <= R < (m+1)*c`,
//! - common factors: `(g*R' + r) // (g*c') = (R' + r // g) // c'` (because `floor(floor(x / g) / c') = floor(x / (g*c'))`),
//! - nesting: `(N // d + T) // c = (N + d*T) // (c*d)` for `d > 0`.
//!
//! Each step is an identity of the total functions described in [`facts`](super::facts).

use std::sync::Arc;

use egg::{Id, Language};
use hashbrown::hash_map::Entry;
use hashbrown::{HashMap, HashSet};

use super::context::{self, Sign};
use super::facts::{Graph, in_theory, poly_of, unite_commuted};
use super::lang::{Node, Op};
use super::poly::{Monomial, Poly};
use crate::arith::Interval;
use crate::ir::{BinOp, DType};

/// How many common factors and inner quotients are taken out of one fraction.
const MAX_REDUCTIONS: usize = 16;

/// How often a bound looks through a remainder `P - c * (P // c)`.
pub(super) const BOUND_DEPTH: u32 = 3;

/// The most rounds of one call of [`run`]; each visits every class once.
const MAX_ROUNDS: usize = 8;

/// Applies the theory until nothing changes or the graph holds more than `node_limit` nodes. Returns the rounds.
pub fn run(graph: &mut Graph, node_limit: usize) -> usize {
    let mut seen = HashSet::new();
    for round in 0..MAX_ROUNDS {
        if !graph.clean {
            graph.rebuild();
        }
        let mut changed = refresh(graph);
        if graph.analysis.contextual {
            changed |= context::assume_what_is_true(graph);
        }
        let nodes: Vec<(Id, Node)> = graph
            .classes()
            .flat_map(|c| c.nodes.iter().filter(|n| has_step(n)).map(move |n| (c.id, n.clone())))
            .collect();
        for (id, node) in nodes {
            if graph.total_size() > node_limit {
                graph.rebuild();
                return round + 1;
            }
            let node = node.map_children(|c| graph.find(c));
            if seen.insert((node.clone(), fingerprint(graph, &node))) {
                changed |= step(graph, graph.find(id), &node);
            }
        }
        if !changed {
            return round + 1;
        }
    }
    graph.rebuild();
    MAX_ROUNDS
}

/// What a step's outcome depends on besides the node: ranges and normal forms of its operands.
fn fingerprint(graph: &Graph, node: &Node) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = std::hash::DefaultHasher::new();
    graph.analysis.assumptions.len().hash(&mut hasher);
    for &c in &node.children {
        let data = &graph[c].data;
        data.interval.hash(&mut hasher);
        data.poly.hash(&mut hasher);
    }
    hasher.finish()
}

/// Brings all normal forms up to date with the classes' unions and unites classes of equal forms.
fn refresh(graph: &mut Graph) -> bool {
    graph.analysis.clear_tables();
    let mut ids: Vec<Id> = graph.classes().filter(|c| in_theory(c.data.dtype)).map(|c| c.id).collect();
    ids.sort_unstable();
    let mut changed = false;
    let mut table: HashMap<(DType, Arc<Poly>), Id> = HashMap::new();
    for id in ids {
        let root = graph.find(id);
        let old = poly_of(graph, root);
        let new =
            if is_normal(graph, root, &old) { old.clone() } else { normalize(graph, root, &old).into() };
        let interval = bound(graph, &new, BOUND_DEPTH);
        let data = &graph[root].data;
        let narrowed = data.interval.meet(interval).unwrap_or(data.interval);
        if new != old || narrowed != data.interval {
            let mut facts = data.clone();
            facts.poly = Some(new.clone());
            facts.interval = narrowed;
            graph.set_analysis_data(root, facts);
            changed = true;
        }
        let dtype = graph[graph.find(root)].data.dtype;
        if let Some(value) = new.as_const().or_else(|| narrowed.as_point()) {
            let constant = graph.add(Node::int(value, dtype));
            changed |= unite(graph, root, constant);
        }
        match table.entry((dtype, new)) {
            Entry::Occupied(entry) => changed |= unite(graph, *entry.get(), root),
            Entry::Vacant(entry) => {
                entry.insert(root);
            }
        }
    }
    if changed || !graph.clean {
        graph.rebuild();
    }
    changed
}

/// Unites two classes; whether they were two. (The graph's own method counts as a change in any case.)
fn unite(graph: &mut Graph, a: Id, b: Id) -> bool {
    graph.find(a) != graph.find(b) && graph.union(a, b)
}

/// Whether [`normalize`] would change nothing: every atom stands for itself.
fn is_normal(graph: &Graph, owner: Id, poly: &Poly) -> bool {
    poly.terms().iter().flat_map(|(monomial, _)| monomial).all(|&atom| {
        graph.find(atom) == atom
            && (atom == owner || graph[atom].data.poly.as_ref().is_none_or(|p| p.as_atom() == Some(atom)))
    })
}

/// The polynomial with every atom replaced by its class's own normal form, as far as that does not lead back.
fn normalize(graph: &Graph, owner: Id, poly: &Poly) -> Poly {
    let expanded = poly.substitute(|atom| {
        let atom = graph.find(atom);
        if atom == owner {
            return Poly::atom(atom);
        }
        let own = poly_of(graph, atom);
        match own.rename(|x| graph.find(x)) {
            Some(p) if !p.mentions(owner) && !p.mentions(atom) => p,
            _ => Poly::atom(atom),
        }
    });
    expanded.or_else(|| poly.rename(|x| graph.find(x))).unwrap_or_else(|| poly.clone())
}

/// A range of the polynomial's value. Looks through remainders: where `P` holds `k*(N - c*(N // c))`, that part
/// lies in `k * [0, c-1]`.
pub fn bound(graph: &Graph, poly: &Poly, depth: u32) -> Interval {
    let mut best = bound_terms(graph, poly);
    if depth == 0 || poly.terms().len() < 2 {
        return best;
    }
    for (monomial, k) in poly.terms() {
        let [atom] = monomial[..] else { continue };
        let Some((numerator, c)) = quotient_of(graph, atom) else { continue };
        if k % c != 0 {
            continue;
        }
        // poly = rest + q * (N - c * atom) with q = -k / c.
        let q = -(k / c);
        let rest = numerator
            .scale(q)
            .and_then(|n| poly.sub(&n))
            .and_then(|p| Poly::term(monomial.clone(), *k).scale(-1).and_then(|t| p.add(&t)));
        let Some(rest) = rest.filter(|r| r.terms().len() < poly.terms().len()) else { continue };
        let Some(remainder) = Interval::new(0, c - 1) else { continue };
        let through = bound(graph, &rest, depth - 1).add(remainder.mul(Interval::point(q)));
        best = best.meet(through).unwrap_or(best);
    }
    best
}

fn bound_terms(graph: &Graph, poly: &Poly) -> Interval {
    let mut sum = Interval::point(0);
    for (monomial, c) in poly.terms() {
        let mut product = Interval::point(*c);
        let mut rest = &monomial[..];
        while let Some((&atom, tail)) = rest.split_first() {
            let range = graph[graph.find(atom)].data.interval;
            let factor = range.mul(range);
            if tail.first() == Some(&atom) {
                // A square is not negative.
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

/// If the class is a quotient `N // c` by a positive constant: the normal form of `N`, and `c`.
pub fn quotient_of(graph: &Graph, class: Id) -> Option<(Poly, i64)> {
    let class = graph.find(class);
    graph[class].nodes.iter().find_map(|node| match node.as_bin() {
        Some((BinOp::FloorDiv, n, d)) => {
            let c = graph[d].data.interval.as_point().filter(|&c| c > 1)?;
            let numerator = poly_of(graph, n);
            // `x = (c*x + r) // c` defines nothing.
            (!numerator.mentions(class)).then(|| (Poly::clone(&numerator), c))
        }
        _ => None,
    })
}

/// Whether [`step`] may do something for a node; sums and products are decided by their normal forms alone.
fn has_step(node: &Node) -> bool {
    match node.op {
        Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) => !in_theory(node.dtype),
        Op::Bin(_) | Op::Select | Op::IfThenElse | Op::Likely | Op::Cast | Op::Not => true,
        Op::Int(_)
        | Op::Float(_)
        | Op::Var(_)
        | Op::Load(..)
        | Op::Ramp
        | Op::Broadcast
        | Op::Call(_)
        | Op::Template(_) => false,
    }
}

/// One step for one node; whether the graph changed.
fn step(graph: &mut Graph, id: Id, node: &Node) -> bool {
    match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[a, b]) => binary(graph, id, *op, node.dtype, a, b),
        (Op::Select | Op::IfThenElse, &[cond, then, otherwise]) => {
            let target = match graph[cond].data.interval.as_point() {
                Some(0) if graph[cond].data.dtype.is_scalar() => otherwise,
                Some(_) if graph[cond].data.dtype.is_scalar() => then,
                _ if then == otherwise => then,
                _ => return false,
            };
            graph.union(id, target)
        }
        (Op::Likely, &[a]) if graph[a].data.interval.as_point().is_some() => graph.union(id, a),
        (Op::Cast, &[a]) => cast(graph, id, node.dtype, a),
        (Op::Not, &[a]) => not(graph, id, a),
        _ => false,
    }
}

fn binary(graph: &mut Graph, id: Id, op: BinOp, dtype: DType, a: Id, b: Id) -> bool {
    let operand = graph[a].data.dtype;
    let mut changed = false;
    if matches!(op, BinOp::Add | BinOp::Mul | BinOp::Eq | BinOp::Ne) && !in_theory(operand)
        || matches!(op, BinOp::Min | BinOp::Max) && !operand.is_float()
    {
        changed |= unite_commuted(graph, op, operand, a, b, id);
    }
    if operand.is_bool() && op.is_logic() && operand.is_scalar() {
        return changed | logic(graph, id, op, a, b);
    }
    if !in_theory(operand) {
        return changed;
    }
    match op {
        BinOp::FloorDiv => changed | floordiv(graph, id, a, b),
        BinOp::FloorMod => changed | floormod(graph, id, dtype, a, b),
        BinOp::Div | BinOp::Mod => changed | trunc(graph, id, op, dtype, a, b),
        BinOp::Min | BinOp::Max => changed | extremum(graph, id, op, a, b),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
            changed | compare(graph, id, op, a, b)
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or => changed,
    }
}

/// `and` and `or` with a decided or a repeated operand. Evaluation order does not matter for the value.
fn logic(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let neutral = if op == BinOp::And { 1 } else { 0 };
    let (x, y) = (graph[a].data.interval.as_point(), graph[b].data.interval.as_point());
    if x == Some(neutral) || a == b || y == Some(1 - neutral) {
        return graph.union(id, b);
    }
    if y == Some(neutral) || x == Some(1 - neutral) {
        return graph.union(id, a);
    }
    false
}

fn not(graph: &mut Graph, id: Id, a: Id) -> bool {
    let inverse = graph[a].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Not, &[x]) => Some(Ok(x)),
        (Op::Bin(op), &[x, y]) if !graph[x].data.dtype.is_float() => {
            let op = match op {
                BinOp::Eq => BinOp::Ne,
                BinOp::Ne => BinOp::Eq,
                BinOp::Lt => BinOp::Ge,
                BinOp::Le => BinOp::Gt,
                BinOp::Gt => BinOp::Le,
                BinOp::Ge => BinOp::Lt,
                _ => return None,
            };
            Some(Err((op, x, y)))
        }
        _ => None,
    });
    match inverse {
        Some(Ok(x)) => graph.union(id, x),
        Some(Err((op, x, y))) => {
            let operand = graph[x].data.dtype;
            let flipped = graph.add(Node::bin(op, operand, x, y));
            graph.union(id, flipped)
        }
        None => false,
    }
}

/// A conversion to the own type, or of a constant between integer types where it fits.
fn cast(graph: &mut Graph, id: Id, to: DType, a: Id) -> bool {
    let from = graph[a].data.dtype;
    if from == to {
        return graph.union(id, a);
    }
    let value = graph[a].data.interval.as_point();
    if let (Some(value), true, Some((lo, hi))) =
        (value, to.is_scalar() && (to.is_int() || to.is_uint()), to.int_range())
        && lo <= i128::from(value)
        && i128::from(value) <= hi
    {
        let constant = graph.add(Node::int(value, to));
        return graph.union(id, constant);
    }
    false
}

/// The class of a polynomial: the known one, or a term built for it (outermost variables first).
pub fn build(graph: &mut Graph, poly: &Poly, dtype: DType) -> Id {
    if let Some(id) = graph.analysis.class_of(dtype, poly) {
        return graph.find(id);
    }
    super::forms::default_form(graph, poly, dtype)
}

fn unite_with(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) -> bool {
    let target = build(graph, poly, dtype);
    graph.union(id, target)
}

fn floordiv(graph: &mut Graph, id: Id, a: Id, b: Id) -> bool {
    let dtype = graph[a].data.dtype;
    let p = Poly::clone(&poly_of(graph, a));
    match graph[b].data.interval.as_point() {
        Some(0) => false,
        Some(c) if c > 0 => match floordiv_const(graph, &p, c, dtype) {
            Some(result) => unite_with(graph, id, &result, dtype),
            None => false,
        },
        Some(c) => {
            // x // -c = -x // c.
            let (Some(negated), Some(c)) = (p.scale(-1), c.checked_neg()) else { return false };
            let numerator = build(graph, &negated, dtype);
            let divisor = graph.add(Node::int(c, dtype));
            let quotient = graph.add(Node::bin(BinOp::FloorDiv, dtype, numerator, divisor));
            graph.union(id, quotient)
        }
        None => floordiv_symbolic(graph, id, &p, a, b, dtype),
    }
}

/// The reduced form of `p // c` for `c > 0`; `None` if it is already reduced.
fn floordiv_const(graph: &mut Graph, p: &Poly, c: i64, dtype: DType) -> Option<Poly> {
    if c == 1 {
        return Some(p.clone());
    }
    let (quotient, rest) = p.split_by_const(c);
    let range = bound(graph, &rest, BOUND_DEPTH).floordiv_const(c);
    if let Some(m) = range.as_point() {
        return quotient.add(&Poly::constant(m));
    }
    let (numerator, divisor) = reduce_fraction(graph, &rest, c);
    if numerator == *p && divisor == c {
        return None;
    }
    let numerator = build(graph, &numerator, dtype);
    let divisor = graph.add(Node::int(divisor, dtype));
    let reduced = graph.add(Node::bin(BinOp::FloorDiv, dtype, numerator, divisor));
    poly_of(graph, reduced).add(&quotient)
}

/// `n // c` with common factors and inner quotients taken out, as far as possible.
fn reduce_fraction(graph: &Graph, n: &Poly, c: i64) -> (Poly, i64) {
    let (mut n, mut c) = (n.clone(), c);
    for _ in 0..MAX_REDUCTIONS {
        let g = super::poly::gcd(n.content(), c);
        if g > 1 {
            let constant = n.const_term().div_euclid(g);
            if let Some(reduced) = n.without_const().exact_div(g).add(&Poly::constant(constant)) {
                (n, c) = (reduced, c / g);
                continue;
            }
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
            (n, c) = (merged, product);
            continue;
        }
        break;
    }
    (n, c)
}

/// Division by a class that is not a constant: exact multiples, bounds, and nested quotients
/// `x // a // b = x // (a*b)`.
fn floordiv_symbolic(graph: &mut Graph, id: Id, p: &Poly, a: Id, b: Id, dtype: DType) -> bool {
    let divisor = Poly::clone(&poly_of(graph, b));
    let range = graph[b].data.interval;
    let mut changed = false;
    if !range.contains(0)
        && let Some((quotient, rest)) = split_by(p, &divisor)
    {
        if range.at_least(1)
            && let Some(m) = context::small_quotient(graph, &rest, &divisor)
            && let Some(result) = quotient.add(&Poly::constant(m))
        {
            return unite_with(graph, id, &result, dtype);
        }
        if !quotient.terms().is_empty() {
            let rest_id = build(graph, &rest, dtype);
            let remaining = graph.add(Node::bin(BinOp::FloorDiv, dtype, rest_id, b));
            if let Some(sum) = poly_of(graph, remaining).add(&quotient) {
                changed |= unite_with(graph, id, &sum, dtype);
            }
        }
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
            changed |= graph.union(id, merged);
        }
    }
    changed
}

/// `p = quotient * divisor + rest` by the terms that a divisor of one term divides.
fn split_by(p: &Poly, divisor: &Poly) -> Option<(Poly, Poly)> {
    match divisor.as_term() {
        Some((monomial, c)) => p.split_by_term(monomial, c),
        None if p == divisor => Some((Poly::constant(1), Poly::default())),
        None => Some((Poly::default(), p.clone())),
    }
}

/// `p % q = p - q * (p // q)`.
fn floormod(graph: &mut Graph, id: Id, dtype: DType, a: Id, b: Id) -> bool {
    let quotient = graph.add(Node::bin(BinOp::FloorDiv, dtype, a, b));
    // The quotient is reduced first, so that the remainder's form is made of reduced quotients.
    let node = Node::bin(BinOp::FloorDiv, dtype, graph.find(a), graph.find(b));
    let quotient_class = graph.find(quotient);
    step(graph, quotient_class, &node);
    let (p, q) = (poly_of(graph, a), poly_of(graph, b));
    let Some(remainder) = poly_of(graph, quotient).mul(&q).and_then(|m| p.sub(&m)) else { return false };
    if poly_of(graph, id).as_ref() == &remainder {
        return false;
    }
    unite_with(graph, id, &remainder, dtype)
}

/// Truncating division is floor division where the signs agree.
fn trunc(graph: &mut Graph, id: Id, op: BinOp, dtype: DType, a: Id, b: Id) -> bool {
    let (x, y) = (graph[a].data.interval, graph[b].data.interval);
    if !(x.at_least(0) && y.at_least(0)) {
        return false;
    }
    let op = if op == BinOp::Div { BinOp::FloorDiv } else { BinOp::FloorMod };
    let floored = graph.add(Node::bin(op, dtype, a, b));
    graph.union(id, floored)
}

fn extremum(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let Some(difference) = poly_of(graph, a).sub(&poly_of(graph, b)) else { return false };
    let sign = context::sign(graph, &difference);
    let smaller = match sign {
        Sign::Negative | Sign::NotPositive | Sign::Zero => a,
        Sign::Positive | Sign::NotNegative => b,
        Sign::NonZero | Sign::Unknown => return false,
    };
    let larger = if smaller == a { b } else { a };
    graph.union(id, if op == BinOp::Min { smaller } else { larger })
}

/// Decides a comparison by the range of the difference, and gives comparisons of equal meaning one class.
fn compare(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let dtype = graph[a].data.dtype;
    if graph[id].data.interval.as_point().is_some() {
        return false;
    }
    let Some(difference) = poly_of(graph, a).sub(&poly_of(graph, b)) else { return false };
    if let Some(truth) = context::sign_by_range(graph, &difference).decide(op) {
        let constant = graph.add(Node::int(i64::from(truth), DType::BOOL));
        return graph.union(id, constant);
    }
    // `P < 0` with the terms' common factor taken out; `T + k <= 0`.
    let (kind, sum) = match op {
        BinOp::Lt => (BinOp::Le, difference.add(&Poly::constant(1))),
        BinOp::Le => (BinOp::Le, Some(difference)),
        BinOp::Gt => (BinOp::Le, difference.scale(-1).and_then(|p| p.add(&Poly::constant(1)))),
        BinOp::Ge => (BinOp::Le, difference.scale(-1)),
        BinOp::Eq | BinOp::Ne => (op, Some(difference)),
        _ => return false,
    };
    let Some(sum) = sum else { return false };
    let sum = if kind == BinOp::Le { context::without_quotients(graph, sum) } else { sum };
    let Some((left, right)) = canonical_sides(&sum, kind) else {
        if kind == BinOp::Le {
            return false;
        }
        // The terms' common factor does not divide the constant: never equal.
        let constant = graph.add(Node::int(i64::from(kind == BinOp::Ne), DType::BOOL));
        return graph.union(id, constant);
    };
    let left = build(graph, &left, dtype);
    let right = build(graph, &right, dtype);
    let canonical = graph.add(Node::bin(kind, dtype, left, right));
    let changed = graph.union(id, canonical);
    // Proofs from assumptions are tried once for all comparisons of one meaning.
    if graph.analysis.contextual && (kind, left, right) == (op, a, b) {
        let Some(difference) = poly_of(graph, left).sub(&poly_of(graph, right)) else { return changed };
        if let Some(truth) = context::sign(graph, &difference).decide(kind) {
            let constant = graph.add(Node::int(i64::from(truth), DType::BOOL));
            return graph.union(id, constant);
        }
    }
    changed
}

/// `sum <= 0` (or `== 0`, `!= 0`) as two sides with positive coefficients on each; `None` if the constant is not
/// divisible where it must be.
fn canonical_sides(sum: &Poly, kind: BinOp) -> Option<(Poly, Poly)> {
    let g = sum.content().max(1);
    let mut constant = sum.const_term();
    if kind != BinOp::Le && constant % g != 0 {
        return None;
    }
    // T*g + k <= 0 is T + ceil(k / g) <= 0.
    constant = -((-constant).div_euclid(g));
    let terms = sum.without_const().exact_div(g);
    let mut left: Vec<(Monomial, i64)> = Vec::new();
    let mut right: Vec<(Monomial, i64)> = Vec::new();
    let flip = kind != BinOp::Le && terms.terms().first().is_some_and(|(_, c)| *c < 0);
    let sign = if flip { -1 } else { 1 };
    for (m, c) in terms.terms() {
        let c = c.checked_mul(sign)?;
        if c > 0 { left.push((m.clone(), c)) } else { right.push((m.clone(), c.checked_neg()?)) }
    }
    right.push((Monomial::new(), constant.checked_mul(-sign)?));
    Some((Poly::from_terms(left)?, Poly::from_terms(right)?))
}
