//! The program `livetime`: all of it, and its command `run` with nodes of Python.

use std::ffi::OsString;
use std::path::PathBuf;

use livetime::{Allocations, Called, RunCommand};
use livetime_engine::Report;
use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;

use crate::errors::apart;
use crate::node::NodeType;
use crate::run::{Raised, raised};

/// The program, started as `program` by `interpreter`: returns its exit code. Signals are the program's.
#[pyfunction]
pub(crate) fn program(
    py: Python<'_>,
    program: PathBuf,
    arguments: Vec<OsString>,
    interpreter: PathBuf,
) -> PyResult<u8> {
    let called = Called { program, arguments, interpreter: Some(interpreter) };
    apart(py, || livetime::main_as(called, &livetime::standard_nodes(), Allocations::default))
}

/// What `python -m livetime run` was called with.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Command(RunCommand);

#[pymethods]
impl Command {
    /// Reads the arguments. Raises `SystemExit` if there is nothing to run: help was printed, or what is wrong.
    #[new]
    fn new(arguments: Vec<OsString>) -> PyResult<Command> {
        RunCommand::parse("python -m livetime", arguments).map(Command).map_err(PySystemExit::new_err)
    }

    /// The pipeline file.
    #[getter]
    fn file(&self) -> Option<PathBuf> {
        self.0.file().map(Into::into)
    }

    /// Runs to the end: the exit code, and the exceptions of nodes. Signals are the command's: Ctrl-C ends the sources, and once more aborts.
    fn run(&self, py: Python<'_>, types: Vec<Py<NodeType>>) -> PyResult<(u8, Vec<Raised>)> {
        let mut all = livetime::standard_nodes();
        all.extend(types.iter().map(|t| t.get().0.clone()));
        let mut found: Option<Report> = None;
        let code = apart(py, || self.0.run(&all, &mut |report| found = Some(report.clone())))?;
        Ok((code, found.map_or_else(Vec::new, |report| raised(py, &report))))
    }
}
