//! `--validate`: before a result is written, input and result are run on seeded small inputs.

use satir::cse::Options;
use satir::interp::{self, Constraints, EquivOptions};
use satir::ir::Module;

use super::io::{Failure, Source};

/// Runs to compare for each function.
const RUNS: usize = 12;

/// Longest run, in steps of the interpreter.
const MAX_STEPS: u64 = 20_000_000;

/// Compares what the input and the text of its result do. Warns if that could not be found out.
///
/// # Errors
///
/// They differ: a bug in satir.
pub(crate) fn validate(
    source: &Source,
    before: &Module,
    text: &str,
    options: &Options,
) -> Result<(), Failure> {
    let differ = |what: &str, how: &str| {
        Failure::Bad(format!(
            "error: {}: --validate refuses the result, which does something else than the program: {what}\n  \
             nothing was written; this is a bug in satir: please report it with the program, the command line and \
             `{} {how}`",
            source.name,
            env!("CARGO_PKG_VERSION"),
        ))
    };
    let after = satir::parse(text).map_err(|e| differ(&e.message, "unreadable result"))?;
    let compare = EquivOptions {
        bindings: options.bindings.clone(),
        fixed: false,
        constraints: Constraints::new(),
        runs: RUNS,
        seed: 0,
        tolerance: options.fast_math.then_some(1e-3),
        max_steps: MAX_STEPS,
        lenient_loads: false,
        no_new_loads: false,
        limits_everywhere: false,
    };
    match interp::equiv(before, &after, &compare) {
        Err(why) => {
            log::warn!("{}: not validated: {why}", source.name);
            Ok(())
        }
        Ok(result) => match result.difference {
            Some(d) => {
                let bindings: Vec<String> = d.bindings.iter().map(|(k, v)| format!("{k}={v}")).collect();
                let how = format!("--seed {} --bind \"{}\"", d.seed, bindings.join(","));
                Err(differ(&format!("function `{}`: {}", d.function, d.what), &how))
            }
            None if result.compared == 0 => {
                let why = result.skipped.keys().next().map_or("there is no function", String::as_str);
                log::warn!("{}: not validated: no run came to its end: {why}", source.name);
                Ok(())
            }
            None => Ok(()),
        },
    }
}
