//! The box of elements that statements access: along each dimension of a buffer a first element and how many.
//!
//! An index is a sum. What does not vary within the statements is the base of the box; the rest has a range, by the loops
//! within the statements and the conditions around the access. Where accesses have different bases, or the range is not known,
//! the box has all elements of the dimension.

use hashbrown::HashMap;

use super::accesses::Access;
use super::assume::is_assumption;
use super::values::{Values, bind_axes, inlined};
use crate::analysis::ranges::{extent_range, satisfying};
use crate::arith::Interval;
use crate::arith::invert::range;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// Addends of a sum, each with whether it is taken away.
type Addends = Vec<(Expr, bool)>;

/// The elements of one dimension.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Span {
    /// All.
    Whole,
    /// From `base + low` on, so many.
    Part { base: Addends, low: i64, extent: i64 },
}

/// A box of elements.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Region {
    spans: Vec<Span>,
    shape: Vec<Expr>,
}

impl Region {
    /// All elements of a buffer.
    pub(super) fn whole(func: &PrimFunc, buffer: BufferId) -> Region {
        let shape = func.buffer(buffer).shape.clone();
        Region { spans: vec![Span::Whole; shape.len()], shape }
    }

    /// Whether it lies within the buffer, as it shows: where it begins does not vary.
    pub(super) fn is_within(&self) -> bool {
        let within = |(span, extent): (&Span, &Expr)| match span {
            Span::Whole => true,
            Span::Part { base, .. } => base.is_empty() && extent.as_int().is_some(),
        };
        self.spans.iter().zip(&self.shape).all(within)
    }

    /// How many elements it has along each dimension.
    pub(super) fn extents(&self) -> Vec<Expr> {
        let extent = |(span, whole): (&Span, &Expr)| match span {
            Span::Whole => whole.clone(),
            Span::Part { extent, .. } => Expr::int(*extent, whole.dtype),
        };
        self.spans.iter().zip(&self.shape).map(extent).collect()
    }

    /// The indices in the buffer of an element of the box.
    pub(super) fn outside(&self, element: &[Expr]) -> Vec<Expr> {
        let outside = |(span, at): (&Span, &Expr)| match span {
            Span::Whole => at.clone(),
            Span::Part { base, low, .. } => {
                let mut all = base.clone();
                all.push((at.clone(), false));
                sum(all, *low, at)
            }
        };
        self.spans.iter().zip(element).map(outside).collect()
    }

    /// The indices in the box of an element of the buffer.
    pub(super) fn inside(&self, indices: &[Expr]) -> Vec<Expr> {
        let inside = |(span, index): (&Span, &Expr)| match span {
            Span::Whole => index.clone(),
            Span::Part { base, low, .. } => {
                let (mut all, mut constant) = (Addends::new(), 0);
                addends(index, false, &mut all, &mut constant);
                for (addend, minus) in base {
                    match all.iter().position(|own| own.0 == *addend && own.1 == *minus) {
                        Some(at) => drop(all.remove(at)),
                        None => all.push((addend.clone(), !minus)),
                    }
                }
                sum(all, constant.wrapping_sub(*low), index)
            }
        };
        self.spans.iter().zip(indices).map(inside).collect()
    }
}

/// The sum of addends and a constant, of the type of `like`.
fn sum(mut all: Addends, constant: i64, like: &Expr) -> Expr {
    // What is added comes first.
    all.sort_by_key(|(_, minus)| *minus);
    if constant != 0 || all.first().is_none_or(|(_, minus)| *minus) {
        let at = all.iter().take_while(|(_, minus)| !minus).count();
        if at == 0 || constant >= 0 {
            all.insert(at, (Expr::int(constant, like.dtype), false));
        } else {
            all.push((Expr::int(-constant, like.dtype), true));
        }
    }
    let all = all.into_iter().reduce(|(total, _), (addend, minus)| {
        let op = if minus { BinOp::Sub } else { BinOp::Add };
        (Expr::binary(op, total, addend), false)
    });
    all.map_or_else(|| Expr::int(constant, like.dtype), |(total, _)| total)
}

