//! Functions in another shape that does the same, in which loops that were split, joined or peeled look alike.
//!
//! All iterations run as before and in the same order. Three changes are made, from the inside out, to loops that nothing leaves:
//!
//! - What stands at the head of a loop's body for the first iteration only (`if k == 0 and c: S`, perhaps under a further
//!   condition) goes in front of the loop, under the condition that the loop runs at all. Where `k` and `m` are never negative,
//!   `m * 3 + k == 0` is such a condition, for both.
//! - A condition both of whose arms are nothing but a loop over the same range goes into one loop.
//! - A loop whose body is one other loop, of a length that does not vary, is one loop over the product of both lengths, whose
//!   variables are a quotient and a remainder. A length that is a minimum of what varies and what does not is the latter, with
//!   the former as a condition.
//!
//! What moves is total, or it is evaluated neither more nor less often than before but for repetitions.

use std::sync::Arc;

use super::integers::Integers;
use super::steps::is_plain;
use super::syntax::{at, binds, conjuncts, inlined, is_equation, is_total, is_total_let, minimands, rename};
use super::value::Machine;
use super::{narrow, signature, unsplit};
use crate::diag::Span;
use crate::ir::{BinOp, Block, BufferId, Expr, ExprKind, For, Origin, PrimFunc, Stmt, StmtKind, VarId};

/// How far a function is put in shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// What the first iteration does goes in front of a loop.
    Peeled,
    /// Nests that look like one loop that was split are one, too.
    Unsplit,
    /// All nests are one loop, too.
    Flat,
}

/// The function in this shape; `None` if nothing changes. If there are places, nests are made one loop only around these.
pub(super) fn canonical(func: &PrimFunc, shape: Shape, places: Option<&[Span]>) -> Option<PrimFunc> {
    let mut made = func.clone();
    let mut body = std::mem::take(&mut made.body);
    let pointers = func.buffers.iter().any(|b| matches!(b.origin, Origin::Pointer(_)));
    let apart = func.no_alias() && !pointers;
    let from_zero = loops_from_zero(&body);
    let machine = signature::machine(func, func, Integers::Unbounded).ok()?;
    let mut shaper = Shaper { func: &mut made, machine, apart, from_zero, shape, places, changed: false };
    shaper.block(&mut body);
    let changed = shaper.changed;
    made.body = body;
    changed.then_some(made)
}

struct Shaper<'f, 'a> {
    func: &'f mut PrimFunc,
    /// The function as it was, by which terms are made.
    machine: Machine<'a>,
    /// Whether buffers of different memories never share elements.
    apart: bool,
    /// The variables of loops that begin at 0.
    from_zero: Vec<VarId>,
    shape: Shape,
    /// Where nests are made one loop; `None` for everywhere.
    places: Option<&'f [Span]>,
    changed: bool,
}

