//! Questions for a solver.

use super::term::Term;

/// What is to be shown of a duty after the normal forms have done their part: that the goal follows.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) premises: Vec<Term>,
    pub(super) goal: Term,
}
