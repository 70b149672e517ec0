//! The values of an expression at many points at once: one walk over it instead of one for each point.

use super::{Undefined, Value, cast, evaluate, int};
use crate::ir::{BinOp, Expr, ExprKind, VarId};

/// How many points there are.
pub(crate) const LANES: usize = 32;

/// An integer at each point, where it has a value.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lanes {
    values: [i64; LANES],
    /// The points at which it has a value, a bit for each.
    known: u32,
}

impl Lanes {
    /// The same value at all points.
    pub(crate) const fn all(value: i64) -> Lanes {
        Lanes { values: [value; LANES], known: u32::MAX }
    }

    /// Values by the number of the point.
    pub(crate) fn new(mut value: impl FnMut(usize) -> Option<i64>) -> Lanes {
        let mut lanes = Lanes { values: [0; LANES], known: 0 };
        for at in 0..LANES {
            if let Some(value) = value(at) {
                lanes.values[at] = value;
                lanes.known |= 1 << at;
            }
        }
        lanes
    }

    /// The value at a point.
    pub(crate) fn get(&self, at: usize) -> Option<i64> {
        (self.known >> at & 1 != 0).then(|| self.values[at])
    }

    /// The points at which it has a value, a bit for each.
    pub(crate) const fn known(&self) -> u32 {
        self.known
    }

    /// The points at which it has a value that is not 0.
    pub(crate) fn nonzero(&self) -> u32 {
        let mut nonzero = 0;
        for (at, value) in self.values.iter().enumerate() {
            nonzero |= u32::from(*value != 0) << at;
        }
        nonzero & self.known
    }

    /// Puts in place of each value what an operation makes of it and the other's value there.
    #[inline]
    fn apply(&mut self, other: &Lanes, operation: impl Fn(i64, i64) -> Result<i64, Undefined>) {
        for (at, (value, other)) in self.values.iter_mut().zip(&other.values).enumerate() {
            match operation(*value, *other) {
                Ok(found) => *value = found,
                Err(_) => self.known &= !(1 << at),
            }
        }
    }

    /// `self` where a condition holds, `other` where it does not.
    fn choose(&self, other: &Lanes, holds: &Lanes) -> Lanes {
        let (then, otherwise) = (holds.nonzero(), holds.known & !holds.nonzero());
        let mut made = *other;
        for (at, value) in made.values.iter_mut().enumerate() {
            if then >> at & 1 != 0 {
                *value = self.values[at];
            }
        }
        made.known = self.known & then | other.known & otherwise;
        made
    }
}

