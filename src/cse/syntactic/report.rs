//! What syntactic elimination did to a function.

use std::sync::Arc;

use crate::ir::VarId;

/// What was done to a function.
///
/// ```
/// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x]\n")?;
/// let report = satir::cse::syntactic::run(&mut module.funcs[0]);
/// assert_eq!(report.bindings.len(), 1);
/// assert!(report.expressions >= 2, "`x` and `x * x` at least");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SyntacticReport {
    /// The new bindings, in the order of the text.
    pub bindings: Vec<Binding>,
    /// How many distinct expressions the function had.
    pub expressions: usize,
}

/// A new binding.
///
/// ```
/// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x]\n")?;
/// let binding = satir::cse::syntactic::run(&mut module.funcs[0]).bindings.remove(0);
/// assert_eq!(binding.replaced, 2);
/// assert_eq!(module.funcs[0].var(binding.var).name, binding.name);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Binding {
    /// The variable.
    pub var: VarId,
    /// Its name.
    pub name: Arc<str>,
    /// How many expressions it stands for, in statements and in other bindings.
    pub replaced: usize,
}
