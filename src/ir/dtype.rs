//! Data types of values: a scalar kind with a width, times a number of vector lanes.
//!
//! The text form is TVM's: `int32`, `uint8`, `float16x8`, `bool`, `bfloat16`, `handle`, `void`.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

/// The kind of a scalar.
///
/// ```
/// use satir::ir::{DType, Kind};
///
/// assert_eq!("uint8x4".parse::<DType>()?.kind, Kind::UInt);
/// assert_eq!(DType::BOOL.kind, Kind::Bool);
/// # Ok::<(), satir::ir::UnknownDType>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Signed two's complement integer.
    Int,
    /// Unsigned integer.
    UInt,
    /// Truth value (`bool`; one bit of information, stored in a byte).
    Bool,
    /// IEEE 754 binary floating point (16, 32 or 64 bits).
    Float,
    /// Google's bfloat16.
    BFloat,
    /// Narrow float formats (`float8_e4m3fn`, …), carried through by name, never computed with.
    Narrow(NarrowFloat),
    /// Opaque pointer.
    Handle,
    /// No value.
    Void,
}

/// The narrow float formats that TVM names.
///
/// ```
/// use satir::ir::{DType, Kind, NarrowFloat};
///
/// let narrow: DType = "float8_e4m3fn".parse()?;
/// assert_eq!(narrow.kind, Kind::Narrow(NarrowFloat::E4M3Fn));
/// assert_eq!(narrow.to_string(), "float8_e4m3fn");
/// # Ok::<(), satir::ir::UnknownDType>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "each name is the format's own name")]
pub enum NarrowFloat {
    E3M4,
    E4M3,
    E4M3B11Fnuz,
    E4M3Fn,
    E4M3Fnuz,
    E5M2,
    E5M2Fnuz,
    E8M0Fnu,
    E2M3Fn,
    E3M2Fn,
    E2M1Fn,
}

impl NarrowFloat {
    /// All formats with their TVM spelling and width in bits.
    ///
    /// ```
    /// use satir::ir::{DType, NarrowFloat};
    ///
    /// for (_, name, bits) in NarrowFloat::ALL {
    ///     assert_eq!(name.parse::<DType>().map(|dtype| dtype.bits), Ok(bits));
    /// }
    /// ```
    pub const ALL: [(NarrowFloat, &'static str, u8); 11] = [
        (NarrowFloat::E3M4, "float8_e3m4", 8),
        (NarrowFloat::E4M3, "float8_e4m3", 8),
        (NarrowFloat::E4M3B11Fnuz, "float8_e4m3b11fnuz", 8),
        (NarrowFloat::E4M3Fn, "float8_e4m3fn", 8),
        (NarrowFloat::E4M3Fnuz, "float8_e4m3fnuz", 8),
        (NarrowFloat::E5M2, "float8_e5m2", 8),
        (NarrowFloat::E5M2Fnuz, "float8_e5m2fnuz", 8),
        (NarrowFloat::E8M0Fnu, "float8_e8m0fnu", 8),
        (NarrowFloat::E2M3Fn, "float6_e2m3fn", 6),
        (NarrowFloat::E3M2Fn, "float6_e3m2fn", 6),
        (NarrowFloat::E2M1Fn, "float4_e2m1fn", 4),
    ];
}

/// A data type: scalar kind, width in bits, and lanes (1 for a scalar).
///
/// ```
/// use satir::ir::DType;
///
/// let dtype: DType = "float32x4".parse()?;
/// assert_eq!(dtype, DType::F32.with_lanes(4));
/// assert_eq!(dtype.to_string(), "float32x4");
/// assert!(DType::I32.is_index() && DType::I64.is_index() && DType::F32.is_float());
/// assert_eq!([DType::BOOL, DType::HANDLE, DType::VOID].map(|t| t.to_string()), ["bool", "handle", "void"]);
/// # Ok::<(), satir::ir::UnknownDType>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct DType {
    /// Scalar kind.
    pub kind: Kind,
    /// Width of one lane in bits (`bool` 8 as TVM stores it, `handle` 64, `void` 0).
    pub bits: u8,
    /// Number of lanes; 1 is a scalar.
    pub lanes: u16,
}

// As one number: types are part of most keys of tables, and each number that is hashed takes its time.
impl Hash for DType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let kind = match self.kind {
            Kind::Int => 0,
            Kind::UInt => 1,
            Kind::Bool => 2,
            Kind::Float => 3,
            Kind::BFloat => 4,
            Kind::Handle => 5,
            Kind::Void => 6,
            Kind::Narrow(format) => 7 + format as u8,
        };
        let [low, high] = self.lanes.to_le_bytes();
        state.write_u32(u32::from_le_bytes([kind, self.bits, low, high]));
    }
}

