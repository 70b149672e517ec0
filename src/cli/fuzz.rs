//! `satir fuzz`: satir tested with random programs and texts. For its own developers.

use std::fmt::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Subcommand;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use satir::fuzz::{self, Finding, Shape, Tally, Thoroughness};
use satir::ir::Module;

use super::args::seconds;
use super::io::{self, Failure};
use super::prepare_threads;

/// Test satir itself with random programs.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    Programs(Programs),
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
}

/// Random programs: optimize them in several ways and compare what they do.
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Examples:\n  satir fuzz programs --count 10000\n  satir fuzz programs --seed 4711 --count 1"
)]
pub(crate) struct Programs {
    #[command(flatten)]
    volume: Volume,

    /// Only programs that TVM's LLVM build runs too.
    #[arg(long)]
    portable: bool,

    /// Print the programs and do nothing else.
    #[arg(long)]
    print: bool,

    /// Write the shrunk programs to files in this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    prepare_threads();
    // What goes wrong is reported as a whole.
    log::set_max_level(log::LevelFilter::Off);
    match command {
        Command::Programs(args) => programs(args),
    }
}

fn programs(args: &Programs) -> Result<(), Failure> {
    let make = |seed: u64| fuzz::program(seed, Shape::mixed(seed, args.portable));
    if args.print {
        let seeds = args.volume.seed..args.volume.seed.saturating_add(args.volume.count);
        let texts = seeds.map(|seed| format!("# seed {seed}\n{}", make(seed)));
        return texts.into_iter().try_for_each(|text| io::write_stdout(&text));
    }
    let outcome = sweep(&args.volume, |seed| {
        let module = make(seed);
        let compare = fuzz::compare_options(&module, seed);
        fuzz::check(&module, &compare, Thoroughness::of(seed)).map_err(|finding| (module, finding))
    });
    let mut text = String::new();
    for case in &outcome.cases {
        let again = format!("satir fuzz programs --count 1 --seed {}", case.seed);
        report(case, &again, args.save.as_ref(), &mut text)?;
    }
    let tally = &outcome.tally;
    let _ = writeln!(
        text,
        "{} programs in {:.1} s: {} runs compared, {} programs stop on all inputs, {} cheaper than by syntactic sharing, \
         {} still cheaper when optimized again, slowest {:.1} s (seed {}), {} went wrong",
        outcome.done,
        outcome.time.as_secs_f64(),
        tally.runs,
        tally.idle,
        tally.improved,
        tally.again,
        outcome.slowest.0.as_secs_f64(),
        outcome.slowest.1,
        outcome.cases.len(),
    );
    finish(&text, outcome.cases.is_empty())
}

/// Something that went wrong.
struct Case {
    seed: u64,
    module: Module,
    finding: Finding,
}

struct Outcome {
    done: u64,
    tally: Sums,
    cases: Vec<Case>,
    time: Duration,
    /// The longest time that one seed took, and the seed.
    slowest: (Duration, u64),
}

#[derive(Default)]
struct Sums {
    runs: usize,
    idle: usize,
    improved: usize,
    again: usize,
}

impl Sums {
    fn add(&mut self, tally: Tally) {
        self.runs += tally.runs;
        self.idle += usize::from(tally.idle);
        self.improved += usize::from(tally.improved);
        self.again += usize::from(tally.again);
    }
}

/// Seeds that are done before it is looked whether to go on.
const CHUNK: u64 = 2048;

/// Does `work` for each seed, on all cores.
fn sweep(volume: &Volume, work: impl Fn(u64) -> Result<Tally, (Module, Finding)> + Sync) -> Outcome {
    let start = Instant::now();
    let bar = ProgressBar::with_draw_target(Some(volume.count), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {elapsed} {per_sec}") {
        bar.set_style(style);
    }
    let late = AtomicBool::new(false);
    let mut outcome = Outcome {
        done: 0,
        tally: Sums::default(),
        cases: Vec::new(),
        time: Duration::ZERO,
        slowest: (Duration::ZERO, 0),
    };
    let mut next = 0;
    while next < volume.count && outcome.cases.len() < volume.max_findings && !late.load(Ordering::Relaxed) {
        let end = volume.count.min(next + CHUNK);
        let one = |k: u64| {
            if volume.seconds.is_some_and(|most| start.elapsed() >= most) {
                late.store(true, Ordering::Relaxed);
                return None;
            }
            let seed = volume.seed.wrapping_add(k);
            let begun = Instant::now();
            let result = work(seed);
            bar.inc(1);
            Some((seed, begun.elapsed(), result))
        };
        let results: Vec<_> = (next..end).into_par_iter().filter_map(one).collect();
        for (seed, time, result) in results {
            outcome.done += 1;
            outcome.slowest = outcome.slowest.max((time, seed));
            match result {
                Ok(tally) => outcome.tally.add(tally),
                Err((module, finding)) => outcome.cases.push(Case { seed, module, finding }),
            }
        }
        next = end;
    }
    outcome.cases.truncate(volume.max_findings);
    bar.finish_and_clear();
    outcome.time = start.elapsed();
    outcome
}

/// The most programs that are tried in making one smaller.
const SHRINK_TRIES: usize = 1500;

/// Describes a case with the smallest program that has it.
fn report(case: &Case, again: &str, save: Option<&PathBuf>, text: &mut String) -> Result<(), Failure> {
    let Case { seed, module, finding } = case;
    let how = Thoroughness { only: Some(finding.part), ..Thoroughness::of(*seed) };
    let compare = fuzz::compare_options(module, *seed);
    let wrong = |candidate: &Module| match fuzz::check(candidate, &compare, how) {
        Err(found) => found.part == finding.part && found.kind == finding.kind,
        Ok(_) => false,
    };
    let small = fuzz::shrink(module, SHRINK_TRIES, wrong);
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
    if good { Ok(()) } else { Err(Failure::Bad("satir: error: the fuzzer found something wrong".into())) }
}
