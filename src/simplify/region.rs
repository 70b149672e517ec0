//! Expressions at one place: a small contextual e-graph, and the cheapest tree for each.

use hashbrown::HashSet;

use crate::cost::{Profile, cost_of_expr};
use crate::eqsat::extract::select::{Selection, select_trees};
use crate::eqsat::forms;
use crate::eqsat::lang::Node;
use crate::eqsat::lower::{Known, Lowered, lower_at, reads_or_acts};
use crate::eqsat::rewrite::Rewrites;
use crate::eqsat::{canonical, facts, raise, saturate};
use crate::ir::{BinOp, Expr, ExprKind, PrimFunc};

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
}

/// Replaces each root that facts could change by the cheapest equal expression, if that is cheaper. Returns how many
/// were replaced.
pub(super) fn simplify(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    let mut open: Vec<&mut Expr> = roots.iter_mut().map(|e| &mut **e).filter(|e| worth_it(e)).collect();
    replace(engine, known, &mut open)
}

/// Replaces each root by the cheapest equal expression, if that is cheaper. Returns how many were replaced.
pub(super) fn replace(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    if roots.is_empty() {
        return 0;
    }
    let exprs: Vec<&Expr> = roots.iter().map(|e| &**e).collect();
    let Some((lowered, selection)) = saturated(engine, known, &exprs) else { return 0 };
    let mut replaced = 0;
    for (root, new) in roots.iter_mut().zip(raise::expressions(&lowered, &selection)) {
        if new.dtype == root.dtype && cost_of_expr(engine.profile, &new) < cost_of_expr(engine.profile, root)
        {
            **root = new;
            replaced += 1;
        }
    }
    replaced
}

/// What is known of each condition at a place.
pub(super) struct Verdict {
    /// Whether it is decided.
    pub value: Option<bool>,
    /// Whether evaluating it cannot trap.
    pub total: bool,
}

/// Decides conditions where `known` holds; `None` if nothing can be said.
pub(super) fn decide(engine: &Engine<'_>, known: &Known, conds: &[&Expr]) -> Option<Vec<Verdict>> {
    let (lowered, selection) = saturated(engine, known, conds)?;
    let verdicts = lowered.sites.iter().zip(&selection.sites).map(|(site, &index)| {
        let data = &lowered.graph[lowered.graph.find(site.class)].data;
        Verdict {
            value: data.interval.as_point().filter(|_| data.dtype.is_bool()).map(|v| v != 0),
            total: selection.chosen[index].total,
        }
    });
    Some(verdicts.collect())
}

/// The saturated graph of expressions and its cheapest trees; `None` if the facts contradict each other (the place
/// is never reached) or nothing could be extracted.
fn saturated(engine: &Engine<'_>, known: &Known, exprs: &[&Expr]) -> Option<(Lowered, Selection)> {
    let mut lowered = lower_at(engine.func, engine.profile, known, exprs);
    let original: HashSet<Node> = lowered.graph.classes().flat_map(|c| c.nodes.iter().cloned()).collect();
    saturate(&mut lowered, engine.rewrites, NODE_LIMIT);
    let mut ids: Vec<egg::Id> =
        lowered.graph.classes().filter(|c| facts::in_theory(c.data.dtype)).map(|c| c.id).collect();
    ids.sort_unstable();
    for id in ids {
        forms::offer(&mut lowered.graph, id);
    }
    lowered.graph.rebuild();
    if lowered.graph.analysis.contradictions > 0 {
        return None;
    }
    let original = original.into_iter().map(|n| canonical(&lowered, n)).collect();
    let (selection, _) = select_trees(&lowered, &original, engine.profile)?;
    Some((lowered, selection))
}

/// Whether an expression holds anything that facts could change.
fn worth_it(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| {
        found |= match &e.kind {
            ExprKind::Binary(op, a, _) => {
                a.dtype.is_bool()
                    || a.dtype.is_integral() && !matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul)
            }
            ExprKind::Not(_) | ExprKind::Select(..) => true,
            ExprKind::Call(_) => matches!(e.as_intrin(), Some(("if_then_else", _))),
            _ => false,
        };
    });
    found
}

/// Simplifies the arms of conditional expressions under their conditions, innermost last. Returns how many were
/// replaced.
pub(super) fn simplify_arms(engine: &Engine<'_>, known: &mut Known, e: &mut Expr) -> usize {
    let mut replaced = 0;
    let facts = known.facts.len();
    let mut arm = |known: &mut Known, cond: &Expr, truth: bool, arm: &mut Expr| {
        assume(known, cond, truth);
        if known.facts.len() > facts {
            replaced += simplify(engine, known, &mut [&mut *arm]);
        }
        replaced += simplify_arms(engine, known, arm);
        known.facts.truncate(facts);
    };
    match &mut e.kind {
        ExprKind::Select(cond, then, otherwise) => {
            arm(known, cond, true, then);
            arm(known, cond, false, otherwise);
            replaced + simplify_arms(engine, known, cond)
        }
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if a.dtype.is_scalar() => {
            arm(known, a, *op == BinOp::And, b);
            replaced + simplify_arms(engine, known, a)
        }
        ExprKind::Call(call) if crate::eqsat::lower::is_lazy_select(call) => {
            let [cond, then, otherwise] = &mut call.args[..] else { return replaced };
            arm(known, cond, true, then);
            arm(known, cond, false, otherwise);
            replaced + simplify_arms(engine, known, cond)
        }
        _ => {
            e.for_each_child_mut(|c| replaced += simplify_arms(engine, known, c));
            replaced
        }
    }
}

/// Takes a condition as a fact; of a conjunction (or a false disjunction) the parts that read no memory.
pub(super) fn assume(known: &mut Known, cond: &Expr, truth: bool) {
    if !cond.dtype.is_bool() || !cond.dtype.is_scalar() {
        return;
    }
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) if truth => {
            assume(known, a, truth);
            assume(known, b, truth);
        }
        ExprKind::Binary(BinOp::Or, a, b) if !truth => {
            assume(known, a, truth);
            assume(known, b, truth);
        }
        _ => {
            if let Some(("likely", [inner])) = cond.as_intrin() {
                assume(known, inner, truth);
            } else if !reads_or_acts(cond) && cond.as_int().is_none() {
                known.facts.push((cond.clone(), truth));
            }
        }
    }
}
