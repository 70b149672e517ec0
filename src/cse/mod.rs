//! Common subexpression elimination: the library's main entry point, [`run`].
//!
//! Each function of a module is optimized by itself, several at a time. The result is the cheapest, by the cost
//! model of [`cost`](crate::cost), of the input, the result of syntactic sharing and, in semantic mode, the result
//! of equality saturation. So no result costs more than what simpler methods reach, whatever limit ended the search.

mod options;
mod pool;
mod report;
mod summary;
pub mod syntactic;

use std::time::Instant;

use rayon::prelude::*;

pub use options::{Budgets, Mode, Options};
pub use report::{
    BindingReport, Chosen, FunctionReport, Limit, Measure, Operations, Replaced, Report, SearchReport,
};

use crate::cost::{Cost, CostBreakdown};
use crate::eqsat;
use crate::error::Error;
use crate::ir::{Module, PrimFunc};
use crate::simplify::{self, Reach};
use crate::verify::{verify, verify_func};

/// Shares equal computations in every function of the module.
///
/// # Errors
///
/// If the module is not well-formed, or the options ask for what cannot be done.
///
/// ```
/// use satir::cse::{self, Options};
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((64,), "int32"), x: T.int32):
///     for i in range(64):
///         A[i] = i + x * x // 3
/// "#,
/// )?;
/// let (optimized, report) = cse::run(&module, &Options::default())?;
/// assert!(optimized.to_string().contains("T.int32] = x * x // 3\n        for i in range(64):"), "{optimized}");
/// assert_eq!(report.functions[0].bindings.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run(module: &Module, options: &Options) -> Result<(Module, Report), Error> {
    let start = Instant::now();
    verify(module).map_err(Error::Invalid)?;
    let results: Vec<Result<(PrimFunc, FunctionReport), Error>> = match module.funcs.as_slice() {
        [only] => vec![function(only, options)],
        funcs => funcs.par_iter().map(|func| function(func, options)).collect(),
    };
    let mut funcs = Vec::with_capacity(results.len());
    let mut functions = Vec::with_capacity(results.len());
    for result in results {
        let (func, report) = result?;
        funcs.push(func);
        functions.push(report);
    }
    let out = Module { name: module.name.clone(), attrs: module.attrs.clone(), funcs };
    verify(&out).map_err(|violations| Error::Broken { pass: options.mode.pass(), violations })?;
    Ok((out, Report { mode: options.mode, functions, time_us: micros(start) }))
}

/// The cheapest of the input, syntactic sharing and, if asked for, equality saturation. Of equally cheap ones the
/// first of these.
fn function(func: &PrimFunc, options: &Options) -> Result<(PrimFunc, FunctionReport), Error> {
    let before = summary::cost(func, options);
    let mut best = Best { cost: before.total, func: None, ties: false };
    let mut report = FunctionReport::new(func, summary::measure(&before));
    let start = Instant::now();
    syntactic(func, options, &mut best, &mut report);
    report.stages.insert("syntactic".to_owned(), micros(start));
    if options.mode == Mode::Semantic {
        semantic(func, options, &mut best, &mut report);
    }
    let Some(result) = best.func else { return Ok((func.clone(), report)) };
    report.bindings = summary::new_bindings(func, &result, options);
    Ok((result, report))
}

/// The cheapest function so far; `None` is the input.
struct Best {
    cost: Cost,
    func: Option<PrimFunc>,
    /// Whether the next of equal cost is better.
    ties: bool,
}

impl Best {
    fn offer(&mut self, cost: &CostBreakdown, func: PrimFunc, chosen: Chosen, report: &mut FunctionReport) {
        if cost.total < self.cost || self.ties && cost.total == self.cost {
            *self = Best { cost: cost.total, func: Some(func), ties: self.ties };
            report.chosen = chosen;
        }
    }
}

fn syntactic(func: &PrimFunc, options: &Options, best: &mut Best, report: &mut FunctionReport) {
    let shared = syntactic_of(func, options);
    let cost = summary::cost(&shared, options);
    report.syntactic = Some(summary::measure(&cost));
    best.offer(&cost, shared, Chosen::Syntactic, report);
}

/// The function with what is written alike shared.
fn syntactic_of(func: &PrimFunc, options: &Options) -> PrimFunc {
    let how = syntactic::SyntacticOptions {
        profile: options.profile.clone(),
        bindings: options.bindings.clone(),
        ..syntactic::SyntacticOptions::default()
    };
    let mut shared = func.clone();
    syntactic::run_with(&mut shared, &how);
    shared
}

/// A simplified function whose cost, with what is written alike shared, is less than this part of the input's, shared
/// likewise, is saturated alone: saturation makes less of a difference than that, or finds most of it in both.
const MUCH_CHEAPER: f64 = 0.75;

