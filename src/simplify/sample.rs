//! Values of expressions at sample points: what a point refutes needs no search for a proof.
//!
//! A point gives every variable a value in its range, also one of symbolic ends. Only the points at which all known facts
//! hold are used. As in the e-graph, division by zero gives 0 and a remainder by zero its dividend; a load gives some fixed
//! value of its buffer and indices, which may be what the memory holds; floats are computed with as `f64`, of which
//! variables have small ones, and a call of floats gives some fixed value for its arguments. What has no value here (other
//! calls, overflow) leaves a point out. The answers only ever refute.

use std::cell::RefCell;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::lanes::{LANES, Lanes, Points};
use crate::analysis::known::Known;
use crate::arith::Interval;
use crate::arith::points::{mix, value_at};
use crate::ir::value::{Value, float, int};
use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

/// The values of variables without a known value, which depend on range and type.
type Free = HashMap<VarId, (Interval, DType, Rc<Lanes>)>;

/// The points of a function, and what was evaluated at them.
#[derive(Debug, Default)]
pub(super) struct Sampler {
    free: RefCell<Free>,
    bound: RefCell<HashMap<VarId, Rc<Lanes>>>,
    /// Where facts hold, and where they do not.
    facts: RefCell<HashMap<Expr, [Points; 2]>>,
    /// Values of what is asked for often, or takes long.
    values: RefCell<HashMap<Expr, Rc<Lanes>>>,
}

impl Sampler {
    /// Forgets the values of expressions: variables have other ranges from now on.
    pub(super) fn forget_values(&self) {
        self.values.borrow_mut().clear();
    }
}

/// The points at which what is known holds.
pub(super) struct Samples<'a> {
    sampler: &'a Sampler,
    known: &'a Known,
    points: Points,
}

