//! Frames out of a running graph.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use livetime_engine as engine;
use livetime_engine::{OutletError, lock};
use pyo3::prelude::*;

use crate::errors::{Kind, apart, raise};
use crate::fork::Process;
use crate::frame::Frame;

/// An edge out of the graph; the thread that asks it for frames is its receiver.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Outlet {
    process: Process,
    outlet: Mutex<Option<engine::Outlet>>,
}

impl Outlet {
    pub(crate) fn new(outlet: engine::Outlet) -> Outlet {
        Outlet { process: Process::this(), outlet: Mutex::new(Some(outlet)) }
    }

    /// Does `work` with it detached from the interpreter; `None` if it is closed.
    fn with<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Option<engine::Outlet>) -> T + Send,
    ) -> PyResult<T> {
        self.process.check(py, Kind::Graph, "an edge", "start the graph in the child, or use spawn")?;
        apart(py, || work(&mut lock(&self.outlet)))
    }
}

impl Drop for Outlet {
    fn drop(&mut self) {
        if !self.process.is_this() {
            std::mem::forget(self.outlet.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        }
    }
}

#[pymethods]
impl Outlet {
    /// The oldest waiting frame, or the first that comes within `seconds`; `None` if none came. Raises `EOFError` after
    /// the last one.
    fn recv(&self, py: Python<'_>, seconds: f64) -> PyResult<Option<Frame>> {
        let limit = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        let received = self.with(py, |outlet| match outlet {
            Some(outlet) => outlet.recv(limit),
            None => Err(OutletError::Ended),
        })?;
        match received {
            Ok(frame) => Ok(Some(Frame::new(frame))),
            Err(OutletError::TimedOut) => Ok(None),
            Err(ended @ OutletError::Ended) => Err(pyo3::exceptions::PyEOFError::new_err(ended.to_string())),
        }
    }

    /// Waits until every frame that the node sends is offered. Returns whether it is.
    fn wait_connected(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let limit = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        self.with(py, |outlet| outlet.as_ref().is_some_and(|outlet| outlet.wait_connected(limit)))
    }

    /// How many frames wait.
    #[getter]
    fn queued(&self, py: Python<'_>) -> PyResult<usize> {
        self.with(py, |outlet| outlet.as_ref().map_or(0, engine::Outlet::queued))
    }

    /// Takes the edge out of the graph. Frames that wait are lost, with an entry in the ledger.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, |outlet| drop(outlet.take()))
    }
}

/// The exception for an output that there is not.
pub(crate) fn no_output(py: Python<'_>, error: &engine::GraphError) -> PyErr {
    raise(py, Kind::Graph, error)
}
