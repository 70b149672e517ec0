//! `satir rules stats|ablate|compare|suggest` over programs: what rules do, which pay, which are missing.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;
use rayon::prelude::*;
use satir::cse::Options;
use satir::eqsat::{Rewrites, TheoryLevel, UnionKind};
use satir::lab::suggest::{Assume, MAX_VARIABLES, Operator, Search};
use satir::lab::{self, Engine, Program, Unit};
use satir::rules::{RuleSet, check};

use super::args::Bind;
use super::chosen::{self, Allowed, Chosen};
use super::io::{self, Failure};
use super::terminal::Progress;
use super::theory::{self, Theory};
use super::{expr, files, json, options, program, threads};

/// Programs, and how they are optimized.
#[derive(clap::Args, Debug)]
pub(crate) struct Setting {
    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    cost: Option<PathBuf>,

    #[command(flatten)]
    bind: Bind,

    #[command(flatten)]
    theory: Theory,
}

impl Setting {
    fn options(&self, allowed: Allowed) -> Result<Options, Failure> {
        Ok(Options {
            profile: options::profile(self.cost.as_deref())?,
            bindings: self.bind.values()?,
            fast_math: allowed.fast_math,
            rewrites: Arc::new(Rewrites::embedded().with_theory(self.theory.level())),
            ..Options::default()
        })
    }
}

/// How a table is written.
#[derive(clap::Args, Debug)]
pub(crate) struct Format {
    /// Print JSON.
    #[arg(long, conflicts_with = "csv")]
    pub(crate) json: bool,

    /// Print comma-separated values.
    #[arg(long)]
    pub(crate) csv: bool,
}

/// What is left out at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum By {
    /// One rule.
    Rule,
    /// One set: the rules of a file.
    Set,
}

/// Arguments of `satir rules ablate`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir rules ablate kernels/\n  satir rules ablate --by rule --csv kernels/ > rules.csv\n  \
                        satir rules ablate kernels/ expressions.jsonl\n  \
                        satir rules ablate --smallest kernels/"
)]
pub(crate) struct AblateArgs {
    /// TVMScript files, folders of them, or `.jsonl` files of expressions as `satir expr` reads them.
    #[arg(required = true)]
    programs: Vec<PathBuf>,

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    setting: Setting,

    /// What is left out at a time.
    #[arg(long, value_enum, default_value_t = By::Set)]
    by: By,

    /// Find a smallest set of rules with which no program's result gets dearer, and print its names.
    #[arg(long)]
    smallest: bool,

    #[command(flatten)]
    format: Format,
}

/// Arguments of `satir rules compare`.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "A set of rules is a list between commas of: `default` (the built-in rules), `none`, a rule file or a\n\
                  folder of them, `+NAME` and `-NAME` to switch a rule or set on and off, and `theory=none`, `theory=linear`,\n\
                  `theory=full` for how much is decided without rules.\n\nExamples:\n  \
                  satir rules compare none default kernels/\n  satir rules compare default default,-select kernels/\n  \
                  satir rules compare default default,mine.rules kernels/\n  \
                  satir rules compare none,theory=none default,theory=none kernels/"
)]
pub(crate) struct CompareArgs {
    /// The first set of rules.
    #[arg(allow_hyphen_values = true)]
    a: String,

    /// The second set of rules.
    #[arg(allow_hyphen_values = true)]
    b: String,

    /// TVMScript files, folders of them, or `.jsonl` files of expressions as `satir expr` reads them.
    #[arg(required = true)]
    programs: Vec<PathBuf>,

    #[command(flatten)]
    setting: Setting,

    #[command(flatten)]
    allowed: Allowed,

    /// How often each program is run with each set, in turns: times are medians.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeats: u16,

    #[command(flatten)]
    format: Format,
}

/// Arguments of `satir rules suggest`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir rules suggest --ops min,max,add,lt -o new.rules kernels/\n  \
                        satir rules suggest --ops floordiv,floormod,mul --assume positive --size 7")]
pub(crate) struct SuggestArgs {
    /// TVMScript files, folders of them, or `.jsonl` files of expressions: rules whose left sides occur there come first.
    programs: Vec<PathBuf>,

    #[command(flatten)]
    chosen: Chosen,

    #[command(flatten)]
    setting: Setting,

    /// Operators to build terms of, as rule files name them: all but those about vectors and types.
    #[arg(long, value_name = "OP,…", value_delimiter = ',', default_values = ["add", "sub", "floordiv", "floormod", "min", "max"])]
    ops: Vec<String>,

