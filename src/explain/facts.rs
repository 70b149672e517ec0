//! What holds at each statement of a function: the ranges of variables, and the conditions of what encloses the statement or
//! was passed before it.

use std::mem::Discriminant;
use std::rc::Rc;

use hashbrown::HashMap;

use crate::analysis::memory::Written;
use crate::analysis::ranges::{extent_range, parameter_ranges};
use crate::analysis::side_effects::reads_or_has_side_effects;
use crate::arith::Interval;
use crate::diag::Span;
use crate::ir::{AttrNode, BinOp, Block, DType, Expr, ExprKind, PrimFunc, Stmt, StmtKind, VarId};

/// A condition that holds, and the statement that states it.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) cond: Expr,
    pub(super) span: Span,
}

/// A statement with what holds at its head.
pub(super) struct Visited<'f> {
    pub(super) span: Span,
    pub(super) kind: Discriminant<StmtKind>,
    pub(super) exprs: Vec<&'f Expr>,
    pub(super) facts: Vec<Rc<Fact>>,
}

/// All statements of a function in its order.
pub(super) struct Walk<'f> {
    func: &'f PrimFunc,
    /// Bindings from this variable on are new.
    pub(super) first_new: usize,
    pub(super) statements: Vec<Visited<'f>>,
    /// Of each binding that can be computed anywhere, and of each new one.
    pub(super) values: HashMap<VarId, Expr>,
    pub(super) ranges: Vec<Interval>,
    /// The statement that gives each variable its range.
    pub(super) ranged: Vec<Span>,
}

impl<'f> Walk<'f> {
    /// With `positive` no dimension of a parameter's buffer is zero.
    pub(super) fn of(func: &'f PrimFunc, first_new: usize, positive: bool) -> Walk<'f> {
        let mut ranges = parameter_ranges(func);
        if positive && let Some(sizes) = Interval::between(Some(1), None) {
            for range in ranges.iter_mut().filter(|range| **range == Interval::NON_NEGATIVE) {
                *range = sizes;
            }
        }
        let ranged = vec![Span::NONE; ranges.len()];
        let (statements, values) = (Vec::new(), HashMap::new());
        let mut walk = Walk { func, first_new, statements, values, ranges, ranged };
        walk.block(&func.body, &mut Vec::new());
        walk
    }

    fn block(&mut self, block: &'f Block, facts: &mut Vec<Rc<Fact>>) {
        let outside = facts.len();
        for stmt in block {
            self.stmt(stmt, facts);
            if facts.iter().any(|fact| reads(&fact.cond)) {
                forget(facts, &Written::by(self.func, stmt));
            }
            if let StmtKind::Assert { cond, .. } = &stmt.kind {
                state(facts, cond.clone(), stmt.span);
            }
            if let StmtKind::Evaluate(e) = &stmt.kind
                && let Some(("assume", [cond])) = e.as_intrin()
            {
                state(facts, cond.clone(), stmt.span);
            }
        }
        facts.truncate(outside);
    }

    fn stmt(&mut self, stmt: &'f Stmt, facts: &mut Vec<Rc<Fact>>) {
        if let StmtKind::Bind { var, value } = &stmt.kind
            && (var.index() >= self.first_new || !reads_or_has_side_effects(value))
        {
            self.values.insert(*var, value.clone());
        }
        let mut exprs = Vec::new();
        stmt.for_each_expr(|e| exprs.push(e));
        let kind = std::mem::discriminant(&stmt.kind);
        self.statements.push(Visited { span: stmt.span, kind, exprs, facts: facts.clone() });
        let outside = facts.len();
        match &stmt.kind {
            StmtKind::For(l) => {
                // The bounds are evaluated once, before the body may write what they read.
                self.iterate(l.var, &l.min, &l.extent, stmt.span, facts);
                self.repeated(&l.body, facts);
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                self.iterate(*var, &Expr::int(0, extent.dtype), extent, stmt.span, facts);
                self.repeated(body, facts);
            }
            StmtKind::Attr { node: AttrNode::IterVar { var, .. }, value, body, .. } => {
                self.iterate(*var, &Expr::int(0, value.dtype), value, stmt.span, facts);
                self.repeated(body, facts);
            }
            StmtKind::If { cond, then, otherwise } => {
                state(facts, cond.clone(), stmt.span);
                self.block(then, facts);
                facts.truncate(outside);
                state(facts, Expr::not(cond.clone()), stmt.span);
                self.block(otherwise, facts);
            }
            StmtKind::While { cond, body } => {
                forget(facts, &Written::by_blocks(self.func, [body]));
                state(facts, cond.clone(), stmt.span);
                self.block(body, facts);
            }
            StmtKind::SBlock(block) => {
                for axis in &block.axes {
                    self.iterate(axis.var, &axis.min, &axis.extent, stmt.span, facts);
                }
                if let Some(predicate) = &block.predicate {
                    state(facts, predicate.clone(), stmt.span);
                }
                stmt.for_each_block(|block| self.block(block, facts));
            }
            _ => stmt.for_each_block(|block| self.block(block, facts)),
        }
        facts.truncate(outside);
    }

    /// A body that may run several times: what it writes is not known at its start.
    fn repeated(&mut self, body: &'f Block, facts: &mut Vec<Rc<Fact>>) {
        if facts.iter().any(|fact| reads(&fact.cond)) {
            forget(facts, &Written::by_blocks(self.func, [body]));
        }
        self.block(body, facts);
    }

    /// What holds inside of a loop: its variable lies in its range, and that is not empty.
    fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr, span: Span, facts: &mut Vec<Rc<Fact>>) {
        let range = extent_range(min.as_int(), extent.as_int());
        if range != Interval::ALL
            && let (Some(known), Some(ranged)) =
                (self.ranges.get_mut(var.index()), self.ranged.get_mut(var.index()))
        {
            (*known, *ranged) = (range, span);
        }
        let dtype = self.func.var(var).ty.dtype();
        if dtype != min.dtype || dtype != extent.dtype || !dtype.is_scalar() {
            return;
        }
        let it = Expr::var(var, dtype);
        if min.as_int().is_none() {
            state(facts, Expr::binary(BinOp::Le, min.clone(), it.clone()), span);
        }
        if extent.as_int().is_none() {
            let end = if min.as_int() == Some(0) { extent.clone() } else { min.clone() + extent.clone() };
            state(facts, Expr::binary(BinOp::Lt, it, end), span);
            state(facts, Expr::binary(BinOp::Le, Expr::int(1, dtype), extent.clone()), span);
        }
    }

