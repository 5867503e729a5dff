//! The events that an expression selects.

use std::sync::Arc;

use livetime_frame::DType;
use livetime_recording as recording;
use livetime_recording::select::{Expression, Verdict};
use pyo3::prelude::*;

use crate::array;
use crate::errors::{Kind, OrRaise, apart};
use crate::recording::Recording;

/// Verdicts on the events of a run.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Selected(pub(crate) Arc<recording::select::Selected>);

#[pymethods]
impl Selected {
    /// Judges the events of a run from `start` up to `stop`.
    #[new]
    #[pyo3(signature = (recording, expression, start, stop, threads))]
    fn new(
        py: Python<'_>,
        recording: &Bound<'_, Recording>,
        expression: &str,
        start: usize,
        stop: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<Selected> {
        let recording = recording.get();
        let expression: Expression = expression.parse::<Expression>().or_raise(py, Kind::Recording)?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.unwrap_or_else(cores);
        let found =
            apart(py, || recording.0.select(&expression, start..stop.unwrap_or(usize::MAX), threads))?;
        found.map(|found| Selected(Arc::new(found))).or_raise(py, Kind::Recording)
    }

    /// As it was written.
    #[getter]
    fn expression(&self) -> &str {
        self.0.expression()
    }

    /// The numbers of the events that are selected, `uint64`.
    fn numbers<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers: Vec<u64> =
            self.0.events().filter(|event| self.0.has(*event)).map(|event| event as u64).collect();
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        array::new_array(py, DType::U64, &[numbers.len()], &bytes)
    }

    /// The verdict on an event: `"selected"`, `"refused"`, `"without value"` or `"unreadable"`.
    fn verdict(&self, event: usize) -> &'static str {
        self.0.verdict(event).name()
    }

    /// How many events have each verdict.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Verdict::ALL.iter().map(|verdict| (verdict.name(), self.0.count(*verdict))).collect()
    }
}
