//! Places of loops in a function: the way to them, and what is known there.

use std::sync::Arc;

use crate::analysis::effects::ExprEffect;
use crate::analysis::known::Known;
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::ranges::extent_range;
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::ir::{self, BinOp, Block, Expr, ExprKind, For, ForKind, PrimFunc, Stmt, StmtKind, VarId};
use crate::simplify::{self, assume_parts};

use super::copy::is_copyable;
pub(super) use super::folded::{folded, plus};

/// The way to a statement: at each level the statement of a block, and which of its blocks the next level is in. The last
/// entry names the statement itself.
pub(super) type Path = Vec<(usize, usize)>;

/// What is known at a place. Facts that read memory are left out, so that none ends on the way.
#[derive(Clone, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) func: &'a PrimFunc,
    pub(crate) known: Known,
}

impl<'a> Place<'a> {
    /// The head of a function.
    pub(crate) fn head(func: &'a PrimFunc, positive_dims: bool) -> Place<'a> {
        Place { func, known: simplify::known(func, positive_dims) }
    }

    /// The head of a function in which all holds that is known of another one with the same parameters. `magnitudes` are
    /// those of the function.
    pub(super) fn of(func: &'a PrimFunc, base: &Known, magnitudes: Arc<Magnitudes>) -> Place<'a> {
        let mut known = Known { magnitudes, ..base.clone() };
        known.ranges.resize(func.vars.len(), crate::arith::Interval::ALL);
        Place { func, known }
    }

    /// Takes a condition to be true or false.
    pub(super) fn assume(&mut self, cond: &Expr, truth: bool) {
        assume_parts(&mut self.known, cond, truth, false);
    }

    /// Takes a variable to be in the range of a loop that runs.
    pub(super) fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr) {
        if self.known.ranges.len() <= var.index() {
            self.known.ranges.resize(var.index() + 1, crate::arith::Interval::ALL);
        }
        self.known.ranges[var.index()] = extent_range(min.as_int(), extent.as_int());
        let dtype = self.func.var(var).ty.dtype();
        if dtype != min.dtype || dtype != extent.dtype || !dtype.is_scalar() {
            return;
        }
        let it = Expr::var(var, dtype);
        if min.as_int().is_none() {
            self.assume(&Expr::binary(BinOp::Le, min.clone(), it.clone()), true);
        }
        if extent.as_int().is_none() {
            self.assume(&it.lt(plus(min.clone(), extent.clone())), true);
            self.assume(&Expr::binary(BinOp::Le, Expr::int(1, dtype), extent.clone()), true);
        }
    }

    /// Whether a condition is proven to hold here.
    pub(super) fn holds(&self, cond: &Expr) -> bool {
        cond.as_int().map_or_else(|| simplify::holds(&self.known, cond), |truth| truth != 0)
    }

    /// Whether an integer is proven to be at least `least`.
    pub(crate) fn at_least(&self, e: &Expr, least: i64) -> bool {
        match e.as_int() {
            Some(value) => value >= least,
            None => self.holds(&Expr::binary(BinOp::Le, Expr::int(least, e.dtype), e.clone())),
        }
    }

    /// Whether `a <= b` is proven.
    pub(crate) fn at_most(&self, a: &Expr, b: &Expr) -> bool {
        a == b || self.holds(&folded(BinOp::Le, a.clone(), b.clone()))
    }

    /// Whether an expression can be evaluated here whatever the program evaluates: it traps nowhere, its value is the same
    /// whatever is written, and what it computes fits its type.
    pub(crate) fn is_free(&self, e: &Expr) -> bool {
        if reads_or_has_side_effects(e) || !e.dtype.is_scalar() {
            return false;
        }
        self.divides(e) && self.fits(e)
    }

    /// Whether all that an expression computes is shown to fit its type.
    pub(super) fn fits(&self, e: &Expr) -> bool {
        let mut fits = !self.known.magnitudes.may_overflow(e);
        e.for_each_child(|part| fits = fits && self.fits(part));
        fits
    }

    /// Whether nothing in an expression traps but what overflows.
    pub(super) fn divides(&self, e: &Expr) -> bool {
        let mut fine = true;
        e.walk(&mut |e| {
            if let ExprKind::Binary(op, _, divisor) = &e.kind
                && op.is_division()
            {
                fine &= divisor.as_int().map_or_else(|| self.at_least(divisor, 1), |d| d != 0 && d != -1);
            }
        });
        let mut plain = e.clone();
        // Divisions have been looked at.
        without_divisions(&mut plain);
        fine && !ExprEffect::of(&plain).any.may_trap
    }

    /// The same of an expression of which some parts have been evaluated when it is. A sum with such a part may overflow
    /// where the part does not; the lesser of two does not.
    pub(super) fn is_free_given(&self, e: &Expr, evaluated: &[Expr]) -> bool {
        match &e.kind {
            _ if evaluated.contains(e) => true,
            ExprKind::Binary(BinOp::Min | BinOp::Max, a, b) => {
                self.is_free_given(a, evaluated) && self.is_free_given(b, evaluated)
            }
            _ => self.is_free(e),
        }
    }

    /// Enters a block of a statement.
    pub(crate) fn enter(&mut self, stmt: &Stmt, block: usize) {
        match &stmt.kind {
            StmtKind::For(l) => self.iterate(l.var, &l.min, &l.extent),
            StmtKind::If { cond, .. } if !cond.has_effect() => self.assume(cond, block == 0),
            StmtKind::While { cond, .. } if !cond.has_effect() => self.assume(cond, true),
            StmtKind::LaunchThread { var, extent, .. } => {
                self.iterate(*var, &Expr::int(0, extent.dtype), extent)
            }
            _ => {}
        }
    }

    /// Goes from the start of a block to the loop at the end of a path.
    pub(super) fn go<'b>(&mut self, block: &'b Block, path: &[(usize, usize)]) -> Option<&'b For> {
        let [(at, number), rest @ ..] = path else { return None };
        block.iter().take(*at).for_each(|stmt| self.pass(stmt));
        let stmt = block.get(*at)?;
        if rest.is_empty() {
            return if let StmtKind::For(l) = &stmt.kind { Some(l) } else { None };
        }
        self.enter(stmt, *number);
        self.go(ir::block_at(block, &path[..1])?, rest)
    }

    /// Passes a statement.
    pub(crate) fn pass(&mut self, stmt: &Stmt) {
        if let StmtKind::Bind { var, value } = &stmt.kind
            && !reads_or_has_side_effects(value)
            && !value.reads_memory()
        {
            self.known.values.insert(*var, value.clone());
        }
    }
}

