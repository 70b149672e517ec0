//! Passes by name, and the driver that runs them in order.
//!
//! A pass turns a valid module into a valid module that does the same; it knows nothing of its neighbours. The
//! driver verifies the input and the result of each pass: an invalid result is a bug, named after its pass, and is
//! dropped.
//!
//! To add a pass: its own module with one entry point, then a line in [`ALL`].

use std::time::{Duration, Instant};

use crate::cse::{self, Mode, Options};
use crate::error::Error;
use crate::ir::Module;
use crate::simplify::{self, Reach};
use crate::verify::verify;

/// A pass.
///
/// ```
/// let names: Vec<&str> = satir::passes::ALL.iter().map(|pass| pass.name).collect();
/// assert!(names.contains(&"simplify") && names.contains(&"semantic-cse"));
/// ```
#[derive(Debug)]
pub struct Pass {
    /// The name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    apply: fn(&Module, &Options) -> Result<Module, Error>,
}

/// All passes.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    A[x * 4 // 4] = x\n")?;
/// let pass = satir::passes::ALL.iter().find(|pass| pass.name == "simplify").expect("there is one");
/// println!("{}: {}", pass.name, pass.about);
/// let options = satir::cse::Options::default();
/// let simpler = satir::passes::run(&module, &[pass], &options, |_, _| ())?;
/// assert!(simpler.to_string().contains("A[x] = x"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const ALL: &[Pass] = &[
    Pass {
        name: "verify",
        about: "check that the program is well-formed; changes nothing",
        apply: |module, _| Ok(module.clone()),
    },
    Pass {
        name: "simplify",
        about: "simplify expressions and conditions under what their place guarantees; no new bindings",
        apply: |module, options| {
            let mut module = module.clone();
            let settings = options.simplification(Reach::Everything);
            for func in &mut module.funcs {
                simplify::run(func, &settings);
            }
            Ok(module)
        },
    },
    Pass {
        name: "syntactic-cse",
        about: "share expressions that are written alike",
        apply: |module, options| share(module, options, Mode::Syntactic),
    },
    Pass {
        name: "semantic-cse",
        about: "share expressions that are equal, by equality saturation",
        apply: |module, options| share(module, options, Mode::Semantic),
    },
];

/// What the driver saw of one pass.
///
/// ```
/// use satir::passes;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    if x + 1 > x:\n        A[0] = A[1]\n")?;
/// let mut changed = Vec::new();
/// let selected = passes::select("simplify,simplify")?;
/// passes::run(&module, &selected, &satir::cse::Options::default(), |step, _| changed.push(step.changed))?;
/// assert_eq!(changed, [true, false], "nothing is left for the second run");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Step {
    /// The pass's name.
    pub pass: &'static str,
    /// Whether it changed anything.
    pub changed: bool,
    /// How long it took, without verification.
    pub time: Duration,
}

/// The passes in a list of names between commas, such as `verify,semantic-cse`; an empty list has none.
///
/// # Errors
///
/// If no pass has one of the names.
///
/// ```
/// use satir::passes::select;
///
/// let names: Vec<&str> = select("verify,semantic-cse")?.iter().map(|pass| pass.name).collect();
/// assert_eq!(names, ["verify", "semantic-cse"]);
/// assert!(select("")?.is_empty());
/// assert!(select("semantic-cze").is_err());
/// # Ok::<(), satir::Error>(())
/// ```
pub fn select(names: &str) -> Result<Vec<&'static Pass>, Error> {
    let find = |name: &str| {
        ALL.iter().find(|pass| pass.name == name).ok_or_else(|| {
            let known: Vec<&str> = ALL.iter().map(|pass| pass.name).collect();
            Error::UnknownPass { name: name.to_owned(), known: known.join(", ") }
        })
    };
    names.split(',').map(str::trim).filter(|name| !name.is_empty()).map(find).collect()
}

/// Runs passes in order and verifies before the first and after each. `observe` is called after each pass with what
/// it made.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), x: T.int32):\n    A[0] = x - x + 7\n";
/// let passes = satir::passes::select("simplify,semantic-cse")?;
/// let options = satir::cse::Options::default();
/// let result = satir::passes::run(&satir::parse(text)?, &passes, &options, |step, _| assert!(!step.pass.is_empty()))?;
/// assert!(result.to_string().contains("A[0] = 7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the module is not well-formed, or a pass fails.
pub fn run(
    module: &Module,
    passes: &[&Pass],
    options: &Options,
    mut observe: impl FnMut(&Step, &Module),
) -> Result<Module, Error> {
    verify(module).map_err(Error::Invalid)?;
    let mut module = module.clone();
    for pass in passes {
        let start = Instant::now();
        let result = (pass.apply)(&module, options)?;
        let time = start.elapsed();
        verify(&result).map_err(|violations| Error::Broken { pass: pass.name, violations })?;
        let step = Step { pass: pass.name, changed: result != module, time };
        log::info!("{}: {}, {time:?}", step.pass, if step.changed { "changed" } else { "unchanged" });
        observe(&step, &result);
        module = result;
    }
    Ok(module)
}

fn share(module: &Module, options: &Options, mode: Mode) -> Result<Module, Error> {
    cse::run(module, &Options { mode, ..options.clone() }).map(|(module, _)| module)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_passes_in_order() {
        let names = |list| select(list).map(|passes| passes.iter().map(|p| p.name).collect::<Vec<_>>());
        assert_eq!(names("").unwrap(), [""; 0]);
        assert_eq!(names("verify, syntactic-cse,verify").unwrap(), ["verify", "syntactic-cse", "verify"]);
        let error = names("verify,cse").unwrap_err().to_string();
        assert!(error.starts_with("there is no pass `cse`; the passes are verify,"), "{error}");
    }

    #[test]
    fn names_are_unique() {
        for (at, pass) in ALL.iter().enumerate() {
            assert!(ALL[..at].iter().all(|other| other.name != pass.name), "{}", pass.name);
        }
    }
}
