//! Conditions that the decision procedure settles at their place, and what follows for the expressions around
//! them: a decided condition is a constant, a minimum is the argument proven smaller, a choice its taken arm. Sample
//! points show most of those that cannot be settled without a proof being tried.

use hashbrown::HashMap;

use super::engine::Engine;
use super::prove::prove;
use super::question::{self, Question};
use super::sample::Samples;
use super::signs;
use crate::analysis::known::Known;
use crate::ir::{BinOp, DType, Expr, ExprKind};

/// How many nodes of one expression are put to the prover, those of nested conditions each time.
const MAX_NODES: usize = 4_000;

/// As [`prove`], of the same question only once. `samples` are points at which `known` holds.
pub(super) fn decide(engine: &Engine<'_>, known: &Known, samples: &Samples<'_>, cond: &Expr) -> Option<bool> {
    let (question, _) = Question::new(known, cond);
    if let Some(&answer) = engine.answers.decided.borrow().get(&question) {
        return answer;
    }
    let answer = prove(&question::about(known, &[cond]), cond, samples.satisfy(cond));
    engine.answers.decided.borrow_mut().insert(question, answer);
    answer
}

/// Settles what can be settled in the expressions. Returns how many subexpressions were replaced.
pub(super) fn settle<'a>(engine: &'a Engine<'a>, known: &'a Known, roots: &mut [&mut Expr]) -> usize {
    let mut shared = None;
    let mut replaced = 0;
    for e in roots {
        let (mut found, mut size) = (false, 0);
        e.walk(&mut |e| {
            found |= is_question(e);
            size += 1;
        });
        if found && size <= MAX_NODES && !e.has_effect() {
            let settler = shared.get_or_insert_with(|| Settler {
                known,
                samples: Samples::new(&engine.sampler, known, known.facts.len()),
                engine,
                answers: HashMap::new(),
                left: MAX_NODES,
            });
            settler.left = MAX_NODES;
            replaced += settler.settle(e);
        }
    }
    replaced
}

/// Whether an expression is one that a proof may settle.
fn is_question(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Binary(op, a, _) => {
            a.dtype.is_scalar()
                && !a.dtype.is_float()
                && (op.is_compare() || op.is_logic() || matches!(op, BinOp::Min | BinOp::Max))
        }
        ExprKind::Not(a) => a.dtype.is_scalar(),
        ExprKind::Select(select) => select.cond.dtype.is_scalar(),
        ExprKind::Call(call) => call.is_lazy_select(),
        _ => false,
    }
}

struct Settler<'a> {
    known: &'a Known,
    samples: Samples<'a>,
    engine: &'a Engine<'a>,
    /// What was decided before: copies of an expression are often neighbours.
    answers: HashMap<Expr, Option<bool>>,
    /// How many more nodes are put to the prover.
    left: usize,
}

impl Settler<'_> {
    fn settle(&mut self, e: &mut Expr) -> usize {
        if is_question(e) {
            let mut size = 0;
            e.walk(&mut |_| size += 1);
            if size > self.left {
                return 0;
            }
            self.left -= size;
            if let Some(settled) = self.settled(e) {
                *e = settled;
                return 1 + self.settle(e);
            }
        }
        let mut replaced = 0;
        e.for_each_child_mut(|child| replaced += self.settle(child));
        replaced
    }

    /// What a subexpression that has no effect is, if that is settled.
    fn settled(&mut self, e: &Expr) -> Option<Expr> {
        let arm = |taken: bool, a: &Expr, b: &Expr| if taken { a.clone() } else { b.clone() };
        match &e.kind {
            _ if e.dtype == DType::BOOL => self.decide(e).map(Expr::bool),
            ExprKind::Binary(op @ (BinOp::Min | BinOp::Max), a, b) if !e.dtype.is_float() => {
                let mut below = |x: &Expr, y: &Expr| {
                    let below = Expr::binary(BinOp::Le, x.clone(), y.clone());
                    if below.dtype == DType::BOOL { self.decide(&below) } else { None }
                };
                let a_is_least = below(a, b).or_else(|| (below(b, a)?).then_some(false))?;
                Some(arm(a_is_least == (*op == BinOp::Min), a, b))
            }
            ExprKind::Select(select) if select.cond.dtype == DType::BOOL => {
                Some(arm(self.decide(&select.cond)?, &select.then, &select.otherwise))
            }
            ExprKind::Call(call) if call.is_lazy_select() => {
                let [cond, a, b] = &call.args[..] else { return None };
                (cond.dtype == DType::BOOL).then(|| Some(arm(self.decide(cond)?, a, b)))?
            }
            _ => None,
        }
    }

    fn decide(&mut self, cond: &Expr) -> Option<bool> {
        if let Some(&answer) = self.answers.get(cond) {
            return answer;
        }
        let answer = if self.samples.varies(cond) {
            None
        } else {
            let everywhere = self.engine.base.decide(&self.engine.sampler, cond);
            everywhere.or_else(|| self.decide_by_parts(cond))
        };
        self.answers.insert(cond.clone(), answer);
        answer
    }

    /// Decides a conjunction by its parts, as far as that goes: it holds where both do. A disjunction fails where both do.
    fn decide_by_parts(&mut self, cond: &Expr) -> Option<bool> {
        if let ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) = &cond.kind {
            let of_both = *op == BinOp::And;
            let parts = [self.decide(a), self.decide(b)];
            if parts.contains(&Some(!of_both)) {
                return Some(!of_both);
            }
            if parts == [Some(of_both); 2] {
                return Some(of_both);
            }
            // Parts that cannot hold together are all that is left.
            if self.samples.refute(cond, !of_both) {
                return None;
            }
        }
        if signs::holds_by_signs(self.known, cond) {
            return Some(true);
        }
        decide(self.engine, self.known, &self.samples, cond)
    }
}
