//! Objects of TVM from Rust: counted references, their fields by reflection, and calls of TVM's functions.
//!
//! This and `abi.rs` are the only files with unsafe code.

use std::ffi::{CString, c_void};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::Unsupported;
use super::abi::{Api, ByteArray, ErrorCell, FieldInfo, Getter, RawAny, RawObject, SeqCell, Version, index};

static API: OnceLock<Api> = OnceLock::new();

/// Loads TVM's C interface; a second call does nothing.
pub(super) fn load(path: &Path) -> Result<(), Unsupported> {
    if API.get().is_some() {
        return Ok(());
    }
    // SAFETY: the path comes from the Python package `tvm_ffi`, which has loaded this library; its version is checked
    // before anything else is called.
    let api = unsafe { Api::load(path) }
        .map_err(|e| Unsupported(format!("{} is not TVM's library: {e}", path.display())))?;
    let mut version = Version::default();
    // SAFETY: it writes a version.
    unsafe { (api.version)(&mut version) };
    if (version.major, version.minor) != (0, 1) {
        let Version { major, minor, patch } = version;
        return Err(Unsupported(format!("version {major}.{minor}.{patch} of TVM's FFI is not known")));
    }
    let _ = API.set(api);
    Ok(())
}

fn api() -> &'static Api {
    API.get().expect("an object of TVM exists, so the interface is loaded")
}

/// A counted reference to an object of TVM. Objects are immutable and their counts are atomic.
pub(crate) struct Obj(NonNull<RawObject>);

// SAFETY: objects of TVM's IR are immutable, and their reference counts are atomic.
unsafe impl Send for Obj {}
// SAFETY: as above.
unsafe impl Sync for Obj {}

impl Clone for Obj {
    fn clone(&self) -> Obj {
        // SAFETY: the reference keeps the object alive.
        unsafe { (api().inc_ref)(self.0.as_ptr()) };
        Obj(self.0)
    }
}

impl Drop for Obj {
    fn drop(&mut self) {
        // SAFETY: this is the reference that the value owned.
        unsafe { (api().dec_ref)(self.0.as_ptr()) };
    }
}

impl Obj {
    /// The object at an address that Python gave.
    ///
    /// # Safety
    ///
    /// The address is that of a living object of TVM.
    pub(super) unsafe fn at(address: usize) -> Option<Obj> {
        let object = NonNull::new(address as *mut RawObject)?;
        // SAFETY: the object lives.
        unsafe { (api().inc_ref)(object.as_ptr()) };
        Some(Obj(object))
    }

    /// Takes over a reference that a function of the interface gave.
    fn owned(raw: *mut RawObject) -> Option<Obj> {
        NonNull::new(raw).map(Obj)
    }

    /// Gives the reference away, as an address.
    pub(super) fn into_address(self) -> usize {
        let address = self.0.as_ptr() as usize;
        std::mem::forget(self);
        address
    }

    /// The address, by which identity is told.
    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    /// The number of its class.
    pub(crate) fn type_index(&self) -> i32 {
        // SAFETY: the object lives, and its head does not change.
        unsafe { (*self.0.as_ptr()).type_index }
    }

    fn body<T>(&self) -> *const T {
        // SAFETY: what follows the head belongs to the same object.
        unsafe { self.0.as_ptr().add(1).cast::<T>().cast_const() }
    }

    /// The elements of an array.
    pub(crate) fn items(&self) -> Result<Vec<Value>, Unsupported> {
        if self.type_index() != index::ARRAY {
            return Err(Unsupported("expected an array".to_owned()));
        }
        // SAFETY: an array has this cell, and lives as long as the reference.
        let cells = unsafe {
            let cell = &*self.body::<SeqCell>();
            let size = usize::try_from(cell.size).unwrap_or(0);
            if size == 0 { &[][..] } else { std::slice::from_raw_parts(cell.data, size) }
        };
        Ok(cells.iter().map(Value::borrowed).collect())
    }

    /// The text of a string object.
    fn text(&self) -> String {
        // SAFETY: a string has this cell, and lives as long as the reference.
        unsafe { bytes(&*self.body::<ByteArray>()) }
    }
}

