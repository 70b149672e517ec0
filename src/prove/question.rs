//! Questions for a solver.

use super::term::Term;

/// What is to be shown of a duty after the normal forms have done their part: that the goal follows.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) premises: Vec<Term>,
    pub(super) goal: Term,
    pub(super) tried: Tried,
}

/// Values of variables by their names in the program.
pub(super) type Values = Vec<(String, String)>;

/// Whether a question was looked at with values, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    NotYet,
    /// It does not fail for those that were tried.
    Holds,
    /// It fails for these.
    Fails(Values),
}

impl Question {
    /// A question that was not looked at yet.
    pub(super) fn new(premises: Vec<Term>, goal: Term) -> Question {
        Question { premises, goal, tried: Tried::NotYet }
    }
}
