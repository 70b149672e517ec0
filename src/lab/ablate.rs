//! What happens without a rule or a set, and which few rules are enough.

use std::collections::BTreeSet;

use rayon::prelude::*;
use serde::Serialize;

use super::{Program, Trial, dearer, geometric_mean, micros, try_rules, without};
use crate::cse::Options;
use crate::error::Error;
use crate::rules::{Rule, RuleSet};

/// What is left out at a time.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, Unit, ablate};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let programs = [Program::new("p", module)];
/// let by = |unit| ablate(&programs, &rules, &Options::default(), unit).map(|a| a.units[0].name.clone());
/// assert_eq!((by(Unit::Rule)?, by(Unit::Set)?), ("same".to_owned(), "my".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// One rule.
    Rule,
    /// One set: the rules of a file.
    Set,
}

impl Unit {
    fn name(self, rule: &Rule) -> &str {
        match self {
            Unit::Rule => &rule.name,
            Unit::Set => &rule.set,
        }
    }
}

/// What happens without each unit.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, Unit, ablate};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let ablation = ablate(&[Program::new("p", module)], &rules, &Options::default(), Unit::Rule)?;
/// for unit in ablation.units.iter().filter(|unit| !unit.never_pays()) {
///     println!("without `{}` results cost {:.2} times as much", unit.name, unit.cost_without);
/// }
/// assert_eq!((ablation.programs, ablation.units.len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ablation {
    /// What was left out at a time.
    pub by: Unit,
    /// How many programs there are.
    pub programs: usize,
    /// Geometric mean of the results' costs in parts of the inputs', with all rules.
    pub ratio: f64,
    /// A line for each unit, the most useful first.
    pub units: Vec<UnitReport>,
}

/// What happens without one unit.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, Unit, ablate};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// rules.extend_with_text("idle.rules", "(rule idle \"bits\" (types int) (=> (bitwise_or ?x ?x) ?x))")?;
/// let ablation = ablate(&[Program::new("p", module)], &rules, &Options::default(), Unit::Rule)?;
/// let [same, idle] = &ablation.units[..] else { panic!("two rules") };
/// assert!(same.cost_without > 1.0 && !same.never_pays(), "the most useful first");
/// assert!(idle.used_in == 0 && idle.never_pays());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct UnitReport {
    /// Name of the rule or set.
    pub name: String,
    /// How many rules of it the engine uses.
    pub rules: usize,
    /// In how many programs it united classes. Elsewhere nothing changes without it.
    pub used_in: usize,
    /// Programs that get dearer without it.
    pub dearer: Vec<String>,
    /// Programs that get cheaper without it.
    pub cheaper: Vec<String>,
    /// By how much results get dearer without it: geometric mean over all programs.
    pub cost_without: f64,
    /// Time without it in parts of the time with it, over the programs in which it did something.
    pub time_without: f64,
    /// Time that goes into matching it, in microseconds.
    pub match_time_us: u64,
}

impl UnitReport {
    /// Whether no program gets dearer without it.
    ///
    /// ```
    /// use satir::cse::Options;
    /// use satir::lab::{Program, Unit, ablate};
    /// use satir::rules::RuleSet;
    ///
    /// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
    /// let ablation = ablate(&[Program::new("p", module)], &RuleSet::embedded()?, &Options::default(), Unit::Set)?;
    /// let idle = ablation.units.iter().filter(|unit| unit.never_pays()).count();
    /// assert!(idle > 10, "one operation needs one set at most");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn never_pays(&self) -> bool {
        self.dearer.is_empty()
    }
}

