//! Operations by which loops fold integers into one element. In which order that is done makes no difference, so LLVM does it on
//! vectors, a part of the integers in each element of one, and folds those at the end (`RecurrenceDescriptor` of its
//! IVDescriptors.cpp). Floats it folds in the order of the program.

use crate::ir::{BinOp, DType, Expr, ExprKind};

/// Such an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    Sum,
    Product,
    Min,
    Max,
    And,
    Or,
    Xor,
}

impl Fold {
    /// By what a store of a value folds something into the element that it stores to; `is_it`: whether an expression loads that.
    pub(super) fn of(value: &Expr, is_it: &dyn Fn(&Expr) -> bool) -> Option<Fold> {
        let (fold, ..) = operands(value)?;
        // Of `(element + a) + b` both sums are steps of one fold.
        let mut part = value;
        loop {
            let (same, a, b) = operands(part)?;
            if same != fold {
                return None;
            }
            let is_first = is_it(a);
            let is_difference = matches!(part.kind, ExprKind::Binary(BinOp::Sub, ..));
            if is_first || is_it(b) && !is_difference {
                return fold.is_on_vectors(value.dtype).then_some(fold);
            }
            part = a;
        }
    }

    /// Whether vectors do that with integers of a type at all: with longer ones than 32 bits only sums and operations on bits.
    fn is_on_vectors(self, dtype: DType) -> bool {
        let is_integer = dtype.is_scalar() && dtype.is_integral() && !dtype.is_bool();
        is_integer && (dtype.bits <= 32 || !matches!(self, Fold::Product | Fold::Min | Fold::Max))
    }
}

/// What it takes to fold the elements of a vector: a shuffle and an operation for each half of it, and one to take the result out.
pub(super) fn fold_of_vector(lanes: f64) -> f64 {
    2.0 * lanes.log2() + 1.0
}

/// The operation at the root of an expression, if it is one, and its operands.
fn operands(e: &Expr) -> Option<(Fold, &Expr, &Expr)> {
    if let ExprKind::Binary(op, a, b) = &e.kind {
        let fold = match op {
            BinOp::Add | BinOp::Sub => Fold::Sum,
            BinOp::Mul => Fold::Product,
            BinOp::Min => Fold::Min,
            BinOp::Max => Fold::Max,
            _ => return None,
        };
        return Some((fold, a, b));
    }
    let (name, [a, b]) = e.as_intrin()? else { return None };
    let fold = match name {
        "bitwise_and" => Fold::And,
        "bitwise_or" => Fold::Or,
        "bitwise_xor" => Fold::Xor,
        _ => return None,
    };
    Some((fold, a, b))
}
