//! The analysis of a run on the threads of this process, and its results as Python objects.

use livetime_analysis::{
    Account, Error, FaultKind, Found, GoOn, Options, Progress, Value, analyze as analyze_run,
};
use livetime_recording::MemoryLimit;
use livetime_recording::select::Verdict;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::array;
use crate::attach::attached;
use crate::errors::{Kind, apart, raise};
use crate::recording::Recording;
use crate::reducer::{Results, layout, reducers, take};
use crate::select::Selected;

/// Which events, how many workers.
pub(crate) fn options(
    start: usize,
    stop: Option<usize>,
    every: usize,
    workers: Option<usize>,
    block_bytes: Option<usize>,
    select: Option<&Bound<'_, Selected>>,
) -> Options {
    let known = Options::default();
    Options {
        workers: workers.unwrap_or(known.workers).max(1),
        events: start..stop.unwrap_or(usize::MAX),
        every: every.max(1),
        block_bytes: block_bytes.unwrap_or(known.block_bytes).max(1),
        select: select.map(|select| select.get().0.clone()),
    }
}

/// Calls a Python function with the progress of an analysis, and checks for Ctrl-C.
pub(crate) struct Tell {
    call: Option<Py<PyAny>>,
    exception: Option<PyErr>,
}

impl Tell {
    pub(crate) fn new(call: Option<Py<PyAny>>) -> Tell {
        Tell { call, exception: None }
    }

    pub(crate) fn tell(&mut self, progress: Progress) -> GoOn {
        let told = attached(|py| {
            py.check_signals()?;
            let call = self.call.as_ref();
            call.map_or(Ok(()), |call| {
                call.call1(py, (progress.done, progress.events, progress.raw_bytes)).map(drop)
            })
        });
        match told {
            Some(Ok(())) => GoOn::Yes,
            Some(Err(exception)) => {
                self.exception = Some(exception);
                GoOn::Abort
            }
            None => GoOn::Abort,
        }
    }

    /// The exception for an error: the exception of a Python function unchanged, with a note of the place.
    pub(crate) fn exception(self, py: Python<'_>, error: &Error) -> PyErr {
        if let (Some(exception), Error::Stopped) = (self.exception, error) {
            return exception;
        }
        exception(py, error)
    }
}

/// The exception for an error of an analysis.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    if let Error::Reducer { reducer, step, source } = error
        && let Some(own) = source.downcast_ref::<PyErr>()
    {
        let own = own.clone_ref(py);
        // An exception that takes no notes is raised without.
        let _ = own.value(py).call_method1("add_note", (format!("in reducer `{reducer}`, {step}"),));
        return own;
    }
    raise(py, Kind::Analysis, error)
}

/// Analyses a run: the results of Rust's reducers by name, the partial results of Python's, the account, the layout.
#[pyfunction]
#[pyo3(signature = (recording, detector, list, workers, start, stop, every, block_bytes, select, progress, memory = None))]
pub(crate) fn analyze<'py>(
    py: Python<'py>,
    recording: &Bound<'_, Recording>,
    detector: &str,
    list: &Bound<'_, PyList>,
    workers: Option<usize>,
    start: usize,
    stop: Option<usize>,
    every: usize,
    block_bytes: Option<usize>,
    select: Option<&Bound<'_, Selected>>,
    progress: Option<Py<PyAny>>,
    memory: Option<u64>,
) -> PyResult<Bound<'py, PyTuple>> {
    let recording = recording.get();
    let detector = recording.find(py, detector)?;
    let (all, results) = reducers(py, list)?;
    let options = options(start, stop, every, workers, block_bytes, select);
    let mut tell = Tell::new(progress);
    let run = recording.0.clone();
    let run = memory.map(MemoryLimit::of).map_or(run.clone(), |memory| run.with_memory(memory));
    let found =
        apart(py, || analyze_run(&run, &detector, &options, &all, &mut |progress| tell.tell(progress)))?;
    match found {
        Ok(found) => to_python(py, &found, &results),
        Err(error) => Err(tell.exception(py, &error)),
    }
}

/// The results: by name, of Python's reducers, account, layout.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    found: &Found,
    results: &Results,
) -> PyResult<Bound<'py, PyTuple>> {
    let named = PyDict::new(py);
    for result in &found.results {
        named.set_item(&result.name, value(py, &result.value)?)?;
    }
    let account = account(py, &found.account, found.events)?;
    (named, take(py, results)?, account, layout(py, &found.layout.panels)?).into_pyobject(py)
}

fn value<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
        Value::Array(found) => array::new_array(py, found.dtype(), found.shape(), found.bytes()),
        Value::Table(table) => {
            let columns = PyDict::new(py);
            for column in &table.columns {
                let cells = &column.cells;
                let cells = array::new_array(py, cells.dtype(), cells.shape(), cells.bytes())?;
                columns.set_item(column.name, cells)?;
            }
            Ok(columns.into_any())
        }
    }
}

fn account<'py>(py: Python<'py>, account: &Account, events: usize) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("events", events)?;
    dict.set_item("used", account.used)?;
    dict.set_item("incomplete", account.incomplete)?;
    dict.set_item("file_bytes", account.file_bytes)?;
    dict.set_item("raw_bytes", account.raw_bytes)?;
    let left_out = Verdict::ALL.iter().skip(1).map(|verdict| account.unselected(*verdict));
    dict.set_item("left_out", PyTuple::new(py, left_out)?)?;
    FaultKind::ALL.into_iter().try_for_each(|kind| dict.set_item(kind.name(), account.count(kind)))?;
    let named = account.named.iter().map(|b| (b.fault.kind.name(), b.event, &b.fault.why));
    dict.set_item("named", PyList::new(py, named)?)?;
    Ok(dict)
}
