//! What each rule does over a set of programs, and what their results owe to it.

use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;
use rayon::prelude::*;
use serde::Serialize;

use super::{Program, Trial, dearer, geometric_mean, micros, try_rules, without};
use crate::cse::Options;
use crate::error::Error;
use crate::rewrite::{UnionCount, UnionKind};
use crate::rules::RuleSet;
use crate::rules::check::Watch;

/// What rules did.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, stats};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let stats = stats(&[Program::new("p", module)], &rules, &Options::default())?;
/// assert!(stats.ratio < stats.ratio_without_rules, "the rule pays");
/// assert_eq!((stats.programs.len(), stats.rules.len()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// A line for each program.
    pub programs: Vec<ProgramStats>,
    /// A line for each rule that the engine uses, in the order of the rule files.
    pub rules: Vec<RuleStats>,
    /// How many unions were made for each reason, by rules and by the theory, the most first.
    pub unions: Vec<UnionCount>,
    /// Geometric mean of the results' costs in parts of the inputs'.
    pub ratio: f64,
    /// The same without any rule: what arithmetic, sharing and placement reach by themselves.
    pub ratio_without_rules: f64,
}

/// A program under all rules.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, stats};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let stats = stats(&[Program::new("p", module)], &rules, &Options::default())?;
/// let line = &stats.programs[0];
/// assert_eq!(line.program, "p");
/// assert!(line.after < line.without_rules && line.without_rules <= line.before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ProgramStats {
    /// Its name.
    pub program: String,
    /// Cost of the input.
    pub before: f64,
    /// Cost of the result.
    pub after: f64,
    /// Cost of the result without any rule.
    pub without_rules: f64,
    /// Time of the optimization, in microseconds.
    pub time_us: u64,
}

/// A rule over all programs.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, stats};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let stats = stats(&[Program::new("p", module)], &rules, &Options::default())?;
/// let line = &stats.rules[0];
/// assert_eq!((&*line.rule, &*line.set), ("same", "my"));
/// assert!(line.unions >= 1 && line.matches >= line.unions);
/// assert_eq!((line.needed_by, line.harms), (1, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RuleStats {
    /// Its name.
    pub rule: String,
    /// Its set.
    pub set: String,
    /// In how many programs it united classes.
    pub programs: usize,
    /// How often it matched with its conditions proven.
    pub matches: u64,
    /// How often that united two classes that were not one yet.
    pub unions: u64,
    /// In how many programs the result is dearer without it.
    pub needed_by: usize,
    /// In how many programs the result is cheaper without it: the search took a worse turn because of it.
    pub harms: usize,
    /// By how much results get dearer without it: geometric mean over all programs, 1 for not at all.
    pub cost_without: f64,
    /// Time that went into matching it, in microseconds.
    pub time_us: u64,
}

/// Runs each program with all rules, without any, and without each single rule that did something in it.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, stats};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let mut rules = RuleSet::empty();
/// rules.extend_with_text("my.rules", "(rule same \"equal bits\" (types int) (=> (bitwise_and ?x ?x) ?x))")?;
/// let stats = stats(&[Program::new("p", module)], &rules, &Options::default())?;
/// assert_eq!((&*stats.rules[0].rule, stats.rules[0].programs), ("same", 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stats(programs: &[Program], rules: &RuleSet, options: &Options) -> Result<Stats, Error> {
    stats_watched(programs, rules, options, &|_, _| ())
}

