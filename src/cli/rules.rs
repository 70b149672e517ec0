//! `satir rules`: look at the rewrite rules, count them, and check them.

use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};
use satir::ir::DType;
use satir::rules::{RuleSet, SetInfo, check, exchange};
use serde::Serialize;

use super::chosen::{self, Chosen};
use super::io::{self, Failure};
use super::terminal::{self, Progress};
use super::{json, lab, threads};

/// Look at the rewrite rules, check them, and see what they do.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List the rules with their sets, types, conditions and reasons.
    List(ListArgs),
    /// Check that every rule is sound: by tests, and by the SMT solver z3 if it is on the path.
    ///
    /// What the solver cannot decide is listed; it is still tested. A wrong rule is refuted with a counterexample; the exit code is 1 then.
    Check(CheckArgs),
    /// Count the rules of each set; with programs, what each rule does there.
    ///
    /// Columns: in how many programs it united classes; matches and unions; in how many programs the result is dearer
    /// (`needed`) or cheaper (`harms`) without this one rule; by how much results get dearer without it, as geometric
    /// mean over all programs; the time that went into matching it.
    Stats(StatsArgs),
    /// Leave out one set or one rule at a time, and see what that costs.
    Ablate(lab::AblateArgs),
    /// Compare two sets of rules over the same programs.
    Compare(lab::CompareArgs),
    /// Find rules that are missing: equalities that hold and that the rules do not prove.
    ///
    /// Enumerates small terms over the chosen operators, keeps the pairs that agree on all sample values, drops what
    /// the rules prove already, checks the rest as `rules check` does, and prints what is left as a rule file.
    Suggest(lab::SuggestArgs),
    /// Print rules in the notation of egg or egglog, as far as it can express them.
    Export(ExportArgs),
    /// Turn rules of egg or egglog into a rule file.
    Import(ImportArgs),
}

/// A notation for rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Notation {
    /// `rewrite!("name"; "(+ ?a ?b)" => "(+ ?b ?a)")`
    Egg,
    /// `(rewrite (Add a b) (Add b a))`
    Egglog,
}

impl From<Notation> for exchange::Notation {
    fn from(notation: Notation) -> exchange::Notation {
        match notation {
            Notation::Egg => exchange::Notation::Egg,
            Notation::Egglog => exchange::Notation::Egglog,
        }
    }
}

/// Arguments of `satir rules export`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir rules export egglog > satir.egg\n  satir rules export egg --only minmax"
)]
pub(crate) struct ExportArgs {
    /// The notation.
    #[arg(value_enum)]
    to: Notation,

    #[command(flatten)]
    chosen: Chosen,

    /// Only these rules or sets; without it all that are on.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,

    /// Only rules that hold for this type (or for truth values): the others have no types.
    #[arg(long = "type", value_name = "DTYPE", default_value = "int32")]
    dtype: DType,
}

/// Arguments of `satir rules import`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir rules import egglog math.egg -o math.rules && satir rules check math.rules"
)]
pub(crate) struct ImportArgs {
    /// The notation.
    #[arg(value_enum)]
    from: Notation,

    /// The file; standard input if not given.
    file: Option<PathBuf>,

    /// The types for which the rules are taken to hold, as rule files name them.
    #[arg(long, value_name = "CLASS", default_value = "index")]
    types: String,

    /// Write the rule file here instead of to standard output.
    #[arg(short, long, value_name = "FILE.rules")]
    output: Option<PathBuf>,
}

/// Arguments of `satir rules list`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir rules list --sets\n  satir rules list --only floordiv --json")]
pub(crate) struct ListArgs {
    /// Rule file, or a folder of them, that is added to the built-in rules. May be given several times.
    #[arg(long, value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// List only the sets, not their rules.
    #[arg(long)]
    sets: bool,

    /// List only these rules or sets.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Arguments of `satir rules check`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir rules check\n  satir rules check mine.rules\n  satir rules check --no-smt --only floordiv"
)]
pub(crate) struct CheckArgs {
    /// Rule files, or folders of them, to check; without any, the built-in rules.
    paths: Vec<PathBuf>,