/// # Safety
///
/// The array is valid.
unsafe fn bytes(array: &ByteArray) -> String {
    if array.size == 0 {
        return String::new();
    }
    // SAFETY: by the contract.
    let bytes = unsafe { std::slice::from_raw_parts(array.data, array.size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A value of TVM.
#[derive(Clone)]
pub(crate) enum Value {
    None,
    Int(i64),
    Bool(bool),
    Float(f64),
    /// A data type by its bits.
    DType(u64),
    Str(String),
    Object(Obj),
    /// Of another kind.
    Other,
}

impl Value {
    /// Of a value that somebody else owns.
    fn borrowed(raw: &RawAny) -> Value {
        if raw.type_index >= index::FIRST_OBJECT
            && let Some(object) = NonNull::new(raw.bits as *mut RawObject)
        {
            if raw.type_index == index::STR {
                let object = std::mem::ManuallyDrop::new(Obj(object));
                return Value::Str(object.text());
            }
            // SAFETY: the owner keeps the object alive.
            unsafe { (api().inc_ref)(object.as_ptr()) };
            return Value::Object(Obj(object));
        }
        Value::plain(raw)
    }

    /// Takes over what a function of the interface returned.
    fn owned(raw: &RawAny) -> Value {
        if raw.type_index < index::FIRST_OBJECT {
            return Value::plain(raw);
        }
        match Obj::owned(raw.bits as *mut RawObject) {
            Some(object) if raw.type_index == index::STR => Value::Str(object.text()),
            Some(object) => Value::Object(object),
            None => Value::None,
        }
    }

    fn plain(raw: &RawAny) -> Value {
        match raw.type_index {
            index::NONE => Value::None,
            index::INT => Value::Int(raw.bits.cast_signed()),
            index::BOOL => Value::Bool(raw.bits != 0),
            index::FLOAT => Value::Float(f64::from_bits(raw.bits)),
            index::DATA_TYPE => Value::DType(raw.bits),
            index::SMALL_STR => {
                let length = (raw.small_len as usize).min(8);
                Value::Str(String::from_utf8_lossy(&raw.bits.to_ne_bytes()[..length]).into_owned())
            }
            _ => Value::Other,
        }
    }

    /// The object, if it is one.
    pub(crate) fn object(self) -> Result<Obj, Unsupported> {
        match self {
            Value::Object(object) => Ok(object),
            _ => Err(Unsupported("expected an object".to_owned())),
        }
    }
}

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

/// A field of a class.
#[derive(Clone, Copy)]
pub(super) struct Field {
    offset: usize,
    getter: Getter,
}

impl Field {
    /// Its value in an object of the class that it belongs to.
    pub(super) fn get(self, object: &Obj) -> Result<Value, Unsupported> {
        let mut out = RawAny::NONE;
        // SAFETY: reflection says that objects of this class have the field at this offset, and that this function reads it.
        let rc = unsafe {
            let field = object.0.as_ptr().cast::<u8>().add(self.offset).cast::<c_void>();
            (self.getter)(field, &mut out)
        };
        if rc == 0 { Ok(Value::owned(&out)) } else { Err(raised()) }
    }
}

/// The number of a class and its fields, those that it inherits among them.
pub(super) fn class(key: &str) -> Option<(i32, Vec<(String, Field)>)> {
    let array = ByteArray { data: key.as_ptr(), size: key.len() };
    let mut type_index = 0;
    // SAFETY: the arguments are valid; the tables of types live as long as the process.
    unsafe {
        if (api().type_index)(&array, &mut type_index) != 0 {
            drop(raised());
            return None;
        }
        let info = (api().type_info)(type_index).as_ref()?;
        let depth = usize::try_from(info.depth).unwrap_or(0);
        let ancestors = (0..depth).filter_map(|at| (*info.ancestors.add(at)).as_ref());
        let mut fields = Vec::new();
        for class in ancestors.chain([info]) {
            let count = usize::try_from(class.num_fields).unwrap_or(0);
            for at in 0..count {
                let field: &FieldInfo = &*class.fields.add(at);
                let (Some(getter), Ok(offset)) = (field.getter, usize::try_from(field.offset)) else {
                    continue;
                };
                fields.push((bytes(&field.name), Field { offset, getter }));
            }
        }
        Some((type_index, fields))
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

/// Calls a function of TVM.
pub(super) fn call(function: &Obj, args: &[Arg<'_>]) -> Result<Value, Unsupported> {
    let arrays: Vec<ByteArray> = args
        .iter()
        .map(|arg| match arg {
            Arg::Str(text) => ByteArray { data: text.as_ptr(), size: text.len() },
            _ => ByteArray { data: std::ptr::null(), size: 0 },
        })
        .collect();
    let mut strings = Vec::new();
    let mut raw = Vec::with_capacity(args.len());
    for (arg, array) in args.iter().zip(&arrays) {
        let (type_index, bits) = match arg {
            Arg::None => (index::NONE, 0),
            Arg::Int(v) => (index::INT, v.cast_unsigned()),
            Arg::Bool(v) => (index::BOOL, u64::from(*v)),
            Arg::Float(v) => (index::FLOAT, v.to_bits()),
            Arg::DType(v) => (index::DATA_TYPE, *v),
            Arg::Object(object) => (object.type_index(), object.address() as u64),
            Arg::Str(_) => {
                let mut string = RawAny::NONE;
                // SAFETY: the text is valid during the call.
                if unsafe { (api().string_new)(array, &mut string) } != 0 {
                    return Err(raised());
                }
                raw.push(string);
                if string.type_index >= index::FIRST_OBJECT {
                    strings.extend(Obj::owned(string.bits as *mut RawObject));
                }
                continue;
            }
        };
        raw.push(RawAny { type_index, small_len: 0, bits });
    }
    let mut out = RawAny::NONE;
    // SAFETY: the arguments are views of values that live during the call.
    let rc =
        unsafe { (api().function_call)(function.0.as_ptr(), raw.as_mut_ptr(), raw.len() as i32, &mut out) };
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

/// The error that a function of the interface left.
fn raised() -> Unsupported {
    let mut out = std::ptr::null_mut();
    // SAFETY: it gives the error of this thread, if there is one.
    unsafe { (api().error_take)(&mut out) };
    match Obj::owned(out) {
        // SAFETY: an error has this cell.
        Some(error) => {
            Unsupported(format!("TVM: {}", unsafe { bytes(&(*error.body::<ErrorCell>()).message) }))
        }
        None => Unsupported("TVM failed without an error".to_owned()),
    }
}

/// Registers `satir.take` in TVM: it turns an address that [`Obj::into_address`] gave into the object, for Python.
pub(super) fn register_take() -> Result<(), Unsupported> {
    let mut out = std::ptr::null_mut();
    let name = "satir.take";
    let array = ByteArray { data: name.as_ptr(), size: name.len() };
    // SAFETY: `take` has the signature of TVM's functions, and needs no state.
    unsafe {
        if (api().function_create)(std::ptr::null_mut(), take, None, &mut out) != 0 {
            return Err(raised());
        }
        let function = Obj::owned(out).ok_or_else(raised)?;
        if (api().function_set)(&array, function.0.as_ptr(), 1) != 0 {
            return Err(raised());
        }
    }
    Ok(())
}

/// # Safety
///
/// Called by TVM with one argument: an address that [`Obj::into_address`] gave and that was not given before.
unsafe extern "C" fn take(_: *mut c_void, args: *const RawAny, count: i32, result: *mut RawAny) -> i32 {
    // SAFETY: TVM gives as many arguments as it says, and a place for the result; the reference moves into it.
    unsafe {
        if count == 1 && (*args).type_index == index::INT && (*args).bits != 0 {
            let object = (*args).bits as *mut RawObject;
            *result = RawAny { type_index: (*object).type_index, small_len: 0, bits: (*args).bits };
            return 0;
        }
        if let (Ok(kind), Ok(text)) = (CString::new("TypeError"), CString::new("satir.take takes an address"))
        {
            (api().error_set)(kind.as_ptr(), text.as_ptr());
        }
    }
    -1
}
