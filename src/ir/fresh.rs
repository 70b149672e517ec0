//! Names for new variables.

use std::sync::Arc;

use hashbrown::HashSet;

use super::PrimFunc;

/// Names `cse_v1`, `cse_v2`, … that the function does not have.
pub(crate) struct FreshNames {
    taken: HashSet<Arc<str>>,
    last: u32,
}

impl FreshNames {
    pub(crate) fn new(func: &PrimFunc) -> FreshNames {
        let vars = func.vars.iter().map(|v| v.name.clone());
        let taken = vars.chain(func.buffers.iter().map(|b| b.name.clone()));
        FreshNames { taken: taken.filter(|n| n.starts_with("cse_v")).collect(), last: 0 }
    }

    pub(crate) fn next(&mut self) -> Arc<str> {
        loop {
            self.last += 1;
            let name: Arc<str> = format!("cse_v{}", self.last).into();
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }
}
