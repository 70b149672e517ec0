//! Functions of TVM as object graphs: read into satir's programs, and built from them.
//!
//! ```text
//! PrimFunc of TVM -- read --> ir::PrimFunc -- satir --> ir::PrimFunc -- build --> PrimFunc of TVM
//! ```
//!
//! `read.rs` and its neighbours walk the objects once. `build.rs` and its neighbours make objects of what satir made, and keep
//! those of the input that it left alone. `expression.rs` does both for single expressions, `python.rs` exchanges objects with
//! Python. A construct that either does not know is [`Unsupported`]: the function then goes as
//! text.

#[allow(unsafe_code, reason = "the C interface")]
mod abi;
mod attr;
mod buffer;
mod build;
mod build_expr;
mod build_stmt;
#[allow(unsafe_code, reason = "calls through the C interface")]
mod call;
mod dtypes;
mod expression;
mod names;
#[allow(unsafe_code, reason = "objects of the C interface")]
mod object;
#[allow(unsafe_code, reason = "where the addresses of Python's objects are known to be right")]
mod python;
mod read;
mod read_expr;
mod read_stmt;
mod schema;

use std::path::Path;
use std::sync::OnceLock;

use pyo3::prelude::*;

pub(crate) use build::build;
pub(crate) use expression::{TakenExpr, build_expr, read_expr};
pub(crate) use object::Obj;
pub(crate) use python::{from_python, to_python};
pub(crate) use read::{Limits, Taken, read};
pub(crate) use schema::Tvm;

/// Why a function cannot go over as objects.
#[derive(Clone, Debug)]
pub(crate) struct Unsupported(pub(crate) String);

impl Unsupported {
    pub(crate) fn new(what: impl Into<String>) -> Unsupported {
        Unsupported(what.into())
    }
}

/// What reading and building give.
pub(crate) type Res<T> = Result<T, Unsupported>;

static TVM: OnceLock<Tvm> = OnceLock::new();

/// Connects with TVM's library, which Python has loaded from this path.
pub(crate) fn connect(py: Python<'_>, path: &Path) -> PyResult<()> {
    if TVM.get().is_none() {
        let tvm = || {
            object::load(path)?;
            call::register_take()?;
            Tvm::new()
        };
        let _ = TVM.set(tvm().map_err(|e: Unsupported| crate::errors::unsupported(&e.0))?);
    }
    python::connect(py)
}

/// TVM, if it is connected.
pub(crate) fn tvm() -> Res<&'static Tvm> {
    TVM.get().ok_or_else(|| Unsupported::new("TVM is not connected"))
}
