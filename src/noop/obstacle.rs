//! What stands in the way of a change.

use std::fmt;
use std::sync::Arc;

use super::reason::Described;
use crate::ir::{BufferId, PrimFunc};

/// What stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// An access of the buffer may be out of bounds.
    Bounds(BufferId),
    /// A load of the buffer may not be permitted.
    Read(BufferId),
    /// A store to the buffer may be seen.
    Store(BufferId),
    /// Another thread may meet an access of the buffer.
    Threads(BufferId),
    /// A statement is of a kind that may not be added, or taken away.
    Statement,
    /// An operation may trap.
    Trap,
    /// The two ways to compute a value may differ.
    Value,
    /// A later iteration of the first loop may meet what the second one accesses.
    Order,
    /// There is nothing there that could change.
    Nothing,
}

impl Obstacle {
    /// The same in words that need no function.
    pub(super) fn in_words(self, func: &PrimFunc) -> Refusal {
        let (what, buffer) = match self {
            Obstacle::Bounds(buffer) => ("an access may be out of bounds", Some(buffer)),
            Obstacle::Read(buffer) => ("what would be read may never have been written", Some(buffer)),
            Obstacle::Store(buffer) => ("what is stored may be seen", Some(buffer)),
            Obstacle::Threads(buffer) => ("another thread may meet an access", Some(buffer)),
            Obstacle::Statement => ("a statement may do more than store", None),
            Obstacle::Trap => ("an operation may trap", None),
            Obstacle::Value => ("the values may differ", None),
            Obstacle::Order => {
                ("a later iteration of the first loop may meet what the second accesses", None)
            }
            Obstacle::Nothing => ("nothing there can change", None),
        };
        Refusal { what, buffer: buffer.map(|buffer| func.name_of(buffer)) }
    }
}

/// Why a change is not made: what could not be proven.
///
/// ```
/// use satir::noop::{Settings, SiteKind, apply, sites};
///
/// let text = "@T.prim_func\ndef main(A: T.Buffer((16,), \"int32\")):\n    for i in range(16):\n        if i < 14:\n            A[i] = 100\n";
/// let func = satir::parse(text)?.funcs.remove(0);
/// let site = sites(&func).into_iter().find(|site| site.kind == SiteKind::Overcompute).expect("there is one");
/// let refusal = apply(&func, &site, Settings::default()).unwrap_err();
/// assert_eq!(refusal.to_string(), "what is stored may be seen (`A`)");
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// What could not be proven, as what is possible.
    pub what: &'static str,
    /// The buffer that it is about.
    pub buffer: Option<Arc<str>>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        self.buffer.iter().try_for_each(|buffer| write!(f, " (`{buffer}`)"))
    }
}