impl DType {
    /// `bool`.
    pub const BOOL: DType = DType::new(Kind::Bool, 8);
    /// `int32`.
    pub const I32: DType = DType::new(Kind::Int, 32);
    /// `int64`.
    pub const I64: DType = DType::new(Kind::Int, 64);
    /// `float32`.
    pub const F32: DType = DType::new(Kind::Float, 32);
    /// `handle`.
    pub const HANDLE: DType = DType::new(Kind::Handle, 64);
    /// `void`.
    pub const VOID: DType = DType::new(Kind::Void, 0);

    /// A scalar type.
    ///
    /// ```
    /// use satir::ir::{DType, Kind};
    ///
    /// assert_eq!(DType::new(Kind::BFloat, 16).to_string(), "bfloat16");
    /// ```
    pub const fn new(kind: Kind, bits: u8) -> Self {
        DType { kind, bits, lanes: 1 }
    }

    /// A signed integer scalar of `bits` bits.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::int(8).to_string(), "int8");
    /// ```
    pub const fn int(bits: u8) -> Self {
        DType::new(Kind::Int, bits)
    }

    /// An unsigned integer scalar of `bits` bits.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::uint(16).to_string(), "uint16");
    /// ```
    pub const fn uint(bits: u8) -> Self {
        DType::new(Kind::UInt, bits)
    }

    /// An IEEE float scalar of `bits` bits.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::float(64).to_string(), "float64");
    /// ```
    pub const fn float(bits: u8) -> Self {
        DType::new(Kind::Float, bits)
    }

    /// The same scalar type with other lanes.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::I32.with_lanes(8).to_string(), "int32x8");
    /// ```
    pub const fn with_lanes(self, lanes: u16) -> Self {
        DType { lanes, ..self }
    }

    /// The type of one lane.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::I32.with_lanes(8).scalar(), DType::I32);
    /// ```
    pub const fn scalar(self) -> Self {
        self.with_lanes(1)
    }

    /// `bool` with as many lanes as `self`: the type of a comparison of two such values.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::F32.with_lanes(4).to_bool().to_string(), "boolx4");
    /// ```
    pub const fn to_bool(self) -> Self {
        DType::BOOL.with_lanes(self.lanes)
    }

    /// Whether there is one lane.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::I32.is_scalar());
    /// assert!(!DType::I32.with_lanes(4).is_scalar());
    /// ```
    pub const fn is_scalar(self) -> bool {
        self.lanes == 1
    }

    /// Whether lanes are signed integers.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::int(8).is_int());
    /// assert!(!DType::uint(8).is_int() && !DType::BOOL.is_int());
    /// ```
    pub const fn is_int(self) -> bool {
        matches!(self.kind, Kind::Int)
    }

    /// Whether lanes are unsigned integers.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::uint(8).is_uint());
    /// assert!(!DType::int(8).is_uint());
    /// ```
    pub const fn is_uint(self) -> bool {
        matches!(self.kind, Kind::UInt)
    }

    /// Whether lanes are truth values.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::BOOL.with_lanes(4).is_bool());
    /// assert!(!DType::uint(8).is_bool());
    /// ```
    pub const fn is_bool(self) -> bool {
        matches!(self.kind, Kind::Bool)
    }