impl<'a> Samples<'a> {
    /// The points at which the first `facts` facts hold.
    pub(super) fn new(sampler: &'a Sampler, known: &'a Known, facts: usize) -> Samples<'a> {
        let mut samples = Samples { sampler, known, points: Points::ALL };
        for (fact, truth) in &known.facts[..facts] {
            let holds = samples.where_fact(fact)[usize::from(*truth)];
            samples.points = samples.points.and(holds);
        }
        samples
    }

    /// Where a fact does not hold, and where it does.
    fn where_fact(&self, fact: &Expr) -> [Points; 2] {
        if let Some(&points) = self.sampler.facts.borrow().get(fact) {
            return points;
        }
        let lanes = self.lanes(fact);
        let points = [false, true].map(|truth| lanes.where_true(truth));
        self.sampler.facts.borrow_mut().insert(fact.clone(), points);
        points
    }

    /// Takes note that a variable runs from `min` through `extent` values, which are not all constant. At each point it
    /// gets a value among them, if there is one: else few points were left inside of loops over symbolic sizes.
    pub(super) fn iterate(&self, var: VarId, dtype: DType, min: &Expr, extent: &Expr) {
        let range = self.range(var);
        let (first, count) = (self.lanes(min), self.lanes(extent));
        let lanes = Lanes::fill(|lane| {
            let at = |range, signed| value_at(range, signed, u64::from(var.0), lane as u64);
            let steps = count.get(lane).and_then(|count| Interval::new(0, count.checked_sub(1)?));
            let inside =
                steps.zip(first.get(lane)).and_then(|(steps, first)| first.checked_add(at(steps, true)));
            Some(inside.unwrap_or_else(|| at(range, !dtype.is_uint())))
        });
        if self.sampler.free.borrow_mut().insert(var, (range, dtype, lanes)).is_some() {
            self.sampler.forget_values();
            self.sampler.facts.borrow_mut().clear();
        }
    }

    fn range(&self, var: VarId) -> Interval {
        self.known.ranges.get(var.index()).copied().unwrap_or(Interval::ALL)
    }

    /// The points.
    pub(super) const fn points(&self) -> Points {
        self.points
    }

    /// Whether `cond` has another truth value than `truth` at some point.
    pub(super) fn refute(&self, cond: &Expr, truth: bool) -> bool {
        self.lanes(cond).where_true(!truth).and(self.points).any()
    }

    /// Whether `cond` is true at one point and false at another.
    pub(super) fn varies(&self, cond: &Expr) -> bool {
        let lanes = self.lanes(cond);
        [true, false].iter().all(|&truth| lanes.where_true(truth).and(self.points).any())
    }

    /// Whether `cond` is true at some point, which is one of the integers that a proof is about: variables of narrow types
    /// may have values here that do not fit.
    pub(super) fn satisfy(&self, cond: &Expr) -> bool {
        let facts = self.known.facts.iter().map(|(fact, _)| fact);
        self.lanes(cond).where_true(true).and(self.points).any()
            && self.are_wide(facts.chain([cond]).collect())
    }

    /// Whether the expressions, and the values of their variables, have variables of index types and truth values only.
    fn are_wide<'e>(&'e self, mut open: Vec<&'e Expr>) -> bool {
        let mut seen = HashSet::new();
        let mut wide = true;
        while let (true, Some(e)) = (wide, open.pop()) {
            e.walk(&mut |e| {
                if let ExprKind::Var(var) = e.kind
                    && seen.insert(var)
                {
                    wide &= e.dtype.is_index() || e.dtype.is_bool();
                    open.extend(self.known.values.get(&var));
                }
            });
        }
        wide
    }

    /// Whether the values of two expressions differ at some point.
    pub(super) fn differ(&self, a: &Expr, b: &Expr) -> bool {
        self.lanes(a).where_different(&self.lanes(b)).and(self.points).any()
    }

    /// The values at all points, also those at which not all facts hold. Floats are given by their bits.
    pub(super) fn lanes(&self, e: &Expr) -> Rc<Lanes> {
        if !e.dtype.is_scalar() {
            return Lanes::none();
        }
        self.remembered(e, || {
            let mut operands: SmallVec<[Rc<Lanes>; 2]> = SmallVec::new();
            e.for_each_child(|child| operands.push(self.lanes(child)));
            self.compute(e, &operands)
        })
    }

    /// The values of an expression whose operands have the given ones.
    pub(super) fn apply(&self, e: &Expr, operands: &[Rc<Lanes>]) -> Rc<Lanes> {
        if e.dtype.is_scalar() { self.remembered(e, || self.compute(e, operands)) } else { Lanes::none() }
    }

    /// The values of an expression, computed only once if it is a condition, a load or a call.
    fn remembered(&self, e: &Expr, compute: impl FnOnce() -> Rc<Lanes>) -> Rc<Lanes> {
        let keep = match &e.kind {
            ExprKind::Binary(op, ..) => op.is_compare() || op.is_logic(),
            ExprKind::Load { .. } | ExprKind::Call(_) => true,
            _ => false,
        };
        if !keep {
            return compute();
        }
        if let Some(lanes) = self.sampler.values.borrow().get(e) {
            return Rc::clone(lanes);
        }
        let lanes = compute();
        self.sampler.values.borrow_mut().insert(e.clone(), Rc::clone(&lanes));
        lanes
    }

    fn compute(&self, e: &Expr, operands: &[Rc<Lanes>]) -> Rc<Lanes> {
        match (&e.kind, operands) {
            (ExprKind::Int(v), _) => Lanes::splat(*v),
            (ExprKind::Float(bits), _) => Lanes::splat(bits.cast_signed()),
            (ExprKind::Var(v), _) if e.dtype.is_integral() || e.dtype.is_bool() || e.dtype.is_float() => {
                self.variable(*v, e.dtype)
            }
            (ExprKind::Binary(op, a, _), [x, y]) => binary(*op, a.dtype, x, y),
            (ExprKind::Not(_), [x]) => x.zip_total(x, |v, _| i64::from(v == 0)),
            (ExprKind::Cast(from), [x]) => cast(from.dtype, e.dtype, x),
            (ExprKind::Select(..), [cond, a, b]) => Lanes::choose(cond, a, b),
            (ExprKind::Load { buffer, .. }, indices) => Lanes::fill(|lane| {
                let start = mix(u64::from(buffer.0), lane as u64);
                let hash = |hash, i: &Rc<Lanes>| Some(mix(hash, i.get(lane)?.cast_unsigned()));
                Some(unknown(e.dtype, indices.iter().try_fold(start, hash)?))
            }),
            (ExprKind::Call(call), [cond, a, b]) if call.is_lazy_select() => Lanes::choose(cond, a, b),
            (ExprKind::Call(_), args) => match (e.as_intrin(), args) {
                (Some(("likely", _)), [inner]) => Rc::clone(inner),
                (Some((name, _)), args) if e.dtype.is_float() => Lanes::fill(|lane| {
                    let start = name.bytes().fold(lane as u64, |hash, byte| mix(hash, u64::from(byte)));
                    let hash = |hash, a: &Rc<Lanes>| Some(mix(hash, a.get(lane)?.cast_unsigned()));
                    Some(unknown(e.dtype, args.iter().try_fold(start, hash)?))
                }),
                _ => Lanes::none(),
            },
            _ => Lanes::none(),
        }
    }

    fn variable(&self, var: VarId, dtype: DType) -> Rc<Lanes> {
        if let Some(value) = self.known.values.get(&var) {
            if let Some(lanes) = self.sampler.bound.borrow().get(&var) {
                return Rc::clone(lanes);
            }
            let lanes = self.lanes(value);
            self.sampler.bound.borrow_mut().insert(var, Rc::clone(&lanes));
            return lanes;
        }
        let range = self.range(var);
        if let Some((before, of_type, lanes)) = self.sampler.free.borrow().get(&var)
            && (*before, *of_type) == (range, dtype)
        {
            return Rc::clone(lanes);
        }
        let lanes = Lanes::fill(|lane| {
            let (var, point) = (u64::from(var.0), lane as u64);
            Some(if dtype.is_float() {
                unknown(dtype, mix(var + 1, point))
            } else if dtype.is_bool() {
                (mix(var + 1, point) & 1).cast_signed()
            } else {
                value_at(range, !dtype.is_uint(), var, point)
            })
        });
        self.sampler.free.borrow_mut().insert(var, (range, dtype, Rc::clone(&lanes)));
        lanes
    }
}

