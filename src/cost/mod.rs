//! The cost that is minimized: total weighted dynamic cost .
//!
//! Every operation has a weight, given by a [`Profile`] for its [`OpClass`](crate::ir::opclass::OpClass), and every place in a function has a
//! [`Frequency`], the number of times that control is taken to reach it. The cost of a function is the sum of
//! weight times frequency over all operations in it.
//!
//! # What is counted
//!
//! Everything that the program evaluates: values and indices of stores, loop bounds, conditions, bindings,
//! arguments of calls, axis bindings. Not counted are descriptions that nothing evaluates while the program runs:
//! shapes, strides and offsets of buffers, regions of `T.reads`/`T.writes` and of matched buffers, annotations,
//! the lambda of a reduction, domains of block axes.
//!
//! # Frequency
//!
//! Static: the product of the trip counts of the enclosing loops, times the probability of each enclosing branch.
//! - A trip count is the extent over the step, rounded up, if both can be evaluated from constants, bindings of
//!   symbolic dimensions ([`Bindings`]) and `Bind` statements of such values; else [`Profile::default_extent`].
//!   Thread-bound loops count like others. `while` runs [`Profile::default_extent`] times, its condition too.
//! - Each arm of an `if` has [`Profile::branch`]; under `T.likely` the first arm has [`Profile::likely`] and the
//!   other the rest. `T.where` of a block is an `if`. An arm of `T.if_then_else` is an arm of an `if`, and so is
//!   the right operand of `and` and `or`. Both arms of `T.Select` are evaluated.
//! - A profile with `exact_guards` counts the iterations in which a condition on loop variables holds (`guards`) where it
//!   can, and takes the mean of a trip count that depends on outer loops. The default profile does not.
//! - `T.init()` of a block runs once for all values of its reduction axes.
//!
//! All arithmetic is in fixed point and saturates, so a cost is the same number on every machine and whatever the
//! order in which it was summed.

mod count;
mod frequency;
mod guards;
mod profile;
mod units;

pub use count::{ClassCount, CostBreakdown, cost_of_func};
#[doc(hidden)]
pub use count::{Family, cost_of_expr, family, weight_of};
pub use frequency::Bindings;
pub(crate) use frequency::free_vars;
pub(crate) use frequency::{LazyArms, Places, lazy_arms};
pub use profile::{Profile, ProfileError, Weights};
pub use units::{Cost, Frequency, Weight};
