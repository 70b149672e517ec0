//! Objects of TVM from Rust: counted references, and their fields by reflection.
//!
//! What this file, `abi.rs` and `call.rs` rest on, and the line of `python.rs` that is unsafe:
//!
//! - *Life.* An [`Obj`] owns one count of its object, so a reference to an `Obj` proves that the object lives. Where it lies in
//!   the memory of another object ([`Held::Borrowed`], [`Element`]) the count is that of the other one, of which the reference
//!   borrows; it is never moved out of there or dropped.
//! - *Change.* TVM changes an object of its IR only where nobody else has a count of it (copy on write), and while satir works it
//!   has one of the function, which has one of each of its parts. Python can set fields of some classes; who does that
//!   while another thread has satir or TVM work on the object races, as with TVM's own passes.
//! - *Layout.* The heads and cells of `abi.rs` are those of TVM's C interface 0.1, which `load` checks; where fields are and what
//!   they hold comes from TVM's reflection.
//! - *Threads.* Counts are atomic, so objects may be shared and dropped on any thread, without Python's lock: what belongs to
//!   Python takes the lock when it is freed, and no thread that waits for satir holds it.

use std::ffi::c_void;
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

pub(super) fn api() -> &'static Api {
    API.get().expect("an object of TVM exists, so the interface is loaded")
}

/// A counted reference to an object of TVM. It is as large as a pointer and never null, and so is an object's field that
/// refers to another one, unless it is null, which is `None` of an `Option<Obj>`.
#[repr(transparent)]
pub(crate) struct Obj(NonNull<RawObject>);

// SAFETY: the object may be read and its count changed by any thread, see the documentation of this file.
unsafe impl Send for Obj {}
// SAFETY: as above; through a shared reference nothing of the object is written but its count.
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
        // SAFETY: the object lives by the contract, and from here on by this count.
        unsafe { (api().inc_ref)(object.as_ptr()) };
        Some(Obj(object))
    }

    /// Takes over a count that a function of the interface gave to its caller; nothing if it is null.
    pub(super) fn owned(raw: *mut RawObject) -> Option<Obj> {
        NonNull::new(raw).map(Obj)
    }

    /// Gives the reference away, as an address.
    pub(super) fn into_address(self) -> usize {
        let address = self.0.as_ptr() as usize;
        std::mem::forget(self);
        address
    }

    /// The object, for the interface.
    pub(super) fn as_ptr(&self) -> *mut RawObject {
        self.0.as_ptr()
    }

    /// The address, by which identity is told.
    pub(crate) fn address(&self) -> usize {
        self.0.as_ptr() as usize
    }

    /// The number of its class.
    pub(crate) fn type_index(&self) -> i32 {
        // SAFETY: the object lives. Its class never changes; the count beside it does, of which no reference is made here.
        unsafe { (*self.0.as_ptr()).type_index }
    }

    fn body<T>(&self) -> *const T {
        // SAFETY: an object is at least as long as its head, so this is a place in it or right behind it.
        unsafe { self.0.as_ptr().add(1).cast::<T>().cast_const() }
    }

    /// The elements of an array.
    pub(crate) fn items(&self) -> Result<Vec<Value>, Unsupported> {
        if self.type_index() != index::ARRAY {
            return Err(Unsupported("expected an array".to_owned()));
        }
        Ok(self.cells().iter().map(Value::borrowed).collect())
    }

    /// The cells of an object, which must be an array.
    fn cells(&self) -> &[RawAny] {
        debug_assert_eq!(self.type_index(), index::ARRAY);
        // SAFETY: both callers have seen that it is an array, which has this cell behind its head; `data` points to as many
        // elements as it says, which are part of the array, and so live and stay as they are as long as it is borrowed.
        unsafe {
            let cell = &*self.body::<SeqCell>();
            let size = usize::try_from(cell.size).unwrap_or(0);
            if size == 0 { &[][..] } else { std::slice::from_raw_parts(cell.data, size) }
        }
    }

    /// The text of an object, which must be a string.
    fn text(&self) -> String {
        debug_assert_eq!(self.type_index(), index::STR);
        // SAFETY: a string has this cell behind its head, and the bytes that it points to live as long as it does.
        unsafe { bytes(&*self.body::<ByteArray>()) }
    }
}

/// # Safety
///
/// The array points to as many bytes as it says, which live and stay as they are meanwhile.
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
    /// Of a value that somebody else owns, and keeps alive meanwhile.
    fn borrowed(raw: &RawAny) -> Value {
        if raw.type_index >= index::FIRST_OBJECT
            && let Some(object) = NonNull::new(raw.bits as *mut RawObject)
        {
            if raw.type_index == index::STR {
                // The count is the owner's: it must not be given back here.
                let object = std::mem::ManuallyDrop::new(Obj(object));
                return Value::Str(object.text());
            }
            // SAFETY: the owner keeps the object alive until it is counted.
            unsafe { (api().inc_ref)(object.as_ptr()) };
            return Value::Object(Obj(object));
        }
        Value::plain(raw)
    }

    /// Takes over what a function of the interface returned.
    pub(super) fn owned(raw: &RawAny) -> Value {
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

/// An element of an array of objects, as it lies there: a [`RawAny`] that is known to hold a pointer to an object.
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
        // SAFETY: `new` has seen that it is an array, each cell of which holds a pointer to an object that is not null, and an
        // array does not change. An element has the layout of a cell: both are `repr(C)`, a number, four bytes, and eight that
        // are the pointer. The slice borrows of `self`, which keeps the array alive, and the array its elements.
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
        // SAFETY: `Tvm::field` finds fields by the class of the object, of which reflection says that this field is at this
        // offset and that this function reads it. It writes a value that its caller owns.
        let rc = unsafe {
            let field = object.0.as_ptr().cast::<u8>().add(self.offset).cast::<c_void>();
            (self.getter)(field, &mut out)
        };
        if rc == 0 { Ok(Value::owned(&out)) } else { Err(raised()) }
    }

    /// The object that it holds in an object of the class that it belongs to.
    pub(super) fn object(self, object: &Obj) -> Result<Held<'_>, Unsupported> {
        if self.is_reference {
            // SAFETY: as in `get`, the field is at this offset. Reflection says that it is a reference to an object: a pointer,
            // null or with a count of what it points to, which is what an `Option<Obj>` is. The result borrows of `object`,
            // which keeps the field alive and does not change, so the count stays for as long.
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
    // SAFETY: the key is valid during the call. The tables of types, of which these are pointers and lengths, live as long as the
    // process.
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

/// The error that a function of the interface left.
pub(super) fn raised() -> Unsupported {
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
