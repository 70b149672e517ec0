//! Expressions at one place: a small contextual e-graph, and the cheapest tree for each.

use std::cell::Cell;

use egg::Id;
use hashbrown::{HashMap, HashSet};

use super::answers::Answers;
use super::base::Base;
use super::conditions;
use super::learn::{Lesson, equates, occurs};
use super::proofs;
use super::question::{self, Numbers, Question};
use super::sample::Sampler;
use super::trapping::evaluates_no_more;
use crate::analysis::known::Known;
use crate::analysis::side_effects::{has_side_effects, is_lazy_select};
use crate::cost::{Profile, cost_of_expr};
use crate::eqsat::candidates;
use crate::eqsat::extract::select::{Selection, Ties, select_trees};
use crate::eqsat::extract::{DIVIDED_CONDITION, traps, unrolled};
use crate::eqsat::lower::{Lowered, lower_at};
use crate::eqsat::rewrite::Rewrites;
use crate::eqsat::{limit, raise, saturate, saturate_sites, theory};
use crate::ir::{BinOp, Expr, ExprKind, PrimFunc, Select, VarId};

/// The most e-nodes of one region's graph.
const NODE_LIMIT: usize = 50_000;

/// What all regions of a function share.
pub(super) struct Engine<'a> {
    /// The function's tables.
    pub func: &'a PrimFunc,
    /// Which of two equal expressions is cheaper.
    pub profile: &'a Profile,
    /// The rewrite rules.
    pub rewrites: &'a Rewrites,
    /// Which expressions are simplified.
    pub reach: Reach,
    /// Which of expressions of one cost are taken.
    pub ties: Ties,
    /// The e-nodes of all graphs so far.
    pub work: Cell<usize>,
    /// Sample points.
    pub sampler: Sampler,
    /// What holds in the whole function.
    pub base: Base,
    /// What was found before.
    pub answers: &'a Answers,
}

/// Which expressions of a region are simplified.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::simplify::{self, Reach, Settings};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,))):\n    for i in range(9):\n        if i < 9:\n            A[i] = T.float32(0)\n";
/// let options = Options::default();
/// let profile = Profile::default();
/// let rewrites = &options.rewrites;
/// let settings = Settings { profile: &profile, rewrites, reach: Reach::Everything, positive_dims: false };
/// let mut module = satir::parse(text)?;
/// assert!(simplify::run(&mut module.funcs[0], &settings).any());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All.
    Everything,
    /// Those that only the facts of their place can simplify, and conditions: the rest is left to what sees the
    /// whole function.
    Context,
}

/// Replaces each root that could become simpler by the cheapest equal expression, if that is cheaper. Roots come
/// with whether they steer the program: conditions and bounds of loops. Returns how many were replaced.
pub(super) fn simplify(engine: &Engine<'_>, known: &Known, roots: &mut [(&mut Expr, bool)]) -> usize {
    let mut open: Vec<&mut Expr> = Vec::new();
    let mut taught: Vec<&mut Expr> = Vec::new();
    let mut lesson = None;
    for (root, is_control) in roots {
        match engine.reach {
            Reach::Everything if worth_it(known, root) || computes(root) => open.push(root),
            Reach::Context
                if (*is_control || !known.facts.is_empty())
                    && worth_it(known, root)
                    && lesson
                        .get_or_insert_with(|| Lesson::new(&engine.sampler, known, 0))
                        .may_change(root) =>
            {
                if *is_control {
                    open.push(root)
                } else {
                    taught.push(root)
                }
            }
            Reach::Everything | Reach::Context => {}
        }
    }
    let mut replaced = proofs::settle(engine, known, &mut open) + proofs::settle(engine, known, &mut taught);
    if let Some(lesson) = lesson {
        open.extend(taught.into_iter().flat_map(|root| lesson.taught(root)));
    }
    replaced += search(engine, known, &mut open);
    replaced
}

/// Replaces each root by the cheapest equal expression, if that is cheaper. Returns how many were replaced.
pub(super) fn replace(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    proofs::settle(engine, known, roots) + search(engine, known, roots)
}

/// The cheapest equal expression that a graph finds, without proofs.
pub(super) fn by_graph(engine: &Engine<'_>, known: &Known, e: &Expr) -> Expr {
    let mut result = e.clone();
    search(engine, known, &mut [&mut result]);
    result
}

