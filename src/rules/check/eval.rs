//! Evaluates the sides of a rule on given values: the semantics of `ir`, written a second time.
//!
//! All values are `i128`: integers as themselves, truth values as 0 and 1, floats as their bits. Vectors are
//! evaluated at one lane. This shares no code with the optimizer or the interpreter, on purpose.
//!
//! There are two readings of a term, and a rule must respect both ([`Mode`]).

use half::{bf16, f16};

use super::ty::{Instance, Ty};
use crate::ir::value::MathFn;
use crate::ir::{BinOp, Kind};
use crate::rules::ast::{Cond, Pat, Rule, RuleOp};

/// How a term is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As the e-graph reads it: every operator is a total function. A quotient by zero is 0, a remainder by zero its
    /// dividend, a shift or conversion out of range some fixed value. Index types are the integers without bounds;
    /// only where their bits count (conversions, shifts, bit operations) an operand must fit its type.
    Total,
    /// As a machine runs it: division by zero traps, an index type that overflows is undefined.
    Partial,
}

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The evaluation is undefined: it traps, or overflows a type that is taken not to.
    Undefined,
    /// The numbers are larger than this evaluator computes with.
    TooLarge,
    /// A `fold` has no value of its type, so that the rule does not apply.
    NotFolded,
}

/// What the holes and the lane are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Env {
    pub(super) values: Vec<i128>,
    /// Bit `i` is set if evaluating hole `i` traps, under [`Mode::Partial`].
    pub(super) traps: u32,
    pub(super) lane: i128,
    pub(super) lanes: i128,
    /// Whether `!=` is true of what is no number: in the C that TVM writes for GPUs it is, in the LLVM code that it makes not.
    pub(super) nan_differs: bool,
}

/// A pattern at chosen types.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Hole(usize, Ty),
    Const(i128, Ty),
    Op { op: RuleOp, operand: Ty, args: Vec<Term> },
    Cast { from: Ty, to: Ty, arg: Box<Term> },
    Fold(Pat, Ty),
}

/// The pattern at the instance's types; `None` if a constant of it is no value of its type there.
pub(super) fn compile(rule: &Rule, at: &Instance, pat: &Pat) -> Option<Term> {
    typed(rule, at, pat).map(|(term, _)| term)
}

fn typed(rule: &Rule, at: &Instance, pat: &Pat) -> Option<(Term, Ty)> {
    match pat {
        Pat::Hole(hole) => {
            let ty = at.ty(rule.holes[*hole].ty);
            Some((Term::Hole(*hole, ty), ty))
        }
        Pat::Bool(value) => Some((Term::Const(i128::from(*value), Ty::Bool), Ty::Bool)),
        Pat::Int(value, ty) => {
            let ty = at.ty(*ty);
            let value = i128::from(*value);
            let fits = ty.range().is_none_or(|(low, high)| (low..=high).contains(&value));
            fits.then_some((Term::Const(value, ty), ty))
        }
        Pat::Float(bits, ty) => {
            let ty = at.ty(*ty);
            Some((Term::Const(float_bits(ty, f64::from_bits(*bits)), ty), ty))
        }
        Pat::Fold(term, ty) => Some((Term::Fold((**term).clone(), at.ty(*ty)), at.ty(*ty))),
        Pat::Cast(ty, arg) => {
            let (arg, from) = typed(rule, at, arg)?;
            let to = at.ty(*ty);
            Some((Term::Cast { from, to, arg: Box::new(arg) }, to))
        }
        Pat::Op(op, args) => {
            let args = args.iter().map(|arg| typed(rule, at, arg)).collect::<Option<Vec<_>>>()?;
            let operand = args[args.len() - 1].1;
            let ty = match op {
                RuleOp::Bin(bin) if bin.is_compare() => Ty::Bool,
                _ => operand,
            };
            let args = args.into_iter().map(|(arg, _)| arg).collect();
            Some((Term::Op { op: *op, operand, args }, ty))
        }
        // The loader admits `lanes` only in terms.
        Pat::Lanes => None,
    }
}

