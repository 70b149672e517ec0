//! `satir equiv`: do two programs do the same?

use std::path::PathBuf;

use satir::interp::{self, Difference, EquivOptions, Equivalence};
use satir::prove::Integers;

use super::execute::{self, Inputs};
use super::io::{self, Failure, Source};
use super::threads::guarded;
use super::{json, layout, program, prove};

/// Compare two programs on seeded inputs, zero-sized dimensions among them.
///
/// Prints `no difference in N runs`, or the inputs on which they differ. The exit code is that of `cmp`: 0 for no
/// difference, 1 for a difference, 2 if the programs could not be compared.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  satir cse kernel.py | satir equiv kernel.py - --bind n=64")]
pub(crate) struct Args {
    /// The first program; `-` reads standard input.
    a: PathBuf,

    /// The second program; `-` reads standard input.
    b: PathBuf,

    #[command(flatten)]
    inputs: Inputs,

    /// Runs to compare for each function.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,

    /// Use exactly the values of --bind in all runs.
    #[arg(long)]
    fixed: bool,

    /// Let floats differ by this much, relative to values above 1; without it all bits count.
    #[arg(long, value_name = "X")]
    tolerance: Option<f64>,

    /// Buffers that have another layout in the second program, in a JSON file: `{"A": {"map": "lambda i: [i // 4, i % 4]",
    /// "pad": "0"}}`. Element `i` of the first program's buffer is compared with element `map(i)` of the second one's. Its
    /// padding holds the value under `pad`, and anything where there is none or `"undef"`.
    #[arg(long, value_name = "FILE")]
    layout: Option<PathBuf>,

    /// Prove that they do the same on all inputs, with `z3`; where that fails, run them. The exit code is 1 unless it is
    /// proven.
    #[arg(long, conflicts_with_all = ["layout", "tolerance"])]
    prove: bool,

    /// Prove besides that no integer of the second program is too large for `int32` or `int64` where none of the first one is.
    #[arg(long, requires = "prove")]
    bit_precise: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if args.prove {
        return guarded(|| judge(args));
    }
    // What is trouble elsewhere is told apart from a difference here.
    let result = guarded(|| compare(args)).map_err(|failure| match failure {
        Failure::Bad(text) => Failure::Usage(text),
        other => other,
    })?;
    if args.json {
        io::write_stdout(&json::json_text(&result)?)?;
    }
    let Some(difference) = &result.difference else {
        return if args.json { Ok(()) } else { io::write_stdout(&text_of(&result)) };
    };
    Err(differ(difference))
}

/// The inputs on which two programs differ.
fn differ(difference: &Difference) -> Failure {
    let bindings: Vec<String> =
        difference.bindings.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Failure::bad(format_args!(
        "the programs differ in function `{}`: {}\n  --seed {} --bind {}",
        difference.function,
        difference.what,
        difference.seed,
        if bindings.is_empty() { "\"\"".to_owned() } else { bindings.join(",") },
    ))
}

/// Tries to prove that they do the same.
fn judge(args: &Args) -> Result<(), Failure> {
    let (first, second) = sources(args)?;
    let integers = if args.bit_precise { Integers::Bounded } else { Integers::Unbounded };
    let judgement = prove::judge([&first, &second], integers, &options(args)?)?;
    io::write_stdout(&match args.json {
        true => json::json_text(&judgement)?,
        false => prove::text_of(&judgement, integers),
    })?;
    match (judgement.verdict, &judgement.difference) {
        (prove::Verdict::Proven, _) => Ok(()),
        (_, Some(difference)) => Err(differ(difference)),
        (_, None) => Err(Failure::No),
    }
}

/// The texts of both programs.
fn sources(args: &Args) -> Result<(Source, Source), Failure> {
    if io::is_stdin(Some(&args.a)) && io::is_stdin(Some(&args.b)) {
        return Err(Failure::usage("only one of two programs can come from standard input"));
    }
    Ok((io::read(Some(&args.a))?, io::read(Some(&args.b))?))
}

/// How they are run, but for layouts.
fn options(args: &Args) -> Result<EquivOptions, Failure> {
    Ok(EquivOptions {
        bindings: args.inputs.bind.values()?,
        fixed: args.fixed,
        constraints: args.inputs.constraints()?,
        runs: args.runs as usize,
        seed: args.inputs.seed,
        tolerance: args.tolerance,
        max_steps: args.inputs.max_steps,
        lenient_loads: args.inputs.lenient_loads,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
        limits_everywhere: false,
    })
}

fn compare(args: &Args) -> Result<Equivalence, Failure> {
    let (first, second) = sources(args)?;
    let (a, b) = (program::checked(&first)?, program::checked(&second)?);
    args.inputs.check(&[&a, &b])?;
    let layouts = args.layout.as_deref().map_or(Ok(Vec::new()), |path| layout::layouts(path, &a, &b))?;
    let options = EquivOptions { layouts, ..options(args)? };
    let result = interp::equiv(&a, &b, &options).map_err(|e| execute::refusal(&first, "", &e))?;
    if result.difference.is_none() && result.compared == 0 && !a.funcs.is_empty() {
        let why: Vec<String> =
            result.skipped.iter().take(3).map(|(why, n)| format!("{why} ({n} runs)")).collect();
        return Err(Failure::bad(format_args!(
            "nothing was compared: the first program stops on all inputs: {}",
            why.join("; ")
        )));
    }
    Ok(result)
}

fn text_of(result: &Equivalence) -> String {
    let mut out = format!("no difference in {} runs\n", result.compared);
    let skipped: usize = result.skipped.values().sum();
    if let Some(why) = result.skipped.keys().next() {
        out += &format!("{skipped} more were skipped, where the first program stops, for example: {why}\n");
    }
    out
}
