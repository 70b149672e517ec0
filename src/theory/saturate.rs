//! Applies the theory: one step for each node, until nothing changes.

use std::hash::{BuildHasher, Hash, Hasher};

use egg::{Id, Language};
use foldhash::quality::FixedState;

use super::normalize::refresh;
use super::sums::unite_commuted;
use super::{basic, compare, convert, division, extremum, logic, nonzero, sign, vector};
use crate::egraph::{Axiom, Graph, Knowing, Node, Op, TheoryLevel, in_theory, is_full, poly_of, rebuild};
use crate::ir::{BinOp, DType};

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
            graph.analysis_mut().unproven.get_mut().clear();
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
            if graph.analysis_mut().visited.insert(fingerprint) {
                let terms = poly_of(graph, id).terms().len();
                graph.analysis.spend(terms);
                let class = graph.find(id);
                graph.about(class, &node);
                changed |= step(graph, class, &node);
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

/// Whether [`step`] may do something for a node; sums and products are decided by their normal forms alone.
fn has_step(node: &Node) -> bool {
    match node.op {
        Op::Bin(op) if op.is_ring() => !in_theory(node.dtype),
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
pub(super) fn step(graph: &mut Graph, id: Id, node: &Node) -> bool {
    if convert::fold(graph, id, node) {
        return true;
    }
    if !node.dtype.is_scalar() {
        return vector::step(graph, id, node);
    }
    match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[a, b]) => binary(graph, id, *op, node.dtype, a, b),
        (Op::Select | Op::IfThenElse, &[cond, then, otherwise]) => {
            let (target, axiom) = match graph.facts(cond).interval.as_point() {
                Some(0) if graph.facts(cond).dtype.is_scalar() => (otherwise, Axiom::ChoiceDecided),
                Some(_) if graph.facts(cond).dtype.is_scalar() => (then, Axiom::ChoiceDecided),
                _ if then == otherwise => (then, Axiom::ChoiceOfSame),
                _ => return false,
            };
            graph.unite(id, target, axiom)
        }
        // The hint is for conditions.
        (Op::Likely, &[a]) if !node.dtype.is_bool() || graph.facts(a).interval.as_point().is_some() => {
            graph.unite(id, a, Axiom::Likely)
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
        // The others have no theory of their own.
        _ => changed,
    }
}