/// The value of a term.
pub(super) fn eval(term: &Term, env: &Env, mode: Mode) -> Result<i128, Stop> {
    match term {
        Term::Hole(hole, ty) => match mode {
            Mode::Partial if env.traps & (1 << hole) != 0 => Err(Stop::Undefined),
            Mode::Partial => in_range(*ty, env.values[*hole]),
            Mode::Total => Ok(env.values[*hole]),
        },
        Term::Const(value, _) => Ok(*value),
        Term::Cast { from, to, arg } => cast(*from, *to, in_range(*from, eval(arg, env, mode)?)?, mode),
        Term::Fold(pat, ty) => {
            let value = compute(pat, env).ok_or(Stop::NotFolded)?;
            match ty {
                Ty::Wrapping(_) => Ok(ty.wrap(value)),
                Ty::Bool | Ty::Unbounded | Ty::Exact(_) | Ty::Float(_) | Ty::Real => match ty.range() {
                    Some((low, high)) if !(low..=high).contains(&value) => Err(Stop::NotFolded),
                    _ => Ok(value),
                },
            }
        }
        Term::Op { op, operand, args } => apply(*op, *operand, args, env, mode),
    }
}

fn apply(op: RuleOp, operand: Ty, args: &[Term], env: &Env, mode: Mode) -> Result<i128, Stop> {
    let arg = |i: usize| eval(&args[i], env, mode);
    match op {
        RuleOp::Bin(BinOp::And) => {
            if arg(0)? == 0 {
                Ok(0)
            } else {
                arg(1)
            }
        }
        RuleOp::Bin(BinOp::Or) => {
            if arg(0)? != 0 {
                Ok(1)
            } else {
                arg(1)
            }
        }
        RuleOp::Select if mode == Mode::Partial => {
            let (p, a, b) = (arg(0)?, arg(1)?, arg(2)?);
            Ok(if p != 0 { a } else { b })
        }
        RuleOp::IfThenElse | RuleOp::Select => {
            if arg(0)? != 0 {
                arg(1)
            } else {
                arg(2)
            }
        }
        RuleOp::Not => Ok(1 - arg(0)?),
        RuleOp::Likely | RuleOp::Broadcast => arg(0),
        RuleOp::Ramp => {
            let (base, stride) = (arg(0)?, arg(1)?);
            fit(operand, stride.checked_mul(env.lane).and_then(|offset| base.checked_add(offset)), mode)
        }
        RuleOp::Bin(bin) => {
            let (a, b) = (arg(0)?, arg(1)?);
            match operand {
                Ty::Float(_) if bin == BinOp::Ne => {
                    let unordered = [a, b].iter().any(|&bits| to_f64(operand, bits).is_nan());
                    Ok(if unordered { i128::from(env.nan_differs) } else { float_op(bin, operand, a, b) })
                }
                Ty::Float(_) => Ok(float_op(bin, operand, a, b)),
                Ty::Real => finite(bin, float_op(bin, operand, a, b)),
                Ty::Bool | Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_) => int_op(bin, operand, a, b, mode),
            }
        }
        RuleOp::Math(function) => {
            let args = (0..args.len()).map(|i| in_range(operand, arg(i)?)).collect::<Result<Vec<_>, _>>()?;
            math(function, operand, &args, mode)
        }
    }
}

/// A function of integers that fit their type.
fn math(function: MathFn, ty: Ty, args: &[i128], mode: Mode) -> Result<i128, Stop> {
    match (function, args) {
        (MathFn::ShiftLeft | MathFn::ShiftRight, &[a, n]) if !(0..i128::from(ty.bits())).contains(&n) => {
            match mode {
                Mode::Partial => Err(Stop::Undefined),
                Mode::Total => Ok(ty.wrap(anything(a, n))),
            }
        }
        (MathFn::ShiftLeft, &[a, n]) => fit(ty, a.checked_mul(1 << n), mode),
        (MathFn::ShiftRight, &[a, n]) => Ok(a >> n),
        (MathFn::BitAnd, &[a, b]) => Ok(a & b),
        (MathFn::BitOr, &[a, b]) => Ok(a | b),
        (MathFn::BitXor, &[a, b]) => Ok(a ^ b),
        (MathFn::BitNot, &[a]) => Ok(ty.wrap(!a)),
        // No rule can be about the others.
        _ => Err(Stop::Undefined),
    }
}

/// An operand where bits count: one that does not fit its index type has no meaning there.
fn in_range(ty: Ty, value: i128) -> Result<i128, Stop> {
    match (ty, ty.range()) {
        (Ty::Exact(_), Some((low, high))) if !(low..=high).contains(&value) => Err(Stop::Undefined),
        _ => Ok(value),
    }
}

