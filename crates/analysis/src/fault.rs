//! Why events cannot be used.

use std::fmt;

use livetime_recording as recording;

/// Why an event could not be used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FaultKind {
    /// The detector was not read for it, and nothing says that it should have been.
    Missing,
    /// The recorder says that data of the detector are damaged or were dropped.
    Damaged,
    /// The data violate their format, or cannot be decompressed.
    Broken,
    /// The pictures have another type or shape than the pictures before. (Arrays with one axis may have any length.)
    Changed,
    /// The file cannot be read.
    Unreadable,
}

impl FaultKind {
    /// All of them.
    pub const ALL: [FaultKind; 5] = [
        FaultKind::Missing,
        FaultKind::Damaged,
        FaultKind::Broken,
        FaultKind::Changed,
        FaultKind::Unreadable,
    ];

    /// `"missing"`, `"damaged"`, `"broken"`, `"changed"` or `"unreadable"`.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Missing => "missing",
            FaultKind::Damaged => "damaged",
            FaultKind::Broken => "broken",
            FaultKind::Changed => "changed",
            FaultKind::Unreadable => "unreadable",
        }
    }
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason why an event could not be used, with the wanted and the found value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// The reason.
    pub kind: FaultKind,
    /// In words.
    pub why: String,
}

/// The fate of an event.
pub(crate) type Outcome<T = ()> = Result<T, Fault>;

impl Fault {
    pub(crate) fn new(kind: FaultKind, why: impl fmt::Display) -> Fault {
        Fault { kind, why: why.to_string() }
    }

    /// Of a picture that there is: nothing to an analysis whose reducers judge pictures.
    pub(crate) fn left_to(self, takes_recorded: bool) -> Outcome {
        match self.kind {
            FaultKind::Damaged | FaultKind::Changed if takes_recorded => Ok(()),
            _ => Err(self),
        }
    }
}

/// The judgement of [`Recording::read`](recording::Recording::read). For a sum it makes no difference whether data are damaged or were lost.
impl From<recording::Fault> for Fault {
    fn from(fault: recording::Fault) -> Fault {
        use recording::FaultKind::{Broken, Damaged, Lost, Missing, NoMemory, Unreadable};
        let kind = match fault.kind {
            Missing => FaultKind::Missing,
            Damaged | Lost => FaultKind::Damaged,
            Broken => FaultKind::Broken,
            // Reading into memory of one's own never asks a pool.
            Unreadable | NoMemory => FaultKind::Unreadable,
        };
        Fault::new(kind, fault.why)
    }
}

/// An event that could not be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrokenEvent {
    /// Number of the event in the run, from 0 on.
    pub event: usize,
    /// When it happened, ns since 1970.
    pub time_ns: u64,
    /// Why.
    pub fault: Fault,
}
