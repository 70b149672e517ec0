//! Ranges of shifts and bit operations, in two's complement without bounds.

use super::Interval;

/// The range of `a & b`; `None` if nothing is known.
pub(crate) fn and(a: Interval, b: Interval) -> Option<Interval> {
    // What is not negative lends no higher bits to the result.
    let most = [a, b].into_iter().filter(|x| x.at_least(0)).reduce(Interval::min)?;
    Interval::between(Some(0), most.hi().map(i128::from))
}

/// The range of `a | b`; `None` if nothing is known.
pub(crate) fn or(a: Interval, b: Interval) -> Option<Interval> {
    if !a.at_least(0) || !b.at_least(0) {
        return None;
    }
    without_carry(a, b).meet(Interval::between(a.lo().max(b.lo()).map(i128::from), None)?)
}

/// The range of `a ^ b`; `None` if nothing is known.
pub(crate) fn xor(a: Interval, b: Interval) -> Option<Interval> {
    (a.at_least(0) && b.at_least(0)).then(|| without_carry(a, b))
}

/// The range of `a << n`, where no bit is lost; `None` if nothing is known.
pub(crate) fn shift_left(a: Interval, n: Interval) -> Option<Interval> {
    Some(a.mul(powers(n)?))
}

/// The range of `a >> n`, which rounds down; `None` if nothing is known.
pub(crate) fn shift_right(a: Interval, n: Interval) -> Option<Interval> {
    a.floordiv(powers(n)?)
}

/// The range of `2^n`, as far as 64 bits hold it.
pub(crate) fn powers(n: Interval) -> Option<Interval> {
    let power = |n: i64| u32::try_from(n).ok().filter(|&n| n < 63).map(|n| 1i64 << n);
    Interval::new(power(n.lo()?)?, power(n.hi()?)?)
}

/// What has no bit that neither operand has: it is at most their sum, and has no more bits than the longer one.
fn without_carry(a: Interval, b: Interval) -> Interval {
    let ones = |v: i64| match v.unsigned_abs().checked_ilog2() {
        Some(bit) => i64::MAX >> (62 - bit.min(62)),
        None => 0,
    };
    let longest = a.max(b).hi().map(ones);
    let most = a.add(b).hi().into_iter().chain(longest).min();
    Interval::between(Some(0), most.map(i128::from)).unwrap_or(Interval::NON_NEGATIVE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals() -> impl Iterator<Item = Interval> {
        let ends = [-9, -8, -1, 0, 1, 3, 4, 6, 7, 8];
        let bounded = ends.into_iter().flat_map(move |lo| ends.map(|hi| Interval::new(lo, hi)));
        bounded.flatten().chain([Interval::ALL, Interval::NON_NEGATIVE])
    }

    fn check(range: impl Fn(Interval, Interval) -> Option<Interval>, op: impl Fn(i64, i64) -> Option<i64>) {
        for (a, b) in intervals().flat_map(|a| intervals().map(move |b| (a, b))) {
            let Some(range) = range(a, b) else { continue };
            for (x, y) in (-12..12).flat_map(|x| (-12..12).map(move |y| (x, y))) {
                let value = op(x, y).filter(|_| a.contains(x) && b.contains(y));
                assert!(
                    value.is_none_or(|v| range.contains(v)),
                    "{x} of {a:?}, {y} of {b:?}: {value:?}, {range:?}"
                );
            }
        }
    }

    #[test]
    fn ranges_hold_every_value() {
        let shift = |shifted: fn(i64, u32) -> i64| move |x, y| Some(shifted(x, u32::try_from(y).ok()?));
        check(and, |x, y| Some(x & y));
        check(or, |x, y| Some(x | y));
        check(xor, |x, y| Some(x ^ y));
        check(shift_left, shift(|x, y| x << y));
        check(shift_right, shift(|x, y| x >> y));
    }

    #[test]
    fn ranges_are_tight() {
        let to = |lo: i64, hi: i64| Interval::new(lo, hi).unwrap();
        assert_eq!(and(to(0, 5), Interval::ALL), Some(to(0, 5)));
        assert_eq!(and(to(-4, 5), to(-1, 9)), None);
        assert_eq!(or(to(4, 5), to(0, 255)), Some(to(4, 255)));
        assert_eq!(or(to(4, 5), to(0, 1)), Some(to(4, 6)));
        assert_eq!(xor(to(0, 200), to(0, 100)), Some(to(0, 255)));
        assert_eq!(xor(to(0, i64::MAX - 1), to(0, 3)), Some(Interval::NON_NEGATIVE));
        assert_eq!(shift_left(to(1, 15), to(0, 3)), Some(to(1, 120)));
        assert_eq!(shift_right(to(-9, 15), to(1, 2)), Some(to(-5, 7)));
        assert_eq!(shift_left(to(1, 15), to(0, 64)), None);
    }
}
