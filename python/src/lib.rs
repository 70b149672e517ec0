//! The extension module of the Python package `satir`: the optimizer in process.
//!
//! Python's side (`python/satir`) checks and collects options; this side runs them, with the interpreter's lock released.
//! `tvm` reads and builds functions of TVM as objects.

mod errors;
mod expressions;
mod interrupt;
mod optimizer;
mod program;
mod rules;
mod settings;
mod tvm;

use std::path::PathBuf;

use pyo3::prelude::*;

/// Small nodes are allocated by the million, for which this one takes less time than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The extension module.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<optimizer::Optimizer>()?;
    module.add_class::<optimizer::Report>()?;
    module.add_class::<expressions::Simplifier>()?;
    module.add_function(wrap_pyfunction!(connect, module)?)?;
    module.add_function(wrap_pyfunction!(program::main, module)?)?;
    module.add_function(wrap_pyfunction!(optimizer::as_text, module)?)?;
    module.add_function(wrap_pyfunction!(expressions::expression_text, module)?)?;
    module.add_function(wrap_pyfunction!(rules::rules_list, module)?)?;
    module.add_function(wrap_pyfunction!(rules::rules_check, module)?)?;
    module.add_function(wrap_pyfunction!(rules::rules_stats, module)?)?;
    module.add_function(wrap_pyfunction!(rules::rules_ablate, module)?)?;
    module.add_function(wrap_pyfunction!(rules::rules_suggest, module)?)?;
    Ok(())
}

/// Connects with TVM's library `libtvm_ffi`, which Python has loaded from this path.
#[pyfunction]
fn connect(py: Python<'_>, path: PathBuf) -> PyResult<()> {
    tvm::connect(py, &path)
}
