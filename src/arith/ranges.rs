//! Ranges of all variables of a function.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::Interval;

/// Ranges by the numbers of variables. Copies are one table until one of them is changed: there are as many places that
/// know ranges as a function has statements.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ranges(Arc<Vec<Interval>>);

impl From<Vec<Interval>> for Ranges {
    fn from(ranges: Vec<Interval>) -> Ranges {
        Ranges(Arc::new(ranges))
    }
}

impl Deref for Ranges {
    type Target = Vec<Interval>;

    fn deref(&self) -> &Vec<Interval> {
        &self.0
    }
}

impl DerefMut for Ranges {
    fn deref_mut(&mut self) -> &mut Vec<Interval> {
        Arc::make_mut(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_that_is_changed_is_a_table_of_its_own() {
        let first = Ranges::from(vec![Interval::ALL; 2]);
        let mut second = first.clone();
        assert!(Arc::ptr_eq(&first.0, &second.0));
        second[1] = Interval::NON_NEGATIVE;
        assert_eq!((first[1], second[1]), (Interval::ALL, Interval::NON_NEGATIVE));
    }
}
