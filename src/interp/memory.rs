//! Memory: arrays of bytes, how values are stored in them, and pointers into them.

use std::sync::Arc;

use half::{bf16, f16};

use crate::ir::value::{float, int};
use crate::ir::{DType, Kind};

/// The bytes that fresh memory holds. As integers they are far out of any index range, as floats small and odd.
const FRESH: u8 = 0xCD;

/// A piece of memory.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Name of the parameter whose elements it holds; `None` for what the function allocates itself, whose names say
    /// nothing.
    pub name: Option<Arc<str>>,
    pub bytes: Vec<u8>,
    /// Bytes of one lane of an element.
    pub unit: usize,
}

impl Memory {
    /// Makes it hold `size` fresh bytes.
    pub(super) fn refresh(&mut self, size: usize) {
        self.bytes.clear();
        self.bytes.resize(size, FRESH);
    }

    /// What an unknown callee does to memory that it gets hold of: moves every element one place up, the last to the
    /// front. The values stay those that were there, so that indices stay in range.
    pub(super) fn disturb(&mut self) {
        let by = self.unit.min(self.bytes.len());
        self.bytes.rotate_right(by);
    }
}

/// How one lane of an element is stored, and what register content it corresponds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Repr {
    /// The type of the lane.
    pub dtype: DType,
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    I8,
    I16,
    I32,
    I64,
    U8,
    U16,
    U32,
    Bool,
    F16,
    BF16,
    F32,
    F64,
}

impl Repr {
    /// How a lane of `dtype` is stored.
    pub(super) fn of(dtype: DType) -> Repr {
        let format = match (dtype.kind, dtype.bits) {
            (Kind::Int, 64) | (Kind::UInt, 64) | (Kind::Handle | Kind::Void, _) => Format::I64,
            (Kind::Int, 32) => Format::I32,
            (Kind::Int, 16) => Format::I16,
            (Kind::Int, _) => Format::I8,
            (Kind::UInt, 32) => Format::U32,
            (Kind::UInt, 16) => Format::U16,
            (Kind::UInt | Kind::Narrow(_), _) => Format::U8,
            (Kind::Bool, _) => Format::Bool,
            (Kind::Float, 64) => Format::F64,
            (Kind::Float, 32) => Format::F32,
            (Kind::Float, _) => Format::F16,
            (Kind::BFloat, _) => Format::BF16,
        };
        Repr { dtype: dtype.scalar(), format }
    }

    /// Bytes of a lane.
    #[inline]
    pub(super) fn size(self) -> usize {
        match self.format {
            Format::I8 | Format::U8 | Format::Bool => 1,
            Format::I16 | Format::U16 | Format::F16 | Format::BF16 => 2,
            Format::I32 | Format::U32 | Format::F32 => 4,
            Format::I64 | Format::F64 => 8,
        }
    }

    /// The register content for the lane at byte `at`; `None` if that is not inside of `bytes`.
    #[inline]
    pub(super) fn load(self, bytes: &[u8], at: usize) -> Option<u64> {
        let wide = |v: i64| v as u64;
        Some(match self.format {
            Format::I8 => {
                let v = *bytes.get(at)? as i8;
                if self.dtype.bits == 8 { wide(v.into()) } else { wide(int::wrap(self.dtype, v.into())) }
            }
            Format::U8 => {
                let v = *bytes.get(at)?;
                if self.dtype.bits == 8 { v.into() } else { wide(int::wrap(self.dtype, v.into())) }
            }
            Format::Bool => u64::from(*bytes.get(at)? != 0),
            Format::I16 => wide(i16::from_le_bytes(array(bytes, at)?).into()),
            Format::U16 => u16::from_le_bytes(array(bytes, at)?).into(),
            Format::I32 => wide(i32::from_le_bytes(array(bytes, at)?).into()),
            Format::U32 => u32::from_le_bytes(array(bytes, at)?).into(),
            Format::I64 => u64::from_le_bytes(array(bytes, at)?),
            Format::F64 => float_bits(f64::from_le_bytes(array(bytes, at)?)),
            Format::F32 => float_bits(f32::from_le_bytes(array(bytes, at)?).into()),
            Format::F16 => float_bits(f16::from_le_bytes(array(bytes, at)?).to_f64()),
            Format::BF16 => float_bits(bf16::from_le_bytes(array(bytes, at)?).to_f64()),
        })
    }