/// The addends of an index; constants are added up.
fn addends(e: &Expr, minus: bool, all: &mut Addends, constant: &mut i64) {
    match &e.kind {
        ExprKind::Int(v) => *constant = constant.wrapping_add(if minus { v.wrapping_neg() } else { *v }),
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            addends(a, minus, all, constant);
            addends(b, minus != (*op == BinOp::Sub), all, constant);
        }
        _ => all.push((e.clone(), minus)),
    }
}

/// The elements of a buffer that statements may access, with all their loads, or with loads and stores.
pub(super) fn accessed(func: &PrimFunc, stmts: &[&Stmt], buffer: BufferId, how: Access) -> Region {
    let shape = func.buffer(buffer).shape.clone();
    let mut walk = Walk {
        buffer,
        how,
        inner: HashMap::new(),
        values: Values::new(),
        conditions: Vec::new(),
        found: Vec::new(),
    };
    stmts.iter().for_each(|stmt| walk.stmt(stmt));
    let spans = (0..shape.len()).map(|k| {
        let mut found = walk.found.iter().map(|own| own.get(k).cloned().flatten());
        let first = found.next().flatten();
        let joined = found.fold(first, |all, own| match (all?, own?) {
            ((base, range), (other, own)) if base == other => Some((base, range.join(own))),
            _ => None,
        });
        span(joined, &shape[k])
    });
    Region { spans: spans.collect(), shape }
}

fn span(found: Option<(Addends, Interval)>, whole: &Expr) -> Span {
    let part = || {
        let (base, range) = found?;
        // A constant box ends with the buffer: an access out of bounds is none.
        let bounds = match whole.as_int() {
            Some(extent) if base.is_empty() => Interval::new(0, extent.checked_sub(1)?)?,
            _ => Interval::ALL,
        };
        let range = range.meet(bounds)?;
        let (low, high) = (range.lo()?, range.hi()?);
        let extent = high.checked_sub(low)?.checked_add(1)?;
        let is_dtype = |(e, _): &(Expr, bool)| e.dtype == whole.dtype;
        let all = base.is_empty() && low == 0 && whole.as_int() == Some(extent);
        (base.iter().all(is_dtype) && !all).then_some(Span::Part { base, low, extent })
    };
    part().unwrap_or(Span::Whole)
}

/// What an index is made of, if that is known: what does not vary, and the range of the rest.
type Found = Option<(Addends, Interval)>;

struct Walk {
    buffer: BufferId,
    how: Access,
    /// The ranges of variables that vary within the statements.
    inner: HashMap<VarId, Interval>,
    /// Values of bindings and block axes.
    values: Values,
    /// Conditions under which what is walked happens, with their truth values.
    conditions: Vec<(Expr, bool)>,
    /// For each access and dimension.
    found: Vec<Vec<Found>>,
}

impl Walk {
    fn stmt(&mut self, stmt: &Stmt) {
        if is_assumption(stmt) {
            return;
        }
        stmt.for_each_expr(|e| self.expr(e));
        let conditions = self.conditions.len();
        match &stmt.kind {
            StmtKind::Store { buffer, indices, .. }
                if *buffer == self.buffer && self.how == Access::Store =>
            {
                self.add(indices);
            }
            StmtKind::Bind { var, value } => {
                let value = inlined(value, &self.values);
                self.values.insert(*var, value);
            }
            StmtKind::For(l) => {
                let (min, extent) =
                    (inlined(&l.min, &self.values).as_int(), inlined(&l.extent, &self.values).as_int());
                let own = if l.step.is_none() { extent_range(min, extent) } else { Interval::ALL };
                self.inner.insert(l.var, own);
                self.blocks(stmt);
            }
            StmtKind::LaunchThread { var, .. } => {
                self.inner.insert(*var, Interval::ALL);
                self.blocks(stmt);
            }
            StmtKind::If { cond, then, otherwise } => {
                for (arm, truth) in [(then, true), (otherwise, false)] {
                    self.assume(cond, truth);
                    self.block(arm);
                    self.conditions.truncate(conditions);
                }
            }
            StmtKind::SBlock(block) => {
                bind_axes(block, &mut self.values);
                if let Some(predicate) = &block.predicate {
                    self.assume(predicate, true);
                }
                self.blocks(stmt);
            }
            _ => self.blocks(stmt),
        }
        self.conditions.truncate(conditions);
    }

