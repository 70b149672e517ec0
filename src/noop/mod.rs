//! Changes that rest on one question: does running some statements, where a condition holds, change nothing that can be
//! observed, and may they be run there?
//!
//! - [`remove_no_op`]: statements that never change anything go.
//! - [`overcompute`]: a condition goes if what it guards may as well run where it does not hold.
//! - [`add_branches`]: the reverse: statements get a condition, where they change nothing without it.
//! - [`choose_padding`]: padding that nobody sees gets a value, where conditions can go that rest on it.
//! - [`merge_loops`]: neighbouring loops over one domain become one, if no dependence is turned round.
//! - `interchanged`: a loop whose iterations touch nothing of each other goes into those in it.
//! - [`remove_copies`]: buffers go that only hold what was moved there from elsewhere.
//!
//! `under` answers the question for accesses that a change adds (`ghosts`): every clause of the answer is in a file of
//! its own (`clause` lists them). Loads must be in bounds and permitted (`permit`), stores dead or of what is there (`same`), nothing may trap
//! (`total`), and no other thread may meet what is stored (`threads`). What is not proven is no.
//!
//! `sites` and `apply` are the same changes one by one, for whoever chooses among them; `establish` makes true first what
//! a condition needs to go.
//!
//! `guarantee` says what a function leaves in a buffer, for the functions that get it.
//!
//! After each change everything is found out anew: a store that a change adds may end what another one rests on.

mod arms;
mod branching;
mod clause;
mod copies;
mod establish;
mod fill;
mod guarantee;
mod interchange;
mod merge;
mod named;
mod obstacle;
mod order;
mod overcompute;
mod permit;
mod reason;
mod remove;
mod same;
mod settings;
mod sites;
mod statements;
#[cfg(test)]
mod tests;
mod threads;
mod total;
mod tries;
mod under;

pub(crate) use self::guarantee::link;
#[doc(hidden)]
pub use self::obstacle::Refusal;
pub use self::reason::{Change, Reason};
pub use self::settings::Settings;
pub(crate) use self::sites::apply_each;
#[doc(hidden)]
pub use self::sites::{Site, SiteKind, apply, apply_after_filling, sites};
pub(crate) use self::tries::Made;
use crate::ir::{DType, PrimFunc};

/// Removes what changes nothing: stores that are overwritten before they are read or store what is there, iterations that do
/// no more than that, and then loops, conditions, bindings and allocations that are left for nothing. Returns what went, and
/// why.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        A[i] = 100\n        A[i] = 42\n";
/// let mut func = satir::parse(text)?.funcs.remove(0);
/// let changes = satir::noop::remove_no_op(&mut func);
/// assert_eq!(changes[0].to_string(), "a store to `A` goes: what it stores is overwritten before it is read");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn remove_no_op(func: &mut PrimFunc) -> Vec<Change> {
    crate::ir::with_room(|| remove::run(func))
}

/// Removes conditions whose statements may as well run where they do not hold, with indices that would be out of bounds taken
/// modulo the extent. Returns which, and why.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((1,), \"int32\")):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    for i in range(16):\n        T.assume(i < 14 or A[i] == 0)\n    \
///             B[0] = 0\n    for i in range(16):\n        if i < 14:\n            B[0] = B[0] + A[i]\n";
/// let mut func = satir::parse(text)?.funcs.remove(0);
/// assert_eq!(satir::noop::overcompute(&mut func, satir::noop::Settings::default()).len(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn overcompute(func: &mut PrimFunc, settings: Settings) -> Vec<Change> {
    overcompute_within(func, settings).changes
}

/// As [`overcompute`], and whether it tried everything.
pub(crate) fn overcompute_within(func: &mut PrimFunc, settings: Settings) -> Made {
    crate::ir::with_room(|| overcompute::run(func, settings))
}

/// Merges neighbouring serial loops over one domain where no iteration of the second uses or changes what a later one of the
/// first does. Returns which, and why.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        A[i] = i\n    \
///             for j in range(16):\n        A[j] = A[j] * 2\n";
/// let mut func = satir::parse(text)?.funcs.remove(0);
/// assert_eq!(satir::noop::merge_loops(&mut func).len(), 1);
/// assert_eq!(func.body.len(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn merge_loops(func: &mut PrimFunc) -> Vec<Change> {
    crate::ir::with_room(|| merge::run(func))
}

