//! Why an analysis has no results.

use std::any::Any;
use std::fmt;
use std::ops::Range;

use livetime_runtime::TooMuchMemory;

/// Why a reducer cannot do its work: any error. Text becomes one with `into`, and `?` turns other errors into one.
pub type ReduceError = Box<dyn std::error::Error + Send + Sync>;

/// The result of an analysis, or of a step of it.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an analysis, or a step of it, has no result.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The recorded run cannot be used, or the system refuses.
    Recording(livetime_recording::Error),
    /// A reducer returned an error.
    Reducer {
        /// The reducer's name.
        reducer: String,
        /// The failing action.
        step: Step,
        /// The error of the reducer.
        source: ReduceError,
    },
    /// A reducer panicked.
    Panic {
        /// The reducer's name.
        reducer: String,
        /// The failing action.
        step: Step,
        /// The message of the panic.
        message: String,
    },
    /// The caller stopped the analysis.
    Stopped,
    /// The analysis needs more memory than it may take: fewer workers need less.
    Memory(TooMuchMemory),
    /// A plan, a partial result or a file of one is wrong.
    Refused {
        /// The wanted value.
        wanted: String,
        /// The found value.
        found: String,
    },
    /// These leaves are missing in a partial result that should have all leaves.
    MissingLeaves(Vec<Range<usize>>),
    /// The partial results of these parts are missing.
    MissingParts(Vec<usize>),
}

/// The action of a reducer that failed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Step {
    /// Taking in an event.
    Event(usize),
    /// Taking in a block of events at once, from the first to the last.
    Block(usize, usize),
    /// Merging partial results.
    Merge,
    /// Making results of the last partial result.
    Finish,
    /// Saving a partial result.
    Save,
    /// Loading a partial result.
    Load,
}

impl Error {
    pub(crate) fn refused(wanted: impl Into<String>, found: impl Into<String>) -> Error {
        Error::Refused { wanted: wanted.into(), found: found.into() }
    }
}

impl From<livetime_recording::Error> for Error {
    fn from(error: livetime_recording::Error) -> Error {
        Error::Recording(error)
    }
}

impl From<TooMuchMemory> for Error {
    fn from(error: TooMuchMemory) -> Error {
        Error::Memory(error)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Event(event) => write!(f, "event {event}"),
            Step::Block(first, last) => write!(f, "events {first} to {last}"),
            Step::Merge => f.write_str("merging"),
            Step::Finish => f.write_str("making results"),
            Step::Save => f.write_str("saving"),
            Step::Load => f.write_str("loading"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Recording(error) => error.fmt(f),
            Error::Reducer { reducer, step, source } => write!(f, "reducer `{reducer}`, {step}: {source}"),
            Error::Panic { reducer, step, message } => {
                let wanted = "wanted a reducer that returns, found one that panicked";
                write!(f, "reducer `{reducer}`, {step}: {wanted}: {message}")
            }
            Error::Memory(error) => error.fmt(f),
            Error::Stopped => f.write_str("the analysis was stopped"),
            Error::Refused { wanted, found } => write!(f, "wanted {wanted}, found {found}"),
            Error::MissingLeaves(missing) => {
                let ranges: Vec<String> = missing.iter().map(|r| format!("{}..{}", r.start, r.end)).collect();
                write!(f, "wanted every leaf, found none of {}", ranges.join(", "))
            }
            Error::MissingParts(missing) => {
                let numbers: Vec<String> = missing.iter().map(usize::to_string).collect();
                write!(f, "wanted every part, found none of {}", numbers.join(", "))
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Recording(error) => Some(error),
            Error::Memory(error) => Some(error),
            Error::Reducer { source, .. } => Some(&**source),
            _ => None,
        }
    }
}

/// The message of a panic.
pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".to_owned())
}
