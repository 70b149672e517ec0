//! Operations on constants, and conversions.

use egg::Id;

use super::bounds::bound;
use super::sums::unite_with;
use crate::arith::Interval;
use crate::egraph::{Axiom, Function, Graph, Knowing, Node, Op, Poly, Reason, in_theory, poly_of};
use crate::ir::value::{Undefined, Value};
use crate::ir::{DType, value};

/// The constant that a scalar class is.
pub(crate) fn constant(graph: &Graph, class: Id) -> Option<Value> {
    graph[graph.find(class)].nodes.iter().find_map(|n| match n.op {
        Op::Int(v) => Some(Value::Int(v.get())),
        // A literal may have more digits than its type.
        Op::Float(bits) => value::cast(n.dtype, n.dtype, Value::Float(f64::from_bits(bits.get()))).ok(),
        _ => None,
    })
}

/// Computes an operation on constants; whether the graph changed.
pub(super) fn fold(graph: &mut Graph, id: Id, node: &Node) -> bool {
    if !node.dtype.is_scalar() || constant(graph, id).is_some() {
        return false;
    }
    let result = match (&node.op, &node.children[..]) {
        (Op::Bin(op), &[a, b]) => constant(graph, a)
            .zip(constant(graph, b))
            .filter(|&(x, y)| !value::depends_on_target(*op, x, y))
            .map(|(x, y)| value::binary(*op, graph.facts(a).dtype, x, y)),
        (Op::Cast, &[a]) => constant(graph, a).map(|v| value::cast(graph.facts(a).dtype, node.dtype, v)),
        (Op::Not, &[a]) => constant(graph, a).map(value::not),
        (Op::Call(callee), operands) => call(graph, *callee, operands),
        _ => None,
    };
    match result {
        Some(Ok(Value::Int(v))) => {
            let constant = graph.add(Node::int(v, node.dtype));
            graph.unite(id, constant, Reason::Fold)
        }
        Some(Ok(Value::Float(v))) => {
            let constant = graph.add(Node::new(Op::float(v.to_bits()), node.dtype, []));
            graph.unite(id, constant, Reason::Fold)
        }
        Some(Err(_)) | None => false,
    }
}

/// The value of a call on constants, where every correct implementation gives the same bits.
fn call(graph: &Graph, callee: u32, operands: &[Id]) -> Option<Result<Value, Undefined>> {
    let Some(Function::Math(function)) = graph.analysis.functions.get(callee) else { return None };
    let dtype = graph.facts(*operands.first()?).dtype;
    let values = operands.iter().map(|&a| constant(graph, a)).collect::<Option<Vec<_>>>()?;
    function.is_exact().then(|| function.fold(dtype, &values))
}

/// A conversion to the own type; and of a sum between index types, which is the sum of the converted atoms where no
/// part of it can leave either type.
pub(super) fn cast(graph: &mut Graph, id: Id, to: DType, a: Id) -> bool {
    let from = graph.facts(a).dtype;
    if from == to {
        return graph.unite(id, a, Axiom::CastToSame);
    }
    if !in_theory(from) || !in_theory(to) {
        return false;
    }
    let poly = Poly::clone(&poly_of(graph, a));
    if poly.as_atom().is_some() || !parts_fit(graph, &poly, from) || !parts_fit(graph, &poly, to) {
        return false;
    }
    let mut converted = Vec::new();
    for atom in poly.atoms() {
        let class = graph.add(Node::new(Op::Cast, to, [graph.find(atom)]));
        converted.push((atom, Poly::clone(&poly_of(graph, class))));
    }
    let sum = poly.substitute(|atom| {
        converted.iter().find(|(a, _)| *a == atom).map_or_else(Poly::default, |(_, p)| p.clone())
    });
    match sum {
        Some(sum) => unite_with(graph, id, &sum, to, Axiom::CastOfSum),
        None => false,
    }
}

/// Whether every partial sum of the terms is a value of the type.
fn parts_fit(graph: &Graph, poly: &Poly, dtype: DType) -> bool {
    let Some((least, most)) = dtype.int_range() else { return false };
    let extent = poly.terms().iter().fold(Interval::point(0), |sum, (monomial, c)| {
        sum.add(bound(graph, &Poly::term(monomial.clone(), *c), 0).join(Interval::point(0)))
    });
    let (lo, hi) = (extent.lo().map(i128::from), extent.hi().map(i128::from));
    lo.is_some_and(|lo| lo >= least) && hi.is_some_and(|hi| hi <= most)
}

/// Whether a constant of the type can be this one.
pub(crate) fn representable(value: i64, dtype: DType) -> bool {
    dtype.int_range().is_none_or(|(lo, hi)| lo <= i128::from(value) && i128::from(value) <= hi)
        || dtype.is_uint() && dtype.bits == 64
}
