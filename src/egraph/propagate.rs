//! The class analysis: what is known of the value of every e-class.
//!
//! # Why these facts may be shared by a whole function
//!
//! The e-graph holds equalities between *total* functions of the variables: division by zero is taken to give
//! zero and a remainder by zero its dividend (so that `x % y = x - x // y * y` always), a load any fixed value.
//! A fact about a variable is only used here when, for every value of all other variables, some value of it
//! satisfies the fact: `0 <= i < 16` for a loop of constant extent, `n >= 0` for a dimension. Then an equality
//! between two terms that do not mention `i` holds for all values of their own variables, whatever led to it, and
//! congruence and transitivity are sound without any scope. A fact like `i < n` does not qualify (there is no
//! such `i` when `n` is 0: "n >= 1" would leak out of the loop); such facts belong to the contextual simplifier,
//! which keeps its results to their place. Whether an operation may trap is a question of placement, not of
//! equality, and is decided there.

use egg::{Analysis, DidMerge, Id, Justification};

use super::analysis::FactAnalysis;
use super::facts::{Facts, MAX_UPDATES, Operands, known_range};
use super::graph::{Knowing, RawGraph, unite_raw};
use super::level::TheoryLevel;
use super::node::Node;
use super::poly::Poly;
use super::reason::{Axiom, Reason};
use super::table::Held;
use super::transfer;

/// What is known of the value of a node of the class `id`.
fn facts_of(graph: &RawGraph, node: &Node, id: Id) -> Facts {
    let operands: Operands<'_> = node.children.iter().map(|&c| graph.facts(c)).collect();
    transfer::facts_of(&graph.analysis, node, &operands, id)
}

impl Analysis<Node> for FactAnalysis {
    type Data = Held;

    fn make(graph: &mut RawGraph, node: &Node, id: Id) -> Held {
        let facts = facts_of(graph, node, id);
        graph.analysis.facts.push(id, facts)
    }

    fn remake(graph: &mut RawGraph, node: &Node, id: Id) -> Held {
        let facts = facts_of(graph, node, id);
        graph.analysis.facts.remake(facts)
    }

    fn merge(&mut self, a: &mut Held, b: Held) -> DidMerge {
        let b = self.facts.take(b);
        let contradicts = self.contradicts();
        let a = self.facts.held(*a);
        a.quotient |= b.quotient;
        if contradicts {
            return DidMerge(false, false);
        }
        debug_assert_eq!(a.dtype, b.dtype, "a union across types");
        let mut did = DidMerge(false, false);
        a.updates = a.updates.max(b.updates);
        let settled = a.updates >= MAX_UPDATES;
        match a.interval.meet(b.interval) {
            None => self.contradictions += 1,
            Some(_) if settled => {}
            Some(both) => {
                let better = both != a.interval;
                did.0 |= better;
                did.1 |= both != b.interval;
                a.updates += u8::from(better);
                a.interval = both;
            }
        }
        match a.residue.meet(b.residue) {
            None => self.contradictions += 1,
            Some(_) if settled => {}
            Some(both) => {
                did.0 |= both != a.residue;
                did.1 |= both != b.residue;
                a.updates += u8::from(both != a.residue);
                a.residue = both;
            }
        }
        let leaf = a.leaf || b.leaf;
        if let (Some(p), Some(q)) = (&a.poly, &b.poly) {
            self.contradictions += usize::from(p.as_const().zip(q.as_const()).is_some_and(|(x, y)| x != y));
            if p == q || settled && p.as_const().is_none() && q.as_const().is_none() {
            } else if prefer(q, b.leaf, p, a.leaf) {
                a.poly = b.poly;
                a.updates = a.updates.saturating_add(1);
                did.0 = true;
            } else {
                did.1 = true;
            }
        }
        did.0 |= leaf != a.leaf;
        did.1 |= leaf != b.leaf;
        a.leaf = leaf;
        self.broken_points |= a.samples.merge(b.samples);
        let level = a.level.min(b.level);
        did.0 |= level != a.level;
        did.1 |= level != b.level;
        a.level = level;
        did
    }

    fn pre_union(graph: &RawGraph, a: Id, b: Id, justification: &Option<Justification>) {
        if let Some(log) = &graph.analysis.log
            && graph.find(a) != graph.find(b)
        {
            // Of its own egg unites only what is congruent.
            log.borrow_mut().note(a, b, justification.is_some());
        }
    }

    fn modify(graph: &mut RawGraph, id: Id) {
        if graph.analysis.contradicts() {
            return;
        }
        let id = graph.find(id);
        let data = graph.facts(id);
        let dtype = data.dtype;
        let constant = match &data.poly {
            Some(poly) => poly.as_const(),
            None => None,
        };
        let by_range = || {
            let value = data.interval.as_point().map(|value| (value, Axiom::OnlyValue));
            value.or((data.residue.modulus() == 0).then(|| (data.residue.rest(), Axiom::OnlyResidue)))
        };
        let concludes = graph.analysis.level == TheoryLevel::Full;
        let value = constant
            .map(|value| (value, Axiom::ConstantForm))
            .or_else(|| by_range().filter(|_| concludes && known_range(dtype)));
        if let Some((value, axiom)) = value {
            let constant = graph.add(Node::int(value, dtype));
            if graph.find(constant) != id {
                unite_raw(graph, id, constant, Reason::Axiom(axiom));
            }
        }
        let id = graph.find(id);
        let FactAnalysis { facts, by_poly, .. } = &mut graph.analysis;
        let first = facts[id].poly.as_ref().map(|poly| by_poly.get_or_insert(dtype, poly, id));
        if let Some(other) = first.filter(|&other| other != id) {
            unite_raw(graph, id, other, Reason::Axiom(Axiom::NormalForm));
        }
    }
}

/// Whether `p` is the better normal form: constants first, then the atom of a leaf, then proper sums over plain
/// atoms (they are expressed in smaller atoms), then the smaller one.
fn prefer(p: &Poly, p_leaf: bool, q: &Poly, q_leaf: bool) -> bool {
    let rank = |poly: &Poly, leaf: bool| {
        if poly.as_const().is_some() {
            0
        } else if leaf && poly.as_atom().is_some() {
            1
        } else if poly.as_atom().is_none() {
            2
        } else {
            3
        }
    };
    let key = |poly: &Poly, leaf: bool| (rank(poly, leaf), poly.complexity());
    match key(p, p_leaf).cmp(&key(q, q_leaf)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => p.terms() < q.terms(),
    }
}
