//! Integer intervals with open ends.
//!
//! An interval `[lo, hi]` stands for every integer between its bounds; [`Interval::NEG_INF`] and
//! [`Interval::POS_INF`] are "no bound". Transfer functions over-approximate: the result holds the value of the
//! operation for every choice of operands. A bound that leaves 64 bits becomes "no bound".
//!
//! An empty interval is never made: [`Interval::meet`] of disjoint intervals is `None`, which means "unreachable"
//! and proves nothing.

use crate::ir::DType;

/// A non-empty set of consecutive integers.
///
/// ```
/// use satir::arith::Interval;
///
/// let digit = Interval::new(0, 9).expect("not empty");
/// assert_eq!((digit.lo(), digit.hi()), (Some(0), Some(9)));
/// assert_eq!(Interval::ALL.lo(), None);
/// assert!(Interval::new(1, 0).is_none(), "an empty range is no interval");
/// assert_eq!(digit.meet(Interval::point(7)), Some(Interval::point(7)));
/// assert_eq!(digit.join(Interval::point(12)).hi(), Some(12), "the smallest that holds both");
/// assert!(digit.contains(3) && digit.as_point().is_none());
/// let from_one = Interval::new(1, Interval::POS_INF).expect("not empty");
/// assert_eq!((from_one.lo(), from_one.hi()), (Some(1), None));
/// assert_eq!(Interval::new(Interval::NEG_INF, Interval::POS_INF), Some(Interval::ALL));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    lo: i64,
    hi: i64,
}

// Invariant: lo <= hi; lo == MIN means unbounded below, hi == MAX unbounded above; hi > MIN and lo < MAX.
impl Interval {
    /// The lower bound that means "none".
    pub const NEG_INF: i64 = i64::MIN;
    /// The upper bound that means "none".
    pub const POS_INF: i64 = i64::MAX;
    /// All integers.
    pub const ALL: Interval = Interval { lo: Self::NEG_INF, hi: Self::POS_INF };
    /// The integers from zero up.
    pub(crate) const NON_NEGATIVE: Interval = Interval { lo: 0, hi: Self::POS_INF };
    /// The integers from 1 on.
    pub(crate) const POSITIVE: Interval = Interval { lo: 1, hi: Self::POS_INF };
    /// `0..=1`, the values of a `bool`.
    pub(crate) const BOOL: Interval = Interval { lo: 0, hi: 1 };

    /// `[lo, hi]`, or `None` if that is empty.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// assert_eq!(Interval::new(2, 5).and_then(|i| i.lo()), Some(2));
    /// assert_eq!(Interval::new(5, 2), None);
    /// ```
    pub fn new(lo: i64, hi: i64) -> Option<Interval> {
        (lo <= hi).then(|| Interval::with_ends(lo, hi))
    }

    /// The single value `v` (nothing is known of the two values that stand for "no bound").
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// assert_eq!(Interval::point(3), Interval::new(3, 3).expect("not empty"));
    /// ```
    pub fn point(v: i64) -> Interval {
        Interval::with_ends(v, v)
    }

    /// The integers between bounds of any size: one outside of 64 bits becomes "no bound", or the nearest that is
    /// not. `None` if that is empty.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// assert_eq!(Interval::between(Some(1), Some(i128::from(u64::MAX))), Interval::new(1, Interval::POS_INF));
    /// assert_eq!(Interval::between(None, None), Some(Interval::ALL));
    /// assert_eq!(Interval::between(Some(2), Some(1)), None);
    /// ```
    pub fn between(lo: Option<i128>, hi: Option<i128>) -> Option<Interval> {
        (lo.zip(hi).is_none_or(|(lo, hi)| lo <= hi)).then(|| Interval::saturating(lo, hi))
    }

    /// From bounds of any size: those outside of 64 bits become "no bound". `lo <= hi` is required.
    fn saturating(lo: Option<i128>, hi: Option<i128>) -> Interval {
        let lo = lo.map_or(Self::NEG_INF, |v| {
            i64::try_from(v).unwrap_or(if v < 0 { Self::NEG_INF } else { i64::MAX - 1 })
        });
        let hi = hi.map_or(Self::POS_INF, |v| {
            i64::try_from(v).unwrap_or(if v > 0 { Self::POS_INF } else { i64::MIN + 1 })
        });
        Interval::with_ends(lo, hi)
    }

