//! Which reasons of the target's model a result owes its form to.

use crate::cse::{Mode, Options, run};
use crate::error::Error;
use crate::ir::Module;
use crate::target::Reason;

/// A reason that decided something, and the result that there would be without it.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::target::Reason;
///
/// let module = satir::parse(
///     r#"
/// @T.prim_func
/// def main(A: T.Buffer((64,), "int32"), B: T.Buffer(("m",), "int32")):
///     m = T.int32()
///     for i in range(64):
///         A[i] = T.max(i // m, 3)
/// "#,
/// )?;
/// let options = Options::default();
/// let (result, _) = cse::run(&module, &options)?;
/// let swayed = cse::swayed(&module, &result, &options)?;
/// assert_eq!(swayed[0].reason, Reason::TruncatedDivision);
/// assert!(result.to_string().contains("T.Div(i, m)"));
/// assert!(swayed[0].without.to_string().contains("i // m"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Swayed {
    /// What the compiler makes of expressions.
    pub reason: Reason,
    /// The result where that is left out of account.
    pub without: Module,
}

/// The reasons without which `result`, which [`run`] made of `module` with these options, would be another one. Runs once
/// more for each reason that counts for a function.
///
/// ```
/// use satir::cse::{self, Options};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[0] = x + 1\n")?;
/// let (result, _) = cse::run(&module, &Options::default())?;
/// assert!(cse::swayed(&module, &result, &Options::default())?.is_empty(), "there was nothing to decide");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Those of [`run`].
pub fn swayed(module: &Module, result: &Module, options: &Options) -> Result<Vec<Swayed>, Error> {
    let mut found = Vec::new();
    if options.mode == Mode::Syntactic {
        return Ok(found);
    }
    for reason in Reason::ALL {
        let counts =
            |func| options.model_of(func, options.index_bits.widens(options.target_of(func))).has(reason);
        if !module.funcs.iter().any(counts) {
            continue;
        }
        let mut ignoring = options.clone();
        ignoring.ignored_reasons.push(reason);
        let (without, _) = run(module, &ignoring)?;
        if without != *result {
            found.push(Swayed { reason, without });
        }
    }
    Ok(found)
}
