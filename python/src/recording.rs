//! Recorded runs.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use livetime_frame::{AttributeValue, FramePool, Layout};
use livetime_recording as recording;
use livetime_recording::records::RecordPlace;
use livetime_recording::{Account, Detector, FindError, Findings, OnDamage, Reader, SmallValue};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

use crate::array;
use crate::errors::{Kind, OrRaise, apart, raise};
use crate::events::Events;
use crate::records;
use crate::select::Selected;
use crate::streams::Wanted;
use crate::value;

/// Threads that read ahead for one detector, at most: more than any machine has cores for one loop of Python.
const MOST_THREADS: usize = 256;

/// A change of state: name, ns since 1970, number of the first event behind it, number of the run.
type Change = (&'static str, u64, usize, Option<u32>);

/// The files of one recorded run.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Recording(pub(crate) recording::Recording, Vec<PathBuf>);

#[pymethods]
impl Recording {
    /// `only`: exactly these files, and not what lies beside them.
    #[new]
    #[pyo3(signature = (paths, only = false))]
    fn new(py: Python<'_>, paths: Vec<PathBuf>, only: bool) -> PyResult<Recording> {
        let stores = livetime::stores::of_environment(None);
        let opened = apart(py, || match &paths[..] {
            paths if only => recording::Recording::open_only_from(&stores, paths).map_err(FindError::Run),
            [path] if path.exists() => recording::Recording::open(&paths).map_err(FindError::Run),
            [pattern] => recording::Recording::find_from(&stores, &pattern.to_string_lossy(), None),
            _ => recording::Recording::open_from(&stores, &paths).map_err(FindError::Run),
        })?;
        let opened = opened.or_raise(py, Kind::Recording)?;
        let paths =
            paths.iter().map(|path| livetime_recording::absolute(path).unwrap_or_else(|_| path.clone()));
        // An address is kept without its signature, which no message shows.
        let paths = paths.map(|path| livetime::stores::shown(&path));
        Ok(Recording(opened, paths.collect()))
    }

    /// The arguments of the opening, as absolute paths.
    #[getter]
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.1.clone()
    }

    /// How many events are known.
    #[getter]
    fn events(&self, py: Python<'_>) -> PyResult<usize> {
        apart(py, || self.0.events())
    }

    /// `"xtc1"`, `"xtc2"`, `"hdf5"`, `"wire"` or `"records"`.
    #[getter]
    fn format(&self) -> &'static str {
        self.0.format().name()
    }

    /// The files. As text: a path of Python makes one slash of the two in an address.
    #[getter]
    fn files(&self, py: Python<'_>) -> PyResult<Vec<OsString>> {
        apart(py, || self.0.files().into_iter().map(PathBuf::into_os_string).collect())
    }

    /// Places from which on a file cannot be read, and those found inside of events that were read: path, and why.
    #[getter]
    fn problems(&self, py: Python<'_>) -> PyResult<Vec<(OsString, String)>> {
        apart(py, || self.0.problems().into_iter().map(|p| (p.path.into_os_string(), p.why)).collect())
    }

    /// How good the run is for a detector, all its events read: the exit code of a program that reads it, and a sentence.
    fn judgement(&self, py: Python<'_>, name: &str) -> PyResult<(u8, String)> {
        let detector = self.find(py, name)?;
        let found = apart(py, || Findings::of_pictures(&self.0.judge(&detector), &self.0))?;
        Ok((found.judgement().exit_code(), found.to_string()))
    }

    /// Whether events may still come.
    #[getter]
    fn may_grow(&self, py: Python<'_>) -> PyResult<bool> {
        apart(py, || self.0.may_grow())
    }

    /// Looks for events that were recorded meanwhile.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        apart(py, || self.0.refresh())?.or_raise(py, Kind::Recording)
    }

    /// Names of the detectors, and whether each has pictures.
    fn detectors(&self, py: Python<'_>) -> PyResult<Vec<(String, bool)>> {
        let found = apart(py, || self.0.detectors())?.or_raise(py, Kind::Recording)?;
        Ok(found.iter().map(|d| (d.to_string(), d.has_pictures())).collect())
    }

    /// The whole name of the detector that is meant.
    fn resolve(&self, py: Python<'_>, wanted: &str) -> PyResult<String> {
        self.find(py, wanted).map(|detector| detector.to_string())
    }

    /// Type and shape of the first array of a detector; `None` if it has none in the first thousand events.
    fn layout<'py>(
        &self,
        py: Python<'py>,
        name: &str,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Bound<'py, PyTuple>)>> {
        let detector = self.find(py, name)?;
        let layout: Option<Layout> = apart(py, || self.0.layout(&detector))?;
        layout
            .map(|layout| {
                Ok((array::descr(py, layout.dtype()).into_any(), PyTuple::new(py, layout.shape())?))
            })
            .transpose()
    }

    /// When an event happened, ns since 1970.
    fn time_ns(&self, py: Python<'_>, event: usize) -> PyResult<u64> {
        let found = apart(py, || (event < self.0.events()).then(|| self.0.time_ns(event)))?;
        found.ok_or_else(|| {
            let events = self.0.events();
            raise(py, Kind::Recording, format_args!("wanted an event below {events}, found {event}"))
        })
    }

    /// The file, the number and the time of an event.
    fn place(&self, py: Python<'_>, event: usize) -> PyResult<String> {
        apart(py, || self.0.place(event))
    }

    /// The changes of state: name, ns since 1970, number of the first event behind it, number of the run.
    fn transitions(&self, py: Python<'_>) -> PyResult<Vec<Change>> {
        let found = apart(py, || self.0.transitions())?;
        Ok(found.iter().map(|t| (t.change.name(), t.time_ns, t.event, t.run_number)).collect())
    }

    /// Values recorded at an event beside the arrays: source, name, unit, values, damage.
    pub(crate) fn small_data<'py>(&self, py: Python<'py>, event: usize) -> PyResult<Bound<'py, PyList>> {
        let found = apart(py, || self.0.small_data(event, &mut Reader::default()))?;
        small(py, &found.or_raise(py, Kind::Recording)?)
    }

    /// The configuration at an event, as `small_data`.
    fn configuration<'py>(&self, py: Python<'py>, event: usize) -> PyResult<Bound<'py, PyList>> {
        let found = apart(py, || self.0.configuration(event, &mut Reader::default()))?;
        small(py, &found.or_raise(py, Kind::Recording)?)
    }

    /// All changes of state of a run of LCLS-II: name, ns since 1970, number of the first event behind it.
    fn changes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = apart(py, || self.0.changes())?;
        records::changes(py, found)
    }

    /// The records of detectors, or without names of all, at an event or else at a change of state.
    fn records<'py>(
        &self,
        py: Python<'py>,
        event: Option<usize>,
        change: usize,
        detectors: Vec<String>,
    ) -> PyResult<Bound<'py, PyList>> {
        let place = event.map_or(RecordPlace::Change(change), RecordPlace::Event);
        let found = apart(py, || self.0.records(place, &detectors, &mut Reader::default()))?;
        PyList::new(py, records::said(py, found.or_raise(py, Kind::Recording)?)?)
    }

    /// The descriptions of records in a change of state.
    fn names<'py>(&self, py: Python<'py>, change: usize) -> PyResult<Bound<'py, PyList>> {
        let found = apart(py, || self.0.names(change, &mut Reader::default()))?;
        PyList::new(py, records::described(found.or_raise(py, Kind::Recording)?))
    }

    /// Reads all events of a detector and counts how good they are.
    fn judge<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyDict>> {
        let detector = self.find(py, name)?;
        account(py, &apart(py, || self.0.judge(&detector))?)
    }

    /// The events of detectors, one after the other.
    #[pyo3(signature = (names, start, stop, step, threads, on_damage, follow, quiet, memory, faults, select = None))]
    fn iterate(
        slf: &Bound<'_, Self>,
        names: Vec<String>,
        start: usize,
        stop: Option<usize>,
        step: isize,
        threads: usize,
        on_damage: &str,
        follow: bool,
        quiet: Option<f64>,
        memory: usize,
        faults: &str,
        select: Option<&Bound<'_, Selected>>,
    ) -> PyResult<Events> {
        let (py, this) = (slf.py(), slf.get());
        if threads > MOST_THREADS {
            let why = format!("ahead: wanted 0 to {MOST_THREADS} threads, found {threads}");
            return Err(PyValueError::new_err(why));
        }
        let detectors = names.iter().map(|name| this.find(py, name)).collect::<PyResult<Vec<Detector>>>()?;
        // At most a quarter of the memory for events under way.
        let batches = detectors.len().max(1).saturating_mul(recording::batches_under_way(threads));
        let wanted = Wanted {
            events: start..stop.unwrap_or(usize::MAX),
            step,
            threads,
            batch_bytes: if threads == 0 { 0 } else { recording::BATCH_BYTES.min(memory / 4 / batches) },
            on_damage: policy(py, on_damage)?,
            follow,
            quiet: quiet.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)),
            select: select.map(|select| select.get().0.clone()),
            pool: FramePool::new(memory),
        };
        Events::new(py, slf.clone().unbind(), &detectors, &wanted, memory, faults)
    }
}