    /// From ends with `lo <= hi`: the number that stands for "no bound" at the other end is none there.
    fn with_ends(lo: i64, hi: i64) -> Interval {
        Interval { lo: lo.min(i64::MAX - 1), hi: hi.max(i64::MIN + 1) }
    }

    /// The lower bound; `None` if there is none.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// let natural = Interval::new(0, Interval::POS_INF).expect("not empty");
    /// assert_eq!((natural.lo(), Interval::ALL.lo()), (Some(0), None));
    /// ```
    pub fn lo(self) -> Option<i64> {
        (self.lo != Self::NEG_INF).then_some(self.lo)
    }

    /// The upper bound; `None` if there is none.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// let negative = Interval::new(Interval::NEG_INF, -1).expect("not empty");
    /// assert_eq!((negative.hi(), Interval::ALL.hi()), (Some(-1), None));
    /// ```
    pub fn hi(self) -> Option<i64> {
        (self.hi != Self::POS_INF).then_some(self.hi)
    }

    /// The value, if there is only one: not for the two values that stand for "no bound", as `[MAX, MAX]` has no end.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// assert_eq!((Interval::point(3).as_point(), Interval::ALL.as_point()), (Some(3), None));
    /// assert_eq!(Interval::point(i64::MAX).as_point(), None);
    /// ```
    pub fn as_point(self) -> Option<i64> {
        (self.lo == self.hi && self.lo().is_some() && self.hi().is_some()).then_some(self.lo)
    }

    /// Whether `v` is in the interval.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// let digit = Interval::new(0, 9).expect("not empty");
    /// assert!(digit.contains(9) && !digit.contains(10));
    /// ```
    pub fn contains(self, v: i64) -> bool {
        self.lo <= v && v <= self.hi
    }

    /// Whether every value is at least `v`.
    pub(crate) fn at_least(self, v: i64) -> bool {
        self.lo().is_some_and(|lo| lo >= v)
    }

    /// Whether every value is at most `v`.
    pub(crate) fn at_most(self, v: i64) -> bool {
        self.hi().is_some_and(|hi| hi <= v)
    }

    /// Whether everything in it is a value of the scalar type.
    pub(crate) fn fits(self, dtype: DType) -> bool {
        dtype.int_range().is_some_and(|(least, most)| {
            self.lo().is_some_and(|v| i128::from(v) >= least)
                && self.hi().is_some_and(|v| i128::from(v) <= most)
        })
    }

