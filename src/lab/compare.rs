//! Two sets of rules over the same programs.

use rayon::prelude::*;
use serde::Serialize;

use super::{Program, dearer, geometric_mean, micros, try_rules};
use crate::cse::Options;
use crate::error::Error;
use crate::rules::RuleSet;

/// Two sets of rules over the same programs.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, compare};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let programs = [Program::new("p", module)];
/// let comparison = compare(&programs, &RuleSet::empty(), &rules, &Options::default())?;
/// assert!(comparison.cost_ratio < 1.0, "with the rule it is cheaper");
/// assert_eq!(comparison.cheaper + comparison.dearer, comparison.programs.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Comparison {
    /// A line for each program.
    pub programs: Vec<ProgramComparison>,
    /// Geometric mean of the second set's costs in parts of the first's.
    pub cost_ratio: f64,
    /// Total time with the second set in parts of the first's.
    pub time_ratio: f64,
    /// In how many programs the second set is cheaper.
    pub cheaper: usize,
    /// In how many it is dearer.
    pub dearer: usize,
}

/// Two sets of rules on one program.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, compare};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let programs = [Program::new("p", module)];
/// let comparison = compare(&programs, &RuleSet::empty(), &rules, &Options::default())?;
/// let line = &comparison.programs[0];
/// assert_eq!(line.program, "p");
/// assert!(line.cost_b < line.cost_a && line.cost_a <= line.before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProgramComparison {
    /// Its name.
    pub program: String,
    /// Cost of the input.
    pub before: f64,
    /// Cost of the result with the first set.
    pub cost_a: f64,
    /// Cost of the result with the second set.
    pub cost_b: f64,
    /// Time with the first set, in microseconds.
    pub time_a_us: u64,
    /// Time with the second set, in microseconds.
    pub time_b_us: u64,
}

/// Runs each program with both sets.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, compare};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let programs = [Program::new("p", module)];
/// let comparison = compare(&programs, &RuleSet::empty(), &rules, &Options::default())?;
/// assert_eq!((comparison.cheaper, comparison.dearer), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare(
    programs: &[Program],
    a: &RuleSet,
    b: &RuleSet,
    options: &Options,
) -> Result<Comparison, Error> {
    let lines: Vec<ProgramComparison> = programs
        .par_iter()
        .map(|program| {
            let (a, b) = (try_rules(program, a, options)?, try_rules(program, b, options)?);
            Ok(ProgramComparison {
                program: program.name.clone(),
                before: a.before,
                cost_a: a.after,
                cost_b: b.after,
                time_a_us: micros(a.time),
                time_b_us: micros(b.time),
            })
        })
        .collect::<Result<_, Error>>()?;
    let time = |of: fn(&ProgramComparison) -> u64| lines.iter().map(of).sum::<u64>().max(1) as f64;
    let ratio = |l: &ProgramComparison| if l.cost_a > 0.0 { l.cost_b / l.cost_a } else { 1.0 };
    Ok(Comparison {
        cost_ratio: geometric_mean(lines.iter().map(ratio)),
        time_ratio: time(|l| l.time_b_us) / time(|l| l.time_a_us),
        cheaper: lines.iter().filter(|l| dearer(l.cost_a, l.cost_b)).count(),
        dearer: lines.iter().filter(|l| dearer(l.cost_b, l.cost_a)).count(),
        programs: lines,
    })
}
