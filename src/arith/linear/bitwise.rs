//! Bit operations and shifts as forms: what is linear of them, and columns for the rest.

use super::bitop::BitOp;
use super::form::Form;
use super::problem::{Definition, Problem};
use crate::arith::Interval;

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
}
