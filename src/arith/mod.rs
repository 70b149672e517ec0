//! Facts about integers, independent of any program: intervals, small value types with exhaustive tests, and a
//! decision procedure for conditions.

mod interval;
pub mod linear;

pub use interval::Interval;