fn without_divisions(e: &mut Expr) {
    e.for_each_child_mut(without_divisions);
    if let ExprKind::Binary(op, ..) = &mut e.kind
        && op.is_division()
    {
        *op = BinOp::Add;
    }
}

/// Calls `f` on each loop of a block, outer ones first, with its path and what is known before it.
pub(super) fn for_each_loop<'a>(
    place: &mut Place<'_>,
    block: &'a Block,
    path: &mut Path,
    f: &mut impl FnMut(&Path, &'a For, &Place<'_>),
) {
    let facts = place.known.facts.len();
    for (at, stmt) in block.iter().enumerate() {
        path.push((at, 0));
        if let StmtKind::For(l) = &stmt.kind {
            f(path, l, place);
        }
        let mut number = 0;
        stmt.for_each_block(|inner| {
            if let Some(last) = path.last_mut() {
                last.1 = number;
            }
            let inside = place.known.facts.len();
            place.enter(stmt, number);
            for_each_loop(place, inner, path, f);
            place.known.facts.truncate(inside);
            number += 1;
        });
        path.pop();
        place.pass(stmt);
    }
    place.known.facts.truncate(facts);
}

/// Puts statements in the place of the one at the end of a path.
pub(super) fn replace(block: &mut Block, path: &[(usize, usize)], made: Block) {
    if let Some((&(at, _), way)) = path.split_last()
        && let Some(block) = ir::block_at_mut(block, way)
    {
        block.splice(at..=at, made);
    }
}

/// Takes the loop at the end of a path out; a placeholder stays.
pub(super) fn take_loop(block: &mut Block, path: &[(usize, usize)]) -> Option<For> {
    let (&(at, _), way) = path.split_last()?;
    let stmt = ir::block_at_mut(block, way)?.get_mut(at)?;
    match std::mem::replace(&mut stmt.kind, StmtKind::Break) {
        StmtKind::For(l) => Some(*l),
        other => {
            stmt.kind = other;
            None
        }
    }
}

/// The block that has the statement at the end of a path.
pub(super) fn block_at<'b>(block: &'b Block, path: &[(usize, usize)]) -> Option<&'b Block> {
    ir::block_at(block, path.split_last()?.1)
}

/// The loop at the end of a path.
pub(super) fn loop_at<'b>(block: &'b Block, path: &[(usize, usize)]) -> Option<&'b For> {
    let (at, _) = *path.last()?;
    match &block_at(block, path)?.get(at)?.kind {
        StmtKind::For(l) => Some(l),
        _ => None,
    }
}

/// Whether a loop may be written as other loops that run the same iterations in the same order: it is serial, counts by 1,
/// nothing is asked of it by annotations, and nothing leaves it.
pub(super) fn is_plain(func: &PrimFunc, l: &For) -> bool {
    l.kind == ForKind::Serial && is_simple(func, l)
}

/// The same of a loop that may also be parallel.
pub(super) fn is_plain_or_parallel(func: &PrimFunc, l: &For) -> bool {
    matches!(l.kind, ForKind::Serial | ForKind::Parallel) && is_simple(func, l)
}

/// Whether a loop counts by 1, nothing is asked of it by annotations, and nothing leaves it.
pub(super) fn is_simple(func: &PrimFunc, l: &For) -> bool {
    let dtype = func.var(l.var).ty.dtype();
    l.step.as_ref().is_none_or(|step| step.as_int() == Some(1))
        && l.annotations.is_empty()
        && dtype.is_index()
        && dtype == l.min.dtype
        && dtype == l.extent.dtype
        && is_copyable(&l.body)
}
