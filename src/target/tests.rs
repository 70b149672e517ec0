//! What tests of late passes have in common.

use crate::fuzz::compare_options;
use crate::interp::equiv;
use crate::ir::{Module, PrimFunc};

/// What a pass makes of the first function of a program, which is well-formed and does the same, and whether it says that it found
/// something.
pub(super) fn same_after(before: &Module, pass: impl FnOnce(&mut PrimFunc) -> bool) -> (Module, bool) {
    let mut module = before.clone();
    let found = pass(&mut module.funcs[0]);
    crate::verify::verify(&module).unwrap_or_else(|e| panic!("{e:?}\n{module}"));
    let same = equiv(before, &module, &compare_options(before, 1)).expect("programs that run");
    assert!(same.difference.is_none() && same.compared > 0, "{same:?}\n{module}");
    (module, found)
}
