//! The project's own test generator: random programs, what must hold of them, and the smallest program for which it
//! does not. The command `satir fuzz` runs it; the library's users do not need it.
//!
//! ```text
//! seed --generate--> Module --oracle--> nothing wrong, or a Finding --shrink--> the smallest Module with that finding
//! ```

mod dice;
mod generate;
mod mutate;
mod oracle;
mod padding;
mod shrink;
pub mod text;
mod tree;

pub use generate::{Shape, padded, program};
pub use mutate::mutate;
pub use oracle::{Finding, Kind, Tally, Thoroughness, check, compare_options};
pub use shrink::shrink;
