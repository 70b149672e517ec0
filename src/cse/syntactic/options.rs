//! What syntactic elimination may share.

use crate::cost::{Bindings, Profile};

/// What may be shared, and how costs are counted.
///
/// ```
/// use satir::cse::syntactic::{SyntacticOptions, run_with};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,)), x: T.int32):\n    A[x] = B[0] * B[0]\n";
/// let shared = |loads| -> Result<usize, satir::diag::Diagnostic> {
///     let options = SyntacticOptions { loads, ..SyntacticOptions::default() };
///     Ok(run_with(&mut satir::parse(text)?.funcs[0], &options).bindings.len())
/// };
/// assert_eq!((shared(true)?, shared(false)?), (1, 0));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SyntacticOptions {
    /// The cost profile.
    pub profile: Profile,
    /// Values of symbolic dimensions.
    pub bindings: Bindings,
    /// Share truth values too.
    pub bools: bool,
    /// Share loads, and what holds them, too: as far as nothing that may alias is written in between.
    pub loads: bool,
    /// Share pure calls, and what holds them, too.
    pub pure_calls: bool,
}