/// As [`stats`]; `watch` is told when programs are done. How often they are run is known after the first time.
///
/// # Errors
///
/// If a program is not well-formed.
///
/// ```
/// use satir::cse::Options;
/// use satir::lab::{Program, stats_watched};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = T.bitwise_and(x, x) * 5\n")?;
/// let watch = |done, all| assert!(done <= all);
/// stats_watched(&[Program::new("p", module)], &RuleSet::embedded()?, &Options::default(), &watch)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn stats_watched(
    programs: &[Program],
    rules: &RuleSet,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Stats, Error> {
    let none = without(rules, |_| true);
    let done = AtomicUsize::new(0);
    let step = |all: usize| watch(done.fetch_add(1, Ordering::Relaxed) + 1, all);
    let trials: Vec<(Trial, Trial)> = programs
        .par_iter()
        .map(|p| {
            let both = (try_rules(p, rules, options)?, try_rules(p, &none, options)?);
            step(programs.len());
            Ok(both)
        })
        .collect::<Result<_, Error>>()?;
    let used: Vec<(usize, &str)> = trials
        .iter()
        .enumerate()
        .flat_map(|(p, (t, _))| t.uses.iter().filter(|u| u.unions > 0).map(move |u| (p, u.rule.as_str())))
        .collect();
    let costs: Vec<f64> = used
        .par_iter()
        .map(|&(p, rule)| {
            let rest = without(rules, |r| &*r.name == rule);
            let after = try_rules(&programs[p], &rest, options)?.after;
            step(programs.len() + used.len());
            Ok(after)
        })
        .collect::<Result<_, Error>>()?;
    let line = |name: &str, set: &str| {
        let all = trials.iter().filter_map(|(t, _)| t.uses.iter().find(|u| u.rule == name));
        let left_out: Vec<(f64, f64)> = used
            .iter()
            .zip(&costs)
            .filter(|((_, rule), _)| *rule == name)
            .map(|((p, _), cost)| (trials[*p].0.after, *cost))
            .collect();
        let ratios = left_out.iter().map(|(with, out)| if *with > 0.0 { out / with } else { 1.0 });
        // Where the rule did nothing the ratio is 1.
        let product: f64 = ratios.filter(|r| *r > 0.0).map(f64::ln).sum();
        RuleStats {
            rule: name.to_owned(),
            set: set.to_owned(),
            programs: left_out.len(),
            matches: all.clone().map(|u| u.matches).sum(),
            unions: all.clone().map(|u| u.unions).sum(),
            needed_by: left_out.iter().filter(|(with, out)| dearer(*out, *with)).count(),
            harms: left_out.iter().filter(|(with, out)| dearer(*with, *out)).count(),
            cost_without: (product / programs.len().max(1) as f64).exp(),
            time_us: micros(all.map(|u| u.time).sum()),
        }
    };
    let engine: Vec<&str> =
        trials.first().map_or(Vec::new(), |(t, _)| t.uses.iter().map(|u| u.rule.as_str()).collect());
    let lines = rules.rules().filter(|r| engine.contains(&&*r.name)).map(|r| line(&r.name, &r.set));
    Ok(Stats {
        rules: lines.collect(),
        unions: unions_of(trials.iter().map(|(with, _)| with)),
        programs: programs
            .iter()
            .zip(&trials)
            .map(|(p, (with, none))| ProgramStats {
                program: p.name.clone(),
                before: with.before,
                after: with.after,
                without_rules: none.after,
                time_us: micros(with.time),
            })
            .collect(),
        ratio: geometric_mean(trials.iter().map(|(with, _)| with.ratio())),
        ratio_without_rules: geometric_mean(trials.iter().map(|(_, none)| none.ratio())),
    })
}

/// The unions of all programs together, the most first.
fn unions_of<'t>(trials: impl Iterator<Item = &'t Trial>) -> Vec<UnionCount> {
    let mut sums: IndexMap<(UnionKind, &str), UnionCount> = IndexMap::new();
    for by in trials.flat_map(|trial| &trial.unions) {
        let sum = sums.entry((by.kind, &by.reason));
        sum.and_modify(|sum| sum.unions += by.unions).or_insert_with(|| by.clone());
    }
    let mut sums: Vec<UnionCount> = sums.into_values().collect();
    sums.sort_by(|a, b| b.unions.cmp(&a.unions).then_with(|| (a.kind, &a.reason).cmp(&(b.kind, &b.reason))));
    sums
}
