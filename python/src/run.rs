//! A running graph.

use std::sync::mpsc::{RecvTimeoutError, SendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread::Builder;
use std::time::{Duration, Instant};

use livetime_control::model::Bell;
use livetime_control::report::json::report_json;
use livetime_engine as engine;
use livetime_engine::{Refusal, RefusalKind, Report, RunOptions, Starting, UnknownName, Value, lock};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::attach;
use crate::epics;
use crate::errors::{Kind, OrRaise, OrRefused, apart, raise};
use crate::faces::{self, FaceError, Faces, PageOptions};
use crate::fork::{self, Process};
use crate::graph::{Graph, edge, of_graph};
use crate::outlet::{Outlet, no_output};
use crate::value;

/// A graph that runs, then its report.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Run {
    process: Process,
    state: RwLock<State>,
    /// The faces hold the run, so they are taken away before it ends.
    faces: Mutex<Option<Faces>>,
}

/// Whether it is served, or how: `livetime.Epics`.
#[derive(FromPyObject)]
enum Face {
    #[pyo3(transparent)]
    Switch(bool),
    #[pyo3(transparent)]
    As(epics::Wanted),
}

/// Whether it has a page, or how: `livetime.Web`.
#[derive(FromPyObject)]
enum Page {
    #[pyo3(transparent)]
    Switch(bool),
    #[pyo3(transparent)]
    As(faces::Wanted),
}

/// An exception of a node: the node, the event's text, the exception.
pub(crate) type Raised = (String, String, Py<PyAny>);

/// The exceptions of a run's nodes.
pub(crate) fn raised(py: Python<'_>, report: &Report) -> Vec<Raised> {
    let raised = report.events.iter().filter_map(|event| {
        let own = event.cause.as_ref()?.error().downcast_ref::<PyErr>()?;
        Some((event.node.clone(), event.message.clone(), own.clone_ref(py).into_value(py).into_any()))
    });
    raised.collect()
}

enum State {
    Running(Arc<engine::Run>),
    Ended(Box<Report>),
    /// Of a run of another process.
    Gone,
}

/// Time between two checks for Ctrl-C: people do not notice the delay.
const LOOK: Duration = Duration::from_millis(100);

/// Runs whose threads may still call Python, with or without references by Python: [`end_all`] waits for them.
static ALL: Mutex<Vec<Arc<engine::Run>>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<Arc<engine::Run>>> {
    lock(&ALL)
}

/// Remembers a run that begins, and forgets runs that have ended.
fn remember(run: &Arc<engine::Run>) {
    let mut all = all();
    all.retain(|run| !run.is_finished());
    all.push(run.clone());
}

/// Starts a graph on a thread of its own, so that Ctrl-C works while the start of a node hangs. Such a node is then
/// left behind; if its start returns after all, its run is aborted.
fn started(
    py: Python<'_>,
    graph: engine::Graph,
    options: RunOptions,
) -> PyResult<Result<engine::Run, Vec<engine::GraphError>>> {
    let starting: Starting = options.services.get();
    let (sender, mut receiver) = sync_channel(0);
    let start = move || {
        let started = engine::Run::start(&graph, options);
        if let Err(SendError(Ok(run))) = sender.send(started) {
            run.abort();
        }
    };
    let thread = Builder::new().name("start".into()).spawn(start);
    thread.map_err(|error| raise(py, Kind::Graph, format_args!("cannot start a thread: {error}")))?;
    loop {
        // A receiver is for one thread at a time.
        let mine = &mut receiver;
        match apart(py, move || mine.recv_timeout(LOOK))? {
            Ok(found) => return Ok(found),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals().map_err(|interrupt| named(py, interrupt, &starting))?
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(raise(py, Kind::Bug, "wanted a run that starts, found that its thread ended"));
            }
        }
    }
}

/// With a note about the node that does not come back, which interpreters before 3.11 do not take.
fn named(py: Python<'_>, interrupt: PyErr, starting: &Starting) -> PyErr {
    if let Some(node) = starting.node() {
        let note = format!("node `{node}` does not come back from its start, and is left behind");
        let _ = interrupt.value(py).call_method1("add_note", (note,));
    }
    interrupt
}

/// To be called in the child of each fork, by the thread that forked.
#[pyfunction]
pub(crate) fn forked() {
    fork::begin_generation();
    attach::forget_other_threads();
    forget_all();
}

/// In the child of a fork: the runs are the parent's.
fn forget_all() {
    // A thread of the parent may have held the list at the fork.
    if let Ok(mut all) = ALL.try_lock() {
        all.drain(..).for_each(std::mem::forget);
    }
}

/// Aborts a run that has not ended, and reports. A node that does not return is left behind.
fn finish(run: Arc<engine::Run>) -> Report {
    all().retain(|other| !Arc::ptr_eq(other, &run));
    match Arc::try_unwrap(run) {
        Ok(run) => run.finish(Duration::ZERO),
        // The interpreter ends just now: the report only lacks the last readings of the threads.
        Err(run) => {
            run.wait_or_leave(Duration::ZERO);
            run.report()
        }
    }
}

