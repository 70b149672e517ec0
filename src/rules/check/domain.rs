//! The values that holes are tested with: small domains in full, then boundaries and random values at full width.

use super::eval::{Env, float_bits};
use super::ty::Ty;

/// Values of a type, about `budget` many: all if there are no more, else those around zero and at both ends. Also
/// tells whether these are all values.
pub(super) fn exhaustive(ty: Ty, budget: usize) -> (Vec<i128>, bool) {
    if let Ty::Float(dtype) = ty {
        if dtype.bits <= 16 && budget >= 1 << dtype.bits {
            return ((0..1 << dtype.bits).collect(), true);
        }
        return (floats(ty).into_iter().take(budget.max(4)).collect(), false);
    }
    if let Some((low, high)) = ty.range()
        && high - low < budget as i128
    {
        return ((low..=high).collect(), true);
    }
    (sample(ty, budget), false)
}

fn sample(ty: Ty, budget: usize) -> Vec<i128> {
    if ty == Ty::Real {
        let n = budget as i32;
        return (-(n / 2)..=(n - 1) / 2).map(|i| float_bits(ty, f64::from(i) / 4.0)).collect();
    }
    let around = |n: i128| (-(n / 2)..=(n - 1) / 2).collect::<Vec<_>>();
    let n = budget as i128;
    let Some((low, high)) = ty.range() else { return around(n) };
    // A quarter of the values at the ends.
    let ends = (n / 8).max(1);
    let middle: Vec<i128> = if low == 0 { (0..n - ends).collect() } else { around(n - 2 * ends) };
    let mut values = middle;
    if low < 0 {
        values.extend((0..ends).map(|i| low + i));
    }
    values.extend((0..ends).map(|i| high - i));
    values.sort_unstable();
    values.dedup();
    values
}

/// Values just outside of an index type whose width counts. A part of a sum may have such a value where the sum itself
/// does not, so that a rule which converts a part must make sure.
pub(super) fn beyond(ty: Ty) -> Vec<i128> {
    match (ty, ty.range()) {
        (Ty::Exact(_), Some((low, high))) => vec![low - 1, high + 1],
        _ => Vec::new(),
    }
}

/// Floats that behave specially come first.
fn floats(ty: Ty) -> Vec<i128> {
    let plain =
        [0.0, -0.0, 1.0, f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY, 0.1, 3.0, -2.5, 1e4, 1e-4, 7e37];
    let mut values: Vec<i128> = plain.iter().map(|v| float_bits(ty, *v)).collect();
    // The smallest number, and the largest finite one.
    values.push(1);
    values.push(float_bits(ty, f64::INFINITY) - 1);
    values
}

/// A generator of pseudo-random numbers (splitmix64); its start is derived from a name, so that runs repeat.
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    /// Starts from the hash (FNV-1a) of a text.
    pub(super) fn from_name(name: &str) -> Random {
        let hash = |h: u64, b: u8| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        Random(name.bytes().fold(0xcbf2_9ce4_8422_2325, hash))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

/// A value for hole `hole`: at a boundary, small, of random length, or in some relation to an earlier hole's value.
pub(super) fn random(ty: Ty, hole: usize, env: &Env, random: &mut Random) -> i128 {
    if let Ty::Float(dtype) = ty {
        let special = floats(ty);
        return match random.below(2) {
            0 => special[random.below(special.len())],
            _ => i128::from(random.next() >> (64 - u32::from(dtype.bits))),
        };
    }
    if ty == Ty::Real {
        let numerator = random.below(1 << 12) as f64 - 2048.0;
        return float_bits(ty, numerator / (1 << random.below(8)) as f64);
    }
    let (low, high) = ty.range().unwrap_or((i128::from(i64::MIN), i128::from(i64::MAX)));
    let bits = if ty.bits() == 0 { 63 } else { ty.bits() };
    let value = match random.below(10) {
        0 => low + random.below(3) as i128,
        1 => high - random.below(3) as i128,
        2 | 3 => random.below(11) as i128 - 4,
        4 => (1i128 << random.below(bits as usize)) + random.below(3) as i128 - 1,
        5 | 6 => {
            let length = random.below(bits as usize) as u32 + 1;
            let value = i128::from(random.next() >> (64 - length.min(64)));
            if random.below(2) == 0 { value } else { -value }
        }
        _ => related(hole, env, random).unwrap_or(random.below(64) as i128),
    };
    if (low..=high).contains(&value) { value } else { low + (value - low).rem_euclid(high - low + 1) }
}

/// Near an earlier value, a multiple or part of it, or its negation.
fn related(hole: usize, env: &Env, random: &mut Random) -> Option<i128> {
    if hole == 0 {
        return None;
    }
    let other = env.values[random.below(hole)];
    Some(match random.below(6) {
        0 => other,
        1 => -other,
        2 => other + random.below(5) as i128 - 2,
        3 => other.checked_mul(random.below(9) as i128 - 3)?,
        4 => other / (random.below(7) as i128 + 1),
        _ => {
            let third = env.values[random.below(hole)];
            if random.below(2) == 0 { other.checked_mul(third)? } else { other.checked_sub(third)? }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    #[test]
    fn domains_hold_zero_and_the_ends() {
        let (byte, all) = exhaustive(Ty::Wrapping(DType::int(8)), 40);
        assert!(!all);
        assert!([-128, 127, -1, 0, 1].iter().all(|v| byte.contains(v)), "{byte:?}");
        assert!(byte.len() <= 40 && byte.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(exhaustive(Ty::Wrapping(DType::uint(4)), 16), ((0..16).collect(), true));
        let half = exhaustive(Ty::Float(DType::float(16)), 1 << 16);
        assert!(half.1 && half.0.len() == 1 << 16);
        assert_eq!(exhaustive(Ty::Unbounded, 7), ((-3..=3).collect(), false));
    }

    #[test]
    fn random_values_are_of_their_type() {
        let mut source = Random::from_name("a");
        let env = Env { values: vec![-5, 1 << 40, 0], traps: 0, lane: 0, lanes: 1, nan_differs: false };
        for ty in
            [Ty::Bool, Ty::Wrapping(DType::int(1)), Ty::Wrapping(DType::uint(64)), Ty::Exact(DType::I32)]
        {
            let (low, high) = ty.range().unwrap();
            for _ in 0..2000 {
                let value = random(ty, 2, &env, &mut source);
                assert!((low..=high).contains(&value), "{ty:?} {value}");
            }
        }
    }
}
