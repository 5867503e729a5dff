//! The loop over the events of a run.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use livetime_engine::lock;
use livetime_frame::{AttributeValue, FramePool};
use livetime_recording::{
    Account, Detector, EventFrame, Fault, FaultKind, batches_under_way, events_in_batch,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyKeyError, PyStopIteration};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyTuple, PyType};

use crate::errors::{Kind, apart, raise};
use crate::fork::{Process, no_pickle};
use crate::frame::{Frame, Lent};
use crate::recording::{Recording, account};
use crate::streams::{Next, Streams, Wanted};

/// Time between two checks for growth of a run, and for Ctrl-C.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// The number of events without a picture that a message names; the others are counted.
const MOST_NAMED: usize = 1000;

/// When an event that should have a picture and has none that can be shown is an exception.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum OnFault {
    /// At once.
    Raise,
    /// Behind the last event, if data are broken or a file cannot be read to its end.
    AtEnd,
    /// Never: it is counted.
    Count,
}

/// An iterator over the events of a run that have one of the detectors.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Events {
    process: Process,
    /// Until it is closed: the files stay open as long.
    recording: Mutex<Option<Py<Recording>>>,
    names: Arc<[String]>,
    streams: Mutex<Option<Streams>>,
    on_fault: OnFault,
    faults: Mutex<Faults>,
    has_ended: AtomicBool,
    /// Bytes of frames that Python holds, and how many it may.
    lent: Arc<AtomicUsize>,
    most_lent: usize,
    /// Batches of frames that may be under way, and their bytes; a large frame is a batch of its own.
    batches: usize,
    batch_bytes: usize,
    memory: usize,
    copied: AtomicU64,
    /// Of each detector, once it is closed.
    accounts: Mutex<Vec<Account>>,
}

impl Drop for Events {
    fn drop(&mut self) {
        if !self.process.is_this() {
            std::mem::forget(lock(&self.streams).take());
        }
    }
}

#[derive(Default)]
struct Faults {
    named: Vec<(usize, Fault)>,
    /// Counts that mean data that should be there and are not.
    bad: u64,
}

impl Events {
    pub(crate) fn new(
        py: Python<'_>,
        recording: Py<Recording>,
        detectors: &[Detector],
        wanted: &Wanted,
        memory: usize,
        faults: &str,
    ) -> PyResult<Events> {
        let on_fault = match faults {
            "raise" => OnFault::Raise,
            "end" => OnFault::AtEnd,
            "count" => OnFault::Count,
            _ => {
                let why = format_args!("faults: wanted \"raise\", \"end\" or \"count\", found {faults:?}");
                return Err(raise(py, Kind::Recording, why));
            }
        };
        let names = detectors.iter().map(ToString::to_string).collect();
        let run = recording.get().0.clone();
        let streams = apart(py, || Streams::new(&run, detectors, wanted))?;
        Ok(Events {
            process: Process::this(),
            recording: Mutex::new(Some(recording)),
            names,
            streams: Mutex::new(Some(streams)),
            on_fault,
            faults: Mutex::default(),
            has_ended: AtomicBool::new(false),
            lent: Arc::default(),
            most_lent: memory,
            batches: detectors.len().saturating_mul(batches_under_way(wanted.threads)),
            batch_bytes: wanted.batch_bytes,
            memory,
            copied: AtomicU64::new(0),
            accounts: Mutex::default(),
        })
    }

    fn recording(&self, py: Python<'_>) -> PyResult<Py<Recording>> {
        let recording = lock(&self.recording).as_ref().map(|recording| recording.clone_ref(py));
        recording.ok_or_else(|| {
            raise(py, Kind::Recording, "wanted a loop that goes on, found one that was closed")
        })
    }

