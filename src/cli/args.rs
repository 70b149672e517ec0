//! Arguments that several subcommands share, and how their values are read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::chosen::Chosen;
use super::compiler::Compiler;
use super::io::Failure;

/// Where programs come from and where the results go.
#[derive(Args, Debug, Clone)]
pub(crate) struct InOut {
    /// TVMScript files and folders of them: every `*.py` there and below, but for hidden files and those that `.gitignore`
    /// leaves out; `-` or nothing reads standard input.
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// Write here instead of to standard output: a file, or a folder if there is more than one program. What is no program
    /// (`--emit`) gets another ending there.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Instead of the result print what changes, as a unified difference. Programs are compared as satir prints them, so
    /// comments and layout do not count.
    #[arg(long, conflicts_with = "output")]
    pub(crate) diff: bool,

    /// Write no result; exit code 1 if a program would change.
    #[arg(long, conflicts_with = "output")]
    pub(crate) check: bool,

    /// Work on this many programs of a batch, or functions of a module, at a time (default: one for each processor).
    /// The result is the same for every number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

impl InOut {
    /// Whether results are compared with the programs instead of written.
    pub(crate) fn compares(&self) -> bool {
        self.diff || self.check
    }
}

/// What the optimizer may do, and for how long.
#[derive(Args, Debug, Clone)]
pub(crate) struct Tuning {
    #[command(flatten)]
    pub(crate) chosen: Chosen,

    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    pub(crate) cost: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) bind: Bind,

    #[command(flatten)]
    pub(crate) compiler: Compiler,

    /// Take every dimension of a parameter's buffer to be at least 1. Without this a dimension may be zero.
    #[arg(long)]
    pub(crate) assume_positive_dims: bool,

    /// Take all elements of parameters to be readable, also those that the program does not read: for passes that let work
    /// run where it is not needed.
    #[arg(long)]
    pub(crate) readable_parameters: bool,

    /// Take no float in the inputs to be infinite or NaN, for passes on padding: much less than `--fast-math`.
    #[arg(long)]
    pub(crate) finite: bool,

    /// Write a report on costs, bindings, rules and stages: as JSON, or as a page if the name ends in `.html`; of several
    /// programs that page is the contents, and theirs are in a folder beside it.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Write remarks on each line of the programs: what was done there, what was not, and why. As YAML that LLVM's
    /// `opt-viewer` reads, or as SARIF if the name ends in `.sarif`.
    #[arg(long, value_name = "FILE")]
    pub(crate) remarks: Option<PathBuf>,

    /// Write a certificate that the result does what the program does, which `satir check-certificate` checks. Where some of it
    /// cannot be shown the result is written, but no certificate, and the exit code is 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) certify: Option<PathBuf>,

    /// Say on standard error, for each expression that was replaced, why it equals what replaced it, from which facts, and
    /// what was removed.
    #[arg(long)]
    pub(crate) explain: bool,

    /// Stop searching for more after this time, in seconds, and return the best so far. Without it the same input always gives
    /// the same result.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) time_limit: Option<Duration>,

    /// Stop growing an e-graph at this number of nodes.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) node_limit: Option<u64>,

    /// Take functions three times as long as this in windows of about this length, each with an e-graph of its own; the length
    /// counts statements and parts of expressions [default: 20000].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) window: Option<u64>,

    /// Run program and result on small inputs before anything is written, and refuse a result that does something else.
    /// With `--fast-math` floats may differ by a thousandth.
    #[arg(long)]
    pub(crate) validate: bool,
}

/// Values for symbolic dimensions and scalar parameters.
#[derive(Args, Debug, Clone)]
pub(crate) struct Bind {
    /// Values of symbolic dimensions and scalar parameters, such as `n=64,m=3`. Each name must be one of some function of
    /// the programs that are read.
    #[arg(long = "bind", value_name = "NAME=N,…", value_parser = bindings)]
    given: Vec<Pairs>,
}

/// What one `--bind` gives.
type Pairs = Vec<(String, i64)>;

impl Bind {
    /// All values that were given.
    ///
    /// # Errors
    ///
    /// If one name was given twice.
    pub(crate) fn values(&self) -> Result<BTreeMap<String, i64>, Failure> {
        let mut values = BTreeMap::new();
        for (name, value) in self.given.iter().flatten() {
            if values.insert(name.clone(), *value).is_some() {
                return Err(Failure::usage(format_args!("--bind: `{name}` is given twice")));
            }
        }
        Ok(values)
    }

    /// Whether nothing was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.given.iter().all(Vec::is_empty)
    }

    /// Asks whether all names are of something.
    ///
    /// # Errors
    ///
    /// If one is not; `known` are those that there are.
    pub(crate) fn check(&self, known: &BTreeSet<Arc<str>>) -> Result<(), Failure> {
        let Some((name, _)) = self.given.iter().flatten().find(|(name, _)| !known.contains(name.as_str()))
        else {
            return Ok(());
        };
        let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        let there = if known.is_empty() {
            "there is none".to_owned()
        } else {
            format!("there are {}", known.join(", "))
        };
        Err(Failure::usage(format_args!(
            "--bind: no function has a size or scalar parameter `{name}`; {there}"
        )))
    }
}

/// Reads `name=value` pairs between commas.
fn bindings(text: &str) -> Result<Pairs, String> {
    let pair = |part: &str| {
        let Some((name, value)) = part.split_once('=') else {
            return Err(format!("expected `name=integer`, found `{part}`"));
        };
        let name = name.trim();
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(format!("expected a name before `=` in `{part}`"));
        }
        match value.trim().parse() {
            Ok(value) => Ok((name.to_owned(), value)),
            Err(_) => Err(format!("the value of `{name}` is not a 64-bit integer: `{}`", value.trim())),
        }
    };
    text.split(',').filter(|part| !part.trim().is_empty()).map(pair).collect()
}

/// Reads a positive number of seconds.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let bad = || format!("expected a positive number of seconds, found `{text}`");
    let value: f64 = text.parse().map_err(|_| bad())?;
    if value > 0.0 { Duration::try_from_secs_f64(value).map_err(|_| bad()) } else { Err(bad()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_are_pairs_between_commas() {
        let expected: Pairs = [("n", 64), ("m", -3)].into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
        assert_eq!(bindings("n=64, m = -3"), Ok(expected.clone()));
        assert_eq!(bindings("n=64,m=-3,"), Ok(expected));
        for bad in ["n", "n=", "=3", "n=x", "n=1 2", "n=9223372036854775808", "a b=1"] {
            assert!(bindings(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn time_limits_are_positive_seconds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "x", "inf", "NaN", "1e99"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
