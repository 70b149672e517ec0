//! `satir cse`: share equal computations.

use std::sync::Arc;

use clap::ValueEnum;
use satir::cse;
use satir::eqsat::show::{Stage, show};
use satir::eqsat::{Effort, TheoryLevel};
use satir::ir::Module;
use satir::report::Document;
use satir::target::IndexBits;

use super::args::{InOut, Tuning};
use super::explain;
use super::io::{Failure, Source};
use super::outcome::{self, Outcome};
use super::product::Product;
use super::theory::Theory;
use super::validate::validate;
use super::{json, options, program, transform};

/// Share equal computations: the main job.
///
/// Expressions that are equal, by their meaning and not only by their text, are computed once, at the outermost
/// place where that is legal and cheapest, and bound to a variable there.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir cse kernel.py -o faster.py\n  satir cse --mode syntactic < kernel.py\n  \
                        satir cse --bind n=64 --report report.json kernel.py\n  satir cse kernels/ -o out/\n  satir cse kernel.py --diff\n  \
                        satir cse kernel.py --report report.html -o faster.py\n  satir cse kernel.py --explain > faster.py\n  satir cse kernel.py --remarks kernel.opt.yaml -o faster.py\n  \
                        satir cse kernel.py --explain-missed \"i * n // n\" \"i\"\n  \
                        satir cse kernel.py --emit egraph-svg --of \"(i * 4 + j) // 4\" > graph.svg\n  \
                        satir cse kernel.py --emit egraph-svg > function.svg"
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

    #[command(flatten)]
    theory: Theory,

    /// The width of the arithmetic of indices in the result. Compilers for CPUs make faster code of indices of 64 bits, the
    /// width of addresses; the conversions count as work in the cost of the result.
    #[arg(long, value_enum, default_value_t = Bits::Same)]
    index_bits: Bits,

    /// Print this instead of the resulting program.
    #[arg(long, value_enum, value_name = "STAGE", default_value_t = Emit::Result)]
    emit: Emit,

    /// The expression for `--emit egraph-…`, over the variables of the function; without it the picture is of the function.
    #[arg(long, value_name = "EXPR")]
    of: Option<String>,

    /// The function whose variables `--of` and `--explain-missed` use (the first if not given), or the only one of which a
    /// stage of `--emit` is shown.
    #[arg(long, value_name = "NAME")]
    function: Option<String>,

    /// Instead of optimizing, say why two expressions over the function's variables are equal, or why they were not
    /// found equal: values for which they differ, or the rule that came closest.
    #[arg(long, value_names = ["EXPR1", "EXPR2"], num_args = 2)]
    explain_missed: Vec<String>,
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
    /// The e-graph of the expression of `--of` for Graphviz.
    EgraphDot,
    /// The same as a picture.
    EgraphSvg,
    /// The same in the JSON format of the crate egraph-serialize.
    EgraphJson,
}

/// The width of index arithmetic.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Bits {
    /// As in the program.
    #[value(name = "32")]
    Same,
    /// 64 bits.
    #[value(name = "64")]
    Wide,
    /// 64 bits in functions whose attribute `target` names a compiler for CPUs.
    Auto,
}

