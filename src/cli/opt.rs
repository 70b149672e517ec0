//! `satir opt`: any passes in any order.

use std::ops::ControlFlow;
use std::path::PathBuf;

use satir::Error;
use satir::cse::{Hoisting, Loops, Options};
use satir::ir::Module;
use satir::passes::{self, Pipeline};
use satir::report::Document;

use super::args::{InOut, Tuning};
use super::io::{self, Failure, Source};
use super::outcome::{self, Outcome};
use super::product::Product;
use super::validate::validate;
use super::{options, program, transform};

/// Run a pipeline of passes: the full one, or the passes that are named.
///
/// The program is verified before the first pass and after each that changes it. Without `--passes` and `-O` the pipeline is
/// that of `-O2`. Groups in `--passes` are `fixpoint(A,B)`, which runs until nothing changes, and `cheapest(A,B|C)`, which
/// takes the alternative of least cost. With an empty list the program is only parsed, verified and printed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir opt kernel.py -o out.py\n  satir opt --list\n  \
                        satir opt --passes \"\" kernel.py\n  \
                        satir opt --passes \"fixpoint(simplify),syntactic-cse\" --print-after simplify kernel.py")]
pub(crate) struct Args {
    #[command(flatten)]
    inout: InOut,

    #[command(flatten)]
    tuning: Tuning,

    /// Passes to run, in order, between commas; with groups `fixpoint(A,B)` and `cheapest(A,B|C)`.
    #[arg(long, value_name = "A,B,…", conflicts_with = "level")]
    passes: Option<String>,

    /// What passes are told beside the options, in a JSON file: an object or a list of objects, such as `{"buffer": "A",
    /// "map": "lambda i: [i // 4, i % 4]", "pad": "0"}` for `transform-layout`. `--list` says which keys each pass takes.
    #[arg(long, value_name = "FILE")]
    args: Option<PathBuf>,

    /// For the pass `link`: a buffer that one function writes is what another one gets.
    #[arg(long, value_name = "F.A=G.B")]
    edge: Vec<String>,

    /// Optimization level: 0 only verifies, 1 simplifies and shares what is written alike, 2 is the full pipeline.
    #[arg(short = 'O', value_name = "LEVEL", default_value_t = 2, value_parser = clap::value_parser!(u8).range(0..=2))]
    level: u8,

    /// List the passes and the pipelines of the levels, and exit.
    #[arg(long)]
    list: bool,

    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    loops: LoopFlags,
}

/// What may be done to loops.
#[derive(clap::Args, Debug)]
struct LoopFlags {
    /// The pass `loops` makes no statement more than this many times as long, short ones excepted; 1 for not longer at all.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    growth: u16,

    /// The pass `loops` also splits `parallel` loops; the loop of the quotients is parallel then.
    #[arg(long)]
    restructure_parallel: bool,

