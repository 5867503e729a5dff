//! Corrections of pictures: pedestal, gain, bad pixels, common mode.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use livetime_analysis::{ConstantsFile, Corrections, Error};
use livetime_recording::Constants;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::array;
use crate::errors::{Kind, apart, raise};

type Wanted = (Option<Given>, Option<Given>, Option<Given>, Vec<String>, Option<String>);

/// Constants: in a file, or an array as the bytes of such a file, which go with the corrections to other processes.
#[derive(FromPyObject)]
enum Given {
    Array(Py<PyBytes>),
    File(PathBuf),
}

impl Given {
    fn read(self, name: &str) -> Result<ConstantsFile, Error> {
        match self {
            Given::File(path) => ConstantsFile::read(path),
            Given::Array(bytes) => {
                // In every process the same, so that plans know their corrections again.
                let path = PathBuf::from(format!("{name}, given as an array"));
                let constants = Python::attach(|py| Constants::parse(bytes.as_bytes(py)))?;
                Ok(ConstantsFile { path, constants: Arc::new(constants) })
            }
        }
    }
}

/// The corrections in a tuple: the files of pedestal, gain and mask (or their bytes), and the common modes and the gain
/// bits as text.
pub(crate) fn read(wanted: &Bound<'_, PyTuple>) -> PyResult<Corrections> {
    let py = wanted.py();
    let (pedestal, gain, mask, modes, gain_bits): Wanted = wanted.extract()?;
    let common_modes = modes.iter().map(|mode| mode.parse().map_err(refused));
    let common_modes = common_modes.collect::<PyResult<_>>()?;
    let gain_bits = gain_bits.map(|bits| bits.parse().map_err(refused)).transpose()?;
    let file = |given: Option<Given>, name| given.map(|given| given.read(name)).transpose();
    let found = apart(py, || {
        let (pedestal, gain, mask) = (file(pedestal, "pedestal")?, file(gain, "gain")?, file(mask, "mask")?);
        Corrections { pedestal, gain, mask, common_modes, gain_bits }.checked()
    })?;
    found.map_err(|e| raise(py, Kind::Analysis, e))
}

/// A text that says no correction.
fn refused(error: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Corrections that are read, for arrays in a loop.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Correct {
    corrections: Corrections,
    unknown: AtomicU64,
}

#[pymethods]
impl Correct {
    #[new]
    fn new(wanted: &Bound<'_, PyTuple>) -> PyResult<Correct> {
        Ok(Correct { corrections: read(wanted)?, unknown: AtomicU64::new(0) })
    }

    /// Good pixels of all arrays so far whose gain code belongs to no stage.
    #[getter]
    fn unknown(&self) -> u64 {
        self.unknown.load(Ordering::Relaxed)
    }

    /// The corrected array, `float32` and of the same shape.
    fn apply<'py>(&self, py: Python<'py>, array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
        let (of, bytes) = array::packed_bytes(array)?;
        let shape = array.shape().to_vec();
        let done = apart(py, || self.corrections.apply(of, &shape, &bytes))?;
        let (done, unknown) = done.map_err(|e| raise(py, Kind::Analysis, e))?;
        self.unknown.fetch_add(unknown, Ordering::Relaxed);
        let bytes: Vec<u8> = done.iter().flat_map(|v| v.to_le_bytes()).collect();
        array::new_array(py, livetime_frame::DType::F32, &shape, &bytes)
    }
}
