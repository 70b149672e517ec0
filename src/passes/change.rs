//! What passes say that they did to loop nests.

/// A step that a pass took at a loop nest.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((5000,), \"int32\"), B: T.Buffer((5000,), \"int32\")):\n    for f in range(600):\n        B[f] = A[f % 30 * 20 + f // 30]\n";
/// let mut changes = Vec::new();
/// let pipeline = passes::select("loops")?;
/// passes::run_observed(&satir::parse(text)?, &pipeline, &Options::default(), |step, _| {
///     changes.extend(step.changes.clone());
///     ControlFlow::Continue(())
/// })?;
/// assert_eq!((changes[0].variable.as_str(), changes[0].what.as_str()), ("f", "split"));
/// assert!(changes[0].after < changes[0].before);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The function.
    pub function: String,
    /// The variable of the outermost loop that was changed.
    pub variable: String,
    /// What was done, such as `joined, split`.
    pub what: String,
    /// The instructions of the whole statement before, as they are estimated.
    pub before: u64,
    /// The same after it.
    pub after: u64,
}

/// A loop nest that a pass wrote in another way.
///
/// ```
/// use std::ops::ControlFlow;
/// use satir::{cse::Options, passes};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((600,), \"int32\"), B: T.Buffer((600,), \"int32\")):\n    for f in range(600):\n        B[f] = A[f % 30 * 20 + f // 30]\n";
/// let mut nests = Vec::new();
/// let pipeline = passes::select("loops")?;
/// passes::run_observed(&satir::parse(text)?, &pipeline, &Options::default(), |step, _| {
///     nests.extend(step.nests.clone());
///     ControlFlow::Continue(())
/// })?;
/// assert!(nests[0].before.contains("for f in range(600):"));
/// let after = satir::parse(&nests[0].after)?;
/// assert_eq!(after.funcs[0].params.len(), 2, "it is a program");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Nest {
    /// The function.
    pub function: String,
    /// The function with the nest alone as its body, as the text of a program.
    pub before: String,
    /// The same after the pass.
    pub after: String,
}
