//! Sizes of buffers: what is known of those of parameters, and simpler ones for those that are allocated.

use std::sync::Arc;

use super::assume::assume;
use super::defined;
use super::engine::Engine;
use super::prove::prove;
use super::region;
use crate::analysis::known::Known;
use crate::analysis::magnitude::Magnitudes;
use crate::analysis::ranges::parameter_ranges;
use crate::arith::Interval;
use crate::ir::{BinOp, BufferId, Expr, Origin, PrimFunc};

/// The most passes over one shape; each may let the next see more.
const MAX_PASSES: usize = 4;

/// What holds in the whole function: dimensions of parameters are not negative, or (`positive`) not below 1.
pub(crate) fn known(func: &PrimFunc, positive: bool) -> Known {
    let magnitudes = Arc::new(Magnitudes::new(func));
    let mut known = Known { ranges: parameter_ranges(func).into(), magnitudes, ..Known::default() };
    let least = i64::from(positive);
    let at_least = Interval::new(least, Interval::POS_INF);
    for buffer in func.buffers.iter().filter(|b| matches!(b.origin, Origin::Param | Origin::Match(_))) {
        for extent in &buffer.shape {
            if let Some(v) = extent.as_var() {
                let range = &mut known.ranges[v.index()];
                *range = at_least.and_then(|r| r.meet(*range)).unwrap_or(*range);
            }
        }
    }
    // Sizes that are expressions say something of their variables.
    for buffer in func.buffers.iter().filter(|b| matches!(b.origin, Origin::Param | Origin::Match(_))) {
        for extent in
            buffer.shape.iter().filter(|e| e.as_int().is_none() && e.as_var().is_none() && !e.has_effect())
        {
            let fact = Expr::binary(BinOp::Le, Expr::int(least, extent.dtype), extent.clone());
            if extent.dtype.is_index() && prove(&known, &fact, false) != Some(true) {
                assume(&mut known, &fact, true);
            }
        }
    }
    known
}

/// A simpler shape of a buffer that is allocated where `known` holds, with how much was replaced. Where a division
/// of the shape has no value the program has no meaning, so none of its divisors is zero.
pub(super) fn simplified(
    engine: &Engine<'_>,
    known: &mut Known,
    buffer: BufferId,
) -> Option<(Vec<Expr>, usize)> {
    let mut shape = engine.graphs.func.buffer(buffer).shape.clone();
    if !shape.iter().any(|e| region::worth_it(known, e)) {
        return None;
    }
    let facts = known.facts.len();
    shape.iter().flat_map(defined::conditions).for_each(|condition| known.learn(condition, true));
    let mut replaced = 0;
    for _ in 0..MAX_PASSES {
        let mut open: Vec<&mut Expr> = shape.iter_mut().filter(|e| !e.has_effect()).collect();
        let before = replaced;
        replaced += region::replace(engine, known, &mut open);
        for e in open {
            replaced += region::simplify_arms(engine, known, e);
        }
        if replaced == before {
            break;
        }
    }
    known.facts.truncate(facts);
    (replaced > 0).then_some((shape, replaced))
}
