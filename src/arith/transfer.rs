//! What follows for the value of an operation from what is known of its operands: ranges and residues, a line for
//! every operator.

use super::{Interval, Residue, bits};
use crate::ir::value::MathFn;
use crate::ir::{BinOp, DType};

/// The range of `a op b` over integers without bounds, or of truth values as 0 and 1; `None` if nothing is known.
pub(crate) fn interval(op: BinOp, a: Interval, b: Interval) -> Option<Interval> {
    let truth = |yes: bool, no: bool| match (yes, no) {
        (true, _) => Interval::point(1),
        (_, true) => Interval::point(0),
        _ => Interval::BOOL,
    };
    let below = |a: Interval, b: Interval| a.hi().zip(b.lo()).is_some_and(|(x, y)| x < y);
    let not_above = |a: Interval, b: Interval| a.hi().zip(b.lo()).is_some_and(|(x, y)| x <= y);
    let apart = below(a, b) || below(b, a);
    let same = a.as_point().is_some() && a.as_point() == b.as_point();
    Some(match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::FloorDiv => return a.floordiv(b),
        BinOp::FloorMod => return a.floormod(b),
        BinOp::Div => return a.truncdiv(b),
        BinOp::Mod => return a.truncmod(b),
        BinOp::Min => a.min(b),
        BinOp::Max => a.max(b),
        BinOp::Eq => truth(same, apart),
        BinOp::Ne => truth(apart, same),
        BinOp::Lt => truth(below(a, b), not_above(b, a)),
        BinOp::Le => truth(not_above(a, b), below(b, a)),
        BinOp::Gt => truth(below(b, a), not_above(a, b)),
        BinOp::Ge => truth(not_above(b, a), below(a, b)),
        BinOp::And => truth(a.at_least(1) && b.at_least(1), a.at_most(0) || b.at_most(0)),
        BinOp::Or => truth(a.at_least(1) || b.at_least(1), a.at_most(0) && b.at_most(0)),
    })
}

/// What the value of `a op b` is modulo something, over integers without bounds; `divisor` is the value of `b` if that is
/// known and positive.
pub(crate) fn residue(op: BinOp, a: Residue, b: Residue, divisor: Option<i64>) -> Residue {
    match op {
        BinOp::Add => a.add(b),
        BinOp::Sub => a.sub(b),
        BinOp::Mul => a.mul(b),
        BinOp::FloorDiv => divisor.map_or(Residue::ALL, |c| a.floordiv_const(c)),
        BinOp::FloorMod => divisor.map_or(Residue::ALL, |c| a.floormod_const(c)),
        BinOp::Min | BinOp::Max => a.join(b),
        // Of quotients that round toward zero nothing is known while signs are not.
        BinOp::Div | BinOp::Mod => Residue::ALL,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::And | BinOp::Or => {
            Residue::ALL
        }
    }
}

