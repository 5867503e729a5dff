//! Why an object cannot be read or written.

use std::borrow::Cow;
use std::error::Error as _;
use std::ops::Range;
use std::time::Duration;
use std::{fmt, io};

/// The result of asking a server.
pub type Result<T> = std::result::Result<T, ObjectError>;

/// Characters of an answer that an error shows; a server may answer with a page.
const MOST_SHOWN: usize = 300;

/// What was wanted of a server, and what came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectError {
    /// The kind of the fault.
    pub kind: Kind,
    /// The bytes that were asked for, if bytes were.
    pub range: Option<Range<u64>>,
    /// What was wanted.
    pub wanted: Cow<'static, str>,
    /// What came, with the status of the server where it is known.
    pub found: String,
}

/// The kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// There is no such object (status 404).
    NotFound,
    /// There is such an object already, and none is replaced (status 409 or 412).
    Exists,
    /// The server does not let this user read or write (status 401 or 403).
    Forbidden,
    /// The object is another one than when it was opened.
    Changed,
    /// The server sent other bytes than it said, or than were asked for.
    Lie,
    /// Nothing came in time.
    TimedOut,
    /// The address, or what was wanted of the server, is nothing that can be.
    Refused,
    /// The server cannot do that.
    Unsupported,
    /// Any other fault on the way or of the server.
    Failed,
}

impl Kind {
    /// Whether another try may end better.
    pub(crate) fn may_pass(self) -> bool {
        matches!(self, Kind::Lie | Kind::TimedOut | Kind::Failed)
    }
}

impl ObjectError {
    pub(crate) fn new(
        kind: Kind,
        wanted: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> ObjectError {
        ObjectError { kind, range: None, wanted: wanted.into(), found: found.into() }
    }

    pub(crate) fn refused(wanted: &'static str, found: String) -> ObjectError {
        ObjectError::new(Kind::Refused, wanted, found)
    }

    pub(crate) fn timed_out(wanted: impl Into<Cow<'static, str>>, limit: Duration) -> ObjectError {
        ObjectError::new(Kind::TimedOut, wanted, format!("nothing of that within {limit:?}"))
    }

    /// An error of the client: its kind, and the answer of the server in its own words.
    pub(crate) fn of(wanted: impl Into<Cow<'static, str>>, error: &object_store::Error) -> ObjectError {
        use object_store::Error as E;
        // The client's words for it are a page long, and say no more.
        if let E::NotFound { .. } = error {
            return ObjectError::new(Kind::NotFound, wanted, "none (status 404)");
        }
        let (kind, status) = match error {
            E::PermissionDenied { .. } => (Kind::Forbidden, "status 403: "),
            E::Unauthenticated { .. } => (Kind::Forbidden, "status 401: "),
            E::Precondition { .. } => (Kind::Changed, "status 412: "),
            E::AlreadyExists { .. } => (Kind::Exists, ""),
            E::NotSupported { .. } | E::NotImplemented { .. } => (Kind::Unsupported, ""),
            E::InvalidPath { .. } => (Kind::Refused, ""),
            _ => (Kind::Failed, ""),
        };
        ObjectError::new(kind, wanted, format!("{status}{}", words_of(error)))
    }

    pub(crate) fn at(self, range: Range<u64>) -> ObjectError {
        ObjectError { range: Some(range), ..self }
    }
}

/// The last cause of an error says most; those before repeat the path.
fn words_of(error: &object_store::Error) -> String {
    let (mut all, mut cause) = (error.to_string(), error.source());
    while let Some(inner) = cause {
        let words = inner.to_string();
        if !all.contains(&words) {
            all = format!("{all}: {words}");
        }
        cause = inner.source();
    }
    // A page of a server is one line of an error.
    let line: Vec<Cow<'_, str>> = all.split_whitespace().map(without_query).collect();
    let line = line.join(" ");
    match line.char_indices().nth(MOST_SHOWN) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line,
    }
}

/// A word without the query of the address in it, which may be a signature.
fn without_query(word: &str) -> Cow<'_, str> {
    // A part of an address is cut as well: servers repeat what they were asked for.
    let is_signature =
        |word: &str| ["Signature=", "Credential=", "Token=", "sig="].iter().any(|name| word.contains(name));
    match word.split_once('?') {
        Some((before, _)) if word.contains("://") || is_signature(word) => format!("{before}?...").into(),
        _ if is_signature(word) => "...".into(),
        _ => word.into(),
    }
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}", self.wanted)?;
        if let Some(Range { start, end }) = &self.range {
            write!(f, ", bytes {start}..{end}")?;
        }
        write!(f, ", found {}", self.found)
    }
}

impl std::error::Error for ObjectError {}

impl From<ObjectError> for io::Error {
    fn from(error: ObjectError) -> io::Error {
        let kind = match error.kind {
            Kind::NotFound => io::ErrorKind::NotFound,
            Kind::Exists => io::ErrorKind::AlreadyExists,
            Kind::Forbidden => io::ErrorKind::PermissionDenied,
            Kind::Changed | Kind::Lie => io::ErrorKind::InvalidData,
            Kind::TimedOut => io::ErrorKind::TimedOut,
            Kind::Refused => io::ErrorKind::InvalidInput,
            Kind::Unsupported => io::ErrorKind::Unsupported,
            Kind::Failed => io::ErrorKind::Other,
        };
        io::Error::new(kind, error)
    }
}
