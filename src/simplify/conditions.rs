//! Conditions that other conditions of the same nest imply.
//!
//! In `if a and b: if c: S` (no `else`, nothing but the inner `if` in the outer one) `S` runs where `a`, `b` and `c`
//! all hold, so a part that the others imply can go. A part goes only if those behind it, which it guarded, cannot
//! trap where it does not hold.

use super::region::{Engine, assume, decide};
use crate::eqsat::lower::{Known, acts};
use crate::ir::{BinOp, Block, Expr, ExprKind, StmtKind};

/// The most parts of a nest that are looked at.
const MAX_PARTS: usize = 12;

/// Drops implied parts of the nest of conditions that starts with `if cond: then else: otherwise`. A condition all
/// of whose parts are gone is the constant true. Returns how many parts went.
pub(super) fn drop_implied(
    engine: &Engine<'_>,
    known: &Known,
    cond: &mut Expr,
    then: &mut Block,
    otherwise: &Block,
) -> usize {
    let mut parts: Vec<Option<Expr>> = Vec::new();
    let mut sizes = Vec::new();
    split(cond, &mut parts);
    sizes.push(parts.len());
    if otherwise.is_empty() {
        let mut block: &Block = then;
        while let [stmt] = &block[..]
            && let StmtKind::If { cond, then, otherwise } = &stmt.kind
            && otherwise.is_empty()
        {
            let before = parts.len();
            split(cond, &mut parts);
            sizes.push(parts.len() - before);
            block = then;
        }
    }
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return 0;
    }
    let mut dropped = 0;
    for i in 0..parts.len() {
        if parts.iter().flatten().count() < 2 {
            break;
        }
        if parts[i].as_ref().is_some_and(|p| !acts(p)) && implied(engine, known, &parts, i) {
            parts[i] = None;
            dropped += 1;
        }
    }
    if dropped > 0 {
        let mut parts = parts.into_iter();
        let mut sizes = sizes.into_iter();
        let mut next = || join(parts.by_ref().take(sizes.next().unwrap_or(0)).flatten().collect());
        *cond = next();
        let mut block = then;
        while otherwise.is_empty()
            && let [stmt] = &mut block[..]
            && let StmtKind::If { cond, then, otherwise } = &mut stmt.kind
            && otherwise.is_empty()
        {
            *cond = next();
            block = then;
        }
    }
    dropped
}

/// Whether the other parts imply part `i`, and those behind it do not need it as a guard.
fn implied(engine: &Engine<'_>, known: &Known, parts: &[Option<Expr>], i: usize) -> bool {
    let Some(part) = &parts[i] else { return false };
    let mut others = known.clone();
    for (j, other) in parts.iter().enumerate() {
        if let Some(other) = other.as_ref().filter(|_| j != i) {
            assume(&mut others, other, true);
        }
    }
    if others.facts.len() == known.facts.len() {
        return false;
    }
    let decided = decide(engine, &others, &[part]);
    if decided.is_none_or(|v| v[0].value != Some(true)) {
        return false;
    }
    // What stands behind is then evaluated with only what stands before it known.
    let mut before = known.clone();
    for other in parts[..i].iter().flatten() {
        assume(&mut before, other, true);
    }
    let later: Vec<&Expr> = parts[i + 1..].iter().flatten().collect();
    later.is_empty() || decide(engine, &before, &later).is_some_and(|v| v.iter().all(|c| c.total))
}

/// The parts of a conjunction, in order.
fn split(cond: &Expr, parts: &mut Vec<Option<Expr>>) {
    match &cond.kind {
        ExprKind::Binary(BinOp::And, a, b) if cond.dtype.is_scalar() => {
            split(a, parts);
            split(b, parts);
        }
        _ => parts.push(Some(cond.clone())),
    }
}

fn join(parts: Vec<Expr>) -> Expr {
    parts.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b)).unwrap_or_else(|| Expr::bool(true))
}
