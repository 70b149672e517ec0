//! Is every rule sound? Tested by evaluation, and proven by an SMT solver.
//!
//! A rule is sound at given types if, for all values of its holes that satisfy its conditions, its right side is
//! defined wherever its left side is, with an equal value. A hole may also stand for something that traps; then the
//! conditions about it say nothing. Both directions of a `<=>` are checked.
//!
//! [`run`] tests: all values of narrow types and of small ranges, then random values and boundaries at full width.
//! [`prove`] asks z3, a program, about what the tests could not settle by trying everything.

mod brute;
mod domain;
mod eval;
mod report;
mod smt;
mod ty;

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

pub use brute::Effort;
pub use report::{Counterexample, InstanceReport, Proof, Report, RuleReport, Summary, Verdict};

#[doc(hidden)]
pub use smt::{Solver, SolverError, prove, prove_watched};

use super::ast::Rule;
use brute::Subject;

/// What `satir rules check` does.
///
/// ```
/// use satir::rules::check::{FULL, QUICK};
///
/// assert!(FULL.exhaustive >= QUICK.exhaustive && FULL.random >= QUICK.random);
/// ```
pub const FULL: Effort = Effort { exhaustive: 70_000, sampled: 12_000, random: 4_000 };

/// What the tests of this crate do.
///
/// ```
/// use satir::rules::{Rule, RuleSet, check};
///
/// let all = RuleSet::embedded()?;
/// let rules: Vec<&Rule> = all.all_rules().filter(|rule| &*rule.set == "identity").collect();
/// assert!(check::run(&rules, check::QUICK).is_ok());
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
pub const QUICK: Effort = Effort { exhaustive: 4_000, sampled: 4_000, random: 1_500 };

/// Tests each rule at all types that it claims.
///
/// ```
/// use satir::rules::{Rule, RuleSet, check};
///
/// let mut wrong = RuleSet::empty();
/// wrong.extend_with_text(
///     "wrong.rules",
///     "(rule round-trip \"loses the rest\" (types index) (=> (mul (floordiv ?x 4) 4) ?x))",
/// )?;
/// let rules: Vec<&Rule> = wrong.all_rules().collect();
/// assert!(!check::run(&rules, check::QUICK).is_ok());
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
pub fn run(rules: &[&Rule], effort: Effort) -> Report {
    run_watched(rules, effort, &|_, _| ())
}

/// Is told how far long work is: how many pieces are done, and how many there are as far as is known. Called from the threads
/// that do the work.
///
/// ```
/// use satir::rules::check::Watch;
///
/// let watch: Watch<'_> = &|done, all| eprintln!("{done} of {all}");
/// watch(1, 2);
/// ```
#[doc(hidden)]
pub type Watch<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// As [`run`]; `watch` is told when a rule is done.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use satir::rules::{Rule, RuleSet, check};
///
/// let all = RuleSet::embedded()?;
/// let rules: Vec<&Rule> = all.all_rules().take(3).collect();
/// let done = AtomicUsize::new(0);
/// check::run_watched(&rules, check::QUICK, &|_, all| {
///     assert_eq!(all, 3);
///     done.fetch_add(1, Ordering::Relaxed);
/// });
/// assert_eq!(done.into_inner(), 3);
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[doc(hidden)]
pub fn run_watched(rules: &[&Rule], effort: Effort, watch: Watch<'_>) -> Report {
    let done = AtomicUsize::new(0);
    let one = |rule: &&Rule| {
        let report = check(rule, effort);
        watch(done.fetch_add(1, Ordering::Relaxed) + 1, rules.len());
        report
    };
    Report { rules: rules.par_iter().map(one).collect() }
}

fn check(rule: &Rule, effort: Effort) -> RuleReport {
    let mut instances = Vec::new();
    for direction in rule.directions() {
        for at in ty::instances(rule) {
            let (verdict, tested) = brute::test(&Subject { rule, direction, at: &at }, effort);
            let types = at.to_string();
            instances.push(InstanceReport {
                types,
                reversed: direction.reversed,
                tested,
                verdict,
                proof: None,
            });
        }
    }
    RuleReport { rule: rule.name.to_string(), set: rule.set.to_string(), instances }
}

#[cfg(test)]
mod tests;
