//! How much of arithmetic the engine decides by itself, beside the rules.

/// How much of arithmetic the engine decides by itself. Rules are experiments only where the engine does not know their
/// conclusions already.
///
/// ```
/// use std::sync::Arc;
/// use satir::cse::{self, Options};
/// use satir::eqsat::{Rewrites, TheoryLevel};
/// use satir::rules::RuleSet;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32, y: T.int32):\n    A[x * y] = y * x\n")?;
/// let shared = |theory| -> Result<usize, satir::Error> {
///     let rewrites = Arc::new(Rewrites::new(&RuleSet::empty()).with_theory(theory));
///     let (_, report) = cse::run(&module, &Options { rewrites, ..Options::default() })?;
///     Ok(report.functions[0].bindings.len())
/// };
/// assert_eq!(shared(TheoryLevel::None)?, 0, "without rules nothing is equal to anything else");
/// assert_eq!(shared(TheoryLevel::Linear)?, 1, "the two products have one normal form");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TheoryLevel {
    /// A plain e-graph with rules, as egg has it: operations on constants are folded, everything else takes a rule, the
    /// commutativity of `+` too. Ranges are known, since conditions of rules ask for them, and conclude nothing themselves.
    /// What is known of a place does not change it.
    None,
    /// And sums and products of `int32` and `int64` have normal forms: the laws of rings hold without rules.
    Linear,
    /// And divisions, minima, comparisons, ranges, residues, vectors, and the facts of a place.
    #[default]
    Full,
}
