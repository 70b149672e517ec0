//! What passes are told.

use std::cell::RefCell;

use super::args::Args;
use super::change::{Change, Nest};
use crate::cse::Options;
use crate::ir::{Module, PrimFunc};
use crate::noop;
use crate::padding::Layout;
use crate::plan::Plan;

/// What a pass is told beside the program.
///
/// ```
/// use satir::passes::Pass;
///
/// // A pass that tells what the loops over `n` are taken to run.
/// static BOUND: Pass = Pass::new("bound", "tell the value of `n`", &[], |_, settings| {
///     println!("{:?}", settings.options.bindings.get("n"));
///     Ok(None)
/// });
/// assert_eq!(BOUND.name, "bound");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Settings<'a> {
    /// The options of the run.
    pub options: &'a Options,
    /// Whether the pipeline has a pass that computes indices in 64 bits.
    pub(super) widens: bool,
    /// What passes are told beside the options.
    pub args: &'a Args,
    /// What passes say that they did to loop nests, until the manager takes it.
    pub(super) changes: RefCell<Vec<Change>>,
    /// Nests that were written in another way.
    pub(super) nests: RefCell<Vec<Nest>>,
    /// What the pass `plan` did, function by function.
    pub(super) plans: RefCell<Vec<Plan>>,
    /// Budgets that ended before a pass was done, in words.
    pub(super) limits: RefCell<Vec<String>>,
    /// The layouts that buffers got.
    pub(super) layouts: RefCell<Vec<Layout>>,
    /// What the program was within a pass, first to last, if somebody wants that.
    pub(super) stages: Option<RefCell<Vec<Module>>>,
}

impl Settings<'_> {
    /// What the passes of [`noop`] are told.
    pub(super) fn noop(&self) -> noop::Settings {
        let Options { readable_parameters, finite, .. } = *self.options;
        noop::Settings { readable_parameters, finite }
    }

    /// Notes what a plan did, and which budgets ended within it.
    pub(super) fn note_plan(&self, plan: Plan) {
        let limits = plan.limits.iter().map(|limit| format!("`{}`: {limit}", plan.function));
        self.limits.borrow_mut().extend(limits);
        self.plans.borrow_mut().push(plan);
    }

    /// Notes that a pass tried no more than so many places of a function.
    pub(super) fn note_limit(&self, func: &PrimFunc, limit: Option<usize>) {
        self.limits.borrow_mut().extend(
            limit.map(|most| {
                format!("`{}`: the pass ended after {most} tries, others were not made", func.name)
            }),
        );
    }
}
