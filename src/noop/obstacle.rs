//! What stands in the way of a change.

use crate::ir::BufferId;

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// An access of the buffer may be out of bounds.
    Bounds(BufferId),
    /// A load of the buffer may not be permitted.
    Read(BufferId),
    /// A store to the buffer may be seen.
    Store(BufferId),
    /// Another thread may meet an access of the buffer.
    Threads(BufferId),
    /// A statement is of a kind that may not be added.
    Statement,
    /// An operation may trap.
    Trap,
}
