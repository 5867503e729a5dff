//! The error of reading bytes or of a value that fits no type.

use std::borrow::Cow;
use std::fmt;

/// The result of functions that read data from outside.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the wanted value and the found value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    wanted: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl Error {
    /// `wanted` one thing, `found` another.
    #[cold]
    pub fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        Error { wanted: wanted.into(), found: found.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.wanted, self.found)
    }
}

impl std::error::Error for Error {}
