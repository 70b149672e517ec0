//! Remarks on the lines of a program, in LLVM's manner: what was done there, what was not, and for what reason.
//!
//! [`collect`] makes them of a program and its result, [`yaml`] and [`sarif`] write them for other tools.

mod missed;
mod passed;
mod remark;
mod site;
mod write;

pub use remark::{Arg, Kind, Remark};
pub use site::Input;
pub use write::{sarif, yaml};

use crate::diag::LineIndex;
use site::Site;

/// The remarks on all functions of a program, by line.
///
/// ```
/// use satir::cse::{self, Options};
/// use satir::remarks::{Input, Kind, collect};
/// use satir::rules::RuleSet;
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((9,)), B: T.Buffer((9,))):\n    B[0] = A[0] + T.float32(1)\n    B[1] = A[0]\n";
/// let (before, options, rules) = (satir::parse(text)?, Options::default(), RuleSet::embedded()?);
/// let (after, report) = cse::run(&before, &options)?;
/// let input = Input {
///     pass: "semantic-cse",
///     file: "my.py",
///     text,
///     before: &before,
///     after: &after,
///     functions: &report.functions,
///     profile: &options.profile,
///     rules: &rules,
///     fast_math: false,
///     positive_dims: false,
/// };
/// let missed: Vec<String> =
///     collect(&input).into_iter().filter(|remark| remark.kind == Kind::Missed).map(|r| r.to_string()).collect();
/// assert!(missed[0].starts_with("my.py:4:5: missed: `A[0]` is loaded again"), "{missed:?}");
/// assert!(missed[0].contains("line 3 may write it"), "{missed:?}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn collect(input: &Input<'_>) -> Vec<Remark> {
    let index = LineIndex::new(input.text);
    let mut remarks = Vec::new();
    for (at, (before, after)) in input.before.funcs.iter().zip(&input.after.funcs).enumerate() {
        let site = Site::new(input, &index, before, after);
        let report = input.functions.get(at);
        passed::collect(&site, report, &mut remarks);
        missed::collect(&site, report, &mut remarks);
    }
    remarks.sort_by_key(|remark| (remark.line, remark.column));
    remarks
}

#[cfg(test)]
mod tests;
