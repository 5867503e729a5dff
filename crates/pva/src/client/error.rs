//! Why an operation came to nothing.

use std::fmt;

use crate::wire::Status;

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation came to nothing.
#[derive(Clone, PartialEq, Debug)]
pub enum Error {
    /// The operation timed out. The text names the attempt.
    Timeout(String),
    /// The server refused it.
    Refused(Status),
    /// The connection was lost after the server may have begun the operation, which must not be carried out
    /// twice.
    Disconnected,
    /// The client, channel or monitor is over.
    Closed,
    /// The request is invalid.
    Invalid(crate::Error),
    /// The client could not be started, or a socket of it does not work.
    System(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Timeout(tried) => f.write_str(tried),
            Error::Refused(status) => write!(f, "the server refused: {}", reason(status)),
            Error::Disconnected => f.write_str("the connection was lost before the answer came"),
            Error::Closed => f.write_str("it is over"),
            Error::Invalid(error) => error.fmt(f),
            Error::System(error) => f.write_str(error),
        }
    }
}

/// The text of a status, or its level if it has none.
pub(super) fn reason(status: &Status) -> String {
    if status.message.is_empty() { format!("{:?}", status.level) } else { status.message.clone() }
}

impl std::error::Error for Error {}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Error {
        Error::Invalid(error)
    }
}