/// A fixed number that depends on two others in no useful way: the value of what is undefined.
fn anything(a: i128, b: i128) -> i128 {
    let mix = |h: u64, x: i128| (h ^ x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    i128::from(mix(mix(0x94d0_49bb_1331_11eb, a), b))
}

/// Whether a condition is true of the values, and for `total` of the holes that trap.
pub(super) fn holds(rule: &Rule, at: &Instance, cond: &Cond, env: &Env) -> bool {
    if let Cond::Total(hole) = cond {
        return env.traps & (1 << hole) == 0;
    }
    let one = |a: &Pat, test: fn(i128) -> bool| compute(a, env).is_some_and(test);
    let two = |a: &Pat, b: &Pat, test: fn(i128, i128) -> bool| match (compute(a, env), compute(b, env)) {
        (Some(a), Some(b)) => test(a, b),
        _ => false,
    };
    debug_assert!(rule.holes.len() == env.values.len());
    match cond {
        Cond::Nonzero(a) => one(a, |a| a != 0),
        Cond::Positive(a) => one(a, |a| a > 0),
        Cond::Nonnegative(a) => one(a, |a| a >= 0),
        Cond::Negative(a) => one(a, |a| a < 0),
        Cond::Nonpositive(a) => one(a, |a| a <= 0),
        Cond::Pow2(a) => one(a, |a| a > 0 && a & (a - 1) == 0),
        Cond::Lt(a, b) => two(a, b, |a, b| a < b),
        Cond::Le(a, b) => two(a, b, |a, b| a <= b),
        Cond::Eq(a, b) => two(a, b, |a, b| a == b),
        Cond::Ne(a, b) => two(a, b, |a, b| a != b),
        Cond::Divides(d, a) => two(d, a, |d, a| d != 0 && a % d == 0),
        Cond::Fits(a, ty) => match (compute(a, env), at.ty(*ty).range()) {
            (Some(a), Some((low, high))) => (low..=high).contains(&a),
            _ => false,
        },
        Cond::NoWider(a, b) => at.ty(*a).bits() <= at.ty(*b).bits(),
        Cond::Const(_) => true,
        Cond::Total(_) => false,
    }
}

/// A term over integers without bounds.
pub(super) fn compute(term: &Pat, env: &Env) -> Option<i128> {
    match term {
        Pat::Hole(hole) => Some(env.values[*hole]),
        Pat::Int(value, _) => Some(i128::from(*value)),
        Pat::Lanes => Some(env.lanes),
        Pat::Op(RuleOp::Math(MathFn::ShiftLeft), args) => {
            let (a, n) = (compute(&args[0], env)?, compute(&args[1], env)?);
            if (0..64).contains(&n) { a.checked_mul(1 << n) } else { None }
        }
        Pat::Op(RuleOp::Bin(op), args) => {
            int_op(*op, Ty::Unbounded, compute(&args[0], env)?, compute(&args[1], env)?, Mode::Partial).ok()
        }
        Pat::Op(..) | Pat::Bool(_) | Pat::Float(..) | Pat::Cast(..) | Pat::Fold(..) => None,
    }
}

/// Whether two results of a type are the same: bit for bit, but all NaNs are one.
pub(super) fn same(ty: Ty, a: i128, b: i128) -> bool {
    match ty {
        Ty::Float(_) => a == b || (to_f64(ty, a).is_nan() && to_f64(ty, b).is_nan()),
        Ty::Real => {
            let (x, y) = (to_f64(ty, a), to_f64(ty, b));
            (x - y).abs() <= 1e-9 * (1.0 + x.abs().max(y.abs()))
        }
        Ty::Bool | Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_) => a == b,
    }
}

/// A result brought into its type.
fn fit(ty: Ty, value: Option<i128>, mode: Mode) -> Result<i128, Stop> {
    let value = value.ok_or(Stop::TooLarge)?;
    match (ty, mode) {
        (Ty::Wrapping(_), _) => Ok(ty.wrap(value)),
        (Ty::Exact(_), Mode::Partial) => in_range(ty, value),
        (Ty::Exact(_), Mode::Total) | (Ty::Bool | Ty::Unbounded | Ty::Float(_) | Ty::Real, _) => Ok(value),
    }
}