    /// Rule file, or a folder of them, that is checked together with the built-in rules.
    #[arg(long, value_name = "PATH", conflicts_with = "paths")]
    rules: Vec<PathBuf>,

    /// Check only these rules or sets.
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,

    /// Test with fewer values.
    #[arg(long)]
    quick: bool,

    /// Fail if the SMT solver z3 is not on the path. Without this it is asked if it is there.
    #[arg(long)]
    smt: bool,

    /// Only test; do not ask the SMT solver.
    #[arg(long, conflicts_with = "smt")]
    no_smt: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Arguments of `satir rules stats`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir rules stats\n  satir rules stats kernels/ --plot rules.svg\n  satir rules stats --csv kernels/ > rules.csv"
)]
pub(crate) struct StatsArgs {
    /// TVMScript files, folders of them, or `.jsonl` files of expressions as `satir expr` reads them; without any,
    /// only the rules are counted.
    programs: Vec<PathBuf>,

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    setting: lab::Setting,

    #[command(flatten)]
    format: lab::Format,

    /// Draw the cost of the results against the number of rules, as SVG.
    #[arg(long, value_name = "FILE.svg", requires = "programs")]
    plot: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::List(args) => list(args),
        Command::Check(args) => check(args),
        Command::Stats(args) => stats(args),
        Command::Ablate(args) => lab::ablate(args),
        Command::Compare(args) => lab::compare(args),
        Command::Suggest(args) => lab::suggest(args),
        Command::Export(args) => export(args),
        Command::Import(args) => import(args),
    }
}

fn export(args: &ExportArgs) -> Result<(), Failure> {
    let rules = args.chosen.rules()?;
    known(&rules, &args.only)?;
    let used = rules.used(args.chosen.allowed.fast_math);
    let chosen = used.filter(|rule| wanted(&args.only, &rule.name, &rule.set));
    io::write_stdout(&exchange::export(chosen, args.to.into(), args.dtype))
}

fn import(args: &ImportArgs) -> Result<(), Failure> {
    // A name that is none is found here; single rules that do not load are left out with a comment.
    if !exchange::is_type_class(&args.types) {
        return Err(Failure::usage(format_args!("--types: `{}` is no class of types", args.types)));
    }
    let source = io::read(args.file.as_deref())?;
    let text = exchange::import(&source.text, args.from.into(), &args.types);
    RuleSet::empty().extend_with_text("imported.rules", &text).map_err(|e| chosen::bad_rules(&e))?;
    io::write(args.output.as_deref(), &text)
}

fn list(args: &ListArgs) -> Result<(), Failure> {
    let rules = chosen::rules(&args.rules)?;
    known(&rules, &args.only)?;
    let mut infos = rules.infos();
    infos.retain(|info| wanted(&args.only, &info.name, &info.set));
    let mut sets = rules.sets();
    sets.retain(|set| infos.iter().any(|info| info.set == set.name));
    if args.json {
        let json = if args.sets {
            serde_json::json!({ "sets": sets })
        } else {
            serde_json::json!({ "sets": sets, "rules": infos })
        };
        return io::write_stdout(&json::json_text(&json)?);
    }
    let mut out = String::new();
    for set in sets {
        let state = match set.on {
            true if set.rules_on == 0 && set.rules_fast_math > 0 => "on with --fast-math",
            true => "on",
            false => "off",
        };
        out += &format!("{} ({} rules, {state}): {}\n", set.name, set.rules, set.about);
        for info in infos.iter().filter(|info| info.set == set.name && !args.sets) {
            let marks = [
                (info.on != set.on, " (off)"),
                (info.expensive, " (expensive)"),
                (info.may_trap, " (may-trap)"),
                (info.fast_math, " (fast-math)"),
                (info.by_theory, " (by-theory)"),
            ];
            let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
            out += &format!(
                "  {}{marks} [{}]\n      {}\n      {}\n",
                info.name,
                info.types.join(" "),
                info.equation,
                info.why
            );
        }
    }
    io::write_stdout(&out)
}

