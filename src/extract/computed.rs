//! Where the input computes which integers: evidence that they fit their types.
//!
//! What computes `k * p` without overflow shows that `p`, and all its multiples up to that, fit as well. So evidence is kept
//! by what sums are multiples of.

use egg::Id;
use hashbrown::HashMap;

use crate::egraph::{Graph, Knowing, Op, Poly, common_factor, in_theory, poly_of};
use crate::encode::{Guard, Lowered, Place, Trap};

/// A place where the input computes a multiple of a sum.
#[derive(Clone, Debug)]
struct Computed {
    factor: i64,
    place: Place,
    guards: Vec<Guard>,
}

/// The integers that the input computes and of which nothing else shows that they fit.
#[derive(Debug, Default)]
pub(crate) struct ComputedSums(HashMap<Poly, Vec<Computed>>);

impl ComputedSums {
    /// Those of the input.
    pub(crate) fn new(lowered: &Lowered) -> ComputedSums {
        let mut all = ComputedSums::default();
        for e in &lowered.evidence {
            let Trap::Overflow(class) = e.trap else { continue };
            for class in with_lanes(&lowered.graph, class) {
                if lowered.fits(class) {
                    continue;
                }
                let (sum, factor) = as_multiple(&lowered.graph, class);
                let guards = sorted(&lowered.graph, &e.guards);
                let known = all.0.entry(sum).or_default();
                if known
                    .last()
                    .is_none_or(|last| (last.factor, last.place, &last.guards) != (factor, e.place, &guards))
                {
                    known.push(Computed { factor, place: e.place, guards });
                }
            }
        }
        all
    }

    /// Whether the input computes, anywhere, what shows that the class fits.
    pub(crate) fn any(&self, lowered: &Lowered, class: Id) -> bool {
        self.of(lowered, class).next().is_some()
    }

    /// Where, and under which conditions, the input computes what shows that the class fits.
    pub(crate) fn of(&self, lowered: &Lowered, class: Id) -> impl Iterator<Item = (Place, &[Guard])> {
        let (sum, factor) = as_multiple(&lowered.graph, lowered.graph.find(class));
        let known = self.0.get(&sum).map_or(&[][..], Vec::as_slice);
        let shows =
            move |c: &&Computed| c.factor == factor || c.factor.unsigned_abs() > factor.unsigned_abs();
        known.iter().filter(shows).map(|c| (c.place, &c.guards[..]))
    }
}

/// The guards of a place with the classes that they are of now, without those that are known to hold, sorted.
pub(super) fn sorted(graph: &Graph, guards: &[Guard]) -> Vec<Guard> {
    let mut all: Vec<Guard> = guards
        .iter()
        .filter(|g| graph.facts(g.class).interval.as_point() != Some(i64::from(g.truth)))
        .map(|g| Guard { class: graph.find(g.class), ..*g })
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The class, and what its first lane is if it is a vector.
fn with_lanes(graph: &Graph, class: Id) -> Vec<Id> {
    let class = graph.find(class);
    let mut all = vec![class];
    if !graph.facts(class).dtype.is_scalar() {
        let lanes = graph[class].nodes.iter().filter(|n| matches!(n.op, Op::Ramp | Op::Broadcast));
        all.extend(lanes.map(|n| graph.find(n.children[0])));
    }
    all
}

/// A class as a multiple of a sum whose coefficients have no common factor and of which the first is positive.
fn as_multiple(graph: &Graph, class: Id) -> (Poly, i64) {
    let class = graph.find(class);
    if !in_theory(graph.facts(class).dtype) {
        return (Poly::atom(class), 1);
    }
    let sum = poly_of(graph, class);
    if sum.terms().iter().any(|&(_, c)| c == i64::MIN) {
        return (sum.as_ref().clone(), 1);
    }
    let (_, divisor) = common_factor(&[&sum]);
    let factor = if sum.terms().first().is_some_and(|&(_, c)| c < 0) { -divisor } else { divisor };
    (sum.exact_div(factor), factor)
}
