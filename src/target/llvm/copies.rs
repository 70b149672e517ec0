//! Quotients and remainders in unrolled loops: how many different ones the copies of a loop compute.
//!
//! `(x + i // 2) // 2` is one value for two iterations of an unrolled loop over `i`, where `(2 * x + i) // 4`, which is the same, is
//! computed in each: that copies are alike is seen of what is written, and of nothing else. So is `y + (x + i) // 5`, if
//! an unrolled loop changes `y` only, and not `(5 * y + x + i) // 5`.

use egg::Id;
use hashbrown::HashMap;

use super::divisions::is_floor;
use super::unrolled::{Unrolled, values};
use crate::egraph::{ClassMap, Classes, Knowing, Node, poly_of};
use crate::ir::BinOp;

/// How deep quotients are looked for in quotients.
const MAX_DEPTH: usize = 4;

/// The most rounds in which the parts of an index are looked at for what they compute.
const MAX_ROUNDS: usize = 8;

/// The quotients and remainders by constants in the ways to write each index.
pub(super) struct Copies {
    /// How many different ones the copies compute of the quotient in it of which they compute most, in the way in which that is
    /// least. Nothing if no loop is unrolled.
    least: ClassMap<f64>,
}

impl Copies {
    pub(super) fn new(graph: &Classes<'_>, unrolled: &Unrolled<'_>) -> Copies {
        let mut least = ClassMap::new(graph);
        if unrolled.is_empty() {
            return Copies { least };
        }
        let indices = graph.classes().filter(|class| graph.facts(class.id).dtype.is_index());
        let ways = indices.flat_map(|class| class.nodes.iter().map(|node| (class.id, node)));
        let ways: Vec<(Id, f64, &[Id])> = ways
            .map(|(class, node)| {
                let parts = if node.as_bin().is_some() { &node.children[..] } else { &[] };
                (class, of_node(graph, unrolled, node).unwrap_or(0.0), parts)
            })
            .collect();
        for _ in 0..MAX_ROUNDS {
            let mut changed = false;
            for &(class, own, parts) in &ways {
                let mut parts = parts.iter().map(|&part| least.get(graph.find(part)));
                // A way counts once that its parts do.
                let Some(copies) = parts.try_fold(own, |all: f64, part| Some(all.max(part?))) else {
                    continue;
                };
                if least.get(class).is_none_or(|known| copies < known) {
                    least.insert(class, copies);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        Copies { least }
    }

    /// Whether a quotient or remainder of `class` has more different copies than what another way to write it computes.
    pub(super) fn are_more(
        &self,
        graph: &Classes<'_>,
        unrolled: &Unrolled<'_>,
        class: Id,
        node: &Node,
    ) -> bool {
        let least = self.least.get(graph.find(class));
        least.is_some_and(|least| of_node(graph, unrolled, node).is_some_and(|copies| copies > least))
    }
}

/// How many different copies are computed of a quotient or remainder by a constant; `None` of other nodes.
fn of_node(graph: &Classes<'_>, unrolled: &Unrolled<'_>, node: &Node) -> Option<f64> {
    let (dividend, _) = division(graph, node)?;
    if unrolled.has_all(dividend) {
        return Some(0.0);
    }
    let mut iterations = HashMap::new();
    add(graph, unrolled, (dividend, 1, 0), &mut iterations);
    Some(iterations.into_values().product())
}

/// The dividend and the divisor of an index that is a quotient or remainder by a constant.
fn division(graph: &Classes<'_>, node: &Node) -> Option<(Id, i64)> {
    let (op, dividend, divisor) = node.as_bin()?;
    let by = graph.facts(divisor).interval.as_point().filter(|&by| by > 1)?;
    (is_floor(op) && node.dtype.is_index()).then_some((dividend, by))
}

/// Adds how many values each variable of an unrolled loop contributes to a sum, once that it is divided by `by`.
fn add(
    graph: &Classes<'_>,
    unrolled: &Unrolled<'_>,
    (sum, by, depth): (Id, i64, usize),
    to: &mut HashMap<Id, f64>,
) {
    for atom in poly_of(graph, sum).atoms() {
        let atom = graph.find(atom);
        if unrolled.contains(atom) {
            let values = values(graph.facts(atom).interval, by);
            let known = to.entry(atom).or_insert(values);
            *known = values.max(*known);
        } else if depth < MAX_DEPTH {
            let quotient = graph[atom].nodes.iter().find_map(|node| match node.as_bin() {
                Some((BinOp::FloorDiv, ..)) => division(graph, node),
                _ => None,
            });
            if let Some((dividend, divisor)) = quotient {
                add(graph, unrolled, (dividend, by.saturating_mul(divisor), depth + 1), to);
            }
        }
    }
}