    /// How many variables.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=MAX_VARIABLES as i64))]
    variables: u8,

    /// Constants to use.
    #[arg(long, value_name = "C,…", value_delimiter = ',', default_values_t = [0, 1, 2], allow_hyphen_values = true)]
    constants: Vec<i64>,

    /// The most operators, variables and constants in the larger side.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u8).range(2..=9))]
    size: u8,

    /// What is assumed of every variable.
    #[arg(long, value_enum, default_value_t = Assumed::Nothing)]
    assume: Assumed,

    /// The most rules to suggest.
    #[arg(long, value_name = "N", default_value_t = 30)]
    limit: usize,

    /// Write the rule file here instead of to standard output.
    #[arg(short, long, value_name = "FILE.rules")]
    output: Option<PathBuf>,
}

/// What is assumed of every variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Assumed {
    /// Any integer.
    Nothing,
    /// At least 0.
    Nonnegative,
    /// At least 1.
    Positive,
}

/// The programs in these files and folders, and the expressions in files of JSON lines. Each name of `bind` must be one of
/// some program.
fn load(paths: &[PathBuf], bind: &Bind) -> Result<Vec<Program>, Failure> {
    threads::prepare_threads(None);
    let mut found = Vec::new();
    for path in paths {
        match io::as_folder(Some(path)) {
            Some(folder) => found.extend(files::programs(folder, None)?),
            None => found.push(path.clone()),
        }
    }
    let load = |path: &PathBuf| {
        let (source, name) = (io::read(Some(path))?, name_of(path, &found));
        if path.extension().is_some_and(|e| e == "jsonl") {
            let table = expr::table(&source)?;
            let named = |(id, e)| Program::expression(&format!("{name}:{id}"), e);
            return Ok((table.into_iter().map(named).collect(), BTreeSet::new()));
        }
        let module = program::checked(&source)?;
        let names = program::bindable(&module);
        Ok((vec![Program::new(&name, module)], names))
    };
    let loaded: Vec<(Vec<Program>, BTreeSet<_>)> =
        found.par_iter().map(load).collect::<Result<_, Failure>>()?;
    let (programs, names): (Vec<_>, Vec<_>) = loaded.into_iter().unzip();
    bind.check(&names.into_iter().flatten().collect())?;
    Ok(programs.into_iter().flatten().collect())
}

/// The file's name without its ending; where another file has that name too, with its folder's.
fn name_of(path: &Path, all: &[PathBuf]) -> String {
    let text =
        |part: Option<&std::ffi::OsStr>| part.map_or_else(String::new, |p| p.to_string_lossy().into_owned());
    let stem = text(path.file_stem());
    if all.iter().filter(|other| other.file_stem() == path.file_stem()).count() > 1 {
        let folder = path.parent().and_then(Path::file_name);
        return format!("{}/{stem}", text(folder));
    }
    stem
}

fn bad(e: impl std::fmt::Display) -> Failure {
    Failure::bad(e)
}

/// `satir rules stats` with programs.
pub(crate) fn stats(
    paths: &[PathBuf],
    chosen: &Chosen,
    setting: &Setting,
    format: &Format,
    plot: Option<&Path>,
) -> Result<(), Failure> {
    let (programs, rules, options) =
        (load(paths, &setting.bind)?, chosen.rules()?, setting.options(chosen.allowed)?);
    let progress = Progress::new(programs.len(), "runs of programs");
    let stats = lab::stats_watched(&programs, &rules, &options, &|done, all| progress.set(done, all));
    progress.finish();
    let stats = stats.map_err(bad)?;
    if let Some(path) = plot {
        let curve = lab::plot::curve(&programs, &rules, &options, &stats).map_err(bad)?;
        io::write_file(path, &lab::plot::svg(&curve))?;
    }
    if format.json {
        return io::write_stdout(&json::json_text(&stats)?);
    }
    let mut out = String::new();
    if format.csv {
        out += "rule,set,programs,matches,unions,needed_by,harms,cost_without,time_us\n";
    } else {
        let _ = writeln!(
            out,
            "{:<36} {:>8} {:>9} {:>9} {:>6} {:>5} {:>9} {:>9}",
            "rule", "programs", "matches", "unions", "needed", "harms", "without", "ms"
        );
    }
    let mut idle = 0;
    for r in &stats.rules {
        if format.csv {
            let (a, b, c) = (&r.rule, &r.set, r.programs);
            let rest = format!(
                "{},{},{},{},{:.6},{}",
                r.matches, r.unions, r.needed_by, r.harms, r.cost_without, r.time_us
            );
            let _ = writeln!(out, "{a},{b},{c},{rest}");
        } else if r.matches == 0 {
            idle += 1;
        } else {
            let _ = writeln!(
                out,
                "{:<36} {:>8} {:>9} {:>9} {:>6} {:>5} {:>9} {:>9.2}",
                r.rule,
                r.programs,
                r.matches,
                r.unions,
                r.needed_by,
                r.harms,
                percent(r.cost_without),
                r.time_us as f64 / 1e3
            );
        }
    }
    if !format.csv {
        let _ = writeln!(
            out,
            "{} programs; {idle} of {} rules never matched\ncost of results in parts of the inputs' (geometric mean): {:.4} \
             with all rules, {:.4} without any",
            programs.len(),
            stats.rules.len(),
            stats.ratio,
            stats.ratio_without_rules
        );
        out += "\nunions of classes by reason\n";
        for by in &stats.unions {
            let kind = match by.kind {
                UnionKind::Rule => "rule ",
                UnionKind::Theory => "theory: ",
                _ => "",
            };
            let _ = writeln!(out, "{:>9}  {kind}{}", by.unions, by.reason);
        }
    }
    io::write_stdout(&out)
}

