//! Room on the stack for work that recurses over a program.

/// What a program that is nested [`MAX_DEPTH`](super::MAX_DEPTH) deep may take at most.
const NEEDED: usize = 128 << 20;

/// The size of a new stack. Only the pages that are touched are ever allocated.
const STACK: usize = 256 << 20;

/// Runs `work` where there is room on the stack for every program: here, or on a stack of its own. Callers of the library
/// come from threads of any kind.
pub(crate) fn with_room<T>(work: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(NEEDED, STACK, work)
}
