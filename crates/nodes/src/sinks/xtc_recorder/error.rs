//! Why frames are not recorded, or files not finished.

use std::path::PathBuf;
use std::{fmt, io};

use livetime_formats::Error;

use crate::codec::Panicked;

/// Why a frame is not recorded, or no recording begins.
#[derive(Debug)]
pub(super) enum RecordError {
    /// The format, or the system, refuses.
    Format(Error),
    /// The codec panicked.
    Panicked(Panicked),
    /// The system has no thread that compresses.
    Thread(io::Error),
}

impl fmt::Display for RecordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordError::Format(error) => error.fmt(f),
            RecordError::Panicked(error) => error.fmt(f),
            RecordError::Thread(error) => write!(f, "wanted a thread that compresses, found: {error}"),
        }
    }
}

impl From<Error> for RecordError {
    fn from(error: Error) -> RecordError {
        RecordError::Format(error)
    }
}

impl From<Panicked> for RecordError {
    fn from(error: Panicked) -> RecordError {
        RecordError::Panicked(error)
    }
}

/// A file that could not be finished.
#[derive(Debug)]
pub(super) enum Unfinished {
    /// The file lacks its final name.
    Name(Error),
    /// The file lacks the end of the run.
    End(PathBuf, Error),
    /// The file is whole, and has no index.
    Index(Error),
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfinished::Name(error) => error.fmt(f),
            Unfinished::Index(error) => write!(f, "no index beside a whole file: {error}"),
            Unfinished::End(path, error) => {
                let (path, reason) = (path.display(), error.reason());
                write!(
                    f,
                    "`{path}`: wanted to write the end of the run, found: {reason}; all events are there"
                )
            }
        }
    }
}

/// The files of a run that could not be finished.
#[derive(Debug)]
pub(super) struct UnfinishedRun(pub(super) Vec<Unfinished>);

impl fmt::Display for UnfinishedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&texts.join("; "))
    }
}
