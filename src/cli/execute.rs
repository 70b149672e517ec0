//! What the commands that run programs share: their arguments, and messages about runs that stop.

use std::path::{Path, PathBuf};

use clap::Args;
use satir::diag::Diagnostic;
use satir::interp::{self, Constraint, Constraints, RunError, Trap};
use satir::ir::Module;

use super::args::Bind;
use super::io::{self, Failure, Source};
use super::{program, unique};

/// What a program is run on, and for how long.
#[derive(Args, Debug, Clone)]
pub(crate) struct Inputs {
    #[command(flatten)]
    pub(crate) bind: Bind,

    /// Where random inputs start.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,

    /// What buffers may hold, as JSON or the name of a JSON file: `{"idx": {"kind": "randint", "lo": 0, "hi": 9}}`
    /// (`hi` excluded), `{"A": {"kind": "uniform", "lo": 0, "hi": 1}}`, `{"A": {"kind": "values", "values": [1, 2]}}`. A
    /// name that no buffer has is taken for the only buffer of integers, as TVM renames buffers.
    #[arg(long, value_name = "JSON")]
    constraints: Option<String>,

    /// Let loads outside of their buffers read what lies there instead of stopping. TVM makes such loads for values that it
    /// then drops.
    #[arg(long)]
    pub(crate) lenient_loads: bool,

    /// Stop a run after this many steps, about one for each operation.
    #[arg(long, value_name = "N", default_value_t = 20_000_000_000)]
    pub(crate) max_steps: u64,
}

impl Inputs {
    /// The constraints on buffers.
    pub(crate) fn constraints(&self) -> Result<Constraints, Failure> {
        let (name, text) = match self.constraints.as_deref() {
            None => return Ok(Constraints::new()),
            Some(json) if json.trim_start().starts_with('{') => ("--constraints".to_owned(), json.to_owned()),
            Some(path) => {
                let source = io::read(Some(Path::new(path)))?;
                (source.name, source.text)
            }
        };
        serde_json::from_str::<unique::Map<Constraint>>(&text)
            .map(|map| map.0.into_iter().collect())
            .map_err(|e| Failure::usage(format_args!("{name}: not a map of constraints: {e}")))
    }

    /// Asks whether each name of `--bind` and `--constraints` is one of some function of the programs.
    pub(crate) fn check(&self, modules: &[&Module]) -> Result<(), Failure> {
        self.bind.check(&modules.iter().flat_map(|module| program::bindable(module)).collect())?;
        let constraints = self.constraints()?;
        let funcs = || modules.iter().flat_map(|module| &module.funcs);
        let unknown = |name: &&String| !funcs().any(|func| interp::constrains(func, &constraints, name));
        match constraints.keys().find(unknown) {
            Some(name) => {
                Err(Failure::usage(format_args!("--constraints: no function has a buffer `{name}`")))
            }
            None => Ok(()),
        }
    }
}

/// Why a function cannot be run, as a failure; with the place if there is one.
pub(crate) fn refusal(source: &Source, function: &str, error: &RunError) -> Failure {
    match error {
        RunError::Unsupported(unsupported) => Failure::Bad(
            Diagnostic::new(&source.name, &source.text, unsupported.span, unsupported.to_string())
                .to_string(),
        ),
        _ => Failure::Bad(format!("{}: error: function `{function}`: {error}", source.name)),
    }
}

/// A run that stopped, with the statement where it did.
pub(crate) fn stopped(source: &Source, function: &str, trap: &Trap) -> String {
    let message = format!("function `{function}` stopped: {trap}");
    if trap.span == satir::diag::Span::NONE {
        return format!("{}: error: {message}", source.name);
    }
    Diagnostic::new(&source.name, &source.text, trap.span, message).to_string()
}

/// Reads a file of tensors.
pub(crate) fn load_tensors(path: Option<&PathBuf>) -> Result<Vec<satir::interp::Tensor>, Failure> {
    let Some(path) = path else { return Ok(Vec::new()) };
    let bytes = std::fs::read(path).map_err(|e| Failure::about(path, format!("cannot read: {e}")))?;
    satir::interp::read_tensors(&bytes).map_err(|e| Failure::about(path, e))
}
