//! What sample points refute of polynomials.

use crate::egraph::{Graph, Knowing, POINTS, Poly};

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
