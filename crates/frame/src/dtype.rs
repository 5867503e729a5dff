//! The ten element types of arrays and table columns.

use std::fmt;
use std::str::FromStr;

/// The type of one array element.
///
/// ```
/// use livetime_frame::DType;
/// assert_eq!("u16".parse(), Ok(DType::U16));
/// assert_eq!(DType::F64.bytes(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum DType {
    /// Signed 8-bit integer.
    I8,
    /// Unsigned 8-bit integer.
    #[default]
    U8,
    /// Signed 16-bit integer.
    I16,
    /// Unsigned 16-bit integer.
    U16,
    /// Signed 32-bit integer.
    I32,
    /// Unsigned 32-bit integer.
    U32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 64-bit integer.
    U64,
    /// 32-bit floating point.
    F32,
    /// 64-bit floating point.
    F64,
}

impl DType {
    /// All ten, in the order of areaDetector's enumeration (`Int8` 0 … `Float64` 9).
    pub const ALL: [DType; 10] = [
        DType::I8,
        DType::U8,
        DType::I16,
        DType::U16,
        DType::I32,
        DType::U32,
        DType::I64,
        DType::U64,
        DType::F32,
        DType::F64,
    ];

    /// Size of one element in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            DType::I8 | DType::U8 => 1,
            DType::I16 | DType::U16 => 2,
            DType::I32 | DType::U32 | DType::F32 => 4,
            DType::I64 | DType::U64 | DType::F64 => 8,
        }
    }

    /// `"i8"` … `"f64"`.
    pub const fn name(self) -> &'static str {
        match self {
            DType::I8 => "i8",
            DType::U8 => "u8",
            DType::I16 => "i16",
            DType::U16 => "u16",
            DType::I32 => "i32",
            DType::U32 => "u32",
            DType::I64 => "i64",
            DType::U64 => "u64",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }

    /// True for `f32` and `f64`.
    pub const fn is_float(self) -> bool {
        matches!(self, DType::F32 | DType::F64)
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for DType {
    type Err = UnknownDType;

    fn from_str(text: &str) -> Result<Self, UnknownDType> {
        DType::ALL.into_iter().find(|d| d.name() == text).ok_or_else(|| UnknownDType(text.into()))
    }
}

/// The text names no element type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDType(pub String);

impl fmt::Display for UnknownDType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted one of i8 u8 i16 u16 i32 u32 i64 u64 f32 f64, found `{}`", self.0)
    }
}

impl std::error::Error for UnknownDType {}

/// A Rust type that can be an array element. Implemented for the ten types of [`DType`] only.
pub trait Element: bytemuck::Pod + PartialOrd + Send + Sync + sealed::Sealed {
    /// The matching [`DType`].
    const DTYPE: DType;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! element {
    ($($t:ty => $d:ident),*) => {$(
        impl sealed::Sealed for $t {}
        impl Element for $t {
            const DTYPE: DType = DType::$d;
        }
    )*};
}

element!(i8 => I8, u8 => U8, i16 => I16, u16 => U16, i32 => I32, u32 => U32, i64 => I64, u64 => U64, f32 => F32, f64 => F64);

/// Runs `$body` with `$T` standing for the Rust type of the [`DType`] `$dtype`.
///
/// ```
/// use livetime_frame::{with_dtype, DType};
/// let size = with_dtype!(DType::I32, T => std::mem::size_of::<T>());
/// assert_eq!(size, 4);
/// ```
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $T:ident => $body:expr) => {{
        macro_rules! as_type {
            ($t:ty) => {{
                type $T = $t;
                $body
            }};
        }
        match $dtype {
            $crate::DType::I8 => as_type!(i8),
            $crate::DType::U8 => as_type!(u8),
            $crate::DType::I16 => as_type!(i16),
            $crate::DType::U16 => as_type!(u16),
            $crate::DType::I32 => as_type!(i32),
            $crate::DType::U32 => as_type!(u32),
            $crate::DType::I64 => as_type!(i64),
            $crate::DType::U64 => as_type!(u64),
            $crate::DType::F32 => as_type!(f32),
            $crate::DType::F64 => as_type!(f64),
        }
    }};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip_and_sizes_match_rust() {
        for d in DType::ALL {
            assert_eq!(d.name().parse(), Ok(d));
            assert_eq!(with_dtype!(d, T => size_of::<T>()), d.bytes());
            assert_eq!(with_dtype!(d, T => T::DTYPE), d);
        }
        assert!("u12".parse::<DType>().is_err());
    }
}
