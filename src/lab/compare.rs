//! Two sets of rules, or two engines, over the same programs.
//!
//! Times are of pairs of runs that follow each other, in turns the first set first and the second set first: what slows the
//! machine slows both. Of the pairs the median counts.

use rayon::prelude::*;
use serde::Serialize;

use std::sync::Arc;
use std::time::Duration;

use super::{Program, Trial, dearer, geometric_mean, micros, try_rules};
use crate::cse::Options;
use crate::egraph::TheoryLevel;
use crate::error::Error;
use crate::rewrite::Rewrites;
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
    /// Time with the second set in parts of the first's: of each program the median of pairs of runs, over the programs the
    /// geometric mean.
    pub time_ratio: f64,
    /// The least and the greatest of such a mean over one pair of runs for each program: how sure the time is.
    pub time_range: (f64, f64),
    /// Whether both are the same rules in the same engine: what differs in time then is noise.
    pub same: bool,
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
    /// Time with the first set, in microseconds: the median of all runs.
    pub time_a_us: u64,
    /// Time with the second set, in microseconds: the median of all runs.
    pub time_b_us: u64,
    /// Time with the second set in parts of the first's: the median of pairs of runs.
    pub time_ratio: f64,
}

/// Rules in an engine that decides so much of arithmetic without them.
///
/// ```
/// use satir::eqsat::TheoryLevel;
/// use satir::lab::Engine;
/// use satir::rules::RuleSet;
///
/// let engine = Engine { rules: RuleSet::embedded()?, theory: TheoryLevel::None };
/// assert!(engine != Engine { theory: TheoryLevel::Full, ..engine.clone() });
/// # Ok::<(), satir::rules::RulesError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Engine {
    /// The rules.
    pub rules: RuleSet,
    /// What is decided without them.
    pub theory: TheoryLevel,
}

impl Engine {
    /// The options with this engine's theory.
    fn options(&self, options: &Options) -> Options {
        let rewrites = Arc::new(Rewrites::embedded().with_theory(self.theory));
        Options { rewrites, ..options.clone() }
    }
}

/// Runs each program with both sets, in the engine of the options.
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
    let engine = |rules: &RuleSet| Engine { rules: rules.clone(), theory: options.rewrites.theory() };
    compare_engines(programs, &engine(a), &engine(b), options, 1)
}

/// Runs each program with both engines so many times.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::eqsat::TheoryLevel;
/// use satir::lab::{Engine, Program, compare_engines};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x * 4 // 4] = x\n")?;
/// let plain = Engine { rules: RuleSet::empty(), theory: TheoryLevel::None };
/// let full = Engine { theory: TheoryLevel::Full, ..plain.clone() };
/// let comparison = compare_engines(&[Program::new("p", module)], &plain, &full, &Options::default(), 3)?;
/// assert_eq!((comparison.cheaper, comparison.same), (1, false), "the theory divides without rules");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compare_engines(
    programs: &[Program],
    a: &Engine,
    b: &Engine,
    options: &Options,
    repeats: usize,
) -> Result<Comparison, Error> {
    let (options_a, options_b) = (a.options(options), b.options(options));
    let run = |program: &Program| -> Result<(ProgramComparison, Vec<f64>), Error> {
        let mut first: Option<(Trial, Trial)> = None;
        let mut pairs = Vec::with_capacity(repeats.max(1));
        for turn in 0..repeats.max(1) {
            let run_a = || try_rules(program, &a.rules, &options_a);
            let run_b = || try_rules(program, &b.rules, &options_b);
            let (a, b) = if turn % 2 == 0 {
                let a = run_a()?;
                (a, run_b()?)
            } else {
                let b = run_b()?;
                (run_a()?, b)
            };
            pairs.push((a.time, b.time));
            first.get_or_insert((a, b));
        }
        let ratios: Vec<f64> = pairs.iter().map(|&(a, b)| ratio_of(a, b)).collect();
        let cost = |of: fn(&(Trial, Trial)) -> f64| first.as_ref().map_or(0.0, of);
        let time = |of: fn(&(Duration, Duration)) -> Duration| {
            micros(Duration::from_secs_f64(median(pairs.iter().map(|pair| of(pair).as_secs_f64()))))
        };
        let line = ProgramComparison {
            program: program.name.clone(),
            before: cost(|(a, _)| a.before),
            cost_a: cost(|(a, _)| a.after),
            cost_b: cost(|(_, b)| b.after),
            time_a_us: time(|pair| pair.0),
            time_b_us: time(|pair| pair.1),
            time_ratio: median(ratios.iter().copied()),
        };
        Ok((line, ratios))
    };
    let done: Vec<_> = programs.par_iter().map(run).collect::<Result<_, Error>>()?;
    let (lines, ratios): (Vec<ProgramComparison>, Vec<Vec<f64>>) = done.into_iter().unzip();
    let of_turn = |turn: usize| geometric_mean(ratios.iter().map(move |of_program| of_program[turn]));
    let turns: Vec<f64> = (0..repeats.max(1)).map(of_turn).collect();
    let ratio = |l: &ProgramComparison| if l.cost_a > 0.0 { l.cost_b / l.cost_a } else { 1.0 };
    let used = |engine: &Engine| -> Vec<_> {
        engine.rules.used_without_theory(options.fast_math).cloned().collect()
    };
    Ok(Comparison {
        cost_ratio: geometric_mean(lines.iter().map(ratio)),
        time_ratio: geometric_mean(lines.iter().map(|line| line.time_ratio)),
        time_range: (
            turns.iter().copied().fold(f64::INFINITY, f64::min),
            turns.iter().copied().fold(0.0, f64::max),
        ),
        same: a.theory == b.theory && used(a) == used(b),
        cheaper: lines.iter().filter(|l| dearer(l.cost_a, l.cost_b)).count(),
        dearer: lines.iter().filter(|l| dearer(l.cost_b, l.cost_a)).count(),
        programs: lines,
    })
}

/// The second time in parts of the first.
fn ratio_of(a: Duration, b: Duration) -> f64 {
    let least = Duration::from_nanos(1);
    b.max(least).as_secs_f64() / a.max(least).as_secs_f64()
}

/// The middle value; the mean of the two in the middle of an even number; 1 of none.
pub(super) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.get(middle) {
        None => 1.0,
        Some(&value) if values.len() % 2 == 1 => value,
        Some(&value) => f64::midpoint(values[middle - 1], value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slow_run_does_not_count() {
        assert_eq!(median([1.0, 9.0, 1.1].into_iter()), 1.1);
        assert_eq!(median([2.0, 1.0].into_iter()), 1.5);
        assert_eq!(median([].into_iter()), 1.0);
    }
}
