//! `and`, `or`, `not`: decided and repeated operands, and comparisons that imply or exclude each other.

use egg::Id;

use super::bounds::{BOUND_DEPTH, bound};
use super::compare::bounded_sum;
use crate::egraph::{Axiom, Graph, Knowing, Node, Op, Poly, in_theory, poly_of};
use crate::ir::{BinOp, DType};

/// The most parts of a condition that are compared with each other.
const MAX_PARTS: usize = 8;

/// How deep nested operations are looked into; classes may hold each other.
const MAX_DEPTH: u32 = 8;

/// How deep the search for a way to compute a class without traps goes.
const TOTAL_DEPTH: u32 = 6;

/// How many nodes it visits: a class has many, each with operands that have many.
const TOTAL_NODES: u32 = 64;

/// `and` and `or` with a decided or a repeated operand, and with parts that the others imply. Evaluation order does
/// not matter for the value; parts are dropped only where none can trap, because one may guard another.
pub(super) fn logic(graph: &mut Graph, id: Id, op: BinOp, a: Id, b: Id) -> bool {
    let neutral = if op == BinOp::And { 1 } else { 0 };
    let (x, y) = (graph.facts(a).interval.as_point(), graph.facts(b).interval.as_point());
    if x == Some(neutral) || a == b || y == Some(1 - neutral) {
        return graph.unite(id, b, Axiom::LogicUnit);
    }
    if y == Some(neutral) || x == Some(1 - neutral) {
        return graph.unite(id, a, Axiom::LogicUnit);
    }
    let mut parts = Vec::new();
    gather(graph, op, a, MAX_DEPTH, &mut parts);
    gather(graph, op, b, MAX_DEPTH, &mut parts);
    if parts.len() > MAX_PARTS {
        return false;
    }
    // A false disjunction is a conjunction of opposites, so the same holds for it with truth values turned.
    let and = op == BinOp::And;
    for i in 0..parts.len() {
        for j in i + 1..parts.len() {
            if excludes(graph, parts[i], parts[j], and) {
                let decided = graph.add(Node::int(1 - neutral, DType::BOOL));
                return graph.unite(id, decided, Axiom::LogicExcluded);
            }
        }
    }
    let total = |&p: &Id| is_total(graph, p, TOTAL_DEPTH, &mut { TOTAL_NODES });
    if !parts.iter().all(total) {
        return false;
    }
    let mut i = 0;
    while i < parts.len() {
        let implied = (0..parts.len()).any(|j| i != j && implies(graph, parts[j], parts[i], and));
        if implied {
            parts.remove(i);
        } else {
            i += 1;
        }
    }
    // One order for all of the same parts.
    parts.sort_unstable();
    match parts.into_iter().reduce(|x, y| graph.add(Node::bin(op, DType::BOOL, x, y))) {
        Some(rest) => graph.unite(id, rest, Axiom::LogicImplied),
        None => false,
    }
}

/// The parts of nested operations of one kind, each once.
fn gather(graph: &Graph, op: BinOp, class: Id, depth: u32, parts: &mut Vec<Id>) {
    let class = graph.find(class);
    let pair = graph[class].nodes.iter().find_map(|n| n.as_bin().filter(|(o, ..)| *o == op));
    match pair {
        Some((_, a, b)) if depth > 0 && parts.len() <= MAX_PARTS => {
            gather(graph, op, a, depth - 1, parts);
            gather(graph, op, b, depth - 1, parts);
        }
        _ if !parts.contains(&class) => parts.push(class),
        _ => {}
    }
}

/// What a comparison says when it has this truth value.
enum Meaning {
    /// The sum is not positive.
    NotPositive(Poly),
    /// The sum is zero.
    Zero(Poly),
    /// The sum is not zero.
    NotZero(Poly),
}

fn meaning(graph: &Graph, class: Id, truth: bool) -> Option<Meaning> {
    graph[class].nodes.iter().find_map(|node| {
        let (op, a, b) = node.as_bin()?;
        if !op.is_compare() || !in_theory(graph.facts(a).dtype) {
            return None;
        }
        let difference = poly_of(graph, a).sub(&poly_of(graph, b))?;
        match (op, truth) {
            (BinOp::Eq, true) | (BinOp::Ne, false) => Some(Meaning::Zero(difference)),
            (BinOp::Ne, true) | (BinOp::Eq, false) => Some(Meaning::NotZero(difference)),
            _ => bounded_sum(op, truth, &difference).map(Meaning::NotPositive),
        }
    })
}

