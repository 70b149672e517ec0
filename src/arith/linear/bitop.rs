//! Operations on the bits of two numbers: their values, and bounds of these.

use super::form::Form;
use super::formula::Formula;
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

    /// The range of the value for operands of given ranges that are not negative.
    pub(super) fn range(self, a: Interval, b: Interval) -> Option<Interval> {
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

    /// Bounds of the value of `own`, which is an operation on bits of operands that are not negative.
    /// `places` is the range of `b`.
    pub(super) fn bounds(self, a: &Form, b: &Form, own: &Form, places: Interval) -> Option<Formula> {
        let places = || bits::powers(places);
        let not_negative = match self {
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
