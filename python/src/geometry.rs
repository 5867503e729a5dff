//! Geometry files: where the pixels of a detector are.

use std::path::PathBuf;

use livetime_frame::DType;
use livetime_recording::geometry::{Assembly, Geometry as Placed};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::array;
use crate::errors::{Kind, OrRaise, apart, raise};

/// A geometry file, and where its pixels are in an assembled picture.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Geometry(Placed, Assembly);

#[pymethods]
impl Geometry {
    /// Reads a file.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Geometry> {
        let read = apart(py, || {
            let geometry = Placed::read(&path)?;
            let assembly = geometry.assembly()?;
            Ok::<_, livetime_recording::Error>(Geometry(geometry, assembly))
        })?;
        read.or_raise(py, Kind::Recording)
    }

    /// Segments, rows and columns, or the number of pixels.
    #[getter]
    fn shape(&self) -> Vec<usize> {
        self.0.shape().to_vec()
    }

    /// The size of a pixel in um.
    #[getter]
    fn pixel_um(&self) -> f64 {
        self.0.pixel_um()
    }

    /// Rows and columns of an assembled picture.
    #[getter]
    fn picture_shape(&self) -> (usize, usize) {
        (self.1.rows, self.1.columns)
    }

    /// x, y and z of each pixel in um.
    fn coordinates<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let all = apart(py, || self.0.coordinates())?;
        let new = |values: &[f64]| {
            let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            array::new_array(py, DType::F64, &all.shape, &bytes)
        };
        [&all.x, &all.y, &all.z].into_iter().map(|values| new(values)).collect()
    }

    /// The picture of an array with a value for each pixel, in its type; `fill` has the bytes of one value.
    fn assemble<'py>(
        &self,
        py: Python<'py>,
        array: &Bound<'py, PyUntypedArray>,
        fill: Vec<u8>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (of, bytes) = array::packed_bytes(array)?;
        let size = of.bytes();
        if fill.len() != size {
            return Err(raise(
                py,
                Kind::Recording,
                "wanted a value of the array's type as `fill`, found another size",
            ));
        }
        let count = array.len();
        let (rows, columns) = (self.1.rows, self.1.columns);
        let made = apart(py, || {
            let numbers: Vec<u32> = (0..u32::try_from(count).unwrap_or(u32::MAX)).collect();
            self.1.assemble(&numbers, u32::MAX).map(|picture| {
                let pixel =
                    |at: &u32| bytes.get(*at as usize * size..(*at as usize + 1) * size).unwrap_or(&fill);
                picture.iter().flat_map(pixel).copied().collect::<Vec<u8>>()
            })
        })?;
        array::new_array(py, of, &[rows, columns], &made.or_raise(py, Kind::Recording)?)
    }
}
