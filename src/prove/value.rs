//! From expressions to terms. On the way the first program's evaluation gives premises, the second one's duties: what it
//! divides by is not zero, what it loads is there.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::buffers::Buffers;
use super::integers::Integers;
use super::place::{Book, Goal, Premise};
use super::range::Range;
pub(super) use super::side::{Side, Unsupported};
use super::term::{Node, Sort, Term, Terms};
use crate::ir::intrin::{self, Effect, FENCE, VOLATILE_LOAD};
use crate::ir::value::MathFn;
use crate::ir::{BinOp, BufferId, Call, Callee, DType, Expr, ExprKind, PrimFunc, VarId};

/// A function with what its variables are worth.
pub(super) struct Program<'a> {
    pub(super) func: &'a PrimFunc,
    pub(super) vars: HashMap<VarId, Term>,
    /// First indices of the regions that buffers of blocks stand for.
    pub(super) regions: HashMap<BufferId, Vec<Term>>,
    /// Calls with an effect so far: what each is, and its arguments with the conditions under which it runs.
    pub(super) calls: Vec<(String, Vec<Term>)>,
}

/// Both programs on their way, with the memories that they share.
pub(super) struct Machine<'a> {
    pub(super) terms: Terms,
    pub(super) book: Book,
    pub(super) programs: [Program<'a>; 2],
    pub(super) buffers: Buffers,
    /// Contents of each memory; the same for both where they have come to the same statement.
    pub(super) memories: Vec<Term>,
    /// The memories that others may change at any time, and of which they see each store.
    pub(super) volatile: BTreeSet<usize>,
    /// Shapes and other descriptions are not evaluated.
    pub(super) quiet: bool,
    /// Whether integers of `int32` and `int64` have to fit.
    pub(super) integers: Integers,
}

