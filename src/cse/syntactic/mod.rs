//! Syntactic common subexpression elimination: the baseline, as TVM's `CommonSubexprElim` does it.
//!
//! What is written the same way in several places is computed once, at the lowest block around them, and bound
//! to a variable `cse_v1`, `cse_v2`, … before the first use. Nothing is rearranged: `x + y` and `y + x` are two
//! things.
//!
//! What is eligible, by default as in TVM 0.27: operations that hold no load and no call, are not of type `bool`,
//! and cost something (so not constants, variables, ramps and broadcasts by themselves). Values that depend on a
//! variable of a `Let` expression stay in it. A binding of the input is used like one made here.
//!
//! Unlike TVM's pass, this one
//! - never executes what may trap where the input would not have executed it: `i // n` of two arms under
//!   `n != 0` is bound in each arm, not above the `if`;
//! - binds only where that is a gain by the cost model, at the cheapest of the common blocks;
//! - takes linear time: expressions are numbered by hash-consing (`cse::pool`).
//!
//! Three steps: `scan` numbers expressions and records their uses, `plan` decides on bindings, `rewrite` makes
//! them.

mod facts;
mod options;
mod plan;
mod report;
mod rewrite;
mod scan;
#[cfg(test)]
mod tests;

pub use options::SyntacticOptions;
pub use report::{Binding, SyntacticReport};

use crate::analysis::volatile;
use crate::ir::{PrimFunc, with_room};

/// Shares the common subexpressions of a function, with the default options.
///
/// ```
/// let mut module = satir::parse("@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x * x] = A[x * x]\n")?;
/// satir::cse::syntactic::run(&mut module.funcs[0]);
/// assert_eq!(module.to_string().matches("x * x").count(), 1);
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn run(func: &mut PrimFunc) -> SyntacticReport {
    run_with(func, &SyntacticOptions::default())
}

/// Shares the common subexpressions of a function.
///
/// ```
/// use satir::cost::Profile;
/// use satir::cse::syntactic::{SyntacticOptions, run_with};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), x: T.int32):\n    A[x + 1] = A[x + 1]\n";
/// // Where additions are free, sharing one does not pay for its binding.
/// let profile = Profile::from_json(r#"{"weights": {"add": 0}}"#)?;
/// let options = SyntacticOptions { profile, ..SyntacticOptions::default() };
/// assert!(run_with(&mut satir::parse(text)?.funcs[0], &options).bindings.is_empty());
/// assert_eq!(run_with(&mut satir::parse(text)?.funcs[0], &SyntacticOptions::default()).bindings.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_with(func: &mut PrimFunc, options: &SyntacticOptions) -> SyntacticReport {
    with_room(|| {
        let Some(mut shielded) = volatile::shielded(func) else { return share(func, options) };
        let report = share(&mut shielded, options);
        volatile::unshield(&mut shielded);
        *func = shielded;
        report
    })
}

fn share(func: &mut PrimFunc, options: &SyntacticOptions) -> SyntacticReport {
    let scan = scan::Scan::new(func, options);
    let inserts = plan::plan(&scan, options);
    if inserts.is_empty() && scan.existing.is_empty() {
        return SyntacticReport { bindings: Vec::new(), expressions: scan.classes.len() };
    }
    rewrite::rewrite(func, &scan, &inserts)
}
