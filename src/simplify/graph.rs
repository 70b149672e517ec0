//! The small contextual e-graph of expressions at one place, and the cheapest tree for each.

use egg::Id;
use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;

use super::engine::{Engine, Graphs, Reach};
use super::question::{self, Question, Shape};
use super::recalled::{self, Region};
use crate::analysis::hashed::Hashed;
use crate::analysis::known::Known;
use crate::analysis::numbers::Numbers;
use crate::analysis::recall;
use crate::cost::cost_of_expr;
use crate::encode::{Lowered, lower_at};
use crate::eqsat::{limit, raise, saturate, saturate_sites};
use crate::extract::{self, Selection, select_trees};
use crate::ir::{Expr, ExprKind, with_room};
use crate::{candidates, theory};

/// The most e-nodes of one region's graph.
const NODE_LIMIT: usize = 50_000;

/// The most expressions in one graph. After as many questions of a shape in a row for which nothing cheaper was found, none is
/// asked again: there are functions with thousands of conditions that differ in a number. A question in a large graph, as one
/// under many facts, counts as several: once more for so many e-nodes.
const FRUITLESS: usize = 256;
const FRUITLESS_NODES: usize = 64;

/// How many graphs are made side by side.
const SIDE_BY_SIDE: usize = 4;

/// The cheapest equal expression that a graph finds, without proofs.
pub(super) fn by_graph(engine: &Engine<'_>, known: &Known, e: &Expr) -> Expr {
    let mut result = e.clone();
    search(engine, known, &mut [&mut result]);
    result
}

/// Replaces each root by the cheapest equal expression that a graph finds. Returns how many were replaced.
pub(super) fn search(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    // The first ones tell which questions are fruitless.
    let (first, others) = roots.split_at_mut(roots.len().min(FRUITLESS));
    let others = others.chunks_mut(SIDE_BY_SIDE * FRUITLESS);
    std::iter::once(first).chain(others).map(|roots| search_together(engine, known, roots)).sum()
}

/// A question without an answer.
struct Open<'e, 'q> {
    root: &'e Expr,
    question: &'q Question,
    numbers: &'q Numbers,
    shape: Shape,
}

/// The same for some roots, by graphs of which none is made after what another one tells.
fn search_together(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    let questions: Vec<(Question, Numbers)> = roots.iter().map(|e| Question::new(known, e)).collect();
    let mut answers = engine.answers.cheaper.borrow_mut();
    let mut fruitless = engine.answers.fruitless.borrow_mut();
    let mut asked: HashSet<&Question> = HashSet::new();
    let mut open: Vec<Open<'_, '_>> = Vec::new();
    for (root, (question, numbers)) in roots.iter().zip(&questions) {
        if !answers.contains_key(question) && asked.insert(question) {
            let shape = question.shape();
            if fruitless.get(&shape).is_none_or(|&times| times < FRUITLESS) {
                open.push(Open { root, question, numbers, shape });
            }
        }
    }
    let graphs: Vec<(Known, Vec<&Expr>)> = open
        .chunks(FRUITLESS)
        .map(|open| {
            let exprs: Vec<&Expr> = open.iter().map(|open| open.root).collect();
            (question::about(known, &exprs), exprs)
        })
        .collect();
    let found = side_by_side(engine, &graphs);
    let known_in_graph = graphs.iter().flat_map(|(known, exprs)| exprs.iter().map(move |_| known));
    let is_all: Vec<bool> =
        open.iter().zip(known_in_graph).map(|(open, known)| open.question.is_all(known)).collect();
    let mut here: HashMap<&Question, Option<Expr>> = HashMap::new();
    for ((Open { question, numbers, shape, .. }, found), is_all) in open.into_iter().zip(found).zip(is_all) {
        let (found, nodes) = found;
        let found = found.and_then(|new| numbers.numbered(&new));
        let times = fruitless.entry(shape).or_default();
        *times = if found.is_some() { 0 } else { *times + 1 + nodes / FRUITLESS_NODES };
        // Facts about other things say nothing of it, unless they contradict each other: of that, no other place may hear.
        if is_all {
            answers.insert(question.clone(), found);
        } else {
            here.insert(question, found);
        }
    }
    let mut replaced = 0;
    for (root, (question, numbers)) in roots.iter_mut().zip(&questions) {
        if let Some(Some(new)) = here.get(question).or_else(|| answers.get(question)) {
            **root = numbers.named(new);
            replaced += 1;
        }
    }
    replaced
}

/// For each expression of a graph the cheapest equal one, if that is cheaper; and how many e-nodes that took.
type Found = (Vec<Option<Expr>>, usize);

