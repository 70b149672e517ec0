//! What is taken for an integer.

/// What integers of `int32` and `int64` are. Those of other types wrap.
///
/// ```
/// use satir::prove::{Integers, prove};
///
/// let program = |value| {
///     satir::parse(&format!("@T.prim_func\ndef main(A: T.Buffer((8,), \"int32\"), n: T.int32):\n    A[1] = {value}\n"))
/// };
/// let (a, b) = (program("n + 1")?, program("n * 2 + 1 - n")?);
/// assert!(prove(&a, &b, Integers::Unbounded, None)?[0].is_proven());
/// assert!(!prove(&a, &b, Integers::Bounded, None)?[0].is_proven(), "`n * 2` may be too large");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integers {
    /// Those of mathematics, as TVM has them: a program in which one is too large for its type means nothing.
    Unbounded,
    /// Those of their types: where no integer of the first program is too large, none of the second one may be.
    Bounded,
}
