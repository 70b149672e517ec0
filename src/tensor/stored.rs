//! Tensors that are kept in buffers in any case, and the sizes of axes.

use super::term::Term;
use crate::ir::{BinOp, DType, Expr};

/// The length of an axis, and the type of its variable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Size {
    pub dtype: DType,
    pub extent: Expr,
}

/// How a reduction folds: its operation, from which value, and whether the accumulator is the first operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Folding {
    pub op: BinOp,
    pub init: Expr,
    pub left: bool,
}

/// A tensor that is kept in a buffer in any case: a reduction, or what is read at computed indices. Its body is a term of the
/// axes that it keeps, and then those that it folds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Stored {
    pub folding: Option<Folding>,
    pub kept: Vec<Size>,
    pub folded: Vec<Size>,
    pub body: Term,
}
