//! What holds in the whole function, and what it decides: conditions that speak of nothing but parameters and sizes are
//! decided once, wherever they stand.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::prove::prove;
use super::sample::{Sampler, Samples};
use crate::analysis::known::Known;
use crate::ir::{Expr, ExprKind, VarId};

/// What holds wherever the function is.
#[derive(Debug, Default)]
pub(super) struct Base {
    known: Known,
    /// The variables that a caller gives values to, sorted.
    parameters: Vec<VarId>,
    answers: RefCell<HashMap<Expr, Option<bool>>>,
}

impl Base {
    /// `known` holds in the whole function, whose parameters are given in order.
    pub(super) fn new(known: Known, parameters: Vec<VarId>) -> Base {
        Base { known, parameters, answers: RefCell::default() }
    }

    /// Whether a condition holds in the whole function, if that is proven and it speaks of nothing else.
    pub(super) fn decide(&self, sampler: &Sampler, cond: &Expr) -> Option<bool> {
        if !self.speaks_of_parameters(cond) {
            return None;
        }
        if let Some(&answer) = self.answers.borrow().get(cond) {
            return answer;
        }
        let samples = Samples::new(sampler, &self.known, self.known.facts.len());
        let answer =
            if samples.varies(cond) { None } else { prove(&self.known, cond, samples.satisfy(cond)) };
        self.answers.borrow_mut().insert(cond.clone(), answer);
        answer
    }

    fn speaks_of_parameters(&self, e: &Expr) -> bool {
        let mut speaks = !self.parameters.is_empty();
        e.walk(&mut |e| {
            speaks &= match &e.kind {
                ExprKind::Var(v) => self.parameters.binary_search(v).is_ok(),
                ExprKind::Call(call) => call.is_lazy_select(),
                ExprKind::Int(_)
                | ExprKind::Binary(..)
                | ExprKind::Not(_)
                | ExprKind::Select(..)
                | ExprKind::Cast(_) => true,
                _ => false,
            };
        });
        speaks
    }
}
