//! Commands that turn programs into programs: one text at a time, or a batch of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;
use satir::cost::Profile;
use satir::cse::Options;
use satir::eqsat::rewrite::Rewrites;
use satir::interp;
use satir::ir::Module;
use satir::remarks::Remark;
use satir::report::Document;
use satir::rules::{RuleSet, RulesError};
use satir::script::MOST_MISTAKES;

use similar::TextDiff;

use super::args::{Bind, InOut, Tuning};
use super::files::{self, Task};
use super::io::{self, Failure, Source};
use super::{batch, outcome, prepare_threads, terminal};

/// What a command made of one program.
pub(crate) struct Product {
    /// The text to write.
    pub(crate) text: String,
    /// The report to write, if the command makes one.
    pub(crate) report: Option<serde_json::Value>,
    /// The report as a page, if that was asked for.
    pub(crate) page: Option<String>,
    /// Remarks on its lines, if they were asked for.
    pub(crate) remarks: Vec<Remark>,
    /// Cost before and after.
    pub(crate) costs: Option<(f64, f64)>,
    /// How many bindings were made.
    pub(crate) bindings: usize,
    /// The program as satir prints it, if it is to be compared with the result.
    pub(crate) before: Option<String>,
}

impl Product {
    /// A text that is no optimized program.
    pub(crate) fn plain(text: String) -> Product {
        Product {
            text,
            report: None,
            page: None,
            remarks: Vec::new(),
            costs: None,
            bindings: 0,
            before: None,
        }
    }

    /// How the result differs from the program, as a unified difference; empty if it does not.
    pub(crate) fn difference(&self, name: &str) -> String {
        let before = self.before.as_deref().unwrap_or(&self.text);
        let lines = TextDiff::from_lines(before, &self.text);
        lines.unified_diff().header(name, name).to_string()
    }
}

/// Parses and verifies a program.
pub(crate) fn checked(source: &Source) -> Result<Module, Failure> {
    let module = parse(source)?;
    verify(source, &module)?;
    Ok(module)
}

/// Verifies a program.
pub(crate) fn verify(source: &Source, module: &Module) -> Result<(), Failure> {
    satir::verify::verify(module).map_err(|violations| failure(source, &satir::Error::Invalid(violations)))
}

/// Parses a program, for what verifies it itself. All mistakes are told.
pub(crate) fn parse(source: &Source) -> Result<Module, Failure> {
    let module = satir::script::parse_all(&source.name, &source.text).map_err(|mistakes| {
        let mut texts: Vec<String> = mistakes.iter().map(ToString::to_string).collect();
        if mistakes.len() >= MOST_MISTAKES {
            texts.push(format!("note: no more than {MOST_MISTAKES} mistakes are shown"));
        }
        Failure::Bad(texts.join("\n"))
    })?;
    if module.funcs.len() > 1 {
        prepare_threads(None);
    }
    Ok(module)
}

/// Applies `job` to the input: a file, standard input, or every program of several files and folders. `ending` is that of
/// the files that it makes.
pub(crate) fn transform(
    inout: &InOut,
    tuning: &Tuning,
    ending: &str,
    job: impl Fn(&Source, &Module) -> Result<Product, Failure> + Sync,
) -> Result<(), Failure> {
    let (output, report) = (inout.output.as_deref(), tuning.report.as_deref());
    let input = match inout.inputs.as_slice() {
        [] => None,
        [one] if io::as_folder(Some(one)).is_none() => Some(one.as_path()),
        _ => {
            prepare_threads(inout.jobs);
            let tasks = files::tasks(&inout.inputs, output)?;
            check_names(&tasks, &tuning.bind)?;
            return batch::run(&tasks, inout, tuning, ending, |path| {
                let source = io::read(Some(path))?;
                job(&source, &parse(&source)?)
            });
        }
    };
    if inout.jobs.is_some() {
        prepare_threads(inout.jobs);
    }
    if let Some(folder) = io::as_folder(output) {
        return Err(Failure::usage(format_args!(
            "{}: the input is one program, but -o is a folder",
            folder.display()
        )));
    }
    let source = io::read(input)?;
    let module = parse(&source)?;
    tuning.bind.check(&bindable(&module))?;
    let product = job(&source, &module)?;
    match (report, &product.report, &product.page) {
        (Some(path), _, Some(page)) => io::write_file(path, page)?,
        (Some(path), Some(json), None) => io::write_file(path, &json_text(json)?)?,
        _ => {}
    }
    if let Some(path) = &tuning.remarks {
        outcome::write_remarks(path, &product.remarks)?;
    }
    if !inout.compares() {
        return io::write(output, &product.text);
    }
    let difference = product.difference(&source.name);
    if inout.diff {
        io::write_difference(&difference)?;
    }
    if !inout.check || difference.is_empty() {
        return Ok(());
    }
    terminal::note(&format!("note: {} would change\n", source.name));
    Err(Failure::No)
}

/// The names that `--bind` can give values to.
pub(crate) fn bindable(module: &Module) -> BTreeSet<Arc<str>> {
    module.funcs.iter().flat_map(interp::bindable).collect()
}

/// Asks, before a batch begins, whether each name of `--bind` is one of some program. A name that some programs do not have
/// is fine, and so is every name if no program can be read, which is told later.
fn check_names(tasks: &[Task], bind: &Bind) -> Result<(), Failure> {
    if bind.is_empty() {
        return Ok(());
    }
    let names = |task: &Task| {
        let source = io::read(Some(&task.path)).ok()?;
        satir::script::parse(&source.name, &source.text).ok().map(|module| bindable(&module))
    };
    let known: Vec<_> = tasks.par_iter().filter_map(names).collect();
    if known.is_empty() { Ok(()) } else { bind.check(&known.into_iter().flatten().collect()) }
}

/// Whether a report of this name is a page.
pub(crate) fn is_page(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm"))
}

/// JSON for people to read, with a line end.
pub(crate) fn json_text(value: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(value);
    text.map(|t| t + "\n").map_err(|e| Failure::bad(format_args!("cannot write JSON: {e}")))
}

/// The report as JSON.
pub(crate) fn report_json(report: &Document) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(report).map_err(|e| Failure::bad(format_args!("cannot write JSON: {e}")))
}

/// The library's options for these flags; files that they name are read.
pub(crate) fn options(tuning: &Tuning) -> Result<Options, Failure> {
    let mut options = Options {
        profile: profile(tuning.cost.as_deref())?,
        bindings: tuning.bind.values()?,
        positive_dims: tuning.assume_positive_dims,
        fast_math: tuning.chosen.allowed.fast_math,
        ..Options::default()
    };
    if !tuning.chosen.is_default() {
        options.rewrites = Arc::new(Rewrites::new(&tuning.chosen.rules()?));
    }
    options.budgets.time = tuning.time_limit;
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
    let mut rules = RuleSet::embedded().map_err(|e| bad_rules(&e))?;
    rules.extend_from(paths).map_err(|e| bad_rules(&e))?;
    Ok(rules)
}

/// What is wrong with rules.
pub(crate) fn bad_rules(error: &RulesError) -> Failure {
    match error {
        // These have their places.
        RulesError::Bad(_) => Failure::Bad(error.to_string()),
        _ => Failure::bad(error),
    }
}

/// An optimization that failed, with places in the source.
pub(crate) fn failure(source: &Source, error: &satir::Error) -> Failure {
    Failure::Bad(error.render(&source.name, &source.text))
}
