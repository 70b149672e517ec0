//! Integers bit by bit, in two's complement with as many bits as it takes: so what holds of them holds in each type.

use super::range::Range;
use super::term::{Sort, Term, Terms};
use crate::ir::DType;
use crate::ir::value::MathFn;

/// Most runs of ones in a constant whose bits are taken out one run at a time.
const MAX_RUNS: usize = 4;

impl Terms {
    /// `a & b`, `a | b` or `a ^ b`, of integers that are in their type.
    pub(super) fn bits(&mut self, function: MathFn, dtype: DType, a: Term, b: Term) -> Option<Term> {
        if a == b {
            return Some(match function {
                MathFn::BitXor if self.sort(a) == Sort::Truth => self.truth(false),
                MathFn::BitXor => self.int(0),
                _ => a,
            });
        }
        if self.sort(a) == Sort::Truth {
            return Some(match function {
                MathFn::BitAnd => self.and(&[a, b]),
                MathFn::BitOr => self.or(&[a, b]),
                _ => {
                    let equal = self.equal(a, b);
                    self.not(equal)
                }
            });
        }
        let constant = match (self.as_int(a), self.as_int(b)) {
            (_, Some(mask)) => Some((a, mask)),
            (Some(mask), None) => Some((b, mask)),
            (None, None) => None,
        };
        if let Some((a, mask)) = constant {
            let both = self.masked(a, mask)?;
            let mask = self.int(mask);
            let sum = self.add(a, mask);
            return Some(match function {
                MathFn::BitAnd => both,
                MathFn::BitOr => self.sub(sum, both),
                _ => self.add_scaled(sum, both, -2),
            });
        }
        let operands = if a <= b { vec![a, b] } else { vec![b, a] };
        let scalar = dtype.scalar();
        let name = format!("{} {scalar} {scalar} []", function.name());
        let range = of_bits(function, self.bounds(a), self.bounds(b));
        let value = self.apply(&name, dtype, operands);
        self.restrict(value, range);
        Some(value)
    }

    /// `a & mask`: for each run of ones the quotient by where it begins, modulo a power of two. `None` if there are many.
    fn masked(&mut self, a: Term, mask: i128) -> Option<Term> {
        if mask < 0 {
            let others = self.masked(a, !mask)?;
            return Some(self.sub(a, others));
        }
        let (mut left, mut value) = (mask, self.int(0));
        for _ in 0..MAX_RUNS {
            if left == 0 {
                return Some(value);
            }
            let first = left.trailing_zeros();
            let length = (left >> first).trailing_ones();
            let run = self.int(1 << first);
            let end = self.int(1 << length);
            let above = self.quotient(a, run);
            let bits = self.remainder(above, end);
            value = self.add_scaled(value, bits, 1 << first);
            left &= !(((1 << length) - 1) << first);
        }
        (left == 0).then_some(value)
    }
}

/// Where the value of such an operation is, by where its operands are.
fn of_bits(function: MathFn, a: Range, b: Range) -> Range {
    let natural = |r: Range| r.not_negative();
    let ones = |r: Range| r.hi.map(|hi| (1i128 << (128 - hi.max(0).leading_zeros()).min(126)) - 1);
    match function {
        MathFn::BitAnd => {
            let ends = [a, b].map(|r| if natural(r) { r.hi } else { None });
            let hi = match ends {
                [Some(a), Some(b)] => Some(a.min(b)),
                [a, b] => a.or(b),
            };
            Range::new((natural(a) || natural(b)).then_some(0), hi)
        }
        _ if natural(a) && natural(b) => {
            let lo = if function == MathFn::BitOr { a.lo.max(b.lo) } else { Some(0) };
            Range::new(lo, ones(a).zip(ones(b)).map(|(a, b)| a.max(b)))
        }
        _ => Range::ALL,
    }
}
