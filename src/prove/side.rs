//! The two programs of a proof.

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// The one whose meaning is taken for granted.
    First,
    /// The one that is to do the same.
    Second,
}

/// What has no translation, in words.
pub(super) type Unsupported = String;
