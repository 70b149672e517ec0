//! Residues: what is known of an integer modulo something.
//!
//! A residue stands for the integers `r + m*k`: every integer for `m = 1`, a single one for `m = 0`. Transfer
//! functions over-approximate: the result holds the value of the operation for every choice of operands. What leaves
//! 64 bits becomes "every integer".

/// The integers `rest + modulus * k` for all integers `k`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Residue {
    modulus: i64,
    rest: i64,
}

// Invariant: modulus >= 0, and 0 <= rest < modulus unless modulus is 0.
impl Residue {
    /// Every integer.
    pub(crate) const ALL: Residue = Residue { modulus: 1, rest: 0 };

    /// The single integer `v`.
    pub(crate) fn point(v: i64) -> Residue {
        Residue { modulus: 0, rest: v }
    }

    /// The integers that leave the rest `rest` modulo `modulus`; of a negative modulus the magnitude counts.
    pub(crate) fn new(modulus: i64, rest: i64) -> Residue {
        match modulus.checked_abs() {
            Some(0) => Residue::point(rest),
            Some(m) => Residue { modulus: m, rest: rest.rem_euclid(m) },
            None => Residue::ALL,
        }
    }

    /// The modulus; 0 for a single integer.
    pub(crate) fn modulus(self) -> i64 {
        self.modulus
    }

    /// The rest modulo the modulus, or the single integer.
    pub(crate) fn rest(self) -> i64 {
        self.rest
    }

    /// Whether `v` is one of the integers.
    pub(crate) fn contains(self, v: i64) -> bool {
        match self.modulus {
            0 => v == self.rest,
            m => v.rem_euclid(m) == self.rest,
        }
    }

    /// Whether no value is zero.
    pub(crate) fn excludes_zero(self) -> bool {
        !self.contains(0)
    }

    /// The rest modulo `c`, if it is the same for all values. `c > 0`.
    pub(crate) fn rest_modulo(self, c: i64) -> Option<i64> {
        (self.modulus % c == 0).then(|| self.rest.rem_euclid(c))
    }

    /// The smallest residue found that holds both.
    pub(crate) fn join(self, other: Residue) -> Residue {
        if self.modulus == 1 || other.modulus == 1 {
            return Residue::ALL;
        }
        match self.rest.checked_sub(other.rest) {
            Some(difference) => Residue::new(gcd(gcd(self.modulus, other.modulus), difference), self.rest),
            None => Residue::ALL,
        }
    }

    /// The values in both; `None` if there are none. Where their common modulus leaves 64 bits it is one of the two.
    pub(crate) fn meet(self, other: Residue) -> Option<Residue> {
        // Most meet what they are, or what says nothing.
        if self == other || other == Residue::ALL {
            return Some(self);
        }
        if self == Residue::ALL {
            return Some(other);
        }
        if self.modulus == 0 || other.modulus == 0 {
            let (point, set) = if self.modulus == 0 { (self, other) } else { (other, self) };
            return set.contains(point.rest).then_some(point);
        }
        let g = gcd(self.modulus, other.modulus);
        if self.rest.rem_euclid(g) != other.rest.rem_euclid(g) {
            return None;
        }
        // x = r + m*k with k = (s - r)/g * inverse(m/g) modulo n/g.
        let (m, n) = (i128::from(self.modulus), i128::from(other.modulus));
        let (r, s, g) = (i128::from(self.rest), i128::from(other.rest), i128::from(g));
        let k = ((s - r) / g * inverse(m / g, n / g)).rem_euclid(n / g);
        let modulus = i64::try_from(m / g * n);
        let rest = i64::try_from(r + m * k);
        Some(match (modulus, rest) {
            (Ok(modulus), Ok(rest)) => Residue::new(modulus, rest),
            _ if self.modulus >= other.modulus => self,
            _ => other,
        })
    }

    /// Sum.
    pub(crate) fn add(self, other: Residue) -> Residue {
        if self.modulus == 1 || other.modulus == 1 {
            return Residue::ALL;
        }
        match self.rest.checked_add(other.rest) {
            Some(rest) => Residue::new(gcd(self.modulus, other.modulus), rest),
            None => Residue::ALL,
        }
    }

    /// Difference.
    pub(crate) fn sub(self, other: Residue) -> Residue {
        if self.modulus == 1 || other.modulus == 1 {
            return Residue::ALL;
        }
        match self.rest.checked_sub(other.rest) {
            Some(rest) => Residue::new(gcd(self.modulus, other.modulus), rest),
            None => Residue::ALL,
        }
    }

