//! What operations on terms made of their operands. Proofs ask for the same sums, quotients and comparisons many times, and each
//! takes a normal form to make.
//!
//! What was made stays right when more is known of a value; as it may be made simpler then, all is made anew.

use hashbrown::HashMap;

use super::term::Term;

/// Results by operands.
#[derive(Default)]
pub(super) struct Made {
    /// `a + factor * b`
    pub(super) sums: HashMap<(Term, Term, i128), Term>,
    /// `a // b`
    pub(super) quotients: HashMap<(Term, Term), Term>,
    /// `a >= 0`
    pub(super) comparisons: HashMap<Term, Term>,
}

impl Made {
    /// Forgets all: more is known.
    pub(super) fn clear(&mut self) {
        self.sums.clear();
        self.quotients.clear();
        self.comparisons.clear();
    }
}
