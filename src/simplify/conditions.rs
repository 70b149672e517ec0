//! Parts of conditions that the other parts imply.
//!
//! In `if a and b: if c: S` (no `else`, nothing but the inner `if` in the outer one) `S` runs where `a`, `b` and `c`
//! all hold, so a part that the others imply can go. The same holds within one conjunction, and with negations
//! within a disjunction. A part goes only if those behind it, which it guarded, cannot trap where it does not hold.

use super::assume::assume_parts;
use super::engine::Engine;
use super::entail::entails;
use super::graph::total_forms;
use super::trapping::{evaluates_no_more, may_trap_after};
use crate::analysis::known::Known;
use crate::ir::{BinOp, Block, DType, Expr, ExprKind, Select, StmtKind};

/// The most parts of a nest or chain that are looked at.
const MAX_PARTS: usize = 12;

/// Drops implied parts of the nest of conditions that starts with `if cond: then else: otherwise`. A condition all
/// of whose parts are gone is the constant true. Returns how many parts went.
pub(super) fn drop_implied(
    engine: &Engine<'_>,
    known: &mut Known,
    cond: &mut Expr,
    then: &mut Block,
    otherwise: &Block,
) -> usize {
    let mut parts: Vec<Option<Expr>> = Vec::new();
    let mut sizes = Vec::new();
    split(BinOp::And, cond, &mut parts);
    sizes.push(parts.len());
    if otherwise.is_empty() {
        let mut block: &Block = then;
        while let [stmt] = &block[..]
            && let StmtKind::If { cond, then, otherwise } = &stmt.kind
            && otherwise.is_empty()
        {
            let before = parts.len();
            split(BinOp::And, cond, &mut parts);
            sizes.push(parts.len() - before);
            block = then;
        }
    }
    let dropped = drop_parts(engine, known, BinOp::And, &mut parts, true);
    if dropped > 0 {
        let mut parts = parts.into_iter();
        let mut sizes = sizes.into_iter();
        let mut next =
            || join(BinOp::And, parts.by_ref().take(sizes.next().unwrap_or(0)).flatten().collect());
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

/// Drops implied parts of a chain of `op` (`and` or `or`). Returns how many went.
pub(super) fn drop_from_chain(engine: &Engine<'_>, known: &mut Known, op: BinOp, chain: &mut Expr) -> usize {
    let mut parts = Vec::new();
    split(op, chain, &mut parts);
    let dropped = drop_parts(engine, known, op, &mut parts, false);
    if dropped > 0 {
        *chain = join(op, parts.into_iter().flatten().collect());
    }
    dropped
}

/// Takes constants out of a chain of `op`.
pub(super) fn fold_chain(op: BinOp, chain: &mut Expr) {
    let mut parts = Vec::new();
    split(op, chain, &mut parts);
    let neutral = i64::from(op == BinOp::And);
    if parts.iter().flatten().any(|p| p.as_int().is_some_and(|v| v != neutral)) {
        if !chain.has_effect() {
            *chain = Expr::bool(neutral == 0);
        }
        return;
    }
    *chain = join(op, parts.into_iter().flatten().filter(|p| p.as_int().is_none()).collect());
}

/// Puts the taken arm in the place of each choice by a constant in an expression. Returns how many there were.
pub(super) fn fold_choices(e: &mut Expr) -> usize {
    let mut folded = 0;
    e.for_each_child_mut(|part| folded += fold_choices(part));
    let (cond, then, otherwise, both) = match &mut e.kind {
        ExprKind::Select(select) => {
            let Select { cond, then, otherwise } = &mut **select;
            (&*cond, then, otherwise, true)
        }
        ExprKind::Call(call) if call.is_lazy_select() => {
            let [cond, then, otherwise] = &mut call.args[..] else { return folded };
            (&*cond, then, otherwise, false)
        }
        _ => return folded,
    };
    let (true, Some(truth)) = (cond.dtype == DType::BOOL, cond.as_int()) else { return folded };
    let (taken, dropped) = if truth != 0 { (then, otherwise) } else { (otherwise, then) };
    // A `T.Select` evaluates both.
    if !(both && dropped.has_effect()) {
        let taken = std::mem::replace(taken, Expr::bool(false));
        *e = taken;
        folded += 1;
    }
    folded
}

/// Drops implied parts; `is_control` says whether the conditions steer the program.
fn drop_parts(
    engine: &Engine<'_>,
    known: &mut Known,
    op: BinOp,
    parts: &mut [Option<Expr>],
    is_control: bool,
) -> usize {
    if parts.len() < 2 || parts.len() > MAX_PARTS {
        return 0;
    }
    let mut dropped = 0;
    for i in 0..parts.len() {
        if parts.iter().flatten().count() < 2 {
            break;
        }
        if parts[i].as_ref().is_some_and(|p| !p.has_effect())
            && let Some(later) = implied(engine, known, op, parts, i, is_control)
        {
            parts[i] = None;
            later.into_iter().for_each(|(k, form)| parts[k] = Some(form));
            dropped += 1;
        }
    }
    dropped
}

/// If the other parts imply part `i` (of a disjunction: their negations imply its negation): what must then stand in
/// the place of those behind it, which it may have guarded. `None` if it must stay.
fn implied(
    engine: &Engine<'_>,
    known: &mut Known,
    op: BinOp,
    parts: &[Option<Expr>],
    i: usize,
    is_control: bool,
) -> Option<Vec<(usize, Expr)>> {
    let part = parts[i].as_ref()?;
    let truth = op == BinOp::And;
    // Between two parts that read memory a part that has an effect may write it.
    let memory = !parts.iter().flatten().any(Expr::has_effect);
    if !memory && part.reads_memory() {
        return None;
    }
    let facts = known.facts.len();
    for (j, other) in parts.iter().enumerate() {
        if let Some(other) = other.as_ref().filter(|_| j != i) {
            assume_parts(known, other, truth, memory);
        }
    }
    let follows = known.facts.len() > facts && entails(engine, known, part, truth, is_control);
    known.facts.truncate(facts);
    if !follows {
        return None;
    }
    // What stands behind is then evaluated with only what stands before it known.
    let behind = parts.iter().enumerate().skip(i + 1);
    let later: Vec<(usize, &Expr)> = behind
        .filter_map(|(k, e)| Some((k, e.as_ref()?)))
        .filter(|(_, e)| may_trap_after(known, e, part))
        .collect();
    if later.is_empty() {
        return Some(Vec::new());
    }
    for other in parts[..i].iter().flatten() {
        assume_parts(known, other, truth, memory);
    }
    let exprs: Vec<&Expr> = later.iter().map(|&(_, e)| e).collect();
    let forms = total_forms(engine, known, &exprs);
    known.facts.truncate(facts);
    let forms = forms?;
    // Compiled code evaluates what stands behind whatever stands before.
    if !later.iter().zip(&forms).all(|((_, old), new)| evaluates_no_more(known, new, old, false)) {
        return None;
    }
    // A division that is known not to trap under these facts may still be spelled in a way that does.
    Some(later.iter().map(|&(k, _)| k).zip(forms).collect())
}

/// The parts of a chain of `op`, in order.
pub(super) fn split(op: BinOp, cond: &Expr, parts: &mut Vec<Option<Expr>>) {
    match &cond.kind {
        ExprKind::Binary(o, a, b) if *o == op && cond.dtype.is_scalar() => {
            split(op, a, parts);
            split(op, b, parts);
        }
        _ => parts.push(Some(cond.clone())),
    }
}

fn join(op: BinOp, parts: Vec<Expr>) -> Expr {
    let neutral = Expr::bool(op == BinOp::And);
    parts.into_iter().reduce(|a, b| Expr::binary(op, a, b)).unwrap_or(neutral)
}
