//! Places of files that cannot be read.

use std::path::PathBuf;

use livetime_formats::xtc1::run;

use crate::damage::{Fault, FaultKind};

/// A place from which on a file cannot be read, so that the number of events behind it is unknown; or a broken part of
/// a datagram, which readers of the event find.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// Number of the event that it is in; `None` if it is none.
    pub event: Option<usize>,
    /// The wanted and the found value, and the place.
    pub why: String,
}

impl Problem {
    pub(crate) fn of_scan(problem: &run::Problem) -> Problem {
        Problem { path: problem.path.clone(), event: None, why: problem.error.to_string() }
    }
}

/// The fault of a place in a file.
impl From<Problem> for Fault {
    fn from(problem: Problem) -> Fault {
        Fault::new(FaultKind::Unreadable, format!("{}: {}", problem.path.display(), problem.why))
    }
}