    /// The register content for fresh memory.
    pub(super) fn fresh(self) -> u64 {
        self.load(&[FRESH; 8], 0).unwrap_or_default()
    }

    /// Stores a register's content in the lane at byte `at`; `None` if that is not inside of `bytes`.
    #[inline]
    pub(super) fn store(self, bytes: &mut [u8], at: usize, value: u64) -> Option<()> {
        let size = self.size();
        let place = bytes.get_mut(at..at.checked_add(size)?)?;
        match self.format {
            Format::F32 => place.copy_from_slice(&(f64::from_bits(value) as f32).to_le_bytes()),
            Format::F16 | Format::BF16 => {
                let bits = float::to_bits(self.dtype, f64::from_bits(value)) as u16;
                place.copy_from_slice(&bits.to_le_bytes());
            }
            Format::I8
            | Format::I16
            | Format::I32
            | Format::I64
            | Format::U8
            | Format::U16
            | Format::U32
            | Format::Bool
            | Format::F64 => place.copy_from_slice(&value.to_le_bytes()[..size]),
        }
        Some(())
    }
}

/// The register content for a float: every NaN is the same one.
#[inline]
fn float_bits(v: f64) -> u64 {
    if v.is_nan() { f64::NAN.to_bits() } else { v.to_bits() }
}

#[inline]
fn array<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..at.checked_add(N)?)?.try_into().ok()
}

const OFFSET_BITS: u32 = 40;

/// The pointer to byte `offset` of the memory with index `memory`. Zero is the null pointer.
pub(super) fn pointer(memory: u32, offset: i64) -> u64 {
    ((u64::from(memory) + 1) << OFFSET_BITS).wrapping_add(offset as u64)
}

/// The memory and offset that a pointer points to; `None` for one that was not made by [`pointer`].
pub(super) fn pointee(pointer: u64) -> Option<(u32, i64)> {
    let memory = u32::try_from((pointer >> OFFSET_BITS).checked_sub(1)?).ok()?;
    Some((memory, (pointer & ((1 << OFFSET_BITS) - 1)) as i64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_comes_back_as_stored() {
        for (name, value) in [
            ("int4", (-8i64) as u64),
            ("int8", (-128i64) as u64),
            ("uint8", 255),
            ("int16", (-5i64) as u64),
            ("uint32", u64::from(u32::MAX)),
            ("int64", i64::MIN as u64),
            ("uint64", u64::MAX),
            ("bool", 1),
            ("float16", 1.5f64.to_bits()),
            ("bfloat16", (-3.0f64).to_bits()),
            ("float32", 0.1f32.to_bits().into()),
            ("float64", 0.1f64.to_bits()),
            ("handle", pointer(3, 17)),
        ] {
            let value = if name == "float32" { f64::from(0.1f32).to_bits() } else { value };
            let repr = Repr::of(name.parse().unwrap());
            let mut bytes = vec![0; repr.size() * 2];
            repr.store(&mut bytes, repr.size(), value).unwrap();
            assert_eq!(repr.load(&bytes, repr.size()), Some(value), "{name}");
            assert_eq!(repr.load(&bytes, repr.size() + 1), None, "{name}");
            assert_eq!(repr.store(&mut bytes, usize::MAX, 0), None, "{name}");
        }
    }

    #[test]
    fn pointers_name_memory_and_offset() {
        assert_eq!(pointee(pointer(7, 123)), Some((7, 123)));
        assert_eq!(pointee(0), None);
        assert_eq!(pointee(5), None);
    }
}