    fn blocks(&mut self, stmt: &Stmt) {
        stmt.for_each_block(|block| self.block(block));
    }

    fn block(&mut self, block: &Block) {
        block.iter().for_each(|stmt| self.stmt(stmt));
    }

    fn expr(&mut self, e: &Expr) {
        e.walk(&mut |e| match &e.kind {
            ExprKind::Load { buffer, indices } if *buffer == self.buffer => self.add(indices),
            // What it binds varies.
            ExprKind::Let(var, ..) => drop(self.inner.insert(*var, Interval::ALL)),
            _ => {}
        });
    }

    fn assume(&mut self, cond: &Expr, truth: bool) {
        match &cond.kind {
            ExprKind::Binary(BinOp::And, a, b) if truth => {
                self.assume(a, truth);
                self.assume(b, truth);
            }
            _ => {
                let cond = inlined(cond, &self.values);
                self.conditions.push((cond, truth));
            }
        }
    }

    fn add(&mut self, indices: &[Expr]) {
        let found = indices.iter().map(|index| self.index(&inlined(index, &self.values))).collect();
        self.found.push(found);
    }

    fn index(&self, index: &Expr) -> Found {
        let mut plain = index.dtype.is_index() && index.dtype.is_scalar();
        index.walk(&mut |e| {
            plain &= matches!(e.kind, ExprKind::Int(_) | ExprKind::Var(_) | ExprKind::Binary(..));
        });
        if !plain {
            return None;
        }
        let (mut all, mut constant) = (Addends::new(), 0);
        addends(index, false, &mut all, &mut constant);
        let (inner, base): (Addends, Addends) =
            all.into_iter().partition(|(e, _)| e.mentions(|var| self.inner.contains_key(&var)));
        let mut varies = Interval::point(constant);
        let ranges = self.ranges();
        for (addend, minus) in inner {
            let own = self.within(&addend, &ranges);
            varies = if minus { varies.sub(own) } else { varies.add(own) };
        }
        if base.is_empty() {
            varies = varies.meet(self.within(index, &ranges)).unwrap_or(varies);
        }
        Some((base, varies))
    }

    /// The range of an expression where the conditions hold.
    fn within(&self, e: &Expr, ranges: &[Interval]) -> Interval {
        let said = self.conditions.iter().filter_map(|(cond, truth)| satisfying(cond, *truth));
        said.filter(|(of, _)| *of == e).fold(range(e, ranges), |all, (_, own)| all.meet(own).unwrap_or(all))
    }

    /// The ranges of variables where the conditions hold ([`VarId`] is the index).
    fn ranges(&self) -> Vec<Interval> {
        let len = self.inner.keys().map(|var| var.index() + 1).max().unwrap_or(0);
        let mut ranges = vec![Interval::ALL; len];
        for (var, own) in &self.inner {
            ranges[var.index()] = *own;
        }
        for (cond, truth) in &self.conditions {
            if let Some((of, own)) = satisfying(cond, *truth)
                && let Some(known) = of.as_var().and_then(|var| ranges.get_mut(var.index()))
            {
                *known = known.meet(own).unwrap_or(*known);
            }
        }
        ranges
    }
}
