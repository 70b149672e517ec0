//! Calls of TVM's functions, and the function by which Python takes objects.

use std::cell::Cell;
use std::ffi::c_void;

use super::Unsupported;
use super::abi::{ByteArray, RawAny, RawObject, index};
use super::object::{Held, Obj, Value, api, raised};

/// An argument of a function of TVM.
#[derive(Clone, Copy)]
pub(crate) enum Arg<'a> {
    None,
    Int(i64),
    Bool(bool),
    Float(f64),
    DType(u64),
    Str(&'a str),
    Object(&'a Obj),
}

impl<'a> From<&'a Held<'_>> for Arg<'a> {
    fn from(object: &'a Held<'_>) -> Arg<'a> {
        Arg::Object(object)
    }
}

impl<'a> From<&'a Obj> for Arg<'a> {
    fn from(object: &'a Obj) -> Arg<'a> {
        Arg::Object(object)
    }
}

impl<'a> From<Option<&'a Obj>> for Arg<'a> {
    fn from(object: Option<&'a Obj>) -> Arg<'a> {
        object.map_or(Arg::None, Arg::Object)
    }
}

impl<'a> From<&'a Value> for Arg<'a> {
    fn from(value: &'a Value) -> Arg<'a> {
        match value {
            Value::None | Value::Other => Arg::None,
            Value::Int(v) => Arg::Int(*v),
            Value::Bool(v) => Arg::Bool(*v),
            Value::Float(v) => Arg::Float(*v),
            Value::DType(v) => Arg::DType(*v),
            Value::Str(v) => Arg::Str(v),
            Value::Object(v) => Arg::Object(v),
        }
    }
}

/// A global function of TVM, by name.
pub(super) fn function(name: &str) -> Result<Obj, Unsupported> {
    let array = ByteArray { data: name.as_ptr(), size: name.len() };
    let mut out = std::ptr::null_mut();
    // SAFETY: the arguments are valid.
    let rc = unsafe { (api().function_get)(&array, &mut out) };
    if rc != 0 {
        return Err(raised());
    }
    Obj::owned(out).ok_or_else(|| Unsupported(format!("TVM has no function {name}")))
}

/// The most arguments for which no memory is allocated.
const MOST_ARGS: usize = 12;

/// Calls a function of TVM.
pub(super) fn call(function: &Obj, args: &[Arg<'_>]) -> Result<Value, Unsupported> {
    let mut raw = [RawAny::NONE; MOST_ARGS];
    let Some(raw) = raw.get_mut(..args.len()) else {
        return call_with(function, &mut vec![RawAny::NONE; args.len()], args);
    };
    call_with(function, raw, args)
}

/// Calls a function, with room for its arguments.
fn call_with(function: &Obj, raw: &mut [RawAny], args: &[Arg<'_>]) -> Result<Value, Unsupported> {
    let mut strings = Vec::new();
    for (arg, raw) in args.iter().zip(&mut *raw) {
        let (type_index, bits) = match arg {
            Arg::None => (index::NONE, 0),
            Arg::Int(v) => (index::INT, v.cast_unsigned()),
            Arg::Bool(v) => (index::BOOL, u64::from(*v)),
            Arg::Float(v) => (index::FLOAT, v.to_bits()),
            Arg::DType(v) => (index::DATA_TYPE, *v),
            Arg::Object(object) => (object.type_index(), object.address() as u64),
            Arg::Str(text) => {
                let array = ByteArray { data: text.as_ptr(), size: text.len() };
                // SAFETY: the text is valid during the call, which copies it. What it makes, this function owns: `strings`
                // gives it back at the end, unless it is a short one, which is no object.
                if unsafe { (api().string_new)(&array, raw) } != 0 {
                    return Err(raised());
                }
                if raw.type_index >= index::FIRST_OBJECT {
                    strings.extend(Obj::owned(raw.bits as *mut RawObject));
                }
                continue;
            }
        };
        *raw = RawAny { type_index, small_len: 0, bits };
    }
    let mut out = RawAny::NONE;
    // SAFETY: the arguments are views of values that live during the call: those of the caller, and `strings`. What the function
    // returns, its caller owns.
    let rc =
        unsafe { (api().function_call)(function.as_ptr(), raw.as_mut_ptr(), raw.len() as i32, &mut out) };
    if rc == 0 { Ok(Value::owned(&out)) } else { Err(raised()) }
}

/// The spelling of a data type.
pub(super) fn dtype_text(bits: u64) -> Result<String, Unsupported> {
    let mut out = RawAny::NONE;
    // SAFETY: it reads a data type of 64 bits.
    let rc = unsafe { (api().dtype_print)(&bits, &mut out) };
    match Value::owned(&out) {
        Value::Str(text) if rc == 0 => Ok(text),
        _ => Err(raised()),
    }
}

/// The data type of a spelling.
pub(super) fn dtype_bits(text: &str) -> Result<u64, Unsupported> {
    let array = ByteArray { data: text.as_ptr(), size: text.len() };
    let mut out = 0;
    // SAFETY: the arguments are valid.
    if unsafe { (api().dtype_parse)(&array, &mut out) } == 0 { Ok(out) } else { Err(raised()) }
}

thread_local! {
    /// The object that `satir.take` gives next on this thread.
    static HANDED: Cell<Option<Obj>> = const { Cell::new(None) };
}

/// Lets `satir.take` give this object, to the caller that takes it before this thread does anything else.
pub(super) fn hand(object: Obj) {
    HANDED.set(Some(object));
}

/// Registers `satir.take` in TVM: it gives what [`hand`] was told last on the same thread, once, so that Python never handles
/// addresses.
pub(super) fn register_take() -> Result<(), Unsupported> {
    let mut out = std::ptr::null_mut();
    let name = "satir.take";
    let array = ByteArray { data: name.as_ptr(), size: name.len() };
    // SAFETY: `take` has the signature of TVM's functions, and needs no state and no destructor. The name lives during the call,
    // in which TVM copies it. TVM's table holds a reference of its own to the function; ours goes with `function`.
    unsafe {
        if (api().function_create)(std::ptr::null_mut(), take, None, &mut out) != 0 {
            return Err(raised());
        }
        let function = Obj::owned(out).ok_or_else(raised)?;
        if (api().function_set)(&array, function.as_ptr(), 1) != 0 {
            return Err(raised());
        }
    }
    Ok(())
}

/// What `satir.take` does. Nothing in it panics, as a panic must not leave it.
///
/// # Safety
///
/// Called by TVM with a place for the result.
unsafe extern "C" fn take(_: *mut c_void, _: *const RawAny, _: i32, result: *mut RawAny) -> i32 {
    match HANDED.try_with(Cell::take).ok().flatten() {
        Some(object) => {
            let type_index = object.type_index();
            // SAFETY: the place is valid by the contract; the reference moves into it.
            unsafe { *result = RawAny { type_index, small_len: 0, bits: object.into_address() as u64 } };
            0
        }
        None => {
            // SAFETY: both texts end with a zero and live for ever.
            unsafe {
                (api().error_set)(c"RuntimeError".as_ptr(), c"satir.take: there is nothing to take".as_ptr());
            }
            -1
        }
    }
}
