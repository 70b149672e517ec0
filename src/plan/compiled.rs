//! What a function takes by the estimate that the pass `loops` goes by: its loops written as that pass writes them, and with all
//! that LLVM is known to make of them ([`Decided::Free`]).
//!
//! The estimate of the search ([`super::cost`]) has all conditions counted and tells plans from each other. That one knows more of
//! what becomes of a function that stays as it is: a plan which it calls dearer is no gain.

use super::lowered;
use super::nests::{self, Work};
use crate::cse::Options;
use crate::ir::PrimFunc;
use crate::loops;
use crate::target::nests::{self as target, Decided, Odds};

/// What a function takes as it is, or when its loops are written otherwise.
pub(super) fn instructions(func: &PrimFunc, options: &Options) -> f64 {
    let runs = lowered::runs(func);
    let as_it_is = taken(&runs, options);
    in_other_loops(&runs, options).map_or(as_it_is, |made| as_it_is.min(taken(&made, options)))
}

/// The function with its loops written otherwise, if it takes less then.
pub(super) fn in_better_loops(func: &PrimFunc, options: &Options) -> Option<PrimFunc> {
    let made = in_other_loops(func, options)?;
    let taken = |func: &PrimFunc| taken(&lowered::runs(func), options);
    (taken(&made) < taken(func)).then_some(made)
}

fn in_other_loops(func: &PrimFunc, options: &Options) -> Option<PrimFunc> {
    nests::changed(func, (Work::Compiled, options), |alone| loops::run(alone, options).map(|(made, _)| made))
}

/// What a function without assumptions takes as it is.
fn taken(func: &PrimFunc, options: &Options) -> f64 {
    let odds = Odds::default();
    target::taken(func, &options.profile, &options.bindings, (&odds, Decided::Free)).instructions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_are_written_otherwise_first() {
        let text = "@T.prim_func\ndef main(A: T.Buffer((4096,)), B: T.Buffer((4096,)), n: T.int32):\n    \
                    T.func_attr({\"tirx.noalias\": True})\n    for i in range(1000):\n        \
                    A[i // 20 * 20 + i % 20] = B[i // 20] * B[i % 20 + n]\n";
        let func = crate::parse(text).expect("a program").funcs.remove(0);
        let options = Options::default();
        let (as_it_is, least) = (taken(&func, &options), instructions(&func, &options));
        assert!(least < 0.5 * as_it_is, "{least} of {as_it_is}");
        let made = in_better_loops(&func, &options).expect("other loops");
        assert_eq!(taken(&made, &options), least);
        assert!(in_better_loops(&made, &options).is_none(), "{}", crate::script::print_func(&made));
    }
}
