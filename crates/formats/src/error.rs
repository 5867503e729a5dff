//! The error of reading a file or bytes.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of functions that read data from outside.
pub type Result<T> = std::result::Result<T, Error>;

/// The wanted and the found value, and the place.
///
/// ```
/// use livetime_formats::Error;
///
/// let error = Error::new("an extent of at least 20", "12").at(60).in_file("run.xtc");
/// assert_eq!(error.to_string(), "run.xtc: wanted an extent of at least 20, found 12 at byte 60");
/// ```
#[derive(Debug)]
pub struct Error(Box<Inner>);

// The box keeps the results of small reads small.
#[derive(Debug)]
struct Inner {
    file: Option<PathBuf>,
    at: Option<u64>,
    wanted: Cow<'static, str>,
    found: Cow<'static, str>,
    io: Option<io::Error>,
}

impl Error {
    /// `wanted` one thing, `found` another.
    #[cold]
    pub fn new(wanted: impl Into<Cow<'static, str>>, found: impl Into<Cow<'static, str>>) -> Error {
        Error(Box::new(Inner { file: None, at: None, wanted: wanted.into(), found: found.into(), io: None }))
    }

    /// The system refused `wanted`, as "to read the file".
    #[cold]
    pub fn io(wanted: impl Into<Cow<'static, str>>, error: io::Error) -> Error {
        let found = error.to_string().into();
        Error(Box::new(Inner { file: None, at: None, wanted: wanted.into(), found, io: Some(error) }))
    }

    /// The same error, noticed at byte `at`. An offset that is known already stays.
    pub fn at(mut self, at: u64) -> Error {
        self.0.at.get_or_insert(at);
        self
    }

    /// The same error, in the file `path`.
    pub fn in_file(mut self, path: impl AsRef<Path>) -> Error {
        self.0.file.get_or_insert_with(|| path.as_ref().to_owned());
        self
    }

    /// The same error for bytes that lie `base` bytes further on.
    pub fn moved_by(mut self, base: u64) -> Error {
        self.0.at = self.0.at.map(|at| at.saturating_add(base));
        self
    }

    /// The byte where it was noticed.
    pub fn offset(&self) -> Option<u64> {
        self.0.at
    }

    /// The file in which it was noticed, if that is known.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The system's refusal, if it was one.
    pub fn io_error(&self) -> Option<&io::Error> {
        self.0.io.as_ref()
    }

    /// The report of the system, if it refused; else the wanted and the found value.
    pub fn cause(&self) -> String {
        self.io_error().map_or_else(|| self.reason(), ToString::to_string)
    }

    /// The wanted and the found value, without the place.
    pub fn reason(&self) -> String {
        format!("wanted {}, found {}", self.0.wanted, self.0.found)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{}: ", file.display())?;
        }
        f.write_str(&self.reason())?;
        self.0.at.map_or(Ok(()), |at| write!(f, " at byte {at}"))
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.io.as_ref().map(|e| e as _)
    }
}