impl<'a> Machine<'a> {
    /// Evaluates what is only described: nothing is owed.
    pub(super) fn quietly<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let quiet = std::mem::replace(&mut self.quiet, true);
        let result = f(self);
        self.quiet = quiet;
        result
    }

    pub(super) fn program(&mut self, side: Side) -> &mut Program<'a> {
        &mut self.programs[side as usize]
    }

    /// Whether evaluation may trap: a premise of one program, a duty of the other.
    fn sound(&mut self, side: Side, what: &'static str, condition: Term) {
        if self.quiet || self.terms.as_truth(condition) == Some(true) {
            return;
        }
        match side {
            Side::First => self.book.know(Premise::Holds(condition)),
            Side::Second => self.book.owe_that(what, condition),
        }
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, side: Side, e: &Expr) -> Result<Term, Unsupported> {
        Ok(match &e.kind {
            ExprKind::Int(value) if e.dtype.is_bool() => self.terms.truth(*value != 0),
            ExprKind::Int(value) => {
                let negative = e.dtype.is_uint() && *value < 0;
                self.terms.int(i128::from(*value) + if negative { 1 << 64 } else { 0 })
            }
            ExprKind::Float(bits) => self.terms.float(*bits, e.dtype),
            ExprKind::Str(text) => self.terms.apply(&format!("text {text}"), e.dtype, Vec::new()),
            ExprKind::Var(var) => self.variable(side, *var)?,
            ExprKind::Binary(op, a, b) if op.is_logic() => self.logic(side, *op, a, b)?,
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.value(side, a)?, self.value(side, b)?);
                self.binary(side, *op, a.dtype, x, y)
            }
            ExprKind::Not(a) => {
                let a = self.value(side, a)?;
                self.terms.not(a)
            }
            ExprKind::Cast(a) => {
                let value = self.value(side, a)?;
                let value = self.cast(e.dtype, a.dtype, value);
                self.reciprocal(side, e, value)
            }
            ExprKind::Select(select) => {
                let cond = self.value(side, &select.cond)?;
                let (then, otherwise) =
                    (self.value(side, &select.then)?, self.value(side, &select.otherwise)?);
                self.terms.choice(cond, then, otherwise)
            }
            ExprKind::Load { buffer, indices } => self.load(side, e.dtype, *buffer, indices)?,
            ExprKind::Ramp(base, stride) => {
                let (base, stride) = (self.value(side, base)?, self.value(side, stride)?);
                let lane = self.terms.lane(e.dtype.lanes);
                let offset = self.terms.mul(lane, stride);
                let sum = self.terms.add(base, offset);
                self.fitted(side, e.dtype, sum)
            }
            ExprKind::Broadcast(a) => self.value(side, a)?,
            ExprKind::Shuffle(shuffle) => self.shuffle(side, shuffle)?,
            ExprKind::Let(var, value, body) => {
                let value = self.value(side, value)?;
                self.program(side).vars.insert(*var, value);
                self.value(side, body)?
            }
            ExprKind::Call(call) => {
                let value = self.call(side, e.dtype, call)?;
                self.reciprocal(side, e, value)
            }
            ExprKind::BufferData(buffer) => {
                let root = self.buffers.root(side, *buffer)?;
                self.terms.apply(&format!("data {root}"), e.dtype, Vec::new())
            }
            ExprKind::BufferRef(buffer) => {
                let root = self.buffers.root(side, *buffer)?;
                self.terms.apply(&format!("buffer {root}"), e.dtype, Vec::new())
            }
            ExprKind::Region(buffer, ranges) => {
                let root = self.buffers.root(side, *buffer)?;
                let mut parts = Vec::new();
                for (min, extent) in ranges {
                    parts.push(self.value(side, min)?);
                    if let Some(extent) = extent {
                        parts.push(self.value(side, extent)?);
                    }
                }
                self.terms.apply(&format!("region {root}"), e.dtype, parts)
            }
            ExprKind::Tuple(items) => {
                let items = items.iter().map(|item| self.value(side, item)).collect::<Result<_, _>>()?;
                self.terms.apply("tuple", e.dtype, items)
            }
        })
    }

    fn variable(&mut self, side: Side, var: VarId) -> Result<Term, Unsupported> {
        if let Some(&term) = self.program(side).vars.get(&var) {
            return Ok(term);
        }
        let name = &self.programs[side as usize].func.var(var).name;
        Err(format!("variable `{name}` has no value"))
    }

    /// `and` and `or`, whose right operands are evaluated by one reading only where the left ones do not decide.
    fn logic(&mut self, side: Side, op: BinOp, a: &Expr, b: &Expr) -> Result<Term, Unsupported> {
        let x = self.value(side, a)?;
        let goes_on = if op == BinOp::And { x } else { self.terms.not(x) };
        self.book.here.lazy.push(goes_on);
        let y = self.value(side, b);
        self.book.here.lazy.pop();
        let y = y?;
        Ok(if op == BinOp::And { self.terms.and(&[x, y]) } else { self.terms.or(&[x, y]) })
    }

    /// What the type makes of an integer: types that wrap keep so many bits, others hold it by the rule of overflow.
    fn fitted(&mut self, side: Side, dtype: DType, value: Term) -> Term {
        if dtype.is_integral() && !dtype.is_index() {
            return self.terms.wrap(dtype.bits, dtype.is_int(), value);
        }
        self.fits(side, dtype, value);
        value
    }

    /// The ends of a type whose integers have to fit.
    fn bounds(&self, dtype: DType) -> Option<(i128, i128)> {
        dtype.int_range().filter(|_| self.integers == Integers::Bounded && dtype.is_index())
    }

    /// An integer is one of its type, where that counts.
    pub(super) fn fits(&mut self, side: Side, dtype: DType, value: Term) {
        if let Some((least, greatest)) = self.bounds(dtype) {
            let [least, greatest] = [least, greatest].map(|end| self.terms.int(end));
            let ends = [self.terms.at_most(least, value), self.terms.at_most(value, greatest)];
            let fits = self.terms.and(&ends);
            self.sound(side, "an integer fits its type", fits);
        }
    }

    /// A quotient is an integer of its type, unless the least one is divided by -1, which is an overflow of the remainder
    /// as well.
    fn quotient_fits(&mut self, side: Side, dtype: DType, dividend: Term, divisor: Term) {
        if let Some((least, _)) = self.bounds(dtype) {
            let (least, minus_one) = (self.terms.int(least), self.terms.int(-1));
            let (is_least, is_minus_one) =
                (self.terms.equal(dividend, least), self.terms.equal(divisor, minus_one));
            let overflows = self.terms.and(&[is_least, is_minus_one]);
            let fits = self.terms.not(overflows);
            self.sound(side, "a quotient fits its type", fits);
        }
    }

    /// An integer of the first program is not above those of its type: a program in which it is means nothing.
    fn is_not_too_large(&mut self, side: Side, dtype: DType, value: Term) {
        if let (Side::First, Some((_, most))) = (side, dtype.int_range().filter(|_| dtype.is_index())) {
            let most = self.terms.int(most);
            let fits = self.terms.at_most(value, most);
            self.sound(side, "an integer fits its type", fits);
        }
    }

    fn binary(&mut self, side: Side, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        match Sort::of(dtype) {
            Sort::Int => self.integer(side, op, dtype, a, b),
            Sort::Truth => match op {
                BinOp::Eq => self.terms.equal(a, b),
                BinOp::Ne => {
                    let equal = self.terms.equal(a, b);
                    self.terms.not(equal)
                }
                _ => self.terms.apply(op.name(), op_type(op, dtype), vec![a, b]),
            },
            Sort::Other => self.terms.opaque_binary(op, dtype, a, b),
        }
    }

    fn integer(&mut self, side: Side, op: BinOp, dtype: DType, a: Term, b: Term) -> Term {
        if op.is_division() {
            let zero = self.terms.is_zero(b);
            let nonzero = self.terms.not(zero);
            self.sound(side, "a divisor is not zero", nonzero);
            self.quotient_fits(side, dtype, a, b);
            self.is_not_too_large(side, dtype, b);
        }
        let value = match op {
            BinOp::Add => self.terms.add(a, b),
            BinOp::Sub => self.terms.sub(a, b),
            BinOp::Mul => {
                let product = self.terms.mul(a, b);
                // Products of sizes.
                if self.book.here.loops.is_empty() {
                    self.is_not_too_large(side, dtype, product);
                }
                product
            }
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
            // Nothing is known of it but that equal operands give an equal value.
            _ => return self.terms.apply(op.name(), dtype, vec![a, b]),
        };
        if op.is_division() && dtype.is_index() { value } else { self.fitted(side, dtype, value) }
    }

    fn cast(&mut self, to: DType, from: DType, value: Term) -> Term {
        match (Sort::of(from), Sort::of(to)) {
            _ if from.scalar() == to.scalar() => value,
            (Sort::Int, Sort::Int) => {
                let fits =
                    from.int_range().zip(to.int_range()).is_some_and(|((a, b), (c, d))| c <= a && b <= d);
                if fits { value } else { self.terms.wrap(to.bits, to.is_int(), value) }
            }
            (Sort::Truth, Sort::Int) => {
                let (one, zero) = (self.terms.int(1), self.terms.int(0));
                self.terms.choice(value, one, zero)
            }
            (Sort::Int, Sort::Truth) => {
                let zero = self.terms.is_zero(value);
                self.terms.not(zero)
            }
            _ => self.terms.float_cast(to, from, value),
        }
    }

    /// The place of an element.
    pub(super) fn index(
        &mut self,
        side: Side,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<(usize, Vec<Term>), Unsupported> {
        let index = indices.iter().map(|i| self.value(side, i)).collect::<Result<Vec<_>, _>>()?;
        let root = self.buffers.root(side, buffer)?;
        Ok((root, self.place_in_memory(side, buffer, index)?))
    }

    /// The place of an element that is loaded, which is there.
    fn loaded(
        &mut self,
        side: Side,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<(usize, Vec<Term>), Unsupported> {
        let index = indices.iter().map(|i| self.value(side, i)).collect::<Result<Vec<_>, _>>()?;
        let root = self.buffers.root(side, buffer)?;
        let place = self.place_in_memory(side, buffer, index.clone())?;
        if !self.quiet {
            self.accessed(side, buffer, &index, &place, true)?;
        }
        Ok((root, place))
    }

    fn load(
        &mut self,
        side: Side,
        dtype: DType,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<Term, Unsupported> {
        let (root, place) = self.loaded(side, buffer, indices)?;
        let memory = self.memory(root);
        Ok(self.terms.load(memory, dtype, &place))
    }

    /// What a memory is where control is.
    pub(super) fn memory(&mut self, root: usize) -> Term {
        self.terms.memory_under(self.memories[root], &self.book.here.guards)
    }

    fn shuffle(&mut self, side: Side, shuffle: &crate::ir::Shuffle) -> Result<Term, Unsupported> {
        let mut lanes = Vec::new();
        for vector in &shuffle.vectors {
            let value = self.value(side, vector)?;
            let of = self.terms.lane(vector.dtype.lanes);
            for k in 0..vector.dtype.lanes {
                let k = self.terms.int(i128::from(k));
                lanes.push(self.terms.replace(value, of, k));
            }
        }
        let mut picked = Vec::new();
        for index in &shuffle.indices {
            let k = index.as_int().and_then(|k| usize::try_from(k).ok());
            let lane = k.and_then(|k| lanes.get(k)).ok_or("a shuffle by an index that is no constant")?;
            picked.push(*lane);
        }
        let lane = u16::try_from(picked.len()).map(|n| self.terms.lane(n)).map_err(|e| e.to_string())?;
        let mut value = picked.pop().ok_or("a shuffle of nothing")?;
        for (k, &other) in picked.iter().enumerate().rev() {
            let k = self.terms.int(k as i128);
            let here = self.terms.equal(lane, k);
            value = self.terms.choice(here, other, value);
        }
        Ok(value)
    }

    fn call(&mut self, side: Side, dtype: DType, call: &Call) -> Result<Term, Unsupported> {
        let name = match &call.callee {
            Callee::Intrin(name) => &**name,
            Callee::Global(name) => return self.effect(side, dtype, &format!("function {name}"), call),
        };
        let function = MathFn::from_name(name);
        match (name, &call.args[..]) {
            ("if_then_else", [cond, then, otherwise]) => {
                let cond = self.value(side, cond)?;
                let mut arms = Vec::new();
                for (arm, holds) in [(then, true), (otherwise, false)] {
                    let guard = if holds { cond } else { self.terms.not(cond) };
                    self.book.here.guards.push(guard);
                    let value = self.value(side, arm);
                    self.book.here.guards.pop();
                    arms.push(value?);
                }
                return Ok(self.terms.choice(cond, arms[0], arms[1]));
            }
            ("likely" | "ignore_loop_partition" | FENCE, [a]) => return self.value(side, a),
            (VOLATILE_LOAD, [Expr { kind: ExprKind::Load { buffer, indices }, .. }]) => {
                return self.volatile_load(side, dtype, *buffer, indices);
            }
            ("address_of", [Expr { kind: ExprKind::Load { buffer, indices }, .. }]) => {
                let (root, index) = self.index(side, *buffer, indices)?;
                return Ok(self.terms.apply(&format!("address {root}"), dtype, index));
            }
            _ => {}
        }
        if intrin::effect(name) != Effect::Pure {
            return self.effect(side, dtype, name, call);
        }
        let mut args = Vec::new();
        for arg in &call.args {
            args.push(self.value(side, arg)?);
        }
        if let (Some(function), Some(first)) = (function, call.args.first())
            && first.dtype.is_integral()
            && let Some(value) = self.integer_function(side, function, first.dtype, &args)
        {
            return Ok(value);
        }
        if matches!(function, Some(MathFn::BitAnd | MathFn::BitOr | MathFn::BitXor)) {
            args.sort_unstable();
        }
        if let (Some(function), Some(first)) = (function, call.args.first())
            && let Some(value) = self.terms.folded_call(function, first.dtype, dtype, &args)
        {
            return Ok(value);
        }
        let vectors = call.args.iter().any(|arg| !arg.dtype.is_scalar());
        let types: Vec<String> = call.args.iter().map(|arg| arg.dtype.scalar().to_string()).collect();
        let name_with_types = format!("{name} {} {:?}", types.join(" "), call.kwargs);
        let value = if vectors && function.is_none() {
            let whole = self.terms.intern(Node::Whole(name_with_types.into(), dtype.scalar(), args));
            match dtype.lanes {
                1 => whole,
                lanes => {
                    let lane = self.terms.lane(lanes);
                    self.terms.apply("lane", dtype, vec![whole, lane])
                }
            }
        } else {
            self.terms.apply(&name_with_types, dtype, args)
        };
        if intrin::lookup(name).is_none_or(|row| row.may_trap) && !self.quiet {
            match side {
                Side::First => self.book.know(Premise::Evaluates(value)),
                Side::Second => {
                    self.book.owe("a call that may trap is one of the input", Goal::Evaluates(value))
                }
            }
        }
        Ok(value)
    }

    fn integer_function(
        &mut self,
        side: Side,
        function: MathFn,
        dtype: DType,
        args: &[Term],
    ) -> Option<Term> {
        let (bits, signed) = (dtype.bits, dtype.is_int());
        if let Some(value) = self.terms.folded_integers(function, dtype, args) {
            return Some(value);
        }
        match (function, args) {
            (MathFn::ShiftLeft | MathFn::ShiftRight, &[a, n]) => {
                let width = self.terms.int(i128::from(bits));
                let (low, high) = (self.terms.not_negative(n), self.terms.less(n, width));
                let defined = self.terms.and(&[low, high]);
                self.sound(side, "a shift is by less than the width", defined);
                let Some(n) = self.terms.as_int(n).filter(|n| (0..i128::from(bits)).contains(n)) else {
                    return Some(self.terms.apply(&format!("{function:?} {dtype}"), dtype, vec![a, n]));
                };
                if n == 0 {
                    return Some(a);
                }
                let power = self.terms.int(1 << n);
                Some(if function == MathFn::ShiftRight {
                    self.terms.quotient(a, power)
                } else {
                    let product = self.terms.mul(a, power);
                    self.terms.wrap(bits, signed, product)
                })
            }
            (MathFn::BitAnd | MathFn::BitOr | MathFn::BitXor, &[a, b]) => {
                self.terms.bits(function, dtype, a, b)
            }
            (MathFn::BitNot, &[a]) => {
                let minus_one = self.terms.int(-1);
                let value = self.terms.sub(minus_one, a);
                Some(self.terms.wrap(bits, signed, value))
            }
            (MathFn::Clz, &[a]) => {
                let zero = self.terms.is_zero(a);
                let nonzero = self.terms.not(zero);
                self.sound(side, "an operand of `clz` is not 0", nonzero);
                let value = self.terms.apply(&format!("clz {dtype}"), DType::I32, vec![a]);
                // Numbers that are not negative have as many bits as their bounds say.
                let bits_of = |value: i128| i128::from(i128::BITS - value.leading_zeros());
                let (operand, bits) = (self.terms.bounds(a), i128::from(bits));
                let fewest = operand.lo.map_or(1, |lo| bits_of(lo.max(1)));
                let most = operand.hi.filter(|_| operand.not_negative()).map_or(bits, bits_of);
                self.terms.restrict(value, Range::new(Some(bits - most), Some(bits - fewest)));
                Some(value)
            }
            (MathFn::Abs, &[a]) => {
                let (zero, positive) = (self.terms.int(0), self.terms.not_negative(a));
                let negated = self.terms.sub(zero, a);
                let value = self.terms.choice(positive, a, negated);
                Some(self.fitted(side, dtype, value))
            }
            _ => None,
        }
    }

    /// A call that is not pure: another value each time, and the same calls in the same order in both programs.
    fn effect(&mut self, side: Side, dtype: DType, name: &str, call: &Call) -> Result<Term, Unsupported> {
        if self.quiet {
            return Err("a call with an effect in what only one program has".into());
        }
        let mut args = Vec::new();
        for arg in &call.args {
            let value = self.value(side, arg)?;
            args.push(if arg.dtype.is_scalar() { value } else { self.whole(arg.dtype, value) });
        }
        let types: Vec<String> = call.args.iter().map(|arg| arg.dtype.to_string()).collect();
        let call = format!("{name} {} {:?} {dtype}", types.join(" "), call.kwargs);
        let result = self.called(side, dtype, call, args);
        // Control may not come back.
        self.book.jumped |= side == Side::First;
        Ok(result)
    }

    /// A vector as one value, of which nothing is known but what its lanes are.
    fn whole(&mut self, dtype: DType, lanes: Term) -> Term {
        self.terms.intern(Node::Whole("vector".into(), dtype.scalar(), vec![lanes]))
    }

    /// A load of memory that others may change: another value each time.
    fn volatile_load(
        &mut self,
        side: Side,
        dtype: DType,
        buffer: BufferId,
        indices: &[Expr],
    ) -> Result<Term, Unsupported> {
        if self.quiet {
            return Err("a load of volatile memory in what only one program has".into());
        }
        let (root, mut place) = self.loaded(side, buffer, indices)?;
        if !dtype.is_scalar() {
            place = place.into_iter().map(|place| self.whole(DType::I64, place)).collect();
        }
        Ok(self.called(side, dtype, format!("{VOLATILE_LOAD} of {root} {dtype}"), place))
    }

    /// The result of a call with an effect.
    fn called(&mut self, side: Side, dtype: DType, call: String, mut args: Vec<Term>) -> Term {
        let guard = self.terms.and(&self.book.here.guards);
        if self.terms.as_truth(guard) == Some(false) {
            return self.terms.apply("result of no call", dtype, Vec::new());
        }
        args.push(guard);
        let program = self.program(side);
        program.calls.push((call, args));
        let result = format!("result of call {}", program.calls.len());
        if dtype.is_scalar() {
            return self.terms.apply(&result, dtype, Vec::new());
        }
        let whole = self.terms.intern(Node::Whole(result.into(), dtype.scalar(), Vec::new()));
        let lane = self.terms.lane(dtype.lanes);
        self.terms.apply("lane", dtype, vec![whole, lane])
    }

    /// The greatest value that is known of an extent.
    pub(super) fn last_below(&self, min: Term, extent: Term) -> Range {
        let (first, count) = (self.terms.range(min), self.terms.range(extent));
        let hi = first.hi.zip(count.hi).and_then(|(a, b)| a.checked_add(b)?.checked_sub(1));
        Range::new(first.lo, hi)
    }
}

pub(super) fn op_type(op: BinOp, operands: DType) -> DType {
    if op.is_compare() { DType::BOOL } else { operands.scalar() }
}
