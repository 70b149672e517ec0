//! Data types on both sides.

use satir::ir::{DType, Kind, Type};

use super::call::{self, Arg};
use super::object::{Obj, Value};
use super::schema::{Kind as Class, Tvm};
use super::{Res, Unsupported};

/// What a type of TVM says of a value.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueType {
    Plain(Type),
    Buffer,
}

/// `int32` and the like: codes as of DLPack.
fn common(bits: u64) -> Option<DType> {
    let [code, width, low, high, ..] = bits.to_le_bytes();
    let lanes = u16::from_le_bytes([low, high]);
    let scalar = match (code, width) {
        (0, 8 | 16 | 32 | 64) => DType::int(width),
        (1, 8 | 16 | 32 | 64) => DType::uint(width),
        (2, 16 | 32 | 64) => DType::float(width),
        (6, 8) => DType::BOOL,
        _ => return None,
    };
    // Vectors whose length is not known have a negative one.
    (1..=i16::MAX.unsigned_abs()).contains(&lanes).then(|| scalar.with_lanes(lanes))
}

/// satir's data type for TVM's.
pub(super) fn dtype(bits: u64) -> Res<DType> {
    if let Some(dtype) = common(bits) {
        return Ok(dtype);
    }
    let text = call::dtype_text(bits)?;
    if text.is_empty() {
        return Ok(DType::VOID);
    }
    text.parse().map_err(|_| Unsupported(format!("the data type `{text}` is not known")))
}

/// TVM's data type for satir's.
pub(super) fn bits(dtype: DType) -> Res<u64> {
    let code = match dtype.kind {
        Kind::Int => 0,
        Kind::UInt => 1,
        Kind::Float => 2,
        Kind::Bool => 6,
        _ => return call::dtype_bits(&dtype.to_string()),
    };
    let [low, high] = dtype.lanes.to_le_bytes();
    Ok(u64::from(u32::from_le_bytes([code, dtype.bits, low, high])))
}

impl Tvm {
    /// The type of an expression, of its field `ty`.
    pub(super) fn type_of(&self, expr: &Obj) -> Res<ValueType> {
        self.value_type(&*self.object(expr, "ty")?)
    }

    pub(super) fn value_type(&self, ty: &Obj) -> Res<ValueType> {
        match self.kind(ty) {
            Some(Class::PrimType) => Ok(ValueType::Plain(Type::Prim(self.prim_type(ty)?))),
            Some(Class::PointerType) => {
                let element = self.object(ty, "element_type")?;
                if self.kind(&element) != Some(Class::PrimType) {
                    return Err(Unsupported::new("a pointer to no data type"));
                }
                let scope = self.text(ty, "storage_scope")?;
                Ok(ValueType::Plain(Type::Pointer(self.prim_type(&element)?, scope.into())))
            }
            Some(Class::TupleType) if self.objects(ty, "fields")?.is_empty() => {
                Ok(ValueType::Plain(Type::Prim(DType::VOID)))
            }
            Some(Class::BufferType) => Ok(ValueType::Buffer),
            _ => Err(Unsupported::new("a value of a type that is not known")),
        }
    }

    /// The data type that a `PrimType` is.
    pub(super) fn prim_type(&self, ty: &Obj) -> Res<DType> {
        match self.get(ty, "dtype")? {
            Value::DType(bits) => dtype(bits),
            _ => Err(Unsupported::new("a type without a data type")),
        }
    }

    /// A `PrimType`.
    pub(super) fn make_type(&self, dtype: DType) -> Res<Obj> {
        self.make("ir.PrimType", &[Arg::DType(bits(dtype)?)])
    }
}
