//! Choices that follow from a seed.

use crate::interp::Random;

/// A source of choices: the same for the same seed, on every machine.
#[derive(Clone, Debug)]
pub(crate) struct Dice(Random);

impl Dice {
    /// The choices that follow from `seed`.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(Random::new(seed, 0x6675_7a7a))
    }

    /// An integer from `lo` to `hi`, both included.
    pub(crate) fn int(&mut self, lo: i64, hi: i64) -> i64 {
        self.0.int(lo, hi)
    }

    /// An index below `n`, which is not 0.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0.int(0, n as i64 - 1) as usize
    }

    /// True in `percent` of 100 cases.
    pub(crate) fn chance(&mut self, percent: i64) -> bool {
        self.0.int(0, 99) < percent
    }

    /// One of the items, of which there is at least one.
    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}
