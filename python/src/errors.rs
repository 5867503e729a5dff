//! Python's exceptions for our errors and panics.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use livetime_engine::Refusal;
use pyo3::prelude::*;
use pyo3::types::PyType;

/// The exceptions of `livetime.errors` that this crate raises.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A recorded run cannot be used.
    Recording,
    /// An analysis has no result.
    Analysis,
    /// A graph cannot run.
    Graph,
    /// A parameter cannot be set.
    Param,
    /// Bytes cannot be encoded or decoded.
    Codec,
    /// A frame or an array has the wrong type, shape or content.
    Frame,
    /// A fault of Livetime itself.
    Bug,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Recording => "RecordingError",
            Kind::Analysis => "AnalysisError",
            Kind::Graph => "GraphError",
            Kind::Param => "ParamError",
            Kind::Codec => "CodecError",
            Kind::Frame => "FrameError",
            Kind::Bug => "Bug",
        }
    }
}

/// The exception for an error.
pub(crate) fn raise(py: Python<'_>, kind: Kind, message: impl Display) -> PyErr {
    let class = py.import("livetime.errors").and_then(|module| module.getattr(kind.name()));
    match class.and_then(|class| Ok(class.cast_into::<PyType>()?)) {
        Ok(class) => PyErr::from_type(class, message.to_string()),
        Err(error) => error,
    }
}

/// The exception for a refusal: a `ParamError` with the refusal's fields.
pub(crate) fn refused(py: Python<'_>, refusal: &Refusal) -> PyErr {
    refused_as(py, refusal, refusal)
}

/// The exception of `refusal` with another sentence.
pub(crate) fn refused_as(py: Python<'_>, refusal: &Refusal, message: impl Display) -> PyErr {
    let (error, kind) = (raise(py, Kind::Param, message), refusal.kind());
    let fields = [
        ("parameter", refusal.parameter()),
        ("code", Some(kind.code())),
        ("wanted", kind.wanted()),
        ("found", kind.found()),
        ("hint", kind.hint().map(|hint| hint.trim_start_matches("; ")).filter(|hint| !hint.is_empty())),
    ];
    let value = error.value(py);
    let known = fields.into_iter().try_for_each(|(name, field)| value.setattr(name, field));
    known.err().unwrap_or(error)
}

/// Turns a refusal into its exception.
pub(crate) trait OrRefused<T> {
    /// The value, or the exception.
    fn or_refused(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRefused<T> for Result<T, Refusal> {
    fn or_refused(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|refusal| refused(py, &refusal))
    }
}

/// Turns an error into an exception of one kind.
pub(crate) trait OrRaise<T> {
    /// The value, or the exception.
    fn or_raise(self, py: Python<'_>, kind: Kind) -> PyResult<T>;
}

impl<T, E: Display> OrRaise<T> for Result<T, E> {
    fn or_raise(self, py: Python<'_>, kind: Kind) -> PyResult<T> {
        self.map_err(|error| raise(py, kind, error))
    }
}

/// Does `work` detached from the interpreter: other Python threads run meanwhile, and our own threads can attach. A
/// panic is a `Bug`.
pub(crate) fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| catch_unwind(AssertUnwindSafe(work))).map_err(|panic| bug(py, &*panic))
}

/// Does `work` attached. A panic is a `Bug`.
pub(crate) fn guarded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(bug(py, &*panic)))
}

fn bug(py: Python<'_>, panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    raise(py, Kind::Bug, text.unwrap_or_else(|| "a panic without a message".to_owned()))
}
