//! Padding, layouts and assumptions.

mod assume;
mod prune;
mod refusal;
mod undef;
mod value;

pub use assume::remove_assume;
pub use undef::remove_undef;
pub use value::Pad;
