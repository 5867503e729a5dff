//! The error of a slice whose length does not fit the image.

use std::fmt;

/// A slice that belongs to an image does not have as many elements as the image needs.
///
/// ```
/// use livetime_kernels::LengthError;
/// let error = LengthError { what: "output", len: 3, expected: 4 };
/// assert_eq!(error.to_string(), "output has 3 elements instead of 4");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthError {
    /// Which slice it is, in the words of the function's parameters.
    pub what: &'static str,
    /// Elements it has.
    pub len: usize,
    /// Elements it should have.
    pub expected: usize,
}

impl LengthError {
    pub(crate) fn check(what: &'static str, len: usize, expected: usize) -> Result<(), LengthError> {
        if len == expected { Ok(()) } else { Err(LengthError { what, len, expected }) }
    }
}

impl fmt::Display for LengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} has {} elements instead of {}", self.what, self.len, self.expected)
    }
}

impl std::error::Error for LengthError {}
