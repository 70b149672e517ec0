//! Operations on floats and pointers, of which only what changes no bit is known.

use super::logic::COMMUTATIVE;
use super::term::{Node, Sort, Term, Terms};
use super::value::op_type;
use crate::ir::value::{self, MathFn, Value};
use crate::ir::{BinOp, Commutes, DType};

/// How the names of conversions of integers begin.
const FROM_INTEGER: &str = "int to ";

/// What is between the types in the names of other conversions.
const TO: &str = " to ";

/// The name of the operation that changes the sign.
const NEGATIVE: &str = "negative";

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
    fn folded_cast(&mut self, to: DType, from: DType, value: Term) -> Option<Term> {
        let value = self.constant(value, from)?;
        let value = value::cast(from.scalar(), to.scalar(), value).ok()?;
        self.of_constant(value, to.scalar())
    }

    /// A value in another type, where one of the two is none of integers. Of a choice with a constant it is a choice.
    pub(super) fn float_cast(&mut self, to: DType, from: DType, value: Term) -> Term {
        if let Some(folded) = self.folded_cast(to, from, value) {
            return folded;
        }
        if let Node::Choice(cond, then, otherwise) = *self.node(value)
            && [then, otherwise].iter().any(|&arm| self.constant(arm, from).is_some())
        {
            let [then, otherwise] = [then, otherwise].map(|arm| self.float_cast(to, from, arm));
            return self.choice(cond, then, otherwise);
        }
        match Sort::of(from) {
            Sort::Int => self.apply(&format!("{FROM_INTEGER}{}", to.scalar()), to, vec![value]),
            _ => self.apply(&format!("{}{TO}{}", from.scalar(), to.scalar()), to, vec![value]),
        }
    }

    /// An operation on floats with other operands, which may be plainer than before; `None` of other functions.
    pub(super) fn again(&mut self, name: &str, operands: &[Term]) -> Option<Term> {
        if let (&[value], Some(to)) = (operands, name.strip_prefix(FROM_INTEGER)) {
            // Integers are rounded alike whatever their type.
            return Some(self.float_cast(to.parse().ok()?, DType::int(64), value));
        }
        if let (&[value], Some((from, to))) = (operands, name.split_once(TO)) {
            let to: DType = to.parse().ok()?;
            let from: DType = from.parse().ok().filter(|from: &DType| from.is_float())?;
            return Some(self.float_cast(to, from, value));
        }
        let (op, of) = name.strip_prefix(COMMUTATIVE).unwrap_or(name).rsplit_once('.')?;
        let of: DType = of.parse().ok().filter(|of: &DType| of.is_float())?;
        match *operands {
            [value] if op == NEGATIVE => Some(self.negated(value, of)),
            [a, b] => {
                let op = BinOp::ALL.into_iter().find(|other| other.name() == op)?;
                Some(self.opaque_binary(op, of, a, b))
            }
            _ => None,
        }
    }

    /// The integer of which the term is a conversion, and the type to which it is converted.
    pub(super) fn converted_integer(&self, term: Term) -> Option<(Term, DType)> {
        match self.node(term) {
            Node::Apply(name, dtype, of) if name.starts_with(FROM_INTEGER) => Some((of[0], *dtype)),
            _ => None,
        }
    }

    /// Whether the float is certain not to be -0.0: integers have no such zero, and neither has a sum with 0.0.
    fn is_not_minus_zero(&self, term: Term) -> bool {
        match self.node(term) {
            Node::Apply(name, dtype, _) if dtype.is_float() => {
                let is_number = name.starts_with("float ");
                is_number && self.constant(term, *dtype).is_some_and(|value| value != Value::Float(-0.0))
                    || name.starts_with(FROM_INTEGER)
            }
            Node::Choice(_, then, otherwise) => {
                [then, otherwise].iter().all(|&&arm| self.is_not_minus_zero(arm))
            }
            _ => false,
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
            && !value::depends_on_target(op, x, y)
            && let Ok(value) = value::binary(op, dtype.scalar(), x, y)
            && let Some(folded) = self.of_constant(value, op_type(op, dtype))
        {
            return folded;
        }
        if let Some(folded) = self.folded_choices(op, dtype, a, b) {
            return folded;
        }
        let (op, a, b, negated) = match op {
            BinOp::Gt => return self.opaque_binary(BinOp::Lt, dtype, b, a),
            BinOp::Ge => (BinOp::Le, b, a, false),
            // Of what is no number it is false in the LLVM code that TVM makes, and true in CUDA and C.
            BinOp::Ne if dtype.is_float() => (op, a, b, false),
            BinOp::Ne => (BinOp::Eq, a, b, true),
            // No number is less than itself, and NaN is less than nothing.
            BinOp::Lt if a == b && dtype.is_float() => return self.truth(false),
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
                _ => match [a, b].map(|operand| self.as_negated(operand, dtype)) {
                    [None, None] => (op, a, b, false),
                    // Signs come out.
                    [x, y] => {
                        let product = self.opaque_binary(op, dtype, x.unwrap_or(a), y.unwrap_or(b));
                        return if x.is_some() && y.is_some() {
                            product
                        } else {
                            self.negated(product, dtype)
                        };
                    }
                },
            },
            BinOp::Div if self.constant(b, dtype) == Some(Value::Float(1.0)) => return a,
            BinOp::Div => match self.reciprocal(b, dtype) {
                Some(factor) => return self.opaque_binary(BinOp::Mul, dtype, a, factor),
                None => (op, a, b, false),
            },
            _ => (op, a, b, false),
        };
        // Adding -0.0 changes no float, and adding 0.0 changes only the sign of -0.0.
        if op == BinOp::Add && dtype.is_float() {
            for (added, other) in [(b, a), (a, b)] {
                let Some(Value::Float(zero)) = self.constant(added, dtype).filter(|_| other != added) else {
                    continue;
                };
                if zero == 0.0 && (zero.is_sign_negative() || self.is_not_minus_zero(other)) {
                    return other;
                }
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
        match self.as_negated(value, dtype) {
            Some(of) => of,
            None => self.apply(&format!("{NEGATIVE}.{}", dtype.scalar()), dtype, vec![value]),
        }
    }

    /// The float of which a term is the one with the other sign.
    fn as_negated(&self, term: Term, dtype: DType) -> Option<Term> {
        match self.node(term) {
            Node::Apply(name, _, of) if **name == format!("{NEGATIVE}.{}", dtype.scalar()) => Some(of[0]),
            _ => None,
        }
    }

    /// An operation on constants, at least one of which is a choice of two, as a choice.
    fn folded_choices(&mut self, op: BinOp, dtype: DType, a: Term, b: Term) -> Option<Term> {
        let arms = |terms: &Terms, term: Term| match *terms.node(term) {
            Node::Choice(cond, then, otherwise) => (Some(cond), [then, otherwise]),
            _ => (None, [term, term]),
        };
        let ((c, x), (d, y)) = (arms(self, a), arms(self, b));
        let cond = c.or(d)?;
        let is_constant = |&arm: &Term| self.constant(arm, dtype).is_some();
        if c.zip(d).is_some_and(|(c, d)| c != d) || !x.iter().chain(&y).all(is_constant) {
            return None;
        }
        let [then, otherwise] = [0, 1].map(|arm| self.opaque_binary(op, dtype, x[arm], y[arm]));
        Some(self.choice(cond, then, otherwise))
    }

    /// What to multiply by instead of dividing by a constant, if that is the same.
    fn reciprocal(&mut self, constant: Term, dtype: DType) -> Option<Term> {
        let Node::Apply(name, ..) = self.node(constant) else { return None };
        let divisor = f64::from_bits(u64::from_str_radix(name.strip_prefix("float ")?, 16).ok()?);
        let factor = value::float::exact_reciprocal(dtype, divisor)?;
        Some(self.float(factor.to_bits(), dtype))
    }
}