/// As [`replace`], by a graph only.
fn search(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    if roots.is_empty() {
        return 0;
    }
    let questions: Vec<(Question, Numbers)> = roots.iter().map(|e| Question::new(known, e)).collect();
    let mut answers = engine.answers.cheaper.borrow_mut();
    let mut asked: HashSet<&Question> = HashSet::new();
    let (mut exprs, mut open): (Vec<&Expr>, Vec<&(Question, Numbers)>) = Default::default();
    for (root, question) in roots.iter().zip(&questions) {
        if !answers.contains_key(&question.0) && asked.insert(&question.0) {
            exprs.push(root);
            open.push(question);
        }
    }
    let known = question::about(known, &exprs);
    let found = cheapest(engine, &known, &exprs);
    let mut here: HashMap<&Question, Option<Expr>> = HashMap::new();
    for ((question, numbers), found) in open.into_iter().zip(found) {
        let found = found.and_then(|new| numbers.numbered(&new));
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
    let safe = traps::safe_sites(&lowered, &selection);
    let found = raise::expressions(&lowered, &selection).into_iter().zip(safe).zip(exprs);
    // In a function as a whole, a condition that loses its quotients costs more.
    let lost = |new: &Expr, old: &Expr| match engine.reach {
        Reach::Context => divided(known, old).saturating_sub(divided(known, new)) as f64,
        Reach::Everything => 0.0,
    };
    let cheaper = |new: &Expr, old: &Expr| {
        let [after, before] = [new, old].map(|e| cost_of_expr(engine.profile, e));
        let shorter = engine.reach == Reach::Everything && after == before && size(new) < size(old);
        new.dtype == old.dtype
            && (shorter
                || after < before && after.to_f64() + lost(new, old) * DIVIDED_CONDITION < before.to_f64())
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
        lower_at(engine.func, engine.profile, &question::about(known, &[e]), &[], engine.rewrites.theory());
    let node_limit = limit(&mut lowered, NODE_LIMIT);
    saturate(&mut lowered, engine.rewrites, node_limit);
    lowered.graph.analysis.contradictions > 0
}

/// Whether the expressions of each pair are equal where `known` holds.
pub(super) fn equal(engine: &Engine<'_>, known: &Known, pairs: &[(Expr, Expr)]) -> bool {
    let exprs: Vec<&Expr> = pairs.iter().flat_map(|(a, b)| [a, b]).collect();
    let mut lowered = lower_at(engine.func, engine.profile, known, &exprs, engine.rewrites.theory());
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
    let mut lowered = lower_at(engine.func, engine.profile, known, exprs, engine.rewrites.theory());
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
    let (selection, _) = select_trees(&lowered, engine.profile, engine.ties)?;
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

/// How many comparisons with quotients by constants an expression holds, of variables of loops that are unrolled.
fn divided(known: &Known, e: &Expr) -> usize {
    let is_few = |v: &VarId| {
        known.ranges.get(v.index()).is_some_and(|&r| unrolled::values(r) <= unrolled::MAX_ITERATIONS)
    };
    let is_unrolled = |e: &Expr| {
        let mut all = true;
        e.walk(&mut |e| all &= e.as_var().is_none_or(|v| is_few(&v)));
        all
    };
    let mut found = 0;
    e.walk(&mut |e| {
        if matches!(&e.kind, ExprKind::Binary(op, ..) if op.is_compare()) {
            let mut any = false;
            e.walk(&mut |e| {
                any |= matches!(&e.kind, ExprKind::Binary(BinOp::FloorDiv, a, b)
                    if b.as_int().is_some() && is_unrolled(a));
            });
            found += usize::from(any);
        }
    });
    found
}

/// Whether an expression holds an operation on integers.
fn computes(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Binary(..)) && e.dtype.is_integral());
    found
}

/// Whether an expression holds anything that simplification could change: more than sums and products, or what has
/// a known value.
pub(super) fn worth_it(known: &Known, e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match &e.kind {
            ExprKind::Binary(op, a, _) => {
                a.dtype.is_bool()
                    || a.dtype.is_integral() && !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
            }
            ExprKind::Not(_) | ExprKind::Select(..) => true,
            ExprKind::Call(_) => matches!(e.as_intrin(), Some(("if_then_else", _))),
            ExprKind::Var(v) => known.ranges.get(v.index()).is_some_and(|r| r.as_point().is_some()),
            ExprKind::Load { .. } => known.facts.iter().any(|(fact, _)| occurs(fact, e)),
            _ => false,
        };
    });
    found || known.facts.iter().any(|(fact, truth)| equates(fact, *truth, e))
}

/// Simplifies the arms of conditional expressions under their conditions, innermost last, and drops parts of
/// conjunctions and disjunctions that the others imply. Returns how many expressions were replaced.
pub(super) fn simplify_arms(engine: &Engine<'_>, known: &mut Known, e: &mut Expr) -> usize {
    match &mut e.kind {
        ExprKind::Select(select) => {
            let Select { cond, then, otherwise } = &mut **select;
            // Both arms are evaluated, whatever the condition.
            let arms = evaluated_arm(engine, known, &[(cond, true)], then)
                + evaluated_arm(engine, known, &[(cond, false)], otherwise);
            arms + simplify_arms(engine, known, cond)
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, _) if a.dtype.is_scalar() => {
            let op = *op;
            let dropped = conditions::drop_from_chain(engine, known, op, e);
            let replaced = parts(engine, known, op, &mut Vec::new(), e);
            if replaced > 0 {
                conditions::fold_chain(op, e);
            }
            dropped + replaced
        }
        ExprKind::Call(call) if is_lazy_select(call) => {
            let [cond, then, otherwise] = &mut call.args[..] else { return 0 };
            let arms =
                arm(engine, known, &[(cond, true)], then) + arm(engine, known, &[(cond, false)], otherwise);
            arms + simplify_arms(engine, known, cond)
        }
        _ => {
            let mut replaced = 0;
            e.for_each_child_mut(|c| replaced += simplify_arms(engine, known, c));
            replaced
        }
    }
}

