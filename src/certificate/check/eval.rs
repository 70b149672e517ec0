//! From expressions to terms. On the way the first program's evaluation shows what it takes for granted, and the second one
//! owes that what may trap does not, or is a risk that the first one takes too.

use hashbrown::HashMap;

use super::book::{Book, Goal, Risk};
use super::bounds::Bounds;
use super::memory::{Memories, Pending};
pub(crate) use super::side::{Refused, Side};
use super::term::{COMMUTES, Node, Sort, Term, Terms};
use crate::ir::intrin::{self, Effect, FENCE};
use crate::ir::value::{self, MathFn, Value};
use crate::ir::{BinOp, BufferId, Call, Callee, Commutes, DType, Expr, ExprKind, PrimFunc, VarId};

/// A function with what its variables are worth.
pub(crate) struct Program<'a> {
    pub(crate) func: &'a PrimFunc,
    pub(crate) vars: HashMap<VarId, Term>,
    /// Calls with an effect so far, and what each of them is.
    pub(crate) calls: Vec<(String, Vec<Term>)>,
}

/// Both programs on their way.
pub(crate) struct Machine<'a> {
    pub(crate) terms: Terms,
    pub(crate) book: Book,
    pub(crate) programs: [Program<'a>; 2],
    pub(crate) memories: Memories,
    /// Elements that the second program has stored and the first one has not yet.
    pub(crate) pending: Vec<Pending>,
    /// Shapes and other descriptions are not evaluated.
    pub(crate) quiet: bool,
}

/// What kind of value a type has.
pub(crate) fn sort_of(dtype: DType) -> Sort {
    match dtype {
        _ if dtype.is_bool() => Sort::Truth,
        _ if dtype.is_integral() => Sort::Int,
        _ => Sort::Other,
    }
}

/// The bounds that a type sets.
pub(crate) fn bounds_of(dtype: DType) -> Bounds {
    match dtype.is_integral() {
        true => Bounds::of_type(dtype.bits, dtype.is_int()),
        false => Bounds::NONE,
    }
}