    /// The values in both; `None` if there are none.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// let range = |lo, hi| Interval::new(lo, hi).expect("not empty");
    /// assert_eq!(range(0, 9).meet(range(5, 20)), Some(range(5, 9)));
    /// assert_eq!(range(0, 9).meet(range(10, 20)), None, "no value is in both");
    /// ```
    pub fn meet(self, other: Interval) -> Option<Interval> {
        Interval::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The smallest interval that holds both.
    ///
    /// ```
    /// use satir::arith::Interval;
    ///
    /// let range = |lo, hi| Interval::new(lo, hi).expect("not empty");
    /// assert_eq!(range(0, 3).join(range(8, 9)), range(0, 9), "what lies between is in it too");
    /// ```
    pub fn join(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi) }
    }

    fn wide(self) -> (Option<i128>, Option<i128>) {
        (self.lo().map(i128::from), self.hi().map(i128::from))
    }

    /// Sum.
    pub(crate) fn add(self, other: Interval) -> Interval {
        let ((a, b), (c, d)) = (self.wide(), other.wide());
        Interval::saturating(a.zip(c).map(|(x, y)| x + y), b.zip(d).map(|(x, y)| x + y))
    }

    /// Negation.
    pub(crate) fn neg(self) -> Interval {
        let (a, b) = self.wide();
        Interval::saturating(b.map(|x| -x), a.map(|x| -x))
    }

    /// Difference.
    pub(crate) fn sub(self, other: Interval) -> Interval {
        self.add(other.neg())
    }

    /// Product.
    pub(crate) fn mul(self, other: Interval) -> Interval {
        if self.as_point() == Some(0) || other.as_point() == Some(0) {
            return Interval::point(0);
        }
        if let Some(product) = self.mul_simple(other) {
            return product;
        }
        let corner = |x: End, y: End| x.times(y);
        let ends = |i: Interval| {
            (i.lo().map_or(End::Neg, |v| End::At(v.into())), i.hi().map_or(End::Pos, |v| End::At(v.into())))
        };
        let ((a, b), (c, d)) = (ends(self), ends(other));
        let corners = [corner(a, c), corner(a, d), corner(b, c), corner(b, d)];
        Interval::saturating(
            corners.iter().min().and_then(End::finite),
            corners.iter().max().and_then(End::finite),
        )
    }

    /// The product of two ranges that are no points at 0, in the cases that take few steps: both with ends, or both
    /// not negative; `None` in others, and if an end leaves 64 bits.
    fn mul_simple(self, other: Interval) -> Option<Interval> {
        if self.lo >= 0 && other.lo >= 0 {
            let unbounded = self.hi().is_none() || other.hi().is_none();
            let hi = if unbounded { Self::POS_INF } else { self.hi.saturating_mul(other.hi) };
            return Some(Interval { lo: self.lo.checked_mul(other.lo)?, hi });
        }
        let ((a, b), (c, d)) = (self.lo().zip(self.hi())?, other.lo().zip(other.hi())?);
        let corners = [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
        let (lo, hi) = (corners.into_iter().min()?, corners.into_iter().max()?);
        (lo > Self::NEG_INF && hi < Self::POS_INF).then_some(Interval { lo, hi })
    }

    /// Floor division by a positive constant.
    pub(crate) fn floordiv_const(self, c: i64) -> Interval {
        debug_assert!(c > 0, "the divisor is positive");
        let (a, b) = self.wide();
        let c = i128::from(c);
        Interval::saturating(a.map(|x| x.div_euclid(c)), b.map(|x| x.div_euclid(c)))
    }

    /// Floor division; `None` if the divisor may be zero.
    pub(crate) fn floordiv(self, other: Interval) -> Option<Interval> {
        if other.contains(0) {
            return None;
        }
        let (n, d) = if other.at_most(-1) { (self.neg(), other.neg()) } else { (self, other) };
        let (d_lo, d_hi) = (d.lo, d.hi);
        let toward = |x: i64, d: i64| -> i64 {
            if d == Self::POS_INF { if x < 0 { -1 } else { 0 } } else { x.div_euclid(d) }
        };
        // For a positive divisor x // d moves toward 0 or -1 as d grows.
        let lo = n.lo().map(|x| i128::from(if x < 0 { toward(x, d_lo) } else { toward(x, d_hi) }));
        let hi = n.hi().map(|x| i128::from(if x < 0 { toward(x, d_hi) } else { toward(x, d_lo) }));
        Some(Interval::saturating(lo, hi))
    }

    /// Floor remainder; `None` if the divisor may be zero.
    pub(crate) fn floormod(self, other: Interval) -> Option<Interval> {
        if other.contains(0) {
            return None;
        }
        let (lo, hi) = if other.at_least(1) {
            (0, other.hi().map_or(Self::POS_INF, |d| d - 1))
        } else {
            (other.lo().map_or(Self::NEG_INF, |d| d + 1), 0)
        };
        let range = Interval { lo, hi };
        // A dividend between 0 and the smallest divisor is left alone.
        if self.at_least(0) && other.at_least(1) {
            if self.hi().is_some_and(|h| h < other.lo) {
                return Some(self);
            }
            return range.meet(Interval { lo: 0, hi: self.hi });
        }
        Some(range)
    }

    /// Truncating division; `None` if the divisor may be zero.
    pub(crate) fn truncdiv(self, other: Interval) -> Option<Interval> {
        if self.at_least(0) && other.at_least(1) {
            return self.floordiv(other);
        }
        if other.contains(0) {
            return None;
        }
        let (a, b) = (self.lo()?, self.hi()?);
        let most = i128::from(a).abs().max(i128::from(b).abs());
        Some(Interval::saturating(Some(-most), Some(most)))
    }

    /// Truncating remainder; `None` if the divisor may be zero.
    pub(crate) fn truncmod(self, other: Interval) -> Option<Interval> {
        if self.at_least(0) && other.at_least(1) {
            return self.floormod(other);
        }
        if other.contains(0) {
            return None;
        }
        let most = match (other.lo(), other.hi()) {
            (Some(c), Some(d)) => i128::from(c).abs().max(i128::from(d).abs()) - 1,
            _ => return Some(Interval::ALL),
        };
        let lo = if self.at_least(0) { 0 } else { -most };
        let hi = if self.at_most(0) { 0 } else { most };
        Some(Interval::saturating(Some(lo), Some(hi)))
    }

    /// Minimum.
    pub(crate) fn min(self, other: Interval) -> Interval {
        Interval { lo: self.lo.min(other.lo), hi: self.hi.min(other.hi) }
    }

    /// Maximum.
    pub(crate) fn max(self, other: Interval) -> Interval {
        Interval { lo: self.lo.max(other.lo), hi: self.hi.max(other.hi) }
    }
}