    /// Which conditions the pass `hoist` takes out of loops: those of `if` statements, those of choices, all comparisons and
    /// logical operations; with `block-var` also those that depend on threads of a GPU; `none` for none.
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_values = ["if-stmt", "if-expr"])]
    hoist: Vec<Condition>,

    /// Which bindings the pass `hoist` takes out of loops: those that conditions read, all statements, those within expressions;
    /// `none` for none.
    #[arg(long, value_name = "KIND,…", value_delimiter = ',', default_values = ["required"])]
    hoist_lets: Vec<Binding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Condition {
    None,
    IfStmt,
    IfExpr,
    Bool,
    BlockVar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Binding {
    None,
    Required,
    LetStmt,
    LetExpr,
}

impl LoopFlags {
    fn options(&self) -> Loops {
        let hoisting = Hoisting {
            statements: self.hoist.contains(&Condition::IfStmt),
            expressions: self.hoist.contains(&Condition::IfExpr),
            truths: self.hoist.contains(&Condition::Bool),
            bindings: self.hoist_lets.contains(&Binding::Required),
            all_bindings: self.hoist_lets.contains(&Binding::LetStmt),
            let_expressions: self.hoist_lets.contains(&Binding::LetExpr),
            thread_variables: self.hoist.contains(&Condition::BlockVar),
        };
        Loops { growth: self.growth.into(), parallel: self.restructure_parallel, hoisting }
    }
}

/// What is looked at while passes run.
#[derive(clap::Args, Debug, Default)]
pub(crate) struct Watch {
    /// Print the program after each run of these passes (`all` for each pass) to standard error.
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    print_after: Vec<String>,

    /// End after the first run of this pass.
    #[arg(long, value_name = "PASS")]
    stop_after: Option<String>,
}

impl Watch {
    /// Asks whether all names are of passes that run.
    fn check(&self, pipeline: &Pipeline) -> Result<(), Failure> {
        let names = pipeline.names();
        let unknown = |name: &&String| !names.contains(&name.as_str());
        let printed = self.print_after.iter().filter(|name| *name != "all").find(unknown);
        match printed.or(self.stop_after.iter().find(unknown)) {
            Some(name) => {
                Err(Failure::usage(format_args!("no pass `{name}` runs: the pipeline is `{pipeline}`")))
            }
            None => Ok(()),
        }
    }

    fn prints(&self, pass: &str) -> bool {
        self.print_after.iter().any(|name| name == pass || name == "all")
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.list {
        return io::write_stdout(&list());
    }
    let pipeline = match &args.passes {
        Some(text) => passes::select(text).map_err(Failure::usage)?,
        None => Pipeline::level(args.level.into()).unwrap_or_default(),
    };
    args.watch.check(&pipeline)?;
    let options = Options { loops: args.loops.options(), ..options::options(&args.tuning)? };
    let mut told = match &args.args {
        Some(path) => {
            let source = io::read(Some(path))?;
            let bad = |what| Failure::usage(format_args!("{}: {what}", source.name));
            passes::Args::parse(&source.text).map_err(bad)?
        }
        None => passes::Args::default(),
    };
    let edges = args.edge.iter().cloned();
    told.requests
        .extend(edges.map(|edge| passes::Request { edge: Some(edge), ..passes::Request::default() }));
    let job = |source: &Source, module: &Module| {
        one(source, module, (&pipeline, &told), &options, &args.tuning, &args.inout, &args.watch)
    };
    transform::transform(&args.inout, &args.tuning, "py", job)
}

/// Runs a pipeline on one program; the report has what each pass did.
pub(crate) fn one(
    source: &Source,
    module: &Module,
    (pipeline, told): (&Pipeline, &passes::Args),
    options: &Options,
    tuning: &Tuning,
    inout: &InOut,
    watch: &Watch,
) -> Result<Product, Failure> {
    let options = &outcome::counting(options, tuning, false)?;
    let mut steps = Vec::new();
    let observe = |step: &passes::Step, module: &Module| {
        if watch.prints(step.pass) && step.changed {
            io::write_stderr(&format!("# {} after {}\n{module}", source.name, step.pass));
        } else if watch.prints(step.pass) {
            io::write_stderr(&format!("# {} after {}: unchanged\n", source.name, step.pass));
        }
        steps.push(step.clone());
        let ends = watch.stop_after.as_deref() == Some(step.pass);
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let ran = match tuning.certify {
        Some(_) => passes::run_in_stages(module, pipeline, options, told, observe),
        None => passes::run_with(module, pipeline, options, told, observe).map(|result| vec![result]),
    };
    let mut stages = ran.map_err(|e| match e {
        Error::Argument { .. } => Failure::usage(format_args!("{}: {e}", source.name)),
        e => program::failure(source, &e),
    })?;
    let result = stages.pop().unwrap_or_default();
    if tuning.explain {
        io::write_stderr(&changes(&source.name, &steps));
    }
    let text = result.to_string();
    // Buffers of another shape are no mistake where they were asked for.
    let other_layout = told.requests.iter().any(|request| request.map.is_some());
    if tuning.validate && other_layout {
        log::warn!("{}: not validated: layouts change (satir equiv --layout compares them)", source.name);
    } else if tuning.validate {
        let joined = passes::joined(module, &result, told);
        let (before, after) = joined.map_err(|e| Failure::Bad(format!("error: {}: {e}", source.name)))?;
        validate(source, &before, &after.to_string(), options, tuning.chosen.files())?;
    }
    let report = Document::of_passes(&source.name, &source.text, (module, &result), &steps, options);
    let outcome = Outcome { source, before: module, after: &result, report, options };
    let product = outcome.product(text, tuning, inout)?;
    Ok(Product { stages: stages.iter().map(Module::to_string).collect(), ..product })
}

/// What passes did to loop nests, a line for each step.
fn changes(file: &str, steps: &[passes::Step]) -> String {
    let lines = steps.iter().flat_map(|step| &step.changes).map(|change| {
        let passes::Change { function, variable, what, before, after, .. } = change;
        format!("{file}: {function}: loop `{variable}`: {what}: estimated instructions {before} -> {after}\n")
    });
    lines.collect()
}

fn list() -> String {
    let width = passes::ALL.iter().map(|pass| pass.name.len()).max().unwrap_or(0);
    let mut text: String =
        passes::ALL.iter().map(|pass| format!("{:width$}  {}\n", pass.name, pass.about)).collect();
    for (level, pipeline) in (0..).map_while(|level| Some((level, Pipeline::level(level)?))) {
        text += &format!("{:width$}  {pipeline}\n", format!("-O{level}"));
    }
    text
}
