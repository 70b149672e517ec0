//! `satir rules`: look at the rewrite rules, and check them.

use std::path::PathBuf;

use clap::Subcommand;
use satir::rules::{RuleSet, check};

use super::io::{self, Failure};
use super::program;

/// Look at the rewrite rules, and check them.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// List the rules with their sets, types, conditions and reasons.
    List(ListArgs),
    /// Check that every rule is sound: by tests, and by an SMT solver where one is at hand.
    ///
    /// A wrong rule is refuted with a counterexample; the exit code is 1 then.
    Check(CheckArgs),
}

/// Arguments of `satir rules list`.
#[derive(clap::Args, Debug)]
pub(crate) struct ListArgs {
    /// Rule file, or a folder of them, that is added to the built-in rules. May be given several times.
    #[arg(long, value_name = "PATH")]
    rules: Vec<PathBuf>,

    /// List only the sets, not their rules.
    #[arg(long)]
    sets: bool,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Arguments of `satir rules check`.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  satir rules check\n  satir rules check mine.rules")]
pub(crate) struct CheckArgs {
    /// Rule files, or folders of them, to check; without any, the built-in rules.
    paths: Vec<PathBuf>,

    /// Rule file, or a folder of them, that is checked together with the built-in rules.
    #[arg(long, value_name = "PATH", conflicts_with = "paths")]
    rules: Vec<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::List(args) => list(args),
        Command::Check(args) => check(args),
    }
}

fn list(args: &ListArgs) -> Result<(), Failure> {
    let rules = program::rules(&args.rules)?;
    if args.json {
        let json = if args.sets {
            serde_json::json!({ "sets": rules.sets() })
        } else {
            serde_json::json!({ "sets": rules.sets(), "rules": rules.infos() })
        };
        return io::write_stdout(&program::json_text(&json)?);
    }
    let mut out = String::new();
    let infos = rules.infos();
    for set in rules.sets() {
        let state = if set.on { "on" } else { "off" };
        out += &format!("{} ({} rules, {state}): {}\n", set.name, set.rules, set.about);
        for info in infos.iter().filter(|info| info.set == set.name && !args.sets) {
            let off = if info.on == set.on { "" } else { " (off)" };
            out += &format!(
                "  {}{off} [{}]\n      {}\n      {}\n",
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
    super::prepare_threads();
    let rules = if args.paths.is_empty() {
        program::rules(&args.rules)?
    } else {
        RuleSet::load(&args.paths).map_err(|e| Failure::Bad(e.to_string()))?
    };
    let all: Vec<_> = rules.all_rules().collect();
    let report = check::run(&all, check::FULL);
    let text = if args.json { program::json_text(&report)? } else { format!("{report}\n") };
    io::write_stdout(&text)?;
    if report.is_ok() { Ok(()) } else { Err(Failure::Bad("satir: error: not every rule is sound".into())) }
}