fn int_op(op: BinOp, ty: Ty, a: i128, b: i128, mode: Mode) -> Result<i128, Stop> {
    if op.is_division() && b == 0 {
        return match (mode, op) {
            (Mode::Partial, _) => Err(Stop::Undefined),
            (Mode::Total, BinOp::Div | BinOp::FloorDiv) => Ok(0),
            (Mode::Total, _) => Ok(a),
        };
    }
    let truth = |value: bool| Ok(i128::from(value));
    match op {
        BinOp::Add => fit(ty, a.checked_add(b), mode),
        BinOp::Sub => fit(ty, a.checked_sub(b), mode),
        BinOp::Mul => fit(ty, a.checked_mul(b), mode),
        BinOp::Div => fit(ty, a.checked_div(b), mode),
        BinOp::Mod => fit(ty, a.checked_rem(b), mode),
        BinOp::FloorDiv => fit(ty, floor(a, b).map(|(q, _)| q), mode),
        BinOp::FloorMod => fit(ty, floor(a, b).map(|(_, r)| r), mode),
        BinOp::Min => Ok(a.min(b)),
        BinOp::Max => Ok(a.max(b)),
        BinOp::Eq => truth(a == b),
        BinOp::Ne => truth(a != b),
        BinOp::Lt => truth(a < b),
        BinOp::Le => truth(a <= b),
        BinOp::Gt => truth(a > b),
        BinOp::Ge => truth(a >= b),
        BinOp::And => truth(a != 0 && b != 0),
        BinOp::Or => truth(a != 0 || b != 0),
    }
}

/// Quotient and remainder, rounding toward minus infinity; the remainder has the divisor's sign.
fn floor(a: i128, b: i128) -> Option<(i128, i128)> {
    let (q, r) = (a.checked_div(b)?, a.checked_rem(b)?);
    if r != 0 && (r < 0) != (b < 0) { Some((q.checked_sub(1)?, r + b)) } else { Some((q, r)) }
}

fn cast(from: Ty, to: Ty, value: i128, mode: Mode) -> Result<i128, Stop> {
    match (from, to) {
        (Ty::Float(_) | Ty::Real, Ty::Float(_) | Ty::Real) => Ok(float_bits(to, to_f64(from, value))),
        (Ty::Float(_) | Ty::Real, Ty::Bool) => Ok(i128::from(to_f64(from, value) != 0.0)),
        (Ty::Float(_) | Ty::Real, _) => {
            let whole = to_f64(from, value).trunc();
            let value = whole as i128;
            match to.range() {
                Some((low, high)) if whole.is_finite() && (low..=high).contains(&value) => Ok(value),
                _ if mode == Mode::Total => Ok(to.wrap(anything(value, 0))),
                _ => Err(Stop::Undefined),
            }
        }
        (_, Ty::Float(_) | Ty::Real) => Ok(int_to_float(to, value)),
        (_, Ty::Bool) => Ok(i128::from(value != 0)),
        (_, Ty::Unbounded | Ty::Exact(_) | Ty::Wrapping(_)) => Ok(to.wrap(value)),
    }
}

fn int_to_float(ty: Ty, value: i128) -> i128 {
    match ty {
        // One rounding each.
        Ty::Float(dtype) if dtype.bits == 64 => i128::from((value as f64).to_bits()),
        Ty::Float(dtype) if dtype.bits == 32 => i128::from((value as f32).to_bits()),
        _ => float_bits(ty, value as f64),
    }
}

fn float_op(op: BinOp, ty: Ty, x: i128, y: i128) -> i128 {
    let (a, b) = (to_f64(ty, x), to_f64(ty, y));
    // For the four operations, computing in f64 and rounding once more to a type of at most half its precision
    // gives the correctly rounded result.
    match op {
        BinOp::Add => float_bits(ty, a + b),
        BinOp::Sub => float_bits(ty, a - b),
        BinOp::Mul => float_bits(ty, a * b),
        BinOp::Div => float_bits(ty, a / b),
        BinOp::Min => {
            if a < b {
                x
            } else {
                y
            }
        }
        BinOp::Max => {
            if a > b {
                x
            } else {
                y
            }
        }
        BinOp::Eq => i128::from(a == b),
        BinOp::Ne => i128::from(a != b),
        BinOp::Lt => i128::from(a < b),
        BinOp::Le => i128::from(a <= b),
        BinOp::Gt => i128::from(a > b),
        BinOp::Ge => i128::from(a >= b),
        // Not defined on floats; the loader refuses them.
        BinOp::Mod | BinOp::FloorDiv | BinOp::FloorMod | BinOp::And | BinOp::Or => float_bits(ty, f64::NAN),
    }
}

