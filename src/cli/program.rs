//! Commands that turn programs into programs: one text at a time, or a folder of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use satir::cost::{Cost, Profile, cost_of_func};
use satir::cse::{Options, Report};
use satir::eqsat::rewrite::Rewrites;
use satir::ir::Module;
use satir::rules::{RuleSet, RulesError};

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::{batch, prepare_threads};

/// What a command made of one program.
pub(crate) struct Product {
    /// The text to write.
    pub(crate) text: String,
    /// The report to write, if the command makes one.
    pub(crate) report: Option<serde_json::Value>,
    /// The report as a page, if that was asked for.
    pub(crate) page: Option<String>,
    /// Cost before and after.
    pub(crate) costs: Option<(f64, f64)>,
}

/// Parses and verifies a program.
pub(crate) fn checked(source: &Source) -> Result<Module, Failure> {
    let module = parse(source)?;
    satir::verify::verify(&module)
        .map_err(|violations| failure(source, &satir::Error::Invalid(violations)))?;
    Ok(module)
}

/// Parses a program, for what verifies it itself.
pub(crate) fn parse(source: &Source) -> Result<Module, Failure> {
    let module = satir::script::parse(&source.name, &source.text)
        .map_err(|diagnostic| Failure::Bad(diagnostic.to_string()))?;
    if module.funcs.len() > 1 {
        prepare_threads(None);
    }
    Ok(module)
}

/// Applies `job` to the input: a file, standard input, or every program in a folder.
pub(crate) fn transform(
    inout: &InOut,
    report: Option<&Path>,
    job: impl Fn(&Source) -> Result<Product, Failure> + Sync,
) -> Result<(), Failure> {
    let folder = io::as_folder(inout.input.as_deref());
    if folder.is_some() || inout.jobs.is_some() {
        prepare_threads(inout.jobs);
    }
    if let Some(folder) = folder {
        if let Some(page) = report.filter(|path| is_page(path)) {
            let text =
                format!("satir: error: {}: the report on a folder is JSON, not a page", page.display());
            return Err(Failure::Usage(text));
        }
        return batch::run(folder, inout.output.as_deref(), report, job);
    }
    if let Some(folder) = io::as_folder(inout.output.as_deref()) {
        let text =
            format!("satir: error: {}: the input is one program, but -o is a folder", folder.display());
        return Err(Failure::Usage(text));
    }
    let product = job(&io::read(inout.input.as_deref())?)?;
    match (report, &product.report, &product.page) {
        (Some(path), _, Some(page)) => io::write_file(path, page)?,
        (Some(path), _, None) if is_page(path) => {
            let text =
                format!("satir: error: {}: only `satir cse` writes its report as a page", path.display());
            return Err(Failure::Usage(text));
        }
        (Some(path), Some(json), None) => io::write_file(path, &json_text(json)?)?,
        _ => {}
    }
    io::write(inout.output.as_deref(), &product.text)
}

/// Whether a report of this name is a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm"))
}

/// JSON for people to read, with a line end.
pub(crate) fn json_text(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|t| t + "\n").map_err(|e| Failure::Bad(format!("satir: error: cannot write JSON: {e}")))
}

/// The report as JSON.
pub(crate) fn report_json(report: &Report) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(report).map_err(|e| Failure::Bad(format!("satir: error: cannot write JSON: {e}")))
}

/// The library's options for these flags; files that they name are read.
pub(crate) fn options(tuning: &Tuning) -> Result<Options, Failure> {
    let mut options = Options {
        profile: profile(tuning.cost.as_deref())?,
        bindings: tuning.bind.values(),
        positive_dims: tuning.assume_positive_dims,
        fast_math: tuning.fast_math,
        ..Options::default()
    };
    if !tuning.rules.is_empty() || tuning.fast_math {
        options.rewrites = Arc::new(Rewrites::new(&rules(&tuning.rules)?, tuning.fast_math));
    }
    if let Some(limit) = tuning.time_limit {
        options.budgets.time = limit;
    }
    if let Some(limit) = tuning.node_limit {
        options.budgets.nodes = usize::try_from(limit).unwrap_or(usize::MAX);
    }
    if let Some(length) = tuning.window {
        options.budgets.window = usize::try_from(length).unwrap_or(usize::MAX);
    }
    Ok(options)
}

/// The built-in cost profile, or the one in a file.
pub(crate) fn profile(path: Option<&Path>) -> Result<Profile, Failure> {
    match path {
        None => Ok(Profile::default()),
        Some(path) => Profile::from_json(&io::read(Some(path))?.text).map_err(|e| Failure::about(path, e)),
    }
}

/// The built-in rules, extended by these files and folders.
pub(crate) fn rules(paths: &[PathBuf]) -> Result<RuleSet, Failure> {
    let bad = |e: RulesError| Failure::Bad(e.to_string());
    let mut rules = RuleSet::embedded().map_err(bad)?;
    rules.extend_from(paths).map_err(bad)?;
    Ok(rules)
}

/// An optimization that failed, with places in the source.
pub(crate) fn failure(source: &Source, error: &satir::Error) -> Failure {
    Failure::Bad(error.render(&source.name, &source.text))
}

/// Cost of a module, by estimated frequencies.
pub(crate) fn cost(module: &Module, options: &Options) -> f64 {
    let of = |func| cost_of_func(func, &options.profile, &options.bindings).total;
    module.funcs.iter().map(of).fold(Cost::ZERO, |sum, c| sum + c).to_f64()
}
