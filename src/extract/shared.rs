//! Parts that several sums of a function have in common, offered as ways to write those sums.
//!
//! The sums are those that a first choice of nodes computes, flattened to polynomials over the classes that it does
//! not compute by `+ - *`. [`divisors`](super::divisors) finds what to compute once; what it found is built in the
//! e-graph, which makes it a candidate like all others, and returned as [`Hints`], from which extraction can start.

use egg::Id;
use hashbrown::HashMap;
use smallvec::SmallVec;

use super::divisors::{Definition, Divisors, Item, Level, Problem, Strategy, Symbol, Weights};
use super::selection::Selection;
use crate::cost::Frequency;
use crate::egraph::{Axiom, ClassMap, Graph, Knowing, Monomial, Node, Op, Poly, in_theory};
use crate::encode::Lowered;
use crate::ir::{BinOp, DType};
use crate::theory::sums::{Emit, Sum, product};

/// The most terms of a product of sums that is multiplied out.
const MAX_EXPANDED: usize = 24;

/// Nodes that compute the sums of a function well together, with their classes.
pub(crate) type Hints = Vec<(Id, Node)>;

/// How to look for common parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// Whether products of sums are multiplied out first.
    pub expand: bool,
    /// How divisors are chosen.
    pub strategy: Strategy,
}

/// Offers what the sums that `selection` computes have in common, once for each way to search. The e-graph must be
/// rebuilt afterwards.
pub(crate) fn offer(
    lowered: &mut Lowered,
    selection: &Selection,
    weights: Weights,
    searches: &[Search],
) -> Vec<Hints> {
    let mut hints: Vec<Hints> = Vec::new();
    let plain = sums(lowered, selection, false);
    let expanded =
        if searches.iter().any(|s| s.expand) { sums(lowered, selection, true) } else { Vec::new() };
    let expanded = if expanded == plain { Vec::new() } else { expanded };
    let mut prepared =
        [false, true].map(|expand| Prepared::new(Bases::new(if expand { &expanded } else { &plain })));
    // The parts that were found so far, at most.
    let mut most = 0;
    for search in searches {
        let sums = if search.expand { &expanded } else { &plain };
        // In which order equally good parts are taken may matter where there are some; many take long.
        if search.strategy.last && (most < MIN_PARTS || sums.len() > MIN_COPIES) {
            continue;
        }
        // What leads to the same again is left out.
        if sums.is_empty() || search.strategy.factor && !sums.iter().any(|s| can_be_factored(&s.poly)) {
            continue;
        }
        let Prepared { bases, stated, divisors, tied } = &mut prepared[usize::from(search.expand)];
        let Strategy { factor, last } = search.strategy;
        let (divisors, tied) = (&mut divisors[usize::from(factor)], &mut tied[usize::from(factor)]);
        // Nothing to choose from leads to the same again.
        if last && *tied == Some(false) {
            continue;
        }
        let (problem, symbols) =
            stated.get_or_insert_with(|| problem(lowered, selection, &bases.polys, weights));
        let found = divisors.take().unwrap_or_else(|| problem.clone().divisors(factor));
        if !last && sums.len() <= MIN_COPIES {
            *divisors = Some(found.clone());
        }
        let solution = found.take_out(last);
        *tied = Some(solution.tied);
        let problem = solution.problem;
        if problem.parts() == 0 {
            continue;
        }
        most = most.max(problem.parts());
        let ids = symbols.iter().enumerate().map(|(i, &id)| (i as Symbol, id)).collect();
        let mut builder = Builder { graph: &mut lowered.graph, problem: &problem, ids, built: Hints::new() };
        let built: Vec<Id> = (bases.polys.iter().zip(problem.polys()))
            .map(|((dtype, _), items)| builder.poly(items, *dtype))
            .collect();
        for (sum, &(base, offset)) in sums.iter().zip(&bases.of) {
            let mut with_offset = Sum::new(sum.dtype);
            with_offset.push(&mut builder, built[base], false);
            let id = with_offset.finish(&mut builder, offset);
            builder.graph.union(sum.class, id, Axiom::SumWritten);
        }
        if !hints.contains(&builder.built) {
            hints.push(builder.built);
        }
    }
    hints
}

/// Sums, ready to be searched in several ways.
struct Prepared {
    bases: Bases,
    /// Stated as a problem once that is needed, with the classes of its symbols.
    stated: Option<(Problem, Vec<Id>)>,
    /// Without and with taking terms apart: the divisors, where they may be needed again, and whether it mattered in which
    /// order equally good ones are taken.
    divisors: [Option<Divisors>; 2],
    tied: [Option<bool>; 2],
}

