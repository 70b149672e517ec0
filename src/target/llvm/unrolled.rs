//! Loops that the compiler of the result unrolls: in what is left of them, their variables are constants.

use egg::Id;
use hashbrown::HashSet;

use crate::arith::Interval;
use crate::egraph::{ClassSet, Classes, Knowing, Monomial, Op, poly_of};
use crate::encode::{Lowered, ScopeId};
use crate::ir::BinOp;

/// The most iterations of a loop, times those of the loops inside of it, that are written out. LLVM goes by the size of the
/// code, which gives about this for the bodies of kernels.
const MAX_ITERATIONS: f64 = 64.0;

/// The most iterations of a loop of which LLVM looks at what is constant in each (`MaxIterationsCountToAnalyze`).
const MAX_ANALYZED: f64 = 10.0;

/// What is constant in unrolled loops.
pub(super) struct Unrolled<'a> {
    graph: &'a Classes<'a>,
    /// The variables of loops that are unrolled, and of those that surely are.
    variables: ClassSet,
    analyzed: ClassSet,
    /// The levels of the latter.
    levels: HashSet<u32>,
    /// The comparisons for which the input has a quotient of such variables.
    divided: ClassSet,
    /// The classes of which a term is such a variable times something that is not constant.
    strides: ClassSet,
}

impl<'a> Unrolled<'a> {
    pub(super) fn new(lowered: &Lowered, graph: &'a Classes<'a>) -> Unrolled<'a> {
        let (mut variables, mut analyzed) = (ClassSet::new(graph), ClassSet::new(graph));
        let mut levels = HashSet::new();
        for (id, iterations) in unrolled(lowered, graph) {
            variables.insert(id);
            if iterations <= MAX_ANALYZED {
                analyzed.insert(id);
                levels.insert(graph.facts(id).level);
            }
        }
        let (divided, strides) = (ClassSet::new(graph), ClassSet::new(graph));
        let mut unrolled = Unrolled { graph, variables, analyzed, levels, divided, strides };
        if unrolled.variables.is_empty() {
            return unrolled;
        }
        for id in (0..lowered.input_nodes).map(Id::from) {
            let divided = match lowered.graph.id_to_node(id).as_bin() {
                Some((op, a, b)) if op.is_compare() => unrolled.divides(a) || unrolled.divides(b),
                _ => false,
            };
            if divided {
                unrolled.divided.insert(graph.find(id));
            }
        }
        for class in graph.classes() {
            let is_stride = |m: &Monomial| m.len() > 1 && m.iter().any(|&atom| unrolled.contains(atom));
            let poly = graph.facts(class.id).poly.as_deref();
            if poly.is_some_and(|p| p.terms().iter().any(|(m, _)| is_stride(m))) {
                unrolled.strides.insert(class.id);
            }
        }
        unrolled
    }

    /// Whether no loop is unrolled.
    pub(super) fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Whether the class is the variable of an unrolled loop.
    pub(super) fn contains(&self, id: Id) -> bool {
        self.variables.contains(self.graph.find(id))
    }

    /// Whether the innermost loop in which the class varies is surely unrolled.
    pub(super) fn is_inmost(&self, id: Id) -> bool {
        self.levels.contains(&self.graph.facts(id).level)
    }

    /// Whether the class varies in unrolled loops only.
    pub(super) fn has_all(&self, id: Id) -> bool {
        self.varies_only_in(&self.variables, id)
    }

    /// Whether the class is a constant in each iteration of loops that surely are unrolled.
    pub(super) fn folds(&self, id: Id) -> bool {
        self.varies_only_in(&self.analyzed, id)
    }

    fn varies_only_in(&self, variables: &ClassSet, id: Id) -> bool {
        let atoms = poly_of(self.graph, id).atoms();
        !atoms.is_empty() && atoms.into_iter().all(|atom| variables.contains(self.graph.find(atom)))
    }

    /// Whether a term of the class is the variable of an unrolled loop times something that is not constant.
    pub(super) fn has_stride(&self, id: Id) -> bool {
        self.strides.contains(self.graph.find(id))
    }

    /// Whether the input computes the comparison from a quotient of what varies in unrolled loops only.
    pub(super) fn is_divided(&self, id: Id) -> bool {
        self.divided.contains(id)
    }

    /// Whether among the terms of the class is a quotient by a constant of what varies in unrolled loops only.
    fn divides(&self, id: Id) -> bool {
        let graph = self.graph;
        graph.facts(id).dtype.is_index()
            && poly_of(graph, id).atoms().into_iter().any(|atom| {
                graph[atom].nodes.iter().any(|node| {
                    matches!(node.as_bin(), Some((BinOp::FloorDiv, x, c))
                        if is_constant(graph, c) && self.has_all(x))
                })
            })
    }
}

/// The classes of the variables of unrolled loops, with the iterations of each.
fn unrolled(lowered: &Lowered, graph: &Classes<'_>) -> Vec<(Id, f64)> {
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
            // What threads share out is no loop.
            let most = if scopes.get(place.scope).threads {
                f64::INFINITY
            } else {
                values(graph.facts(class.id).interval, 1)
            };
            iterations[scope] = iterations[scope].max(most);
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
    let few = |scope: usize| iterations[scope] * inside[scope] <= MAX_ITERATIONS;
    variables
        .into_iter()
        .filter(|&(_, scope)| few(scope))
        .map(|(id, scope)| (id, iterations[scope]))
        .collect()
}

/// How many values a range has once that it is divided.
pub(super) fn values(range: Interval, by: i64) -> f64 {
    match (range.lo(), range.hi()) {
        (Some(lo), Some(hi)) => hi.div_euclid(by) as f64 - lo.div_euclid(by) as f64 + 1.0,
        _ => f64::INFINITY,
    }
}

/// Whether the class is a constant integer.
pub(super) fn is_constant(graph: &Classes<'_>, id: Id) -> bool {
    graph.facts(id).poly.as_ref().is_some_and(|poly| poly.as_const().is_some())
}
