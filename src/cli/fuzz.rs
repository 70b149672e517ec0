//! `satir fuzz`: satir tested with random programs and texts, by its own developers.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use satir::fuzz::{self, Finding, Shape, Tally, Thoroughness};
use satir::ir::Module;

use super::args::seconds;
use super::io::{self, Failure};
use super::terminal::is_quiet;
use super::threads::{STACK, prepare_threads};

/// Test satir itself with random programs and texts.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Programs(Programs),
    Mutate(Mutate),
    Parser(Parser),
}

/// How much is done.
#[derive(clap::Args, Debug, Clone)]
struct Volume {
    /// How many.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    count: u64,

    /// The first seed; each program or text has its own, one after the other.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,

    /// Stop after this time, in seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    seconds: Option<Duration>,

    /// Stop when this many went wrong.
    #[arg(long, value_name = "N", default_value_t = 5)]
    max_findings: usize,

    /// Leave programs that go wrong as they are.
    #[arg(long)]
    no_shrink: bool,
}

/// What is tried with a program.
#[derive(clap::Args, Debug, Clone, Copy)]
struct Extent {
    /// Leave out the passes on loops, which take most of the time.
    #[arg(long)]
    no_loops: bool,
}

impl Extent {
    fn of(self, seed: u64) -> Thoroughness {
        Thoroughness { loops: !self.no_loops, ..Thoroughness::of(seed) }
    }
}

/// Random programs: optimize them in several ways and compare what they do.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir fuzz programs --count 10000\n  satir fuzz programs --seed 4711 --count 1"
)]
pub(crate) struct Programs {
    #[command(flatten)]
    volume: Volume,

    #[command(flatten)]
    extent: Extent,

    /// Only programs that TVM's LLVM build runs too.
    #[arg(long)]
    portable: bool,

    /// Loops over padded buffers, and the passes on padding.
    #[arg(long, conflicts_with = "portable")]
    padded: bool,

    /// Print the programs and do nothing else.
    #[arg(long)]
    print: bool,

    /// Write the shrunk programs to files in this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Changed versions of programs that others wrote: optimize them in several ways and compare what they do.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  satir fuzz mutate corpus/precse --count 10000")]
pub(crate) struct Mutate {
    /// Folders of programs, searched with all that is in them.
    #[arg(required = true)]
    folders: Vec<PathBuf>,

    #[command(flatten)]
    volume: Volume,

    #[command(flatten)]
    extent: Extent,

    /// Leave out programs of more bytes.
    #[arg(long, value_name = "N", default_value_t = 8000)]
    max_bytes: usize,

    /// Print the programs and do nothing else.
    #[arg(long)]
    print: bool,

    /// Write the shrunk programs to files in this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Spoilt texts: the parser must answer each with a program or an error.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example:\n  satir fuzz parser tests/script/programs --count 100000")]
pub(crate) struct Parser {
    /// Folders of programs to spoil, searched with all that is in them. Without any, random programs are spoilt.
    folders: Vec<PathBuf>,

    #[command(flatten)]
    volume: Volume,

    /// Leave out programs of more bytes.
    #[arg(long, value_name = "N", default_value_t = 8000)]
    max_bytes: usize,

    /// Fail if the process ever took more memory than this, in MiB (Linux only).
    #[arg(long, value_name = "MIB", default_value_t = 2048)]
    max_memory: u64,

