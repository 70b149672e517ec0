//! Axes of blocks whose loops were split or fused: each loop as digits, and each axis as a number of such digits.
//!
//! `i0 * 4 + i1` of loops over 2 and 4 is an axis over 8 with two digits, `i // 6` and `i % 6` of one loop over 24 are two axes
//! with one digit each. If each loop falls apart into its digits, and each axis is made of them without gaps, every element of
//! the axes comes once.

use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

/// A variable that runs from 0, and its extent.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Loop {
    pub var: VarId,
    pub dtype: DType,
    pub extent: Expr,
}

/// `(loop // divisor) % count * stride`.
#[derive(Clone, Debug, PartialEq)]
struct Digit {
    of: usize,
    divisor: i64,
    count: i64,
    stride: i64,
}

/// A number as a sum of digits, the least ones first, each of which stands above all those before it.
type Number = Vec<Digit>;

/// What an axis takes its values from.
pub(crate) struct Bound<'a> {
    pub binding: &'a Expr,
    pub extent: i64,
    pub folds: bool,
}

/// If the axes of a block run once through all of their values as its loops run: the axes that are folded, in the order in which
/// their values come. Only for one of them there may be iterations beyond its extent, which the block's condition leaves out.
pub(crate) fn order(loops: &[Loop], axes: &[Bound<'_>], condition: Option<&Expr>) -> Option<Vec<usize>> {
    let mut numbers: Vec<Number> = Vec::new();
    let mut guarded = false;
    for axis in axes {
        let number = number(loops, axis.binding)?;
        let mut next = 1;
        for digit in &number {
            if digit.stride != next {
                return None;
            }
            next = next.checked_mul(digit.count)?;
        }
        if next != axis.extent {
            let leaves_out = next > axis.extent && condition.is_some_and(|cond| is_below(cond, axis));
            if !leaves_out || guarded {
                return None;
            }
            guarded = true;
        }
        numbers.push(number);
    }
    // A condition that leaves nothing out holds always.
    if condition.is_some_and(|cond| !axes.iter().any(|axis| is_below(cond, axis))) {
        return None;
    }
    // In the order in which they change, the slowest first: which axis each digit is part of.
    let mut all: Vec<(usize, &Digit)> = Vec::new();
    for (at, l) in loops.iter().enumerate() {
        let mut own: Vec<(usize, &Digit)> = Vec::new();
        for (axis, number) in numbers.iter().enumerate() {
            own.extend(number.iter().filter(|digit| digit.of == at).map(|digit| (axis, digit)));
        }
        own.sort_by_key(|(_, digit)| digit.divisor);
        let mut next = 1;
        for (_, digit) in &own {
            if digit.divisor != next {
                return None;
            }
            next = next.checked_mul(digit.count)?;
        }
        if next != l.extent.as_int()? {
            return None;
        }
        all.extend(own.into_iter().rev());
    }
    let mut order: Vec<usize> = Vec::new();
    let mut least: Option<i64> = None;
    for (axis, digit) in all.into_iter().filter(|(axis, _)| axes[*axis].folds) {
        let goes_on = order.last() == Some(&axis) && least.is_some_and(|least| digit.stride < least);
        if !goes_on {
            if order.contains(&axis) {
                return None;
            }
            order.push(axis);
        }
        least = Some(digit.stride);
    }
    // Those of one value have no digit.
    let rest = (0..axes.len()).filter(|axis| axes[*axis].folds && !order.contains(axis));
    let rest: Vec<usize> = rest.collect();
    order.extend(rest);
    Some(order)
}

/// Whether a condition says that an axis is below its extent.
fn is_below(condition: &Expr, axis: &Bound<'_>) -> bool {
    match &condition.kind {
        ExprKind::Binary(BinOp::Lt, a, b) => **a == *axis.binding && b.as_int() == Some(axis.extent),
        _ => false,
    }
}

/// An expression of loops as a sum of digits.
fn number(loops: &[Loop], e: &Expr) -> Option<Number> {
    if e.as_int() == Some(0) {
        return Some(Vec::new());
    }
    if let Some(var) = e.as_var() {
        let of = loops.iter().position(|l| l.var == var)?;
        let count = loops[of].extent.as_int().filter(|count| *count > 0)?;
        let digit = Digit { of, divisor: 1, count, stride: 1 };
        return Some(if count == 1 { Vec::new() } else { vec![digit] });
    }
    let ExprKind::Binary(op, a, b) = &e.kind else { return None };
    let (first, by) = (number(loops, a), b.as_int().filter(|by| *by > 0));
    match op {
        BinOp::Add => sum(first?, number(loops, b)?),
        BinOp::Mul => {
            let (number, by) = match by {
                Some(by) => (first?, by),
                None => (number(loops, b)?, a.as_int().filter(|by| *by > 0)?),
            };
            let times = |digit: Digit| Some(Digit { stride: digit.stride.checked_mul(by)?, ..digit });
            number.into_iter().map(times).collect()
        }
        // Nothing is negative, so that both kinds of division are one.
        BinOp::FloorDiv | BinOp::Div => Some(divided(first?, by?)?.1),
        BinOp::FloorMod | BinOp::Mod => Some(divided(first?, by?)?.0),
        _ => None,
    }
}

/// A sum, if all digits of it stand above each other.
fn sum(mut a: Number, b: Number) -> Option<Number> {
    a.extend(b);
    a.sort_by_key(|digit| digit.stride);
    let apart = a
        .windows(2)
        .all(|pair| pair[0].stride.checked_mul(pair[0].count).is_some_and(|end| end <= pair[1].stride));
    apart.then_some(a)
}

/// Remainder and quotient.
fn divided(number: Number, by: i64) -> Option<(Number, Number)> {
    let (mut rest, mut quotient) = (Number::new(), Number::new());
    for digit in number {
        let end = digit.stride.checked_mul(digit.count)?;
        if end <= by {
            rest.push(digit);
        } else if digit.stride >= by {
            if digit.stride % by != 0 {
                return None;
            }
            quotient.push(Digit { stride: digit.stride / by, ..digit });
        } else {
            let low = by / digit.stride;
            if by % digit.stride != 0 || digit.count % low != 0 {
                return None;
            }
            let divisor = digit.divisor.checked_mul(low)?;
            rest.push(Digit { count: low, ..digit.clone() });
            quotient.push(Digit { divisor, count: digit.count / low, stride: 1, ..digit });
        }
    }
    Some((rest, quotient))
}
