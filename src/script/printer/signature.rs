//! What the signatures of functions define besides their parameters.

use std::sync::Arc;

use hashbrown::HashSet;

use super::names::Names;
use crate::ir::{DType, Param, PrimFunc, Type, VarId};

/// What a function's parameters define besides themselves.
pub(super) struct Signature {
    /// `int64` dimensions: `TypeVar`s of the module, by name.
    pub(super) type_vars: Vec<(Arc<str>, VarId)>,
}

impl Signature {
    pub(super) fn new(func: &PrimFunc, module: &str) -> Signature {
        let mut params = HashSet::new();
        for param in &func.params {
            if let Param::Var(var) = param {
                params.insert(*var);
            }
        }
        let mut names = Names::new(func, [Arc::from(module)]);
        let mut seen = HashSet::new();
        let mut type_vars = Vec::new();
        for param in &func.params {
            let Param::Buffer(id) = param else { continue };
            let Some(buffer) = func.buffers.get(id.index()) else { continue };
            for e in &buffer.shape {
                e.walk(&mut |part| {
                    if let Some(var) = part.as_var()
                        && !params.contains(&var)
                        && seen.insert(var)
                        && func.vars.get(var.index()).is_some_and(|info| info.ty == Type::Prim(DType::I64))
                    {
                        type_vars.push((names.define_var(func, var), var));
                    }
                });
            }
        }
        type_vars.sort();
        Signature { type_vars }
    }
}

/// The names of the module's `TypeVar`s; functions share those of one name.
pub(super) fn type_var_names(signatures: &[Signature]) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut seen: HashSet<Arc<str>> = HashSet::new();
    for (name, _) in signatures.iter().flat_map(|s| &s.type_vars) {
        if seen.insert(name.clone()) {
            names.push(name.clone());
        }
    }
    names
}
