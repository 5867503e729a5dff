//! Why a run cannot be served, and why a put is refused.

use std::{fmt, io};

use livetime_control::model::StartError;
use livetime_engine::{NodeError, Value};
use livetime_pva::client;

/// Why a run cannot be served.
#[derive(Debug)]
pub enum ServeError {
    /// The model of the run does not start.
    Model(StartError),
    /// A PV cannot be made.
    Pva(livetime_pva::Error),
    /// A PV of pictures cannot be made.
    Pictures(NodeError),
    /// No socket can be opened.
    Socket(io::Error),
    /// The system refuses a thread.
    Thread(io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ServeError::Model(error) => error.fmt(f),
            ServeError::Pva(error) => error.fmt(f),
            ServeError::Pictures(error) => error.fmt(f),
            ServeError::Socket(error) => error.fmt(f),
            ServeError::Thread(error) => write!(f, "cannot start a thread: {error}"),
        }
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            ServeError::Model(error) => Some(error),
            ServeError::Pva(error) => Some(error),
            ServeError::Pictures(error) => Some(error),
            ServeError::Socket(error) | ServeError::Thread(error) => Some(error),
        }
    }
}

impl From<livetime_pva::Error> for ServeError {
    fn from(error: livetime_pva::Error) -> ServeError {
        ServeError::Pva(error)
    }
}

/// Why a put is refused.
#[derive(Debug)]
pub(super) enum PutError {
    RunEnded,
    MayNotAct,
    ReadOnly,
    /// The PV takes one value, for this reason.
    Only(&'static str),
    NoName,
    NoParameter(&'static str),
    NoNumber(Value),
    NegativeCount(f64),
    TooFewBuffers(f64),
    NoChoice {
        choices: Vec<&'static str>,
        found: Value,
    },
    /// A parameter of this name is no number, and follows no PV.
    CannotFollow(&'static str),
    Client(client::Error),
    NoClient,
}

impl fmt::Display for PutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PutError::RunEnded => f.write_str("the run has ended"),
            PutError::MayNotAct => f.write_str("you may not act"),
            PutError::ReadOnly => f.write_str("this can only be read"),
            PutError::Only(why) => f.write_str(why),
            PutError::NoName => f.write_str("there is no such name"),
            PutError::NoParameter(suffix) => write!(f, "the node has no `{suffix}`"),
            PutError::NoNumber(found) => write!(f, "wanted a number, found `{found}`"),
            PutError::NegativeCount(found) => write!(f, "wanted a count of at least 0, found {found}"),
            PutError::TooFewBuffers(found) => {
                write!(f, "wanted NumPreAllocBuffers of at least 1, found {found}")
            }
            PutError::NoChoice { choices, found } => {
                write!(f, "wanted {}, found `{found}`", choices.join(", "))
            }
            PutError::CannotFollow(name) => write!(f, "wanted a number to follow a PV, found `{name}`"),
            PutError::Client(error) => error.fmt(f),
            PutError::NoClient => f.write_str("no client of EPICS"),
        }
    }
}

impl From<client::Error> for PutError {
    fn from(error: client::Error) -> PutError {
        PutError::Client(error)
    }
}
