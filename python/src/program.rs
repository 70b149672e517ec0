//! The command-line program in process.

#[path = "../../src/cli/mod.rs"]
mod cli;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the program `satir` with these arguments, its name first, and gives its exit code. It writes to the streams of the
/// process, and ends on Ctrl-C only if the process does.
#[pyfunction]
pub(crate) fn main(py: Python<'_>, args: Vec<OsString>) -> u8 {
    py.detach(|| cli::main(&args))
}
