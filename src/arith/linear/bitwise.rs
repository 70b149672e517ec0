//! Bit operations and shifts: what is linear of them.

use super::form::Form;
use super::problem::{Definition, Formula, Problem};
use crate::arith::{Interval, bits};

/// An operation on the bits of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum BitOp {
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

impl BitOp {
    /// The operation that an intrinsic is.
    pub(super) fn by_name(name: &str) -> Option<BitOp> {
        Some(match name {
            "bitwise_and" => BitOp::And,
            "bitwise_or" => BitOp::Or,
            "bitwise_xor" => BitOp::Xor,
            "shift_left" => BitOp::ShiftLeft,
            "shift_right" => BitOp::ShiftRight,
            _ => return None,
        })
    }

    fn range(self, a: Interval, b: Interval) -> Option<Interval> {
        match self {
            BitOp::And => bits::and(a, b),
            BitOp::Or => bits::or(a, b),
            BitOp::Xor => bits::xor(a, b),
            BitOp::ShiftLeft => bits::shift_left(a, b),
            BitOp::ShiftRight => bits::shift_right(a, b),
        }
    }

    /// The value for operands that are not negative; `None` if it leaves 64 bits.
    pub(super) fn compute(self, a: i64, b: i64) -> Option<i64> {
        let places = || u32::try_from(b).ok();
        match self {
            BitOp::And => Some(a & b),
            BitOp::Or => Some(a | b),
            BitOp::Xor => Some(a ^ b),
            BitOp::ShiftLeft => a.checked_mul(1i64.checked_shl(places()?)?),
            BitOp::ShiftRight => a.checked_shr(places()?),
        }
    }
}

impl Problem {
    /// An operation on bits, in a type that has these values; `None` if nothing is known of the result.
    pub(super) fn bitwise(&mut self, op: BitOp, a: &Form, b: &Form, values: Interval) -> Option<Form> {
        let result = match self.exact(op, a, b) {
            Some(form) => form,
            None => {
                let (x, y) = (self.range_of(a), self.range_of(b));
                if !x.at_least(0) || !y.at_least(0) {
                    return None;
                }
                let range = op.range(x, y)?;
                Form::column(self.defined(Definition::Bits(op, a.clone(), b.clone()), range))
            }
        };
        let range = self.range_of(&result);
        let fits = op != BitOp::ShiftLeft || range.hi().is_some() && values.meet(range) == Some(range);
        fits.then_some(result)
    }

    /// A shift by a constant is a product or a quotient, the lowest bits are a remainder.
    fn exact(&mut self, op: BitOp, a: &Form, b: &Form) -> Option<Form> {
        let power = |n: &Form| n.as_constant().filter(|n| (0..63).contains(n)).map(|n| 1i64 << n);
        let past_mask = |m: &Form| m.as_constant()?.checked_add(1).filter(|m| *m > 0 && m.count_ones() == 1);
        match op {
            BitOp::ShiftLeft => a.scale(power(b)?),
            BitOp::ShiftRight => self.quotient(a, &Form::constant(power(b)?)),
            BitOp::And => match (past_mask(a), past_mask(b)) {
                (_, Some(modulus)) => self.remainder(a, &Form::constant(modulus)),
                (Some(modulus), None) => self.remainder(b, &Form::constant(modulus)),
                (None, None) => None,
            },
            BitOp::Or | BitOp::Xor => None,
        }
    }

    /// Bounds of the value of `own`, which is an operation on bits of operands that are not negative.
    pub(super) fn defining_bits(&self, op: BitOp, a: &Form, b: &Form, own: &Form) -> Option<Formula> {
        let places = || bits::powers(self.range_of(b));
        let not_negative = match op {
            BitOp::And => vec![a.sub(own)?, b.sub(own)?],
            BitOp::Or => vec![own.sub(a)?, own.sub(b)?, a.add(b)?.sub(own)?],
            BitOp::Xor => vec![a.add(b)?.sub(own)?, own.add(a)?.sub(b)?, own.add(b)?.sub(a)?],
            BitOp::ShiftLeft => {
                let factors = places()?;
                vec![own.sub(&a.scale(factors.lo()?)?)?, a.scale(factors.hi()?)?.sub(own)?]
            }
            BitOp::ShiftRight => {
                let divisors = places()?;
                let most = divisors.hi()?;
                vec![a.sub(&own.scale(divisors.lo()?)?)?, own.scale(most)?.sub(a)?.plus(most - 1)?]
            }
        };
        Some(Formula::all(not_negative.into_iter().map(Formula::at_least)))
    }
}