    /// Product.
    pub(crate) fn mul(self, other: Residue) -> Residue {
        // (r + m*k) * (s + n*l) = r*s + r*n*l + s*m*k + m*n*k*l.
        let product = |a: i64, b: i64| a.checked_mul(b);
        let parts = (
            product(self.rest, other.rest),
            product(self.rest, other.modulus),
            product(self.modulus, other.rest),
            product(self.modulus, other.modulus),
        );
        match parts {
            (Some(rest), Some(a), Some(b), Some(c)) => Residue::new(gcd(gcd(a, b), c), rest),
            _ => Residue::ALL,
        }
    }

    /// Floor division by a positive constant.
    pub(crate) fn floordiv_const(self, c: i64) -> Residue {
        debug_assert!(c > 0, "the divisor is positive");
        // (r + c*n*k) // c = r // c + n*k.
        if self.modulus % c == 0 {
            Residue::new(self.modulus / c, self.rest.div_euclid(c))
        } else {
            Residue::ALL
        }
    }

    /// Floor remainder by a positive constant.
    pub(crate) fn floormod_const(self, c: i64) -> Residue {
        debug_assert!(c > 0, "the divisor is positive");
        match self.rest_modulo(c) {
            Some(rest) => Residue::point(rest),
            None => Residue::new(gcd(self.modulus, c), self.rest),
        }
    }

    /// What is left when the value wraps to a type of `bits` bits.
    pub(crate) fn wrap(self, bits: u32) -> Residue {
        let power = 1i64.checked_shl(bits).filter(|&p| p > 0).unwrap_or(1 << 62);
        Residue::new(gcd(self.modulus, power), self.rest)
    }
}

/// Greatest common divisor, not negative; 1 where it leaves 64 bits.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

/// The inverse of `a` modulo `m`, which have no common factor; 0 for `m = 1`.
fn inverse(a: i128, m: i128) -> i128 {
    let (mut r, mut s) = ((a.rem_euclid(m), m), (1, 0));
    while r.1 != 0 {
        let q = r.0 / r.1;
        r = (r.1, r.0 - q * r.1);
        s = (s.1, s.0 - q * s.1);
    }
    s.0.rem_euclid(m)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every residue with a modulus up to 12, and every single integer of 5 bits.
    fn residues() -> Vec<Residue> {
        let moduli = (1..=12).flat_map(|m| (0..m).map(move |r| Residue::new(m, r)));
        moduli.chain((-16..16).map(Residue::point)).collect()
    }

    /// The integers of 8 bits in a residue.
    fn members(r: Residue) -> Vec<i64> {
        (-128..128).filter(|&v| r.contains(v)).collect()
    }

    /// Every value of the operation on members must lie in the result.
    #[track_caller]
    fn check(f: impl Fn(Residue, Residue) -> Residue, op: impl Fn(i64, i64) -> i64) {
        for a in residues() {
            let xs: Vec<i64> = members(a).into_iter().filter(|v| v.abs() <= 40).collect();
            for b in residues() {
                let result = f(a, b);
                for &x in &xs {
                    for y in (-40..=40).filter(|&y| b.contains(y)) {
                        assert!(result.contains(op(x, y)), "{a:?} {b:?}: {x}, {y} gives {}", op(x, y));
                    }
                }
            }
        }
    }

    #[test]
    fn transfer_functions_hold_every_value() {
        check(Residue::add, |x, y| x + y);
        check(Residue::sub, |x, y| x - y);
        check(Residue::mul, |x, y| x * y);
    }

    #[test]
    fn division_and_wrapping_hold_every_value_of_8_bits() {
        for a in residues() {
            for x in members(a) {
                for c in 1..=24 {
                    assert!(a.floordiv_const(c).contains(x.div_euclid(c)), "{a:?} // {c} at {x}");
                    assert!(a.floormod_const(c).contains(x.rem_euclid(c)), "{a:?} % {c} at {x}");
                    assert!(a.rest_modulo(c).is_none_or(|r| r == x.rem_euclid(c)));
                }
                for bits in 1..=8 {
                    assert!(a.wrap(bits).contains(x.rem_euclid(1 << bits)), "{a:?} in {bits} bits at {x}");
                }
            }
        }
    }

    #[test]
    fn meet_is_the_intersection_and_join_holds_both() {
        for a in residues() {
            for b in residues() {
                let (met, joined) = (a.meet(b), a.join(b));
                for v in -128..128 {
                    let both = a.contains(v) && b.contains(v);
                    assert_eq!(both, met.is_some_and(|m| m.contains(v)), "{a:?} {b:?} at {v}");
                    assert!(!(a.contains(v) || b.contains(v)) || joined.contains(v), "{a:?} {b:?} at {v}");
                }
            }
        }
    }

    #[test]
    fn what_leaves_64_bits_is_given_up() {
        let big = Residue::new(i64::MAX, 5);
        assert_eq!(big.mul(big), Residue::ALL);
        assert!(big.meet(Residue::new(i64::MAX - 1, 7)).is_some());
        assert_eq!(Residue::point(i64::MIN).sub(Residue::point(1)), Residue::ALL);
    }
}
