//! Loops that the compiler of the result unrolls: in what is left of them, their variables are constants.

use super::super::classes::{ClassSet, Classes};
use super::super::facts::Knowing;
use super::super::lang::Op;
use super::super::lower::Lowered;
use super::super::scopes::ScopeId;
use crate::arith::Interval;

/// The most iterations of a loop, times those of the loops inside of it, that are written out. LLVM goes by the size of the
/// code, which gives about this for the bodies of kernels.
pub(crate) const MOST: f64 = 64.0;

/// The classes of the variables of unrolled loops.
pub(super) fn variables(lowered: &Lowered, graph: &Classes<'_>) -> ClassSet {
    let scopes = &lowered.scopes;
    let mut iterations = vec![1.0_f64; scopes.len()];
    let mut variables = Vec::new();
    for class in graph.classes() {
        let defined = class.nodes.iter().find_map(|node| match node.op {
            Op::Var(v) => scopes.definition(v),
            _ => None,
        });
        if let Some(place) = defined {
            let scope = place.scope.0 as usize;
            iterations[scope] = iterations[scope].max(values(graph.facts(class.id).interval));
            variables.push((class.id, scope));
        }
    }
    // Scopes come after those around them.
    let mut inside = vec![1.0_f64; scopes.len()];
    for (index, &iterations) in iterations.iter().enumerate().rev() {
        let scope = ScopeId(u32::try_from(index).expect("fewer than 2^32 scopes"));
        if let Some(parent) = scopes.get(scope).parent {
            let parent = parent.scope.0 as usize;
            inside[parent] = inside[parent].max(iterations * inside[index]);
        }
    }
    let mut unrolled = ClassSet::new(graph);
    let few = |scope: usize| iterations[scope] * inside[scope] <= MOST;
    unrolled.extend(variables.into_iter().filter(|&(_, scope)| few(scope)).map(|(id, _)| id));
    unrolled
}

/// How many values a range has.
pub(crate) fn values(range: Interval) -> f64 {
    match (range.lo(), range.hi()) {
        (Some(lo), Some(hi)) => hi as f64 - lo as f64 + 1.0,
        _ => f64::INFINITY,
    }
}
