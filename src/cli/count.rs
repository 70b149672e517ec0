//! `satir count`: how many operations a program has and runs.

use std::path::PathBuf;

use satir::cost::{self, Family, Profile};
use satir::interp::{self, Counts, RunOptions};
use satir::ir::PrimFunc;
use serde::Serialize;

use super::execute::{self, Inputs};
use super::io::{self, Failure, Source};
use super::{json, options, program};

/// Count operations by class: those in the text, and those that a run executes.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  satir count --bind n=64 --json kernel.py")]
pub(crate) struct Args {
    /// TVMScript file; `-` or nothing reads standard input.
    input: Option<PathBuf>,

    #[command(flatten)]
    inputs: Inputs,

    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    cost: Option<PathBuf>,

    /// Count the text only, without a run.
    #[arg(long = "static")]
    only_static: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// The counts of a function.
#[derive(Serialize)]
struct Counted {
    name: String,
    /// Operations in the text.
    #[serde(rename = "static")]
    in_text: Counts,
    /// Operations executed; absent with `--static`.
    dynamic: Option<Counts>,
    cost: Costs,
}

/// Weighted sums.
#[derive(Serialize)]
struct Costs {
    /// By estimated frequencies: what the optimizer minimizes.
    estimated: f64,
    /// The integer part of it.
    estimated_integer: f64,
    /// Of the executed operations.
    dynamic: Option<f64>,
    /// Of those, integer work.
    dynamic_integer: Option<f64>,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let source = io::read(args.input.as_deref())?;
    let module = program::checked(&source)?;
    let profile = options::profile(args.cost.as_deref())?;
    args.inputs.check(&[&module])?;
    let options = RunOptions {
        bindings: args.inputs.bind.values()?,
        constraints: args.inputs.constraints()?,
        seed: args.inputs.seed,
        tensors: Vec::new(),
        max_steps: args.inputs.max_steps,
        lenient_loads: args.inputs.lenient_loads,
    };
    let mut functions = Vec::new();
    for func in &module.funcs {
        functions.push(count(&source, func, &profile, &options, args.only_static)?);
    }
    let text = if args.json {
        json::json_text(&serde_json::json!({ "functions": functions }))?
    } else {
        functions.iter().map(text_of).collect()
    };
    io::write_stdout(&text)
}

fn count(
    source: &Source,
    func: &PrimFunc,
    profile: &Profile,
    options: &RunOptions,
    only_static: bool,
) -> Result<Counted, Failure> {
    let estimate = cost::cost_of_func(func, profile, &options.bindings);
    let fail = |e: interp::RunError| execute::refusal(source, &func.name, &e);
    let (in_text, dynamic) = if only_static {
        (interp::static_counts(func).map_err(fail)?, None)
    } else {
        let report = interp::run_function(func, options).map_err(fail)?;
        if let Some(trap) = &report.trap {
            return Err(Failure::Bad(execute::stopped(source, &func.name, trap)));
        }
        (report.static_counts, Some(report.counts))
    };
    let weigh = |counts: &Counts, integer: bool| {
        counts.weighted(&|class| {
            let counted = !integer || cost::family(class) == Family::Integer;
            if counted { profile.weight(class).to_f64() } else { 0.0 }
        })
    };
    let cost = Costs {
        estimated: estimate.total.to_f64(),
        estimated_integer: estimate.integer.to_f64(),
        dynamic: dynamic.as_ref().map(|d| weigh(d, false)),
        dynamic_integer: dynamic.as_ref().map(|d| weigh(d, true)),
    };
    Ok(Counted { name: func.name.to_string(), in_text, dynamic, cost })
}

fn text_of(counted: &Counted) -> String {
    let mut out = format!("{:16} {:>12} {:>14}\n", counted.name, "in the text", "executed");
    let dynamic = |n: Option<u64>| n.map_or_else(String::new, |n| n.to_string());
    for (class, n) in counted.in_text.iter() {
        let runs = counted.dynamic.as_ref().map(|d| d.get(class));
        if n > 0 || runs.is_some_and(|r| r > 0) {
            out += &format!("  {:14} {n:>12} {:>14}\n", class.name(), dynamic(runs));
        }
    }
    let total = counted.dynamic.as_ref().map(Counts::total);
    out += &format!("  {:14} {:>12} {:>14}\n", "total", counted.in_text.total(), dynamic(total));
    out += &format!("  {:14} {:>12.2}\n", "estimated cost", counted.cost.estimated);
    if let (Some(all), Some(integer)) = (counted.cost.dynamic, counted.cost.dynamic_integer) {
        out += &format!("  {:14} {:>12} {all:>14.2}\n", "weighted cost", "");
        out += &format!("  {:14} {:>12} {integer:>14.2}\n", "... integer", "");
    }
    out
}