/// A result over the reals; there is none where `float64` has none.
fn finite(op: BinOp, bits: i128) -> Result<i128, Stop> {
    if op.is_compare() || to_f64(Ty::Real, bits).is_finite() { Ok(bits) } else { Err(Stop::TooLarge) }
}

/// The bits of the value rounded to a float type.
pub(super) fn float_bits(ty: Ty, value: f64) -> i128 {
    match ty {
        Ty::Real => i128::from(value.to_bits()),
        Ty::Float(dtype) if dtype.bits == 64 => i128::from(value.to_bits()),
        Ty::Float(dtype) if dtype.bits == 32 => i128::from((value as f32).to_bits()),
        Ty::Float(dtype) if matches!(dtype.kind, Kind::BFloat) => i128::from(bf16::from_f64(value).to_bits()),
        _ => i128::from(f16::from_f64(value).to_bits()),
    }
}

/// The value of a float's bits.
pub(super) fn to_f64(ty: Ty, bits: i128) -> f64 {
    match ty {
        Ty::Real => f64::from_bits(bits as u64),
        Ty::Float(dtype) if dtype.bits == 64 => f64::from_bits(bits as u64),
        Ty::Float(dtype) if dtype.bits == 32 => f64::from(f32::from_bits(bits as u32)),
        Ty::Float(dtype) if matches!(dtype.kind, Kind::BFloat) => bf16::from_bits(bits as u16).to_f64(),
        _ => f16::from_bits(bits as u16).to_f64(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    #[test]
    fn floor_division_by_its_definition() {
        for a in -40..=40 {
            for b in (-9..=9).filter(|b| *b != 0) {
                let (q, r) = floor(a, b).unwrap();
                assert_eq!(q * b + r, a);
                assert!(if b > 0 { (0..b).contains(&r) } else { (b + 1..=0).contains(&r) }, "{a} {b}");
            }
        }
        assert_eq!(floor(i128::MIN, -1), None);
    }

    #[test]
    fn narrow_types_wrap_and_index_types_do_not() {
        let byte = Ty::Wrapping(DType::int(8));
        let partial = |op, ty, a, b| int_op(op, ty, a, b, Mode::Partial);
        assert_eq!(partial(BinOp::Add, byte, 127, 1), Ok(-128));
        assert_eq!(partial(BinOp::FloorDiv, byte, -128, -1), Ok(-128));
        assert_eq!(partial(BinOp::Sub, Ty::Wrapping(DType::uint(8)), 0, 1), Ok(255));
        let int32 = Ty::Exact(DType::I32);
        assert_eq!(partial(BinOp::Add, int32, i128::from(i32::MAX), 1), Err(Stop::Undefined));
        assert_eq!(int_op(BinOp::Add, int32, i128::from(i32::MAX), 1, Mode::Total), Ok(1 << 31));
        assert_eq!(partial(BinOp::Add, Ty::Unbounded, i128::from(i64::MAX), 1), Ok(1 << 63));
        assert_eq!(partial(BinOp::Mul, Ty::Unbounded, i128::MAX, 2), Err(Stop::TooLarge));
        assert_eq!(partial(BinOp::FloorMod, int32, 7, 0), Err(Stop::Undefined));
        assert_eq!(int_op(BinOp::FloorMod, int32, 7, 0, Mode::Total), Ok(7));
        assert_eq!(int_op(BinOp::Div, int32, 7, 0, Mode::Total), Ok(0));
        assert_eq!(cast(int32, byte, 200, Mode::Partial), Ok(-56));
        assert_eq!(cast(int32, Ty::Bool, 200, Mode::Partial), Ok(1));
    }

    #[test]
    fn float_minimum_is_a_comparison() {
        let ty = Ty::Float(DType::F32);
        let [nan, zero, minus] = [f64::NAN, 0.0, -0.0].map(|v| float_bits(ty, v));
        assert!(same(ty, float_op(BinOp::Min, ty, nan, zero), zero));
        assert!(same(ty, float_op(BinOp::Min, ty, zero, nan), nan));
        assert!(same(ty, float_op(BinOp::Min, ty, zero, minus), minus));
        assert!(same(ty, float_op(BinOp::Min, ty, minus, zero), zero));
        assert!(!same(ty, zero, minus));
    }
}
