//! Sample points: values of variables that are likely to refute what does not hold in general.

use super::Interval;

/// A value in the range for the variable numbered `variable` at the point numbered `point`: an end of the range, or
/// a small or a larger distance from one. Without an end, values around zero, of both signs if `signed`.
pub(crate) fn value_at(range: Interval, signed: bool, variable: u64, point: u64) -> i64 {
    let hash = mix(variable.wrapping_add(1), point);
    // Each remainder by a constant: a division takes longer than all the rest.
    let (width, step) = match point % 4 {
        0 => (3, hash / 4 % 3),
        1 => (8, hash / 4 % 8),
        2 => (40, hash / 4 % 40),
        _ => (1500, hash / 4 % 1500),
    };
    let step = step.cast_signed();
    match (range.lo(), range.hi()) {
        (Some(lo), Some(hi)) => {
            if hash % 4 == 3 {
                hi.saturating_sub(step).max(lo)
            } else {
                lo.saturating_add(step).min(hi)
            }
        }
        (Some(lo), None) => lo.saturating_add(step),
        (None, Some(hi)) => hi.saturating_sub(step),
        (None, None) if hash % 4 == 3 || !signed => step,
        (None, None) => step - width / 4,
    }
}

/// A pseudo-random function of two numbers.
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ b.wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_lie_in_their_range() {
        let ends = [Interval::NEG_INF, -2000, -3, 0, 5, 2000, Interval::POS_INF];
        for lo in ends {
            for hi in ends {
                let Some(range) = Interval::new(lo, hi).filter(|r| r.lo().is_some() || r.hi().is_some())
                else {
                    continue;
                };
                for point in 0..64 {
                    let value = value_at(range, true, 7, point);
                    assert!(range.contains(value), "{value} of {range:?}");
                }
            }
        }
        assert!((0..64).all(|point| value_at(Interval::ALL, false, 7, point) >= 0));
    }
}
