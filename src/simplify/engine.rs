//! What the regions of a function share while it is simplified.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

use super::answers::Answers;
use super::base::Base;
use super::sample::Sampler;
use crate::cost::Profile;
use crate::ir::PrimFunc;
use crate::rewrite::Rewrites;
use crate::target::Ties;

/// What all graphs of a function are made by.
#[derive(Clone, Copy)]
pub(super) struct Graphs<'a> {
    /// The function's tables.
    pub func: &'a PrimFunc,
    /// Which of two equal expressions is cheaper.
    pub profile: &'a Profile,
    /// The rewrite rules.
    pub rewrites: &'a Rewrites,
    /// Which expressions are simplified.
    pub reach: Reach,
    /// Which of expressions of one cost are taken.
    pub ties: Ties,
}

/// What all regions of a function share.
pub(super) struct Engine<'a> {
    /// By what graphs are made.
    pub graphs: Graphs<'a>,
    /// The e-nodes of all graphs so far.
    pub work: Cell<usize>,
    /// Sample points.
    pub sampler: Sampler,
    /// What holds in the whole function.
    pub base: Base,
    /// What was found before.
    pub answers: Rc<Answers>,
    /// The number of the function's tables in a search.
    pub tables: OnceCell<usize>,
}

/// Which expressions of a region are simplified.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::Options;
/// use satir::simplify::{self, Reach, Settings};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,))):\n    for i in range(9):\n        if i < 9:\n            A[i] = T.float32(0)\n";
/// let options = Options::default();
/// let profile = Profile::default();
/// let rewrites = &options.rewrites;
/// let settings = Settings { profile: &profile, rewrites, reach: Reach::Everything, positive_dims: false };
/// let mut module = satir::parse(text)?;
/// assert!(simplify::run(&mut module.funcs[0], &settings).any());
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// All.
    Everything,
    /// Those that only the facts of their place can simplify, and conditions: the rest is left to what sees the
    /// whole function.
    Context,
}
