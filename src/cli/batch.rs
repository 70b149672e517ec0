//! A folder of programs: all of them, in parallel, with a progress bar and a summary. A bad one does not stop the
//! rest.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::guarded;
use super::io::{self, Failure, Source};
use super::program::{Product, json_text};

/// What came of one program.
struct Row {
    name: String,
    time: Duration,
    result: Result<Done, Failure>,
}

struct Done {
    costs: Option<(f64, f64)>,
    report: Option<Value>,
}

/// Applies `job` to every `*.py` in `folder`. Results go to the folder `output` under the same names; without one
/// only the summary is printed.
pub(crate) fn run(
    folder: &Path,
    output: Option<&Path>,
    report: Option<&Path>,
    job: impl Fn(&Source) -> Result<Product, Failure> + Sync,
) -> Result<(), Failure> {
    let files = programs(folder)?;
    if let Some(output) = output {
        if output.exists() && !output.is_dir() {
            let text =
                format!("satir: error: {}: the input is a folder, so -o must be one", output.display());
            return Err(Failure::Usage(text));
        }
        fs::create_dir_all(output)
            .map_err(|e| Failure::about(output, format!("cannot create folder: {e}")))?;
    }
    let bar = ProgressBar::with_draw_target(Some(files.len() as u64), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {msg}") {
        bar.set_style(style);
    }
    let work = |path: &PathBuf| {
        let name = path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        let start = Instant::now();
        let result = guarded(|| one(path, output.map(|o| o.join(&name)), &job));
        bar.set_message(name.clone());
        bar.inc(1);
        Row { name, time: start.elapsed(), result }
    };
    let rows: Vec<Row> = files.par_iter().map(work).collect();
    bar.finish_and_clear();
    if let Some(path) = report {
        let programs: Vec<Value> = rows.iter().map(row_json).collect();
        io::write_file(path, &json_text(&json!({ "programs": programs }))?)?;
    }
    io::write_stdout(&table(&rows))?;
    failures(&rows)
}

/// The programs in a folder, by name.
pub(crate) fn programs(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let fail = |e| Failure::about(folder, format!("cannot list folder: {e}"));
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if path.extension().is_some_and(|e| e == "py") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        Err(Failure::about(folder, "no file in this folder ends in `.py`"))
    } else {
        Ok(files)
    }
}

fn one(
    path: &Path,
    output: Option<PathBuf>,
    job: &(impl Fn(&Source) -> Result<Product, Failure> + Sync),
) -> Result<Done, Failure> {
    let product = job(&io::read(Some(path))?)?;
    if let Some(output) = output {
        io::write_file(&output, &product.text)?;
    }
    Ok(Done { costs: product.costs, report: product.report })
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
    text += &format!("satir: error: {} of {} programs failed: {}", bad.len(), rows.len(), names.join(", "));
    Err(Failure::Bad(text))
}
