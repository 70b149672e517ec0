//! `satir tensor`: tensors that are computed once, kept in buffers or computed where they are used.

use satir::ir::Module;
use satir::tensor::{self, Settings};
use serde_json::{Value, json};

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::product::Product;
use super::validate::validate;
use super::{options, program, transform};

/// Compute equal tensors once, decide which are kept in buffers, and merge loop nests.
///
/// For functions of blocks, forward and backward in one, as TVM's `te.create_prim_func` and Relax's `FuseTIR` make them. Blocks
/// that define no tensor stay as they are. Floats keep their bits. Where stores have no weight they count as loads.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir tensor kernel.py -o shared.py\n  satir tensor kernel.py --explain > shared.py\n  satir tensor kernel.py --report decisions.json -o shared.py"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    #[command(flatten)]
    tuning: Tuning,

    /// Look at no more than this many plans for each part of a function.
    #[arg(long, value_name = "N", default_value_t = 4_000, value_parser = clap::value_parser!(u32).range(1..))]
    evaluations: u32,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let options = options::options(&args.tuning)?;
    let mut settings = Settings { profile: options.profile.clone(), ..Settings::default() };
    settings.evaluations = usize::try_from(args.evaluations).unwrap_or(usize::MAX);
    let job = |source: &Source, module: &Module| {
        program::verify(source, module)?;
        let mut made = module.clone();
        let reports: Vec<_> = made.funcs.iter_mut().map(|func| tensor::share(func, &settings)).collect();
        let text = made.to_string();
        if args.tuning.validate {
            validate(source, module, &text, &options, args.tuning.chosen.files())?;
        }
        if args.tuning.explain {
            let told: String = reports.iter().map(ToString::to_string).collect();
            io::write_stderr(&told);
        }
        let sum = |cost: fn(&tensor::Report) -> f64| reports.iter().map(cost).sum::<f64>();
        let costs = (sum(|report| report.cost_before.to_f64()), sum(|report| report.cost_after.to_f64()));
        let report = Value::Array(reports.iter().map(as_json).collect());
        let before = args.inout.compares().then(|| module.to_string());
        Ok(Product { report: Some(report), costs: Some(costs), before, ..Product::plain(text) })
    };
    transform::transform(&args.inout, &args.tuning, "py", job)
}

/// A report as JSON.
fn as_json(report: &tensor::Report) -> Value {
    let definitions: Vec<Value> = report
        .definitions
        .iter()
        .map(|(name, kept)| match kept {
            tensor::Kept::Equal(other) => json!({"name": name, "became": "equal", "to": other}),
            tensor::Kept::Buffer => json!({"name": name, "became": "kept"}),
            tensor::Kept::Inlined => json!({"name": name, "became": "inlined"}),
            _ => json!({"name": name, "became": "unused"}),
        })
        .collect();
    let plans: Vec<Value> =
        report.alternatives.iter().map(|a| json!({"name": a.name, "cost": a.cost.to_f64()})).collect();
    let opaque: Vec<Value> = report.opaque.iter().map(|o| json!({"name": o.name, "why": o.why})).collect();
    json!({
        "function": report.name,
        "cost_before": report.cost_before.to_f64(),
        "cost_after": report.cost_after.to_f64(),
        "evaluations": report.evaluations,
        "plans": plans,
        "nests": report.nests,
        "definitions": definitions,
        "opaque": opaque,
    })
}
