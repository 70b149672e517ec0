//! Objects of TVM between Python and Rust.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

use super::call;
use super::object::Obj;
use crate::errors;

/// What is called of Python's `tvm_ffi`.
struct Side {
    /// The class `CObject`, whose instances hold an object each.
    class: Py<PyType>,
    /// Its method `__chandle__`, which says at which address the object is. It does not look whether it is given an instance.
    handle: Py<PyAny>,
    /// The function `satir.take`.
    take: Py<PyAny>,
}

static SIDE: PyOnceLock<Side> = PyOnceLock::new();

/// Finds what is called later; `satir.take` is registered.
pub(super) fn connect(py: Python<'_>) -> PyResult<()> {
    let found = SIDE.get_or_try_init(py, || {
        let ffi = py.import("tvm_ffi")?;
        let class = ffi.getattr("core")?.getattr("CObject")?.cast_into::<PyType>()?;
        let handle = class.getattr("__chandle__")?.unbind();
        let take = ffi.call_method1("get_global_func", ("satir.take",))?.unbind();
        Ok::<_, PyErr>(Side { class: class.unbind(), handle, take })
    });
    found.map(|_| ())
}

fn side(py: Python<'_>) -> PyResult<&Side> {
    SIDE.get(py).ok_or_else(|| errors::unsupported("TVM is not connected"))
}

/// The object that one of Python holds; `TypeError` if it is no object of TVM.
pub(crate) fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Obj> {
    let side = side(object.py())?;
    let class = object.get_type();
    // Not `isinstance`, which believes what an object says of its class, as mocks do.
    // SAFETY: both are types that live, and the lock is held.
    let is_object =
        unsafe { ffi::PyType_IsSubtype(class.as_type_ptr(), side.class.bind(object.py()).as_type_ptr()) };
    if is_object == 0 {
        return Err(PyTypeError::new_err(format!("expected an object of TVM, not {}", class.name()?)));
    }
    let address: usize = side.handle.bind(object.py()).call1((object,))?.extract()?;
    // SAFETY: `object` is an instance of the class, which owns a reference to the object at this address, if it is not 0, as long
    // as it lives; the method is that of the class itself, whatever a subclass has.
    unsafe { Obj::at(address) }.ok_or_else(|| errors::unsupported("an object that TVM has moved away"))
}

/// The object as one of Python.
pub(crate) fn to_python<'py>(py: Python<'py>, object: Obj) -> PyResult<Bound<'py, PyAny>> {
    let take = side(py)?.take.bind(py);
    call::hand(object);
    take.call0()
}
