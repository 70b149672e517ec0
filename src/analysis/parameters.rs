//! The scalars that a function is called with.

use crate::ir::{Expr, Origin, Param, PrimFunc, VarId};

/// The scalar parameters and the dimensions of parameters, in order.
pub(crate) fn scalar_parameters(func: &PrimFunc) -> Vec<VarId> {
    let mut found = Vec::new();
    let mut add = |var: VarId| {
        if !found.contains(&var) {
            found.push(var);
        }
    };
    for param in &func.params {
        if let Param::Var(var) = param {
            add(*var);
        }
    }
    for buffer in func.buffers.iter().filter(|b| matches!(b.origin, Origin::Param | Origin::Match(_))) {
        buffer.shape.iter().filter_map(Expr::as_var).for_each(&mut add);
    }
    found
}
