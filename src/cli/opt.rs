//! `satir opt`: any passes in any order.

use satir::cse::Options;
use satir::ir::Module;
use satir::passes;

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::program::{self, Product};
use super::validate::validate;

/// Run the named passes in order.
///
/// The program is verified before the first pass and after each. With no passes it is only parsed, verified and
/// printed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir opt --list\n  satir opt --passes \"\" kernel.py\n  \
                        satir opt --passes syntactic-cse,verify kernel.py -o out.py")]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    #[command(flatten)]
    tuning: Tuning,

    /// Passes to run, in order, between commas.
    #[arg(long, value_name = "A,B,…", required_unless_present = "list")]
    passes: Option<String>,

    /// List the passes and exit.
    #[arg(long)]
    list: bool,

    /// Print the program after each pass to standard error.
    #[arg(long)]
    print_after_each: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.list {
        return io::write_stdout(&list());
    }
    let chosen = passes::select(args.passes.as_deref().unwrap_or("")).map_err(Failure::usage)?;
    let options = program::options(&args.tuning)?;
    let job = |source: &Source, module: &Module| {
        one(source, module, &chosen, &options, &args.tuning, &args.inout, args.print_after_each)
    };
    program::transform(&args.inout, &args.tuning, "py", job)
}

/// Runs passes on one program; the report has what each did.
pub(crate) fn one(
    source: &Source,
    module: &Module,
    chosen: &[&passes::Pass],
    options: &Options,
    tuning: &Tuning,
    inout: &InOut,
    print: bool,
) -> Result<Product, Failure> {
    let mut steps = Vec::new();
    let result = passes::run(module, chosen, options, |step, module| {
        if print && step.changed {
            io::write_stderr(&format!("# {} after {}\n{module}", source.name, step.pass));
        } else if print {
            io::write_stderr(&format!("# {} after {}: unchanged\n", source.name, step.pass));
        }
        steps.push(serde_json::json!({
            "pass": step.pass,
            "changed": step.changed,
            "time_us": u64::try_from(step.time.as_micros()).unwrap_or(u64::MAX),
        }));
    });
    let result = result.map_err(|e| program::failure(source, &e))?;
    let text = result.to_string();
    if tuning.validate {
        validate(source, module, &text, options)?;
    }
    let costs = (program::cost(module, options), program::cost(&result, options));
    let report = serde_json::json!({ "passes": steps, "cost_before": costs.0, "cost_after": costs.1 });
    let before = inout.compares().then(|| module.to_string());
    Ok(Product { text, report: Some(report), page: None, costs: Some(costs), before })
}

fn list() -> String {
    let width = passes::ALL.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    passes::ALL.iter().map(|pass| format!("{:width$}  {}\n", pass.name, pass.about)).collect()
}
