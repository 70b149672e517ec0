//! Many programs: all of them, in parallel, with a progress bar and a summary. A bad one does not stop the rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rayon::prelude::*;
use satir::page;
use satir::remarks::Remark;
use satir::report::VERSION;
use serde_json::{Value, json};

use super::args::{InOut, Tuning};
use super::files::Task;
use super::io::{self, Failure};
use super::json::json_text;
use super::outcome::{self, is_page};
use super::product::Product;
use super::terminal::{self, Progress};
use super::threads::guarded;

/// What came of one program.
struct Row {
    name: String,
    time: Duration,
    result: Result<Done, Failure>,
}

struct Done {
    costs: Option<(f64, f64)>,
    report: Option<Value>,
    /// How many bindings were made.
    bindings: usize,
    /// Remarks on its lines.
    remarks: Vec<Remark>,
    /// How the result differs from the program, if that was asked.
    difference: Option<String>,
}

/// Applies `job` to each program. Results go to the folder of `-o` under the same names, with another ending than `.py` if
/// they are no programs; without a folder they are not written.
pub(crate) fn run(
    tasks: &[Task],
    inout: &InOut,
    tuning: &Tuning,
    ending: &str,
    job: impl Fn(&Path) -> Result<Product, Failure> + Sync,
) -> Result<(), Failure> {
    let report = tuning.report.as_deref();
    let pages = report.filter(|path| is_page(path)).map(Pages::beside);
    let output = inout.output.as_deref();
    output.map_or(Ok(()), create_folder)?;
    let progress = Progress::new(tasks.len(), "programs");
    let work = |task: &Task| {
        let start = Instant::now();
        let target = output.map(|folder| folder.join(named(&task.name, ending)));
        let result = guarded(|| one(task, target, pages.as_ref(), inout, &job));
        progress.step();
        Row { name: task.name.display().to_string(), time: start.elapsed(), result }
    };
    let rows: Vec<Row> = tasks.par_iter().map(work).collect();
    progress.finish();
    match (report, &pages) {
        (Some(path), Some(pages)) => io::write_file(path, &pages.index(path, &rows))?,
        (Some(path), None) => {
            let programs: Vec<Value> = rows.iter().map(row_json).collect();
            io::write_file(path, &json_text(&json!({ "version": VERSION, "programs": programs }))?)?;
        }
        (None, _) => {}
    }
    if let Some(path) = &tuning.remarks {
        let done = rows.iter().filter_map(|row| row.result.as_ref().ok());
        let remarks: Vec<Remark> = done.flat_map(|done| done.remarks.iter().cloned()).collect();
        outcome::write_remarks(path, &remarks)?;
    }
    let changed = changes(&rows, inout)?;
    terminal::note(&table(&rows));
    if output.is_none() && !inout.compares() {
        let what = "note: the results were not written; -o FOLDER writes them, --diff shows what changes\n";
        terminal::note(what);
    }
    failures(&rows)?;
    if inout.check && changed { Err(Failure::No) } else { Ok(()) }
}

/// The folder of the pages of programs, beside the page of contents.
struct Pages {
    folder: PathBuf,
}

impl Pages {
    /// For contents at `path`.
    fn beside(path: &Path) -> Pages {
        let mut name = path.file_stem().unwrap_or_default().to_owned();
        name.push("-pages");
        Pages { folder: path.with_file_name(name) }
    }

    fn path_of(&self, program: &Path) -> PathBuf {
        let mut name = program.as_os_str().to_owned();
        name.push(".html");
        self.folder.join(name)
    }

    /// The contents, at `path`.
    fn index(&self, path: &Path, rows: &[Row]) -> String {
        let folder = path.parent().unwrap_or(Path::new(""));
        let link = |row: &Row| {
            let page = self.path_of(Path::new(&row.name));
            reference(page.strip_prefix(folder).unwrap_or(&page))
        };
        let links: Vec<String> = rows.iter().map(link).collect();
        let entries = rows.iter().zip(&links).map(|(row, link)| page::Entry {
            name: &row.name,
            link,
            outcome: match &row.result {
                Ok(done) => {
                    let (before, after) = done.costs.unwrap_or_default();
                    Ok((before, after, done.bindings))
                }
                Err(failure) => Err(failure.message()),
            },
            time_ms: row.time.as_secs_f64() * 1e3,
        });
        page::index("Report", &entries.collect::<Vec<_>>())
    }
}

/// A relative path as a link: what has a meaning in links is encoded.
fn reference(path: &Path) -> String {
    let mut out = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '%' | '?' | '#' | ':' | '"' | '\'' | '<' | '>' | ' ' => out += &format!("%{:02X}", u32::from(c)),
            '\\' if cfg!(windows) => out.push('/'),
            c => out.push(c),
        }
    }
    out
}