    /// Print the texts and do nothing else.
    #[arg(long)]
    print: bool,
}

/// Runs the subcommand.
pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    prepare_threads(None);
    // What goes wrong is reported as a whole.
    log::set_max_level(log::LevelFilter::Off);
    match command {
        Command::Programs(args) => programs(args),
        Command::Mutate(args) => mutate(args),
        Command::Parser(args) => parser(args),
    }
}

fn programs(args: &Programs) -> Result<(), Failure> {
    let make = |seed: u64| match args.padded {
        true => fuzz::padded(seed).map_err(|e| Failure::bad(format!("seed {seed}: {}", e.message))),
        false => Ok(fuzz::program(seed, Shape::mixed(seed, args.portable))),
    };
    if args.print {
        let mut seeds = args.volume.seed..args.volume.seed.saturating_add(args.volume.count);
        return seeds.try_for_each(|seed| io::write_stdout(&format!("# seed {seed}\n{}", make(seed)?)));
    }
    let outcome = sweep(&args.volume, |seed| {
        let Ok(module) = make(seed) else { return Ok(Tally { idle: true, ..Tally::default() }) };
        let compare = fuzz::compare_options(&module, seed);
        let how = Thoroughness { padding: args.padded, ..args.extent.of(seed) };
        fuzz::check(&module, &compare, how).map_err(|finding| (module, finding))
    })?;
    summarize(&outcome, "programs", args.volume.no_shrink, args.save.as_ref(), args.padded, |seed| {
        let kind = match (args.portable, args.padded) {
            (true, _) => " --portable",
            (_, true) => " --padded",
            _ => "",
        };
        format!("satir fuzz programs{kind} --count 1 --seed {seed}")
    })
}

fn mutate(args: &Mutate) -> Result<(), Failure> {
    let modules: Vec<Module> =
        texts(&args.folders, args.max_bytes)?.iter().filter_map(|text| satir::parse(text).ok()).collect();
    if modules.is_empty() {
        return Err(Failure::bad("there is no program that is short enough"));
    }
    let make = |seed: u64| {
        let module = &modules[(seed % modules.len() as u64) as usize];
        fuzz::mutate(module, seed)
    };
    if args.print {
        let seeds = args.volume.seed..args.volume.seed.saturating_add(args.volume.count);
        let texts = seeds.filter_map(|seed| Some(format!("# seed {seed}\n{}", make(seed)?)));
        return texts.into_iter().try_for_each(|text| io::write_stdout(&text));
    }
    let outcome = sweep(&args.volume, |seed| {
        let Some(module) = make(seed) else { return Ok(Tally { idle: true, ..Tally::default() }) };
        let compare = fuzz::compare_options(&module, seed);
        let how = Thoroughness { runs: 3, max_steps: 50_000, ..args.extent.of(seed) };
        fuzz::check(&module, &compare, how).map_err(|finding| (module, finding))
    })?;
    summarize(&outcome, "changed programs", args.volume.no_shrink, args.save.as_ref(), false, |seed| {
        let folders: Vec<String> = args.folders.iter().map(|f| f.display().to_string()).collect();
        format!(
            "satir fuzz mutate {} --max-bytes {} --count 1 --seed {seed}",
            folders.join(" "),
            args.max_bytes
        )
    })
}

fn parser(args: &Parser) -> Result<(), Failure> {
    /// Random programs to spoil if no others are given.
    const RANDOM: u64 = 64;
    let sources = if args.folders.is_empty() {
        (0..RANDOM).map(|seed| fuzz::program(seed, Shape { size: 60, portable: false }).to_string()).collect()
    } else {
        texts(&args.folders, args.max_bytes)?
    };
    if args.print {
        let seeds = args.volume.seed..args.volume.seed.saturating_add(args.volume.count);
        return seeds.into_iter().try_for_each(|seed| io::write_stdout(&fuzz::text::spoil(&sources, seed)));
    }
    let programs = AtomicU64::new(0);
    let outcome = sweep(&args.volume, |seed| {
        let text = fuzz::text::spoil(&sources, seed);
        match fuzz::text::survives(&text) {
            Ok(valid) => {
                programs.fetch_add(u64::from(valid), Ordering::Relaxed);
                Ok(Tally::default())
            }
            Err(what) => Err((text, what)),
        }
    })?;
    let mut text = String::new();
    for case in &outcome.cases {
        let (spoilt, what) = &case.failure;
        let small = fuzz::text::shrink_text(spoilt, |t| fuzz::text::survives(t).is_err());
        let _ = writeln!(text, "# {what} (seed {})\n{small}", case.seed);
    }
    let peak = peak_memory();
    let memory = peak.map_or_else(String::new, |mib| format!(", {mib} MiB at most"));
    let _ = writeln!(
        text,
        "{} texts in {:.1} s: {} are programs{memory}, slowest {:.1} s (seed {}), {} went wrong",
        outcome.done,
        outcome.time.as_secs_f64(),
        programs.load(Ordering::Relaxed),
        outcome.slowest.0.as_secs_f64(),
        outcome.slowest.1,
        outcome.cases.len(),
    );
    let bounded = peak.is_none_or(|mib| mib <= args.max_memory);
    if !bounded {
        let _ = writeln!(text, "this is more memory than {} MiB", args.max_memory);
    }
    finish(&text, outcome.cases.is_empty() && bounded)
}

/// The most memory that this process has taken so far, in MiB, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib >> 10)
}

/// The texts of all `*.py` below some folders, those of more than `most` bytes left out.
fn texts(folders: &[PathBuf], most: usize) -> Result<Vec<String>, Failure> {
    let mut paths = Vec::new();
    let mut open = folders.to_vec();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path)
                .map_err(|e| Failure::about(&path, format!("cannot list folder: {e}")))?;
            open.extend(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())));
        } else if path.extension().is_some_and(|e| e == "py") {
            paths.push(path);
        }
    }
    paths.sort();
    let mut texts = Vec::new();
    for path in paths {
        let text = io::read(Some(&path))?.text;
        if text.len() <= most {
            texts.push(text);
        }
    }
    Ok(texts)
}

/// Reports the outcome of checking programs.
fn summarize(
    outcome: &Outcome<(Module, Finding)>,
    what: &str,
    no_shrink: bool,
    save: Option<&PathBuf>,
    padding: bool,
    again: impl Fn(u64) -> String,
) -> Result<(), Failure> {
    let mut text = String::new();
    for case in &outcome.cases {
        let how = Thoroughness { padding, ..Thoroughness::of(case.seed) };
        report(case, &again(case.seed), (no_shrink, how), save, &mut text)?;
    }
    let tally = &outcome.tally;
    let _ = writeln!(
        text,
        "{} {what} in {:.1} s: {} runs compared, {} stop on all inputs, {} cheaper than by syntactic sharing, \
         slowest {:.1} s (seed {}), {} went wrong",
        outcome.done,
        outcome.time.as_secs_f64(),
        tally.runs,
        tally.idle,
        tally.improved,
        outcome.slowest.0.as_secs_f64(),
        outcome.slowest.1,
        outcome.cases.len(),
    );
    finish(&text, outcome.cases.is_empty())
}

