//! Values of bindings and block axes, over what is neither.

use std::collections::BTreeMap;

use crate::ir::{Expr, SBlock, VarId};

/// The values of variables.
pub(super) type Values = BTreeMap<VarId, Expr>;

/// An expression with values in the places of variables.
pub(super) fn inlined(e: &Expr, values: &Values) -> Expr {
    let mut e = e.clone();
    e.substitute(&|var| values.get(&var));
    e
}

/// Adds the values of the axes of a block.
pub(super) fn bind_axes(block: &SBlock, values: &mut Values) {
    for axis in &block.axes {
        let value = inlined(&axis.binding, values);
        values.insert(axis.var, value);
    }
}