impl Prepared {
    fn new(bases: Bases) -> Prepared {
        Prepared { bases, stated: None, divisors: [None, None], tied: [None; 2] }
    }
}

/// Whether terms of the polynomial may have a factor in common.
fn can_be_factored(poly: &Poly) -> bool {
    poly.terms().iter().filter(|(m, c)| m.len() > 1 || !m.is_empty() && c.unsigned_abs() > 2).count() > 1
}

/// A sum that something else than a sum uses.
#[derive(PartialEq)]
struct Needed {
    class: Id,
    dtype: DType,
    poly: Poly,
}

/// The sums of the selection that are used as a whole, as polynomials over the selection's other classes.
fn sums(lowered: &Lowered, selection: &Selection, expand: bool) -> Vec<Needed> {
    let chosen = &selection.chosen;
    let mut polys: Vec<Option<Poly>> = Vec::with_capacity(chosen.len());
    let mut whole = vec![false; chosen.len()];
    selection.sites.iter().for_each(|&i| whole[i] = true);
    for c in chosen {
        let poly = in_theory(c.node.dtype)
            .then(|| {
                let atom = |i: usize| Poly::atom(chosen[i].class);
                let of = |i: usize| polys[i].clone().unwrap_or_else(|| atom(i));
                match (&c.node.op, &c.children[..]) {
                    (Op::Int(v), _) if v.get() != i64::MIN => Some(Poly::constant(v.get())),
                    (Op::Bin(BinOp::Add), &[a, b]) => of(a).add(&of(b)),
                    (Op::Bin(BinOp::Sub), &[a, b]) => of(a).sub(&of(b)),
                    (Op::Bin(BinOp::Mul), &[a, b]) => {
                        let (p, q) = (of(a), of(b));
                        let expanded = p.terms().len() * q.terms().len();
                        if p.as_term().is_some() && q.as_term().is_some()
                            || p.as_const().is_some()
                            || q.as_const().is_some()
                            || expand && expanded <= MAX_EXPANDED
                        {
                            p.mul(&q)
                        } else {
                            let mut factor = |i: usize, p: Poly| {
                                if p.as_term().is_some() {
                                    p
                                } else {
                                    whole[i] = true;
                                    atom(i)
                                }
                            };
                            factor(a, p).mul(&factor(b, q))
                        }
                    }
                    _ => None,
                }
            })
            .flatten()
            .filter(|p| p.terms().iter().all(|&(_, c)| c != i64::MIN));
        if poly.is_none() {
            c.children.iter().for_each(|&i| whole[i] = true);
        }
        polys.push(poly);
    }
    let needed = |(i, poly): (usize, Option<Poly>)| {
        let poly = poly.filter(|p| p.complexity().1 > 1 && whole[i])?;
        let class = lowered.graph.find(chosen[i].class);
        Some(Needed { class, dtype: chosen[i].node.dtype, poly })
    };
    polys.into_iter().enumerate().filter_map(needed).collect()
}

/// So many sums that differ by constants only are one sum to begin with, and that plus a constant each. (Of fewer, one
/// may share its constant with something else.)
const MIN_COPIES: usize = 8;

/// So many parts are looked for in another order too.
const MIN_PARTS: usize = 3;

/// What is common to sums that differ by constants.
struct Bases {
    /// The polynomials to compute.
    polys: Vec<(DType, Poly)>,
    /// For each sum the polynomial that it is, and the constant to add to it.
    of: Vec<(usize, i64)>,
}

impl Bases {
    fn new(sums: &[Needed]) -> Bases {
        let key = |sum: &Needed| (sum.dtype, sum.poly.without_const());
        let mut sizes: HashMap<(DType, Poly), usize> = HashMap::new();
        for sum in sums {
            *sizes.entry(key(sum)).or_default() += 1;
        }
        // What begins with a subtraction from the constant needs that.
        sizes.retain(|(_, poly), size| *size >= MIN_COPIES && poly.terms().iter().any(|(_, c)| *c > 0));
        let mut bases = Bases { polys: Vec::new(), of: Vec::with_capacity(sums.len()) };
        let mut places: HashMap<(DType, Poly), usize> = HashMap::new();
        for sum in sums {
            let key = key(sum);
            if !sizes.contains_key(&key) {
                bases.of.push((bases.polys.len(), 0));
                bases.polys.push((sum.dtype, sum.poly.clone()));
                continue;
            }
            let place = *places.entry(key).or_insert_with_key(|key| {
                bases.polys.push(key.clone());
                bases.polys.len() - 1
            });
            bases.of.push((place, sum.poly.const_term()));
        }
        bases
    }
}

