//! Facts about integers, independent of any program: intervals and residues, small value types with exhaustive
//! tests, and a decision procedure for conditions.

mod interval;
pub mod linear;
mod residue;

pub use interval::Interval;
pub use residue::Residue;
