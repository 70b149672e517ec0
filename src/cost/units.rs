//! Fixed-point numbers for weights, frequencies and costs: exact sums, saturating, totally ordered.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul};

/// Fractional bits of a [`Weight`]: enough for what decides between equals, which is less than any operation costs.
const WEIGHT_BITS: u32 = 24;
/// Fractional bits of a [`Frequency`].
const FREQUENCY_BITS: u32 = 32;

/// The cost of executing an operation once, in steps of 2^-24.
///
/// ```
/// use satir::cost::Weight;
///
/// let weight = Weight::from_f64(0.25).expect("not negative, not too large");
/// assert_eq!(weight.times(4).to_f64(), 1.0);
/// assert_eq!(weight.times(0), Weight::ZERO);
/// assert!(Weight::from_f64(Weight::LIMIT).is_some());
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Weight(u64);

/// How often a place is reached, in steps of 2^-32. A product that is not zero does not round to zero.
///
/// ```
/// use satir::cost::Frequency;
///
/// let half = Frequency::probability(0.5).expect("between 0 and 1");
/// assert_eq!((Frequency::times(16) * half).to_f64(), 8.0);
/// assert!(Frequency::ZERO < half && half < Frequency::ONE);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Frequency(u128);

/// A sum of weights times frequencies. The product is exact; a sum beyond the largest value stays there.
///
/// ```
/// use satir::cost::{Cost, Profile, cost_of_expr};
/// use satir::ir::{DType, Expr, VarId};
///
/// let x = || Expr::var(VarId(0), DType::I32);
/// let cost = |e: Expr| cost_of_expr(&Profile::default(), &e);
/// assert!(cost(x() + 1) < cost(x() * 3));
/// assert!(Cost::ZERO < cost(x() * 3) && cost(x() * 3) < Cost::MAX);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cost(u128);

impl Weight {
    /// No cost.
    pub const ZERO: Weight = Weight(0);
    /// The largest weight a profile may give.
    pub const LIMIT: f64 = 1_000_000.0;

    /// The weight nearest to `w`; `None` if it is negative, not a number, or above [`Weight::LIMIT`].
    ///
    /// ```
    /// use satir::cost::Weight;
    ///
    /// assert_eq!(Weight::from_f64(3.0).map(|w| w.to_f64()), Some(3.0));
    /// assert_eq!(Weight::from_f64(-1.0), None);
    /// ```
    pub fn from_f64(w: f64) -> Option<Weight> {
        (0.0..=Weight::LIMIT)
            .contains(&w)
            .then(|| Weight((w * f64::from(1u32 << WEIGHT_BITS)).round() as u64))
    }

    /// The weight of `n` such operations.
    ///
    /// ```
    /// use satir::cost::Weight;
    ///
    /// assert_eq!(Weight::from_f64(1.5).map(|w| w.times(4).to_f64()), Some(6.0));
    /// ```
    pub const fn times(self, n: u64) -> Weight {
        Weight(self.0.saturating_mul(n))
    }

    /// A weight of so many times 2^-24.
    pub(crate) const fn of_steps(steps: u64) -> Weight {
        Weight(steps)
    }

    /// This weight and so many times 1/1024, zero at least.
    pub(crate) const fn changed_by(self, parts: i32) -> Weight {
        Weight(self.0.saturating_add_signed((parts as i64) << (WEIGHT_BITS - 10)))
    }

    /// The weight as a number.
    ///
    /// ```
    /// use satir::cost::Weight;
    ///
    /// assert_eq!(Weight::ZERO.to_f64(), 0.0);
    /// ```
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / f64::from(1u32 << WEIGHT_BITS)
    }
}

impl Add for Weight {
    type Output = Weight;

    fn add(self, other: Weight) -> Weight {
        Weight(self.0.saturating_add(other.0))
    }
}

impl Frequency {
    /// Never.
    pub const ZERO: Frequency = Frequency(0);
    /// More often than anything runs.
    pub(crate) const MAX: Frequency = Frequency(u128::MAX);
    /// Once.
    pub const ONE: Frequency = Frequency(1 << FREQUENCY_BITS);

    /// `n` times.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert_eq!(Frequency::times(12).to_f64(), 12.0);
    /// ```
    pub const fn times(n: u64) -> Frequency {
        Frequency((n as u128) << FREQUENCY_BITS)
    }

    /// A probability; `None` unless it lies in `0..=1`.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert_eq!(Frequency::probability(0.25).map(|f| f.to_f64()), Some(0.25));
    /// assert_eq!(Frequency::probability(1.5), None);
    /// ```
    pub fn probability(p: f64) -> Option<Frequency> {
        (0.0..=1.0).contains(&p).then(|| Frequency((p * (1u64 << FREQUENCY_BITS) as f64).round() as u128))
    }

    /// The probability that is left: `1 - self`, zero at least.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert_eq!(Frequency::probability(0.25).map(|f| f.complement().to_f64()), Some(0.75));
    /// ```
    pub const fn complement(self) -> Frequency {
        Frequency(Frequency::ONE.0.saturating_sub(self.0))
    }

    /// This frequency spread over `n` iterations of which one counts; `self` for `n` of zero.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert_eq!(Frequency::times(12).over(8).to_f64(), 1.5);
    /// ```
    pub const fn over(self, n: u64) -> Frequency {
        if n == 0 || self.0 == 0 {
            return self;
        }
        let q = self.0 / n as u128;
        Frequency(if q == 0 { 1 } else { q })
    }

