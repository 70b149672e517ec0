//! `--validate`: before a result is written, input and result are run on seeded small inputs.

use std::path::PathBuf;

use satir::cse::Options;
use satir::interp::{self, Constraints, EquivOptions};
use satir::ir::Module;

use super::io::{Failure, Source};

/// Runs to compare for each function.
const RUNS: usize = 12;

/// Longest run, in steps of the interpreter.
const MAX_STEPS: u64 = 20_000_000;

/// How much floats may differ that were computed as if they were real numbers, relative to values above 1.
const TOLERANCE: f64 = 1e-3;

/// Compares what the input and the text of its result do. Warns if that could not be found out. `rules` are the files that
/// rules were read from.
///
/// # Errors
///
/// They differ: a bug in satir, or a wrong rule in one of the files.
pub(crate) fn validate(
    source: &Source,
    before: &Module,
    text: &str,
    options: &Options,
    rules: &[PathBuf],
) -> Result<(), Failure> {
    let differ = |what: &str, how: &str| {
        let mut causes = String::new();
        if options.fast_math {
            causes += &format!(
                "\n  floats were compared within {TOLERANCE}, as --fast-math changes their last bits; where large values cancel \
                 they may differ by more, and --validate cannot tell that from a mistake"
            );
        }
        if !rules.is_empty() {
            let files: Vec<String> = rules.iter().map(|path| path.display().to_string()).collect();
            let files = files.join(" ");
            causes += &format!("\n  a rule of {files} may be wrong: `satir rules check {files}`");
        }
        let cause = if causes.is_empty() {
            "this is a bug in satir"
        } else {
            "if it is none of these, it is a bug in satir"
        };
        let version = env!("CARGO_PKG_VERSION");
        Failure::Bad(format!(
            "error: {}: --validate refuses the result, which does something else than the program: {what}\n  nothing was \
             written{causes}\n  {cause}: please report it with the program, the command line and `{version} {how}`",
            source.name,
        ))
    };
    let after = satir::parse(text).map_err(|e| differ(&e.message, "unreadable result"))?;
    let compare = EquivOptions {
        bindings: options.bindings.clone(),
        fixed: false,
        constraints: Constraints::new(),
        runs: RUNS,
        seed: 0,
        tolerance: options.fast_math.then_some(TOLERANCE),
        max_steps: MAX_STEPS,
        lenient_loads: false,
        no_new_loads: false,
        accessed_only: false,
        layouts: Vec::new(),
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
