//! The pass `reduce-extents`: every loop whose body acts only in a part of its range runs only there.

use super::bounds::{conjunction, conjuncts};
use super::copy::{copy, mentions};
use super::narrow::{narrow, narrowed};
use super::place::{Path, Place, folded, for_each_loop, is_plain, loop_at, plus, replace};
use super::search::collapse;
use crate::arith::poly::Atoms;
use crate::cse::Options;
use crate::ir::{BinOp, DType, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, Type};

/// The most steps for each loop of a function.
const STEPS_FOR_EACH: usize = 8;

/// One step of the pass at a loop.
enum Step {
    /// The condition around the body becomes bounds.
    Narrow(super::narrow::Narrowed),
    /// What the loop does not change of the condition around its body goes around the loop.
    Outward(Expr, Option<Expr>),
    /// Only every so many iterations act.
    Stride(Stride),
}

/// The iterations that act: those at which the variable is `offset` more than a multiple of `period`.
struct Stride {
    period: i64,
    /// The first multiple, and the number of them.
    first: Expr,
    count: Expr,
    offset: i64,
    left: Option<Expr>,
}

/// Reduces the extents of loops in place. Whether anything changed.
pub(super) fn reduce(func: &mut PrimFunc, options: &Options) -> bool {
    let mut loops = 0;
    let mut count = |stmt: &Stmt| loops += usize::from(matches!(stmt.kind, StmtKind::For(_)));
    func.body.iter().for_each(|stmt| stmt.walk(&mut count));
    let mut changed = false;
    for _ in 0..loops.saturating_mul(STEPS_FOR_EACH) {
        let Some((path, step)) = next(func, options) else { break };
        let Some(l) = loop_at(&func.body, &path).cloned() else { break };
        let made = match step {
            Step::Narrow(to) => vec![looping(narrow(l, to))],
            Step::Outward(cond, left) => {
                let then = vec![looping(under(l, left))];
                vec![Stmt::guarded(cond, then)]
            }
            Step::Stride(stride) => vec![looping(strided(func, l, stride))],
        };
        replace(&mut func.body, &path, made);
        changed = true;
    }
    if changed {
        collapse(func);
    }
    changed
}

fn looping(l: For) -> Stmt {
    Stmt::new(StmtKind::For(Box::new(l)))
}

/// The first loop that something can be done at. What is inside comes first, so that conditions get out.
fn next(func: &PrimFunc, options: &Options) -> Option<(Path, Step)> {
    let mut place = Place::head(func, options.positive_dims);
    let mut found = None;
    for_each_loop(&mut place, &func.body, &mut Path::new(), &mut |path, l, place| {
        // Later loops are further in, or behind.
        if let Some(step) = step(place, l) {
            found = Some((path.clone(), step));
        }
    });
    found
}

fn step(place: &Place<'_>, l: &For) -> Option<Step> {
    if !matches!(l.kind, ForKind::Serial | ForKind::Parallel)
        || l.step.as_ref().is_some_and(|s| s.as_int() != Some(1))
    {
        return None;
    }
    let [Stmt { kind: StmtKind::If { cond, otherwise, .. }, .. }] = &l.body[..] else { return None };
    if !otherwise.is_empty() || cond.has_effect() {
        return None;
    }
    let parts = conjuncts(cond);
    let is_outward = |part: &Expr| !mentions(part, l.var) && place.is_free(part);
    let (outward, left): (Vec<Expr>, Vec<Expr>) = parts.iter().cloned().partition(is_outward);
    if let Some(cond) = conjunction(outward) {
        return Some(Step::Outward(cond, conjunction(left)));
    }
    if let Some(stride) = stride(place, l, &parts) {
        return Some(Step::Stride(stride));
    }
    narrowed(place, l).map(Step::Narrow)
}

/// The loop with another condition around its body.
fn under(mut l: For, cond: Option<Expr>) -> For {
    let body = std::mem::take(&mut l.body);
    for stmt in body {
        match (stmt.kind, &cond) {
            (StmtKind::If { then, otherwise, .. }, Some(cond)) => {
                let kind = StmtKind::If { cond: cond.clone(), then, otherwise };
                l.body.push(Stmt { span: stmt.span, kind });
            }
            (StmtKind::If { then, .. }, None) => l.body.extend(then),
            (kind, _) => l.body.push(Stmt { span: stmt.span, kind }),
        }
    }
    l
}

/// The iterations that a part of the condition leaves: `x % 4 == 2` of a loop that is plain.
fn stride(place: &Place<'_>, l: &For, parts: &[Expr]) -> Option<Stride> {
    if !is_plain(place.func, l) || !place.is_free(&l.min) || !place.is_free(&l.extent) {
        return None;
    }
    let (at, (period, offset)) =
        parts.iter().enumerate().find_map(|(at, part)| Some((at, period_of(part, l)?)))?;
    let dtype = l.min.dtype;
    let int = |value: i64| Expr::int(value, dtype);
    // The least k with k * period + offset >= e.
    let from = |e: Expr| folded(BinOp::FloorDiv, plus(e, int(period - 1 - offset)), int(period));
    let first = from(l.min.clone());
    let end = from(plus(l.min.clone(), l.extent.clone()));
    let mut count = folded(BinOp::Sub, end, first.clone());
    if !place.at_least(&count, 0) {
        count = folded(BinOp::Max, count, int(0));
    }
    let left = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| part.clone());
    let left = conjunction(left.collect());
    let end = plus(l.min.clone(), l.extent.clone());
    (place.is_free(&end) && place.is_free(&first) && place.is_free(&count)).then_some(Stride {
        period,
        first,
        count,
        offset,
        left,
    })
}

/// The period of a condition `(x + c) % period == r`, and the least value of the variable from 0 on at which it holds.
fn period_of(part: &Expr, l: &For) -> Option<(i64, i64)> {
    let ExprKind::Binary(BinOp::Eq, a, b) = &part.kind else { return None };
    let (remainder, value) = if b.as_int().is_some() { (a, b) } else { (b, a) };
    let value = value.as_int()?;
    let ExprKind::Binary(BinOp::FloorMod, dividend, divisor) = &remainder.kind else { return None };
    let period = divisor.as_int().filter(|&period| (2..=1 << 20).contains(&period))?;
    let mut atoms = Atoms::default();
    let linear = {
        let dividend = atoms.poly(dividend)?;
        atoms.linear(&dividend, l.var)?
    };
    let shift = linear.rest.as_constant().filter(|shift| shift.checked_abs().is_some_and(|s| s < 1 << 30))?;
    let fits = (0..period).contains(&value) && linear.slope.as_constant() == Some(1);
    fits.then(|| (period, (value - shift).rem_euclid(period)))
}

fn strided(func: &mut PrimFunc, l: For, stride: Stride) -> For {
    let dtype: DType = l.min.dtype;
    let name = func.var(l.var).name.clone();
    let var = func.new_var(name, Type::Prim(dtype));
    let value = plus(func.var_expr(var) * stride.period, Expr::int(stride.offset, dtype));
    let l = under(l, stride.left);
    let body = copy(func, &l.body, &[(l.var, value)]);
    For { var, min: stride.first, extent: stride.count, step: None, body, ..l }
}