    fn lock(&self) -> MutexGuard<'_, Option<Streams>> {
        lock(&self.streams)
    }

    /// Notes a fault. Returns the exception if it is to be raised at once.
    fn note(&self, py: Python<'_>, position: usize, fault: Fault) -> PyResult<()> {
        let is_bad = matches!(fault.kind, FaultKind::Broken | FaultKind::Unreadable | FaultKind::NoMemory);
        let is_raised = self.on_fault == OnFault::Raise || fault.kind == FaultKind::Damaged;
        let exception = is_raised.then(|| raise(py, Kind::Recording, &fault.why));
        let mut faults = lock(&self.faults);
        // An exception that was raised at once need not be told at the end again.
        faults.bad += u64::from(is_bad && !is_raised);
        if faults.named.len() < MOST_NAMED {
            faults.named.push((position, fault));
        }
        exception.map_or(Ok(()), Err)
    }

    /// The exception at the end of the events: `StopIteration`, or the summary of events that could not be read.
    fn end(&self, py: Python<'_>) -> PyErr {
        // The exception is raised once: a loop that is asked again after its end only ends again, as Python's iterators
        // do.
        let was_told = self.has_ended.swap(true, Ordering::Relaxed);
        let faults = lock(&self.faults);
        if was_told || self.on_fault != OnFault::AtEnd || faults.bad == 0 {
            return PyStopIteration::new_err(());
        }
        let first = faults.named.iter().find(|(_, fault)| fault.kind != FaultKind::Lost);
        let first = first.map_or("", |(_, fault)| &fault.why);
        let what = if faults.bad == 1 { "one event or file" } else { "events or files" };
        let why = format!(
            "{} {what} could not be read; the first: {first} (`faults=\"count\"` goes on without this exception, `faults=\"raise\"` \
             raises it where it happens)",
            faults.bad
        );
        raise(py, Kind::Recording, why)
    }

    fn frame(&self, py: Python<'_>, found: EventFrame) -> PyResult<Py<Frame>> {
        let bytes = FramePool::cost_bytes(found.frame.bytes().len());
        // Relaxed: the sum only decides whether to copy; a frame too many for a moment does no harm.
        let lent = self.lent.load(Ordering::Relaxed);
        // Readers run ahead and need memory for their batches, so only the rest may be lent.
        let in_batch = events_in_batch(self.batch_bytes, found.frame.bytes().len());
        let under_way = self.batches.saturating_mul(in_batch).saturating_mul(bytes);
        let most = self.most_lent.saturating_sub(under_way);
        if lent.saturating_add(bytes) <= most {
            return Py::new(py, Frame::lent(found.frame, Lent::new(&self.lent, bytes)));
        }
        // One warning for a loop is enough, and Python may turn the warning into an exception.
        if self.copied.fetch_add(1, Ordering::Relaxed) == 0 {
            self.warn(py, lent)?;
        }
        Py::new(py, Frame::new(own(py, &found.frame)?))
    }

    fn warn(&self, py: Python<'_>, lent: usize) -> PyResult<()> {
        let mib = |bytes: usize| bytes as f64 / (1 << 20) as f64;
        let text = format!(
            "you keep {:.1} of {:.1} MiB for frames of this loop: from here on arrays are copied (`memory=` of `events` sets the bound)",
            mib(lent),
            mib(self.memory)
        );
        let class = py.import("livetime.errors")?.getattr("KeptArraysWarning")?;
        let text = std::ffi::CString::new(text)?;
        PyErr::warn(py, &class, &text, 1)
    }
}

/// A copy of the frame in memory of its own, which no pool bounds.
fn own(py: Python<'_>, frame: &livetime_frame::Frame) -> PyResult<livetime_frame::Frame> {
    let copy = apart(py, || {
        let array = frame.array().map_err(|e| e.to_string())?;
        let mut allocator = FramePool::new(2 * FramePool::cost_bytes(frame.bytes().len())).allocator();
        let mut copy = allocator.array(*array.layout()).map_err(|e| e.to_string())?;
        copy.bytes_mut().copy_from_slice(frame.bytes());
        copy.inherit(frame);
        Ok::<_, String>(copy.freeze())
    })?;
    copy.map_err(|why| raise(py, Kind::Recording, why))
}

