//! Intervals of integers without bounds on what they hold.

use crate::ir::DType;

/// The integers from `lo` to `hi`, both included; an absent end has no bound. Never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) lo: Option<i128>,
    pub(super) hi: Option<i128>,
}

impl Range {
    /// All integers.
    pub(super) const ALL: Range = Range { lo: None, hi: None };

    /// The range between two ends. An empty one says nothing: what it is about is never reached.
    pub(super) fn new(lo: Option<i128>, hi: Option<i128>) -> Range {
        match (lo, hi) {
            (Some(lo), Some(hi)) if lo > hi => Range::ALL,
            _ => Range { lo, hi },
        }
    }

    pub(super) const fn point(value: i128) -> Range {
        Range { lo: Some(value), hi: Some(value) }
    }

    /// Whether all values are above 0.
    pub(super) fn positive(self) -> bool {
        self.lo.is_some_and(|lo| lo > 0)
    }

    /// The values of a type.
    pub(super) fn of_type(dtype: DType) -> Range {
        dtype.int_range().map_or(Range::ALL, |(lo, hi)| Range { lo: Some(lo), hi: Some(hi) })
    }

    /// What is in both. If nothing is, that says nothing, as in [`Range::new`].
    pub(super) fn within(self, other: Range) -> Range {
        let lo = self.lo.max(other.lo);
        let hi = match (self.hi, other.hi) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        Range::new(lo, hi)
    }

    /// What is in one of them or between them.
    pub(super) fn or(self, other: Range) -> Range {
        let ends = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| Some(f(a?, b?));
        Range { lo: ends(self.lo, other.lo, i128::min), hi: ends(self.hi, other.hi, i128::max) }
    }

    pub(super) fn plus(self, other: Range) -> Range {
        let add = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Range { lo: add(self.lo, other.lo), hi: add(self.hi, other.hi) }
    }

    pub(super) fn times(self, other: Range) -> Range {
        for (a, b) in [(self, other), (other, self)] {
            if let (Some(factor), Some(hi)) = (a.lo, a.hi)
                && factor == hi
            {
                return b.scaled(factor);
            }
        }
        // Most are products of sizes.
        if let (Some(a), Some(b)) = (self.lo, other.lo)
            && a >= 0
            && b >= 0
        {
            let hi = match (self.hi, other.hi) {
                (Some(a), Some(b)) => a.checked_mul(b),
                _ => None,
            };
            return Range { lo: Some(a.saturating_mul(b)), hi };
        }
        self.times_by_ends(other)
    }

    /// All values times a factor. An end that is too large is none.
    fn scaled(self, factor: i128) -> Range {
        let times = |end: Option<i128>| end?.checked_mul(factor);
        match factor.signum() {
            0 => Range::point(0),
            1 => Range { lo: times(self.lo), hi: times(self.hi) },
            _ => Range { lo: times(self.hi), hi: times(self.lo) },
        }
    }

    /// Of values of any signs, by the products of the ends.
    fn times_by_ends(self, other: Range) -> Range {
        // Beyond an absent end the product has none on the sides that the other's signs reach.
        let ends = |r: Range| [r.lo, r.hi];
        let (mut lo, mut hi) = (Some(i128::MAX), Some(i128::MIN));
        for (i, a) in ends(self).into_iter().enumerate() {
            for (j, b) in ends(other).into_iter().enumerate() {
                // The sign of the product at this corner: an end that is absent is far away.
                let sign = |end: Option<i128>, upper: usize| match end {
                    Some(v) => v.signum(),
                    None => {
                        if upper == 1 {
                            1
                        } else {
                            -1
                        }
                    }
                };
                let product = match (a, b) {
                    (Some(a), Some(b)) => a.checked_mul(b),
                    (Some(0), None) | (None, Some(0)) => Some(0),
                    _ => None,
                };
                match product {
                    Some(product) => {
                        lo = lo.map(|lo| lo.min(product));
                        hi = hi.map(|hi| hi.max(product));
                    }
                    None if sign(a, i) * sign(b, j) >= 0 => hi = None,
                    None => lo = None,
                }
            }
        }
        Range { lo, hi }
    }

    pub(super) fn squared(self) -> Range {
        let product = self.times(self);
        Range { lo: Some(product.lo.unwrap_or(0).max(0)), hi: product.hi }
    }