/// The name of a result: that of the program, with the ending of what it is.
fn named(program: &Path, ending: &str) -> PathBuf {
    if ending == "py" {
        return program.to_owned();
    }
    if program.extension().is_some_and(|e| e == "py") {
        return program.with_extension(ending);
    }
    let mut name = program.as_os_str().to_owned();
    name.push(format!(".{ending}"));
    name.into()
}

fn create_folder(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder).map_err(|e| Failure::about(folder, format!("cannot create folder: {e}")))
}

fn one(
    task: &Task,
    target: Option<PathBuf>,
    pages: Option<&Pages>,
    inout: &InOut,
    job: &(impl Fn(&Path) -> Result<Product, Failure> + Sync),
) -> Result<Done, Failure> {
    let product = job(&task.path)?;
    if let Some(target) = target {
        target.parent().map_or(Ok(()), create_folder)?;
        io::write_file(&target, &product.text)?;
    }
    if let (Some(pages), Some(page)) = (pages, &product.page) {
        let target = pages.path_of(&task.name);
        target.parent().map_or(Ok(()), create_folder)?;
        io::write_file(&target, page)?;
    }
    let difference = inout.compares().then(|| product.difference(&task.path.display().to_string()));
    let Product { costs, report, bindings, remarks, .. } = product;
    Ok(Done { costs, report, bindings, remarks, difference })
}

/// Shows what changes, and whether anything does.
fn changes(rows: &[Row], inout: &InOut) -> Result<bool, Failure> {
    let mut changed = false;
    for row in rows {
        let Ok(Done { difference: Some(difference), .. }) = &row.result else { continue };
        if difference.is_empty() {
            continue;
        }
        changed = true;
        if inout.diff {
            io::write_difference(difference)?;
        }
        if inout.check {
            terminal::note(&format!("note: {} would change\n", row.name));
        }
    }
    Ok(changed)
}

fn row_json(row: &Row) -> Value {
    match &row.result {
        Ok(done) => json!({ "file": row.name, "report": done.report }),
        Err(failure) => json!({ "file": row.name, "error": failure.message() }),
    }
}

/// One line for each program, then the totals.
fn table(rows: &[Row]) -> String {
    let width = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0).max("geometric mean".len());
    let mut out = format!(
        "{:width$}  {:>14}  {:>14}  {:>6}  {:>9}\n",
        "program", "cost before", "after", "ratio", "ms"
    );
    let mut logs = Vec::new();
    for row in rows {
        let ms = row.time.as_secs_f64() * 1e3;
        let cells = match &row.result {
            Ok(Done { costs: Some((before, after)), .. }) => {
                let ratio = if *before > 0.0 { after / before } else { 1.0 };
                if ratio > 0.0 {
                    logs.push(ratio.ln());
                }
                format!("{before:>14.1}  {after:>14.1}  {ratio:>6.3}")
            }
            Ok(Done { costs: None, .. }) => format!("{:>14}  {:>14}  {:>6}", "", "", "ok"),
            Err(_) => format!("{:>14}  {:>14}  {:>6}", "", "", "failed"),
        };
        out += &format!("{:width$}  {cells}  {ms:>9.1}\n", row.name);
    }
    if !logs.is_empty() {
        let mean = (logs.iter().sum::<f64>() / logs.len() as f64).exp();
        out += &format!("{:width$}  {:>14}  {:>14}  {mean:>6.3}\n", "geometric mean", "", "");
    }
    let dearer = rows
        .iter()
        .filter(|row| matches!(row.result, Ok(Done { costs: Some((before, after)), .. }) if after > before));
    let dearer = dearer.count();
    if dearer > 0 {
        out += &format!(
            "{dearer} cost more by the estimate, which halves what is under an `if`: conditions went that always hold\n"
        );
    }
    let bad = rows.iter().filter(|r| r.result.is_err()).count();
    out += &format!("{} programs, {bad} failed\n", rows.len());
    out
}

/// Names every program that failed and says why.
fn failures(rows: &[Row]) -> Result<(), Failure> {
    let bad: Vec<(&str, &Failure)> =
        rows.iter().filter_map(|r| r.result.as_ref().err().map(|f| (r.name.as_str(), f))).collect();
    if bad.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for (_, failure) in &bad {
        text += failure.message();
        text += "\n";
    }
    let names: Vec<&str> = bad.iter().map(|(name, _)| *name).collect();
    text += &format!("error: {} of {} programs failed: {}", bad.len(), rows.len(), names.join(", "));
    Err(Failure::Bad(text))
}