    /// The frequency as a number.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert_eq!(Frequency::ONE.to_f64(), 1.0);
    /// ```
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / (1u64 << FREQUENCY_BITS) as f64
    }

    /// Whether it is zero.
    ///
    /// ```
    /// use satir::cost::Frequency;
    ///
    /// assert!(Frequency::times(0).is_zero() && !Frequency::ONE.is_zero());
    /// ```
    pub const fn is_zero(self) -> bool {
        self.0 == 0
    }
}

impl Mul for Frequency {
    type Output = Frequency;

    fn mul(self, other: Frequency) -> Frequency {
        if self.0 == 0 || other.0 == 0 {
            return Frequency::ZERO;
        }
        if let (Ok(a), Ok(b)) = (u64::try_from(self.0), u64::try_from(other.0)) {
            // Below 2^32 times, as nearly all are: a product of two words.
            let product = (u128::from(a) * u128::from(b)) >> FREQUENCY_BITS;
            return Frequency(product.max(1));
        }
        let product = match self.0.checked_mul(other.0) {
            Some(p) => p >> FREQUENCY_BITS,
            None => {
                let (big, small) = if self.0 > other.0 { (self.0, other.0) } else { (other.0, self.0) };
                (big >> FREQUENCY_BITS).saturating_mul(small)
            }
        };
        Frequency(product.max(1))
    }
}

impl Frequency {
    /// `self - other`, zero at least.
    pub(crate) const fn saturating_sub(self, other: Frequency) -> Frequency {
        Frequency(self.0.saturating_sub(other.0))
    }

    /// This often for each of `n`.
    pub(crate) const fn each(self, n: u32) -> Frequency {
        Frequency(self.0.saturating_mul(n as u128))
    }
}

impl Add for Frequency {
    type Output = Frequency;

    fn add(self, other: Frequency) -> Frequency {
        Frequency(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Frequency {
    fn add_assign(&mut self, other: Frequency) {
        *self = *self + other;
    }
}

impl Sum for Frequency {
    fn sum<I: Iterator<Item = Frequency>>(iter: I) -> Frequency {
        iter.fold(Frequency::ZERO, Add::add)
    }
}

impl Mul<Frequency> for Weight {
    type Output = Cost;

    fn mul(self, frequency: Frequency) -> Cost {
        match u64::try_from(frequency.0) {
            Ok(often) => Cost(u128::from(often) * u128::from(self.0)),
            Err(_) => Cost(frequency.0.saturating_mul(u128::from(self.0))),
        }
    }
}

impl Cost {
    /// Nothing.
    pub const ZERO: Cost = Cost(0);
    /// More than any program costs.
    pub const MAX: Cost = Cost(u128::MAX);

    /// The cost as a number, for reports; exact below 2^53 steps.
    ///
    /// ```
    /// use satir::cost::Cost;
    ///
    /// assert_eq!(Cost::ZERO.to_f64(), 0.0);
    /// ```
    pub fn to_f64(self) -> f64 {
        self.0 as f64 / 2f64.powi((WEIGHT_BITS + FREQUENCY_BITS) as i32)
    }

    /// This cost, `frequency` times; rounded down to the resolution of a cost.
    ///
    /// ```
    /// use satir::cost::{Frequency, Profile, cost_of_expr};
    /// use satir::ir::{DType, Expr, VarId};
    ///
    /// let once = cost_of_expr(&Profile::default(), &(Expr::var(VarId(0), DType::I32) * 3));
    /// assert_eq!(once.times(Frequency::times(10)).to_f64(), 30.0);
    /// ```
    pub fn times(self, frequency: Frequency) -> Cost {
        let product = match self.0.checked_mul(frequency.0) {
            Some(p) => p >> FREQUENCY_BITS,
            None => {
                let (big, small) = (self.0.max(frequency.0), self.0.min(frequency.0));
                (big >> FREQUENCY_BITS).saturating_mul(small)
            }
        };
        Cost(product)
    }

    /// `self - other`, zero at least.
    ///
    /// ```
    /// use satir::cost::Cost;
    ///
    /// assert_eq!(Cost::ZERO.saturating_sub(Cost::MAX), Cost::ZERO);
    /// ```
    pub const fn saturating_sub(self, other: Cost) -> Cost {
        Cost(self.0.saturating_sub(other.0))
    }
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(iter: I) -> Cost {
        iter.fold(Cost::ZERO, Add::add)
    }
}

macro_rules! show_as_f64 {
    ($($t:ident),*) => {$(
        impl fmt::Display for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.to_f64(), f)
            }
        }

        impl fmt::Debug for $t {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($t), "({})"), self.to_f64())
            }
        }
    )*};
}
show_as_f64!(Weight, Frequency, Cost);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_exact_and_saturate() {
        let quarter = Weight::from_f64(0.25).unwrap();
        let f = Frequency::times(16) * Frequency::probability(0.5).unwrap();
        assert_eq!((quarter * f).to_f64(), 2.0);
        let huge = Frequency::times(u64::MAX);
        let more = huge * huge * huge;
        assert!(more >= huge * huge);
        assert_eq!((0..5).map(|_| Weight(u64::MAX) * more).sum::<Cost>(), Cost::MAX);
    }

    #[test]
    fn a_small_product_is_not_zero() {
        let half = Frequency::probability(0.5).unwrap();
        let f = (0..100).fold(Frequency::ONE, |f, _| f * half);
        assert!(f > Frequency::ZERO);
        assert_eq!(Frequency::ZERO * half, Frequency::ZERO);
        assert_eq!(Frequency::times(12).over(3), Frequency::times(4));
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        for w in [-1.0, f64::NAN, f64::INFINITY, 2e6] {
            assert_eq!(Weight::from_f64(w), None);
        }
    }
}
