//! Abstract values of integers, independent of any program: intervals. Small value types with exhaustive tests.

mod interval;

pub use interval::Interval;