#[pymethods]
impl Events {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(slf: &Bound<'_, Self>) -> PyResult<Event> {
        let (py, this) = (slf.py(), slf.get());
        this.process.check(py, Kind::Recording, "a loop", "begin the loop anew in the child")?;
        loop {
            let next = apart(py, || this.lock().as_mut().map_or(Next::End, Streams::next))?;
            match next {
                Next::Event(number, found) => {
                    let time_ns = found.iter().flatten().map(|e| e.frame.header().event_time_ns).next();
                    let frames = found.into_iter().map(|found| found.map(|f| this.frame(py, f)).transpose());
                    return Ok(Event {
                        number,
                        time_ns: time_ns.unwrap_or(0),
                        names: this.names.clone(),
                        frames: frames.collect::<PyResult<_>>()?,
                        recording: this.recording(py)?,
                    });
                }
                Next::Fault(position, fault) => this.note(py, position, fault)?,
                Next::NotYet => {
                    apart(py, || std::thread::sleep(LOOK_AGAIN))?;
                    // Rust code does not see Ctrl-C by itself, and a recording may grow for hours.
                    py.check_signals()?;
                }
                Next::End => return Err(this.end(py)),
            }
        }
    }

    /// Whole names of the detectors.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.names.to_vec()
    }

    /// Counts of the events of the detector at a position, by name.
    fn account<'py>(&self, py: Python<'py>, position: usize) -> PyResult<Bound<'py, PyDict>> {
        self.process.check(py, Kind::Recording, "a loop", "begin the loop anew in the child")?;
        let found = apart(py, || match (self.lock().as_ref(), lock(&self.accounts).get(position)) {
            (Some(streams), _) => streams.account(position),
            (None, found) => found.copied(),
        })?;
        account(py, &found.unwrap_or_default())
    }

    /// Ends it, and the threads that read ahead.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        if !self.process.is_this() {
            return Ok(());
        }
        // The recording is let go, so that files of a closed loop can be closed, too.
        drop(lock(&self.recording).take());
        apart(py, || {
            let streams = self.lock().take();
            // Accounts stay readable after the loop was closed, so they are copied before the streams go.
            if let Some(streams) = &streams {
                let all = (0..self.names.len()).map_while(|position| streams.account(position));
                *lock(&self.accounts) = all.collect();
            }
        })
    }

    /// The events without a picture of the detector at a position: kind, number of the event (`None`: a file), why.
    fn faults(&self, position: usize) -> Vec<(&'static str, Option<usize>, String)> {
        let faults = lock(&self.faults);
        let own = faults.named.iter().filter(|(at, _)| *at == position);
        own.map(|(_, fault)| (fault.kind.name(), fault.event, fault.why.clone())).collect()
    }

    /// Refused: threads of this process read for it.
    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(no_pickle("a loop", "threads of this process read for it; send the run, and loop there"))
    }

    /// Arrays that were copied, because the script kept earlier ones.
    #[getter]
    fn copied(&self) -> u64 {
        self.copied.load(Ordering::Relaxed)
    }
}

/// One event of a run.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Event {
    number: usize,
    time_ns: i64,
    names: Arc<[String]>,
    frames: Vec<Option<Py<Frame>>>,
    recording: Py<Recording>,
}

impl Event {
    fn first(&self, py: Python<'_>) -> PyResult<&Py<Frame>> {
        let first = self.frames.first().and_then(Option::as_ref);
        first.ok_or_else(|| {
            let name = self.names.first().map_or("a detector", |name| name);
            raise(py, Kind::Recording, format_args!("event {}: wanted {name}, found none", self.number))
        })
    }

    fn position(&self, wanted: &Bound<'_, PyAny>) -> PyResult<usize> {
        let wanted = wanted.str()?;
        let wanted = wanted.to_str()?;
        let found = self.names.iter().position(|name| name == wanted);
        // A part of a name is enough, as long as no detector has exactly that name.
        let found = found.or_else(|| self.names.iter().position(|name| name.contains(wanted)));
        found.ok_or_else(|| {
            let known = self.names.join(", ");
            PyKeyError::new_err(format!("wanted one of the detectors of this loop, {known}, found {wanted}"))
        })
    }

