//! Tables as files.

use std::path::PathBuf;

use livetime::analyze::Array;
use livetime_frame::with_dtype;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::array;
use crate::errors::apart;

/// Writes columns of one length to a file whose name ends with `.parquet`, `.csv` or `.npy`, as `livetime analyze --tables` does.
#[pyfunction]
pub(crate) fn write_table(
    py: Python<'_>,
    path: PathBuf,
    columns: Vec<(String, Bound<'_, PyUntypedArray>)>,
) -> PyResult<()> {
    let mut all = Vec::new();
    for (name, cells) in columns {
        let (of, bytes) = array::packed_bytes(&cells)?;
        let cells = with_dtype!(of, T => {
            Array::new(&[cells.len()], bytemuck::pod_collect_to_vec::<u8, T>(&bytes))
        });
        all.push((name, cells));
    }
    let written = apart(py, || {
        let columns: Vec<(&str, &Array)> = all.iter().map(|(name, cells)| (&**name, cells)).collect();
        livetime::tables::write(&path, &columns)
    })?;
    written.map_err(|error| PyOSError::new_err(error.to_string()))
}
