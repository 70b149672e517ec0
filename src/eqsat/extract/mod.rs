//! Extraction: which node computes each needed class, and where.
//!
//! Minimized is the cost of DESIGN section 3. With `N` the chosen nodes (one for each needed class `c`), `P(c)` the
//! places where `c` is bound, `U(c)` the places where it is computed inline, `w` weights and `f` frequencies:
//!
//! ```text
//! sum over c of ( sum over p in P(c) of (w(N(c)) + w(let)) * f(p)  +  sum over u in U(c) of w(N(c)) * f(u) )
//! ```
//!
//! [`select`] chooses the nodes, counting a shared class once at its best place; [`place`] then decides for each
//! class, exactly, where to bind and where to compute inline, given the places of its uses.

pub mod place;
pub mod select;

pub use place::{Binding, Plan};
pub use select::{Chosen, Selection};
