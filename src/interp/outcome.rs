//! How runs end: with a value, or in a trap.

use std::fmt;
use std::sync::Arc;

use crate::diag::Span;
use crate::ir::value::{Undefined, Value};

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// The function returned, possibly with a value.
    Done(Return),
    /// It stopped at something that is not defined, or at a limit.
    Trap(Trap),
}

/// What a function returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Return {
    /// Nothing.
    Void,
    /// A value.
    Value(Value),
}

/// Why a run stopped, and in which statement.
///
/// ```
/// use satir::interp::{RunOptions, TrapKind, run_function};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((2,), \"int32\")):\n    for i in range(3):\n        A[i] = i\n";
/// let module = satir::parse(text)?;
/// let options = RunOptions {
///     bindings: Default::default(),
///     constraints: Default::default(),
///     seed: 0,
///     tensors: Vec::new(),
///     max_steps: 1000,
///     lenient_loads: false,
/// };
/// let trap = run_function(&module.funcs[0], &options)?.trap.expect("one iteration too many");
/// assert!(matches!(trap.kind, TrapKind::OutOfBounds { index: 2, extent: 2, .. }));
/// assert_eq!(&text[trap.span.start as usize..trap.span.end as usize], "A[i] = i");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trap {
    /// Why.
    pub kind: TrapKind,
    /// The statement; [`Span::NONE`] if it has no place in a source.
    pub span: Span,
}

/// Why a run stopped.
///
/// ```
/// use satir::interp::TrapKind;
///
/// let kind = TrapKind::OutOfBounds { buffer: "A".into(), dimension: 0, index: 9, extent: 9 };
/// assert_eq!(kind.to_string(), "index 9 out of range in dimension 0 of `A`, which has extent 9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TrapKind {
    /// Integer division or remainder by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// An operation without a defined result.
    #[error("{0}")]
    Undefined(Undefined),
    /// An index outside of its dimension.
    #[error("index {index} out of range in dimension {dimension} of `{buffer}`, which has extent {extent}")]
    OutOfBounds {
        /// The buffer's name.
        buffer: Arc<str>,
        /// The dimension, from 0.
        dimension: usize,
        /// The index.
        index: i64,
        /// The dimension's extent.
        extent: i64,
    },
    /// A view reaches beyond the memory that it is of.
    #[error("access through `{0}` outside of the memory that it views")]
    OutsideMemory(Arc<str>),
    /// An access to a buffer outside of its scope.
    #[error("access to `{0}`, which is not declared here")]
    Undeclared(Arc<str>),
    /// A pointer that points to nothing known.
    #[error("the pointer that `{0}` is declared over does not point to memory")]
    BadPointer(Arc<str>),
    /// A shape with a negative extent, or too large to allocate.
    #[error("the shape of `{0}` has a negative extent or is too large")]
    BadShape(Arc<str>),
    /// A loop whose step is not positive.
    #[error("the loop's step is not positive")]
    BadStep,
    /// A failing assert, with its message.
    #[error("assertion failed: {0}")]
    Assertion(Arc<str>),
    /// The argument of `T.assume` does not hold: the input is not one that the program is defined on.
    #[error("the assumption does not hold")]
    FalseAssumption,
    /// `T.undef()`, which may be anything, where the run depends on it: in an index, a bound, a condition, an argument of
    /// an opaque call.
    #[error("an index, a bound, a condition or a call depends on `T.undef()`")]
    Undef,
    /// A reduction over threads where no threads were launched.
    #[error("a reduction over threads outside of a launch of threads")]
    NoThreads,
    /// Threads of a block that read and write an element in one statement, or write different values.
    #[error("threads race for an element of `{0}`")]
    Race(Arc<str>),
    /// More steps than the run was allowed.
    #[error("step limit reached")]
    StepLimit,
}

impl fmt::Display for Trap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for Trap {}

impl From<Undefined> for TrapKind {
    fn from(why: Undefined) -> Self {
        match why {
            Undefined::DivisionByZero => TrapKind::DivisionByZero,
            other => TrapKind::Undefined(other),
        }
    }
}

#[cfg(test)]
impl Outcome {
    /// Whether the function returned.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Outcome::Done(_))
    }
}
