//! What follows from what is known: proofs by refutation, in the decision procedure of `arith` and then in a
//! contextual graph, after sample points found nothing against it.

use super::assume::assume;
use super::engine::{Engine, Reach};
use super::graph::contradicts;
use super::sample::Samples;
use super::settle::decide;
use crate::analysis::known::Known;
use crate::ir::{BinOp, Expr, ExprKind};

/// Whether `goal` has truth value `truth` wherever `known` holds. Of a condition that does not steer the program the
/// contextual graph is asked only where everything is simplified.
pub(super) fn entails(
    engine: &Engine<'_>,
    known: &mut Known,
    goal: &Expr,
    truth: bool,
    is_control: bool,
) -> bool {
    if !goal.dtype.is_bool() || !goal.dtype.is_scalar() || goal.has_effect() {
        return false;
    }
    let samples = Samples::new(&engine.sampler, known, known.facts.len());
    if samples.refute(goal, truth) {
        return false;
    }
    if decide(engine, known, &samples, goal) == Some(truth) {
        return true;
    }
    let graph_helps = (is_control || engine.graphs.reach == Reach::Everything)
        && !known.facts.iter().map(|(fact, _)| fact).chain([goal]).all(is_linear);
    graph_helps && proves(engine, known, goal, truth)
}

/// Whether linear arithmetic says all that there is to say of a condition: it knows nothing of loads, and little of
/// division by what is no constant.
fn is_linear(e: &Expr) -> bool {
    let mut linear = true;
    e.walk(&mut |e| {
        linear &= match &e.kind {
            ExprKind::Binary(op, _, b) => !op.is_division() || b.as_int().is_some(),
            ExprKind::Load { .. } | ExprKind::Call(_) | ExprKind::Float(_) => false,
            _ => true,
        };
    });
    linear
}

fn proves(engine: &Engine<'_>, known: &mut Known, goal: &Expr, truth: bool) -> bool {
    match &goal.kind {
        ExprKind::Int(v) if (*v != 0) == truth => true,
        ExprKind::Not(a) => proves(engine, known, a, !truth),
        // Each part by itself.
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) if (*op == BinOp::And) == truth => {
            proves(engine, known, a, truth) && proves(engine, known, b, truth)
        }
        _ => {
            let facts = known.facts.len();
            assume(known, goal, !truth);
            let refuted = known.facts.len() > facts && contradicts(engine, known, goal);
            known.facts.truncate(facts);
            refuted
        }
    }
}

/// `Some(true)` if two conditions are equal wherever `known` holds, `Some(false)` if each is the negation of the
/// other, `None` if neither is proven.
pub(super) fn relation(engine: &Engine<'_>, known: &mut Known, a: &Expr, b: &Expr) -> Option<bool> {
    let (a, b) = (plain(a), plain(b));
    if !a.dtype.is_bool() || !a.dtype.is_scalar() || a.has_effect() || b.has_effect() || a.dtype != b.dtype {
        return None;
    }
    if a == b {
        return Some(true);
    }
    let negation = |x: &Expr, y: &Expr| matches!(&x.kind, ExprKind::Not(inner) if plain(inner) == y);
    if negation(a, b) || negation(b, a) {
        return Some(false);
    }
    let samples = Samples::new(&engine.sampler, known, known.facts.len());
    let not_b = Expr::not(b.clone());
    let equal = !samples.differ(a, b);
    let opposite = !samples.differ(a, &not_b);
    [(equal, true), (opposite, false)].into_iter().find_map(|(possible, same)| {
        let follows = |known: &mut Known, truth: bool| {
            let facts = known.facts.len();
            assume(known, a, truth);
            let proven = known.facts.len() > facts && entails(engine, known, b, truth == same, true);
            known.facts.truncate(facts);
            proven
        };
        (possible && follows(known, true) && follows(known, false)).then_some(same)
    })
}

/// The condition without `T.likely` around it.
fn plain(cond: &Expr) -> &Expr {
    match cond.as_intrin() {
        Some(("likely", [inner])) => inner,
        _ => cond,
    }
}
