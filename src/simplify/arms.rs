//! Whether two blocks do the same: `if c: A else: A` needs no condition.
//!
//! Blocks are compared statement by statement; the expressions that stand at one place of both must be equal there.
//! Memory is then the same at each pair of places, so equal loads of one pair may be taken as equal, whatever
//! was written before.

use hashbrown::HashMap;

use super::engine::Engine;
use super::graph;
use super::sample::Samples;
use super::trapping::evaluates_no_more;
use crate::analysis::known::Known;
use crate::ir::{Block, Expr, ExprKind, Stmt, StmtKind, VarId};

/// The most pairs of different expressions that are compared.
const MAX_PAIRS: usize = 64;

/// Whether block `a` can stand for block `b` wherever `known` holds: it does what that does, and evaluates nothing that
/// may trap and that `b` does not evaluate.
pub(super) fn stands_for(engine: &Engine<'_>, known: &Known, a: &Block, b: &Block) -> bool {
    let Some(pairs) = owed(known, a, b) else { return false };
    if pairs.is_empty() {
        return true;
    }
    let samples = Samples::new(&engine.sampler, known, known.facts.len());
    pairs.len() <= MAX_PAIRS
        && !pairs.iter().any(|(a, b)| samples.differ(a, b))
        && graph::equal(engine, known, &pairs)
}

/// What must be equal for block `a` to stand for block `b`: pairs of expressions of the one and the other, where those that are
/// the same as they are written are left out. `None` if it cannot, whatever is equal.
pub(crate) fn owed(known: &Known, a: &Block, b: &Block) -> Option<Vec<(Expr, Expr)>> {
    let mut comparison = Comparison::default();
    if !comparison.blocks(a, b) {
        return None;
    }
    let pairs = comparison.pairs;
    pairs.iter().all(|(a, b)| evaluates_no_more(known, a, b, true)).then_some(pairs)
}

/// Whether two blocks are the same as they are written, but for the variables that they define.
pub(super) fn identical(a: &Block, b: &Block) -> bool {
    let mut comparison = Comparison::default();
    comparison.blocks(a, b) && comparison.pairs.is_empty()
}

/// A walk over two blocks side by side.
#[derive(Default)]
struct Comparison {
    /// Variables of the second block, by those of the first that stand at their place.
    renamed: HashMap<VarId, VarId>,
    /// Expressions that must be equal.
    pairs: Vec<(Expr, Expr)>,
}

impl Comparison {
    /// Whether the blocks have the same statements up to expressions, which are collected.
    fn blocks(&mut self, a: &Block, b: &Block) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.statements(a, b))
    }

    fn statements(&mut self, a: &Stmt, b: &Stmt) -> bool {
        match (&a.kind, &b.kind) {
            (
                StmtKind::Store { buffer: x, indices: i, value: v },
                StmtKind::Store { buffer: y, indices: j, value: w },
            ) => x == y && self.all(i, j) && self.expressions(v, w),
            (StmtKind::Evaluate(v), StmtKind::Evaluate(w)) => self.expressions(v, w),
            (StmtKind::Bind { var: x, value: v }, StmtKind::Bind { var: y, value: w }) => {
                self.renamed.insert(*y, *x);
                self.expressions(v, w)
            }
            (StmtKind::For(x), StmtKind::For(y)) => {
                let steps = match (&x.step, &y.step) {
                    (None, None) => true,
                    (Some(s), Some(t)) => self.expressions(s, t),
                    _ => false,
                };
                let heads = x.kind == y.kind && x.annotations == y.annotations && steps;
                self.renamed.insert(y.var, x.var);
                heads
                    && self.expressions(&x.min, &y.min)
                    && self.expressions(&x.extent, &y.extent)
                    && self.blocks(&x.body, &y.body)
            }
            (
                StmtKind::If { cond: c, then: t, otherwise: e },
                StmtKind::If { cond: d, then: u, otherwise: f },
            ) => self.expressions(c, d) && self.blocks(t, u) && self.blocks(e, f),
            (StmtKind::While { cond: c, body: t }, StmtKind::While { cond: d, body: u }) => {
                self.expressions(c, d) && self.blocks(t, u)
            }
            (StmtKind::Break, StmtKind::Break) | (StmtKind::Continue, StmtKind::Continue) => true,
            (StmtKind::Return(v), StmtKind::Return(w)) => self.expressions(v, w),
            // What defines buffers or blocks is not compared.
            _ => false,
        }
    }

    fn all(&mut self, a: &[Expr], b: &[Expr]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.expressions(a, b))
    }

    /// Whether the expressions may be equal; collects them if that must be proven.
    fn expressions(&mut self, a: &Expr, b: &Expr) -> bool {
        let mut b = b.clone();
        self.rename(&mut b);
        if *a == b {
            return true;
        }
        let comparable = a.dtype == b.dtype && !a.has_effect() && !b.has_effect();
        self.pairs.push((a.clone(), b));
        comparable
    }

    fn rename(&self, e: &mut Expr) {
        if let ExprKind::Var(v) = &mut e.kind
            && let Some(x) = self.renamed.get(v)
        {
            *v = *x;
        }
        e.for_each_child_mut(|c| self.rename(c));
    }
}
