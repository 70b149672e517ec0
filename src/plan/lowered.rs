//! A function as the compiler's vectorizer meets it: assumptions and `T.undef()` are gone, buffers are flat, short loops are
//! written out (`vectors`). It is made for the estimate only: it may read what the function does not, and is never printed.

use super::calls;
use super::nests::{self, Work};
use super::sums::grow;
use super::vectors;
use crate::cse::Options;
use crate::ir::{PrimFunc, StmtKind};
use crate::padding::{remove_assume, remove_undef};
use crate::simplify::{self, Reach};
use crate::target::nests::flat;

/// The function as the vectorizer meets it, short loops only if they are to be `written_out`; and what calls take that loops
/// became before that ([`calls`]).
pub(super) fn lowered(func: &PrimFunc, options: &Options, written_out: bool) -> (PrimFunc, f64) {
    let mut made = runs(func);
    let mut has_blocks = false;
    made.body.iter().for_each(|stmt| {
        stmt.walk(&mut |stmt| has_blocks |= matches!(stmt.kind, StmtKind::SBlock(_)));
    });
    if has_blocks {
        return (made, 0.0);
    }
    made = flat(&made).unwrap_or(made);
    let calls = calls::of(&made);
    if written_out {
        if made.body.iter().any(|stmt| matches!(stmt.kind, StmtKind::Bind { .. })) {
            write_out(&mut made, options);
        } else {
            nests::each(&mut made, (Work::WriteOut, options), |alone| {
                write_out(alone, options);
                true
            });
        }
    }
    grow(&mut made.body);
    (made, calls)
}

/// Writes out short loops, and simplifies what that makes. What elements hold was put to use before.
fn write_out(func: &mut PrimFunc, options: &Options) {
    vectors::guard_values(&mut func.body);
    vectors::write_out(&mut func.body);
    vectors::cut(func);
    simplify::run_without_elements(func, &options.simplification(Reach::Everything));
    vectors::choose_values(&mut func.body);
}

/// The function without what does not run.
pub(super) fn runs(func: &PrimFunc) -> PrimFunc {
    let mut made = func.clone();
    remove_assume(&mut made);
    let mut without = made.clone();
    if remove_undef(&mut without).is_ok() { without } else { made }
}
