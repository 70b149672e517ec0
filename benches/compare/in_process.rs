//! How long sharing takes for programs that were read already, in a process in which everything that is done once is
//! done: `timing.py` sets it beside TVM's passes.
//!
//!     cargo build --release --example in_process
//!     echo '[{"path": "kernel.py", "bindings": {"n": 64}}]' | target/release/examples/in_process
//!
//! For each program of the list on standard input the least of several runs, each of which parses nothing and prints
//! nothing, goes to standard output: the milliseconds of processor time, and the microseconds that the stages took by
//! the clock.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use cpu_time::ProcessTime;
use satir::cse::{self, Mode, Options, Report};
use satir::ir::Module;

/// As in the program `satir`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// A program on standard input.
#[derive(serde::Deserialize)]
struct Program {
    path: String,
    #[serde(default)]
    bindings: satir::cost::Bindings,
    /// Whether only what is written alike is shared.
    #[serde(default)]
    syntactic: bool,
}

/// What is found of a program.
#[derive(serde::Serialize)]
struct Least {
    milliseconds: f64,
    /// Of all functions of the program.
    stages: BTreeMap<String, u64>,
}

/// A program is run again until this much time is over, but as often and no more often than this.
const TIME: Duration = Duration::from_millis(150);
const LEAST_RUNS: usize = 3;
const MOST_RUNS: usize = 200;

/// Stack of the thread that does the work, as in the program `satir`.
const STACK: usize = 512 << 20;

fn main() -> anyhow::Result<()> {
    let programs: Vec<Program> = serde_json::from_reader(io::stdin()).context("a list of programs")?;
    let work = move || programs.iter().map(least).collect::<anyhow::Result<Vec<Least>>>();
    let worker = thread::Builder::new().stack_size(STACK).spawn(work)?;
    let times = worker.join().map_err(|_| anyhow!("the optimizer panicked"))??;
    serde_json::to_writer(io::stdout(), &times)?;
    Ok(())
}

/// The least times of several runs.
fn least(program: &Program) -> anyhow::Result<Least> {
    let text = fs::read_to_string(&program.path).with_context(|| program.path.clone())?;
    let module = satir::parse(&text).map_err(|e| anyhow!("{}: {e:?}", program.path))?;
    let mode = if program.syntactic { Mode::Syntactic } else { Mode::Semantic };
    let options = Options { mode, bindings: program.bindings.clone(), ..Options::default() };
    let start = Instant::now();
    let mut least = Duration::MAX;
    let mut stages = BTreeMap::new();
    for run in 0..MOST_RUNS {
        if run >= LEAST_RUNS && start.elapsed() >= TIME {
            break;
        }
        let (time, report) = once(&module, &options)?;
        least = least.min(time);
        for (stage, time) in stages_of(&report) {
            stages.entry(stage).and_modify(|least: &mut u64| *least = time.min(*least)).or_insert(time);
        }
    }
    Ok(Least { milliseconds: least.as_secs_f64() * 1e3, stages })
}

/// How long each stage took, of all functions.
fn stages_of(report: &Report) -> BTreeMap<String, u64> {
    let mut stages = BTreeMap::new();
    for (stage, time) in report.functions.iter().flat_map(|function| &function.stages) {
        *stages.entry(stage.clone()).or_default() += time;
    }
    stages
}

/// One run; what it made is dropped outside of it.
#[inline(never)]
fn once(module: &Module, options: &Options) -> anyhow::Result<(Duration, Report)> {
    let start = ProcessTime::now();
    let (made, report) = cse::run(module, options)?;
    let time = start.elapsed();
    drop(made);
    Ok((time, report))
}
