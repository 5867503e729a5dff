//! Corrections of pictures: pedestal, gain, bad pixels, common mode.

use std::path::PathBuf;

use livetime_analysis::{ConstantsFile, Corrections};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::array;
use crate::errors::{Kind, apart, raise};

type Files = (Option<PathBuf>, Option<PathBuf>, Option<PathBuf>, Vec<String>);

/// Those that a tuple means: the files of pedestal, gain and mask, and the common modes as text.
pub(crate) fn read(wanted: &Bound<'_, PyTuple>) -> PyResult<Corrections> {
    let py = wanted.py();
    let (pedestal, gain, mask, modes): Files = wanted.extract()?;
    let common_modes = modes.iter().map(|mode| mode.parse().map_err(PyValueError::new_err));
    let common_modes = common_modes.collect::<PyResult<_>>()?;
    let file = |path: Option<PathBuf>| path.map(ConstantsFile::read).transpose();
    let found = apart(py, || {
        Ok::<_, livetime_analysis::Error>(Corrections {
            pedestal: file(pedestal)?,
            gain: file(gain)?,
            mask: file(mask)?,
            common_modes,
        })
    })?;
    found.map_err(|e| raise(py, Kind::Analysis, e))
}

/// Corrections that are read, for arrays in a loop.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Correct(Corrections);

#[pymethods]
impl Correct {
    #[new]
    fn new(wanted: &Bound<'_, PyTuple>) -> PyResult<Correct> {
        read(wanted).map(Correct)
    }

    /// The corrected array, `float32` and of the same shape.
    fn apply<'py>(&self, py: Python<'py>, array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
        let (of, bytes) = array::packed_bytes(array)?;
        let shape = array.shape().to_vec();
        let done = apart(py, || self.0.apply(of, &shape, &bytes))?;
        let done = done.map_err(|e| raise(py, Kind::Analysis, e))?;
        let bytes: Vec<u8> = done.iter().flat_map(|v| v.to_le_bytes()).collect();
        array::new_array(py, livetime_frame::DType::F32, &shape, &bytes)
    }
}