    /// An attribute of the first frame that there is.
    fn attribute(&self, name: &str) -> Option<u64> {
        let frame = self.frames.iter().flatten().next()?;
        match frame.get().frame.header().attributes.get(name)? {
            AttributeValue::Uint(number) => Some(*number),
            AttributeValue::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }
}

#[pymethods]
impl Event {
    /// Number of the event in the run, from 0 on.
    #[getter]
    fn number(&self) -> usize {
        self.number
    }

    /// When it happened, ns since 1970.
    #[getter]
    fn time_ns(&self) -> i64 {
        self.time_ns
    }

    /// When it happened, as `numpy.datetime64` in ns.
    #[getter]
    fn time<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        CLASS.import(py, "numpy", "datetime64")?.call1((self.time_ns, "ns"))
    }

    /// The array of the first detector, read-only and without a copy.
    #[getter]
    fn array<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Frame::array(self.first(py)?.bind(py))
    }

    /// The array of the first detector for `numpy.asarray(event)`.
    #[pyo3(signature = (dtype = None, copy = None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Frame::__array__(self.first(py)?.bind(py), dtype, copy)
    }

    /// By the paths of its run and its number: where it is unpickled it is read again.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let again = py.import("livetime.opened")?.getattr("event")?;
        let paths = PyTuple::new(py, self.recording.get().paths())?;
        let names = PyTuple::new(py, &*self.names)?;
        Ok((
            again,
            PyTuple::new(py, [paths.into_any(), self.number.into_bound_py_any(py)?, names.into_any()])?,
        ))
    }

    /// Whole names of the detectors of its loop.
    #[getter(_names)]
    fn all_names(&self) -> Vec<String> {
        self.names.to_vec()
    }

    /// For notebooks.
    fn _repr_html_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("livetime.html")?.call_method1("of_event", (slf,))
    }

    /// The frame of the first detector.
    #[getter]
    fn frame(&self, py: Python<'_>) -> PyResult<Py<Frame>> {
        Ok(self.first(py)?.clone_ref(py))
    }

    /// The frames of all detectors, `None` where the event has none.
    #[getter]
    fn frames<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.frames.iter().map(|frame| frame.as_ref().map(|f| f.clone_ref(py))))
    }

    /// The array of a detector; `KeyError` if the event has none.
    fn __getitem__<'py>(&self, py: Python<'py>, wanted: &Bound<'_, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.get(py, wanted)?
            .ok_or_else(|| PyKeyError::new_err(format!("event {}: wanted {wanted}, found none", self.number)))
    }

    /// The array of a detector; `None` if the event has none.
    fn get<'py>(&self, py: Python<'py>, wanted: &Bound<'_, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let position = self.position(wanted)?;
        self.frames.get(position).and_then(Option::as_ref).map(|f| Frame::array(f.bind(py))).transpose()
    }

    fn __contains__(&self, wanted: &Bound<'_, PyAny>) -> bool {
        let found = self.position(wanted).ok().and_then(|position| self.frames.get(position));
        found.is_some_and(Option::is_some)
    }

    /// Number of the pulse, from 0 to 0x1ffe0 (LCLS-I); `None` if the run has none.
    #[getter]
    fn fiducial(&self) -> Option<u64> {
        self.attribute("Fiducial")
    }

    /// Damage that the recorder noted about the picture, as bits; 0: none.
    #[getter]
    fn damage(&self) -> u64 {
        self.attribute("Damage").unwrap_or(0)
    }

    /// Whether some picture of the event is damaged, wholly or in part.
    #[getter]
    fn is_damaged(&self) -> bool {
        self.frames.iter().flatten().any(|frame| frame.get().is_damaged())
    }

    /// Named values that came with the first detector that the event has.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.frames.iter().flatten().next() {
            Some(frame) => frame.get().attributes(py),
            None => Ok(PyDict::new(py)),
        }
    }

    /// Values recorded beside the arrays: event codes, beam, process variables.
    #[getter]
    fn small<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let class = CLASS.import(py, "livetime.small", "SmallData")?;
        class.call1((self.recording.get().small_data(py, self.number)?,))
    }

    fn __repr__(&self) -> String {
        let there = self.frames.iter().flatten().count();
        format!("<Event {}: {there} of {} detectors>", self.number, self.names.len())
    }
}
