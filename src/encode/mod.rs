//! From statements to the e-graph: the expressions of a function in one graph ([`lower`](mod@lower)), and what placing
//! their values takes: the tree of [`scopes`], what the input evaluates that might trap, and which classes fit their types
//! ([`fits`]). [`lowered`] is the result.

mod fits;
mod input_nodes;
mod loop_facts;
mod lower;
mod lowered;
mod scopes;

pub(crate) use fits::may_overflow;
pub(crate) use input_nodes::Originals;
pub(crate) use lower::{lower, lower_at};
pub(crate) use lowered::{Guard, Lowered, Site, Trap, hole_index};
pub(crate) use scopes::{Place, ScopeId, Scopes};
