//! Loops that run only where their body acts: a condition around the whole body becomes the bounds of the loop, also one in
//! loops that are all of the body, as far as these do not change it.

use hashbrown::HashSet;

use super::bounds::{Bound, chosen, conjunction, conjuncts, inequality, sums_at_most_zero};
use super::copy::{mentions, mentions_any};
use super::place::{Place, folded, plus};
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::arith::poly::Atoms;
use crate::ir::{BinOp, Block, Expr, ExprKind, For, ForKind, Stmt, StmtKind, VarId};

/// New bounds of a loop, and what is left of the condition around its body.
#[derive(Clone, Debug)]
pub(super) struct Narrowed {
    min: Expr,
    extent: Expr,
    left: Option<Expr>,
}

impl Narrowed {
    /// Whether the new bounds are constants.
    pub(super) fn is_constant(&self) -> bool {
        self.min.as_int().is_some() && self.extent.as_int().is_some()
    }
}

/// The condition around all that a loop does, and the variables of the loops that it stands in.
struct Guard<'l> {
    cond: &'l Expr,
    inner: HashSet<VarId>,
}

/// The condition around the body of a loop, or of loops that are all of its body. Nothing else that runs has effects.
fn guard(l: &For) -> Option<Guard<'_>> {
    let (mut block, mut inner) = (&l.body, HashSet::new());
    loop {
        let [stmt] = &block[..] else { return None };
        match &stmt.kind {
            StmtKind::If { cond, otherwise, .. } => {
                return (otherwise.is_empty() && !cond.has_effect()).then_some(Guard { cond, inner });
            }
            StmtKind::For(l)
                if matches!(l.kind, ForKind::Serial | ForKind::Unrolled)
                    && !l.min.has_effect()
                    && !l.extent.has_effect() =>
            {
                inner.insert(l.var);
                block = &l.body;
            }
            _ => return None,
        }
    }
}

/// The bounds that the condition around the body of a loop leaves. The loop must run its iterations one by one, or in any
/// order; `place` is where it stands.
pub(super) fn narrowed(place: &Place<'_>, l: &For) -> Option<Narrowed> {
    let Guard { cond, inner } = guard(l)?;
    let dtype = place.func.var(l.var).ty.dtype();
    if dtype != l.min.dtype || dtype != l.extent.dtype {
        return None;
    }
    if !dtype.is_index() || !place.is_free(&l.min) || !place.is_free(&l.extent) {
        return None;
    }
    let end = plus(l.min.clone(), l.extent.clone());
    if !place.is_free(&end) {
        return None;
    }
    let (mut min, mut bound, mut left, mut found) = (l.min.clone(), end.clone(), Vec::new(), false);
    // What the condition computes first is computed in any case if the loop runs.
    let parts = conjuncts(cond);
    let is_evaluated = inner.is_empty() && place.at_least(&l.extent, 1);
    let evaluated = if is_evaluated { sides(place, l, &parts[0]) } else { Vec::new() };
    for part in parts {
        let bounds = if mentions_any(&part, &inner) { None } else { bounds_of(place, l, &part, &evaluated) };
        match bounds {
            Some(bounds) => {
                found = true;
                for one in bounds {
                    match one {
                        Bound::From(least) => min = chosen(place, BinOp::Max, min, least),
                        Bound::Below(most) => bound = chosen(place, BinOp::Min, bound, most),
                    }
                }
            }
            None => left.push(part),
        }
    }
    if !found {
        return None;
    }
    let mut extent = folded(BinOp::Sub, bound.clone(), min.clone());
    if bound == end && min == l.min {
        extent = l.extent.clone();
    }
    if !place.at_least(&extent, 0) {
        extent = folded(BinOp::Max, extent, Expr::int(0, dtype));
    }
    let is_free = |e: &Expr| place.is_free_given(e, &evaluated);
    let narrowed =
        (is_free(&min) && is_free(&extent)).then(|| Narrowed { min, extent, left: conjunction(left) });
    // Bounds of outer loops that vary cost more than the conditions further in.
    narrowed.filter(|narrowed| inner.is_empty() || narrowed.is_constant())
}

/// The sides of a comparison that no loop variable changes, and that trap only by overflow.
fn sides(place: &Place<'_>, l: &For, part: &Expr) -> Vec<Expr> {
    let mut sides = Vec::new();
    if let ExprKind::Binary(op, a, b) = &part.kind
        && op.is_compare()
    {
        sides.extend([&**a, &**b].into_iter().filter(|side| !mentions(side, l.var)).cloned());
    }
    sides.retain(|side| side.as_int().is_none() && !reads_or_has_side_effects(side) && place.divides(side));
    sides
}

/// The bounds that a part of a condition is, if it is nothing else.
fn bounds_of(place: &Place<'_>, l: &For, part: &Expr, evaluated: &[Expr]) -> Option<Vec<Bound>> {
    let mut atoms = Atoms::default();
    let sums = sums_at_most_zero(&mut atoms, part, true)?;
    let dtype = place.func.var(l.var).ty.dtype();
    let bounds: Option<Vec<Bound>> =
        sums.iter().map(|sum| inequality(&atoms, sum, l.var)?.solved(&atoms, dtype)).collect();
    let is_free = |bound: &Bound| match bound {
        Bound::From(e) | Bound::Below(e) => place.is_free_given(e, evaluated),
    };
    bounds.filter(|bounds| bounds.iter().all(is_free))
}

/// The loop within its new bounds.
pub(super) fn narrow(mut l: For, to: Narrowed) -> For {
    l.min = to.min;
    l.extent = to.extent;
    l.body = without_condition(l.body, to.left);
    l
}

/// A block that is one condition, in loops or not, with what is left of that.
fn without_condition(block: Block, left: Option<Expr>) -> Block {
    let [stmt] = match <[Stmt; 1]>::try_from(block) {
        Ok(alone) => alone,
        Err(block) => return block,
    };
    let kind = match (stmt.kind, left) {
        (StmtKind::If { then, .. }, None) => return then,
        (StmtKind::If { then, otherwise, .. }, Some(cond)) => StmtKind::If { cond, then, otherwise },
        (StmtKind::For(mut l), left) => {
            l.body = without_condition(std::mem::take(&mut l.body), left);
            StmtKind::For(l)
        }
        (kind, _) => kind,
    };
    vec![Stmt { span: stmt.span, kind }]
}