/// The values of an expression of integers at all points: at each what [`evaluate`] says, if that is an integer.
pub(crate) fn evaluate_lanes(e: &Expr, value_of: &impl Fn(VarId) -> Option<Lanes>) -> Lanes {
    const NONE: Lanes = Lanes { values: [0; LANES], known: 0 };
    let of = |e: &Expr| evaluate_lanes(e, value_of);
    let choice = |cond: &Expr, then: &Expr, otherwise: &Expr| {
        let cond = of(cond);
        match cond.nonzero() {
            0 => NONE.choose(&of(otherwise), &cond),
            all if all == cond.known => of(then).choose(&NONE, &cond),
            _ => of(then).choose(&of(otherwise), &cond),
        }
    };
    match &e.kind {
        ExprKind::Int(value) => Lanes::all(*value),
        ExprKind::Var(var) => value_of(*var).unwrap_or(NONE),
        ExprKind::Binary(op @ (BinOp::And | BinOp::Or), a, b) => {
            let (a, is_or) = (of(a), *op == BinOp::Or);
            let decided = if is_or { a.nonzero() } else { a.known & !a.nonzero() };
            if decided == a.known {
                return a;
            }
            let b = of(b);
            if is_or { a.choose(&b, &a) } else { b.choose(&a, &a) }
        }
        ExprKind::Binary(op, a, b) if a.dtype.is_index() => {
            let bits = a.dtype.bits;
            let (mut a, b) = (of(a), of(b));
            a.known &= b.known;
            // The operator is known in each of these loops.
            match op {
                BinOp::Add => a.apply(&b, |x, y| int::index(BinOp::Add, bits, x, y)),
                BinOp::Sub => a.apply(&b, |x, y| int::index(BinOp::Sub, bits, x, y)),
                BinOp::Mul => a.apply(&b, |x, y| int::index(BinOp::Mul, bits, x, y)),
                BinOp::Lt => a.apply(&b, |x, y| int::index(BinOp::Lt, bits, x, y)),
                BinOp::Le => a.apply(&b, |x, y| int::index(BinOp::Le, bits, x, y)),
                _ => a.apply(&b, |x, y| int::index(*op, bits, x, y)),
            }
            a
        }
        ExprKind::Not(a) => {
            let mut a = of(a);
            a.values.iter_mut().for_each(|value| *value = i64::from(*value == 0));
            a
        }
        ExprKind::Cast(a) if a.dtype.is_index() => {
            let value = of(a);
            Lanes::new(|at| cast(a.dtype, e.dtype, Value::Int(value.get(at)?)).ok()?.as_int())
        }
        ExprKind::Select(s) => choice(&s.cond, &s.then, &s.otherwise),
        _ => match e.as_intrin() {
            Some(("if_then_else", [cond, then, otherwise])) => choice(cond, then, otherwise),
            Some(("likely", [a])) => of(a),
            _ => Lanes::new(|at| {
                evaluate(e, &|var| value_of(var).and_then(|lanes| lanes.get(at)).map(Value::Int))?.as_int()
            }),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{parse_expr, print_expr};

    /// At each point there is the value that a walk for that point alone finds.
    #[test]
    fn every_lane_is_the_value_at_its_point() {
        let mut b = crate::ir::build::FuncBuilder::new("main");
        let x = b.param("x", crate::ir::DType::I32);
        let y = b.param("y", crate::ir::DType::I32);
        b.param("z", crate::ir::DType::I64);
        let mut func = b.finish();
        // One point has no `x`, others overflow or divide by 0.
        let at = |var: VarId, point: usize| match var {
            var if var == x => (point != 7).then_some([0, 1, -1, 5, i64::from(i32::MAX)][point % 5]),
            var if var == y => Some([3, 0, -2, i64::from(i32::MIN), 12, 1][point % 6]),
            _ => None,
        };
        let texts = [
            "x + y * 3 - x // y",
            "x % y + T.truncdiv(x, y) - T.truncmod(y, x)",
            "T.min(x, y) * T.max(x, 2)",
            "x < y and x // y == 0 or y != 0",
            "x <= y or x // y > 1 and not y == 0",
            "T.if_then_else(y != 0, x // y, 5)",
            "T.Select(x > y, x - y, y)",
            "T.Cast(\"int64\", x) * T.Cast(\"int64\", y) + z",
            "T.Cast(\"int8\", x * 77)",
            "T.Cast(\"uint8\", x) + T.uint8(250)",
            "T.Cast(\"int32\", T.Cast(\"float32\", x) * T.float32(0.5))",
            "T.shift_left(x, 3) + T.bitwise_and(y, 5)",
            "T.if_then_else(T.likely(x > 0), x, 0 - y)",
            "z + x",
        ];
        for text in texts {
            let e = parse_expr(text, &mut func).unwrap_or_else(|error| panic!("{text}: {error}"));
            let lanes = evaluate_lanes(&e, &|var| Some(Lanes::new(|point| at(var, point))));
            for point in 0..LANES {
                let alone = evaluate(&e, &|var| at(var, point).map(Value::Int)).and_then(|v| v.as_int());
                assert_eq!(lanes.get(point), alone, "{} at {point}", print_expr(&func, &e));
                assert_eq!(lanes.nonzero() >> point & 1 != 0, alone.is_some_and(|value| value != 0));
            }
        }
    }
}
