//! Whether an access that a change adds stays in bounds, and a load among them is permitted: the element was written before,
//! or an assumption names it, or the function accesses it in any case, or its buffer is declared to be readable.

use super::obstacle::Obstacle;
use super::reason::{Described, Reason};
use super::settings::Settings;
use crate::analysis::accesses::{Access, Fact, Kind};
use crate::analysis::contents::defined;
use crate::analysis::instances::{Asker, Pin};
use crate::arith::invert::range;
use crate::ir::{BinOp, Expr, ExprKind, PrimFunc};

/// The most accesses that are looked at as evidence for one load.
const MAX_EVIDENCE: usize = 12;

/// The dimensions in which an access is not proven to be in bounds where `facts` hold.
pub(super) fn out_of_bounds(asker: &Asker<'_>, access: &Access, facts: &[Fact]) -> Option<Vec<usize>> {
    let shape = asker.accesses.shape(access.buffer)?;
    if !access.exact && access.loops.iter().any(|&l| !asker.accesses.loops[l].exact)
        || shape.len() != access.indices.len()
    {
        return None;
    }
    let mut out = Vec::new();
    for (at, (index, extent)) in access.indices.iter().zip(shape).enumerate() {
        if index.dtype != extent.dtype || !index.dtype.is_index() || !fits(asker, index, facts) {
            return None;
        }
        let low = Expr::binary(BinOp::Le, Expr::int(0, index.dtype), index.clone());
        let high = Expr::binary(BinOp::Lt, index.clone(), extent.clone());
        if !asker.proves(facts, &low, true) || !asker.proves(facts, &high, true) {
            out.push(at);
        }
    }
    Some(out)
}

/// Whether no part of an index leaves its type.
pub(super) fn fits(asker: &Asker<'_>, e: &Expr, facts: &[Fact]) -> bool {
    let mut inner = true;
    e.for_each_child(|child| inner = inner && fits(asker, child, facts));
    if !inner {
        return false;
    }
    match &e.kind {
        ExprKind::Binary(op, ..) if op.is_ring() => {
            let Some((lo, hi)) = e.dtype.int_range() else { return false };
            let own = range(e, &asker.accesses.ranges);
            let known = |v: Option<i64>| v.is_some_and(|v| lo <= i128::from(v) && i128::from(v) <= hi);
            if known(own.lo()) && known(own.hi()) {
                return true;
            }
            let (Ok(lo), Ok(hi)) = (i64::try_from(lo), i64::try_from(hi)) else { return false };
            let low = Expr::binary(BinOp::Le, Expr::int(lo, e.dtype), e.clone());
            let high = Expr::binary(BinOp::Le, e.clone(), Expr::int(hi, e.dtype));
            asker.proves(facts, &low, true) && asker.proves(facts, &high, true)
        }
        ExprKind::Load { .. } => false,
        _ => true,
    }
}

/// Why a load that is in bounds may happen where `facts` hold.
pub(super) fn permission(
    asker: &Asker<'_>,
    func: &PrimFunc,
    load: &Access,
    facts: &[Fact],
    settings: Settings,
) -> Result<Reason, Obstacle> {
    let buffer = func.name_of(load.buffer);
    let at = asker.itself(load);
    let element = (load.buffer, &load.indices[..]);
    let assumes = |kind: &Kind| matches!(kind, Kind::Assumed(_));
    if defined(asker, &at, facts, element, assumes).is_some() {
        return Ok(Reason::Assumed { buffer });
    }
    let stores = |kind: &Kind| matches!(kind, Kind::Store(_) | Kind::Undefined);
    if defined(asker, &at, facts, element, stores).is_some() {
        return Ok(Reason::WrittenBefore { buffer });
    }
    // What was allocated holds nothing before it is written.
    if !asker.accesses.is_allocated(load.buffer) {
        if settings.readable_parameters {
            return Ok(Reason::Declared { buffer });
        }
        if is_accessed_anyway(asker, load, facts) {
            return Ok(Reason::AccessedAnyway { buffer });
        }
    }
    Err(Obstacle::Read(load.buffer))
}

/// Whether an access of the function as it was is certain to meet the element at some time.
fn is_accessed_anyway(asker: &Asker<'_>, load: &Access, facts: &[Fact]) -> bool {
    let at = asker.itself(load);
    let accesses = asker.accesses;
    let evidence = accesses.sharing(load.buffer).filter(|&i| {
        let access = &accesses.list[i];
        let happens = matches!(access.kind, Kind::Load | Kind::Store(_) | Kind::Undefined);
        happens && access.buffer == load.buffer && access.exact && !access.ghost
    });
    let mut missing = facts.to_vec();
    let before = missing.len();
    for access in evidence.take(MAX_EVIDENCE) {
        for &shared in asker.ways(access, &at) {
            for pin in [Pin::First, Pin::Last, Pin::Guarded] {
                let Some(named) = asker.named(access, &load.indices, &at, shared, pin) else { continue };
                let meets = asker.equal(&named.indices, &load.indices);
                let all = named.conditions.iter().cloned().chain(meets);
                let parts = all.map(|(fact, truth)| if truth { fact } else { Expr::not(fact) });
                let happens = parts
                    .filter(|part| part.as_int().is_none_or(|v| v == 0))
                    .reduce(|a, b| Expr::binary(BinOp::And, a, b))
                    .unwrap_or_else(|| Expr::bool(true));
                if !missing.contains(&(happens.clone(), false)) {
                    missing.push((happens, false));
                }
            }
        }
    }
    missing.len() > before && asker.refutes(&missing)
}
