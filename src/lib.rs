//! satir: an equality-saturation optimizer for tensor programs.
pub mod analysis;
pub mod arith;
pub mod cost;
pub mod cse;
pub mod diag;
pub mod eqsat;
pub mod error;
pub mod interp;
pub mod ir;
pub mod passes;
pub mod rules;
pub mod script;
pub mod simplify;
pub mod verify;

pub use error::Error;

/// Parses TVMScript.
///
/// # Errors
///
/// What is wrong with the text, and where.
pub fn parse(text: &str) -> Result<ir::Module, diag::Diagnostic> {
    script::parse("<text>", text)
}
