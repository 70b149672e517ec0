//! Arguments that several subcommands share, and how their values are read.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

/// Where a program comes from and where the result goes.
#[derive(Args, Debug, Clone)]
pub(crate) struct InOut {
    /// TVMScript file, or a folder of them (every `*.py` in it); `-` or nothing reads standard input.
    pub(crate) input: Option<PathBuf>,

    /// Write here instead of to standard output: a file, or a folder if the input is one.
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    /// Work on this many programs of a folder, or functions of a module, at a time (default: one for each processor).
    /// The result is the same for every number.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) jobs: Option<u16>,
}

/// What the optimizer may do, and for how long.
#[derive(Args, Debug, Clone)]
pub(crate) struct Tuning {
    /// Rule file, or a folder of `*.rules`, that is added to the built-in rules; a file with the name of a
    /// built-in one replaces it. May be given several times.
    #[arg(long, value_name = "PATH")]
    pub(crate) rules: Vec<PathBuf>,

    /// Cost profile (JSON) that replaces the built-in weights.
    #[arg(long, value_name = "FILE")]
    pub(crate) cost: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) bind: Bind,

    /// Allow rules that reassociate and distribute floating point.
    #[arg(long)]
    pub(crate) fast_math: bool,

    /// Take every dimension of a parameter's buffer to be at least 1. Without this a dimension may be zero.
    #[arg(long)]
    pub(crate) assume_positive_dims: bool,

    /// Write a report on costs, bindings and stages: as JSON, or for `cse` as a page if the name ends in `.html`.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Stop searching for more after this time, in seconds, and return the best so far.
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
    #[arg(long)]
    pub(crate) validate: bool,
}

/// Values for symbolic dimensions and scalar parameters.
#[derive(Args, Debug, Clone)]
pub(crate) struct Bind {
    /// Values of symbolic dimensions and scalar parameters, such as `n=64,m=3`.
    #[arg(long = "bind", value_name = "NAME=N,…", value_parser = bindings)]
    given: Vec<BTreeMap<String, i64>>,
}

impl Bind {
    /// All values that were given; of several for one name the last.
    pub(crate) fn values(&self) -> BTreeMap<String, i64> {
        self.given.iter().flatten().map(|(name, value)| (name.clone(), *value)).collect()
    }
}

/// Reads `name=value` pairs between commas.
fn bindings(text: &str) -> Result<BTreeMap<String, i64>, String> {
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
        let expected: BTreeMap<String, i64> =
            [("n", 64), ("m", -3)].into_iter().map(|(n, v)| (n.to_owned(), v)).collect();
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