    pub(super) fn extremum(self, other: Range, greatest: bool) -> Range {
        let both = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| Some(f(a?, b?));
        let any = |a: Option<i128>, b: Option<i128>, f: fn(i128, i128) -> i128| match (a, b) {
            (Some(a), Some(b)) => Some(f(a, b)),
            (a, b) => a.or(b),
        };
        match greatest {
            true => Range { lo: any(self.lo, other.lo, i128::max), hi: both(self.hi, other.hi, i128::max) },
            false => Range { lo: both(self.lo, other.lo, i128::min), hi: any(self.hi, other.hi, i128::min) },
        }
    }

    /// The range of what is not 0.
    pub(super) fn without_zero(self) -> Range {
        let lo = if self.lo == Some(0) { Some(1) } else { self.lo };
        let hi = if self.hi == Some(0) { Some(-1) } else { self.hi };
        Range::new(lo, hi)
    }

    /// Of floor division; nothing is known unless the divisor is positive.
    pub(super) fn floor_div(self, by: Range) -> Range {
        let Some(least) = by.lo.filter(|&lo| lo > 0) else { return Range::ALL };
        // The largest divisor brings closest to zero, the least one keeps farthest away.
        let end = |value: i128, upper: bool| match (value >= 0) == upper {
            true => Some(value.div_euclid(least)),
            false => Some(by.hi.map_or(if value < 0 { -1 } else { 0 }, |hi| value.div_euclid(hi))),
        };
        Range { lo: self.lo.and_then(|v| end(v, false)), hi: self.hi.and_then(|v| end(v, true)) }
    }

    /// Of truncating division; nothing is known unless the divisor is positive.
    pub(super) fn trunc_div(self, by: Range) -> Range {
        let Some(least) = by.lo.filter(|&lo| lo > 0) else { return Range::ALL };
        let end = |value: i128, upper: bool| match (value >= 0) == upper {
            true => value / least,
            false => by.hi.map_or(0, |hi| value / hi),
        };
        Range { lo: self.lo.map(|v| end(v, false)), hi: self.hi.map(|v| end(v, true)) }
    }

    /// Whether all are at least 0.
    pub(super) fn not_negative(self) -> bool {
        self.lo.is_some_and(|lo| lo >= 0)
    }

    /// Whether all are below 0.
    pub(super) fn negative(self) -> bool {
        self.hi.is_some_and(|hi| hi < 0)
    }

    /// Whether 0 is not among them.
    pub(super) fn nonzero(self) -> bool {
        self.negative() || self.lo.is_some_and(|lo| lo > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_all_results() {
        let some = |v: i128| (v.abs() < 4).then_some(v);
        let ends: Vec<Range> = (-4..=4)
            .flat_map(|a| (a..=4).map(move |b| (a, b)))
            .map(|(a, b)| Range::new(some(a), some(b)))
            .collect();
        // An absent end is tried to a distance that no product of the others reaches.
        let values = |r: Range| {
            let (lo, hi) = (r.lo.unwrap_or(-30), r.hi.unwrap_or(30));
            (lo..=hi).filter(|v| v.abs() < 6 || v.abs() == 30).collect::<Vec<_>>()
        };
        let holds = |r: Range, v: i128| r.lo.is_none_or(|lo| lo <= v) && r.hi.is_none_or(|hi| v <= hi);
        for &a in &ends {
            for &b in &ends {
                for x in values(a) {
                    for y in values(b) {
                        assert!(holds(a.plus(b), x + y), "{a:?} {b:?} {x} {y}");
                        assert!(holds(a.times(b), x * y), "{a:?} {b:?} {x} {y}");
                        assert!(holds(a.extremum(b, true), x.max(y)), "{a:?} {b:?} {x} {y}");
                        assert!(holds(a.extremum(b, false), x.min(y)), "{a:?} {b:?} {x} {y}");
                        assert!(holds(a.or(b), x) && holds(a.or(b), y));
                        if y != 0 {
                            let floor = x.div_euclid(y) - i128::from(y < 0 && x.rem_euclid(y) != 0);
                            assert!(holds(a.floor_div(b), floor), "{a:?} {b:?} {x} {y}");
                            assert!(holds(a.trunc_div(b), x / y), "{a:?} {b:?} {x} {y}");
                        }
                    }
                    assert!(holds(a.squared(), x * x), "{a:?} {x}");
                }
            }
        }
    }
}
