//! The arithmetic theory beyond the ring axioms: floor division and remainder, minimum and maximum, comparisons
//! and selections over normal forms and intervals.
//!
//! The canonical form of `P % q` is the polynomial `P - q * (P // q)`, so quotients are the only atoms that
//! division makes, and identities such as `x // c * c + x % c = x` or `x % (a*b) // a = x // a % b` hold by the
//! equality of polynomials. `division` reduces quotients, `extremum` minima and maxima, `compare` comparisons,
//! `logic` conditions, `convert` conversions and operations on constants, `vector` vectors by their lanes.
//!
//! Each step is an identity of the total functions described in [`facts`](super::facts).

pub(crate) mod basic;
pub(super) mod compare;
mod convert;
mod divides;
mod division;
pub(super) mod extremum;
pub(super) mod logic;
mod nonzero;
pub(super) mod vector;

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use egg::{Id, Language};
use foldhash::quality::FixedState;
use smallvec::SmallVec;

use super::facts::{Graph, Knowing, PolyTable, in_theory, is_full, poly_of, unite_commuted};
use super::lang::{Node, Op};
use super::poly::{Monomial, Poly};
use super::rebuild::rebuild;
use super::{TheoryLevel, sign};
use crate::arith::Interval;
use crate::ir::{BinOp, DType};
pub(super) use convert::{constant, representable};
pub(crate) use divides::{known_remainder, residue_of};

/// How often a bound looks through a remainder `P - c * (P // c)`.
pub(super) const BOUND_DEPTH: u32 = 3;

/// The most rounds of one call of [`run`]; each visits every class once.
const MAX_ROUNDS: usize = 8;

/// Applies the theory until nothing changes or the graph holds more than `node_limit` nodes. Returns the rounds.
pub(crate) fn run(graph: &mut Graph, node_limit: usize) -> usize {
    if graph.analysis.level < TheoryLevel::Full {
        return basic::run(graph, node_limit);
    }
    for round in 0..MAX_ROUNDS {
        if !graph.clean {
            rebuild(graph);
        }
        let mut changed = refresh(graph);
        if graph.analysis.contextual {
            changed |= sign::assume_what_is_true(graph);
            if nonzero::collect(graph) {
                rebuild(graph);
                changed = true;
            }
        }
        if changed {
            graph.analysis.unproven.get_mut().clear();
        }
        // Room for all that there is: growing would copy it.
        let mut nodes: Vec<(Id, Node)> = Vec::with_capacity(graph.total_size());
        for class in graph.classes() {
            nodes.extend(class.nodes.iter().filter(|n| has_step(n)).map(|n| (class.id, n.clone())));
        }
        for (id, node) in nodes {
            if is_full(graph, node_limit) {
                rebuild(graph);
                return round + 1;
            }
            let node = node.map_children(|c| graph.find(c));
            let fingerprint = fingerprint(graph, &node);
            if graph.analysis.visited.insert(fingerprint) {
                let terms = poly_of(graph, id).terms().len();
                graph.analysis.spend(terms);
                changed |= step(graph, graph.find(id), &node);
            }
        }
        if !changed {
            return round + 1;
        }
    }
    rebuild(graph);
    MAX_ROUNDS
}

/// A hash of a node and what the outcome of its step depends on: ranges and normal forms of its operands, and how
/// many ways there are to compute their atoms.
fn fingerprint(graph: &Graph, node: &Node) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    node.hash(&mut hasher);
    graph.analysis.assumptions.len().hash(&mut hasher);
    graph.analysis.nonzero.len().hash(&mut hasher);
    for &c in &node.children {
        let data = graph.facts(c);
        data.interval.hash(&mut hasher);
        data.residue.hash(&mut hasher);
        data.poly.hash(&mut hasher);
        // Quotients and extrema are looked into. Graphs of single places, of which there are many, do without.
        if !graph.analysis.contextual {
            let atoms = data.poly.iter().flat_map(|p| p.terms()).flat_map(|(monomial, _)| monomial);
            for &atom in atoms {
                graph[graph.find(atom)].nodes.len().hash(&mut hasher);
            }
        }
    }
    hasher.finish()
}

