//! Ranges of variables from conditions that compare one with a constant.

use crate::analysis::known::Known;
use crate::analysis::ranges::satisfying;

/// Narrows the ranges of the variables that the facts compare with constants. What contradicts a range is left to what
/// looks for contradictions.
pub(super) fn by_facts(known: &mut Known) {
    let Known { ranges, facts, .. } = known;
    for (fact, truth) in facts.iter() {
        if let Some((e, range)) = satisfying(fact, *truth)
            && let Some(var) = e.as_var()
            && let Some(own) = ranges.get_mut(var.index())
        {
            *own = own.meet(range).unwrap_or(*own);
        }
    }
}
