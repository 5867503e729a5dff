//! Analyses in parts: a plan that any process can do a part of.

use std::path::PathBuf;

use livetime_analysis::{Error, Plan as Planned, Work};
use livetime_recording::MemoryLimit;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use crate::analysis::{Tell, exception, options, to_python};
use crate::errors::apart;
use crate::recording::Recording;
use crate::reducer::reducers;
use crate::select::Selected;

/// An analysis that is divided for several processes. Any process can make the plan of its text.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Plan(Planned);

#[pymethods]
impl Plan {
    /// Takes a plan from its text. `memory`: bytes that a part may take here.
    #[new]
    #[pyo3(signature = (text, memory = None))]
    fn new(py: Python<'_>, text: &str, memory: Option<u64>) -> PyResult<Plan> {
        let plan = apart(py, || Planned::parse(text))?.map_err(|e| exception(py, &e))?;
        let plan = plan.with_stores(&livetime::stores::of_environment(memory));
        Ok(Plan(memory.map(MemoryLimit::of).map_or(plan.clone(), |memory| plan.with_memory(memory))))
    }

    /// Plans an analysis in `parts` parts.
    #[staticmethod]
    #[pyo3(signature = (recording, detector, list, parts, start, stop, every, block_bytes, select))]
    fn of(
        py: Python<'_>,
        recording: &Bound<'_, Recording>,
        detector: &str,
        list: &Bound<'_, PyList>,
        parts: usize,
        start: usize,
        stop: Option<usize>,
        every: usize,
        block_bytes: Option<usize>,
        select: Option<&Bound<'_, Selected>>,
    ) -> PyResult<Plan> {
        let recording = recording.get();
        let detector = recording.find(py, detector)?;
        let (all, _) = reducers(py, list)?;
        let options = options(start, stop, every, None, block_bytes, select);
        let planned = apart(py, || {
            let work = Work::new(&recording.0, &detector, &options, &all)?;
            // More parts than leaves would be empty ones.
            Planned::new(&recording.0, &work, Some(parts.clamp(1, work.leaves().max(1))))
        })?;
        planned.map(Plan).map_err(|e| exception(py, &e))
    }

    /// The text of the plan.
    fn text(&self) -> String {
        self.0.text()
    }

    /// How many parts there are.
    #[getter]
    fn parts(&self) -> usize {
        self.0.parts()
    }

    /// How many events a part has.
    fn events_of(&self, part: usize) -> usize {
        self.0.events_of(part).map_or(0, |events| events.len())
    }

    /// Reduces a part: the bytes of its file, the same on every machine.
    #[pyo3(signature = (part, list, workers, progress))]
    fn reduce<'py>(
        &self,
        py: Python<'py>,
        part: usize,
        list: &Bound<'_, PyList>,
        workers: usize,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (all, _) = reducers(py, list)?;
        let mut tell = Tell::new(progress);
        let part = apart(py, || {
            let work = self.0.work(&all)?;
            self.0.reduce(&work, part, workers.max(1), &mut |progress| tell.tell(progress))
        })?;
        part.map(|part| PyBytes::new(py, part.bytes())).map_err(|error| tell.exception(py, &error))
    }

    /// Merges some parts in files and folders into the bytes of one file.
    fn merge_some<'py>(
        &self,
        py: Python<'py>,
        list: &Bound<'_, PyList>,
        start: usize,
        stop: usize,
        paths: Vec<PathBuf>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let (all, _) = reducers(py, list)?;
        let merged = apart(py, || {
            let work = self.0.work(&all)?;
            self.0.merge_some(&work, start..stop, &paths)
        })?;
        merged.map(|part| PyBytes::new(py, part.bytes())).map_err(|e| exception(py, &e))
    }

    /// Merges the parts in files and folders: as `analyze`.
    fn merge<'py>(
        &self,
        py: Python<'py>,
        list: &Bound<'_, PyList>,
        paths: Vec<PathBuf>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let (all, results) = reducers(py, list)?;
        let merged = apart(py, || {
            let work = self.0.work(&all)?;
            Ok::<_, Error>(self.0.merge(&work, &paths)?.found)
        })?;
        merged.map_err(|e| exception(py, &e)).and_then(|found| to_python(py, &found, &results))
    }
}