impl Shaper<'_, '_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            // What is in a loop is in the shape of the outermost one.
            if let (StmtKind::For(_), Some(places)) = (&stmt.kind, self.places) {
                let (shape, mut found) = (self.shape, false);
                stmt.walk(&mut |stmt| found |= places.contains(&stmt.span));
                self.shape = if found { shape } else { Shape::Peeled };
                self.places = None;
                let mut alone = vec![stmt];
                self.block(&mut alone);
                block.append(&mut alone);
                (self.shape, self.places) = (shape, Some(places));
                continue;
            }
            stmt.for_each_block_mut(|inner| self.block(inner));
            self.joined(&mut stmt);
            let span = stmt.span;
            if let StmtKind::For(l) = &mut stmt.kind
                && is_plain(l)
            {
                block.extend(self.peeled(l).into_iter().map(|kind| Stmt { kind, span }));
                match self.shape {
                    Shape::Flat => self.flattened(l),
                    Shape::Unsplit => {
                        if unsplit::was_split(l) {
                            self.flattened(l);
                        }
                        self.changed |= narrow::narrowed(&mut self.machine, l);
                    }
                    Shape::Peeled => {}
                }
            }
            block.push(stmt);
        }
    }

    /// Takes what only the first iteration does at the head of a body out of it.
    fn peeled(&mut self, l: &mut For) -> Vec<StmtKind> {
        let mut out = Vec::new();
        while is_total(&l.min) && is_total(&l.extent) {
            let (min, extent, var) = (l.min.clone(), l.extent.clone(), l.var);
            let head = Head { var, min: &min, extent: &extent, from_zero: &self.from_zero };
            let Some((cond, then)) = head.taken(&mut l.body, &[], None) else { break };
            self.changed = true;
            out.push(StmtKind::If { cond, then, otherwise: Vec::new() });
        }
        out
    }

    /// Makes one loop of two that are the arms of a condition, over the same range, with the condition in it.
    fn joined(&mut self, stmt: &mut Stmt) {
        let StmtKind::If { cond, then, otherwise } = &mut stmt.kind else { return };
        let (Some(a), Some(b)) = (only_loop(then), only_loop(otherwise)) else { return };
        let dtype = |l: &For| self.func.var(l.var).ty.dtype();
        if !is_total(cond) || a.min != b.min || a.extent != b.extent || dtype(a) != dtype(b) {
            return;
        }
        let own = Expr::var(a.var, dtype(a));
        let into = |arm: &mut Block| {
            let Some(Stmt { kind: StmtKind::For(mut l), .. }) = arm.pop() else { return None };
            arm.append(&mut l.body);
            Some(l)
        };
        let (Some(mut l), Some(other)) = (into(then), into(otherwise)) else { return };
        otherwise.iter_mut().for_each(|stmt| rename(stmt, other.var, l.var, &own));
        let (cond, then, otherwise) = (cond.clone(), std::mem::take(then), std::mem::take(otherwise));
        let body = StmtKind::If { cond, then, otherwise };
        l.body = vec![Stmt { kind: body, span: stmt.span }];
        stmt.kind = StmtKind::For(l);
        self.changed = true;
    }

    /// Makes one loop of two, if the body of this one is nothing but another.
    fn flattened(&mut self, l: &mut For) {
        let lets = l.body.iter().take_while(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })).count();
        if l.body.len() != lets + 1 {
            return;
        }
        self.steadied(l, lets);
        let (inner, guard) = match &l.body[lets].kind {
            StmtKind::For(inner) => (inner, None),
            StmtKind::If { cond, then, otherwise } if otherwise.is_empty() && then.len() == 1 => {
                match &then[0].kind {
                    StmtKind::For(inner) => (inner, Some(cond)),
                    _ => return,
                }
            }
            _ => return,
        };
        let dtype = self.func.var(l.var).ty.dtype();
        let bound = |var: VarId| var == l.var || binds(&l.body[..lets], var);
        let varies = inner.extent.mentions(bound) || inner.min.mentions(bound);
        let total = is_total(&l.extent) && is_total(&inner.extent) && is_total(&inner.min);
        if !is_plain(inner) || varies || !total || self.func.var(inner.var).ty.dtype() != dtype {
            return;
        }
        // A length of a wider type than the variable's might not fit it.
        if [&l.min, &l.extent, &inner.min, &inner.extent].iter().any(|e| e.dtype.bits > dtype.bits) {
            return;
        }
        let constant = inner.extent.as_int().filter(|&n| n > 0);
        let values = l.body[..lets].iter().filter_map(|stmt| match &stmt.kind {
            StmtKind::Bind { value, .. } => Some(value),
            _ => None,
        });
        let movable = |e: &Expr| is_total(e) || (constant.is_some() && self.is_steady(e, &l.body));
        if !values.chain(guard).all(movable) {
            return;
        }
        let of = |e: &Expr| if e.dtype == dtype { e.clone() } else { Expr::cast(dtype, e.clone()) };
        let (outer_extent, inner_extent) = (of(&l.extent), of(&inner.extent));
        let extent = match (l.extent.as_int(), constant) {
            (Some(n), Some(m)) => match n.checked_mul(m) {
                Some(product) => Expr::int(product, dtype),
                None => return,
            },
            (None, Some(_)) => Expr::binary(BinOp::Mul, outer_extent, inner_extent.clone()),
            _ => {
                let length = |e: Expr| Expr::binary(BinOp::Max, e, Expr::int(0, dtype));
                Expr::binary(BinOp::Mul, length(outer_extent), length(inner_extent.clone()))
            }
        };
        let name: Arc<str> = self.func.var(l.var).name.clone();
        let x = self.func.new_var(name, self.func.var(l.var).ty.clone());
        let part = |op: BinOp, first: &Expr| {
            let part = Expr::binary(op, Expr::var(x, dtype), inner_extent.clone());
            Expr::binary(BinOp::Add, of(first), part)
        };
        let bind = |var: VarId, value: Expr| Stmt::new(StmtKind::Bind { var, value });
        let inner_bind = bind(inner.var, part(BinOp::FloorMod, &inner.min));
        let mut body = vec![bind(l.var, part(BinOp::FloorDiv, &l.min))];
        let mut rest = std::mem::take(&mut l.body);
        let Some(last) = rest.pop() else { return };
        body.extend(rest);
        match last.kind {
            StmtKind::For(inner) => {
                body.push(inner_bind);
                body.extend(inner.body);
            }
            StmtKind::If { cond, mut then, .. } => {
                if let Some(Stmt { kind: StmtKind::For(inner), .. }) = then.pop() {
                    let then = std::iter::once(inner_bind).chain(inner.body).collect();
                    body.push(Stmt {
                        kind: StmtKind::If { cond, then, otherwise: Vec::new() },
                        span: last.span,
                    });
                }
            }
            _ => {}
        }
        (l.var, l.min, l.extent, l.body) = (x, Expr::int(0, dtype), extent, body);
        self.changed = true;
    }

    /// Gives the loop that is the last statement of a body, after some bindings, a length that does not vary if it is the
    /// minimum of one that does not and of others, which become conditions: `for j in range(min(n, 7 - i)): S` is
    /// `for j in range(n): if j < 7 - i: S`.
    fn steadied(&mut self, l: &mut For, lets: usize) {
        let (lets, last) = l.body.split_at_mut(lets);
        let [Stmt { kind: StmtKind::For(inner), span }] = last else { return };
        let bound = |var: VarId| var == l.var || binds(lets, var);
        if !is_plain(inner) || inner.min.mentions(bound) || !is_total(&inner.min) || !is_total(&inner.extent)
        {
            return;
        }
        let mut lengths = Vec::new();
        minimands(&inner.extent, &mut lengths);
        let (varying, steady): (Vec<&Expr>, Vec<&Expr>) =
            lengths.into_iter().partition(|length| length.mentions(bound));
        let least =
            |lengths: Vec<&Expr>| lengths.into_iter().cloned().reduce(|a, b| Expr::binary(BinOp::Min, a, b));
        let (Some(varying), Some(steady)) = (least(varying), least(steady)) else { return };
        let dtype = self.func.var(inner.var).ty.dtype();
        if varying.dtype != dtype || inner.min.dtype != dtype {
            return;
        }
        let end = Expr::binary(BinOp::Add, inner.min.clone(), varying);
        let cond = Expr::binary(BinOp::Lt, Expr::var(inner.var, dtype), end);
        let then = std::mem::take(&mut inner.body);
        let kind = StmtKind::If { cond, then, otherwise: Vec::new() };
        inner.body.push(Stmt { kind, span: *span });
        inner.extent = steady;
        self.changed = true;
    }

    /// Whether an expression has one value throughout some statements, and no effect.
    fn is_steady(&self, e: &Expr, body: &Block) -> bool {
        let memory = |id: BufferId| self.func.memory_of(id);
        let mut written = Vec::new();
        let mut effects = e.has_effect();
        for stmt in body {
            stmt.walk(&mut |stmt| {
                if let StmtKind::Store { buffer, .. } = &stmt.kind {
                    written.push(memory(*buffer));
                }
                effects |= matches!(stmt.kind, StmtKind::Alloc { .. } | StmtKind::SBlock(_));
                stmt.for_each_expr(|e| effects |= e.has_effect());
            });
        }
        let (mut loads, mut reads_written) = (false, false);
        e.walk(&mut |e| {
            if let ExprKind::Load { buffer, .. } = &e.kind {
                loads = true;
                reads_written |= written.contains(&memory(*buffer));
            }
        });
        !effects && !reads_written && (self.apart || !loads || written.is_empty())
    }
}

