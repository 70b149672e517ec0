//! What is known of the value of an e-class.

use std::sync::Arc;

use smallvec::SmallVec;

use super::poly::Poly;
use super::samples::SampleValues;
use crate::arith::{Interval, Residue};
use crate::ir::DType;

/// What is known of a class.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The type of the value; a union across types is a bug.
    pub dtype: DType,
    /// Where the value lies, for integer and `bool` scalars ([`Interval::ALL`] for others).
    pub interval: Interval,
    /// What the value is modulo something, for integer scalars ([`Residue::ALL`] for others).
    pub residue: Residue,
    /// The normal form, for index scalars.
    pub poly: Option<Arc<Poly>>,
    /// Whether the class holds a variable, a load or a template: its normal form is the class itself.
    pub leaf: bool,
    /// Whether a node of the class is a quotient.
    pub quotient: bool,
    /// Depth of the innermost scope that defines a variable of the cheapest-scoped node.
    pub level: u32,
    /// The value at sample points.
    pub samples: SampleValues,
    /// How often merging has made range or normal form better; see [`MAX_UPDATES`].
    pub(super) updates: u8,
}

/// What is known of the operands of a node.
pub(super) type Operands<'a> = SmallVec<[&'a Facts; 3]>;

/// How often the facts of a class may get better by merging. Around a cycle of classes ranges can tighten by one
/// for ever; any of them is right, so the last one is kept.
pub(super) const MAX_UPDATES: u8 = 24;

/// Whether the theory of integers applies to the type: a scalar of a type that is taken not to overflow.
pub(crate) fn in_theory(dtype: DType) -> bool {
    dtype.is_index() && dtype.is_scalar()
}

/// Whether ranges of the type's values are tracked: those of scalars of integer types and `bool`. An interval without an
/// upper end holds the values of `uint64` beyond 63 bits as well.
pub(crate) fn known_range(dtype: DType) -> bool {
    dtype.is_scalar() && (dtype.is_bool() || dtype.is_int() || dtype.is_uint())
}

/// Every value of a type with a known range; of an index type, whose operations do not wrap, all integers.
pub(super) fn values_of(dtype: DType) -> Interval {
    if dtype.is_index() { Interval::ALL } else { values_of_type(dtype) }
}

/// Every value that a variable of a type with a known range can have.
pub(super) fn values_of_type(dtype: DType) -> Interval {
    dtype.int_range().and_then(|(lo, hi)| Interval::between(Some(lo), Some(hi))).unwrap_or(Interval::ALL)
}