/// Brings all normal forms up to date with the classes' unions and unites classes of equal forms.
fn refresh(graph: &mut Graph) -> bool {
    let mut ids: Vec<Id> =
        graph.classes().filter(|c| in_theory(graph.facts(c.id).dtype)).map(|c| c.id).collect();
    ids.sort_unstable();
    let mut changed = false;
    let mut table = PolyTable::with_capacity(ids.len());
    for id in ids {
        let root = graph.find(id);
        let old = poly_of(graph, root);
        let new =
            if is_normal(graph, root, &old) { old.clone() } else { normalize(graph, root, &old).into() };
        let bounds = graph.analysis.level == TheoryLevel::Full;
        let new = match bounds.then(|| divides::multiplied_out(graph, &new)).flatten() {
            Some(new) => Arc::new(new),
            None => new,
        };
        graph.analysis.spend(new.terms().len());
        let first = bounds && {
            let known = known_of_atoms(graph, root, &new);
            graph.analysis.bounded.insert(known)
        };
        let data = graph.facts(root);
        let (narrowed, residue) = if first {
            let interval = bound(graph, &new, BOUND_DEPTH);
            let narrowed = data.interval.meet(interval).unwrap_or(data.interval);
            (narrowed, data.residue.meet(residue_of(graph, &new)).unwrap_or(data.residue))
        } else {
            (data.interval, data.residue)
        };
        if new != old || narrowed != data.interval || residue != data.residue {
            let mut facts = data.clone();
            facts.poly = Some(new.clone());
            facts.interval = narrowed;
            facts.residue = residue;
            graph.set_facts(root, facts);
            changed = true;
        }
        let dtype = graph.facts(root).dtype;
        if let Some(value) = new.as_const().or_else(|| narrowed.as_point().filter(|_| bounds)) {
            let constant = graph.add(Node::int(value, dtype));
            changed |= unite(graph, root, constant);
        }
        let first = table.get_or_insert(dtype, &new, root);
        changed |= unite(graph, first, root);
    }
    // In a whole function sums are built again, so that rules see them as they are built.
    let forgotten = || PolyTable::with_capacity(table.len());
    graph.analysis.set_table(if graph.analysis.contextual { table } else { forgotten() });
    if changed || !graph.clean {
        rebuild(graph);
    }
    changed
}

/// A hash of what bounds on the value of a class's normal form are made from.
fn known_of_atoms(graph: &Graph, id: Id, poly: &Poly) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    (id, poly).hash(&mut hasher);
    for &atom in poly.terms().iter().flat_map(|(monomial, _)| monomial) {
        let class = &graph[graph.find(atom)];
        (graph.facts(class.id).interval, graph.facts(class.id).residue, class.nodes.len()).hash(&mut hasher);
    }
    hasher.finish()
}

/// Unites two classes; whether they were two. (The graph's own method has it rebuilt in any case.)
pub(crate) fn unite(graph: &mut Graph, a: Id, b: Id) -> bool {
    graph.find(a) != graph.find(b) && graph.union(a, b)
}

