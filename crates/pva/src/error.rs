//! The error of reading bytes, of a type or of a request.

use std::borrow::Cow;
use std::fmt;

/// The result of functions that read data from outside.
pub type Result<T> = std::result::Result<T, Error>;

/// Names the wanted value, the found value, and the place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error(Box<ErrorParts>);

// Boxed, so that the result of reading a number fits into two registers.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ErrorParts {
    at: Option<usize>,
    wanted: Cow<'static, str>,
    found: Cow<'static, str>,
}

impl Error {
    /// An error that belongs to no byte: `wanted` one thing, `found` another.
    pub fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        Error(Box::new(ErrorParts { at: None, wanted: wanted.into(), found: found.into() }))
    }

    /// An error at byte `at` of a message.
    #[cold]
    pub fn at(at: usize, wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        Error(Box::new(ErrorParts { at: Some(at), wanted: wanted.into(), found: found.into() }))
    }

    /// The byte of the message where it was noticed.
    pub fn offset(&self) -> Option<usize> {
        self.0.at
    }

    /// The found value, as the peers put it in a refusal.
    pub fn found(&self) -> &str {
        &self.0.found
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.0.wanted, self.0.found)?;
        self.0.at.map_or(Ok(()), |at| write!(f, " at byte {at}"))
    }
}

impl std::error::Error for Error {}