/// How often a result is searched again because of what equalities showed.
const MOST_REPEATS: usize = 3;

/// Offers the function simplified and saturated.
fn semantic(func: &PrimFunc, options: &Options, best: &mut Best, report: &mut FunctionReport) {
    // A limit beyond what the clock can hold is none.
    let deadline = Instant::now().checked_add(options.budgets.time);
    let mut func = func.clone();
    simplify::inline(&mut func);
    for _ in 0..=MOST_REPEATS {
        let mut simplified = func.clone();
        let mut done = simplify::Simplified::default();
        if options.simplify {
            let start = Instant::now();
            done = simplify::run(&mut simplified, &options.simplification(Reach::Context));
            *report.stages.entry("simplify".to_owned()).or_default() += micros(start);
        }
        saturate_cheaper(&func, &simplified, done, options, deadline, best, report);
        // What equalities showed to do nothing goes, and what is left is worth a search of its own; so is a function in
        // which conditions turned out to say what a variable is.
        let Some(tidied) = &mut best.func else { return };
        if simplify::tidy(tidied) == 0 && simplify::pinned(tidied) <= simplify::pinned(&func) {
            return;
        }
        func = tidied.clone();
        let cost = summary::cost(&func, options);
        best.cost = cost.total;
        best.ties = false;
        report.chosen = Chosen::Semantic;
        report.semantic = Some(summary::measure(&cost));
    }
}

/// Offers what saturation makes of the function as it is and, if contextual simplification changes expressions, simplified: which of the
/// two ends cheaper is known only afterwards, unless the simplified one is [much cheaper](MUCH_CHEAPER) without
/// saturation; of equal ones the simplified is taken. If conditions, branches or loops went, the simplified function
/// takes the input's place: what is gone is work that is never needed, though an estimate that takes each `if` for a
/// halving of what is under it may see that otherwise.
fn saturate_cheaper(
    func: &PrimFunc,
    simplified: &PrimFunc,
    done: simplify::Simplified,
    options: &Options,
    deadline: Option<Instant>,
    best: &mut Best,
    report: &mut FunctionReport,
) {
    if !done.any() {
        saturate(func, options, deadline, best, report);
        return;
    }
    let shared = syntactic_of(simplified, options);
    let cost = summary::cost(&shared, options);
    if done.conditions > 0 {
        let cost = summary::cost(simplified, options).total;
        *best = Best { cost, func: Some(simplified.clone()), ties: false };
        report.chosen = Chosen::Semantic;
    } else {
        let before = report.syntactic.as_ref().map_or(f64::INFINITY, |syntactic| syntactic.cost);
        if cost.total.to_f64() > MUCH_CHEAPER * before {
            saturate(func, options, deadline, best, report);
        }
        best.ties = true;
    }
    best.offer(&cost, shared, Chosen::Semantic, report);
    saturate(simplified, options, deadline, best, report);
}

fn saturate(
    func: &PrimFunc,
    options: &Options,
    deadline: Option<Instant>,
    best: &mut Best,
    report: &mut FunctionReport,
) {
    if deadline.is_some_and(|end| Instant::now() >= end) {
        report.hit(Limit::Time);
        return;
    }
    let config = eqsat::Config { deadline, ..options.search() };
    match eqsat::optimize(func, &config) {
        Ok(optimized) => {
            for (stage, time) in &optimized.stats.stages {
                let time = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
                *report.stages.entry((*stage).to_owned()).or_default() += time;
            }
            if optimized.stats.time_limit_hit {
                report.hit(Limit::Time);
            }
            if optimized.stats.node_limit_hit {
                report.hit(Limit::Nodes);
            }
            if let Err(violations) = verify_func(&optimized.func) {
                // A bug in satir, which costs the improvement but not the program.
                let first = violations.first().map(ToString::to_string).unwrap_or_default();
                log::error!("an invalid result was dropped: {first}");
                log::debug!("{}", crate::script::print_func(&optimized.func));
                report.gave_up = Some(format!("an invalid result was dropped: {first}"));
                return;
            }
            let cost = summary::cost(&optimized.func, options);
            if report.semantic.is_none() || cost.total < best.cost {
                report.search = Some(SearchReport::new(&optimized.stats));
                report.semantic = Some(summary::measure(&cost));
            }
            best.offer(&cost, optimized.func, Chosen::Semantic, report);
        }
        Err(failure) => {
            log::warn!("function `{}`: equality saturation gave up: {failure}", func.name);
            report.gave_up = Some(failure.to_string());
        }
    }
}

fn micros(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX)
}