/// How much more, in percent.
fn percent(ratio: f64) -> String {
    format!("{:+.2}%", (ratio - 1.0) * 100.0)
}

/// `satir rules ablate`.
pub(crate) fn ablate(args: &AblateArgs) -> Result<(), Failure> {
    let (programs, rules) = (load(&args.programs, &args.setting.bind)?, args.chosen.rules()?);
    let options = args.setting.options(args.chosen.allowed)?;
    if args.smallest {
        let names = lab::smallest(&programs, &rules, &options).map_err(bad)?;
        let text = match args.format.json {
            true => json::json_text(&names)?,
            false => names.iter().map(|name| format!("{name}\n")).collect(),
        };
        return io::write_stdout(&text);
    }
    let by = match args.by {
        By::Rule => Unit::Rule,
        By::Set => Unit::Set,
    };
    let ablation = lab::ablate(&programs, &rules, &options, by).map_err(bad)?;
    if args.format.json {
        return io::write_stdout(&json::json_text(&ablation)?);
    }
    let mut out = String::new();
    if args.format.csv {
        out += "name,rules,used_in,dearer,cheaper,cost_without,time_without,match_time_us\n";
        for u in &ablation.units {
            let counts = format!("{},{},{},{}", u.rules, u.used_in, u.dearer.len(), u.cheaper.len());
            let _ = writeln!(
                out,
                "{},{counts},{:.6},{:.3},{}",
                u.name, u.cost_without, u.time_without, u.match_time_us
            );
        }
        return io::write_stdout(&out);
    }
    let _ = writeln!(
        out,
        "{:<36} {:>5} {:>7} {:>6} {:>7} {:>9} {:>7} {:>9}",
        "without", "rules", "used in", "dearer", "cheaper", "cost", "time", "match ms"
    );
    for u in ablation.units.iter().filter(|u| u.used_in > 0) {
        let _ = writeln!(
            out,
            "{:<36} {:>5} {:>7} {:>6} {:>7} {:>9} {:>7.2} {:>9.2}",
            u.name,
            u.rules,
            u.used_in,
            u.dearer.len(),
            u.cheaper.len(),
            percent(u.cost_without),
            u.time_without,
            u.match_time_us as f64 / 1e3
        );
    }
    let never = ablation.units.iter().filter(|u| u.used_in > 0 && u.never_pays()).count();
    let idle = ablation.units.iter().filter(|u| u.used_in == 0).count();
    let _ = writeln!(
        out,
        "{} programs, cost of results in parts of the inputs' {:.4}; {} units, {never} of them used but never needed, {idle} never used",
        ablation.programs,
        ablation.ratio,
        ablation.units.len()
    );
    io::write_stdout(&out)
}

