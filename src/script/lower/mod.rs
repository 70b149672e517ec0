//! Syntax tree to program: names get meanings, expressions get types.
//!
//! Statements are built in the order of the text, as TVM's own parser does: evaluating a call such as
//! `T.alloc_buffer(…)` adds the statement to the current block and yields the buffer.

mod attr;
pub(super) mod buffer;
mod call;
mod copies;
mod depth;
mod expr;
mod frame;
mod func;
mod index;
mod intrinsic;
mod limits;
mod module;
mod state;
mod stmt;
mod value;
mod with;

pub(super) use self::expr::UNDEFINED;
pub(crate) use self::module::{lower_expr, lower_lambda, lower_module};
