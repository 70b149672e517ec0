//! Facts about integers, independent of any program: intervals and residues, small value types with exhaustive
//! tests, sample points, and a decision procedure for conditions.

mod interval;
pub mod linear;
pub mod points;
mod residue;

pub use interval::Interval;
pub use residue::Residue;
