//! Commands that turn programs into programs: one text at a time, or a batch of them.

use rayon::prelude::*;
use satir::ir::Module;

use super::args::{Bind, InOut, Tuning};
use super::files::{self, Task};
use super::io::{self, Failure, Source};
use super::json::json_text;
use super::product::Product;
use super::program::{bindable, parse};
use super::threads::prepare_threads;
use super::{batch, certificate, outcome, terminal};

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
            if tuning.certify.is_some() {
                return Err(Failure::usage("`--certify` is for one program: a certificate is of one result"));
            }
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
    if let Some(path) = &tuning.certify {
        if inout.compares() {
            return Err(Failure::usage("`--certify` goes with a result that is written"));
        }
        // What cannot be certified is written all the same.
        io::write(output, &product.text)?;
        return certificate::certify(&source, &module, &product, path);
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