/// The loop that a block is nothing but, with bindings that may be repeated before it, on which its range does not depend.
fn only_loop(block: &Block) -> Option<&For> {
    let (last, lets) = block.split_last()?;
    let StmtKind::For(l) = &last.kind else { return None };
    let steady = |e: &Expr| is_total(e) && !e.mentions(|var| binds(lets, var));
    (lets.iter().all(is_total_let) && is_plain(l) && steady(&l.min) && steady(&l.extent)).then_some(l)
}

/// The variables of loops that begin at 0 and go upwards.
fn loops_from_zero(body: &Block) -> Vec<VarId> {
    let mut found = Vec::new();
    for stmt in body {
        stmt.walk(&mut |stmt| {
            if let StmtKind::For(l) = &stmt.kind
                && l.min.as_int() == Some(0)
                && l.step.is_none()
            {
                found.push(l.var);
            }
        });
    }
    found
}

/// A loop whose head is looked at: its variable, first value and length, and variables that are never negative.
pub(super) struct Head<'l> {
    pub(super) var: VarId,
    pub(super) min: &'l Expr,
    pub(super) extent: &'l Expr,
    pub(super) from_zero: &'l [VarId],
}

impl Head<'_> {
    /// Takes the first statement of a block that is done in the first iteration only, under the conditions around it; it may
    /// stand under a condition that goes on for others.
    fn taken(&self, block: &mut Block, around: &[Stmt], cond: Option<&Expr>) -> Option<(Expr, Block)> {
        let count = block.iter().take_while(|stmt| is_total_let(stmt)).count();
        let lets: Vec<Stmt> = around.iter().chain(&block[..count]).cloned().collect();
        let StmtKind::If { cond: own, then, otherwise } = &mut block.get_mut(count)?.kind else {
            return None;
        };
        if !otherwise.is_empty() || !is_total(own) {
            return None;
        }
        let all = match cond {
            Some(cond) => Expr::binary(BinOp::And, cond.clone(), own.clone()),
            None => own.clone(),
        };
        if let Some(found) = self.first_only(&lets, &all, then) {
            block.remove(count);
            return Some(found);
        }
        self.taken(then, &lets, Some(&all))
    }

    /// A condition and what is under it, at the first iteration, if it holds in no other one.
    pub(super) fn first_only(&self, lets: &[Stmt], cond: &Expr, then: &Block) -> Option<(Expr, Block)> {
        let Head { var, min, extent, from_zero } = *self;
        let cond = inlined(cond, lets)?;
        if !is_total(&cond) {
            return None;
        }
        let mut parts = Vec::new();
        conjuncts(&cond, &mut parts);
        let at_first = |part: &&Expr| is_equation(part, var, min);
        let is_zero = |part: &Expr| min.as_int() == Some(0) && all_are_zero(part, from_zero).contains(&var);
        if !parts.iter().any(|part| at_first(part) || is_zero(part)) {
            return None;
        }
        let first = |v: VarId| (v == var).then_some(min);
        let runs = Expr::binary(BinOp::Lt, Expr::int(0, extent.dtype), extent.clone());
        let mut all: Vec<Expr> = if extent.as_int().is_some_and(|n| n > 0) { Vec::new() } else { vec![runs] };
        for part in parts.into_iter().filter(|part| !at_first(part)) {
            let mut part = part.clone();
            part.substitute(&first);
            all.push(part);
        }
        let condition =
            all.into_iter().reduce(|a, b| Expr::binary(BinOp::And, a, b)).unwrap_or_else(|| Expr::bool(true));
        let mut then = then.clone();
        for stmt in &mut then {
            at(stmt, lets, &first)?;
        }
        Some((condition, then))
    }
}