/// Whether the sum is proven to be at least `k`.
fn at_least(graph: &Graph, sum: Option<Poly>, k: i64) -> bool {
    sum.is_some_and(|p| bound(graph, &p, BOUND_DEPTH).at_least(k))
}

/// Whether the difference of two sums, or their sum, is proven not to be zero.
fn apart(graph: &Graph, p: &Poly, q: &Poly) -> bool {
    let nonzero = |p: Option<Poly>| p.is_some_and(|p| !bound(graph, &p, BOUND_DEPTH).contains(0));
    nonzero(p.sub(q)) || nonzero(p.add(q))
}

/// Whether both cannot have the truth value at once.
fn excludes(graph: &Graph, a: Id, b: Id, truth: bool) -> bool {
    let negation = |x: Id, y: Id| {
        graph[x].nodes.iter().any(|n| n.op == Op::Not && graph.find(n.children[0]) == graph.find(y))
    };
    if negation(a, b) || negation(b, a) {
        return true;
    }
    let (Some(x), Some(y)) = (meaning(graph, a, truth), meaning(graph, b, truth)) else { return false };
    match (&x, &y) {
        (Meaning::NotPositive(p), Meaning::NotPositive(q)) => at_least(graph, p.add(q), 1),
        (Meaning::NotPositive(p), Meaning::Zero(q)) | (Meaning::Zero(q), Meaning::NotPositive(p)) => {
            at_least(graph, p.add(q), 1) || at_least(graph, p.sub(q), 1)
        }
        (Meaning::Zero(p), Meaning::Zero(q)) => apart(graph, p, q),
        (Meaning::Zero(p), Meaning::NotZero(q)) | (Meaning::NotZero(q), Meaning::Zero(p)) => {
            p == q || q.scale(-1).as_ref() == Some(p)
        }
        _ => false,
    }
}

/// Whether `b` has the truth value wherever `a` has.
fn implies(graph: &Graph, a: Id, b: Id, truth: bool) -> bool {
    let (Some(x), Some(y)) = (meaning(graph, a, truth), meaning(graph, b, truth)) else { return false };
    match (&x, &y) {
        // q <= p <= 0.
        (Meaning::NotPositive(p), Meaning::NotPositive(q)) => at_least(graph, p.sub(q), 0),
        (Meaning::Zero(p), Meaning::NotPositive(q)) => {
            at_least(graph, p.sub(q), 0) || at_least(graph, p.add(q).and_then(|s| s.scale(-1)), 0)
        }
        (Meaning::Zero(p), Meaning::NotZero(q)) => apart(graph, p, q),
        // q < p <= 0, or q > -p >= 0.
        (Meaning::NotPositive(p), Meaning::NotZero(q)) => {
            at_least(graph, p.sub(q), 1) || at_least(graph, p.add(q), 1)
        }
        _ => false,
    }
}

/// Whether a way to compute the class without a trap is found.
pub(crate) fn can_be_total(graph: &Graph, class: Id) -> bool {
    is_total(graph, class, TOTAL_DEPTH, &mut { TOTAL_NODES })
}

/// Whether a way to compute the class without a trap is found within `left` nodes.
fn is_total(graph: &Graph, class: Id, depth: u32, left: &mut u32) -> bool {
    let class = graph.find(class);
    graph[class].nodes.iter().any(|node| match &node.op {
        Op::Int(_) | Op::Float(_) | Op::Var(_) => true,
        Op::Load(..) | Op::Template(_) | Op::Call(_) | Op::IfThenElse => false,
        Op::Bin(BinOp::FloorDiv | BinOp::FloorMod | BinOp::Div | BinOp::Mod)
            if graph.facts(node.children[1]).interval.contains(0) =>
        {
            false
        }
        _ if depth == 0 || *left == 0 => false,
        _ => {
            *left -= 1;
            node.children.iter().all(|&c| is_total(graph, c, depth - 1, left))
        }
    })
}

/// A negation is pushed into what it negates.
pub(super) fn not(graph: &mut Graph, id: Id, a: Id) -> bool {
    let inverse = graph[a].nodes.iter().find_map(|n| match (&n.op, &n.children[..]) {
        (Op::Not, &[x]) => Some(Ok(x)),
        (Op::Bin(op), &[x, y]) if !graph.facts(x).dtype.is_float() => {
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
        Some(Ok(x)) => graph.unite(id, x, Axiom::DoubleNegation),
        Some(Err((op, x, y))) => {
            let operand = graph.facts(x).dtype;
            let flipped = graph.add(Node::bin(op, operand, x, y));
            graph.unite(id, flipped, Axiom::NegatedComparison)
        }
        None => false,
    }
}
