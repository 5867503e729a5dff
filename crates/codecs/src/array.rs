//! The arrays that codecs compress: numbers in memory, with their type and shape.

use crate::{CodecError, DType};

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
