//! Common subexpression elimination: the library's main entry point, [`run`].
//!
//! Each function of a module is optimized by itself, several at a time, in passes (`pass.rs`) until nothing changes. The result
//! is the cheapest, by the cost model of [`cost`](crate::cost), of the input, the result of syntactic sharing and, in
//! semantic mode, the result of equality saturation. So no result costs more than what simpler methods reach, whatever
//! limit ended the search, and what is optimized again stays as it is.

mod loops;
mod made;
mod options;
mod pass;
mod pool;
mod report;
mod seen;
mod summary;
mod swayed;
#[doc(hidden)]
pub mod syntactic;
mod windows;

use std::borrow::Cow;
use std::time::Instant;

use rayon::prelude::*;

pub use crate::eqsat::{Effort, Rewrites, TheoryLevel};
pub use loops::{Hoisting, Loops};
pub use options::{Budgets, Mode, Options};
pub use report::{
    BindingReport, Chosen, Decided, FunctionReport, Limit, Measure, Operations, Replaced, Report,
    SearchReport,
};
#[doc(hidden)]
pub use swayed::{Swayed, swayed};

use crate::analysis::length;
use crate::analysis::lets;
use crate::analysis::volatile;
use crate::target::{self, IndexBits, Model};
pub(crate) use report::{locate, micros};

use crate::error::Error;
use crate::ir::{Module, PrimFunc, with_room};
use crate::simplify;
use crate::verify::verify;
use made::Found;
use pass::Pass;
use seen::{LARGE, Seen};

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
    run_before(module, options, false)
}

/// The same; `widened` if a later pass computes indices in 64 bits.
pub(crate) fn run_before(
    module: &Module,
    options: &Options,
    widened: bool,
) -> Result<(Module, Report), Error> {
    let start = Instant::now();
    verify(module).map_err(Error::Invalid)?;
    let results: Vec<Result<(PrimFunc, FunctionReport), Error>> = match module.funcs.as_slice() {
        [only] => vec![with_room(|| function(only, options, widened))],
        funcs => funcs.par_iter().map(|func| with_room(|| function(func, options, widened))).collect(),
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
    Ok((
        out,
        Report {
            mode: options.mode,
            fast_math: options.fast_math,
            functions,
            time_us: report::micros(start.elapsed()),
        },
    ))
}

/// What passes made of a function, as a report.
pub(crate) fn compare(before: &PrimFunc, after: &PrimFunc, options: &Options) -> FunctionReport {
    let mut report = FunctionReport::new(before, summary::measure(&summary::cost(before, options)));
    report.after = summary::measure(&summary::cost(after, options));
    report.chosen = Chosen::Passes;
    report.bindings = summary::new_bindings(before, after, options);
    report
}

/// The most passes over a function.
const MAX_PASSES: usize = 8;

/// Optimizes a function; volatile memory is left as it is.
fn function(func: &PrimFunc, options: &Options, widened: bool) -> Result<(PrimFunc, FunctionReport), Error> {
    let target = options.target_of(func);
    let widens = options.index_bits.widens(target);
    let model = options.model_of(func, widens || widened && IndexBits::Auto.widens(target));
    let shielded = volatile::shielded(func);
    let (mut result, report) = optimized(shielded.as_ref().unwrap_or(func), options, model)?;
    if shielded.is_some() {
        volatile::unshield(&mut result);
    }
    Ok(if widens { widen(func, result, report, options) } else { (result, report) })
}

/// The result with indices of 64 bits.
fn widen(
    func: &PrimFunc,
    result: PrimFunc,
    mut report: FunctionReport,
    options: &Options,
) -> (PrimFunc, FunctionReport) {
    let Some(wide) = target::widen(&result, &lets::named(&result)) else { return (result, report) };
    let by = if report.chosen == Chosen::Input { Chosen::Passes } else { report.chosen };
    report.choose(by, summary::measure(&summary::cost(&wide, options)));
    report.bindings = summary::new_bindings(func, &wide, options);
    (wide, report)
}

/// Optimizes a function until nothing changes: what a pass spells out is worth another look. Each pass goes by the text
/// only, as it would if the result so far had been read from a file, so that what is optimized again stays as it is.
fn optimized(func: &PrimFunc, options: &Options, model: Model) -> Result<(PrimFunc, FunctionReport), Error> {
    // A limit beyond what the clock can hold is none.
    let deadline = options.budgets.time.and_then(|time| Instant::now().checked_add(time));
    let mut cost = summary::cost(func, options);
    let mut report = FunctionReport::new(func, summary::measure(&cost));
    let large = length::up_to(func, LARGE + 1) > LARGE;
    let mut best = Cow::Borrowed(func);
    let mut numbering = (!large).then(|| best.to_mut().number());
    let mut changed = false;
    let mut seen = Seen::default();
    for _ in 0..if large { 1 } else { MAX_PASSES } {
        let pass = Pass { options, model, deadline, large, seen: &mut seen, report: &mut report };
        let Some(Found { func: mut next, cost: found, by }) = pass.run(&best, cost.total) else { break };
        let gone = if by == Chosen::Semantic { simplify::tidy(&mut next) } else { 0 };
        cost = found;
        if gone > 0 {
            let before = cost.total;
            cost = summary::cost(&next, options);
            report.decide(gone, before, cost.total);
        }
        log::debug!(
            "function `{}`: the {by} result is taken, cost {} after {}",
            func.name,
            cost.total.to_f64(),
            report.after.cost
        );
        report.choose(by, summary::measure(&cost));
        numbering = numbering.map(|before| next.number().after(&before));
        best = Cow::Owned(next);
        changed = true;
    }
    if !changed {
        log::debug!("function `{}`: nothing cheaper was found, it stays", func.name);
        return Ok((func.clone(), report));
    }
    let mut result = best.into_owned();
    if let Some(numbering) = &numbering {
        result.restore(numbering);
    }
    report.bindings = summary::new_bindings(func, &result, options);
    for binding in &report.bindings {
        let BindingReport { name, value, executed, saved, .. } = binding;
        log::debug!(
            "function `{}`: `{value}` is bound to `{name}`, runs {executed} times, saves {saved}",
            func.name
        );
    }
    Ok((result, report))
}
