//! Operations on floats and pointers, of which only what changes no bit is known.

use super::logic::COMMUTATIVE;
use super::term::{Node, Term, Terms};
use super::value::op_type;
use crate::ir::value::{self, MathFn, Value};
use crate::ir::{BinOp, Commutes, DType};

/// How the names of conversions of integers begin.
const FROM_INTEGER: &str = "int to ";

impl Terms {
    /// A constant; the bits are those of the `f64` of the same value.
    pub(super) fn float(&mut self, bits: u64, dtype: DType) -> Term {
        // What is no number is one value: its bits are not kept.
        let bits = if f64::from_bits(bits).is_nan() { f64::NAN.to_bits() } else { bits };
        self.apply(&format!("float {bits:x}"), dtype, Vec::new())
    }

    /// The constant that a term of this type is.
    fn constant(&self, term: Term, dtype: DType) -> Option<Value> {
        match self.node(term) {
            // Unsigned integers that are too large have the bits of negative ones.
            Node::Int(value) if dtype.is_uint() => u64::try_from(*value).ok().map(|v| Value::Int(v as i64)),
            Node::Int(value) if dtype.is_integral() => i64::try_from(*value).ok().map(Value::Int),
            Node::Apply(name, of, _) if dtype.is_float() && *of == dtype.scalar() => {
                let bits = u64::from_str_radix(name.strip_prefix("float ")?, 16).ok()?;
                Some(Value::Float(f64::from_bits(bits)))
            }
            _ => None,
        }
    }

    /// The term of a constant.
    fn of_constant(&mut self, value: Value, dtype: DType) -> Option<Term> {
        match value {
            Value::Int(value) if dtype.is_bool() => Some(self.truth(value != 0)),
            Value::Float(value) if dtype.is_float() => Some(self.float(value.to_bits(), dtype)),
            Value::Int(_) | Value::Float(_) => None,
        }
    }

    /// A function of constants, if it has the same bits everywhere.
    pub(super) fn folded_call(
        &mut self,
        function: MathFn,
        from: DType,
        to: DType,
        args: &[Term],
    ) -> Option<Term> {
        let args: Vec<Value> = args.iter().map(|&arg| self.constant(arg, from)).collect::<Option<_>>()?;
        let value = function.eval(from.scalar(), &args).ok().filter(|_| function.is_exact())?;
        self.of_constant(value, to.scalar())
    }

    /// A function of integers that are constants, where it is defined.
    pub(super) fn folded_integers(&mut self, function: MathFn, dtype: DType, args: &[Term]) -> Option<Term> {
        let args: Vec<Value> = args.iter().map(|&arg| self.constant(arg, dtype)).collect::<Option<_>>()?;
        let value = function.eval(dtype.scalar(), &args).ok()?.as_int()?;
        let large = dtype.is_uint() && dtype.bits == 64 && value < 0;
        Some(self.int(i128::from(value) + if large { 1 << 64 } else { 0 }))
    }

    /// A constant in another type.
    pub(super) fn folded_cast(&mut self, to: DType, from: DType, value: Term) -> Option<Term> {
        let value = self.constant(value, from)?;
        let value = value::cast(from.scalar(), to.scalar(), value).ok()?;
        self.of_constant(value, to.scalar())
    }

    /// An integer in a type that is none.
    pub(super) fn converted(&mut self, to: DType, value: Term) -> Term {
        self.apply(&format!("{FROM_INTEGER}{}", to.scalar()), to, vec![value])
    }

    /// The integer of which the term is a conversion, and the type to which it is converted.
    pub(super) fn converted_integer(&self, term: Term) -> Option<(Term, DType)> {
        match self.node(term) {
            Node::Apply(name, dtype, of) if name.starts_with(FROM_INTEGER) => Some((of[0], *dtype)),
            _ => None,
        }
    }

    /// The integer of which a constant of this type is the conversion.
    pub(super) fn as_converted(&self, term: Term, dtype: DType) -> Option<i128> {
        /// Integers up to here have floats of their own in most types.
        const MAX: f64 = 1e6;
        let Value::Float(value) = self.constant(term, dtype)? else { return None };
        let n = if value.abs() <= MAX { value as i64 } else { return None };
        let back = value::cast(DType::I64, dtype, Value::Int(n)).ok()?;
        (back == Value::Float(value)).then_some(i128::from(n))
    }