/// An end of an interval in the extended integers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Neg,
    At(i128),
    Pos,
}

impl End {
    fn sign(self) -> i32 {
        match self {
            End::Neg => -1,
            End::At(v) => v.signum() as i32,
            End::Pos => 1,
        }
    }

    /// Product with `0 * infinity = 0`, which is right for corners of a product of intervals.
    fn times(self, other: End) -> End {
        if let (End::At(a), End::At(b)) = (self, other) {
            return End::At(a * b);
        }
        match self.sign() * other.sign() {
            0 => End::At(0),
            s if s > 0 => End::Pos,
            _ => End::Neg,
        }
    }

    fn finite(&self) -> Option<i128> {
        match self {
            End::At(v) => Some(*v),
            End::Neg | End::Pos => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPAN: i64 = 6;

    fn intervals() -> Vec<Interval> {
        let mut all = vec![Interval::ALL];
        for lo in -SPAN..=SPAN {
            all.push(Interval { lo, hi: Interval::POS_INF });
            all.push(Interval { lo: Interval::NEG_INF, hi: lo });
            for hi in lo..=SPAN {
                all.push(Interval { lo, hi });
            }
        }
        all
    }

    /// Every value of the operation on members must lie in the result.
    #[track_caller]
    fn check(f: impl Fn(Interval, Interval) -> Option<Interval>, op: impl Fn(i64, i64) -> i64) {
        for a in intervals() {
            for b in intervals() {
                let Some(result) = f(a, b) else { continue };
                for x in (-2 * SPAN..=2 * SPAN).filter(|&x| a.contains(x)) {
                    for y in (-2 * SPAN..=2 * SPAN).filter(|&y| b.contains(y)) {
                        let v = op(x, y);
                        assert!(result.contains(v), "{a:?} {b:?}: {x}, {y} gives {v}, not in {result:?}");
                    }
                }
            }
        }
    }

    fn floordiv(x: i64, y: i64) -> i64 {
        let q = x / y;
        if x % y != 0 && (x < 0) != (y < 0) { q - 1 } else { q }
    }

    #[test]
    fn transfer_functions_hold_every_value() {
        check(|a, b| Some(a.add(b)), |x, y| x + y);
        check(|a, b| Some(a.sub(b)), |x, y| x - y);
        check(|a, b| Some(a.mul(b)), |x, y| x * y);
        check(|a, b| Some(a.min(b)), i64::min);
        check(|a, b| Some(a.max(b)), i64::max);
        check(Interval::floordiv, floordiv);
        check(Interval::floormod, |x, y| x - y * floordiv(x, y));
        check(Interval::truncdiv, |x, y| x / y);
        check(Interval::truncmod, |x, y| x % y);
        check(|a, b| b.as_point().filter(|&c| c > 0).map(|c| a.floordiv_const(c)), floordiv);
    }

    #[test]
    fn meet_is_the_intersection_and_never_empty() {
        for a in intervals() {
            for b in intervals() {
                for v in -2 * SPAN..=2 * SPAN {
                    let both = a.contains(v) && b.contains(v);
                    assert_eq!(both, a.meet(b).is_some_and(|m| m.contains(v)));
                    assert!(!(a.contains(v) || b.contains(v)) || a.join(b).contains(v));
                }
            }
        }
    }

    #[test]
    fn bounds_outside_of_64_bits_are_dropped() {
        let big = Interval::point(i64::MAX - 1);
        assert_eq!(big.add(big).hi(), None);
        assert_eq!(big.mul(big.neg()).lo(), None);
        assert!(Interval::point(i64::MIN + 1).neg().contains(i64::MAX));
    }
}