/// Something that went wrong.
struct Case<F> {
    seed: u64,
    failure: F,
}

struct Outcome<F> {
    done: u64,
    tally: Sums,
    cases: Vec<Case<F>>,
    time: Duration,
    /// The longest time that one seed took, and the seed.
    slowest: (Duration, u64),
}

#[derive(Default)]
struct Sums {
    runs: usize,
    idle: usize,
    improved: usize,
}

impl Sums {
    fn add(&mut self, tally: Tally) {
        self.runs += tally.runs;
        self.idle += usize::from(tally.idle);
        self.improved += usize::from(tally.improved);
    }
}

/// Does `work` for each seed, on as many threads as there are processors. Each has a pool of its own for what satir does
/// in parallel: a thread that waits for a part of its program must not begin another program meanwhile, whose time would
/// then count as that of the first.
fn sweep<F: Send>(
    volume: &Volume,
    work: impl Fn(u64) -> Result<Tally, F> + Sync,
) -> Result<Outcome<F>, Failure> {
    let start = Instant::now();
    let target = if is_quiet() { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(volume.count), target);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {per_sec}") {
        bar.set_style(style);
    }
    let next = AtomicU64::new(0);
    let outcome = Mutex::new(Outcome {
        done: 0,
        tally: Sums::default(),
        cases: Vec::new(),
        time: Duration::ZERO,
        slowest: (Duration::ZERO, 0),
    });
    let record = |seed: u64, time: Duration, result: Result<Tally, F>| {
        let mut outcome = outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.done += 1;
        outcome.slowest = outcome.slowest.max((time, seed));
        match result {
            Ok(tally) => outcome.tally.add(tally),
            Err(failure) => outcome.cases.push(Case { seed, failure }),
        }
        outcome.cases.len() < volume.max_findings
    };
    let worker = |pool: &ThreadPool| {
        loop {
            let k = next.fetch_add(1, Ordering::Relaxed);
            if k >= volume.count || volume.seconds.is_some_and(|most| start.elapsed() >= most) {
                return;
            }
            let seed = volume.seed.wrapping_add(k);
            let (time, result) = pool.install(|| {
                let begun = Instant::now();
                let result = work(seed);
                (begun.elapsed(), result)
            });
            bar.inc(1);
            if !record(seed, time, result) {
                next.store(volume.count, Ordering::Relaxed);
                return;
            }
        }
    };
    // Two threads each, so that what is done in parallel meets what is done in turn.
    let pool = |_| ThreadPoolBuilder::new().num_threads(2).stack_size(STACK).build();
    let pools: Vec<ThreadPool> =
        (0..rayon::current_num_threads()).map(pool).collect::<Result<_, _>>().map_err(Failure::bad)?;
    std::thread::scope(|scope| {
        for pool in &pools {
            scope.spawn(|| worker(pool));
        }
    });
    bar.finish_and_clear();
    let mut outcome = outcome.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcome.cases.sort_by_key(|case| case.seed);
    outcome.cases.truncate(volume.max_findings);
    outcome.time = start.elapsed();
    Ok(outcome)
}

/// The most programs that are tried in making one smaller.
const SHRINK_TRIES: usize = 1500;

/// Describes a case with the smallest program that has it.
fn report(
    case: &Case<(Module, Finding)>,
    again: &str,
    (no_shrink, how): (bool, Thoroughness),
    save: Option<&PathBuf>,
    text: &mut String,
) -> Result<(), Failure> {
    let Case { seed, failure: (module, finding) } = case;
    let how = Thoroughness { only: Some(finding.part), ..how };
    let compare = fuzz::compare_options(module, *seed);
    let wrong = |candidate: &Module| match fuzz::check(candidate, &compare, how) {
        Err(found) => found.part == finding.part && found.kind == finding.kind,
        Ok(_) => false,
    };
    let tries = if no_shrink { 0 } else { SHRINK_TRIES };
    let small = fuzz::shrink(module, tries, wrong);
    let what = fuzz::check(&small, &compare, how).err().map_or_else(|| finding.what.clone(), |f| f.what);
    let _ = writeln!(text, "# {} {:?}: {what}\n# {again}\n{small}", finding.part, finding.kind);
    if let Some(folder) = save {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::about(folder, format!("cannot create folder: {e}")))?;
        let name = format!("{}-{:?}-{seed}.py", finding.part.replace(' ', "-"), finding.kind);
        io::write_file(&folder.join(name), &format!("# {what}\n{small}"))?;
    }
    Ok(())
}

fn finish(text: &str, good: bool) -> Result<(), Failure> {
    io::write_stdout(text)?;
    if good { Ok(()) } else { Err(Failure::bad("the fuzzer found something wrong")) }
}
