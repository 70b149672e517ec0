//! What the passes over a function have searched.

use crate::analysis::{length, lets};
use crate::diag::Span;
use crate::ir::{Block, PrimFunc};

/// Functions that are longer than this, in statements and parts of expressions, get one pass.
pub(super) const LARGE: usize = 20_000;

/// How many times as long as a function it may be with all bindings written out, to be compared.
const GROWTH: usize = 8;

/// The function of which the search made what the last pass found, with the values of all bindings in place of their
/// variables. Bindings are made anew by each search, so one that begins with the same function, bound by the search itself,
/// finds the same, unless an exact search ended early. Bindings of another origin may show that more can be evaluated early.
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

/// The function without its bindings; none if some of them must stay, if that is much longer, or if one pass is all that the
/// function gets.
fn written_out(func: &PrimFunc) -> Option<PrimFunc> {
    let length = length::up_to(func, LARGE + 1);
    if length > LARGE {
        return None;
    }
    let mut written_out = lets::inlined(func, length.saturating_mul(GROWTH))?;
    written_out.compact();
    forget_spans(&mut written_out.body);
    Some(written_out)
}

/// Where a statement came from says nothing of what it does.
fn forget_spans(block: &mut Block) {
    for stmt in block {
        stmt.span = Span::NONE;
        stmt.for_each_block_mut(forget_spans);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The function with these lines in a loop.
    fn seen(lines: &[&str]) -> Seen {
        let text = format!(
            "@T.prim_func\ndef main(A: T.Buffer((9,), \"int32\"), x: T.int32):\n    for i in range(9):\n        {}\n",
            lines.join("\n        ")
        );
        let module = crate::script::parse("seen", &text).unwrap();
        Seen::of(&module.funcs[0], true)
    }

    #[test]
    fn bindings_make_no_other_function() {
        let plain = seen(&["A[i] = (x * x + i) * (x * x)"]);
        let bound = seen(&["y: T.let[T.int32] = x * x", "z: T.let[T.int32] = y + i", "A[i] = z * y"]);
        assert!(plain.is(&bound));
        assert!(!plain.is(&seen(&["A[i] = (x * x + i) * x * x"])));
    }

    #[test]
    fn what_must_stay_bound_is_never_the_same() {
        // Something else is there when the value is used.
        let read = || seen(&["y: T.let[T.int32] = A[i]", "A[i] = 0", "A[8 - i] = y"]);
        assert!(!read().is(&read()));
        assert!(!Seen::default().is(&Seen::default()));
    }
}
