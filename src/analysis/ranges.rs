//! Ranges of variables that follow from where they are defined.

use crate::arith::Interval;
use crate::ir::{Param, PrimFunc};

/// The ranges that hold in the whole function: dimensions of parameters' buffers are not negative.
pub(crate) fn parameter_ranges(func: &PrimFunc) -> Vec<Interval> {
    let mut ranges = vec![Interval::ALL; func.vars.len()];
    let of_params = func.params.iter().filter_map(|p| match p {
        Param::Buffer(buffer) => Some(*buffer),
        Param::Var(_) => None,
    });
    for buffer in of_params.chain(func.matches.iter().map(|&(_, buffer)| buffer)) {
        for extent in &func.buffer(buffer).shape {
            if let Some(v) = extent.as_var() {
                ranges[v.index()] = Interval::NON_NEGATIVE;
            }
        }
    }
    ranges
}

/// The range `min .. min + extent` of a loop variable, if both are constants and it is not empty.
pub(crate) fn extent_range(min: Option<i64>, extent: Option<i64>) -> Interval {
    let range = || {
        let (min, extent) = (min?, extent?);
        Interval::new(min, min.checked_add(extent)?.checked_sub(1)?)
    };
    range().unwrap_or_else(|| min.and_then(|m| Interval::new(m, Interval::POS_INF)).unwrap_or(Interval::ALL))
}
