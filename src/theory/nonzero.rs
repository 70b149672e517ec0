//! Values that are known not to be zero, from ranges and, in a contextual graph, from conditions `P != 0`.

use egg::Id;

use super::bounds::bound;
use crate::arith::Interval;
use crate::egraph::{Graph, Knowing, Node, Op, Poly, in_theory, known_range, poly_of};
use crate::ir::{BinOp, DType};

/// Whether the value is proven not to be zero.
pub(super) fn is_nonzero(graph: &Graph, p: &Poly) -> bool {
    if !bound(graph, p, 1).contains(0) {
        return true;
    }
    let facts = &graph.analysis.nonzero;
    if facts.contains(p) || p.scale(-1).is_some_and(|n| facts.contains(&n)) {
        return true;
    }
    let Some((monomial, _)) = p.as_term() else { return false };
    // A factor of what is not zero is not zero; nor is a product of such factors.
    facts.iter().any(|f| f.terms().iter().all(|(m, _)| m.divide(monomial).is_some()))
        || monomial.len() > 1 && monomial.iter().all(|&atom| is_nonzero(graph, &Poly::atom(atom)))
}

/// Reads the conditions `P != 0` that hold; whether a range got better by one.
pub(super) fn collect(graph: &mut Graph) -> bool {
    let mut facts: Vec<Poly> = Vec::new();
    for (truth, op) in [(1, BinOp::Ne), (0, BinOp::Eq)] {
        let Some(class) = graph.lookup(Node::int(truth, DType::BOOL)) else { continue };
        for node in &graph[class].nodes {
            let (Op::Bin(found), &[a, b]) = (&node.op, &node.children[..]) else { continue };
            if *found == op && in_theory(graph.facts(a).dtype) {
                let (a, b) = (poly_of(graph, a), poly_of(graph, b));
                facts.extend(a.sub(&b).filter(|p| p.as_const().is_none()));
            }
        }
    }
    let mut changed = narrow_wrapping(graph);
    for fact in &facts {
        changed |= fact.as_atom().is_some_and(|atom| exclude_zero(graph, atom));
    }
    graph.analysis_mut().nonzero = facts;
    changed
}

/// Takes what true and false comparisons with constants say of values of types that wrap, which have no normal form.
fn narrow_wrapping(graph: &mut Graph) -> bool {
    let mut found: Vec<(Id, Interval)> = Vec::new();
    for truth in [true, false] {
        let Some(class) = graph.lookup(Node::int(i64::from(truth), DType::BOOL)) else { continue };
        for node in &graph[class].nodes {
            let (Op::Bin(op), &[a, b]) = (&node.op, &node.children[..]) else { continue };
            let dtype = graph.facts(a).dtype;
            if !op.is_compare() || !known_range(dtype) || in_theory(dtype) {
                continue;
            }
            let (x, y) = (graph.facts(a).interval, graph.facts(b).interval);
            // The values of `a` below, and above, those that `b` may have; and the other way round.
            let (strict, below) = match (op, truth) {
                (BinOp::Lt, true) | (BinOp::Ge, false) => (1, true),
                (BinOp::Le, true) | (BinOp::Gt, false) => (0, true),
                (BinOp::Gt, true) | (BinOp::Le, false) => (1, false),
                (BinOp::Ge, true) | (BinOp::Lt, false) => (0, false),
                _ => continue,
            };
            let (low, high) = if below { ((a, x), (b, y)) } else { ((b, y), (a, x)) };
            let most = high.1.hi().and_then(|v| Interval::new(Interval::NEG_INF, v.checked_sub(strict)?));
            let least = low.1.lo().and_then(|v| Interval::new(v.checked_add(strict)?, Interval::POS_INF));
            found.extend(most.map(|range| (low.0, range)));
            found.extend(least.map(|range| (high.0, range)));
        }
    }
    let mut changed = false;
    for (class, range) in found {
        let class = graph.find(class);
        let own = graph.facts(class).interval;
        if let Some(both) = own.meet(range).filter(|both| *both != own) {
            let mut facts = graph.facts(class).clone();
            facts.interval = both;
            graph.set_facts(class, facts);
            changed = true;
        }
    }
    changed
}

/// Moves an end of the class's range that is zero.
fn exclude_zero(graph: &mut Graph, atom: Id) -> bool {
    let atom = graph.find(atom);
    let range = graph.facts(atom).interval;
    let without = match (range.lo(), range.hi()) {
        (Some(0), _) => Interval::new(1, range.hi().unwrap_or(Interval::POS_INF)),
        (_, Some(0)) => Interval::new(range.lo().unwrap_or(Interval::NEG_INF), -1),
        _ => return false,
    };
    let Some(without) = without else { return false };
    let mut facts = graph.facts(atom).clone();
    facts.interval = without;
    graph.set_facts(atom, facts);
    true
}
