//! TVM's C interface (`tvm/ffi/c_api.h`) as Rust declarations, and the functions of it that are used.
//!
//! The interface is versioned and stable; what classes have which fields is asked of TVM's own reflection.

use std::ffi::c_void;
use std::path::Path;

/// A value that crosses the interface: what it is, and its bits or a pointer.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawAny {
    pub type_index: i32,
    pub small_len: u32,
    pub bits: u64,
}

impl RawAny {
    pub(super) const NONE: RawAny = RawAny { type_index: 0, small_len: 0, bits: 0 };
}

/// The head of every object.
#[repr(C)]
pub(super) struct RawObject {
    pub refs: u64,
    pub type_index: i32,
    pub padding: u32,
    pub deleter: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct ByteArray {
    pub data: *const u8,
    pub size: usize,
}

/// What follows the head of an array.
#[repr(C)]
pub(super) struct SeqCell {
    pub data: *const RawAny,
    pub size: i64,
}

/// What follows the head of an error, as far as it is read.
#[repr(C)]
pub(super) struct ErrorCell {
    pub kind: ByteArray,
    pub message: ByteArray,
}

pub(super) type Getter = unsafe extern "C" fn(*mut c_void, *mut RawAny) -> i32;

#[repr(C)]
pub(super) struct FieldInfo {
    pub name: ByteArray,
    pub doc: ByteArray,
    pub metadata: ByteArray,
    pub flags: i64,
    pub size: i64,
    pub alignment: i64,
    pub offset: i64,
    pub getter: Option<Getter>,
    pub setter: *const c_void,
    pub default: RawAny,
    pub static_type: i32,
}

#[repr(C)]
pub(super) struct TypeInfo {
    pub type_index: i32,
    pub depth: i32,
    pub key: ByteArray,
    pub ancestors: *const *const TypeInfo,
    pub key_hash: u64,
    pub num_fields: i32,
    pub num_methods: i32,
    pub fields: *const FieldInfo,
}

#[repr(C)]
#[derive(Default)]
pub(super) struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

/// The type indices that are fixed.
pub(super) mod index {
    pub(crate) const NONE: i32 = 0;
    pub(crate) const INT: i32 = 1;
    pub(crate) const BOOL: i32 = 2;
    pub(crate) const FLOAT: i32 = 3;
    pub(crate) const DATA_TYPE: i32 = 5;
    pub(crate) const SMALL_STR: i32 = 11;
    pub(crate) const FIRST_OBJECT: i32 = 64;
    pub(crate) const STR: i32 = 65;
    pub(crate) const ARRAY: i32 = 71;
    pub(crate) const MAP: i32 = 72;
}

type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;
type SafeCall = unsafe extern "C" fn(*mut c_void, *const RawAny, i32, *mut RawAny) -> i32;

/// The functions of TVM's C interface.
pub(super) struct Api {
    pub version: unsafe extern "C" fn(*mut Version),
    pub inc_ref: unsafe extern "C" fn(*mut RawObject) -> i32,
    pub dec_ref: unsafe extern "C" fn(*mut RawObject) -> i32,
    pub type_index: unsafe extern "C" fn(*const ByteArray, *mut i32) -> i32,
    pub type_info: unsafe extern "C" fn(i32) -> *const TypeInfo,
    pub function_create: unsafe extern "C" fn(*mut c_void, SafeCall, Destructor, *mut *mut RawObject) -> i32,
    pub function_get: unsafe extern "C" fn(*const ByteArray, *mut *mut RawObject) -> i32,
    pub function_set: unsafe extern "C" fn(*const ByteArray, *mut RawObject, i32) -> i32,
    pub function_call: unsafe extern "C" fn(*mut RawObject, *mut RawAny, i32, *mut RawAny) -> i32,
    pub error_take: unsafe extern "C" fn(*mut *mut RawObject),
    pub error_set: unsafe extern "C" fn(*const std::ffi::c_char, *const std::ffi::c_char),
    pub string_new: unsafe extern "C" fn(*const ByteArray, *mut RawAny) -> i32,
    pub dtype_parse: unsafe extern "C" fn(*const ByteArray, *mut u64) -> i32,
    pub dtype_print: unsafe extern "C" fn(*const u64, *mut RawAny) -> i32,
}

impl Api {
    /// Finds the functions in the library that Python has loaded.
    ///
    /// # Safety
    ///
    /// The path is that of `libtvm_ffi`, of a version that has this interface.
    pub(super) unsafe fn load(path: &Path) -> Result<Api, libloading::Error> {
        // SAFETY: the library is loaded already, so this runs no initializers; it stays loaded until the process ends. The
        // signatures are those of its header.
        unsafe {
            let library = Box::leak(Box::new(libloading::Library::new(path)?));
            macro_rules! symbol {
                ($name:literal) => {
                    *library.get(concat!($name, "\0").as_bytes())?
                };
            }
            Ok(Api {
                version: symbol!("TVMFFIGetVersion"),
                inc_ref: symbol!("TVMFFIObjectIncRef"),
                dec_ref: symbol!("TVMFFIObjectDecRef"),
                type_index: symbol!("TVMFFITypeKeyToIndex"),
                type_info: symbol!("TVMFFIGetTypeInfo"),
                function_create: symbol!("TVMFFIFunctionCreate"),
                function_get: symbol!("TVMFFIFunctionGetGlobal"),
                function_set: symbol!("TVMFFIFunctionSetGlobal"),
                function_call: symbol!("TVMFFIFunctionCall"),
                error_take: symbol!("TVMFFIErrorMoveFromRaised"),
                error_set: symbol!("TVMFFIErrorSetRaisedFromCStr"),
                string_new: symbol!("TVMFFIStringFromByteArray"),
                dtype_parse: symbol!("TVMFFIDataTypeFromString"),
                dtype_print: symbol!("TVMFFIDataTypeToString"),
            })
        }
    }
}