/// Removes the function's own buffers that only hold what was moved there: loads of them become loads of what was stored, where
/// that is a choice among elements and constants that are unchanged. Returns which, and why. Whether that pays is not asked.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((4, 8)), B: T.Buffer((8, 4))):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    C = T.alloc_buffer((8, 4))\n    \
///             for i, j in T.grid(8, 4):\n        C[i, j] = A[j, i]\n    \
///             for i, j in T.grid(8, 4):\n        B[i, j] = C[i, j]\n";
/// let mut module = satir::parse(text)?;
/// assert_eq!(satir::noop::remove_copies(&mut module.funcs[0]).len(), 1);
/// assert!(module.to_string().contains("B[i, j] = A[j, i]"), "{module}");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[doc(hidden)]
pub fn remove_copies(func: &mut PrimFunc) -> Vec<Change> {
    crate::ir::with_room(|| copies::run(func))
}

/// The function with each one of its loops in the loops that fold in it, where its iterations touch nothing of each other; at most
/// so many. Whether that pays is not asked.
pub(crate) fn interchanged(func: &PrimFunc, most: usize) -> Vec<(PrimFunc, Change)> {
    crate::ir::with_room(|| interchange::each(func, most))
}

/// The function without each one of the buffers that [`remove_copies`] removes.
pub(crate) fn without_each_copy(func: &PrimFunc) -> Vec<(PrimFunc, Change)> {
    let buffers = copies::buffers(func).into_iter();
    crate::ir::with_room(|| {
        buffers.take(copies::MAX_BUFFERS).filter_map(|b| copies::without(func, b)).collect()
    })
}

/// Gives statements in loops conditions, so that they do not run where they change nothing: where what they store is
/// overwritten later, or is there already. Returns which, and why. Whether that pays is not asked.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((16,), \"int32\")):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    for i in range(16):\n        A[i] = B[i] * B[i]\n    \
///             for i in range(16):\n        if i >= 14:\n            A[i] = 0\n";
/// let mut module = satir::parse(text)?;
/// assert_eq!(satir::noop::add_branches(&mut module.funcs[0]).len(), 1);
/// assert!(module.to_string().contains("if i < 14:\n                A[i] = B[i] * B[i]"), "{module}");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[doc(hidden)]
pub fn add_branches(func: &mut PrimFunc) -> Vec<Change> {
    add_branches_within(func).changes
}

/// As [`add_branches`], and whether it tried everything.
pub(crate) fn add_branches_within(func: &mut PrimFunc) -> Made {
    crate::ir::with_room(|| branching::run(func))
}

/// Stores constants in padding that nobody sees, where conditions can go afterwards that rest on the value
/// ([`overcompute`]). Returns which, and why nobody sees it.
///
/// ```
/// let text = "@T.prim_func\ndef main(A: T.Buffer((14,), \"int32\"), C: T.Buffer((1,), \"int32\")):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    B = T.alloc_buffer((16,), \"int32\")\n    \
///             for i in range(16):\n        if i < 14:\n            B[i] = A[i]\n    C[0] = 0\n    \
///             for i in range(16):\n        if i < 14:\n            C[0] = C[0] + B[i]\n";
/// let mut func = satir::parse(text)?.funcs.remove(0);
/// let settings = satir::noop::Settings::default();
/// assert!(satir::noop::overcompute(&mut func, settings).is_empty());
/// assert_eq!(satir::noop::choose_padding(&mut func, settings).len(), 1);
/// assert_eq!(satir::noop::overcompute(&mut func, settings).len(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn choose_padding(func: &mut PrimFunc, settings: Settings) -> Vec<Change> {
    crate::ir::with_room(|| fill::run(func, settings))
}

/// The constants that padding of a type may be, in the order in which they are tried, as options spell them.
pub(crate) fn padding_values(func: &PrimFunc, dtype: DType) -> Vec<String> {
    fill::constants(func, dtype).iter().filter_map(fill::spelled).collect()
}
