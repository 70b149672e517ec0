//! The joint choice: which of the changes that are right make a function cheaper together.
//!
//! A state is a simplified function. From each of the best ones all moves are tried (`moves`): a condition goes, two loops
//! become one, stores that leave no trace go, conditions leave loops or become their bounds, loops are written otherwise; and
//! the moves that only together are any good, such as to fill the padding of a buffer of the function's own so that a later
//! condition may go. Every move is right by itself, whatever the estimate says, and everything is proven anew in each state.
//!
//! The cost (`cost`) is an estimate of what the compiler makes of the function: its instructions, with loops on vectors. The
//! input is the first state, and what is returned is never dearer, nor by the estimate of `loops` (`compiled`). Its loops are
//! written as that estimate has them. The budgets are counted, so that the answer is the same on every machine.

mod calls;
mod compiled;
mod cost;
mod ended;
mod forward;
mod lowered;
mod moves;
mod nests;
mod outcome;
mod search;
mod sums;
mod vectors;

pub use self::outcome::{Move, Plan, Settings};
use crate::analysis::recall;
use crate::ir::{PrimFunc, with_room};

/// The cheapest function that the search finds, and how it got there.
///
/// ```
/// use satir::cse::Options;
/// use satir::plan::{Settings, run};
///
/// // Nothing is known of `A[14]`, so the condition stays.
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\"), B: T.Buffer((1,), \"int32\")):\n    \
///             T.func_attr({\"tirx.noalias\": True})\n    for i in range(16):\n        if A[i] < 14:\n            B[0] = B[0] + A[i]\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let options = Options::default();
/// let (same, plan) = run(&func, &Settings::new(&options));
/// assert_eq!((same, plan.moves.len()), (func, 0));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn run(func: &PrimFunc, settings: &Settings<'_>) -> (PrimFunc, Plan) {
    recall::keeping(|| with_room(|| search::run(func, settings)))
}
