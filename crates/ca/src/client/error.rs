//! Why an operation came to nothing.

use std::fmt;

use crate::Status;

/// The result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Why an operation came to nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Error {
    /// The operation timed out. The text names the attempt.
    Timeout(String),
    /// The server refused it.
    Refused(Refusal),
    /// The connection was lost after the server may have begun the operation, which must not be carried out twice.
    Disconnected,
    /// The client, channel or monitor is over.
    Closed,
    /// The request is invalid.
    Invalid(crate::Error),
    /// The client could not be started, or a socket of it does not work.
    System(String),
}

/// The answer of a server that does not carry out a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The number of a [`Status`], or a number that we do not know.
    pub status: u32,
    /// For people; empty if the server gives no reason.
    pub reason: String,
}

impl Refusal {
    /// A refusal without a reason of the server.
    pub(super) fn new(status: u32) -> Refusal {
        Refusal { status, reason: String::new() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match Status::from_number(self.status) {
            _ if !self.reason.is_empty() => f.write_str(&self.reason),
            Some(status) => status.fmt(f),
            None => write!(f, "status {}", self.status),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Timeout(tried) => f.write_str(tried),
            Error::Refused(refusal) => write!(f, "the server refused: {refusal}"),
            Error::Disconnected => f.write_str("the connection was lost before the answer came"),
            Error::Closed => f.write_str("it is over"),
            Error::Invalid(error) => error.fmt(f),
            Error::System(error) => f.write_str(error),
        }
    }
}

impl std::error::Error for Error {}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Error {
        Error::Invalid(error)
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Error {
        Error::Refused(refusal)
    }
}
