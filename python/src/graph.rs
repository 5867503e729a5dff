//! Graphs: from a pipeline file, or built node by node.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

use livetime_control::config::{self, Problems, Setting};
use livetime_control::pvaccess::Options;
use livetime_control::web;
use livetime_engine as engine;
use livetime_engine::{EdgeOptions, GraphError, OnFailure, Placement, WhenFull, lock};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{Kind, OrRaise, apart, raise, refused_as};
use crate::node::NodeType;
use crate::value;

/// The descriptions of all nodes that come with Livetime, as JSON.
#[pyfunction]
pub(crate) fn describe() -> String {
    let all = livetime::standard_nodes();
    let all: Vec<_> = all.iter().map(livetime_control::describe::describe_json).collect();
    serde_json::Value::from(all).to_string()
}

/// The schema of pipeline files, as JSON.
#[pyfunction]
pub(crate) fn schema() -> String {
    livetime_control::schema::schema_of(&livetime::standard_nodes()).to_string()
}

/// The types that the text of a pipeline file names.
#[pyfunction]
pub(crate) fn type_names(text: &str) -> Vec<String> {
    config::type_names(text)
}

/// Nodes and edges.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Graph {
    graph: Mutex<engine::Graph>,
    types: Vec<engine::NodeType>,
    /// Name of the pipeline file, or a text in its place.
    name: String,
    /// How its file says that a run is served.
    pvaccess: Options,
    web: web::Options,
}

#[pymethods]
impl Graph {
    /// An empty graph, or the graph of a pipeline file's text; `types` are types of nodes in Python.
    #[new]
    #[pyo3(signature = (name, text, types, settings, memory_bytes))]
    fn new(
        py: Python<'_>,
        name: &str,
        text: Option<&str>,
        types: Vec<Py<NodeType>>,
        settings: Vec<(String, String, String)>,
        memory_bytes: Option<usize>,
    ) -> PyResult<Graph> {
        let mut all = livetime::standard_nodes();
        all.extend(types.iter().map(|t| t.get().0.clone()));
        let settings: Vec<Setting> =
            settings.into_iter().map(|(node, param, value)| Setting { node, param, value }).collect();
        let (mut graph, pvaccess, web) = match text {
            None => (engine::Graph::default(), Options::default(), web::Options::default()),
            Some(text) => {
                let parsed = apart(py, || config::parse(name, text, &all, &settings))?;
                let pipeline = parsed.map_err(|problems| of_file(py, &problems))?;
                (pipeline.graph, pipeline.pvaccess, pipeline.web)
            }
        };
        graph.memory_bytes = memory_bytes.unwrap_or(graph.memory_bytes);
        Ok(Graph { graph: Mutex::new(graph), types: all, name: name.to_owned(), pvaccess, web })
    }

    /// Declares a node: of a type by its name, or of Python.
    #[pyo3(signature = (name, node_type, params, placement, on_error, wait_for_memory))]
    fn add(
        &self,
        py: Python<'_>,
        name: &str,
        node_type: &Bound<'_, PyAny>,
        params: &Bound<'_, PyDict>,
        placement: &str,
        on_error: Option<&str>,
        wait_for_memory: bool,
    ) -> PyResult<()> {
        let found = match node_type.cast::<NodeType>() {
            Ok(own) => own.get().0.clone(),
            Err(_) => self.find(py, &node_type.extract::<String>()?)?,
        };
        let placement = placement_of(placement).or_raise(py, Kind::Graph)?;
        let on_error = on_error.map(policy).transpose().or_raise(py, Kind::Graph)?;
        // A failed `add` leaves the graph as it was.
        let mut graph = self.lock().clone();
        let number = graph.add(name, found).or_raise(py, Kind::Graph)?;
        for (param, given) in params {
            let param: String = param.extract()?;
            let value = value::of_param(&param, &given)?;
            graph.set(number, &param, &value).map_err(|error| not_set(py, &error))?;
        }
        if let Some(options) = graph.options_mut(number) {
            options.placement = placement;
            options.on_error = on_error.unwrap_or(options.on_error);
            options.wait_for_memory = wait_for_memory;
        }
        *self.lock() = graph;
        Ok(())
    }

    /// Connects an output to an input.
    #[pyo3(signature = (from_, to, when_full, queue, every, max_rate_hz))]
    fn connect(
        &self,
        py: Python<'_>,
        from_: &str,
        to: &str,
        when_full: &str,
        queue: usize,
        every: u64,
        max_rate_hz: Option<f64>,
    ) -> PyResult<()> {
        let options = edge(when_full, queue, every, max_rate_hz).or_raise(py, Kind::Graph)?;
        self.lock().connect(from_, to, options).map(drop).or_raise(py, Kind::Graph)
    }

