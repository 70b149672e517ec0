//! Terms for polynomials: sums and products as nodes, and the class of a polynomial.

use egg::Id;

use crate::egraph::{Axiom, Graph, Knowing, Monomial, Node, Poly};
use crate::ir::{BinOp, DType};

/// What nodes are put into: an e-graph, or one that remembers them.
pub(crate) trait Emit {
    fn emit(&mut self, node: Node) -> Id;
    fn graph(&self) -> &Graph;
}

impl Emit for Graph {
    fn emit(&mut self, node: Node) -> Id {
        self.add(node)
    }

    fn graph(&self) -> &Graph {
        self
    }
}

/// The class of a polynomial: the known one, or a term built for it (outermost variables first).
pub(crate) fn build(graph: &mut Graph, poly: &Poly, dtype: DType) -> Id {
    if let Some(id) = graph.analysis.class_of(dtype, poly) {
        return graph.find(id);
    }
    default_form(graph, poly, dtype)
}

/// Unites a class with that of a polynomial; whether they were two.
pub(super) fn unite_with(graph: &mut Graph, id: Id, poly: &Poly, dtype: DType, why: Axiom) -> bool {
    let target = build(graph, poly, dtype);
    graph.unite(id, target, why)
}

/// Unites the class of a commutative operation with the one on swapped operands, if there is one.
pub(crate) fn unite_commuted(graph: &mut Graph, op: BinOp, dtype: DType, a: Id, b: Id, id: Id) -> bool {
    match graph.lookup(Node::bin(op, dtype, b, a)) {
        Some(other) => graph.unite(id, other, Axiom::Commuted),
        None => false,
    }
}

/// Builds the polynomial outermost terms first and returns the class.
pub(crate) fn default_form(graph: &mut Graph, poly: &Poly, dtype: DType) -> Id {
    let terms = by_level(graph, poly);
    let mut sum = Sum::new(dtype);
    for (_, monomial, coefficient) in terms {
        let product = product(graph, &monomial, coefficient.unsigned_abs(), dtype);
        sum.push(graph, product, coefficient < 0);
    }
    sum.finish(graph, poly.const_term())
}

/// The terms but the constant one, by the level that they need, each level's in the polynomial's order.
pub(crate) fn by_level(graph: &Graph, poly: &Poly) -> Vec<(u32, Monomial, i64)> {
    let mut terms: Vec<(u32, Monomial, i64)> = poly
        .terms()
        .iter()
        .filter(|(m, _)| !m.is_empty())
        .map(|(m, c)| (monomial_level(graph, m), m.clone(), *c))
        .collect();
    terms.sort_by_key(|&(level, ..)| level);
    terms
}

pub(crate) fn level_of(graph: &Graph, id: Id) -> u32 {
    graph.facts(id).level
}

fn monomial_level(graph: &Graph, monomial: &Monomial) -> u32 {
    monomial.iter().map(|&id| level_of(graph, id)).max().unwrap_or(0)
}

/// `coefficient * monomial`, outermost atoms first and the coefficient with the first of them.
pub(crate) fn product(to: &mut impl Emit, monomial: &Monomial, coefficient: u64, dtype: DType) -> Id {
    let graph = to.graph();
    let mut atoms: Vec<Id> = monomial.iter().map(|&id| graph.find(id)).collect();
    atoms.sort_by_key(|&id| (level_of(graph, id), id));
    // A coefficient of 2^63 has no positive constant; it stays negative in the sum instead of being split here.
    let coefficient = i64::try_from(coefficient).unwrap_or(i64::MIN);
    let mut atoms = atoms.into_iter();
    let Some(mut value) = atoms.next() else { return to.emit(Node::int(coefficient, dtype)) };
    if coefficient != 1 {
        let factor = to.emit(Node::int(coefficient, dtype));
        value = to.emit(Node::bin(BinOp::Mul, dtype, value, factor));
    }
    for atom in atoms {
        value = to.emit(Node::bin(BinOp::Mul, dtype, value, atom));
    }
    value
}

/// A sum under construction: what has been added up, and what waits to be subtracted.
pub(crate) struct Sum {
    dtype: DType,
    positive: Option<Id>,
    negative: Option<Id>,
}

impl Sum {
    pub(crate) fn new(dtype: DType) -> Sum {
        Sum { dtype, positive: None, negative: None }
    }

    pub(crate) fn push(&mut self, to: &mut impl Emit, term: Id, negative: bool) {
        let dtype = self.dtype;
        match (self.positive, negative) {
            (Some(sum), false) => self.positive = Some(to.emit(Node::bin(BinOp::Add, dtype, sum, term))),
            (Some(sum), true) => self.positive = Some(to.emit(Node::bin(BinOp::Sub, dtype, sum, term))),
            (None, true) => {
                self.negative = Some(match self.negative {
                    Some(sum) => to.emit(Node::bin(BinOp::Add, dtype, sum, term)),
                    None => term,
                });
            }
            (None, false) => {
                self.positive = Some(match self.negative.take() {
                    Some(negative) => to.emit(Node::bin(BinOp::Sub, dtype, term, negative)),
                    None => term,
                });
            }
        }
    }

    pub(crate) fn finish(self, to: &mut impl Emit, constant: i64) -> Id {
        let dtype = self.dtype;
        match (self.positive, self.negative) {
            (None, None) => to.emit(Node::int(constant, dtype)),
            (None, Some(negative)) => {
                let start = to.emit(Node::int(constant, dtype));
                to.emit(Node::bin(BinOp::Sub, dtype, start, negative))
            }
            (Some(sum), _) if constant == 0 => sum,
            (Some(sum), _) => {
                let (op, magnitude) = match constant.checked_neg() {
                    Some(negated) if constant < 0 => (BinOp::Sub, negated),
                    _ => (BinOp::Add, constant),
                };
                let offset = to.emit(Node::int(magnitude, dtype));
                to.emit(Node::bin(op, dtype, sum, offset))
            }
        }
    }
}
