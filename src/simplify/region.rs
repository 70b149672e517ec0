//! Expressions at one place: what is known there settles their conditions, and a small graph finds the cheapest ones.

use super::assume::assume_parts;
use super::conditions;
use super::engine::{Engine, Reach};
use super::graph::search;
use super::learn::{Lesson, equates, occurs};
use super::points::fold_points;
use super::settle::settle;
use super::trapping::evaluates_no_more;
use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind, Select};

/// Replaces each root that could become simpler by the cheapest equal expression, if that is cheaper. Roots come
/// with whether they steer the program: conditions and bounds of loops. Returns how many were replaced.
pub(super) fn simplify(engine: &Engine<'_>, known: &Known, roots: &mut [(&mut Expr, bool)]) -> usize {
    let mut open: Vec<&mut Expr> = Vec::new();
    let mut taught: Vec<&mut Expr> = Vec::new();
    let mut lesson = None;
    let mut replaced = 0;
    for (root, is_control) in roots {
        replaced += fold_points(known, root);
        match engine.graphs.reach {
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
    replaced += settle(engine, known, &mut open) + settle(engine, known, &mut taught);
    if let Some(lesson) = lesson {
        open.extend(taught.into_iter().flat_map(|root| lesson.taught(root)));
    }
    replaced += search(engine, known, &mut open);
    replaced
}

/// Replaces each root by the cheapest equal expression, if that is cheaper. Returns how many were replaced.
pub(super) fn replace(engine: &Engine<'_>, known: &Known, roots: &mut [&mut Expr]) -> usize {
    settle(engine, known, roots) + search(engine, known, roots)
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
            ExprKind::Binary(op, a, _) => a.dtype.is_bool() || a.dtype.is_integral() && !op.is_ring(),
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
        ExprKind::Call(call) if call.is_lazy_select() => {
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
    let writes = e.has_effect() || conds.iter().any(|(cond, _)| cond.has_effect());
    for (cond, truth) in conds {
        assume_parts(known, cond, *truth, !writes);
    }
    let mut replaced = 0;
    if known.facts.len() > facts && worth_it(known, e) {
        let lesson = Lesson::new(&engine.sampler, known, facts);
        if lesson.may_change(e) {
            replaced += settle(engine, known, &mut [&mut *e]);
            replaced += match engine.graphs.reach {
                Reach::Everything => search(engine, known, &mut [&mut *e]),
                Reach::Context => search(engine, known, &mut lesson.taught(e)),
            };
        }
    }
    replaced += simplify_arms(engine, known, e);
    known.facts.truncate(facts);
    replaced
}
