//! Loops in pieces: where a condition on the loop's variable changes, the loop ends and another one goes on, so that each
//! piece knows what holds in it.

use hashbrown::{HashMap, HashSet};

use super::bounds::{Bound, Choice, chosen, for_each_choice, inequality, sums_at_most_zero};
use super::copy::{defined, mentions, mentions_any};
use super::place::{Place, folded, is_plain, plus};
use super::split::looped;
use crate::arith::poly::{Atoms, Poly};
use crate::ir::{BinOp, Block, Expr, ExprKind, For, PrimFunc, StmtKind, VarId};

/// The most values at which one loop is tried to be cut.
const MAX_CUTS: usize = 8;

/// The most ways to cut one loop that are tried.
const MAX_WAYS: usize = 5;

/// The most divisions of which it is asked where they wrap.
const MAX_WRAPS: usize = 4;

/// Values of the loop's variable at which a piece ends and the next one starts, in ascending order, each within the loop.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Cuts(Vec<Expr>);

/// The ways to cut a loop that decide conditions of its body.
pub(super) fn cuts(place: &Place<'_>, l: &For) -> Vec<Cuts> {
    if !is_plain(place.func, l) || !place.is_free(&l.min) || !place.is_free(&l.extent) {
        return Vec::new();
    }
    let end = plus(l.min.clone(), l.extent.clone());
    if !place.is_free(&end) {
        return Vec::new();
    }
    let within = |cut: &Expr| {
        let cut = chosen(place, BinOp::Max, cut.clone(), l.min.clone());
        chosen(place, BinOp::Min, cut, end.clone())
    };
    // Each bound, and where it cuts the loop.
    let bounds: Vec<(Bound, Expr)> = bounds(place, l)
        .into_iter()
        .map(|bound| {
            let (Bound::From(e) | Bound::Below(e)) = &bound;
            let cut = within(e);
            (bound, cut)
        })
        .collect();
    let inner = |cut: &Expr| *cut != l.min && *cut != end;
    let mut ways: Vec<Cuts> = Vec::new();
    let mut offer = |cuts: Vec<Expr>| {
        let cuts = Cuts(cuts);
        if !cuts.0.is_empty()
            && cuts.0.iter().all(|cut| inner(cut) && place.is_free(cut))
            && !ways.contains(&cuts)
        {
            ways.push(cuts);
        }
    };
    let (mut from, mut below): (Option<Expr>, Option<Expr>) = (None, None);
    for (bound, _) in &bounds {
        match bound {
            Bound::From(e) => {
                from = Some(from.map_or_else(|| e.clone(), |f| chosen(place, BinOp::Max, f, e.clone())));
            }
            Bound::Below(e) => {
                below = Some(below.map_or_else(|| e.clone(), |b| chosen(place, BinOp::Min, b, e.clone())));
            }
        }
    }
    if let (Some(from), Some(below)) = (&from, &below) {
        let from = within(from);
        let below = chosen(place, BinOp::Max, within(below), from.clone());
        offer([from, below].into_iter().filter(inner).collect());
    }
    let constants = {
        let mut all: Vec<i64> = bounds
            .iter()
            .filter_map(|(_, cut)| cut.as_int())
            .filter(|&cut| inner(&Expr::int(cut, l.min.dtype)))
            .collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    if (2..=MAX_CUTS).contains(&constants.len()) {
        offer(constants.iter().map(|&cut| Expr::int(cut, l.min.dtype)).collect());
    }
    for (_, cut) in bounds {
        offer([cut].into_iter().filter(inner).collect());
    }
    ways.truncate(MAX_WAYS);
    ways
}

/// Where conditions of the body are certain to hold, whatever the variables of inner loops are.
fn bounds(place: &Place<'_>, l: &For) -> Vec<Bound> {
    let mut inside = HashMap::new();
    let defined = defined(&l.body);
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(inner) = &stmt.kind
                && let (Some(min), Some(extent)) = (inner.min.as_int(), inner.extent.as_int())
                && extent > 0
                && let Some(most) = min.checked_add(extent - 1)
            {
                inside.insert(inner.var, (min, most));
            }
        });
    }
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut look = |e: &Expr| {
        for comparison in comparisons(e) {
            if !mentions(&comparison, l.var) || seen.contains(&comparison) {
                continue;
            }
            // Where it holds, and where it does not.
            for truth in [true, false] {
                for bound in solved(l, &comparison, truth, &inside).into_iter().flatten() {
                    let (Bound::From(cut) | Bound::Below(cut)) = &bound;
                    let is_known = place.is_free(cut) && !mentions_any(cut, &defined);
                    if is_known && !found.contains(&bound) && found.len() < 2 * MAX_CUTS {
                        found.push(bound);
                    }
                }
            }
            seen.insert(comparison);
        }
    };
    for_each_choice(&l.body, &mut |choice| match choice {
        Choice::Condition(cond) => look(cond),
        Choice::Extreme(a, b) => look(&Expr::binary(BinOp::Le, a.clone(), b.clone())),
    });
    wraps(place, l).iter().for_each(&mut look);
    found
}

