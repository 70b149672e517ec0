//! What the search minimizes.

use super::lowered;
use crate::cost::{Profile, cost_of_func};
use crate::cse::Options;
use crate::ir::PrimFunc;
use crate::target::{Target, nests};

/// How the cost of a function is found.
#[derive(Clone, Debug)]
pub(super) struct Model<'a> {
    options: &'a Options,
    /// For functions of a GPU: operations, with stores and exact guards.
    operations: Option<Profile>,
    /// Whether short loops are written out and simplified as a compiler does, which takes most of the time.
    written_out: bool,
}

impl<'a> Model<'a> {
    /// The model for a function.
    pub(super) fn new(func: &PrimFunc, options: &'a Options, written_out: bool) -> Model<'a> {
        let is_gpu = options.target_of(func) == Target::Gpu;
        let operations = if is_gpu { Profile::named("padding") } else { None };
        Model { options, operations, written_out }
    }

    /// Whether it counts operations and not instructions.
    pub(super) fn counts_operations(&self) -> bool {
        self.operations.is_some()
    }

    /// What it counts.
    pub(super) fn counts(&self) -> &'static str {
        if self.counts_operations() { "operations" } else { "instructions" }
    }

    /// The cost of a function; assumptions cost nothing.
    pub(super) fn of(&self, func: &PrimFunc) -> f64 {
        match &self.operations {
            Some(profile) => {
                cost_of_func(&lowered::runs(func), profile, &self.options.bindings).total.to_f64()
            }
            None => {
                let Options { profile, bindings, .. } = self.options;
                let (lowered, calls) = lowered::lowered(func, self.options, self.written_out);
                nests::instructions(&lowered, profile, bindings, &nests::Odds::default()) + calls
            }
        }
    }
}
