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

use crate::cost::Cost;
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
    Ok((out, Report { mode: options.mode, functions, time_us: report::micros(start.elapsed()) }))
}

/// The most passes over a function.
const MOST_PASSES: usize = 6;

/// Optimizes a function until nothing changes any more: what equalities showed is worth a search of its own, and what is
/// optimized again stays as it is.
fn function(func: &PrimFunc, options: &Options) -> Result<(PrimFunc, FunctionReport), Error> {
    // A limit beyond what the clock can hold is none.
    let deadline = Instant::now().checked_add(options.budgets.time);
    let mut cost = summary::cost(func, options);
    let mut report = FunctionReport::new(func, summary::measure(&cost));
    let mut result: Option<PrimFunc> = None;
    for _ in 0..MOST_PASSES {
        let current = result.as_ref().unwrap_or(func);
        let Some((mut next, by)) = pass(current, cost.total, options, deadline, &mut report) else { break };
        simplify::tidy(&mut next);
        cost = summary::cost(&next, options);
        report.choose(by, summary::measure(&cost));
        result = Some(next);
    }
    let Some(result) = result else { return Ok((func.clone(), report)) };
    report.bindings = summary::new_bindings(func, &result, options);
    Ok((result, report))
}

/// What is better than the function, which costs `cost`: the best of syntactic sharing and, if asked for, equality
/// saturation.
fn pass(
    func: &PrimFunc,
    cost: Cost,
    options: &Options,
    deadline: Option<Instant>,
    report: &mut FunctionReport,
) -> Option<(PrimFunc, Chosen)> {
    let mut best = Best { func, cost, found: None };
    let start = Instant::now();
    let shared = syntactic_of(func, options);
    let cost = summary::cost(&shared, options);
    report.syntactic.get_or_insert_with(|| summary::measure(&cost));
    best.offer(cost.total, shared, Chosen::Syntactic);
    report.spent("syntactic", start.elapsed());
    if options.mode == Mode::Semantic {
        semantic(func, options, deadline, &mut best, report);
    }
    best.found
}

/// The best function so far.
struct Best<'a> {
    /// What the pass began with.
    func: &'a PrimFunc,
    /// What the best one costs.
    cost: Cost,
    /// The best one and what it comes from, if it is not the first.
    found: Option<(PrimFunc, Chosen)>,
}

impl Best<'_> {
    /// Takes a function that costs less, or as much and is shorter.
    fn offer(&mut self, cost: Cost, func: PrimFunc, by: Chosen) {
        let best = self.found.as_ref().map_or(self.func, |(best, _)| best);
        if cost < self.cost || cost == self.cost && summary::size(&func) < summary::size(best) {
            self.take(cost, func, by);
        }
    }

    fn take(&mut self, cost: Cost, func: PrimFunc, by: Chosen) {
        self.cost = cost;
        self.found = Some((func, by));
    }
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

/// Offers the function simplified and saturated.
fn semantic(
    func: &PrimFunc,
    options: &Options,
    deadline: Option<Instant>,
    best: &mut Best<'_>,
    report: &mut FunctionReport,
) {
    let inlined = simplify::inlined(func);
    let func = inlined.as_ref().unwrap_or(func);
    if options.simplify {
        let start = Instant::now();
        let mut simplified = func.clone();
        let done = simplify::run(&mut simplified, &options.simplification(Reach::Context));
        report.spent("simplify", start.elapsed());
        if done.any() {
            saturate_cheaper(func, simplified, done, options, deadline, best, report);
            return;
        }
    }
    saturate(func, options, deadline, best, report);
}

/// Offers what saturation makes of the function as it is and of what contextual simplification made of it: which of the
/// two ends cheaper is known only afterwards, unless the simplified one is [much cheaper](MUCH_CHEAPER) without
/// saturation. If conditions, branches or loops went, the simplified function takes the input's place: what is gone is
/// work that is never needed, though an estimate that takes each `if` for a halving of what is under it may see that
/// otherwise.
fn saturate_cheaper(
    func: &PrimFunc,
    simplified: PrimFunc,
    done: simplify::Simplified,
    options: &Options,
    deadline: Option<Instant>,
    best: &mut Best<'_>,
    report: &mut FunctionReport,
) {
    let shared = syntactic_of(&simplified, options);
    let cost = summary::cost(&shared, options).total;
    if done.conditions > 0 {
        best.take(summary::cost(&simplified, options).total, simplified.clone(), Chosen::Semantic);
    } else {
        let before = report.syntactic.as_ref().map_or(f64::INFINITY, |syntactic| syntactic.cost);
        if cost.to_f64() > MUCH_CHEAPER * before {
            saturate(func, options, deadline, best, report);
        }
    }
    best.offer(cost, shared, Chosen::Semantic);
    saturate(&simplified, options, deadline, best, report);
}

fn saturate(
    func: &PrimFunc,
    options: &Options,
    deadline: Option<Instant>,
    best: &mut Best<'_>,
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
                report.spent(stage, *time);
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
            best.offer(cost.total, optimized.func, Chosen::Semantic);
        }
        Err(failure) => {
            log::warn!("function `{}`: equality saturation gave up: {failure}", func.name);
            report.gave_up = Some(failure.to_string());
        }
    }
}