/// The sums as a problem, and the classes of its symbols.
fn problem(
    lowered: &Lowered,
    selection: &Selection,
    sums: &[(DType, Poly)],
    weights: Weights,
) -> (Problem, Vec<Id>) {
    let mut indices = ClassMap::new(&lowered.graph);
    for (i, c) in selection.chosen.iter().enumerate() {
        indices.insert(c.class, i);
    }
    let mut symbols = ClassMap::new(&lowered.graph);
    let mut classes = Vec::new();
    for id in sums.iter().flat_map(|(_, poly)| poly.atoms()) {
        if !symbols.contains(id) {
            symbols.insert(id, classes.len() as Symbol);
            classes.push(id);
        }
    }
    let level = |&id: &Id| {
        let scope = indices.get(id).map(|i| lowered.scopes.get(selection.chosen[i].needs.scope));
        scope.map_or(Level { depth: 0, frequency: Frequency::ONE }, |s| Level {
            depth: s.depth,
            frequency: s.frequency,
        })
    };
    let levels = classes.iter().map(level).collect();
    let mut problem = Problem::new(weights, levels);
    for (_, poly) in sums {
        problem.push(poly.terms().iter().map(|(monomial, c)| {
            let symbol = |&id: &Id| symbols.get(id).expect("the atoms of all sums have symbols");
            let mut factors: SmallVec<[Symbol; 8]> = monomial.iter().map(symbol).collect();
            factors.sort_unstable();
            (*c, factors)
        }));
    }
    (problem, classes)
}

struct Builder<'a> {
    graph: &'a mut Graph,
    problem: &'a Problem,
    ids: HashMap<Symbol, Id>,
    built: Hints,
}

impl Emit for Builder<'_> {
    fn emit(&mut self, node: Node) -> Id {
        let id = self.graph.add(node.clone());
        self.built.push((id, node));
        id
    }

    fn graph(&self) -> &Graph {
        self.graph
    }
}

impl Builder<'_> {
    fn symbol(&mut self, symbol: Symbol) -> Id {
        if let Some(&id) = self.ids.get(&symbol) {
            return id;
        }
        let problem = self.problem;
        let id = match problem.definition(symbol) {
            Some(&Definition::Product(x, y)) => {
                let factors = [self.symbol(x), self.symbol(y)].into_iter().collect::<Monomial>();
                let dtype = self.graph.facts(factors[0]).dtype;
                product(self, &factors, 1, dtype)
            }
            Some(&Definition::Sum(body)) => {
                let items = &problem.polys()[body];
                let mut factors = items.iter().filter(|i| i.count > 0).flat_map(|i| problem.factors(i));
                let dtype = factors.next().map_or(DType::I32, |&s| {
                    let id = self.symbol(s);
                    self.graph.facts(id).dtype
                });
                self.poly(items, dtype)
            }
            None => unreachable!("atoms have their classes"),
        };
        self.ids.insert(symbol, id);
        id
    }

    /// The sum, outermost terms first.
    fn poly(&mut self, items: &[Item], dtype: DType) -> Id {
        let mut terms: Vec<(u32, i64, &[Symbol])> = Vec::new();
        let mut constant = 0;
        for item in items.iter().filter(|i| i.count > 0) {
            let factors = self.problem.factors(item);
            if factors.is_empty() {
                constant = item.coefficient;
                continue;
            }
            let depth = factors.iter().map(|&s| self.problem.level(s).depth).max().unwrap_or(0);
            // Three times the same is twice the same and once more.
            let count = i64::from(item.count);
            if count == 3 {
                terms.push((depth, item.coefficient, factors));
            }
            let scale = if count == 3 { 2 } else { count };
            terms.push((depth, item.coefficient * scale, factors));
        }
        terms.sort_by_key(|&(depth, ..)| depth);
        let mut sum = Sum::new(dtype);
        for (_, coefficient, factors) in terms {
            let factors: Monomial = factors.iter().map(|&s| self.symbol(s)).collect();
            let term = product(self, &factors, coefficient.unsigned_abs(), dtype);
            sum.push(self, term, coefficient < 0);
        }
        sum.finish(self, constant)
    }
}
