//! Values of classes at sample points: what a point refutes needs no search for a proof.
//!
//! Every class has a value at each point, computed from any of its nodes, with the total functions of
//! [`facts`](super::propagate). A point at which two nodes of one class differ breaks something that is known in the
//! place that the graph is about, and is not used; nor are values that overflow or that are no integers. So a
//! point is only ever a reason not to try a proof, and the answers are the same without any.

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
    /// The values that there are at the points.
    pub(super) fn at_points(value: impl Fn(usize) -> Option<i64>) -> SampleValues {
        let mut samples = SampleValues::default();
        for point in 0..POINTS {
            if let Some(value) = value(point) {
                samples.values[point] = value;
                samples.known |= 1 << point;
            }
        }
        samples
    }

    /// The value at a point, if it is known.
    pub(crate) fn at(&self, point: usize) -> Option<i64> {
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