    /// A binary operation: operands change places where that changes no bit.
    pub(super) fn opaque_binary(&mut self, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        if let (Some(x), Some(y)) = (self.constant(a, dtype), self.constant(b, dtype))
            && let Ok(value) = value::binary(op, dtype.scalar(), x, y)
            && let Some(folded) = self.of_constant(value, op_type(op, dtype))
        {
            return folded;
        }
        let (op, a, b, negated) = match op {
            BinOp::Gt => (BinOp::Lt, b, a, false),
            BinOp::Ge => (BinOp::Le, b, a, false),
            BinOp::Ne => (BinOp::Eq, a, b, true),
            BinOp::Min | BinOp::Max if a == b => return a,
            BinOp::Min | BinOp::Max => match self.absorbed(op, dtype, a, b) {
                Some(value) => return value,
                None => (op, a, b, false),
            },
            // Subtracting is adding the negative, and so is multiplying by 1 or -1.
            BinOp::Sub => (BinOp::Add, a, self.negated(b, dtype), false),
            BinOp::Mul => match (self.constant(a, dtype), self.constant(b, dtype)) {
                (_, Some(Value::Float(1.0))) => return a,
                (Some(Value::Float(1.0)), _) => return b,
                (_, Some(Value::Float(-1.0))) => return self.negated(a, dtype),
                (Some(Value::Float(-1.0)), _) => return self.negated(b, dtype),
                _ => (op, a, b, false),
            },
            BinOp::Div if self.constant(b, dtype) == Some(Value::Float(1.0)) => return a,
            BinOp::Div => match self.reciprocal(b, dtype) {
                Some(factor) => return self.opaque_binary(BinOp::Mul, dtype, a, factor),
                None => (op, a, b, false),
            },
            _ => (op, a, b, false),
        };
        // Adding -0.0 changes no float, and adding 0.0 would change the sign of -0.0.
        if op == BinOp::Add && dtype.is_float() {
            let minus_zero = self.float((-0.0f64).to_bits(), dtype);
            if a == minus_zero || b == minus_zero {
                return if b == minus_zero { a } else { b };
            }
        }
        let commutes = op.commutes() == Commutes::Always;
        let operands = if commutes && b < a { vec![b, a] } else { vec![a, b] };
        let name = format!("{}{}.{}", if commutes { COMMUTATIVE } else { "" }, op.name(), dtype.scalar());
        let value = self.apply(&name, op_type(op, dtype), operands);
        if negated { self.not(value) } else { value }
    }

    /// `a if a > b else b` as the greatest of two floats, which is defined so, and the same with `<` as the least.
    pub(super) fn greater_or_less(&mut self, cond: Term, then: Term, otherwise: Term) -> Option<Term> {
        let Node::Apply(name, _, operands) = self.node(cond) else { return None };
        let (op, dtype) = name.split_once('.')?;
        let (&[x, y], true) = (&operands[..], op == BinOp::Lt.name()) else { return None };
        let op = match (x, y) {
            _ if (x, y) == (otherwise, then) => BinOp::Max,
            _ if (x, y) == (then, otherwise) => BinOp::Min,
            _ => return None,
        };
        let dtype: DType = dtype.parse().ok()?;
        Some(self.opaque_binary(op, dtype, then, otherwise))
    }

    /// `max(x, max(x, y))`, `max(y, max(x, y))` and `max(max(x, y), y)` are `max(x, y)`, NaN and zeros with a sign included:
    /// the first operand is taken if it is greater, else the second.
    fn absorbed(&self, op: BinOp, dtype: DType, a: Term, b: Term) -> Option<Term> {
        let operands = |term: Term| match self.node(term) {
            Node::Apply(name, _, of) if **name == format!("{}.{}", op.name(), dtype.scalar()) => {
                Some((of[0], of[1]))
            }
            _ => None,
        };
        match (operands(a), operands(b)) {
            (_, Some((x, y))) if a == x || a == y => Some(b),
            (Some((_, y)), _) if b == y => Some(a),
            _ => None,
        }
    }

    /// The float with the other sign.
    fn negated(&mut self, value: Term, dtype: DType) -> Term {
        if let Some(Value::Float(constant)) = self.constant(value, dtype) {
            return self.float((-constant).to_bits(), dtype);
        }
        let name = format!("negative.{}", dtype.scalar());
        match self.node(value) {
            Node::Apply(other, _, of) if **other == name => of[0],
            _ => self.apply(&name, dtype, vec![value]),
        }
    }

    /// What to multiply by instead of dividing by a constant, if that is the same.
    fn reciprocal(&mut self, constant: Term, dtype: DType) -> Option<Term> {
        let Node::Apply(name, ..) = self.node(constant) else { return None };
        let divisor = f64::from_bits(u64::from_str_radix(name.strip_prefix("float ")?, 16).ok()?);
        let factor = value::float::exact_reciprocal(dtype, divisor)?;
        Some(self.float(factor.to_bits(), dtype))
    }
}
