//! What is known at a place of a program.

use std::sync::Arc;

use hashbrown::HashMap;

use super::facts::Facts;
use super::magnitude::Magnitudes;
use crate::arith::Ranges;
use crate::ir::{Expr, VarId};

/// What is known at a place: facts of variables, and conditions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// The range of each variable.
    pub ranges: Ranges,
    /// Conditions that hold or do not.
    pub facts: Facts,
    /// Values of variables bound by `Bind`, which must read no memory and have no effect.
    pub values: HashMap<VarId, Expr>,
    /// What bounds the variables of the function.
    pub magnitudes: Arc<Magnitudes>,
}

impl Known {
    /// Takes a condition, which has no effect, as one that has this truth value.
    pub(crate) fn learn(&mut self, cond: Expr, truth: bool) {
        self.facts.push(cond, truth, &self.values);
    }
}
