//! The small contextual e-graph of expressions at one place, and the cheapest tree for each.

use egg::Id;
use hashbrown::{HashMap, HashSet};

use super::engine::{Engine, Reach};
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
use crate::ir::{Expr, ExprKind};
use crate::{candidates, theory};

/// The most e-nodes of one region's graph.
const NODE_LIMIT: usize = 50_000;

/// The most expressions in one graph. After as many questions of a shape in a row for which nothing cheaper was found, none is
/// asked again: there are functions with thousands of conditions that differ in a number.
const FRUITLESS: usize = 256;

/// The cheapest equal expression that a graph finds, without proofs.
pub(super) fn by_graph(engine: &Engine<'_>, known: &Known, e: &Expr) -> Expr {
    let mut result = e.clone();
    search(engine, known, &mut [&mut result]);
    result
}

/// Replaces each root by the cheapest equal expression that a graph finds. Returns how many were replaced.
pub(super) fn search(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    roots.chunks_mut(FRUITLESS).map(|roots| search_together(engine, known, roots)).sum()
}

/// The same for as many as one graph takes.
fn search_together(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    let questions: Vec<(Question, Numbers)> = roots.iter().map(|e| Question::new(known, e)).collect();
    let mut answers = engine.answers.cheaper.borrow_mut();
    let mut fruitless = engine.answers.fruitless.borrow_mut();
    let mut asked: HashSet<&Question> = HashSet::new();
    let (mut exprs, mut open): (Vec<&Expr>, Vec<&(Question, Numbers)>) = Default::default();
    let mut shapes: Vec<Shape> = Vec::new();
    for (root, question) in roots.iter().zip(&questions) {
        if !answers.contains_key(&question.0) && asked.insert(&question.0) {
            let shape = question.0.shape();
            if fruitless.get(&shape).is_none_or(|&times| times < FRUITLESS) {
                exprs.push(root);
                open.push(question);
                shapes.push(shape);
            }
        }
    }
    let known = question::about(known, &exprs);
    let found = match recalled::tables(engine, &known) {
        Some(tables) if !exprs.is_empty() => {
            let region = Hashed::new(Region::new(engine, tables, &known, &exprs));
            recall::answer(&region, |_| cheapest(engine, &known, &exprs))
        }
        _ => cheapest(engine, &known, &exprs),
    };
    let mut here: HashMap<&Question, Option<Expr>> = HashMap::new();
    for (((question, numbers), shape), found) in open.into_iter().zip(shapes).zip(found) {
        let found = found.and_then(|new| numbers.numbered(&new));
        let times = fruitless.entry(shape).or_default();
        *times = if found.is_some() { 0 } else { *times + 1 };
        // Facts about other things say nothing of it, unless they contradict each other: of that, no other place may hear.
        if question.facts() == known.facts.len() {
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

/// For each expression the cheapest equal one, if that is cheaper.
fn cheapest(engine: &Engine<'_>, known: &Known, exprs: &[&Expr]) -> Vec<Option<Expr>> {
    if exprs.is_empty() {
        return Vec::new();
    }
    let Some((lowered, selection)) = saturated(engine, known, exprs) else { return vec![None; exprs.len()] };
    let safe = extract::safe_sites(&lowered, &selection);
    let found = raise::expressions(&lowered, &selection).into_iter().zip(safe).zip(exprs);
    let cheaper = |new: &Expr, old: &Expr| {
        let [after, before] = [new, old].map(|e| cost_of_expr(engine.profile, e));
        let shorter = engine.reach == Reach::Everything && after == before && size(new) < size(old);
        new.dtype == old.dtype && (shorter || after < before)
    };
    found.map(|((new, safe), old)| new.filter(|new| safe && cheaper(new, old))).collect()
}

/// How many nodes an expression has.
fn size(e: &Expr) -> usize {
    let mut size = 0;
    e.walk(&mut |_| size += 1);
    size
}

/// Equal expressions that cannot trap where `known` holds, if there are such for all.
pub(super) fn total_forms(engine: &Engine<'_>, known: &Known, exprs: &[&Expr]) -> Option<Vec<Expr>> {
    let (lowered, selection) = saturated(engine, known, exprs)?;
    let total = selection.sites.iter().all(|&index| selection.chosen[index].total);
    if total { raise::expressions(&lowered, &selection).into_iter().collect() } else { None }
}

/// Whether no place is reached where `known` holds: the facts that have to do with `e` contradict each other.
pub(super) fn contradicts(engine: &Engine<'_>, known: &Known, e: &Expr) -> bool {
    let mut lowered =
        lower_at(engine.func, engine.profile, &question::about(known, &[e]), &[], engine.rewrites.settings());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    saturate(&mut lowered, engine.rewrites, node_limit);
    lowered.graph.analysis.contradictions > 0
}

/// Whether the expressions of each pair are equal where `known` holds.
pub(super) fn equal(engine: &Engine<'_>, known: &Known, pairs: &[(Expr, Expr)]) -> bool {
    let exprs: Vec<&Expr> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
    let mut lowered = lower_at(engine.func, engine.profile, known, &exprs, engine.rewrites.settings());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    saturate(&mut lowered, engine.rewrites, node_limit);
    let graph = &lowered.graph;
    graph.analysis.contradictions == 0
        && lowered
            .sites
            .chunks(2)
            .all(|pair| matches!(pair, [a, b] if graph.find(a.class) == graph.find(b.class)))
}

/// The saturated graph of expressions and its cheapest trees; `None` if the facts contradict each other (the place
/// is never reached) or nothing could be extracted.
fn saturated(engine: &Engine<'_>, known: &Known, exprs: &[&Expr]) -> Option<(Lowered, Selection)> {
    let mut lowered = lower_at(engine.func, engine.profile, known, exprs, engine.rewrites.settings());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    if engine.reach == Reach::Everything || exprs.iter().any(|e| divides_by_variable(e)) {
        match engine.reach {
            Reach::Everything => saturate(&mut lowered, engine.rewrites, node_limit),
            Reach::Context => saturate_sites(&mut lowered, engine.rewrites, node_limit),
        };
    } else {
        // What takes rules is left to the graph of the whole function.
        theory::run(&mut lowered.graph, node_limit);
    }
    let roots: Vec<Id> = lowered.sites.iter().map(|site| site.class).collect();
    candidates::offer_needed(&mut lowered.graph, &roots, node_limit);
    engine.work.set(engine.work.get() + lowered.graph.total_size());
    if lowered.graph.analysis.contradictions > 0 {
        return None;
    }
    let selection = select_trees(&lowered, engine.profile, engine.ties)?;
    Some((lowered, selection))
}

/// Whether an expression holds a division by what is no constant: there rules ask facts for its sign.
fn divides_by_variable(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= matches!(&e.kind, ExprKind::Binary(op, _, b) if op.is_division() && b.as_int().is_none());
    });
    found
}
