//! Forks of the process. A child has copies of all objects and none of the threads behind them, and a lock that a
//! thread of the parent held at the fork stays held. So every object with threads records its process: in a child it
//! refuses to work, and dropping it does nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::{Kind, raise};

/// How many forks lie between this process and the one that was started.
static GENERATION: AtomicUsize = AtomicUsize::new(0);

/// The process that made an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Process(usize);

impl Process {
    /// The current process.
    pub(crate) fn this() -> Process {
        Process(GENERATION.load(Ordering::Relaxed))
    }

    /// Whether it is this one.
    #[inline]
    pub(crate) fn is_this(self) -> bool {
        self == Process::this()
    }

    /// # Errors
    /// If something that was made in this process is used in a fork of it.
    pub(crate) fn check(self, py: Python<'_>, kind: Kind, what: &str, instead: &str) -> PyResult<()> {
        if self.is_this() {
            return Ok(());
        }
        let why = format!(
            "wanted {what} of this process, found one of the process that this one was forked from: {instead}"
        );
        Err(raise(py, kind, why))
    }
}

/// Why something cannot be sent to another process.
pub(crate) fn no_pickle(what: &str, why: &str) -> PyErr {
    PyTypeError::new_err(format!("{what} cannot be pickled: {why}"))
}

/// Begins a new process number: every object made so far belongs to another process.
pub(crate) fn begin_generation() {
    // Relaxed: the child has one thread at this moment.
    GENERATION.fetch_add(1, Ordering::Relaxed);
}
