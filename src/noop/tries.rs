//! How many places a pass tries in one function: a budget, whose end the pass tells.

use super::reason::Change;

/// A budget of tries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tries {
    most: usize,
    left: usize,
    is_over: bool,
}

impl Tries {
    /// So many.
    pub(super) fn new(most: usize) -> Tries {
        Tries { most, left: most, is_over: false }
    }

    /// Takes one; `false` if none is left, so that something is not tried.
    pub(super) fn take(&mut self) -> bool {
        self.is_over |= self.left == 0;
        self.left = self.left.saturating_sub(1);
        !self.is_over
    }

    /// Whether something was not tried.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// What was changed within the budget.
    pub(super) fn made(self, changes: Vec<Change>) -> Made {
        Made { changes, limit: self.is_over.then_some(self.most) }
    }
}

/// What a pass did.
#[derive(Debug)]
pub(crate) struct Made {
    /// The changes.
    pub(crate) changes: Vec<Change>,
    /// The most tries, if they ended before everything was tried.
    pub(crate) limit: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_is_over_when_more_is_asked_for() {
        let mut tries = Tries::new(2);
        assert!(tries.take() && tries.take() && !tries.is_over());
        assert_eq!(tries.made(Vec::new()).limit, None);
        assert!(!tries.take() && tries.is_over());
        assert_eq!(tries.made(Vec::new()).limit, Some(2));
    }
}