impl From<Bits> for IndexBits {
    fn from(bits: Bits) -> IndexBits {
        match bits {
            Bits::Same => IndexBits::Same,
            Bits::Wide => IndexBits::Wide,
            Bits::Auto => IndexBits::Auto,
        }
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    consistent(args)?;
    let mut options = options::options(&args.tuning)?;
    options.mode = match (args.emit, args.mode) {
        (Emit::Syntactic, _) | (_, Mode::Syntactic) => cse::Mode::Syntactic,
        (_, Mode::Semantic) => cse::Mode::Semantic,
    };
    options.simplify = !args.no_simplify;
    if args.theory.level() < TheoryLevel::Full {
        options.rewrites = Arc::new(options.rewrites.with_theory(args.theory.level()));
    }
    options.keep_lets = args.keep_lets;
    options.index_bits = args.index_bits.into();
    options.effort = match args.extract {
        Extract::Greedy => Effort::Greedy,
        Extract::Auto => Effort::Auto,
        Extract::Exact => Effort::Exact,
    };
    let ending = if args.explain_missed.is_empty() { args.emit.ending() } else { "txt" };
    transform::transform(&args.inout, &args.tuning, ending, |source, module| {
        one(source, module, args, &options)
    })
}

/// Refuses options that would have no effect.
fn consistent(args: &Args) -> Result<(), Failure> {
    let (emit, asks) = (args.emit, !args.explain_missed.is_empty());
    if args.of.is_some() && !emit.is_graph() {
        return Err(Failure::usage("`--of EXPR` goes with `--emit egraph-…`"));
    }
    if asks && emit != Emit::Result {
        return Err(Failure::usage("`--explain-missed` takes the place of `--emit`"));
    }
    if args.function.is_some() && !asks && !emit.is_graph() && emit.stage().is_none() {
        return Err(Failure::usage(
            "`--function` goes with `--of`, `--explain-missed` or a stage of `--emit`",
        ));
    }
    let page = args.tuning.report.as_deref().is_some_and(outcome::is_page);
    if args.theory.level() < TheoryLevel::Full
        && (asks || args.tuning.explain || args.tuning.remarks.is_some() || args.of.is_some() || page)
    {
        return Err(Failure::usage("explanations tell of the full theory: they do not go with `--theory`"));
    }
    if args.theory.level() < TheoryLevel::Full && (args.mode == Mode::Syntactic || emit == Emit::Syntactic) {
        return Err(Failure::usage("`--theory` says nothing of syntactic sharing"));
    }
    // Not all that is printed is made of a result.
    let has_result = !asks && !emit.is_graph() && emit.stage().is_none() && emit != Emit::Parsed;
    let of_result = [
        ("--report", args.tuning.report.is_some()),
        ("--validate", args.tuning.validate),
        ("--explain", args.tuning.explain),
        ("--remarks", args.tuning.remarks.is_some()),
    ];
    let of_program = [("--diff", args.inout.diff), ("--check", args.inout.check)];
    let idle = of_result.into_iter().filter(|_| !has_result);
    let idle = idle.chain(of_program.into_iter().filter(|_| emit != Emit::Result || asks));
    match idle.into_iter().find(|(_, given)| *given) {
        Some((option, _)) if asks => {
            Err(Failure::usage(format_args!("`{option}` and `--explain-missed` do not go together")))
        }
        Some((option, _)) => {
            let stage =
                emit.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
            Err(Failure::usage(format_args!("`{option}` and `--emit {stage}` do not go together")))
        }
        None => Ok(()),
    }
}

fn one(source: &Source, before: &Module, args: &Args, options: &cse::Options) -> Result<Product, Failure> {
    // Read only by what explains: the optimizer has them prepared.
    let rules = || args.tuning.chosen.read();
    let plain = |text: String| Ok(Product::plain(text));
    let function = args.function.as_deref();
    if args.emit == Emit::Parsed {
        program::verify(source, before)?;
        return plain(before.to_string());
    }
    if let Some(stage) = args.emit.stage() {
        program::verify(source, before)?;
        return plain(stage_text(before, function, options, stage)?);
    }
    if let [a, b] = &args.explain_missed[..] {
        program::verify(source, before)?;
        return plain(explain::missed(before, function, options, &rules()?, a, b)?);
    }
    if args.emit.is_graph() {
        program::verify(source, before)?;
        let view = match &args.of {
            Some(of) => explain::view(before, function, options, &rules()?, of)?,
            None => explain::view_of_function(before, function, options)?,
        };
        return plain(match args.emit {
            Emit::EgraphDot => view.to_dot(),
            Emit::EgraphSvg => view.to_svg(),
            _ => json::json_text(&view.to_json())?,
        });
    }
    let options = &match options.mode {
        // Rules do nothing here, so there is nothing to count.
        cse::Mode::Syntactic => options.clone(),
        cse::Mode::Semantic => outcome::counting(options, &args.tuning, args.emit == Emit::Report)?,
    };
    let (after, report) = cse::run(before, options).map_err(|e| program::failure(source, &e))?;
    if args.tuning.validate {
        validate(source, before, &after.to_string(), options, args.tuning.chosen.files())?;
    }
    let report = Document::of_cse(&source.name, &source.text, report, options);
    let text = match args.emit {
        Emit::Report => json::json_text(&report)?,
        _ => after.to_string(),
    };
    let outcome = Outcome { source, before, after: &after, report, options };
    outcome.product(text, &args.tuning, &args.inout)
}

impl Emit {
    /// The stage of equality saturation that is shown.
    fn stage(self) -> Option<Stage> {
        match self {
            Emit::Egraph => Some(Stage::Lowered),
            Emit::Saturated => Some(Stage::Saturated),
            Emit::Plan => Some(Stage::Plan),
            Emit::Result
            | Emit::Parsed
            | Emit::Syntactic
            | Emit::Report
            | Emit::EgraphDot
            | Emit::EgraphSvg
            | Emit::EgraphJson => None,
        }
    }

    /// Whether it shows the e-graph of one expression.
    fn is_graph(self) -> bool {
        matches!(self, Emit::EgraphDot | Emit::EgraphSvg | Emit::EgraphJson)
    }

    /// The ending of files that hold it.
    fn ending(self) -> &'static str {
        match self {
            Emit::Result | Emit::Parsed | Emit::Syntactic => "py",
            Emit::Egraph | Emit::Saturated | Emit::Plan => "txt",
            Emit::Report | Emit::EgraphJson => "json",
            Emit::EgraphDot => "dot",
            Emit::EgraphSvg => "svg",
        }
    }
}

/// A stage of every function, or of one, each under its name.
fn stage_text(
    module: &Module,
    function: Option<&str>,
    options: &cse::Options,
    stage: Stage,
) -> Result<String, Failure> {
    let config = options.search();
    let mut text = String::new();
    for func in explain::functions(module, function)? {
        let shown = show(func, &config, stage)
            .map_err(|e| Failure::bad(format_args!("function `{}`: {e}", func.name)))?;
        text += &format!("function {}\n{shown}", func.name);
    }
    Ok(text)
}
