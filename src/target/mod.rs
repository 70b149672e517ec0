//! What becomes of a function: the compiler that takes it, and passes that write the result as that compiler likes it.

mod compiler;
pub(crate) mod llvm;
mod model;
pub(crate) mod nests;
mod objective;
mod reason;
pub(crate) mod scalars;
pub(crate) mod sizes;
pub(crate) mod tvm;
pub(crate) mod vectors;
mod widen;

pub use compiler::{IndexBits, Target};
pub(crate) use compiler::{is_llvm_for_any_x86, multiplies_wide};
pub use model::Model;
pub(crate) use objective::{Objective, Price, Prices, Ties, compare_programs};
pub use reason::Reason;
pub(crate) use widen::widen;

#[cfg(test)]
mod tests;
