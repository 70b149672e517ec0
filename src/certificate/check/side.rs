//! Which of two programs something is about, and why it cannot be certified.

/// One of the two programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    First = 0,
    Second = 1,
}

/// What a certificate cannot be about, for people.
pub(crate) type Refused = String;
