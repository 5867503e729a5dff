//! Why there is no picture of a frame.

use std::fmt;

use livetime_engine::{Cause, GraphError};
use livetime_frame::WrongPayload;

use crate::wrong::Wrong;

/// Why there is no picture of a frame.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum NotShown {
    /// The frame, or the part of it that is wanted, cannot be shown.
    Frame(Wrong),
    /// The frame has another payload.
    Payload(WrongPayload),
    /// There is no such output.
    Output(Box<GraphError>),
    /// This number of outputs is watched already.
    TooManyOutputs(usize),
    /// As many pictures as may wait are waiting.
    TooManyWanted,
    /// As many bytes as may wait are under way to clients.
    TooManyUnderWay,
    /// The system gives no thread.
    Thread(Cause),
    /// The run has ended.
    Ended,
}

impl fmt::Display for NotShown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotShown::Frame(error) => error.fmt(f),
            NotShown::Payload(error) => error.fmt(f),
            NotShown::Output(error) => error.fmt(f),
            NotShown::TooManyOutputs(most) => write!(f, "wanted at most {most} outputs at one time"),
            NotShown::TooManyWanted => f.write_str("too many pictures are wanted"),
            NotShown::TooManyUnderWay => f.write_str("too many pictures are under way to slow clients"),
            NotShown::Thread(cause) => write!(f, "cannot start a thread: {}", cause.error()),
            NotShown::Ended => f.write_str("the run has ended"),
        }
    }
}

impl From<Wrong> for NotShown {
    fn from(error: Wrong) -> NotShown {
        NotShown::Frame(error)
    }
}

impl From<WrongPayload> for NotShown {
    fn from(error: WrongPayload) -> NotShown {
        NotShown::Payload(error)
    }
}