/// Runs each program with all rules, and without each unit that did something in it.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, Unit, ablate};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let ablation = ablate(&[Program::new("p", module)], &rules, &Options::default(), Unit::Rule)?;
/// assert_eq!(ablation.units[0].dearer, ["p"]);
/// assert!(!ablation.units[0].never_pays());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ablate(programs: &[Program], rules: &RuleSet, options: &Options, by: Unit) -> Result<Ablation, Error> {
    let trials = all_trials(programs, rules, options)?;
    let engine = engine_rules(rules, &trials);
    let mut names: Vec<&str> = Vec::new();
    for rule in &engine {
        if !names.contains(&by.name(rule)) {
            names.push(by.name(rule));
        }
    }
    let report = |name: &&str| {
        let members: Vec<&str> = engine.iter().filter(|r| by.name(r) == *name).map(|r| &*r.name).collect();
        let rest = without(rules, |rule| by.name(rule) == *name);
        let used: Vec<usize> =
            (0..programs.len()).filter(|&p| members.iter().any(|rule| trials[p].uses(rule))).collect();
        let mut out = UnitReport {
            name: (*name).to_owned(),
            rules: members.len(),
            used_in: used.len(),
            dearer: Vec::new(),
            cheaper: Vec::new(),
            cost_without: 1.0,
            time_without: 1.0,
            match_time_us: micros(
                trials
                    .iter()
                    .flat_map(|t| &t.uses)
                    .filter(|u| members.contains(&u.rule.as_str()))
                    .map(|u| u.time)
                    .sum(),
            ),
        };
        let (mut logs, mut with_time, mut without_time) = (0.0, 0.0, 0.0);
        for p in used {
            let (with, trial) = (&trials[p], try_rules(&programs[p], &rest, options)?);
            if dearer(trial.after, with.after) {
                out.dearer.push(programs[p].name.clone());
            } else if dearer(with.after, trial.after) {
                out.cheaper.push(programs[p].name.clone());
            }
            if with.after > 0.0 && trial.after > 0.0 {
                logs += (trial.after / with.after).ln();
            }
            with_time += with.time.as_secs_f64();
            without_time += trial.time.as_secs_f64();
        }
        out.cost_without = (logs / programs.len().max(1) as f64).exp();
        if with_time > 0.0 {
            out.time_without = without_time / with_time;
        }
        Ok(out)
    };
    let mut units: Vec<UnitReport> = names.par_iter().map(report).collect::<Result<_, Error>>()?;
    units.sort_by(|a, b| b.cost_without.total_cmp(&a.cost_without).then(b.used_in.cmp(&a.used_in)));
    let ratio = geometric_mean(trials.iter().map(Trial::ratio));
    Ok(Ablation { by, programs: programs.len(), ratio, units })
}

/// A set of rules as small as can be found by leaving out more and more, with which no program's result is dearer
/// than with all of them. In the order of the rule files.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, smallest};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// rules.extend_with_text("idle.rules", "(rule idle \"bits\" (types int) (=> (bitwise_or ?x ?x) ?x))")?;
/// let enough = smallest(&[Program::new("p", module)], &rules, &Options::default())?;
/// assert_eq!(enough, ["same"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn smallest(programs: &[Program], rules: &RuleSet, options: &Options) -> Result<Vec<String>, Error> {
    let mut trials = all_trials(programs, rules, options)?;
    let costs: Vec<f64> = trials.iter().map(|t| t.after).collect();
    let engine: Vec<String> = engine_rules(rules, &trials).iter().map(|rule| rule.name.to_string()).collect();
    let mut kept: BTreeSet<&str> = engine.iter().map(String::as_str).collect();
    // Rules that did little first: they are the likely ones.
    let unions = |name: &str| -> u64 {
        trials.iter().flat_map(|t| &t.uses).filter(|u| u.rule == name).map(|u| u.unions).sum()
    };
    let mut candidates: Vec<&str> = engine.iter().map(String::as_str).collect();
    candidates.sort_by_key(|name| unions(name));
    let mut size = candidates.len();
    while size > 0 {
        let mut left: Vec<&str> = candidates.iter().copied().filter(|c| kept.contains(c)).collect();
        while !left.is_empty() {
            let chunk: Vec<&str> = left.drain(..size.min(left.len())).collect();
            let rest: BTreeSet<&str> = kept.iter().copied().filter(|name| !chunk.contains(name)).collect();
            let mut subset = rules.clone();
            subset.keep_only(|rule| rest.contains(&*rule.name));
            let affected: Vec<usize> =
                (0..programs.len()).filter(|&p| chunk.iter().any(|rule| trials[p].uses(rule))).collect();
            let tried: Vec<Option<Trial>> = affected
                .par_iter()
                .map(|&p| {
                    let trial = try_rules(&programs[p], &subset, options)?;
                    Ok((!dearer(trial.after, costs[p])).then_some(trial))
                })
                .collect::<Result<_, Error>>()?;
            if let Some(fine) = tried.into_iter().collect::<Option<Vec<Trial>>>() {
                for (p, trial) in affected.into_iter().zip(fine) {
                    trials[p] = trial;
                }
                kept = rest;
            }
        }
        size /= 2;
    }
    Ok(engine.iter().filter(|name| kept.contains(name.as_str())).cloned().collect())
}

fn all_trials(programs: &[Program], rules: &RuleSet, options: &Options) -> Result<Vec<Trial>, Error> {
    programs.par_iter().map(|p| try_rules(p, rules, options)).collect()
}

/// The rules that are on and that the engine uses.
fn engine_rules<'r>(rules: &'r RuleSet, trials: &[Trial]) -> Vec<&'r Rule> {
    let Some(first) = trials.first() else { return Vec::new() };
    rules.rules().filter(|rule| first.uses.iter().any(|u| *u.rule == *rule.name)).collect()
}