impl Recording {
    pub(crate) fn find(&self, py: Python<'_>, name: &str) -> PyResult<Detector> {
        apart(py, || self.0.detector(name))?.or_raise(py, Kind::Recording)
    }
}

fn policy(py: Python<'_>, name: &str) -> PyResult<OnDamage> {
    match name {
        "keep" => Ok(OnDamage::Keep),
        "skip" => Ok(OnDamage::Skip),
        "stop" => Ok(OnDamage::Stop),
        _ => {
            let why = format_args!("on_damage: wanted \"keep\", \"skip\" or \"stop\", found {name:?}");
            Err(raise(py, Kind::Recording, why))
        }
    }
}

fn small<'py>(py: Python<'py>, all: &[SmallValue]) -> PyResult<Bound<'py, PyList>> {
    let values = |all: &[AttributeValue]| -> PyResult<Bound<'py, PyTuple>> {
        let all: Vec<_> = all.iter().map(|v| value::attribute(py, v)).collect::<PyResult<_>>()?;
        PyTuple::new(py, all)
    };
    let list = PyList::empty(py);
    for found in all {
        list.append((&found.source, &found.name, found.unit, values(&found.values)?, found.damage))?;
    }
    Ok(list)
}

/// The counts of an account by name.
pub(crate) fn account<'py>(py: Python<'py>, account: &Account) -> PyResult<Bound<'py, PyDict>> {
    let counts = [
        ("frames", account.frames),
        ("whole", account.whole),
        ("partial", account.partial),
        ("damaged", account.damaged),
        ("skipped", account.skipped),
        ("missing", account.missing),
        ("lost", account.lost),
        ("broken", account.broken),
        ("unreadable", account.unreadable),
        ("no_memory", account.no_memory),
    ];
    let dict = PyDict::new(py);
    counts.iter().try_for_each(|(name, count)| dict.set_item(name, count))?;
    Ok(dict)
}