/// An operation on operands of the given type.
pub(super) fn binary(op: BinOp, dtype: DType, a: &Lanes, b: &Lanes) -> Rc<Lanes> {
    if dtype.is_float() {
        let float = |a: i64, b: i64| {
            let value = float(op, f64::from_bits(a.cast_unsigned()), f64::from_bits(b.cast_unsigned()));
            (value.unwrap_or_default(), value.is_some())
        };
        return a.zip_everywhere(b, float).unwrap_or_else(Lanes::none);
    }
    if let Some(lanes) = index_arithmetic(op, dtype, a, b) {
        return lanes;
    }
    match op {
        // What is behind a guard need not have a value.
        BinOp::And | BinOp::Or => a.or_else(op == BinOp::Or, b),
        _ => a.zip(b, |a, b| int::total(op, dtype, a, b).ok()),
    }
}

/// An operation on index types that has a value at all points, which most have.
fn index_arithmetic(op: BinOp, dtype: DType, a: &Lanes, b: &Lanes) -> Option<Rc<Lanes>> {
    if !dtype.is_index() || !dtype.is_scalar() {
        return None;
    }
    let narrow = dtype.bits == 32;
    let fits = move |v: i64| !narrow || i64::from(v as i32) == v;
    let exact = move |(v, overflows): (i64, bool)| (v, !overflows && fits(v));
    let truth = |holds: bool| (i64::from(holds), true);
    match op {
        BinOp::Add => a.zip_everywhere(b, |a, b| exact(a.overflowing_add(b))),
        BinOp::Sub => a.zip_everywhere(b, |a, b| exact(a.overflowing_sub(b))),
        BinOp::Mul => a.zip_everywhere(b, |a, b| exact(a.overflowing_mul(b))),
        BinOp::FloorDiv => a.zip_everywhere(b, |a, b| {
            let quotient = floor_division(a, b).map(|(quotient, _)| quotient);
            (quotient.unwrap_or_default(), quotient.is_some_and(fits))
        }),
        BinOp::FloorMod => a.zip_everywhere(b, |a, b| {
            let remainder = floor_division(a, b).map(|(_, remainder)| remainder);
            (remainder.unwrap_or_default(), remainder.is_some())
        }),
        BinOp::Min => a.zip_everywhere(b, |a, b| (a.min(b), true)),
        BinOp::Max => a.zip_everywhere(b, |a, b| (a.max(b), true)),
        BinOp::Eq => a.zip_everywhere(b, |a, b| truth(a == b)),
        BinOp::Ne => a.zip_everywhere(b, |a, b| truth(a != b)),
        BinOp::Lt => a.zip_everywhere(b, |a, b| truth(a < b)),
        BinOp::Le => a.zip_everywhere(b, |a, b| truth(a <= b)),
        BinOp::Gt => a.zip_everywhere(b, |a, b| truth(a > b)),
        BinOp::Ge => a.zip_everywhere(b, |a, b| truth(a >= b)),
        // All others take the way that knows them.
        _ => None,
    }
}

