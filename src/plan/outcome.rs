//! What the search is told, and what it tells.

use serde::Serialize;

use crate::cse::Options;

/// What the search is told.
///
/// ```
/// let options = satir::cse::Options::default();
/// let mut settings = satir::plan::Settings::new(&options);
/// settings.states = 20;
/// assert!(settings.depth > 0);
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Settings<'a> {
    /// The options of the run: bindings of sizes, target, what may be read, what may be done to loops.
    pub options: &'a Options,
    /// How many states are followed at each depth; of a short function half of them, and
    /// others that are nearly as cheap as the best.
    pub beam: usize,
    /// The most moves in a row, before loops are written as the pass `loops` writes them.
    pub depth: usize,
    /// The most states that are looked at.
    pub states: usize,
}

impl<'a> Settings<'a> {
    /// With the usual budgets: a beam of 8, 12 moves, 400 states.
    ///
    /// ```
    /// let options = satir::cse::Options::default();
    /// assert_eq!(satir::plan::Settings::new(&options).beam, 8);
    /// ```
    pub fn new(options: &'a Options) -> Settings<'a> {
        Settings { options, beam: 8, depth: 12, states: 400 }
    }
}

/// What was done to a function, and why it is right.
///
/// ```
/// use satir::plan::{Settings, run};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        A[i] = 100\n        A[i] = 42\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let (_, plan) = run(&func, &Settings::new(&satir::cse::Options::default()));
/// assert!(plan.after < plan.before);
/// assert_eq!(plan.moves[0].changes[0].to_string(), "a store to `A` goes: what it stores is overwritten before it is read");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// The function's name.
    pub function: String,
    /// What the cost counts: `instructions` of a CPU, or weighted `operations`.
    pub counts: &'static str,
    /// The cost of the input.
    pub before: f64,
    /// The cost of the result.
    pub after: f64,
    /// The moves from the input to the result.
    pub moves: Vec<Move>,
    /// How many states were looked at.
    pub states: usize,
    /// The budget that ended the search: `states`, `depth`, `work`, `tries`, or that the function is too `long`.
    pub limit: Option<&'static str>,
    /// The budgets that ended within it, so that places for moves were not tried, in words.
    #[serde(skip)]
    pub limits: Vec<String>,
}

/// A move.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    A[3] = 1\n    A[3] = 2\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let options = satir::cse::Options::default();
/// let (_, plan) = satir::plan::run(&func, &satir::plan::Settings::new(&options));
/// let made: &satir::plan::Move = &plan.moves[0];
/// assert!(made.after < made.before && made.pass == "remove-no-op");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Move {
    /// The pass that does it.
    pub pass: &'static str,
    /// The cost before it.
    pub before: f64,
    /// The cost after it, which may be more: later moves may rest on it.
    pub after: f64,
    /// What it changed, with proofs.
    pub changes: Vec<crate::noop::Change>,
}