/// What several graphs find, in order, each with how many e-nodes a question of its graph took. Those that a search has not made
/// before are made at the same time.
fn side_by_side(engine: &Engine<'_>, graphs: &[(Known, Vec<&Expr>)]) -> Vec<(Option<Expr>, usize)> {
    let settings = engine.graphs;
    let regions: Vec<Option<Hashed<Region>>> = graphs
        .iter()
        .map(|(known, exprs)| {
            let tables = recalled::tables(engine, known)?;
            Some(Hashed::new(Region::new(engine, tables, known, exprs)))
        })
        .collect();
    let kept: Vec<Option<Found>> =
        regions.iter().map(|region| region.as_ref().and_then(recall::kept)).collect();
    let missing: Vec<&(Known, Vec<&Expr>)> =
        graphs.iter().zip(&kept).filter(|(_, kept)| kept.is_none()).map(|(graph, _)| graph).collect();
    let make = |(known, exprs): &(Known, Vec<&Expr>)| cheapest(settings, known, exprs);
    let made: Vec<Found> = match missing[..] {
        [] | [_] => missing.into_iter().map(make).collect(),
        // The threads' own stacks are small.
        _ => missing.into_par_iter().map(|graph| with_room(|| make(graph))).collect(),
    };
    let mut made = made.into_iter();
    let mut found = Vec::new();
    for (region, kept) in regions.into_iter().zip(kept) {
        let of_graph = kept.or_else(|| {
            let new = made.next()?;
            engine.work.set(engine.work.get() + new.1);
            if let Some(region) = region {
                recall::keep(&region, &new);
            }
            Some(new)
        });
        let Some((exprs, work)) = of_graph else { continue };
        let nodes = work / exprs.len().max(1);
        found.extend(exprs.into_iter().map(|cheaper| (cheaper, nodes)));
    }
    found
}

/// What one graph finds.
fn cheapest(settings: Graphs<'_>, known: &Known, exprs: &[&Expr]) -> Found {
    let (found, work) = saturated(settings, known, exprs);
    let Some((lowered, selection)) = found else { return (vec![None; exprs.len()], work) };
    let safe = extract::safe_sites(&lowered, &selection);
    let found = raise::expressions(&lowered, &selection).into_iter().zip(safe).zip(exprs);
    let cheaper = |new: &Expr, old: &Expr| {
        let [after, before] = [new, old].map(|e| cost_of_expr(settings.profile, e));
        let shorter = settings.reach == Reach::Everything && after == before && size(new) < size(old);
        new.dtype == old.dtype && (shorter || after < before)
    };
    (found.map(|((new, safe), old)| new.filter(|new| safe && cheaper(new, old))).collect(), work)
}

/// How many nodes an expression has.
fn size(e: &Expr) -> usize {
    let mut size = 0;
    e.walk(&mut |_| size += 1);
    size
}

/// Equal expressions that cannot trap where `known` holds, if there are such for all.
pub(super) fn total_forms(engine: &Engine<'_>, known: &Known, exprs: &[&Expr]) -> Option<Vec<Expr>> {
    let (found, work) = saturated(engine.graphs, known, exprs);
    engine.work.set(engine.work.get() + work);
    let (lowered, selection) = found?;
    let total = selection.sites.iter().all(|&index| selection.chosen[index].total);
    if total { raise::expressions(&lowered, &selection).into_iter().collect() } else { None }
}

/// Whether no place is reached where `known` holds: the facts that have to do with `e` contradict each other.
pub(super) fn contradicts(engine: &Engine<'_>, known: &Known, e: &Expr) -> bool {
    let mut lowered = lower_at(
        engine.graphs.func,
        engine.graphs.profile,
        &question::about(known, &[e]),
        &[],
        engine.graphs.rewrites.settings(),
    );
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    saturate(&mut lowered, engine.graphs.rewrites, node_limit);
    lowered.graph.analysis.contradictions > 0
}

/// Whether the expressions of each pair are equal where `known` holds.
pub(super) fn equal(engine: &Engine<'_>, known: &Known, pairs: &[(Expr, Expr)]) -> bool {
    let exprs: Vec<&Expr> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
    let mut lowered =
        lower_at(engine.graphs.func, engine.graphs.profile, known, &exprs, engine.graphs.rewrites.settings());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    saturate(&mut lowered, engine.graphs.rewrites, node_limit);
    let graph = &lowered.graph;
    graph.analysis.contradictions == 0
        && lowered
            .sites
            .chunks(2)
            .all(|pair| matches!(pair, [a, b] if graph.find(a.class) == graph.find(b.class)))
}

/// The saturated graph of expressions and its cheapest trees; `None` if the facts contradict each other (the place
/// is never reached) or nothing could be extracted. And how many e-nodes it has.
fn saturated(settings: Graphs<'_>, known: &Known, exprs: &[&Expr]) -> (Option<(Lowered, Selection)>, usize) {
    let Graphs { func, profile, rewrites, reach, ties } = settings;
    let mut lowered = lower_at(func, profile, known, exprs, rewrites.settings());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    if reach == Reach::Everything || exprs.iter().any(|e| divides_by_variable(e)) {
        match reach {
            Reach::Everything => saturate(&mut lowered, rewrites, node_limit),
            Reach::Context => saturate_sites(&mut lowered, rewrites, node_limit),
        };
    } else {
        // What takes rules is left to the graph of the whole function.
        theory::run(&mut lowered.graph, node_limit);
    }
    let roots: Vec<Id> = lowered.sites.iter().map(|site| site.class).collect();
    candidates::offer_needed(&mut lowered.graph, &roots, node_limit);
    let work = lowered.graph.total_size();
    if lowered.graph.analysis.contradictions > 0 {
        return (None, work);
    }
    let selection = select_trees(&lowered, profile, ties);
    (selection.map(|selection| (lowered, selection)), work)
}

/// Whether an expression holds a division by what is no constant: there rules ask facts for its sign.
fn divides_by_variable(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(&e.kind, ExprKind::Binary(op, _, b) if op.is_division() && b.as_int().is_none());
    });
    found
}
