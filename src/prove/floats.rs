//! Operations on floats and pointers, of which only what changes no bit is known.

use super::logic::COMMUTATIVE;
use super::term::{Node, Term, Terms};
use super::value::op_type;
use crate::ir::{BinOp, Commutes, DType, Kind};

impl Terms {
    /// A constant; the bits are those of the `f64` of the same value.
    pub(super) fn float(&mut self, bits: u64, dtype: DType) -> Term {
        self.apply(&format!("float {bits:x}"), dtype, Vec::new())
    }

    /// A binary operation: operands change places where that changes no bit.
    pub(super) fn opaque_binary(&mut self, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        let (op, a, b, negated) = match op {
            BinOp::Gt => (BinOp::Lt, b, a, false),
            BinOp::Ge => (BinOp::Le, b, a, false),
            BinOp::Ne => (BinOp::Eq, a, b, true),
            BinOp::Div => match self.reciprocal(b, dtype) {
                Some(factor) => (BinOp::Mul, a, factor, false),
                None => (op, a, b, false),
            },
            _ => (op, a, b, false),
        };
        let commutes = op.commutes() == Commutes::Always;
        let operands = if commutes && b < a { vec![b, a] } else { vec![a, b] };
        let name = format!("{}{}.{}", if commutes { COMMUTATIVE } else { "" }, op.name(), dtype.scalar());
        let value = self.apply(&name, op_type(op, dtype), operands);
        if negated { self.not(value) } else { value }
    }

    /// What to multiply by instead of dividing by a constant: a power of two whose reciprocal is a normal number of the type.
    /// Then quotient and product are the same real number, which is rounded once.
    fn reciprocal(&mut self, constant: Term, dtype: DType) -> Option<Term> {
        let largest = match (dtype.kind, dtype.bits) {
            (Kind::Float, 16) => 14,
            (Kind::Float, 32) => 126,
            (Kind::Float, 64) => 1022,
            _ => return None,
        };
        let Node::Apply(name, ..) = self.node(constant) else { return None };
        let divisor = f64::from_bits(u64::from_str_radix(name.strip_prefix("float ")?, 16).ok()?);
        let power = |k: i32| 2f64.powi(k);
        let exponent = (-largest..=largest).find(|&k| divisor.abs() == power(k))?;
        Some(self.float(power(-exponent).copysign(divisor).to_bits(), dtype))
    }
}
