//! Where the chosen classes are bound: what placing gives.

use super::selection::Index;
use crate::cost::Cost;
use crate::encode::Place;

/// A class bound at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Binding {
    /// The class.
    pub index: Index,
    /// Just before which statement.
    pub place: Place,
    /// How many expressions it serves.
    pub uses: usize,
}

/// All bindings; at one place, operands come before their users.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plan {
    /// The bindings in the order in which they are made.
    pub bindings: Vec<Binding>,
    /// The cost of the whole: that of all bindings and of what is computed inline.
    pub cost: Cost,
    /// By what plans are compared: the same by what is minimized ([`Objective`](crate::target::Objective)).
    pub rank: Cost,
}