    /// The expression with bound variables replaced by their values; `bindings` gets the new ones.
    pub(super) fn expanded(&self, e: &Expr, bindings: &mut Vec<VarId>) -> Expr {
        if let Some(var) = e.as_var()
            && let Some(value) = self.values.get(&var)
        {
            if var.index() >= self.first_new && !bindings.contains(&var) {
                bindings.push(var);
            }
            return self.expanded(value, bindings);
        }
        let mut out = e.clone();
        out.for_each_child_mut(|child| *child = self.expanded(child, bindings));
        out
    }
}

/// Takes note of a condition, unless it does more than compute a value.
fn state(facts: &mut Vec<Rc<Fact>>, cond: Expr, span: Span) {
    let mut binds = false;
    cond.walk(&mut |e| binds |= matches!(e.kind, ExprKind::Let(..)));
    if cond.dtype == DType::BOOL && !binds && !cond.has_effect() {
        facts.push(Rc::new(Fact { cond, span }));
    }
}

/// Forgets what may not hold any more. Something that always holds takes its place.
fn forget(facts: &mut [Rc<Fact>], written: &Written) {
    for fact in facts.iter_mut().filter(|fact| written.may_change(&fact.cond)) {
        *fact = Rc::new(Fact { cond: Expr::bool(true), span: Span::NONE });
    }
}

fn reads(e: &Expr) -> bool {
    let mut found = false;
    e.walk(&mut |e| found |= matches!(e.kind, ExprKind::Load { .. }));
    found
}

/// Each test of a function that computes no more than a value and reads no memory: its place, its condition, and the ranges and
/// conditions that hold there. With `positive` no dimension of a parameter's buffer is zero.
pub(crate) fn known_facts(func: &PrimFunc, positive: bool) -> Vec<(Span, Expr, Vec<Interval>, Vec<Expr>)> {
    let walk = Walk::of(func, func.vars.len(), positive);
    let is_test = std::mem::discriminant(&StmtKind::If {
        cond: Expr::bool(true),
        then: Block::new(),
        otherwise: Block::new(),
    });
    let tests = walk.statements.iter().filter(|visited| visited.kind == is_test);
    let tests = tests.filter_map(|visited| Some((visited, *visited.exprs.first()?)));
    let tests = tests.filter(|(_, cond)| !reads_or_has_side_effects(cond));
    tests
        .map(|(visited, cond)| {
            let conds = visited.facts.iter().map(|fact| walk.expanded(&fact.cond, &mut Vec::new()));
            (visited.span, walk.expanded(cond, &mut Vec::new()), walk.ranges.clone(), conds.collect())
        })
        .collect()
}
