//! What the passes over a function have searched.

use crate::analysis::{length, lets};
use crate::ir::PrimFunc;

/// How many times as long as a function it may be with all bindings written out, to be compared.
const GROWTH: usize = 8;

/// The function of which the search made what the last pass found, with the values of all bindings in place of their
/// variables. Bindings are made anew by each search, so one that begins with the same function, bound by the search itself,
/// finds the same. Bindings of another origin may show that more can be evaluated early.
#[derive(Default)]
pub(super) struct Seen {
    written_out: Option<PrimFunc>,
    /// Whether contextual simplification had found nothing in it.
    settled: bool,
}

impl Seen {
    /// A function that the search is about to see; `settled` if contextual simplification found nothing in it.
    pub(super) fn of(func: &PrimFunc, settled: bool) -> Seen {
        Seen { written_out: written_out(func), settled }
    }

    /// Whether the functions are the same.
    pub(super) fn is(&self, other: &Seen) -> bool {
        self.written_out.is_some() && self.written_out == other.written_out
    }

    /// Whether it is this function, simplified as far as it can be.
    pub(super) fn is_settled_as(&self, func: &PrimFunc) -> bool {
        self.settled && self.is(&Seen::of(func, true))
    }
}

/// The function without its bindings; none if some of them must stay, or if that is much longer.
fn written_out(func: &PrimFunc) -> Option<PrimFunc> {
    let mut written_out = lets::inlined(func, length::of(func).saturating_mul(GROWTH))?;
    written_out.compact();
    Some(written_out)
}
