//! Facts about integers, independent of any program: intervals and residues, small value types with exhaustive
//! tests, sample points, and a decision procedure for conditions.

pub(crate) mod addends;
pub(crate) mod bits;
mod interval;
#[allow(dead_code, reason = "passes that move data use parts of it")]
pub(crate) mod invert;
pub(crate) mod linear;
pub(crate) mod points;
pub(crate) mod poly;
mod ranges;
mod residue;
pub(crate) mod transfer;

pub use interval::Interval;
pub(crate) use ranges::Ranges;
pub(crate) use residue::{Residue, gcd};