/// Simplifies the parts of a chain of `op`, each where those before it leave it to decide. `before` gets the parts.
fn parts(engine: &Engine<'_>, known: &mut Known, op: BinOp, before: &mut Vec<Expr>, e: &mut Expr) -> usize {
    match &mut e.kind {
        ExprKind::Binary(o, a, b) if *o == op && a.dtype.is_scalar() => {
            parts(engine, known, op, before, a) + parts(engine, known, op, before, b)
        }
        _ => {
            let conds: Vec<(&Expr, bool)> = before.iter().map(|c| (c, op == BinOp::And)).collect();
            let replaced = evaluated_arm(engine, known, &conds, e);
            before.push(e.clone());
            replaced
        }
    }
}

/// Simplifies an expression whose value matters only where the conditions have the given truth values, but which is
/// evaluated in any case: it must not come to evaluate anything that it did not.
fn evaluated_arm(engine: &Engine<'_>, known: &mut Known, conds: &[(&Expr, bool)], e: &mut Expr) -> usize {
    let old = e.clone();
    let replaced = arm(engine, known, conds, e);
    if replaced == 0 || evaluates_no_more(known, e, &old, false) {
        return replaced;
    }
    *e = old;
    simplify_arms(engine, known, e)
}

/// Simplifies an expression that is evaluated only where the conditions have the given truth values.
fn arm(engine: &Engine<'_>, known: &mut Known, conds: &[(&Expr, bool)], e: &mut Expr) -> usize {
    let facts = known.facts.len();
    // Where something may be written between the conditions and the last load of the expression, what they say of memory is
    // no fact.
    let writes = has_side_effects(e) || conds.iter().any(|(cond, _)| has_side_effects(cond));
    for (cond, truth) in conds {
        assume_parts(known, cond, *truth, !writes);
    }
    let mut replaced = 0;
    if known.facts.len() > facts && worth_it(known, e) {
        let lesson = Lesson::new(&engine.sampler, known, facts);
        if lesson.may_change(e) {
            replaced += proofs::settle(engine, known, &mut [&mut *e]);
            replaced += match engine.reach {
                Reach::Everything => search(engine, known, &mut [&mut *e]),
                Reach::Context => search(engine, known, &mut lesson.taught(e)),
            };
        }
    }
    replaced += simplify_arms(engine, known, e);
    known.facts.truncate(facts);
    replaced
}

/// Takes a condition as a fact; of a conjunction (or a false disjunction) each part. A fact that reads memory holds
/// until something may write there.
pub(super) fn assume(known: &mut Known, cond: &Expr, truth: bool) {
    // A part that has an effect may write what another one read before it.
    assume_parts(known, cond, truth, !has_side_effects(cond));
}

/// As [`assume`]; without `memory` no part that reads memory.
pub(super) fn assume_parts(known: &mut Known, cond: &Expr, truth: bool, memory: bool) {
    if !cond.dtype.is_bool() || !cond.dtype.is_scalar() {
        return;
    }
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) if truth => {
            assume_parts(known, a, truth, memory);
            assume_parts(known, b, truth, memory);
        }
        ExprKind::Binary(BinOp::Or, a, b) if !truth => {
            assume_parts(known, a, truth, memory);
            assume_parts(known, b, truth, memory);
        }
        _ => {
            if let Some(("likely", [inner])) = cond.as_intrin() {
                assume_parts(known, inner, truth, memory);
            } else if let ExprKind::Not(inner) = &cond.kind {
                assume_parts(known, inner, !truth, memory);
            } else if is_statement_of_values(cond)
                && cond.as_int().is_none()
                && (memory || !reads_memory(cond))
            {
                known.facts.push((cond.clone(), truth));
            }
        }
    }
}

/// Whether a condition speaks of values and buffers only: no effects, and no bindings of its own.
fn is_statement_of_values(cond: &Expr) -> bool {
    let mut plain = !has_side_effects(cond);
    cond.walk(&mut |e| plain &= !matches!(e.kind, ExprKind::Let(..)));
    plain
}

/// Whether an expression reads a buffer.
pub(super) fn reads_memory(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}
