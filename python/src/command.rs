//! The whole program `livetime`, and its commands on pipeline files with Python nodes.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use livetime::{Called, RunCommand};
use livetime_engine::{Report, lock};
use pyo3::exceptions::PySystemExit;
use pyo3::prelude::*;

use crate::errors::{Kind, apart, raise};
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
    apart(py, || livetime::main_as(called, &livetime::standard_nodes()))
}

/// The arguments of `python -m livetime run` (or `check`, `verify`, `pvs`, `analyze --pipeline`, `bench graph`, `bench
/// node`).
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Command(Mutex<Option<RunCommand>>);

#[pymethods]
impl Command {
    /// Reads the arguments. Raises `SystemExit` if there is nothing to run: help or an error was printed.
    #[new]
    fn new(arguments: Vec<OsString>) -> PyResult<Command> {
        let command = RunCommand::parse(arguments).map_err(PySystemExit::new_err)?;
        Ok(Command(Mutex::new(Some(command))))
    }

    /// The pipeline file.
    #[getter]
    fn file(&self) -> Option<PathBuf> {
        self.lock().as_ref().and_then(|command| command.file().map(Into::into))
    }

    /// Does it: the exit code, and the exceptions of nodes. Signals are the command's: Ctrl-C ends the sources, and once more aborts.
    fn run(&self, py: Python<'_>, types: Vec<Py<NodeType>>) -> PyResult<(u8, Vec<Raised>)> {
        let mut all = livetime::standard_nodes();
        all.extend(types.iter().map(|t| t.get().0.clone()));
        let mut found: Option<Report> = None;
        let command = self.lock().take();
        let command =
            command.ok_or_else(|| raise(py, Kind::Bug, "wanted a command to do once, found it done"))?;
        let code = apart(py, || command.run(&all, &mut |report| found = Some(report.clone())))?;
        Ok((code, found.map_or_else(Vec::new, |report| raised(py, &report))))
    }
}

impl Command {
    fn lock(&self) -> MutexGuard<'_, Option<RunCommand>> {
        lock(&self.0)
    }
}
