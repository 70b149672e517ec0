//! satir: an equality-saturation optimizer for tensor programs (TVM's TIR, as TVMScript).
//!
//! [`parse`] reads a program, [`cse::run`] shares its equal computations, and the [`Display`](std::fmt::Display) of
//! the [`Module`](ir::Module) prints it as TVM does.
//!
//! ```
//! let module = satir::parse(
//!     r#"
//! @T.prim_func
//! def main(A: T.Buffer((64,), "int32"), x: T.int32, y: T.int32):
//!     A[x * 3 + y] = y + x * 3
//! "#,
//! )?;
//! let (optimized, report) = satir::cse::run(&module, &satir::cse::Options::default())?;
//! assert!(optimized.to_string().contains("= x * 3 + y"));
//! assert!(report.cost_after() < report.cost_before());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Features, both on by default: `cli` builds the program `satir`, `lab` the laboratory of rewrite rules and the random
//! programs that test satir. The library alone (`default-features = false`) needs neither, and none of the crates that
//! only the program uses.
//!
//! What a program means is written in [`ir`]; ARCHITECTURE.md has the map of the modules and who may import whom.
//!
//! # Stability
//!
//! The interface of the library is what this documentation shows. What is public beyond it, marked `#[doc(hidden)]`, is
//! there for the program `satir` and for satir's own tests, and changes without notice.

pub mod cost;
pub mod cse;
pub mod diag;
pub mod interp;
pub mod ir;
pub mod noop;
pub mod padding;
pub mod passes;
#[doc(hidden)]
pub mod plan;
pub mod report;
pub mod rules;
pub mod script;
pub mod simplify;
pub mod target;
pub mod tensor;
pub mod verify;

mod analysis;
#[doc(hidden)]
pub mod arith;
mod candidates;
#[doc(hidden)]
pub mod certificate;
mod egraph;
mod encode;
#[doc(hidden)]
pub mod eqsat;
#[doc(hidden)]
pub mod error;
#[doc(hidden)]
pub mod explain;
mod extract;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod fuzz;
#[cfg(feature = "lab")]
#[doc(hidden)]
pub mod lab;
mod loops;
#[doc(hidden)]
pub mod page;
#[doc(hidden)]
pub mod prove;
mod reciprocals;
#[doc(hidden)]
pub mod remarks;
mod rewrite;
mod simplifier;
#[doc(hidden)]
pub mod smt;
mod theory;

pub use error::Error;
pub use simplifier::Simplifier;

/// Parses TVMScript.
///
/// # Errors
///
/// What is wrong with the text, and where.
///
/// ```
/// let module = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(x)\n")?;
/// assert_eq!(&*module.funcs[0].name, "main");
///
/// let error = satir::parse("@T.prim_func\ndef main(x: T.int32):\n    T.evaluate(y)\n").unwrap_err();
/// assert_eq!((error.line, error.column), (3, 16));
/// # Ok::<(), satir::diag::Diagnostic>(())
/// ```
pub fn parse(text: &str) -> Result<ir::Module, diag::Diagnostic> {
    script::parse("<text>", text)
}