impl Drop for Run {
    /// A run without references is aborted. Nothing is waited for here: the thread that drops it may hold resources
    /// that its nodes need.
    fn drop(&mut self) {
        if !self.process.is_this() {
            let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(std::mem::replace(state, State::Gone));
            std::mem::forget(self.faces.get_mut().unwrap_or_else(PoisonError::into_inner).take());
            return;
        }
        if let State::Running(run) = self.state.get_mut().unwrap_or_else(PoisonError::into_inner) {
            run.abort();
        }
        let faces = self.faces.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        // Their threads may wait for nodes that need the interpreter.
        let _ = Python::try_attach(|py| py.detach(|| drop(faces)));
    }
}

/// Before the interpreter ends: aborts all runs, and waits at most so many seconds until they have ended and no thread of ours calls Python
/// any more. None does so afterwards.
///
/// One function of the extension, because a signal between two steps written in Python would leave out the second one.
#[pyfunction]
pub(crate) fn end_all(py: Python<'_>, seconds: f64) -> PyResult<()> {
    let limit = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
    apart(py, || {
        let begun = Instant::now();
        let all = std::mem::take(&mut *all());
        all.iter().for_each(|run| run.abort());
        all.iter().for_each(|run| _ = run.wait((limit / 2).saturating_sub(begun.elapsed())));
        attach::shut(limit.saturating_sub(begun.elapsed()));
    })
}

#[pymethods]
impl Run {
    /// Starts a graph. `epics`: how it is served, `None` if its file says so, `False` if not at all. `web`: how its page is served.
    #[new]
    #[pyo3(signature = (graph, max_frames, hold_sources, epics, web))]
    fn new(
        py: Python<'_>,
        graph: &Bound<'_, Graph>,
        max_frames: Option<u64>,
        hold_sources: bool,
        epics: Option<Face>,
        web: Page,
    ) -> PyResult<Run> {
        let of_file = graph.get().pvaccess().clone();
        let serving = match epics {
            Some(Face::As(wanted)) => Some(wanted.options(&of_file).or_raise(py, Kind::Graph)?),
            Some(Face::Switch(is_on)) => is_on.then_some(of_file),
            None => Some(of_file).filter(|options| options.enabled),
        };
        let access = graph.get().pvaccess().clone();
        let (name, web_of_file) = graph.get().web();
        let page = match web {
            Page::Switch(is_on) => is_on.then(|| PageOptions::of_file(web_of_file)),
            Page::As(wanted) => Some(wanted.options(web_of_file)),
        };
        let page = page.transpose().or_raise(py, Kind::Graph)?;
        let name = name.to_owned();
        let mut graph = graph.get().graph();
        if serving.is_some() {
            epics::prepare(&mut graph);
        }
        let bell = Bell::default();
        let (remember_frames, is_shown) = (serving.is_some(), serving.is_some() || page.is_some());
        let told = bell.clone();
        let on_event: engine::EventHandler = Arc::new(move |event| told.tell(event));
        let on_event = is_shown.then_some(on_event);
        let options =
            RunOptions { max_frames, hold_sources, remember_frames, on_event, ..RunOptions::default() };
        let options =
            RunOptions { services: options.services.with(livetime::stores::of_environment(None)), ..options };
        let run = Arc::new(started(py, graph, options)?.map_err(|errors| of_graph(py, &errors))?);
        remember(&run);
        let serve = || {
            let mut faces = Faces::start(&run, &bell, serving.as_ref().unwrap_or(&access))?;
            serving.map_or(Ok(()), |options| faces.serve_pvs(&run, options))?;
            page.map_or(Ok(()), |options| faces.serve_page(&name, options))?;
            Ok::<_, FaceError>(faces)
        };
        let faces = if is_shown { Some(apart(py, serve)?.or_raise(py, Kind::Graph)) } else { None };
        let faces = faces.transpose().inspect_err(|_| run.abort())?;
        let state = RwLock::new(State::Running(run));
        Ok(Run { process: Process::this(), state, faces: Mutex::new(faces) })
    }

    /// How it is served over pvAccess: prefix, address, number of PVs; `None` if it is not.
    fn served(&self, py: Python<'_>) -> PyResult<Option<(String, Option<String>, usize)>> {
        self.check(py)?;
        apart(py, || {
            let faces = self.faces();
            let faces = faces.as_ref()?;
            faces.pvs().map(|(address, pvs)| (faces.prefix.clone(), address, pvs))
        })
    }

    /// The address of its page, and the same with the token; `None` if it has none.
    fn page(&self, py: Python<'_>) -> PyResult<Option<(String, String)>> {
        self.check(py)?;
        apart(py, || self.faces().as_ref().and_then(Faces::page))
    }

