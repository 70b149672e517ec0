//! What the decision procedure of `arith` says of a condition at a place.

use super::question::{self, MAX_FACTS, Question};
use crate::analysis::known::Known;
use crate::analysis::recall;
use crate::arith::linear::Prover;
use crate::ir::{DType, Expr};

/// The budget of one proof.
const FUEL: u64 = 10_000;

/// A prover that knows what `known` says.
pub(super) fn prover(known: &Known) -> Prover<'_> {
    let mut prover = Prover::with_values(&known.ranges, &known.values);
    for (cond, truth) in known.facts.iter() {
        prover.assume(cond, *truth);
    }
    prover
}

/// Whether a condition holds where `known` does, if that is proven. `possible`: it is known to hold for some values for
/// which `known` does.
pub(crate) fn prove(known: &Known, cond: &Expr, possible: bool) -> Option<bool> {
    if !is_decidable(cond) {
        return None;
    }
    let ask = |known: &Known| prover(known).decide_possible(cond, FUEL, possible);
    // Facts that have nothing to do with the condition may contradict each other, which decides it too; of many, only those that
    // have are looked at.
    if known.facts.len() > MAX_FACTS { ask(&question::about(known, &[cond])) } else { ask(known) }
}

/// Whether a condition is proven to hold where `known` does. While a search runs, the same is asked once.
pub(crate) fn holds(known: &Known, cond: &Expr) -> bool {
    if !is_decidable(cond) {
        return false;
    }
    let ask = || {
        let known = question::about(known, &[cond]);
        prover(&known).decides(cond, true, FUEL)
    };
    if recall::keeps() { recall::answer(&Question::new(known, cond).0, |_| ask()) } else { ask() }
}

fn is_decidable(cond: &Expr) -> bool {
    cond.dtype == DType::BOOL && !cond.has_effect()
}
