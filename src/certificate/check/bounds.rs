//! What is known of the size of integers: the least and the greatest value, where there is one.

/// The least and the greatest value that an integer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) lo: Option<i128>,
    pub(crate) hi: Option<i128>,
}

impl Bounds {
    pub(crate) const NONE: Bounds = Bounds { lo: None, hi: None };

    pub(crate) fn exactly(value: i128) -> Bounds {
        Bounds { lo: Some(value), hi: Some(value) }
    }

    /// All values of an integer type.
    pub(crate) fn of_type(bits: u8, signed: bool) -> Bounds {
        let bits = bits.min(64);
        match (bits, signed) {
            (0, _) => Bounds::NONE,
            (_, true) => Bounds { lo: Some(-(1 << (bits - 1))), hi: Some((1 << (bits - 1)) - 1) },
            (_, false) => Bounds { lo: Some(0), hi: Some((1 << bits) - 1) },
        }
    }

    /// Whether all of the other's values are among these.
    pub(crate) fn contains(self, other: Bounds) -> bool {
        let low = self.lo.is_none_or(|lo| other.lo.is_some_and(|other| lo <= other));
        low && self.hi.is_none_or(|hi| other.hi.is_some_and(|other| other <= hi))
    }

    pub(crate) fn union(self, other: Bounds) -> Bounds {
        Bounds {
            lo: self.lo.zip(other.lo).map(|(a, b)| a.min(b)),
            hi: self.hi.zip(other.hi).map(|(a, b)| a.max(b)),
        }
    }

    pub(crate) fn add(self, other: Bounds) -> Bounds {
        Bounds {
            lo: self.lo.zip(other.lo).and_then(|(a, b)| a.checked_add(b)),
            hi: self.hi.zip(other.hi).and_then(|(a, b)| a.checked_add(b)),
        }
    }

    pub(crate) fn mul(self, other: Bounds) -> Bounds {
        if let (Some(a), Some(b), Some(c), Some(d)) = (self.lo, self.hi, other.lo, other.hi) {
            let corners = [a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)];
            let least = corners.iter().try_fold(i128::MAX, |least, c| Some(least.min((*c)?)));
            let greatest = corners.iter().try_fold(i128::MIN, |greatest, c| Some(greatest.max((*c)?)));
            return Bounds { lo: least, hi: greatest };
        }
        // Half-open ranges on one side of zero.
        let (a, b) = (self.sign(), other.sign());
        match (a, b) {
            (Some(true), Some(true)) | (Some(false), Some(false)) => {
                let near = |x: Bounds, positive: bool| if positive { x.lo } else { x.hi };
                let least = near(self, a == Some(true)).zip(near(other, b == Some(true)));
                Bounds { lo: least.and_then(|(p, q)| p.checked_mul(q)).or(Some(0)), hi: None }
            }
            (Some(true), Some(false)) | (Some(false), Some(true)) => Bounds { lo: None, hi: Some(0) },
            _ if self == Bounds::exactly(0) || other == Bounds::exactly(0) => Bounds::exactly(0),
            _ => Bounds::NONE,
        }
    }

    pub(crate) fn scale(self, factor: i128) -> Bounds {
        let of = |bound: Option<i128>| bound.and_then(|bound| bound.checked_mul(factor));
        match factor {
            0 => Bounds::exactly(0),
            1.. => Bounds { lo: of(self.lo), hi: of(self.hi) },
            _ => Bounds { lo: of(self.hi), hi: of(self.lo) },
        }
    }

    /// Whether it is never negative, or never positive.
    fn sign(self) -> Option<bool> {
        match (self.lo, self.hi) {
            (Some(lo), _) if lo >= 0 => Some(true),
            (_, Some(hi)) if hi <= 0 => Some(false),
            _ => None,
        }
    }
}

/// The bounds of a quotient that is rounded down.
pub(crate) fn of_quotient(a: Bounds, b: Bounds) -> Bounds {
    match (b.lo, b.hi) {
        (Some(lo), hi) if lo >= 1 => {
            let down = |value: i128, least: bool| {
                // Farthest from zero by the least divisor, nearest by the greatest one.
                let far = (value < 0) == least;
                match (far, hi) {
                    (true, _) => value.div_euclid(lo),
                    (false, Some(hi)) => value.div_euclid(hi),
                    (false, None) => {
                        if value < 0 {
                            -1
                        } else {
                            0
                        }
                    }
                }
            };
            Bounds { lo: a.lo.map(|lo| down(lo, true)), hi: a.hi.map(|hi| down(hi, false)) }
        }
        // By zero it is 0.
        (Some(0), _) => Bounds { lo: a.lo.map(|lo| lo.min(0)), hi: a.hi.map(|hi| hi.max(0)) },
        _ => Bounds::NONE,
    }
}

/// The bounds of a quotient that is rounded toward zero: it is no farther from zero than the dividend.
pub(crate) fn of_truncated(a: Bounds, b: Bounds) -> Bounds {
    if b.lo.is_some_and(|lo| lo >= 0) {
        return match (a.lo, b.lo) {
            (Some(lo), Some(1..)) if lo >= 0 => of_quotient(a, b),
            _ => Bounds { lo: a.lo.map(|lo| lo.min(0)), hi: a.hi.map(|hi| hi.max(0)) },
        };
    }
    let Some((lo, hi)) = a.lo.zip(a.hi) else { return Bounds::NONE };
    let most = lo.saturating_abs().max(hi.saturating_abs());
    Bounds { lo: Some(-most), hi: Some(most) }
}

/// The bounds of the least or the greatest of some.
pub(crate) fn of_extremum(greatest: bool, all: impl Iterator<Item = Bounds>) -> Bounds {
    let all: Vec<Bounds> = all.collect();
    let of = |side: fn(&Bounds) -> Option<i128>, any: bool| {
        let known: Vec<i128> = all.iter().filter_map(side).collect();
        let enough = if any { !known.is_empty() } else { known.len() == all.len() };
        let value = if greatest { known.iter().max() } else { known.iter().min() };
        value.copied().filter(|_| enough)
    };
    Bounds { lo: of(|b| b.lo, greatest), hi: of(|b| b.hi, !greatest) }
}

/// The greatest common divisor.
pub(crate) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
