//! What LLVM makes of operations in loops: how many instructions, and whether they run on vectors.

use crate::ir::opclass::{OpClass, classify};
use crate::ir::{BinOp, DType, Expr, ExprKind, VarId};

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub(in crate::target) struct Operation {
    pub(in crate::target) instructions: f64,
    /// How many LLVM counts where it asks how long a loop is (`getInstructionCost` for sizes).
    pub(in crate::target) size: f64,
    /// Whether there are instructions that do it for all elements of a vector.
    pub(in crate::target) on_vectors: bool,
    /// What a loop that runs on vectors takes for each element on top of its share of the instructions for a vector.
    pub(in crate::target) for_each_element: f64,
}

/// What the operation at the root of an expression takes. A division counts by the time that it takes as well: it is one
/// instruction, but one that takes as long as many. An operation on a vector takes one instruction for each register that its
/// elements fill, or where there is no such instruction, one for each element, which is taken out and put in again.
pub(in crate::target) fn operation(e: &Expr) -> Operation {
    let Some((class, _)) = classify(e) else {
        let made = made(e);
        return Operation { instructions: made, size: made, on_vectors: true, for_each_element: 0.0 };
    };
    let selection = selection(e.dtype);
    let is_extremum = matches!(e.kind, ExprKind::Binary(BinOp::Min | BinOp::Max, ..));
    let (instructions, size, on_vectors) = match class {
        OpClass::DivConst => (6.0, 4.0, false),
        OpClass::DivPow2 => (2.0, 2.0, true),
        OpClass::DivVar => (20.0, 4.0, false),
        OpClass::MinMax => (2.0, 1.0 + selection, true),
        OpClass::Select => (1.0, selection, true),
        OpClass::FloatDiv => (4.0, 1.0, true),
        OpClass::FloatArith if is_extremum => (1.0, 1.0 + selection, true),
        OpClass::Transcendental => (30.0, 1.0, true),
        OpClass::Call => (20.0, 4.0, false),
        OpClass::Bind | OpClass::Load | OpClass::Store => (0.0, 0.0, true),
        OpClass::AddSub
        | OpClass::Compare
        | OpClass::Logic
        | OpClass::Shift
        | OpClass::Bitwise
        | OpClass::IntCast
        | OpClass::MulPow2
        | OpClass::Mul
        | OpClass::FloatArith => (1.0, 1.0, true),
    };
    let (times, moves) = if e.dtype.is_scalar() {
        (1.0, 0.0)
    } else if on_vectors && class != OpClass::Transcendental {
        (registers_of(widest(e)), 0.0)
    } else {
        // The C library computes functions of single numbers.
        let elements = f64::from(e.dtype.lanes);
        (elements, OUT_AND_IN * elements)
    };
    // SSE2 has no instruction for products and extrema of 32 bits: a vector takes two products and five shuffles, or a copy, a
    // comparison and three operations on bits, instead of what is counted for a number. Functions of the C library are called for
    // each element.
    let for_each_element = match class {
        OpClass::Transcendental => instructions * (1.0 - 1.0 / lanes(u32::from(e.dtype.bits))) + OUT_AND_IN,
        OpClass::Mul if e.dtype.bits == 32 => (7.0 - instructions) / lanes(32),
        OpClass::MinMax if e.dtype.bits == 32 => (5.0 - instructions) / lanes(32),
        _ => 0.0,
    };
    let size = size * times + moves;
    Operation { instructions: instructions * times + moves, size, on_vectors, for_each_element }
}

/// The size of a choice: one between floats takes three operations on bits.
pub(in crate::target) fn selection(dtype: DType) -> f64 {
    if dtype.is_float() { 3.0 } else { 1.0 }
}

/// What it takes to take an element out of a vector and to put one into another.
const OUT_AND_IN: f64 = 2.0;

/// What it takes to make a vector of a number: all registers of a repeated one are the same; others are that and constants.
fn made(e: &Expr) -> f64 {
    match &e.kind {
        ExprKind::Broadcast(of) if !of.is_number() => 1.0,
        ExprKind::Ramp(base, _) if !base.is_number() => 1.0 + registers_of(e.dtype),
        _ => 0.0,
    }
}

/// The wider type of an expression and its operands: the result of a comparison fills as many registers as what is compared.
fn widest(e: &Expr) -> DType {
    let mut widest = e.dtype;
    e.for_each_child(|part| {
        if part.dtype.lanes == e.dtype.lanes && part.dtype.bits > widest.bits {
            widest = part.dtype;
        }
    });
    widest
}

/// How many registers of 128 bits a value fills.
pub(in crate::target) fn registers_of(dtype: DType) -> f64 {
    (f64::from(dtype.lanes) / lanes(u32::from(dtype.bits))).ceil()
}

/// The first of the elements at an index that is a vector of neighbours, which one address is enough for; else the index.
pub(in crate::target) fn first_of_row(index: &Expr) -> &Expr {
    match &index.kind {
        ExprKind::Ramp(base, stride) if stride.as_int() == Some(1) => base,
        _ => index,
    }
}

/// How many elements of this many bits a vector has, on a processor of which nothing else is known: 128 bits.
pub(in crate::target) fn lanes(bits: u32) -> f64 {
    f64::from((128 / bits.clamp(8, 128)).max(1))
}

/// By how much an index grows with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stride {
    /// It does not depend on it.
    None,
    /// By this constant.
    Constant(i64),
    /// By something that does not depend on it.
    Invariant,
    /// By different amounts.
    Varying,
}

/// By how much an index grows with a variable.
pub(crate) fn stride(e: &Expr, var: VarId) -> Stride {
    use Stride::{Constant, Invariant, None, Varying};
    match &e.kind {
        ExprKind::Var(own) => {
            if *own == var {
                Constant(1)
            } else {
                None
            }
        }
        ExprKind::Binary(op @ (BinOp::Add | BinOp::Sub), a, b) => {
            let minus = *op == BinOp::Sub;
            match (stride(a, var), stride(b, var)) {
                (Varying, _) | (_, Varying) => Varying,
                (a, None) => a,
                (None, Constant(b)) => Constant(if minus { -b } else { b }),
                (Constant(a), Constant(b)) => Constant(if minus { a - b } else { a + b }),
                (None, Invariant) | (Invariant, _) | (_, Invariant) => Invariant,
            }
        }
        ExprKind::Binary(BinOp::Mul, a, b) => match (stride(a, var), stride(b, var)) {
            (None, None) => None,
            (Constant(a), None) => b.as_int().map_or(Invariant, |b| Constant(a.saturating_mul(b))),
            (None, Constant(b)) => a.as_int().map_or(Invariant, |a| Constant(b.saturating_mul(a))),
            (Invariant, None) | (None, Invariant) => Invariant,
            _ => Varying,
        },
        _ if e.mentions(|v| v == var) => Varying,
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::DType;

    #[test]
    fn strides_are_found() {
        let (x, y) = (|| Expr::var(VarId(0), DType::I32), || Expr::var(VarId(1), DType::I32));
        for (e, expected) in [
            (x() * 3 + y(), Stride::Constant(3)),
            (y() * 3 - x(), Stride::Constant(-1)),
            (x() * y() + 1, Stride::Invariant),
            (y() * y(), Stride::None),
            (x().floordiv(3), Stride::Varying),
            (x() * x(), Stride::Varying),
        ] {
            assert_eq!(stride(&e, VarId(0)), expected, "{e:?}");
        }
    }
}
