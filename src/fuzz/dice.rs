//! Choices that follow from a seed.

use crate::interp::Random;

/// A source of choices: the same for the same seed, on every machine.
///
/// ```
/// use satir::fuzz::Dice;
///
/// let (mut a, mut b) = (Dice::new(1), Dice::new(1));
/// assert!((0..100).all(|_| a.int(1, 6) == b.int(1, 6)), "the seed decides");
/// ```
#[derive(Clone, Debug)]
pub struct Dice(Random);

impl Dice {
    /// The choices that follow from `seed`.
    pub fn new(seed: u64) -> Dice {
        Dice(Random::new(seed, 0x6675_7a7a))
    }

    /// An integer from `lo` to `hi`, both included.
    pub fn int(&mut self, lo: i64, hi: i64) -> i64 {
        self.0.int(lo, hi)
    }

    /// An index below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        self.0.int(0, n as i64 - 1) as usize
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: i64) -> bool {
        self.0.int(0, 99) < percent
    }

    /// One of the items, of which there is at least one.
    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}
