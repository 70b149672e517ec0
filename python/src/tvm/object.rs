//! Objects of TVM from Rust: counted references, their fields by reflection, and calls of TVM's functions.
//!
//! This and `abi.rs` are the only files with unsafe code.

use std::ffi::{CString, c_void};
use std::ops::Deref;
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
#[repr(transparent)]
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
        Ok(self.cells().iter().map(Value::borrowed).collect())
    }

    /// The cells of an object that is an array.
    fn cells(&self) -> &[RawAny] {
        // SAFETY: an array has this cell, and it and its elements live as long as the reference.
        unsafe {
            let cell = &*self.body::<SeqCell>();
            let size = usize::try_from(cell.size).unwrap_or(0);
            if size == 0 { &[][..] } else { std::slice::from_raw_parts(cell.data, size) }
        }
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

/// An object that another one holds. Where its field is a plain reference it is not counted: the other one keeps it alive.
pub(crate) enum Held<'a> {
    Borrowed(&'a Obj),
    Owned(Obj),
}

impl Deref for Held<'_> {
    type Target = Obj;

    fn deref(&self) -> &Obj {
        match self {
            Held::Borrowed(object) => object,
            Held::Owned(object) => object,
        }
    }
}

impl Held<'_> {
    /// A reference of its own.
    pub(crate) fn counted(self) -> Obj {
        match self {
            Held::Borrowed(object) => object.clone(),
            Held::Owned(object) => object,
        }
    }
}

/// An element of an array of objects, as it lies there.
#[repr(C)]
pub(crate) struct Element {
    type_index: i32,
    padding: u32,
    object: Obj,
}

impl Deref for Element {
    type Target = Obj;

    fn deref(&self) -> &Obj {
        &self.object
    }
}

/// An array of objects.
pub(crate) struct Objects<'a>(Held<'a>);

impl<'a> Objects<'a> {
    pub(super) fn new(array: Held<'a>) -> Result<Objects<'a>, Unsupported> {
        if array.type_index() != index::ARRAY {
            return Err(Unsupported("expected an array".to_owned()));
        }
        let is_object = |cell: &RawAny| cell.type_index >= index::FIRST_OBJECT && cell.bits != 0;
        if !array.cells().iter().all(is_object) {
            return Err(Unsupported("expected an object".to_owned()));
        }
        Ok(Objects(array))
    }
}

impl Deref for Objects<'_> {
    type Target = [Element];

    fn deref(&self) -> &[Element] {
        let cells = self.0.cells();
        // SAFETY: `new` has seen that each cell holds a pointer to an object, and an array does not change. An element has the
        // layout of a cell: a number, as many bytes of padding, and the pointer.
        unsafe { std::slice::from_raw_parts(cells.as_ptr().cast::<Element>(), cells.len()) }
    }
}

impl<'a> IntoIterator for &'a Objects<'_> {
    type Item = &'a Element;
    type IntoIter = std::slice::Iter<'a, Element>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
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

/// A field of a class.
#[derive(Clone, Copy)]
pub(super) struct Field {
    offset: usize,
    getter: Getter,
    /// Whether it is a plain reference to an object: a pointer, which may be null.
    is_reference: bool,
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

    /// The object that it holds in an object of the class that it belongs to.
    pub(super) fn object(self, object: &Obj) -> Result<Held<'_>, Unsupported> {
        if self.is_reference {
            // SAFETY: reflection says that the field is a reference, which is a pointer that may be null; the object does not
            // change, and holds what it refers to.
            let held = unsafe { &*object.0.as_ptr().cast::<u8>().add(self.offset).cast::<Option<Obj>>() };
            if let Some(held) = held {
                return Ok(Held::Borrowed(held));
            }
        }
        self.get(object)?.object().map(Held::Owned)
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
                let is_reference = field.static_type >= index::FIRST_OBJECT
                    && usize::try_from(field.size) == Ok(size_of::<Option<Obj>>());
                fields.push((bytes(&field.name), Field { offset, getter, is_reference }));
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
                // SAFETY: the text is valid during the call.
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
