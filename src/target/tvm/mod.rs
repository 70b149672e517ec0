//! What TVM's passes, which come after satir, take: a result gets through them as the input does.

mod bindings;
mod conditions;
mod differences;
mod ends;
mod guards;
mod mask;
mod offsets;
mod wrapped;
mod zero_divisors;

use crate::ir::PrimFunc;

/// Writes what TVM would change or not compile in another way, as far as `before` does not have it: `after` was made of that.
/// No new binding is left that TVM does not take.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) {
    ends::keep(after);
    guards::keep(after);
    differences::keep(before, after);
    conditions::keep(before, after);
    wrapped::keep(before, after);
    zero_divisors::keep(before, after);
    bindings::keep(before, after);
    offsets::keep(before, after);
}
