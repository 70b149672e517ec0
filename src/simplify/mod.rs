//! Contextual simplification: expressions and conditions under what their place guarantees.
//!
//! The statements are walked with the facts in force: ranges of loop variables (also symbolic ones, and that the
//! loop runs at all), conditions of enclosing `if`s, `while`s and blocks, asserts and assumptions that were passed.
//! All expressions of one block that stand under the same facts are put into one small contextual e-graph
//! (`region`); what is cheaper there replaces what stood there. Nothing is shared with any other place, so no
//! fact can leak. Facts that read memory are not used: the memory may change.
//!
//! Statements follow: branches that are never taken and loops that never run go, and a condition that the other
//! conditions of its nest imply goes (`conditions`).

mod conditions;
mod region;

use self::region::Engine;
use crate::arith::Interval;
use crate::arith::linear::Prover;
use crate::cost::Profile;
use crate::eqsat::lower::{Known, extent_range, parameter_ranges, reads_or_acts, visit_roots};
use crate::eqsat::rewrite::Rewrites;
use crate::ir::{AttrNode, BinOp, Block, DType, Expr, For, PrimFunc, SBlock, Stmt, StmtKind, VarId};

/// What a run changed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simplified {
    /// Expressions replaced by cheaper ones.
    pub expressions: usize,
    /// Conditions dropped because others imply them, branches and loops that never run.
    pub conditions: usize,
}

impl Simplified {
    /// Whether anything changed.
    pub fn any(self) -> bool {
        self.expressions + self.conditions > 0
    }
}

/// Simplifies a function in place. `profile` says which of two equal expressions is cheaper.
pub fn run(func: &mut PrimFunc, profile: &Profile, rewrites: &Rewrites) -> Simplified {
    let body = std::mem::take(&mut func.body);
    let known = Known { ranges: parameter_ranges(func), ..Known::default() };
    let mut simplifier =
        Simplifier { engine: Engine { func, profile, rewrites }, known, done: Simplified::default() };
    let body = simplifier.block(body);
    let done = simplifier.done;
    func.body = body;
    done
}

/// The cheapest equal expression found for one expression, given ranges of variables ([`VarId`] is the index) and
/// conditions that hold. A condition that is decided becomes a constant. `func` is the table of variables.
pub fn expression(
    func: &PrimFunc,
    profile: &Profile,
    rewrites: &Rewrites,
    ranges: Vec<Interval>,
    conds: &[Expr],
    e: &Expr,
) -> Expr {
    let engine = Engine { func, profile, rewrites };
    let mut known = Known { ranges, ..Known::default() };
    for cond in conds {
        region::assume(&mut known, cond, true);
    }
    if e.dtype == DType::BOOL {
        let mut prover = Prover::new(&known.ranges);
        for (cond, truth) in &known.facts {
            prover.assume(cond, *truth);
        }
        if let Some(truth) = prover.decide(e, Prover::FUEL) {
            return Expr::bool(truth);
        }
    }
    let mut result = e.clone();
    for _ in 0..MAX_PASSES {
        let mut replaced = region::replace(&engine, &known, &mut [&mut result]);
        replaced += region::simplify_arms(&engine, &mut known, &mut result);
        if replaced == 0 {
            break;
        }
    }
    result
}

/// The most passes over one expression; each may let the next see more.
const MAX_PASSES: usize = 4;

struct Simplifier<'a> {
    engine: Engine<'a>,
    known: Known,
    done: Simplified,
}

