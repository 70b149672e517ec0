//! What TVM's passes, which come after satir, take: a result gets through them as the input does.

mod differences;
mod folded;
mod unsigned;
mod zero_divisors;

use crate::ir::PrimFunc;

/// Writes what TVM would change or not compile in another way, as far as `before` does not have it: `after` was made of that.
/// No new binding is left where TVM folds its value over the limits of its type.
pub(crate) fn keep(before: &PrimFunc, after: &mut PrimFunc) {
    differences::keep(before, after);
    unsigned::keep(before, after);
    zero_divisors::keep(before, after);
    folded::keep(before, after);
}