/// `satir rules compare`.
pub(crate) fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let engine = |spec| engine(spec, args.allowed, args.setting.theory.level());
    let (a, b) = (engine(&args.a)?, engine(&args.b)?);
    let (programs, options) =
        (load(&args.programs, &args.setting.bind)?, args.setting.options(args.allowed)?);
    let result = lab::compare_engines(&programs, &a, &b, &options, usize::from(args.repeats)).map_err(bad)?;
    if args.format.json {
        return io::write_stdout(&json::json_text(&result)?);
    }
    let mut out = String::new();
    if args.format.csv {
        out += "program,before,cost_a,cost_b,time_a_us,time_b_us,time_ratio\n";
        for p in &result.programs {
            let _ = writeln!(
                out,
                "{},{},{},{},{},{},{:.4}",
                p.program, p.before, p.cost_a, p.cost_b, p.time_a_us, p.time_b_us, p.time_ratio
            );
        }
        return io::write_stdout(&out);
    }
    let width = result.programs.iter().map(|p| p.program.chars().count()).max().unwrap_or(0).max(7);
    let _ = writeln!(
        out,
        "{:width$} {:>14} {:>14} {:>14} {:>8} {:>9} {:>9}",
        "program", "before", "A", "B", "B / A", "A ms", "B ms"
    );
    for p in &result.programs {
        let ratio = if p.cost_a > 0.0 { p.cost_b / p.cost_a } else { 1.0 };
        let (ms_a, ms_b) = (p.time_a_us as f64 / 1e3, p.time_b_us as f64 / 1e3);
        let _ = writeln!(
            out,
            "{:width$} {:>14.1} {:>14.1} {:>14.1} {ratio:>8.4} {ms_a:>9.1} {ms_b:>9.1}",
            p.program, p.before, p.cost_a, p.cost_b
        );
    }
    let _ = writeln!(
        out,
        "{} programs: B is cheaper in {}, dearer in {}; B / A is {:.4} of the cost (geometric mean), {:.2} of the time ({:.2} to {:.2} \
         in single runs)",
        result.programs.len(),
        result.cheaper,
        result.dearer,
        result.cost_ratio,
        result.time_ratio,
        result.time_range.0,
        result.time_range.1,
    );
    if result.same {
        out += "A and B are the same rules in the same engine: what differs in time is noise\n";
    }
    io::write_stdout(&out)
}

/// A set of rules, and a theory, as the command line spells them.
fn engine(spec: &str, allowed: Allowed, mut level: TheoryLevel) -> Result<Engine, Failure> {
    let mut rules = RuleSet::empty();
    for part in spec.split(',') {
        if let Some(name) = part.strip_prefix("theory=") {
            level = theory::by_name(name).map_err(|why| Failure::usage(format_args!("`{part}`: {why}")))?;
            continue;
        }
        match (part, part.split_at_checked(1)) {
            ("default", _) => {
                rules = RuleSet::embedded().map_err(bad)?;
            }
            ("none", _) => rules = RuleSet::empty(),
            (_, Some(("+", name))) => {
                rules.enable(name).map_err(bad)?;
                allowed.acts(&rules, name)?;
            }
            (_, Some(("-", name))) => rules.disable(name).map_err(bad)?,
            (path, _) => rules.extend_from(&[path]).map_err(|e| chosen::bad_rules(&e))?,
        }
    }
    allowed.check(&rules)?;
    Ok(Engine { rules, theory: level })
}

/// `satir rules suggest`.
pub(crate) fn suggest(args: &SuggestArgs) -> Result<(), Failure> {
    let (programs, rules) = (load(&args.programs, &args.setting.bind)?, args.chosen.rules()?);
    let options = args.setting.options(args.chosen.allowed)?;
    let mut search = Search {
        ops: Vec::new(),
        variables: usize::from(args.variables),
        constants: args.constants.clone(),
        size: usize::from(args.size),
        assume: match args.assume {
            Assumed::Nothing => Assume::Nothing,
            Assumed::Nonnegative => Assume::Nonnegative,
            Assumed::Positive => Assume::Positive,
        },
        limit: args.limit,
    };
    for name in &args.ops {
        let Some(op) = Operator::by_name(name) else {
            let known: Vec<&str> = Operator::all().map(Operator::name).collect();
            return Err(Failure::usage(format_args!("no operator `{name}`; there are {}", known.join(", "))));
        };
        search.ops.push(op);
    }
    let solver = check::Solver::find(&std::env::var_os("PATH").unwrap_or_default()).ok();
    let found = lab::suggest::suggest(&search, &rules, &programs, solver.as_ref(), &options).map_err(bad)?;
    if found.is_empty() {
        return io::write(
            args.output.as_deref(),
            "; No rule is missing among the terms that were enumerated.\n",
        );
    }
    let mut out = format!(
        "(set \"suggested by enumeration over {}, to be looked at and named\")\n; {} rules that hold and that the rules of that \
         time did not prove.\n",
        args.ops.join(" "),
        found.len()
    );
    for s in &found {
        let how = if s.proven { "proven by z3" } else { "tested, not proven" };
        let _ = writeln!(out, "\n; {how}; {} matches in the given programs\n{}", s.matches, s.text);
    }
    io::write(args.output.as_deref(), &out)
}
