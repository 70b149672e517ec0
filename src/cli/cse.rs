//! `satir cse`: share equal computations.

use clap::ValueEnum;
use satir::cse;
use satir::eqsat::extract::Effort;
use satir::eqsat::show::{Stage, show};
use satir::ir::Module;

use super::args::{InOut, Tuning};
use super::io::{Failure, Source};
use super::program::{self, Product};

/// Share equal computations: the main job.
///
/// Expressions that are equal, by their meaning and not only by their text, are computed once, at the outermost
/// place where that is legal and cheapest, and bound to a variable there.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir cse kernel.py -o faster.py\n  satir cse --mode syntactic < kernel.py\n  \
                        satir cse --bind n=64,m=3 --report report.json kernel.py\n  satir cse kernels/ -o out/"
)]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    /// How equality of expressions is decided.
    #[arg(long, value_enum, default_value_t = Mode::Semantic)]
    mode: Mode,

    /// Do not simplify under facts first (semantic mode does).
    #[arg(long)]
    no_simplify: bool,

    /// How the cheapest among equal expressions is chosen.
    #[arg(long, value_enum, default_value_t = Extract::Auto)]
    extract: Extract,

    /// Keep the Let bindings of the input where they are (semantic mode makes them again where they pay).
    #[arg(long)]
    keep_lets: bool,

    #[command(flatten)]
    tuning: Tuning,

    /// Print this instead of the resulting program.
    #[arg(long, value_enum, value_name = "STAGE", default_value_t = Emit::Result)]
    emit: Emit,
}

/// How equality of expressions is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Mode {
    /// By equality saturation with rewrite rules and arithmetic.
    Semantic,
    /// By text: expressions are equal if they are written alike.
    Syntactic,
}

/// How the cheapest among equal expressions is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Extract {
    /// Greedily.
    Greedy,
    /// Greedily, and exactly where that takes few steps.
    Auto,
    /// Exactly, within a limit on steps; the report says whether that was enough.
    Exact,
}

/// What to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// The resulting program.
    Result,
    /// The program as it was read.
    Parsed,
    /// The program after syntactic sharing.
    Syntactic,
    /// The e-graph of each function as it is written.
    Egraph,
    /// That e-graph after saturation.
    Saturated,
    /// What is extracted from it: the node of each class, and where it is bound.
    Plan,
    /// The report as JSON.
    Report,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut options = program::options(&args.tuning)?;
    options.mode = match (args.emit, args.mode) {
        (Emit::Syntactic, _) | (_, Mode::Syntactic) => cse::Mode::Syntactic,
        (_, Mode::Semantic) => cse::Mode::Semantic,
    };
    options.simplify = !args.no_simplify;
    options.keep_lets = args.keep_lets;
    options.effort = match args.extract {
        Extract::Greedy => Effort::Greedy,
        Extract::Auto => Effort::Auto,
        Extract::Exact => Effort::Exact,
    };
    let reported = args.tuning.report.is_some() || args.emit == Emit::Report;
    let job = |source: &Source| one(source, &options, args.emit, reported);
    program::transform(&args.inout, args.tuning.report.as_deref(), job)
}

fn one(source: &Source, options: &cse::Options, emit: Emit, reported: bool) -> Result<Product, Failure> {
    if emit == Emit::Parsed {
        let module = program::checked(source)?;
        return Ok(Product { text: module.to_string(), report: None, costs: None });
    }
    if let Some(stage) = emit.stage() {
        let text = stage_text(&program::checked(source)?, options, stage)?;
        return Ok(Product { text, report: None, costs: None });
    }
    let module = program::parse(source)?;
    let (module, mut report) = cse::run(&module, options).map_err(|e| program::failure(source, &e))?;
    let costs = Some((report.cost_before(), report.cost_after()));
    let mut json = None;
    if reported {
        report.locate(&source.text);
        json = Some(program::report_json(&report)?);
    }
    let text = match (emit, &json) {
        (Emit::Report, Some(json)) => program::json_text(json)?,
        _ => module.to_string(),
    };
    Ok(Product { text, report: json, costs })
}

impl Emit {
    /// The stage of equality saturation that is shown.
    fn stage(self) -> Option<Stage> {
        match self {
            Emit::Egraph => Some(Stage::Lowered),
            Emit::Saturated => Some(Stage::Saturated),
            Emit::Plan => Some(Stage::Plan),
            Emit::Result | Emit::Parsed | Emit::Syntactic | Emit::Report => None,
        }
    }
}

/// A stage of every function, each under its name.
fn stage_text(module: &Module, options: &cse::Options, stage: Stage) -> Result<String, Failure> {
    let config = options.search();
    let mut text = String::new();
    for func in &module.funcs {
        let shown = show(func, &config, stage)
            .map_err(|e| Failure::Bad(format!("satir: error: function `{}`: {e}", func.name)))?;
        text += &format!("function {}\n{shown}", func.name);
    }
    Ok(text)
}