/// Floor quotient and remainder of numbers of 32 bits; division by zero gives 0 and the dividend.
fn floor_division(a: i64, b: i64) -> Option<(i64, i64)> {
    let (narrow_a, narrow_b) = (i32::try_from(a).ok()?, i32::try_from(b).ok()?);
    if b == 0 {
        return Some((0, a));
    }
    // Division of 32 bits is several times as fast.
    let (quotient, remainder) = (narrow_a.checked_div(narrow_b)?, narrow_a.wrapping_rem(narrow_b));
    let down = remainder != 0 && (remainder < 0) != (narrow_b < 0);
    let (quotient, remainder) = (i64::from(quotient), i64::from(remainder));
    Some(if down { (quotient - 1, remainder + b) } else { (quotient, remainder) })
}

fn float(op: BinOp, a: f64, b: f64) -> Option<i64> {
    Some(match float::binary(op, DType::float(64), a, b).ok()? {
        Value::Int(truth) => truth,
        Value::Float(v) => v.to_bits().cast_signed(),
    })
}

#[expect(clippy::cast_precision_loss, reason = "the numbers are small, and any would do")]
fn cast(from: DType, to: DType, x: &Rc<Lanes>) -> Rc<Lanes> {
    match (from.is_float(), to.is_float()) {
        (true, true) => Rc::clone(x),
        (true, false) => x.map(|v| Some(unknown(to, v.cast_unsigned()))),
        (false, true) => x.map(|v| Some((v as f64).to_bits().cast_signed())),
        (false, false) => x.map(|v| int::fits(to, v).then_some(v)),
    }
}

/// A small value made of a number.
fn unknown(dtype: DType, hash: u64) -> i64 {
    let small = i32::try_from(hash % 9).unwrap_or(0) - 2;
    match dtype {
        d if d.is_float() => (f64::from(small) / 2.0).to_bits().cast_signed(),
        d if d.is_bool() => i64::from(small & 1),
        d if d.is_uint() => i64::from(small.abs()),
        _ => i64::from(small),
    }
}

const _: () = assert!(LANES.is_multiple_of(4), "every width of ranges occurs equally often");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::facts::Facts;

    fn var(i: u32, dtype: DType) -> Expr {
        Expr::var(VarId(i), dtype)
    }

    #[test]
    fn facts_about_floats_leave_points() {
        let negative = Expr::binary(BinOp::Lt, var(0, DType::F32), Expr::float(0.0, DType::F32));
        let known = Known { facts: Facts::from_iter([(negative.clone(), false)]), ..Known::default() };
        let sampler = Sampler::default();
        let samples = Samples::new(&sampler, &known, 1);
        assert!(samples.points().len() > LANES / 4);
        assert!(samples.refute(&negative, true));
        assert!(!samples.refute(&negative, false));
    }

    #[test]
    fn loops_over_symbolic_sizes_leave_points() {
        let (n, i) = (var(0, DType::I32), var(1, DType::I32));
        let facts = Facts::from_iter([
            (Expr::binary(BinOp::Le, n.clone(), i.clone()), true),
            (Expr::binary(BinOp::Lt, i, n.clone() + n.clone()), true),
        ]);
        let known =
            Known { ranges: vec![Interval::NON_NEGATIVE, Interval::ALL].into(), facts, ..Known::default() };
        let sampler = Sampler::default();
        Samples::new(&sampler, &known, 0).iterate(VarId(1), DType::I32, &n, &n);
        assert!(Samples::new(&sampler, &known, 2).points().len() > LANES / 2);
    }
}