    /// Lets the sources go that were held at the start.
    fn release_sources(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, engine::Run::release_sources, |_| ())
    }

    /// Ends the sources; queued frames are handled.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, engine::Run::stop, |_| ())
    }

    /// Ends everything at once.
    fn abort(&self, py: Python<'_>) -> PyResult<()> {
        self.with(py, engine::Run::abort, |_| ())
    }

    /// Waits until the run has ended, at most `seconds`. Returns whether it has.
    fn wait(&self, py: Python<'_>, seconds: f64) -> PyResult<bool> {
        let limit = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        self.with(py, |run| run.wait(limit), |_| true)
    }

    /// Waits for the end, aborts after `seconds`, and joins all threads; a node that does not return a second later is
    /// left behind.
    fn finish(&self, py: Python<'_>, seconds: f64) -> PyResult<()> {
        self.check(py)?;
        let limit = Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX);
        apart(py, || {
            if let State::Running(run) = &*self.state.read().unwrap_or_else(PoisonError::into_inner)
                && !run.wait(limit)
            {
                run.abort();
            }
            // Only now: clients see the last values.
            drop(self.faces().take());
            let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
            if let State::Running(run) = &*state {
                // The slot is emptied only after the report was made: the run goes away with `finish`.
                let report = Box::new(run.report());
                if let State::Running(run) = std::mem::replace(&mut *state, State::Ended(report)) {
                    *state = State::Ended(Box::new(finish(run)));
                }
            }
        })
    }

    /// The report so far, as JSON.
    fn report(&self, py: Python<'_>) -> PyResult<String> {
        let json = |report: &Report| report_json(report).to_string();
        self.with(py, |run| json(&run.report()), json)
    }

    /// Why the run failed, and the exceptions of Python's nodes: node, text, exception.
    fn failure(&self, py: Python<'_>) -> PyResult<(Option<String>, Vec<Raised>)> {
        let report = self.with(py, engine::Run::report, Report::clone)?;
        Ok((report.failure.clone(), raised(py, &report)))
    }

    /// Sets parameters of a node: all take effect from the same frame, or none.
    fn set(&self, py: Python<'_>, node: &str, values: &Bound<'_, PyDict>) -> PyResult<()> {
        let mut all: Vec<(String, Value)> = Vec::new();
        for (name, given) in values {
            let name: String = name.extract()?;
            let value = value::of_param(&name, &given)?;
            all.push((name, value));
        }
        let set = |run: &engine::Run| {
            let values: Vec<(&str, Value)> = all.iter().map(|(n, v)| (&**n, v.clone())).collect();
            run.set_all(node, &values)
        };
        let ended =
            || RefusalKind::State { wanted: "a run that goes on".into(), found: "one that has ended" };
        self.with(py, set, |_| Err(Refusal::new(ended())))?.or_refused(py)
    }

    /// The parameters and readbacks of a node by name.
    fn params<'py>(&self, py: Python<'py>, node: &str) -> PyResult<Bound<'py, PyDict>> {
        let running = |run: &engine::Run| run.params(node);
        let ended = |report: &Report| {
            let found = report.nodes.iter().find(|n| n.name == node);
            let unknown = || UnknownName::Node { name: node.to_owned(), hint: String::new() };
            found.map(|n| n.last_values.clone()).ok_or_else(|| Refusal::from(unknown()))
        };
        let found = self.with(py, running, ended)?.or_refused(py)?;
        let dict = PyDict::new(py);
        found.iter().try_for_each(|(spec, v)| dict.set_item(spec.name, value::to_python(py, v)?))?;
        Ok(dict)
    }

    /// An edge from an output to this program.
    fn subscribe(
        &self,
        py: Python<'_>,
        output: &str,
        when_full: &str,
        queue: usize,
        every: u64,
        max_rate_hz: Option<f64>,
    ) -> PyResult<Outlet> {
        let options = edge(when_full, queue, every, max_rate_hz).or_raise(py, Kind::Graph)?;
        let made = self.with(py, |run| Some(run.subscribe(output, options)), |_| None)?;
        let ended = || raise(py, Kind::Graph, "wanted a run that goes on, found one that has ended");
        made.ok_or_else(ended)?.map(Outlet::new).map_err(|e| no_output(py, &e))
    }
}

impl Run {
    fn faces(&self) -> MutexGuard<'_, Option<Faces>> {
        lock(&self.faces)
    }

    fn with<T: Send>(
        &self,
        py: Python<'_>,
        running: impl FnOnce(&engine::Run) -> T + Send,
        ended: impl FnOnce(&Report) -> T + Send,
    ) -> PyResult<T> {
        self.check(py)?;
        let found = apart(py, || match &*self.state.read().unwrap_or_else(PoisonError::into_inner) {
            State::Running(run) => Some(running(run)),
            State::Ended(report) => Some(ended(report)),
            State::Gone => None,
        })?;
        found.ok_or_else(|| raise(py, Kind::Bug, "wanted a run, found none"))
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check(py, Kind::Graph, "a run", "start the graph in the child, or use spawn")
    }
}