/// Where quotients of the loop's variable are 0, if they are 0 or 1: `(x + c) % n` of `x` below `n` is `x + c`, and then
/// `x + c - n`.
fn wraps(place: &Place<'_>, l: &For) -> Vec<Expr> {
    let mut divisions: Vec<(Expr, Expr)> = Vec::new();
    for stmt in &l.body {
        stmt.walk(&mut |stmt| {
            stmt.for_each_expr(|e| {
                e.walk(&mut |e| {
                    if let ExprKind::Binary(BinOp::FloorDiv | BinOp::FloorMod, a, b) = &e.kind
                        && a.dtype.is_index()
                        && a.dtype.is_scalar()
                        && mentions(a, l.var)
                        && !mentions(b, l.var)
                        && !divisions.iter().any(|(known, by)| *known == **a && *by == **b)
                    {
                        divisions.push((Expr::clone(a), Expr::clone(b)));
                    }
                });
            });
        });
    }
    divisions.truncate(MAX_WRAPS);
    let mut inside = place.clone();
    inside.iterate(l.var, &l.min, &l.extent);
    divisions.retain(|(a, b)| {
        let twice = plus(b.clone(), b.clone());
        place.is_free(&twice)
            && place.at_least(b, 1)
            && inside.at_least(a, 0)
            && inside.holds(&a.clone().lt(twice))
            && !inside.holds(&a.clone().lt(b.clone()))
    });
    divisions.into_iter().map(|(a, b)| a.lt(b)).collect()
}

/// The comparisons of integers that a condition is made of.
fn comparisons(cond: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    cond.walk(&mut |e| {
        if let ExprKind::Binary(op, a, _) = &e.kind
            && op.is_compare()
            && a.dtype.is_index()
        {
            found.push(e.clone());
        }
    });
    found
}

/// Where a comparison is certain to be true, or false.
fn solved(
    l: &For,
    comparison: &Expr,
    truth: bool,
    inside: &HashMap<VarId, (i64, i64)>,
) -> Option<Vec<Bound>> {
    let mut atoms = Atoms::default();
    let sums = sums_at_most_zero(&mut atoms, comparison, truth)?;
    // Of an equation the pieces below, at and above its value.
    sums.iter()
        .map(|sum| {
            let most = atoms.at_most(sum, inside)?;
            inequality(&atoms, &most, l.var)?.solved(&atoms, l.min.dtype)
        })
        .collect()
}

impl Atoms {
    /// The polynomial with the greatest values of what variables with known ranges contribute in place of these.
    fn at_most(&self, poly: &Poly, ranges: &HashMap<VarId, (i64, i64)>) -> Option<Poly> {
        let mut most = poly.clone();
        for (&var, &(low, high)) in ranges {
            let linear = self.linear(&most, var)?;
            let slope = match linear.slope.as_constant() {
                Some(0) => continue,
                Some(slope) => slope,
                None => return None,
            };
            let end = if slope > 0 { high } else { low };
            most = linear.rest.plus(&Poly::constant(end), slope);
        }
        Some(most)
    }
}

/// The loop in pieces.
pub(super) fn partition(func: &mut PrimFunc, l: &For, cuts: &Cuts) -> Block {
    let end = plus(l.min.clone(), l.extent.clone());
    let mut start = l.min.clone();
    let mut made = Vec::new();
    for cut in cuts.0.iter().cloned().chain([end]) {
        let extent = folded(BinOp::Sub, cut.clone(), start.clone());
        made.push(looped(func, l, &start, extent));
        start = cut;
    }
    made
}