fn check(args: &CheckArgs) -> Result<(), Failure> {
    threads::prepare_threads(None);
    let rules = if args.paths.is_empty() {
        chosen::rules(&args.rules)?
    } else {
        RuleSet::load(&args.paths).map_err(|e| chosen::bad_rules(&e))?
    };
    known(&rules, &args.only)?;
    let chosen: Vec<_> = rules.all_rules().filter(|rule| wanted(&args.only, &rule.name, &rule.set)).collect();
    let fail = |e: check::SolverError| Failure::bad(e);
    let solver = match check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()) {
        _ if args.no_smt => None,
        Ok(solver) => Some(solver),
        Err(e) if args.smt => return Err(fail(e)),
        Err(e) => {
            terminal::note(&format!("warning: rules are tested but not proven: {e}\n"));
            None
        }
    };
    let effort = if args.quick { check::QUICK } else { check::FULL };
    let tested = Progress::new(chosen.len(), "rules tested");
    let mut report = check::run_watched(&chosen, effort, &|done, all| tested.set(done, all));
    tested.finish();
    if let Some(solver) = solver {
        let proven = Progress::new(0, "questions answered by z3");
        let result = check::prove_watched(&chosen, &mut report, &solver, &|done, all| proven.set(done, all));
        proven.finish();
        result.map_err(fail)?;
    }
    let text = if args.json {
        json::json_text(&serde_json::json!({ "summary": report.summary(), "rules": report.rules }))?
    } else {
        format!("{report}\n")
    };
    io::write_stdout(&text)?;
    if report.is_ok() { Ok(()) } else { Err(Failure::bad("not every rule is sound")) }
}

/// Numbers of all sets.
#[derive(Serialize)]
struct Stats {
    sets: Vec<SetInfo>,
    rules: usize,
    rules_on: usize,
    rewrites: usize,
}

fn stats(args: &StatsArgs) -> Result<(), Failure> {
    if !args.programs.is_empty() {
        return lab::stats(&args.programs, &args.chosen, &args.setting, &args.format, args.plot.as_deref());
    }
    let mut sets = args.chosen.rules()?.sets();
    if args.chosen.allowed.fast_math {
        sets.iter_mut().for_each(|set| set.rules_on += set.rules_fast_math);
    }
    let sum = |of: fn(&SetInfo) -> usize| sets.iter().map(of).sum::<usize>();
    let (rules, rules_on, rewrites) = (sum(|s| s.rules), sum(|s| s.rules_on), sum(|s| s.rewrites));
    if args.format.json {
        return io::write_stdout(&json::json_text(&Stats { sets, rules, rules_on, rewrites })?);
    }
    if args.format.csv {
        let line =
            |s: &SetInfo| format!("{},{},{},{},{}\n", s.name, s.rules, s.rules_on, s.rewrites, s.expensive);
        let lines: String = sets.iter().map(line).collect();
        return io::write_stdout(&format!("set,rules,on,rewrites,expensive\n{lines}"));
    }
    let mut out =
        format!("{:<16} {:>5} {:>5} {:>8} {:>9}  about\n", "set", "rules", "on", "rewrites", "expensive");
    for s in &sets {
        let numbers = format!("{:>5} {:>5} {:>8} {:>9}", s.rules, s.rules_on, s.rewrites, s.expensive);
        out += &format!("{:<16} {numbers}  {}\n", s.name, s.about);
    }
    out += &format!("{:<16} {rules:>5} {rules_on:>5} {rewrites:>8}\n", "all");
    io::write_stdout(&out)
}

/// Whether a rule was asked for.
fn wanted(only: &[String], rule: &str, set: &str) -> bool {
    only.is_empty() || only.iter().any(|name| name == rule || name == set)
}

/// Each name must be one of a rule or set.
fn known(rules: &RuleSet, only: &[String]) -> Result<(), Failure> {
    only.iter().try_for_each(|name| rules.find(name).map_err(Failure::bad))
}