    /// Checks all that can be known before a run.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let graph = self.lock().clone();
        apart(py, || graph.check().map(drop))?.map_err(|errors| of_graph(py, &errors))
    }

    /// Names of the nodes with their types.
    #[getter]
    fn nodes(&self) -> Vec<(String, &'static str)> {
        self.lock().nodes().iter().map(|n| (n.name.clone(), n.node_type.spec.name)).collect()
    }

    /// The edges: sending node, receiving node, policy.
    #[getter]
    fn edges(&self) -> Vec<(String, String, &'static str)> {
        let graph = self.lock();
        let name = |number: usize| graph.nodes()[number].name.clone();
        graph.edges().iter().map(|e| (name(e.from.0), name(e.to.0), e.options.when_full.name())).collect()
    }
}

impl Graph {
    fn lock(&self) -> MutexGuard<'_, engine::Graph> {
        lock(&self.graph)
    }

    /// The graph as it is now.
    pub(crate) fn graph(&self) -> engine::Graph {
        self.lock().clone()
    }

    /// How its file says that a run is served.
    pub(crate) fn pvaccess(&self) -> &Options {
        &self.pvaccess
    }

    /// Title of the page, and the options of the page in the pipeline file.
    pub(crate) fn web(&self) -> (&str, &web::Options) {
        (&self.name, &self.web)
    }

    fn find(&self, py: Python<'_>, name: &str) -> PyResult<engine::NodeType> {
        let found = self.types.iter().find(|t| t.spec.name == name).cloned();
        found.ok_or_else(|| {
            let near = engine::nearest(name, self.types.iter().map(|t| t.spec.name));
            raise(py, Kind::Graph, format_args!("unknown node type `{name}`{near}"))
        })
    }
}

/// The exception for a parameter that a declared node refuses.
fn not_set(py: Python<'_>, error: &GraphError) -> PyErr {
    match error.fault().refusal() {
        Some(refusal) => refused_as(py, refusal, error),
        None => raise(py, Kind::Graph, error),
    }
}

/// An option of a node or an edge that has none of its words.
#[derive(Debug)]
pub(crate) struct WrongOption {
    option: &'static str,
    wanted: Cow<'static, str>,
    found: String,
}

impl WrongOption {
    fn new(option: &'static str, wanted: impl Into<Cow<'static, str>>, found: &str) -> WrongOption {
        WrongOption { option, wanted: wanted.into(), found: found.to_owned() }
    }
}

impl fmt::Display for WrongOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: wanted {}, found {:?}", self.option, self.wanted, self.found)
    }
}

fn placement_of(text: &str) -> Result<Placement, WrongOption> {
    match text.split_once(':') {
        None if text == "own" => Ok(Placement::Own),
        None if text == "inline" => Ok(Placement::Inline),
        Some(("group", name)) if !name.is_empty() => Ok(Placement::Group(name.to_owned())),
        Some(("pool", threads)) if threads.parse::<usize>().is_ok() => {
            Ok(Placement::Pool(threads.parse().unwrap_or(1)))
        }
        _ => {
            let wanted = "\"own\", \"inline\", \"group:NAME\" or \"pool:N\"";
            Err(WrongOption::new("placement", wanted, text))
        }
    }
}

fn policy(text: &str) -> Result<OnFailure, WrongOption> {
    match text {
        "stop" => Ok(OnFailure::Stop),
        "skip" => Ok(OnFailure::Skip),
        "restart" => Ok(OnFailure::Restart),
        _ => Err(WrongOption::new("on_error", "\"stop\", \"skip\" or \"restart\"", text)),
    }
}

/// How an edge carries frames.
///
/// # Errors
/// [`WrongOption`] if there is no such policy.
pub(crate) fn edge(
    when_full: &str,
    queue: usize,
    every: u64,
    max_rate_hz: Option<f64>,
) -> Result<EdgeOptions, WrongOption> {
    let found = WhenFull::ALL.into_iter().find(|(_, name)| *name == when_full);
    let wanted = || format!("one of {}", WhenFull::ALL.map(|(_, name)| name).join(", "));
    let (when_full, _) = found.ok_or_else(|| WrongOption::new("when_full", wanted(), when_full))?;
    Ok(EdgeOptions { when_full, queue, every, max_rate_hz, max_bytes_per_s: None })
}

fn of_file(py: Python<'_>, problems: &Problems) -> PyErr {
    let texts = problems.list.iter().map(|p| match p.at {
        Some(at) => format!("{}:{at}: {p}", problems.file),
        None => format!("{}: {p}", problems.file),
    });
    of_problems(py, texts.collect())
}

/// The exception for the errors of a graph. The exception of a Python node becomes its cause.
pub(crate) fn of_graph(py: Python<'_>, errors: &[GraphError]) -> PyErr {
    let exception = of_problems(py, errors.iter().map(ToString::to_string).collect());
    let cause = errors.iter().find_map(|e| e.cause()?.error().downcast_ref::<PyErr>());
    if let Some(cause) = cause {
        exception.set_cause(py, Some(cause.clone_ref(py)));
    }
    exception
}

fn of_problems(py: Python<'_>, problems: Vec<String>) -> PyErr {
    let exception = raise(py, Kind::Graph, problems.join("\n"));
    let list = PyList::new(py, problems);
    // Without the list the text still has all.
    let _ = list.and_then(|list| exception.value(py).setattr("problems", list));
    exception
}