/// The variables that are 0 where a condition holds, which says that a sum is 0 of which no part is negative.
fn all_are_zero(cond: &Expr, from_zero: &[VarId]) -> Vec<VarId> {
    fn parts(e: &Expr, from_zero: &[VarId], found: &mut Vec<VarId>) -> Option<()> {
        match &e.kind {
            ExprKind::Int(0) => Some(()),
            ExprKind::Var(var) if from_zero.contains(var) => {
                found.push(*var);
                Some(())
            }
            ExprKind::Binary(BinOp::Add, a, b) => {
                parts(a, from_zero, found)?;
                parts(b, from_zero, found)
            }
            ExprKind::Binary(BinOp::Mul, a, b) => match (a.as_int(), b.as_int()) {
                (_, Some(factor)) if factor > 0 => parts(a, from_zero, found),
                (Some(factor), _) if factor > 0 => parts(b, from_zero, found),
                _ => None,
            },
            ExprKind::Cast(a) if e.dtype.is_index() && e.dtype.bits >= a.dtype.bits => {
                parts(a, from_zero, found)
            }
            _ => None,
        }
    }
    let ExprKind::Binary(BinOp::Eq, a, b) = &cond.kind else { return Vec::new() };
    let sum = match (a.as_int(), b.as_int()) {
        (_, Some(0)) => a,
        (Some(0), _) => b,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    if !sum.dtype.is_index() || parts(sum, from_zero, &mut found).is_none() {
        found.clear();
    }
    found
}
