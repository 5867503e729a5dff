//! Why the page of a run is not served.

use std::{fmt, io};

use livetime_control::rules::RulesError;

/// Why the page of a run is not served. The run goes on all the same.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// The system refuses a socket, or a thread for one.
    Socket(io::Error),
    /// The system refuses a thread that works for requests.
    Thread(io::Error),
    /// The rules would open more than they say.
    Rules(RulesError),
    /// There is no token.
    NoToken(NoRandom),
}

/// The system gives no random numbers.
#[derive(Clone, Copy, Debug)]
pub struct NoRandom(pub(crate) getrandom::Error);

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Socket(error) => write!(f, "cannot serve the page: {error}"),
            ServeError::Thread(error) => write!(f, "cannot start a thread: {error}"),
            ServeError::Rules(error) => error.fmt(f),
            ServeError::NoToken(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for NoRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the system gives no random numbers: {}", self.0)
    }
}

impl std::error::Error for ServeError {}

impl std::error::Error for NoRandom {}

impl From<RulesError> for ServeError {
    fn from(error: RulesError) -> ServeError {
        ServeError::Rules(error)
    }
}

impl From<NoRandom> for ServeError {
    fn from(error: NoRandom) -> ServeError {
        ServeError::NoToken(error)
    }
}
