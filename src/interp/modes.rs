//! How functions are run.

/// What `and` and `or` on scalars evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Logic {
    /// The right operand only if the left one does not decide, as the semantics in [`ir`](crate::ir) say.
    Lazy,
    /// Both operands, as TVM's code generators do.
    Eager,
}

/// How a function is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RunMode {
    /// See [`RunOptions::max_steps`](super::RunOptions::max_steps).
    pub max_steps: u64,
    /// See [`RunOptions::lenient_loads`](super::RunOptions::lenient_loads).
    pub lenient_loads: bool,
    /// Whether a cast of a float that its integer type cannot hold gives some number instead of trapping. The cast does
    /// not trap on any machine, but its value has no meaning: what uses it computes something else than it did.
    pub lenient_casts: bool,
    /// Whether a race between threads is a trap.
    pub races: bool,
    /// Whether elements of inputs that assumptions say the values of are set to these where they have others.
    pub repairs: bool,
    /// Whether a store of what may be anything leaves what is there, which is one of the values that it may store.
    pub undef_stays: bool,
}