impl Simplifier<'_> {
    /// Simplifies a block; facts that its statements establish hold for the rest of it.
    fn block(&mut self, mut block: Block) -> Block {
        let facts = self.known.facts.len();
        let mut out = Vec::with_capacity(block.len());
        let mut start = 0;
        while start < block.len() {
            // A run of statements under the same facts, up to the first that adds some.
            let end = block[start..]
                .iter()
                .position(|s| gives_fact(s).is_some())
                .map_or(block.len(), |i| start + i + 1);
            self.expressions(&mut block[start..end]);
            for stmt in &mut block[start..end] {
                let stmt = std::mem::replace(stmt, Stmt::new(StmtKind::Break));
                if let Some(fact) = gives_fact(&stmt).cloned() {
                    self.assume(&fact, true);
                }
                self.stmt(stmt, &mut out);
            }
            start = end;
        }
        self.known.facts.truncate(facts);
        out
    }

    /// Replaces the expressions of the statements themselves (not of their blocks) where a cheaper one is equal.
    fn expressions(&mut self, stmts: &mut [Stmt]) {
        let mut roots: Vec<&mut Expr> = Vec::new();
        for stmt in stmts.iter_mut() {
            if let StmtKind::Bind { var, value } = &stmt.kind
                && !reads_or_acts(value)
            {
                self.known.values.insert(*var, value.clone());
            }
            collect_roots(stmt, &mut roots);
        }
        self.done.expressions += region::simplify(&self.engine, &self.known, &mut roots);
        for root in roots {
            self.done.expressions += region::simplify_arms(&self.engine, &mut self.known, root);
        }
    }

    /// Takes a condition, or what of it reads no memory, as a fact for what follows.
    fn assume(&mut self, cond: &Expr, truth: bool) {
        region::assume(&mut self.known, cond, truth);
    }

    /// Runs `f` with facts of its own.
    fn within<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let facts = self.known.facts.len();
        let result = f(self);
        self.known.facts.truncate(facts);
        result
    }

    fn stmt(&mut self, mut stmt: Stmt, out: &mut Block) {
        match &mut stmt.kind {
            StmtKind::If { cond, then, otherwise } => {
                if let Some(value) = cond.as_int() {
                    self.done.conditions += 1;
                    let taken = std::mem::take(if value != 0 { then } else { otherwise });
                    // The arm's bindings keep their names apart: variables are identities.
                    let taken = self.block(taken);
                    out.extend(taken);
                    return;
                }
                if then == otherwise && !reads_or_acts(cond) {
                    self.done.conditions += 1;
                    let both = self.block(std::mem::take(then));
                    out.extend(both);
                    return;
                }
                let fused = conditions::drop_implied(&self.engine, &self.known, cond, then, otherwise);
                self.done.conditions += fused;
                if fused > 0 && cond.as_int().is_some() {
                    // The outer condition is gone: the nest starts further in.
                    let inner = std::mem::take(then);
                    for stmt in inner {
                        self.stmt(stmt, out);
                    }
                    return;
                }
                let cond = cond.clone();
                *then = self.within(|s| {
                    s.assume(&cond, true);
                    s.block(std::mem::take(then))
                });
                *otherwise = self.within(|s| {
                    s.assume(&cond, false);
                    s.block(std::mem::take(otherwise))
                });
                if then.is_empty() && otherwise.is_empty() && !reads_or_acts(&cond) {
                    return;
                }
            }
            StmtKind::For(f) => {
                if f.extent.as_int().is_some_and(|n| n <= 0) {
                    self.done.conditions += 1;
                    return;
                }
                self.for_loop(f);
            }
            StmtKind::While { cond, body } => {
                if cond.as_int() == Some(0) {
                    self.done.conditions += 1;
                    return;
                }
                *body = self.within(|s| {
                    s.assume(cond, true);
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::Attr { node, value, body, .. } => {
                *body = self.within(|s| {
                    if let AttrNode::IterVar { var, .. } = node {
                        s.iterate(*var, &Expr::int(0, value.dtype), value);
                    }
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::LaunchThread { var, extent, body, .. } => {
                *body = self.within(|s| {
                    s.iterate(*var, &Expr::int(0, extent.dtype), extent);
                    s.block(std::mem::take(body))
                });
            }
            StmtKind::SBlock(block) => self.sblock(block),
            StmtKind::Bind { .. }
            | StmtKind::Store { .. }
            | StmtKind::Evaluate(_)
            | StmtKind::Assert { .. }
            | StmtKind::Alloc { .. }
            | StmtKind::Decl { .. }
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_) => {}
        }
        out.push(stmt);
    }

    fn for_loop(&mut self, f: &mut For) {
        let (var, min, extent) = (f.var, f.min.clone(), f.extent.clone());
        let body = std::mem::take(&mut f.body);
        f.body = self.within(|s| {
            s.iterate(var, &min, &extent);
            s.block(body)
        });
    }

    fn sblock(&mut self, block: &mut SBlock) {
        self.within(|s| {
            for axis in &block.axes {
                s.iterate(axis.var, &axis.min, &axis.extent);
            }
            if let Some(predicate) = &block.predicate {
                s.assume(predicate, true);
            }
            if let Some(init) = block.init.take() {
                block.init = Some(s.block(init));
            }
            block.body = s.block(std::mem::take(&mut block.body));
        });
    }

    /// Inside of a loop: the variable lies in its range, and the range is not empty.
    fn iterate(&mut self, var: VarId, min: &Expr, extent: &Expr) {
        self.known.ranges[var.index()] = extent_range(min.as_int(), extent.as_int());
        let dtype = self.engine.func.var(var).ty.dtype();
        if dtype != min.dtype || dtype != extent.dtype || !dtype.is_scalar() {
            return;
        }
        let it = Expr::var(var, dtype);
        if min.as_int().is_none() {
            self.assume(&Expr::binary(BinOp::Le, min.clone(), it.clone()), true);
        }
        if extent.as_int().is_none() {
            self.assume(&Expr::binary(BinOp::Lt, it, min.clone() + extent.clone()), true);
            self.assume(&Expr::binary(BinOp::Le, Expr::int(1, dtype), extent.clone()), true);
        }
    }
}

/// The condition that holds after the statement, if it is one that checks or states it.
fn gives_fact(stmt: &Stmt) -> Option<&Expr> {
    match &stmt.kind {
        StmtKind::Assert { cond, .. } => Some(cond),
        StmtKind::Evaluate(e) => match e.as_intrin() {
            Some(("assume", [cond])) => Some(cond),
            _ => None,
        },
        _ => None,
    }
}

/// The expressions that may be replaced: not the condition of a `while`, which is evaluated again after its body.
fn collect_roots<'s>(stmt: &'s mut Stmt, roots: &mut Vec<&'s mut Expr>) {
    if gives_fact(stmt).is_some() && !matches!(stmt.kind, StmtKind::Assert { .. }) {
        return;
    }
    visit_roots(stmt, |e| roots.push(e));
}
