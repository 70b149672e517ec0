//! Objects of TVM between Python and Rust.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::call;
use super::object::Obj;
use crate::errors;

/// What is called of Python's `tvm_ffi`.
struct Side {
    /// The method `CObject.__chandle__`, which says at which address the object is that an instance holds.
    handle: Py<PyAny>,
    /// The function `satir.take`.
    take: Py<PyAny>,
}

static SIDE: PyOnceLock<Side> = PyOnceLock::new();

/// Finds what is called later; `satir.take` is registered.
pub(super) fn connect(py: Python<'_>) -> PyResult<()> {
    let found = SIDE.get_or_try_init(py, || {
        let ffi = py.import("tvm_ffi")?;
        let handle = ffi.getattr("core")?.getattr("CObject")?.getattr("__chandle__")?.unbind();
        let take = ffi.call_method1("get_global_func", ("satir.take",))?.unbind();
        Ok::<_, PyErr>(Side { handle, take })
    });
    found.map(|_| ())
}

fn side(py: Python<'_>) -> PyResult<&Side> {
    SIDE.get(py).ok_or_else(|| errors::unsupported("TVM is not connected"))
}

/// The object that one of Python holds; `TypeError` if it is no object of TVM.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Obj> {
    let address: usize = side(object.py())?.handle.bind(object.py()).call1((object,))?.extract()?;
    // SAFETY: the method of the class itself was called, which takes nothing but its instances. Such a one owns a reference to
    // the object at its address as long as it lives, and `object` keeps it alive meanwhile.
    unsafe { Obj::at(address) }.ok_or_else(|| errors::unsupported("an object that TVM has moved away"))
}

/// The object as one of Python.
pub(crate) fn to_python<'py>(py: Python<'py>, object: Obj) -> PyResult<Bound<'py, PyAny>> {
    let take = side(py)?.take.bind(py);
    call::hand(object);
    take.call0()
}
