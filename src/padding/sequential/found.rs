//! The access of a loop nest, and the loops around it.

use std::collections::BTreeMap;

use crate::diag::Span;
use crate::ir::{Expr, For, VarId};

/// The one access of a nest.
pub(super) struct Found {
    /// Its indices, with the values of bindings and block axes in their places.
    pub indices: Vec<Expr>,
    /// The loops around each access that are around all of them, the outermost first.
    pub loops: Vec<For>,
    /// The values of bindings and block axes, if they read no memory.
    pub values: BTreeMap<VarId, Expr>,
    /// The first statement with an access.
    pub span: Span,
}