    /// Whether lanes are integers of either sign (not `bool`).
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::I32.is_integral() && DType::uint(8).is_integral());
    /// assert!(!DType::BOOL.is_integral() && !DType::F32.is_integral());
    /// ```
    pub const fn is_integral(self) -> bool {
        matches!(self.kind, Kind::Int | Kind::UInt)
    }

    /// Whether lanes are floats of any format.
    ///
    /// ```
    /// use satir::ir::{DType, Kind};
    ///
    /// assert!(DType::F32.is_float() && DType::new(Kind::BFloat, 16).is_float());
    /// assert!(!DType::I32.is_float());
    /// ```
    pub const fn is_float(self) -> bool {
        matches!(self.kind, Kind::Float | Kind::BFloat | Kind::Narrow(_))
    }

    /// Whether this is index arithmetic of which [`ir`](super) speaks: `int32` or `int64`, taken not to
    /// overflow. All other integer types wrap.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert!(DType::I32.is_index() && DType::I64.is_index());
    /// assert!(!DType::int(16).is_index() && !DType::uint(32).is_index());
    /// ```
    pub const fn is_index(self) -> bool {
        matches!(self.kind, Kind::Int) && matches!(self.bits, 32 | 64)
    }

    /// The smallest and largest value of one lane for `int`, `uint` and `bool`; `None` for other kinds.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::int(8).int_range(), Some((-128, 127)));
    /// assert_eq!(DType::BOOL.int_range(), Some((0, 1)));
    /// assert_eq!(DType::F32.int_range(), None);
    /// ```
    pub fn int_range(self) -> Option<(i128, i128)> {
        match self.kind {
            Kind::Bool => Some((0, 1)),
            Kind::Int => Some((-(1i128 << (self.bits - 1)), (1i128 << (self.bits - 1)) - 1)),
            Kind::UInt => Some((0, (1i128 << self.bits) - 1)),
            Kind::Float | Kind::BFloat | Kind::Narrow(_) | Kind::Handle | Kind::Void => None,
        }
    }

    /// Bytes of one lane in memory, rounded up.
    ///
    /// ```
    /// use satir::ir::DType;
    ///
    /// assert_eq!(DType::F32.with_lanes(4).lane_bytes(), 4);
    /// assert_eq!(DType::BOOL.lane_bytes(), 1);
    /// ```
    pub const fn lane_bytes(self) -> usize {
        self.bits.div_ceil(8) as usize
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Int => write!(f, "int{}", self.bits)?,
            Kind::UInt => write!(f, "uint{}", self.bits)?,
            Kind::Float => write!(f, "float{}", self.bits)?,
            Kind::BFloat => write!(f, "bfloat{}", self.bits)?,
            Kind::Bool => f.write_str("bool")?,
            Kind::Handle => f.write_str("handle")?,
            Kind::Void => f.write_str("void")?,
            Kind::Narrow(n) => {
                let (_, name, _) = NarrowFloat::ALL[n as usize];
                f.write_str(name)?;
            }
        }
        if self.lanes != 1 { write!(f, "x{}", self.lanes) } else { Ok(()) }
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no data type.
///
/// ```
/// use satir::ir::DType;
///
/// let error = "int3two".parse::<DType>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown data type `int3two`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown data type `{0}`")]
pub struct UnknownDType(pub String);

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        let unknown = || UnknownDType(s.to_owned());
        for (narrow, name, bits) in NarrowFloat::ALL {
            if let Some(rest) = s.strip_prefix(name)
                && (rest.is_empty() || rest.starts_with('x'))
            {
                let lanes = parse_lanes(rest).ok_or_else(unknown)?;
                return Ok(DType { kind: Kind::Narrow(narrow), bits, lanes });
            }
        }
        let digits = s.find(|c: char| c.is_ascii_digit()).unwrap_or(s.len());
        let (name, rest) = s.split_at(digits);
        let (name, bits, lanes) = match rest.split_once('x') {
            Some((bits, lanes)) => (name, bits, lanes.parse().map_err(|_| unknown())?),
            None => (name, rest, 1),
        };
        // `boolx4` has its `x` in the name part.
        let (name, bits) = match name.strip_suffix('x') {
            Some(stem) if stem == "bool" || stem == "handle" => {
                let lanes = rest.parse().map_err(|_| unknown())?;
                return DType::from_str(stem).map(|d| d.with_lanes(lanes));
            }
            _ => (name, bits),
        };
        let parsed: Option<u8> = bits.parse().ok();
        let dtype = match (name, parsed) {
            ("bool", None) if bits.is_empty() => DType::BOOL,
            ("handle", None) if bits.is_empty() => DType::HANDLE,
            ("void", None) if bits.is_empty() => DType::VOID,
            ("int", Some(b @ (1 | 4 | 8 | 16 | 32 | 64))) => DType::int(b),
            ("uint", Some(b @ (1 | 4 | 8 | 16 | 32 | 64))) => DType::uint(b),
            ("float", Some(b @ (16 | 32 | 64))) => DType::float(b),
            ("bfloat", Some(16)) => DType::new(Kind::BFloat, 16),
            _ => return Err(unknown()),
        };
        if lanes == 0 { Err(unknown()) } else { Ok(dtype.with_lanes(lanes)) }
    }
}

fn parse_lanes(rest: &str) -> Option<u16> {
    match rest.strip_prefix('x') {
        None => Some(1),
        Some(n) => n.parse().ok().filter(|&n| n > 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_round_trips() {
        for name in [
            "int8",
            "int32",
            "int64x4",
            "uint16",
            "bool",
            "boolx8",
            "float16x64",
            "bfloat16",
            "bfloat16x2",
            "handle",
            "void",
            "float8_e4m3fn",
            "float8_e4m3fnuzx4",
            "float4_e2m1fn",
            "int1",
        ] {
            assert_eq!(name.parse::<DType>().unwrap().to_string(), name);
        }
        for bad in ["", "int", "int33", "floaty", "int32x0", "int32x", "float8_e4m3fny", "x4", "int32x99999"]
        {
            assert!(bad.parse::<DType>().is_err(), "{bad}");
        }
    }
}
