//! Rewrite rules as data: the file format, the sets that are loaded, and the check of their soundness.
//!
//! `rules/README.md` is the law for writing rules. This module knows nothing of the engine that applies them: it reads
//! `*.rules` files into [`Rule`]s ([`RuleSet`]) and tests every rule against the semantics of the language
//! ([`check`]), with evaluators of its own, so that a mistake of the engine's is not shared by its judge.

mod ast;
pub mod check;
#[doc(hidden)]
pub mod exchange;
mod head;
mod infer;
mod load;
mod set;
mod sexp;
mod unread;

pub use ast::Rule;
pub(crate) use ast::{Cond, Direction, Pat, RuleOp, TypeRef};
pub(crate) use head::{Head, Heads};
pub use set::{RuleInfo, RuleSet, RulesError, SetInfo};
pub(crate) use sexp::MAX_NESTING;
pub(crate) use unread::{Need, Unread, unread};
