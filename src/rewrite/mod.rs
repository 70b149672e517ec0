//! Rewrite rules on the e-graph: where they are tried, conditions, and building of right sides.
//!
//! Rules come from files ([`rules`](crate::rules)). What the theory decides needs no rule, so a pattern is matched
//! modulo what the theory has put into the classes, and operands of `+`, `*`, `==`, `!=` and integer `min`/`max` are
//! tried in both orders. A condition holds only if it is proven from constants, ranges and normal forms (what takes a
//! search is the theory's task). Rules that grow terms without bound (`expensive`) are stopped by the limits on nodes;
//! whether what a rule makes may trap (`may-trap`) is asked where it is placed, as of every node.

mod apply;
mod build;
mod conditions;
mod matcher;
mod matching;
mod observe;
mod rule_index;
#[cfg(test)]
mod tests;

pub use observe::{RuleUse, UnionCount, UnionKind};
pub use rule_index::Rewrites;

pub(crate) use apply::{apply, apply_to};
pub(crate) use matcher::in_lanes;