/// The range of a function of values of the integer type `dtype`, whose result is of that type too; `None` if nothing is
/// known. `operands` are the ranges of the arguments, if they are known to be values of the type: where bits count, an
/// equal expression of an index type may be one that does not fit it.
pub(crate) fn interval_of_call(
    function: MathFn,
    dtype: DType,
    operands: Option<&[Interval]>,
) -> Option<Interval> {
    let two = || match operands? {
        &[a, b] => Some((a, b)),
        _ => None,
    };
    match function {
        MathFn::Clz | MathFn::Popcount => {
            Interval::between(Some(0), Some(i128::from(dtype.bits))).filter(|r| r.fits(dtype))
        }
        MathFn::BitAnd => two().and_then(|(a, b)| bits::and(a, b)),
        MathFn::BitOr => two().and_then(|(a, b)| bits::or(a, b)),
        MathFn::BitXor => two().and_then(|(a, b)| bits::xor(a, b)),
        MathFn::ShiftLeft => two().and_then(|(a, b)| bits::shift_left(a, b)).filter(|r| r.fits(dtype)),
        MathFn::ShiftRight => two().and_then(|(a, b)| bits::shift_right(a, b)),
        // Ranges of these would follow too, but none was needed yet.
        MathFn::BitNot | MathFn::Abs => None,
        // Of integers these are the integer itself, which a reader makes of them.
        MathFn::Floor | MathFn::Ceil | MathFn::Trunc | MathFn::Round | MathFn::Nearbyint => None,
        // Of floats.
        MathFn::Sqrt
        | MathFn::Rsqrt
        | MathFn::Copysign
        | MathFn::Nextafter
        | MathFn::Ldexp
        | MathFn::Fma
        | MathFn::Fmod
        | MathFn::IsNan
        | MathFn::IsInf
        | MathFn::IsFinite
        | MathFn::Exp
        | MathFn::Exp2
        | MathFn::Exp10
        | MathFn::Log
        | MathFn::Log2
        | MathFn::Log10
        | MathFn::Log1p
        | MathFn::Sin
        | MathFn::Cos
        | MathFn::Tan
        | MathFn::Asin
        | MathFn::Acos
        | MathFn::Atan
        | MathFn::Sinh
        | MathFn::Cosh
        | MathFn::Tanh
        | MathFn::Asinh
        | MathFn::Acosh
        | MathFn::Atanh
        | MathFn::Sigmoid
        | MathFn::Erf
        | MathFn::Pow
        | MathFn::Atan2
        | MathFn::Hypot => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::value::{Value, int};

    fn ranges() -> impl Iterator<Item = Interval> + Clone {
        let ends = [-9i64, -4, -1, 0, 1, 3, 8];
        let bounded = ends.into_iter().flat_map(move |lo| ends.map(|hi| Interval::new(lo, hi)));
        bounded.flatten().chain([Interval::ALL, Interval::NON_NEGATIVE])
    }

    fn values(range: Interval) -> impl Iterator<Item = i64> {
        (-10..=10).filter(move |&v| range.contains(v))
    }

    #[test]
    fn ranges_of_every_operator_hold_its_values() {
        for op in BinOp::ALL {
            for (a, b) in ranges().flat_map(|a| ranges().map(move |b| (a, b))) {
                if op.is_logic() && [a, b].iter().any(|x| Interval::BOOL.meet(*x) != Some(*x)) {
                    continue;
                }
                let Some(range) = interval(op, a, b) else { continue };
                for (x, y) in values(a).flat_map(|x| values(b).map(move |y| (x, y))) {
                    let value = int::total(op, DType::I64, x, y).unwrap();
                    assert!(range.contains(value), "{x} {} {y} = {value} not in {range:?}", op.name());
                }
            }
        }
    }

    #[test]
    fn residues_of_every_operator_hold_its_values() {
        let residues = || (1..=6).flat_map(|m| (0..m).map(move |r| Residue::new(m, r)));
        let points = || (-7..=7).map(Residue::point);
        let all = || residues().chain(points());
        for op in BinOp::ALL.into_iter().filter(|op| !op.is_logic()) {
            for (a, b) in all().flat_map(|a| all().map(move |b| (a, b))) {
                let of = |r: Residue| (-12..=12).filter(move |&v| r.contains(v));
                for (x, y) in of(a).flat_map(|x| of(b).map(move |y| (x, y))) {
                    // The divisor is known only where there is no other.
                    let divisor = (b == Residue::point(y) && y > 0).then_some(y);
                    let value = int::total(op, DType::I64, x, y).unwrap();
                    assert!(residue(op, a, b, divisor).contains(value), "{x} {} {y}: {a:?} {b:?}", op.name());
                }
            }
        }
    }

    #[test]
    fn ranges_of_every_function_hold_its_values() {
        let mut known = Vec::new();
        for dtype in [DType::int(8), DType::uint(8), DType::I32] {
            let of_type: Vec<Interval> = ranges().filter(|r| r.fits(dtype)).collect();
            for &function in MathFn::ALL {
                let second: &[Interval] = if function.arity() == 2 { &of_type } else { &[Interval::BOOL] };
                for (&a, &b) in of_type.iter().flat_map(|a| second.iter().map(move |b| (a, b))) {
                    let operands = &[a, b][..function.arity().min(2)];
                    let Some(range) = interval_of_call(function, dtype, Some(operands)) else { continue };
                    known.push(function);
                    for (x, y) in values(a).flat_map(|x| values(b).map(move |y| (x, y))) {
                        let arguments = &[Value::Int(x), Value::Int(y)][..function.arity().min(2)];
                        if let Ok(Value::Int(value)) = function.fold(dtype, arguments) {
                            assert!(range.contains(value), "{} of {x}, {y}: {value}", function.name());
                        }
                    }
                }
            }
        }
        known.dedup();
        assert!(known.contains(&MathFn::Popcount) && known.contains(&MathFn::ShiftLeft), "{known:?}");
    }
}
