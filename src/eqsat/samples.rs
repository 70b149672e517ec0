//! Values of classes at sample points: what a point refutes needs no search for a proof.
//!
//! Every class has a value at each point, computed from any of its nodes, with the total functions of
//! [`facts`](super::facts). A point at which two nodes of one class differ breaks something that is known in the
//! place that the graph is about, and is not used; nor are values that overflow or that are no integers. So a
//! point is only ever a reason not to try a proof, and the answers are the same without any.

use super::facts::{FactAnalysis, Facts, Graph, Knowing};
use super::lang::{Node, Op};
use super::poly::Poly;
use crate::arith::{Interval, points};
use crate::ir::BinOp;
use crate::ir::value::int;

/// How many points there are.
pub(crate) const POINTS: usize = 6;

/// The values of a class at the points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SampleValues {
    values: [i64; POINTS],
    /// A bit for each point at which the value is known.
    known: u8,
}

impl SampleValues {
    /// The values of a node.
    pub(super) fn of(theory: &FactAnalysis, node: &Node, operands: &[&Facts]) -> SampleValues {
        let mut samples = SampleValues::default();
        if node.dtype.is_scalar() && (node.dtype.is_integral() || node.dtype.is_bool()) {
            for point in 0..POINTS {
                if let Some(value) = value(theory, node, operands, point) {
                    samples.values[point] = value;
                    samples.known |= 1 << point;
                }
            }
        }
        samples
    }

    fn at(&self, point: usize) -> Option<i64> {
        (self.known >> point & 1 == 1).then_some(self.values[point])
    }

    /// Takes the values of another node of the class where there is none yet; returns a bit for each point at which
    /// the two differ.
    pub(crate) fn merge(&mut self, other: SampleValues) -> u8 {
        let mut broken = 0;
        for point in 0..POINTS {
            match (self.at(point), other.at(point)) {
                (Some(a), Some(b)) => broken |= u8::from(a != b) << point,
                (None, Some(b)) => {
                    self.values[point] = b;
                    self.known |= 1 << point;
                }
                (_, None) => {}
            }
        }
        broken
    }
}

/// The signs that a value has at some points.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Below zero at a point.
    pub negative: bool,
    /// Above zero at a point.
    pub positive: bool,
}

/// The signs of a polynomial's value at the points where what is known holds.
pub(crate) fn signs(graph: &Graph, p: &Poly) -> Seen {
    let mut seen = Seen::default();
    for value in values(graph, p) {
        seen.negative |= value < 0;
        seen.positive |= value > 0;
    }
    seen
}

/// Whether the value is negative at a point where what is known holds.
pub(crate) fn refutes_not_negative(graph: &Graph, p: &Poly) -> bool {
    values(graph, p).any(|value| value < 0)
}

fn values(graph: &Graph, p: &Poly) -> impl Iterator<Item = i64> {
    let broken = graph.analysis.broken_points;
    (0..POINTS)
        .filter(move |point| broken >> point & 1 == 0)
        .filter_map(move |point| poly_value(graph, p, point))
}

fn poly_value(graph: &Graph, p: &Poly, point: usize) -> Option<i64> {
    p.value(|atom| graph.facts(atom).samples.at(point))
}

fn value(theory: &FactAnalysis, node: &Node, operands: &[&Facts], point: usize) -> Option<i64> {
    let of = |i: usize| operands[i].samples.at(point);
    let at = point as u64;
    match &node.op {
        Op::Int(v) => Some(v.get()),
        Op::Var(v) if node.dtype.is_bool() => Some((points::mix(u64::from(v.0) + 1, at) & 1).cast_signed()),
        Op::Var(v) => {
            let range = theory.var_ranges.get(v.index()).copied().unwrap_or(Interval::ALL);
            Some(points::value_at(range, !node.dtype.is_uint(), u64::from(v.0), at))
        }
        Op::Bin(op) => {
            let operand = operands[0].dtype;
            let (a, b) = (of(0)?, of(1)?);
            match op {
                BinOp::Div | BinOp::FloorDiv if b == 0 => Some(0),
                BinOp::Mod | BinOp::FloorMod if b == 0 => Some(a),
                // Integers of index types have no bounds here, but those of 64 bits.
                _ if operand.is_index() => int::index(*op, 64, a, b).ok(),
                _ => int::binary(*op, operand, a, b).ok(),
            }
        }
        Op::Not => of(0).map(|v| i64::from(v == 0)),
        Op::Likely => of(0),
        Op::Cast => of(0).filter(|&v| int::fits(node.dtype, v)),
        Op::Select | Op::IfThenElse => of(if of(0)? != 0 { 1 } else { 2 }),
        Op::Load(buffer, version) => {
            let mut hash = points::mix(u64::from(buffer.0), u64::from(*version));
            for i in 0..operands.len() {
                hash = points::mix(hash, of(i)?.cast_unsigned());
            }
            let small = (points::mix(hash, at) % 9).cast_signed() - 2;
            Some(match node.dtype {
                d if d.is_bool() => small & 1,
                d if d.is_uint() => small.abs(),
                _ => small,
            })
        }
        Op::Lane(lanes) => Some((points::mix(0, at) % u64::from((*lanes).max(1))).cast_signed()),
        Op::Call(callee) => theory.functions.get(*callee)?.sample(operands, of, at),
        Op::Float(_) | Op::Ramp | Op::Broadcast | Op::Lanes | Op::LaneOf | Op::Template(_) => None,
    }
}
