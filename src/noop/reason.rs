//! Why a change is right, as data and in words.

use std::fmt;
use std::sync::Arc;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::ir::{BufferId, PrimFunc};

/// A change to a function, with what it rests on.
///
/// ```
/// use satir::noop::{Change, Reason};
///
/// let why = vec![Reason::Overwritten { buffer: "A".into() }];
/// let change = Change { what: "a store to `A` goes".to_owned(), reasons: why };
/// assert_eq!(change.to_string(), "a store to `A` goes: what it stores is overwritten before it is read");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Change {
    /// What was done.
    pub what: String,
    /// What it rests on; all of it was proven.
    pub reasons: Vec<Reason>,
}

/// A clause of a proof.
///
/// ```
/// use satir::noop::Reason;
///
/// assert_eq!(Reason::Unchanged { buffer: "B".into() }.to_string(), "what it stores in `B` is there already");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// A store to the buffer is overwritten, or made anything, before it is read.
    Overwritten {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A store to the buffer stores what is there.
    Unchanged {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A load of the buffer is in bounds and was written before.
    WrittenBefore {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A load of the buffer is in bounds, and an assumption names the element.
    Assumed {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A load of the buffer is in bounds, and the function accesses the element in any case.
    AccessedAnyway {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// A load of the buffer is in bounds, and its elements are declared to be readable.
    Declared {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// Both ways to compute a value give the same.
    SameValue,
    /// No iteration of the second loop meets what a later one of the first writes, nor writes what it reads.
    Independent,
    /// What is read of the buffer was moved there, and is unchanged where it came from.
    Moved {
        /// The buffer.
        buffer: Arc<str>,
    },
    /// No iteration of the loop writes what another one accesses.
    Apart,
    /// The indices of a buffer are taken modulo its extents where they would be out of bounds.
    Wrapped {
        /// The buffer.
        buffer: Arc<str>,
    },
}

impl Reason {
    /// The name of the clause in reports.
    fn name(&self) -> &'static str {
        match self {
            Reason::Overwritten { .. } => "overwritten",
            Reason::Unchanged { .. } => "unchanged",
            Reason::WrittenBefore { .. } => "written-before",
            Reason::Assumed { .. } => "assumed",
            Reason::AccessedAnyway { .. } => "accessed-anyway",
            Reason::Declared { .. } => "declared",
            Reason::SameValue => "same-value",
            Reason::Independent => "independent",
            Reason::Moved { .. } => "moved",
            Reason::Apart => "apart",
            Reason::Wrapped { .. } => "wrapped",
        }
    }

    /// The buffer that the clause speaks of.
    fn buffer(&self) -> Option<&str> {
        match self {
            Reason::Overwritten { buffer }
            | Reason::Unchanged { buffer }
            | Reason::WrittenBefore { buffer }
            | Reason::Assumed { buffer }
            | Reason::AccessedAnyway { buffer }
            | Reason::Declared { buffer }
            | Reason::Moved { buffer }
            | Reason::Wrapped { buffer } => Some(buffer),
            Reason::SameValue | Reason::Independent | Reason::Apart => None,
        }
    }
}

/// As data: the clause's name, its buffer, and the words.
impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut data = serializer.serialize_struct("Reason", 3)?;
        data.serialize_field("clause", self.name())?;
        data.serialize_field("buffer", &self.buffer())?;
        data.serialize_field("words", &self.to_string())?;
        data.end()
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Overwritten { .. } => f.write_str("what it stores is overwritten before it is read"),
            Reason::Unchanged { buffer } => write!(f, "what it stores in `{buffer}` is there already"),
            Reason::WrittenBefore { buffer } => {
                write!(f, "what is read of `{buffer}` is in bounds and written before")
            }
            Reason::Assumed { buffer } => {
                write!(f, "what is read of `{buffer}` is in bounds and named by an assumption")
            }
            Reason::AccessedAnyway { buffer } => {
                write!(f, "what is read of `{buffer}` is in bounds and accessed in any case")
            }
            Reason::Declared { buffer } => {
                write!(f, "what is read of `{buffer}` is in bounds and declared to be readable")
            }
            Reason::SameValue => f.write_str("both ways to compute the value give the same"),
            Reason::Independent => {
                f.write_str("no iteration of the second loop depends on a later one of the first")
            }
            Reason::Moved { buffer } => {
                write!(f, "what is read of `{buffer}` was moved there, and is unchanged where it came from")
            }
            Reason::Apart => f.write_str("no iteration of the loop writes what another one accesses"),
            Reason::Wrapped { buffer } => {
                write!(f, "indices of `{buffer}` that would be out of bounds are taken modulo the extent")
            }
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        for (at, reason) in self.reasons.iter().enumerate() {
            write!(f, "{} {reason}", if at == 0 { ":" } else { ";" })?;
        }
        Ok(())
    }
}

/// Names of what a reason speaks of.
pub(super) trait Described {
    /// The name of a buffer.
    fn name_of(&self, buffer: BufferId) -> Arc<str>;
}

impl Described for PrimFunc {
    fn name_of(&self, buffer: BufferId) -> Arc<str> {
        self.buffer(buffer).name.clone()
    }
}
