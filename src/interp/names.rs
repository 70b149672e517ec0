//! The names that bindings and constraints of a function can be about, to tell a misspelt one.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::inputs::{Constraints, free_variables, param_buffers, stray_constraint};
use crate::ir::{DType, Param, PrimFunc};

/// The names that [`Bindings`](super::Bindings) can give values to: scalar parameters, and the variables in shapes, strides
/// and offsets of the buffers that the caller provides.
///
/// ```
/// use satir::interp::bindable;
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((\"n\",)), x: T.float32):\n    n = T.int32()\n    for i in range(n):\n        A[i] = x\n")?;
/// let names: Vec<_> = bindable(&module.funcs[0]).into_iter().collect();
/// assert_eq!(names, ["n".into(), "x".into()], "but not `i`");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn bindable(func: &PrimFunc) -> BTreeSet<Arc<str>> {
    let mut vars: BTreeSet<_> = free_variables(func).into_iter().collect();
    for buffer in param_buffers(func) {
        let buffer = func.buffer(buffer);
        for e in buffer.shape.iter().chain(&buffer.strides).chain(&buffer.elem_offset) {
            e.walk(&mut |e| vars.extend(e.as_var()));
        }
    }
    vars.into_iter().map(|var| func.var(var).name.clone()).collect()
}

/// Whether a constraint of this name, one of `constraints`, says something of a buffer of the function.
///
/// ```
/// use satir::interp::{Constraints, constrains};
///
/// let module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,))):\n    A[0] = B[0]\n")?;
/// let constraints: Constraints = serde_json::from_str(r#"{"A": {"kind": "uniform", "lo": 0, "hi": 1}}"#)?;
/// assert!(constrains(&module.funcs[0], &constraints, "A"));
/// assert!(!constrains(&module.funcs[0], &constraints, "C"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn constrains(func: &PrimFunc, constraints: &Constraints, name: &str) -> bool {
    let handle = |param: &Param| match *param {
        Param::Var(var) => {
            let matched = func.matches.iter().any(|&(handle, _)| handle == var);
            func.var(var).ty.dtype() == DType::HANDLE && *func.var(var).name == *name && !matched
        }
        Param::Buffer(_) => false,
    };
    param_buffers(func).any(|buffer| *func.buffer(buffer).name == *name)
        || func.params.iter().any(handle)
        || stray_constraint(func, constraints).is_some_and(|(stray, _)| stray == name)
}