/// Whether [`normalize`] would change nothing: every atom stands for itself.
fn is_normal(graph: &Graph, owner: Id, poly: &Poly) -> bool {
    poly.terms().iter().flat_map(|(monomial, _)| monomial).all(|&atom| {
        graph.find(atom) == atom
            && (atom == owner || graph.facts(atom).poly.as_ref().is_none_or(|p| p.as_atom() == Some(atom)))
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

/// `poly - q * (N - c * quotient)`, where the quotient is the monomial with coefficient `k = -q*c`, if that is
/// shorter. `N` does not hold the quotient.
fn without_remainder(poly: &Poly, numerator: &Poly, monomial: &Monomial, k: i64, q: i64) -> Option<Poly> {
    let q = q.checked_neg()?;
    let (gained, lost) = poly.gained_and_lost(numerator, q);
    // The quotient's own term goes, too.
    if gained > lost {
        return None;
    }
    poly.add_scaled(numerator, q)?.add_scaled(&Poly::term(monomial.clone(), k), -1)
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

/// If the class is a quotient `N // c` by a positive constant: the normal form of `N`, and `c`.
pub(crate) fn quotient_of(graph: &Graph, class: Id) -> Option<(Arc<Poly>, i64)> {
    quotient_by(graph, class, BinOp::FloorDiv)
}

/// The same for truncating division.
pub(crate) fn truncated_quotient_of(graph: &Graph, class: Id) -> Option<(Arc<Poly>, i64)> {
    quotient_by(graph, class, BinOp::Div)
}

fn quotient_by(graph: &Graph, class: Id, division: BinOp) -> Option<(Arc<Poly>, i64)> {
    let class = graph.find(class);
    // Most are none, and to find the nodes of a class takes longer than to find its facts.
    if !graph.facts(class).quotient {
        return None;
    }
    graph[class].nodes.iter().find_map(|node| match node.as_bin() {
        Some((op, n, d)) if op == division => {
            let c = graph.facts(d).interval.as_point().filter(|&c| c > 1)?;
            let numerator = poly_of(graph, n);
            // `x = (c*x + r) // c` defines nothing.
            (!numerator.mentions(class)).then_some((numerator, c))
        }
        _ => None,
    })
}

/// The polynomial written with a remainder in place of `q * (N - c * (N // c))`, for each such part: the class of
/// the remainder stands as an atom, so these are terms to build and no normal forms.
pub(super) fn remainders_in(graph: &mut Graph, poly: &Poly, dtype: DType) -> Vec<Poly> {
    poly.terms().iter().flat_map(|term| remainders_at(graph, poly, term, dtype)).collect()
}

/// The last one of [`remainders_in`].
pub(super) fn last_remainder_in(graph: &mut Graph, poly: &Poly, dtype: DType) -> Option<Poly> {
    poly.terms().iter().rev().find_map(|term| remainders_at(graph, poly, term, dtype).pop())
}

/// The polynomial with a remainder in place of the part that ends in a term of it, which is a multiple of `N // c`.
fn remainders_at(
    graph: &mut Graph,
    poly: &Poly,
    (monomial, k): &(Monomial, i64),
    dtype: DType,
) -> SmallVec<[Poly; 2]> {
    let mut found = SmallVec::new();
    let [atom] = monomial[..] else { return found };
    let floor = quotient_of(graph, atom).map(|(n, c)| (n, c, BinOp::FloorMod));
    let trunc = || truncated_quotient_of(graph, atom).map(|(n, c)| (n, c, BinOp::Mod));
    let Some((numerator, c, op)) = floor.or_else(trunc) else { return found };
    if k % c != 0 {
        return found;
    }
    // N // c is also -((c - 1 - N) // c).
    let other = Poly::constant(c - 1).sub(&numerator).filter(|_| op == BinOp::FloorMod).map(Arc::new);
    for (numerator, sign) in [(Some(numerator), 1), (other, -1)] {
        let q = -(k / c) * sign;
        let Some(numerator) = numerator else { continue };
        let Some(rest) = without_remainder(poly, &numerator, monomial, *k, q) else { continue };
        let n = build(graph, &numerator, dtype);
        let divisor = graph.add(Node::int(c, dtype));
        let remainder = graph.add(Node::bin(op, dtype, n, divisor));
        found.extend(rest.add(&Poly::term(Monomial::atom(remainder), q)));
    }
    found
}

/// Whether [`step`] may do something for a node; sums and products are decided by their normal forms alone.
fn has_step(node: &Node) -> bool {
    match node.op {
        Op::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul) => !in_theory(node.dtype),
        Op::Bin(_) | Op::Select | Op::IfThenElse | Op::Likely | Op::Cast | Op::Not | Op::Call(_) => true,
        Op::Int(_)
        | Op::Float(_)
        | Op::Var(_)
        | Op::Load(..)
        | Op::Ramp
        | Op::Broadcast
        | Op::Lanes
        | Op::Lane(_)
        | Op::LaneOf
        | Op::Template(_) => !node.dtype.is_scalar(),
    }
}

/// One step for one node; whether the graph changed.
fn step(graph: &mut Graph, id: Id, node: &Node) -> bool {
    if convert::fold(graph, id, node) {
        return true;
    }
    if !node.dtype.is_scalar() {
        return vector::step(graph, id, node);
    }
    match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[a, b]) => binary(graph, id, *op, node.dtype, a, b),
        (Op::Select | Op::IfThenElse, &[cond, then, otherwise]) => {
            let target = match graph.facts(cond).interval.as_point() {
                Some(0) if graph.facts(cond).dtype.is_scalar() => otherwise,
                Some(_) if graph.facts(cond).dtype.is_scalar() => then,
                _ if then == otherwise => then,
                _ => return false,
            };
            unite(graph, id, target)
        }
        // The hint is for conditions.
        (Op::Likely, &[a]) if !node.dtype.is_bool() || graph.facts(a).interval.as_point().is_some() => {
            unite(graph, id, a)
        }
        (Op::Cast, &[a]) => convert::cast(graph, id, node.dtype, a),
        (Op::Not, &[a]) => logic::not(graph, id, a),
        _ => false,
    }
}

fn binary(graph: &mut Graph, id: Id, op: BinOp, dtype: DType, a: Id, b: Id) -> bool {
    let operand = graph.facts(a).dtype;
    let mut changed = false;
    if matches!(op, BinOp::Add | BinOp::Mul | BinOp::Eq | BinOp::Ne) && !in_theory(operand)
        || matches!(op, BinOp::Min | BinOp::Max) && !operand.is_float()
    {
        changed |= unite_commuted(graph, op, operand, a, b, id);
    }
    if operand.is_bool() && op.is_logic() && operand.is_scalar() {
        return changed | logic::logic(graph, id, op, a, b);
    }
    if !in_theory(operand) {
        return changed;
    }
    match op {
        BinOp::FloorDiv => changed | division::floordiv(graph, id, a, b),
        BinOp::Div => changed | division::truncdiv(graph, id, dtype, a, b),
        BinOp::FloorMod | BinOp::Mod => changed | division::remainder(graph, id, op, dtype, a, b),
        BinOp::Min | BinOp::Max => changed | extremum::extremum(graph, id, op, a, b),
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
            changed | compare::compare(graph, id, op, a, b)
        }
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::And | BinOp::Or => changed,
    }
}

/// The class of a polynomial: the known one, or a term built for it (outermost variables first).
pub(crate) fn build(graph: &mut Graph, poly: &Poly, dtype: DType) -> Id {
    if let Some(id) = graph.analysis.class_of(dtype, poly) {
        return graph.find(id);
    }
    super::candidates::default_form(graph, poly, dtype)
}

fn unite_with(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType) -> bool {
    let target = build(graph, poly, dtype);
    unite(graph, id, target)
}
