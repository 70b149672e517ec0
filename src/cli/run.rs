//! `satir run`: run a program on seeded inputs.

use std::path::PathBuf;

use satir::interp::{self, RunOptions, RunReport};

use super::execute::{self, Inputs};
use super::io::{self, Failure};
use super::{explain, json, program};

/// Run a program with the reference interpreter on seeded inputs.
///
/// Prints a digest of each buffer that the program may write, and what was executed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  satir run --bind n=64 --seed 7 kernel.py")]
pub(crate) struct Args {
    /// TVMScript file; `-` or nothing reads standard input.
    input: Option<PathBuf>,

    #[command(flatten)]
    inputs: Inputs,

    /// Run only this function; without it all are run.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Contents of some buffers, from a file that --save wrote or in its format: a line of JSON that lists name,
    /// dtype and shape of each, then the bytes.
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,

    /// Write all buffers after the run to this file.
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let source = io::read(args.input.as_deref())?;
    let module = program::checked(&source)?;
    let funcs = explain::functions(&module, args.function.as_deref())?;
    args.inputs.check(&[&module])?;
    let options = RunOptions {
        bindings: args.inputs.bind.values()?,
        constraints: args.inputs.constraints()?,
        seed: args.inputs.seed,
        tensors: execute::load_tensors(args.load.as_ref())?,
        max_steps: args.inputs.max_steps,
        lenient_loads: args.inputs.lenient_loads,
    };
    let mut reports = Vec::new();
    let mut stops = Vec::new();
    for func in funcs {
        let report =
            interp::run_function(func, &options).map_err(|e| execute::refusal(&source, &func.name, &e))?;
        stops.extend(report.trap.as_ref().map(|trap| execute::stopped(&source, &func.name, trap)));
        reports.push(report);
    }
    if let Some(path) = &args.save {
        let tensors: Vec<_> = reports.iter().flat_map(|r| r.tensors.iter().cloned()).collect();
        io::write_bytes(path, &interp::write_tensors(&tensors))?;
    }
    let text = if args.json {
        json::json_text(&serde_json::json!({ "functions": reports }))?
    } else {
        reports.iter().map(text_of).collect()
    };
    io::write_stdout(&text)?;
    if stops.is_empty() { Ok(()) } else { Err(Failure::Bad(stops.join("\n"))) }
}

fn text_of(report: &RunReport) -> String {
    let mut out = format!("{}: {}\n", report.function, report.outcome);
    if let Some(value) = &report.returned {
        out += &format!("  returned {value}\n");
    }
    for digest in &report.outputs {
        let shape: Vec<String> = digest.shape.iter().map(i64::to_string).collect();
        out += &format!("  {} {}[{}] {}\n", digest.name, digest.dtype, shape.join(", "), digest.digest);
    }
    if let Some(digest) = &report.calls_digest {
        out += &format!("  {} calls {digest}\n", report.calls);
    }
    for (class, n) in report.counts.iter().filter(|(_, n)| *n > 0) {
        out += &format!("  {:16} {n:>12}\n", class.name());
    }
    out + &format!("  {:16} {:>12}\n", "total", report.counts.total())
}
