//! Functions of TVM as object graphs: read into satir's programs, and built from them.
//!
//! ```text
//! PrimFunc of TVM -- read --> ir::PrimFunc -- satir --> ir::PrimFunc -- build --> PrimFunc of TVM
//! ```
//!
//! `read.rs` and its neighbours walk the objects once. `build.rs` and its neighbours make objects of what satir made, and keep
//! those of the input that it left alone. A construct that either does not know is [`Unsupported`]: the function then goes as
//! text.

#[allow(unsafe_code, reason = "the C interface")]
mod abi;
mod attr;
mod buffer;
mod build;
mod build_expr;
mod build_stmt;
mod dtypes;
mod names;
#[allow(unsafe_code, reason = "the only users of the C interface")]
mod object;
mod read;
mod read_expr;
mod read_stmt;
mod schema;

use std::path::Path;
use std::sync::OnceLock;

pub(crate) use build::build;
pub(crate) use object::Obj;
pub(crate) use read::{Taken, read};
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
pub(crate) fn connect(path: &Path) -> Res<()> {
    if TVM.get().is_none() {
        object::load(path)?;
        object::register_take()?;
        let _ = TVM.set(Tvm::new()?);
    }
    Ok(())
}

/// TVM, if it is connected.
pub(crate) fn tvm() -> Res<&'static Tvm> {
    TVM.get().ok_or_else(|| Unsupported::new("TVM is not connected"))
}

/// The object at an address that Python's `tvm_ffi` gave.
#[allow(
    unsafe_code,
    reason = "addresses come from the package `satir.tvm` only, which holds the objects meanwhile"
)]
pub(crate) fn object_at(address: usize) -> Res<Obj> {
    // SAFETY: the Python side passes `Object.__chandle__()` of objects that it holds during the call.
    unsafe { Obj::at(address) }.ok_or_else(|| Unsupported::new("no object is at address 0"))
}

/// An address under which Python takes the object with `satir.take`, once.
pub(crate) fn give(object: Obj) -> usize {
    object.into_address()
}
