//! What is compressed: numbers in memory, with their type and shape.

use std::fmt;

use crate::CodecError;

/// The type of the elements of an array. All are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub enum DType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl DType {
    /// All types; the position of a type is its number in streams.
    pub const ALL: [DType; 10] = [
        DType::U8,
        DType::I8,
        DType::U16,
        DType::I16,
        DType::U32,
        DType::I32,
        DType::U64,
        DType::I64,
        DType::F32,
        DType::F64,
    ];

    /// Bytes of an element.
    pub fn bytes(self) -> usize {
        match self {
            DType::U8 | DType::I8 => 1,
            DType::U16 | DType::I16 => 2,
            DType::U32 | DType::I32 | DType::F32 => 4,
            DType::U64 | DType::I64 | DType::F64 => 8,
        }
    }

    /// `"u8"` … `"f64"`.
    pub fn name(self) -> &'static str {
        match self {
            DType::U8 => "u8",
            DType::I8 => "i8",
            DType::U16 => "u16",
            DType::I16 => "i16",
            DType::U32 => "u32",
            DType::I32 => "i32",
            DType::U64 => "u64",
            DType::I64 => "i64",
            DType::F32 => "f32",
            DType::F64 => "f64",
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A packed array in memory of any alignment.
#[derive(Clone, Copy, Debug)]
pub struct Array<'a> {
    data: &'a [u8],
    dtype: DType,
    shape: &'a [usize],
}

impl<'a> Array<'a> {
    /// An array of `shape`, the slowest dimension first.
    ///
    /// # Errors
    /// [`CodecError::Length`] if `data` does not have as many bytes as type and shape need.
    ///
    /// ```
    /// use livetime_codecs::{Array, DType};
    /// assert!(Array::new(&[0; 12], DType::U16, &[2, 3]).is_ok());
    /// assert!(Array::new(&[0; 11], DType::U16, &[2, 3]).is_err());
    /// ```
    pub fn new(data: &'a [u8], dtype: DType, shape: &'a [usize]) -> Result<Array<'a>, CodecError> {
        let wanted = shape.iter().try_fold(dtype.bytes(), |bytes, size| bytes.checked_mul(*size));
        if wanted == Some(data.len()) {
            return Ok(Array { data, dtype, shape });
        }
        Err(CodecError::Length {
            what: "bytes of the array",
            wanted: wanted.unwrap_or(usize::MAX),
            found: data.len(),
        })
    }

    /// The elements as bytes.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }

    /// Type of the elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Sizes, the slowest dimension first.
    pub fn shape(&self) -> &'a [usize] {
        self.shape
    }
}
