//! Why a recorded run does not go through a pipeline.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use livetime_engine::{Cause, GraphError, NodeError};
use livetime_frame::WrongPayload;
use livetime_recording::{Fault, TooMuchMemory};

use crate::config::{Problem, ProblemKind, Problems};

/// Why a recorded run does not go through a pipeline.
#[derive(Debug)]
#[non_exhaustive]
pub enum RecordedError {
    /// None of the first events has a picture.
    NoPicture {
        /// Why the last of them has none; `None` where there are no events.
        last: Option<String>,
    },
    /// No picture came out for the first events.
    NoOutput {
        /// The output.
        output: String,
        /// The fate of the last of them.
        last: String,
    },
    /// A path that a source cannot be told in a line of text.
    Path(PathBuf),
    /// The graph does not start.
    Graph(Vec<GraphError>),
    /// The nodes do not start.
    Nodes(Vec<GraphError>),
    /// A node whose policy is to stop failed with an event.
    Stopped {
        /// The number of the event.
        event: usize,
        /// The node's error.
        source: NodeError,
    },
    /// The description of a planned pipeline has been changed.
    Changed,
    /// The reducers of a planned pipeline cannot be made.
    Reducers(livetime_analysis::Error),
    /// The pipeline of a plan cannot be made.
    Pipeline(Problems),
    /// A picture cannot be reduced.
    Picture(PictureError),
    /// The frames need more memory than they may take.
    Memory(TooMuchMemory),
}

/// Why the picture of an event cannot be reduced.
#[derive(Debug)]
#[non_exhaustive]
pub enum PictureError {
    /// It came out damaged. Says what is wrong with all of it; `None` where that is so of a part only.
    Damaged(Option<Fault>),
    /// The frame has no array.
    Payload(WrongPayload),
    /// The picture is of another kind.
    Kind {
        /// The wanted value.
        wanted: String,
        /// The found value.
        found: String,
    },
}

impl PictureError {
    pub(super) fn kind(wanted: impl Into<String>, found: impl Into<String>) -> PictureError {
        PictureError::Kind { wanted: wanted.into(), found: found.into() }
    }
}

impl fmt::Display for RecordedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordedError::NoPicture { last: Some(why) } => {
                write!(f, "{why}; none of the first events has a picture")
            }
            RecordedError::NoPicture { last: None } => {
                f.write_str("wanted a picture in the first events, found no events")
            }
            RecordedError::NoOutput { output, last } => {
                write!(f, "wanted a picture from `{output}` for one of the first events, found {last}")
            }
            RecordedError::Path(path) => write!(f, "wanted a path in UTF-8 of one line, found {path:?}"),
            RecordedError::Graph(errors) => write!(f, "wanted a graph that starts, found {}", joined(errors)),
            RecordedError::Nodes(errors) => write!(f, "wanted nodes that start, found {}", joined(errors)),
            RecordedError::Stopped { event, source } => write!(f, "event {event}: {source}"),
            RecordedError::Changed => {
                f.write_str("wanted a pipeline as it was planned, found one that was changed")
            }
            RecordedError::Reducers(error) => error.fmt(f),
            RecordedError::Pipeline(problems) => problems.fmt(f),
            RecordedError::Picture(error) => error.fmt(f),
            RecordedError::Memory(error) => error.fmt(f),
        }
    }
}

fn joined(errors: &[GraphError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::Damaged(Some(fault)) => fault.fmt(f),
            PictureError::Damaged(None) => f.write_str(
                "wanted an undamaged picture, found one with damage in a part, or without some panel",
            ),
            PictureError::Payload(error) => error.fmt(f),
            PictureError::Kind { wanted, found } => write!(f, "wanted {wanted}, found {found}"),
        }
    }
}

impl std::error::Error for RecordedError {}

/// A problem outside the pipeline file.
impl From<RecordedError> for Problem {
    fn from(error: RecordedError) -> Problem {
        Problem::elsewhere(ProblemKind::Recorded(Cause::new(Arc::new(error))))
    }
}

impl From<TooMuchMemory> for RecordedError {
    fn from(error: TooMuchMemory) -> RecordedError {
        RecordedError::Memory(error)
    }
}

impl std::error::Error for PictureError {}

impl From<WrongPayload> for PictureError {
    fn from(error: WrongPayload) -> PictureError {
        PictureError::Payload(error)
    }
}

impl From<PictureError> for RecordedError {
    fn from(error: PictureError) -> RecordedError {
        RecordedError::Picture(error)
    }
}
