//! Equality saturation over the expressions of a function: from statements to one typed e-graph and back.
//!
//! ```text
//! PrimFunc --encode--> e-graph, scopes, sites --theory, rewrite--> saturated --candidates--> with alternatives
//!          --extract--> a node per class, and bindings --raise--> PrimFunc
//! ```
//!
//! Each stage is a module; data flows one way. The reasons why the equalities are sound are in `egraph::propagate` and
//! `theory`, those for placement in `extract::place`.

mod driver;
pub(crate) mod raise;
mod saturation;
pub mod show;
#[cfg(test)]
mod tests;

pub use crate::egraph::TheoryLevel;
pub use crate::extract::Effort;
pub use crate::rewrite::{Rewrites, RuleUse, UnionCount, UnionKind};
pub use driver::{Bound, Config, Failure, Optimized, Stats, optimize};

pub(crate) use driver::with_choice;
pub(crate) use saturation::{
    GROWTH, ROUNDS_OF_EXPRESSIONS, limit, saturate, saturate_sites, saturate_within,
};