impl<'a> Machine<'a> {
    pub(crate) fn program(&mut self, side: Side) -> &mut Program<'a> {
        &mut self.programs[side as usize]
    }

    /// An operation that traps unless the condition holds.
    fn risk(&mut self, side: Side, what: &'static str, safe: Term, risk: Risk) {
        if self.quiet {
            return;
        }
        match side {
            Side::First => self.book.evaluates(risk),
            Side::Second if self.terms.as_truth(safe) == Some(true) => {}
            Side::Second => self.book.owe(what, Goal::Safe(safe, risk)),
        }
    }

    /// The value of an expression that is not evaluated, such as a shape.
    pub(crate) fn described(&mut self, side: Side, e: &Expr) -> Result<Term, Refused> {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let value = self.value(side, e);
        self.quiet = quiet;
        value
    }

    /// The value of an expression.
    pub(crate) fn value(&mut self, side: Side, e: &Expr) -> Result<Term, Refused> {
        let other = |terms: &mut Terms, name: &str, parts: Vec<Term>| {
            terms.apply(&format!("{name} {}", e.dtype.scalar()), sort_of(e.dtype), parts)
        };
        Ok(match &e.kind {
            ExprKind::Int(value) if e.dtype.is_bool() => self.terms.truth(*value != 0),
            ExprKind::Int(value) if e.dtype.is_integral() => {
                let negative = e.dtype.is_uint() && *value < 0;
                self.terms.int(i128::from(*value) + if negative { 1 << 64 } else { 0 })
            }
            ExprKind::Int(value) => other(&mut self.terms, &format!("integer {value}"), Vec::new()),
            ExprKind::Float(bits) => self.float(e.dtype, *bits),
            ExprKind::Str(text) => other(&mut self.terms, &format!("text {text:?}"), Vec::new()),
            ExprKind::Var(var) => match self.programs[side as usize].vars.get(var) {
                Some(&term) => term,
                None => {
                    let name = &self.programs[side as usize].func.var(*var).name;
                    return Err(format!("variable `{name}` has no value where it is used"));
                }
            },
            ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => self.logic(side, *op, a, b)?,
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.value(side, a)?, self.value(side, b)?);
                self.binary(side, *op, a.dtype, x, y)
            }
            ExprKind::Not(a) => {
                let a = self.value(side, a)?;
                self.truth_value(a)?;
                self.terms.not(a)
            }
            ExprKind::Cast(a) => {
                let value = self.value(side, a)?;
                let value = self.cast(e.dtype.scalar(), a.dtype.scalar(), value);
                self.reciprocal(side, e, value)?
            }
            ExprKind::Select(select) => {
                let cond = self.value(side, &select.cond)?;
                self.truth_value(cond)?;
                let then = self.value(side, &select.then)?;
                let otherwise = self.value(side, &select.otherwise)?;
                self.terms.choice(cond, then, otherwise)
            }
            ExprKind::Load { buffer, indices } => self.load(side, e.dtype, *buffer, indices)?,
            ExprKind::Ramp(base, stride) => {
                let (base, stride) = (self.value(side, base)?, self.value(side, stride)?);
                let lane = self.terms.lane(e.dtype.lanes);
                let offset = self.terms.mul(lane, stride);
                let sum = self.terms.add(base, offset);
                self.fitted(e.dtype, sum)
            }
            ExprKind::Broadcast(a) if a.dtype.is_scalar() => self.value(side, a)?,
            ExprKind::Let(var, value, body) => {
                let value = self.value(side, value)?;
                self.program(side).vars.insert(*var, value);
                let body = self.value(side, body);
                self.program(side).vars.remove(var);
                body?
            }
            ExprKind::Call(call) => {
                let value = self.call(side, e.dtype, call)?;
                self.reciprocal(side, e, value)?
            }
            ExprKind::BufferData(buffer) => {
                let number = self.memories.number(side, *buffer)?;
                other(&mut self.terms, &format!("data {number}"), Vec::new())
            }
            ExprKind::BufferRef(buffer) => {
                let number = self.memories.number(side, *buffer)?;
                other(&mut self.terms, &format!("buffer {number}"), Vec::new())
            }
            ExprKind::Shuffle(shuffle) => {
                let mut parts = Vec::new();
                for vector in shuffle.vectors.iter().chain(&shuffle.indices) {
                    let value = self.value(side, vector)?;
                    parts.push(self.terms.whole(vector.dtype.lanes, value));
                }
                let parts = self.by_lane(e.dtype, parts);
                other(&mut self.terms, &format!("shuffle x{}", e.dtype.lanes), parts)
            }
            ExprKind::Region(buffer, ranges) => {
                let number = self.memories.number(side, *buffer)?;
                let (mut parts, mut form) = (Vec::new(), String::new());
                for (min, extent) in ranges {
                    form.push(if extent.is_some() { ':' } else { '.' });
                    for part in std::iter::once(min).chain(extent) {
                        parts.push(self.value(side, part)?);
                    }
                }
                other(&mut self.terms, &format!("region {number} {form}"), parts)
            }
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.value(side, item)).collect::<Result<_, _>>()?;
                other(&mut self.terms, "tuple", items)
            }
            ExprKind::Broadcast(_) => return Err("a vector of vectors".into()),
        })
    }

    /// A constant; the bits are those of the `f64` of the same value.
    fn float(&mut self, dtype: DType, bits: u64) -> Term {
        self.terms.apply(&format!("float {bits} {}", dtype.scalar()), sort_of(dtype), Vec::new())
    }

    /// The constant of this type that a term is.
    fn as_float(&self, dtype: DType, term: Term) -> Option<f64> {
        let Node::Apply(name, parts) = self.terms.node(term) else { return None };
        let (bits, of) = name.strip_prefix("float ")?.split_once(' ')?;
        let is_constant = dtype.is_float() && parts.is_empty() && of == dtype.scalar().to_string();
        bits.parse().ok().filter(|_| is_constant).map(f64::from_bits)
    }

    /// A value that is used as a condition.
    pub(crate) fn truth_value(&self, term: Term) -> Result<(), Refused> {
        match self.terms.sort(term) {
            Sort::Truth => Ok(()),
            _ => Err("a condition that is no truth value".into()),
        }
    }

    /// `and` and `or`, whose right operands are evaluated by one reading only where the left ones do not decide.
    fn logic(&mut self, side: Side, op: BinOp, a: &Expr, b: &Expr) -> Result<Term, Refused> {
        let x = self.value(side, a)?;
        self.truth_value(x)?;
        let goes_on = if op == BinOp::And { x } else { self.terms.not(x) };
        self.book.at().lazy.push(goes_on);
        let y = self.value(side, b);
        self.book.at().lazy.pop();
        let y = y?;
        self.truth_value(y)?;
        Ok(if op == BinOp::And { self.terms.and(&[x, y]) } else { self.terms.or(&[x, y]) })
    }

    /// What a type makes of an integer: one that wraps keeps so many bits, another one holds it by the rule of overflow.
    fn fitted(&mut self, dtype: DType, value: Term) -> Term {
        match dtype.is_index() || !dtype.is_integral() {
            true => value,
            false => self.terms.wrap(dtype.bits, dtype.is_int(), value),
        }
    }

    fn binary(&mut self, side: Side, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        match sort_of(dtype) {
            Sort::Int if self.terms.sort(a) == Sort::Int && self.terms.sort(b) == Sort::Int => {
                return self.integer(side, op, dtype, a, b);
            }
            Sort::Truth if matches!(op, BinOp::Eq | BinOp::Ne) => {
                let equal = self.terms.equal(a, b);
                return if op == BinOp::Eq { equal } else { self.terms.not(equal) };
            }
            // The second operand where they are not ordered, or equal.
            Sort::Other if dtype.is_float() && matches!(op, BinOp::Min | BinOp::Max) => {
                let order = if op == BinOp::Max { BinOp::Gt } else { BinOp::Lt };
                let takes_first = self.binary(side, order, dtype, a, b);
                return self.terms.choice(takes_first, a, b);
            }
            // A power of two has an exact reciprocal.
            Sort::Other if op == BinOp::Div => {
                let divisor = self.as_float(dtype, b);
                if let Some(factor) = divisor.and_then(|by| value::float::exact_reciprocal(dtype, by)) {
                    let factor = self.float(dtype, factor.to_bits());
                    return self.binary(side, BinOp::Mul, dtype, a, factor);
                }
            }
            _ => {}
        }
        let sort = if op.is_compare() { Sort::Truth } else { sort_of(dtype) };
        let float = dtype.is_float();
        let commutes =
            op.commutes() == Commutes::Always || (op.commutes() == Commutes::ExceptFloats && !float);
        let (mut op, mut parts) = (op, vec![a, b]);
        // What is greater is written by what is less.
        if matches!(op, BinOp::Gt | BinOp::Ge) {
            op = if op == BinOp::Gt { BinOp::Lt } else { BinOp::Le };
            parts.reverse();
        }
        let mut name = format!("{} {}", op.name(), dtype.scalar());
        if commutes {
            parts.sort_unstable();
            name += COMMUTES;
        }
        self.terms.apply(&name, sort, parts)
    }

    fn integer(&mut self, side: Side, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        if op.is_division() {
            let zero = self.terms.is_zero(b);
            let nonzero = self.terms.not(zero);
            self.risk(side, "a divisor is not zero", nonzero, Risk::Division(b));
        }
        let value = match op {
            BinOp::Add => self.terms.add(a, b),
            BinOp::Sub => self.terms.sub(a, b),
            BinOp::Mul => self.terms.mul(a, b),
            BinOp::FloorDiv => self.terms.quotient(a, b),
            BinOp::FloorMod => self.terms.remainder(a, b),
            BinOp::Div => self.terms.truncated(a, b),
            BinOp::Mod => self.terms.truncated_remainder(a, b),
            BinOp::Min | BinOp::Max => return self.terms.extremum(op == BinOp::Max, a, b),
            BinOp::Eq => return self.terms.equal(a, b),
            BinOp::Ne => {
                let equal = self.terms.equal(a, b);
                return self.terms.not(equal);
            }
            BinOp::Lt => return self.terms.less(a, b),
            BinOp::Le => return self.terms.at_most(a, b),
            BinOp::Gt => return self.terms.less(b, a),
            BinOp::Ge => return self.terms.at_most(b, a),
            // A function of which nothing is known.
            _ => return self.terms.apply(op.name(), Sort::Int, vec![a, b]),
        };
        self.fitted(dtype, value)
    }

    fn cast(&mut self, to: DType, from: DType, value: Term) -> Term {
        if from == to {
            return value;
        }
        match (self.terms.sort(value), sort_of(to)) {
            (Sort::Int, Sort::Int) => match bounds_of(to).contains(bounds_of(from)) {
                true => value,
                false => self.terms.wrap(to.bits, to.is_int(), value),
            },
            (Sort::Truth, Sort::Int) => {
                let (one, zero) = (self.terms.int(1), self.terms.int(0));
                self.terms.choice(value, one, zero)
            }
            (Sort::Int, Sort::Truth) => {
                let zero = self.terms.is_zero(value);
                self.terms.not(zero)
            }
            (Sort::Int, Sort::Other) if to.is_float() => {
                let constant = self.terms.as_int(value).and_then(|value| i64::try_from(value).ok());
                let folded = constant.map(|constant| value::cast(from, to, Value::Int(constant)));
                match folded {
                    Some(Ok(Value::Float(float))) => self.float(to, float.to_bits()),
                    // An integer is what it is, whatever type holds it.
                    _ => self.terms.apply(&format!("integer to {to}"), Sort::Other, vec![value]),
                }
            }
            (_, sort) => {
                let name = format!("{from} to {to}");
                match sort {
                    Sort::Int => self.terms.apply_within(&name, bounds_of(to), vec![value]),
                    _ => self.terms.apply(&name, sort, vec![value]),
                }
            }
        }
    }

    /// The element that indices name: it is there if they are within the shape.
    pub(crate) fn element(
        &mut self,
        side: Side,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<(usize, Vec<Term>), Refused> {
        let index = indices.iter().map(|i| self.value(side, i)).collect::<Result<Vec<_>, _>>()?;
        if index.iter().any(|&i| self.terms.sort(i) != Sort::Int) {
            return Err("an index that is no integer".into());
        }
        let number = self.memories.number(side, buffer)?;
        let shape = self.memories.all[number].shape.clone();
        if shape.len() != index.len() {
            return Err("an element with another number of indices than its buffer has".into());
        }
        let mut within = Vec::new();
        for (&i, extent) in index.iter().zip(shape) {
            within.push(self.terms.not_negative(i));
            within.push(self.terms.less(i, extent));
        }
        let within = self.terms.and(&within);
        self.risk(side, "an element is there", within, Risk::Load(number, index.clone()));
        if side == Side::Second && !self.quiet {
            self.passes_pending(number, &index)?;
        }
        Ok((number, index))
    }

    fn load(
        &mut self,
        side: Side,
        dtype: DType,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<Term, Refused> {
        let (number, index) = self.element(side, buffer, indices)?;
        let index = self.by_lane(dtype, index);
        let version = self.memories.version(number);
        let calls = u32::try_from(self.programs[side as usize].calls.len()).map_err(|e| e.to_string())?;
        let scalar = dtype.scalar();
        let buffer = u32::try_from(number).map_err(|e| e.to_string())?;
        let node = Node::Load { buffer, version, calls, name: scalar.to_string().into(), index };
        Ok(self.terms.load(node, sort_of(scalar), bounds_of(scalar)))
    }

    fn call(&mut self, side: Side, dtype: DType, call: &Call) -> Result<Term, Refused> {
        let name = match &call.callee {
            Callee::Intrin(name) => &**name,
            Callee::Global(name) => return self.effect(side, dtype, &format!("function {name}"), call),
        };
        match (name, &call.args[..]) {
            ("if_then_else", [cond, then, otherwise]) => {
                let cond = self.value(side, cond)?;
                self.truth_value(cond)?;
                let mut arms = Vec::new();
                for (arm, holds) in [(then, true), (otherwise, false)] {
                    let guard = if holds { cond } else { self.terms.not(cond) };
                    let place = self.book.place();
                    self.book.know(&self.terms, guard);
                    let value = self.value(side, arm);
                    self.book.back(&place);
                    arms.push(value?);
                }
                return Ok(self.terms.choice(cond, arms[0], arms[1]));
            }
            ("likely" | "ignore_loop_partition" | FENCE, [a]) => return self.value(side, a),
            ("address_of", [Expr { kind: ExprKind::Load { buffer, indices }, .. }]) => {
                let index = indices.iter().map(|i| self.value(side, i)).collect::<Result<Vec<_>, _>>()?;
                let number = self.memories.number(side, *buffer)?;
                return Ok(self.terms.apply(&format!("address {number}"), Sort::Other, index));
            }
            ("undef", _) => return Err("a value that may be anything".into()),
            _ => {}
        }
        if intrin::effect(name) != Effect::Pure {
            return self.effect(side, dtype, name, call);
        }
        // Functions of scalars are applied lane by lane.
        let function = MathFn::from_name(name);
        let by_lane = function.is_some();
        // What is exact has one value of a constant, wherever it is computed.
        if let (Some(f), [Expr { kind: ExprKind::Float(bits), dtype: of }]) = (function, &call.args[..])
            && f.is_exact()
            && let Ok(Value::Float(float)) = f.eval(of.scalar(), &[Value::Float(f64::from_bits(*bits))])
            && dtype == *of
        {
            return Ok(self.float(dtype, float.to_bits()));
        }
        let (form, args) = self.arguments(side, call, by_lane)?;
        let args = self.by_lane(dtype, args);
        let shift = match (name, &args[..]) {
            ("shift_right" | "shift_left", &[a, n]) if dtype.is_integral() => {
                self.terms.as_int(n).map(|n| (a, n))
            }
            _ => None,
        };
        if let Some((a, n)) = shift.filter(|&(_, n)| (0..i128::from(dtype.bits)).contains(&n)) {
            let power = self.terms.int(1 << n);
            return Ok(if name == "shift_right" {
                self.terms.quotient(a, power)
            } else {
                let product = self.terms.mul(a, power);
                self.terms.wrap(dtype.bits, dtype.is_int(), product)
            });
        }
        let name_with_types = format!("{name} {form} {}", if by_lane { dtype.scalar() } else { dtype });
        let operand = call.args.first().map_or(dtype, |arg| arg.dtype);
        let bounds = match function {
            Some(MathFn::Clz) => leading_zeros(operand.bits, self.terms.bounds(args[0])),
            _ => bounds_of(dtype),
        };
        let value = match sort_of(dtype) {
            Sort::Int => self.terms.apply_within(&name_with_types, bounds, args.clone()),
            sort => self.terms.apply(&name_with_types, sort, args.clone()),
        };
        if intrin::lookup(name).is_none_or(|row| row.may_trap) {
            let safe = self.is_defined(function, operand, call, &args);
            self.risk(side, "a call that may trap is one of the input", safe, Risk::Other(value));
        }
        Ok(value)
    }

    /// Whether a call cannot trap: a shift is by less than the width, and what leading zeros are counted of is not 0.
    fn is_defined(&mut self, function: Option<MathFn>, operand: DType, call: &Call, args: &[Term]) -> Term {
        match (function, args) {
            (Some(MathFn::ShiftLeft | MathFn::ShiftRight), &[_, n]) => {
                let width = self.terms.int(i128::from(operand.bits));
                let (low, high) = (self.terms.not_negative(n), self.terms.less(n, width));
                self.terms.and(&[low, high])
            }
            // Twice an integer less 1 is odd, however much of it the type holds.
            (Some(MathFn::Clz), _) if is_odd(&call.args[0]) => self.terms.truth(true),
            (Some(MathFn::Clz), &[a]) => {
                let zero = self.terms.is_zero(a);
                self.terms.not(zero)
            }
            _ => self.terms.truth(false),
        }
    }

    /// Parts of a vector that depend on the number of the lane, at least by that number itself.
    pub(super) fn by_lane(&mut self, dtype: DType, mut parts: Vec<Term>) -> Vec<Term> {
        if !dtype.is_scalar() && !parts.iter().any(|&part| self.terms.has_lanes(part)) {
            parts.push(self.terms.lane(dtype.lanes));
        }
        parts
    }

    /// The arguments of a call, and its name with all that is no argument. Vectors go as a whole, but where lanes do not mix.
    fn arguments(&mut self, side: Side, call: &Call, by_lane: bool) -> Result<(String, Vec<Term>), Refused> {
        let mut args = Vec::new();
        for arg in &call.args {
            let value = self.value(side, arg)?;
            args.push(match arg.dtype.is_scalar() || by_lane {
                true => value,
                false => self.terms.whole(arg.dtype.lanes, value),
            });
        }
        let of = |dtype: DType| if by_lane { dtype.scalar() } else { dtype };
        let types: Vec<String> = call.args.iter().map(|arg| of(arg.dtype).to_string()).collect();
        if contains_expression(&call.kwargs) {
            return Err("an expression among the named arguments of a call".into());
        }
        Ok((format!("{} {:?}", types.join(" "), call.kwargs), args))
    }

    /// A call that is not pure: another value each time, and the same calls in the same order in both programs.
    fn effect(&mut self, side: Side, dtype: DType, name: &str, call: &Call) -> Result<Term, Refused> {
        if self.quiet {
            return Err("a call with an effect in a description".into());
        }
        let (form, mut args) = self.arguments(side, call, false)?;
        // Where in the expression it is: conditions of arms, left operands.
        let place = self.book.place();
        args.extend(place.guards.iter().chain(&place.lazy));
        let program = self.program(side);
        program.calls.push((format!("{name} {form} {dtype}"), args));
        let number = program.calls.len();
        self.book.epochs[side as usize] += 1;
        let result = format!("result of call {number} {dtype}");
        let parts = self.by_lane(dtype, Vec::new());
        Ok(match sort_of(dtype) {
            Sort::Int => self.terms.apply_within(&result, bounds_of(dtype), parts),
            sort => self.terms.apply(&result, sort, parts),
        })
    }
}

/// How many leading zeros an integer of so many bits within these bounds has, if it is not 0.
fn leading_zeros(bits: u8, of: Bounds) -> Bounds {
    let needed = |value: i128| i128::from(i128::BITS - value.max(1).leading_zeros());
    let fewest = of.lo.map_or(1, needed);
    let is_negative = of.lo.is_none_or(|lo| lo < 0);
    let most = of.hi.filter(|_| !is_negative).map_or(i128::from(bits), needed);
    let bits = i128::from(bits);
    Bounds { lo: Some((bits - most).max(0)), hi: Some(bits - fewest) }
}

/// Whether an integer is written as `2 * a - 1`.
fn is_odd(e: &Expr) -> bool {
    let ExprKind::Binary(BinOp::Sub, twice, one) = &e.kind else { return false };
    let ExprKind::Binary(BinOp::Mul, _, two) = &twice.kind else { return false };
    e.dtype.is_integral() && one.as_int() == Some(1) && two.as_int() == Some(2)
}

/// Whether attributes have expressions in them, whose variables mean something in one function only.
pub(crate) fn contains_expression(attrs: &[(std::sync::Arc<str>, crate::ir::AttrValue)]) -> bool {
    use crate::ir::AttrValue;
    fn within(value: &AttrValue) -> bool {
        match value {
            AttrValue::Expr(e) => e.as_int().is_none(),
            AttrValue::List(items) => items.iter().any(within),
            AttrValue::Dict(entries) => contains_expression(entries),
            AttrValue::Call(_, args, kwargs) => args.iter().any(within) || contains_expression(kwargs),
            AttrValue::None
            | AttrValue::Bool(_)
            | AttrValue::Int(_)
            | AttrValue::Float(_)
            | AttrValue::Str(_)
            | AttrValue::Type(_) => false,
        }
    }
    attrs.iter().any(|(_, value)| within(value))
}
