//! Proofs by an SMT solver, as a program: each rule at each type becomes a question in SMT-LIB, asking for values for
//! which the rule is wrong.
//!
//! - [`encode`]: the question. Index types are integers without bounds, types that wrap are bit-vectors, floats are
//!   IEEE floats, floats of `(fast-math)` rules are reals.
//! - [`linear`]: the question with products as unknown numbers, which is often enough and much easier.
//! - [`solver`]: asks z3.
//!
//! What the solver is asked differs from what is tested in one point: that an index type overflows on the right where
//! it does not on the left is tested only.

mod encode;
mod linear;
mod solver;
mod terms;

use super::Watch;
use super::report::{InstanceReport, Proof, Report, Verdict};
use super::ty::{self, Instance};
use crate::rules::ast::{Direction, Rule};
use terms::{Repr, Style};

pub use crate::smt::{Solver, SolverError};

/// Asks the solver about every instance in the report of these rules that is not settled by testing all its values,
/// and adds what it says.
///
/// # Errors
///
/// If the solver cannot be run. That it cannot decide is no error.
///
/// ```
/// use satir::rules::{Rule, RuleSet, check};
///
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let rules: Vec<&Rule> = rules.all_rules().collect();
/// let mut report = check::run(&rules, check::QUICK);
/// if let Ok(solver) = check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()) {
///     check::prove(&rules, &mut report, &solver)?;
///     assert!(report.rules[0].instances.iter().all(|instance| instance.is_proven()));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove(rules: &[&Rule], report: &mut Report, solver: &Solver) -> Result<(), SolverError> {
    prove_watched(rules, report, solver, &|_, _| ())
}

/// As [`prove`]; `watch` is told when questions are answered. There may be more of them than at first: what the solver cannot
/// decide it is asked in another way.
///
/// # Errors
///
/// If the solver cannot be run.
///
/// ```
/// use satir::rules::{Rule, RuleSet, check};
///
/// let rules = RuleSet::embedded()?;
/// let rules: Vec<&Rule> = rules.all_rules().take(1).collect();
/// let mut report = check::run(&rules, check::QUICK);
/// if let Ok(solver) = check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()) {
///     check::prove_watched(&rules, &mut report, &solver, &|done, all| assert!(done <= all))?;
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn prove_watched(
    rules: &[&Rule],
    report: &mut Report,
    solver: &Solver,
    watch: Watch<'_>,
) -> Result<(), SolverError> {
    let mut open = open_instances(rules, report);
    let mut before = 0;
    for attempt in 0.. {
        open.retain(|o| attempt < o.ways.len());
        if open.is_empty() {
            return Ok(());
        }
        let mut questions = Vec::new();
        let mut asked = Vec::new();
        for (i, o) in open.iter().enumerate() {
            match encode::question(o.rule, o.direction, &o.at, o.ways[attempt]) {
                Ok(question) => {
                    questions.push(question);
                    asked.push(i);
                }
                Err(why) => o.record(report, Proof::Undecided(why.to_owned())),
            }
        }
        let mut settled = vec![false; open.len()];
        let all = before + questions.len();
        let answers = solver::ask(solver, &questions, &|answered| watch(before + answered, all))?;
        before = all;
        for (i, proof) in asked.into_iter().zip(answers) {
            let o = &open[i];
            let opaque = matches!(o.ways[attempt].0, Style::Opaque | Style::Linear);
            settled[i] = match proof {
                Proof::Proven => true,
                Proof::Refuted(_) => !opaque,
                Proof::Undecided(_) => false,
            };
            // A counterexample with unknown functions says nothing, and there is a further way to ask.
            if settled[i] || !opaque {
                o.record(report, proof);
            }
        }
        let mut settled = settled.into_iter();
        open.retain(|_| !settled.next().unwrap_or(true));
    }
    Ok(())
}

/// An instance that is neither proven nor refuted.
struct Open<'a> {
    rule: &'a Rule,
    direction: Direction<'a>,
    at: Instance,
    /// Where it is in the report.
    place: (usize, usize),
    ways: Vec<(Style, Repr)>,
}

impl Open<'_> {
    fn record(&self, report: &mut Report, proof: Proof) {
        let (r, i) = self.place;
        if let Some(instance) = report.rules.get_mut(r).and_then(|rule| rule.instances.get_mut(i)) {
            instance.proof = Some(proof);
        }
    }
}

fn open_instances<'a>(rules: &[&'a Rule], report: &Report) -> Vec<Open<'a>> {
    let mut open = Vec::new();
    for (r, rule) in rules.iter().enumerate() {
        let Some(found) = report.rules.get(r) else { continue };
        for direction in rule.directions() {
            for at in ty::instances(rule) {
                let types = at.to_string();
                let same = |i: &InstanceReport| i.types == types && i.reversed == direction.reversed;
                let Some(i) = found.instances.iter().position(same) else { continue };
                let ways = encode::ways(rule, direction, &at);
                if found.instances[i].verdict != Verdict::Exhausted && !ways.is_empty() {
                    open.push(Open { rule, direction, at, place: (r, i), ways });
                }
            }
        }
    }
    open
}
