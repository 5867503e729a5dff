//! Geometry files: where the pixels of a detector are.

use std::path::PathBuf;

use livetime_frame::DType;
use livetime_recording::geometry::{
    Assembly, Coordinates, Geometry as Placed, MaskOptions, OpenSize, Unbonded,
};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

use crate::array;
use crate::errors::{Kind, OrRaise, apart, raise};

/// A geometry file, and where its pixels are in an assembled picture.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Geometry(Placed, Assembly);

#[pymethods]
impl Geometry {
    /// Reads a file; `size` has rows, columns and the pixels of segments whose size it leaves open.
    #[new]
    fn new(py: Python<'_>, path: PathBuf, size: Option<(u32, u32, f64)>) -> PyResult<Geometry> {
        let size = size.map(|(rows, columns, pixel_um)| OpenSize { rows, columns, pixel_um });
        let read = apart(py, || {
            let geometry = Placed::read_sized(&path, size)?;
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
        three(py, &apart(py, || self.0.coordinates())?)
    }

    /// The extent of each pixel along x, y and z of its segment in um.
    fn sizes<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        three(py, &apart(py, || self.0.sizes())?)
    }

    /// The area of each pixel.
    fn areas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        floats(py, self.0.shape(), &apart(py, || self.0.areas())?)
    }

    /// 1 for each pixel that stays, 0 for the others: `edges` and `centers` are rows and columns.
    fn mask<'py>(
        &self,
        py: Python<'py>,
        edges: (usize, usize),
        centers: (usize, usize),
        unbonded: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let found = Unbonded::ALL.into_iter().find(|(_, name)| *name == unbonded);
        let (unbonded, _) = found.ok_or_else(|| {
            let names = Unbonded::ALL.map(|(_, name)| name).join(", ");
            raise(py, Kind::Param, format_args!("unbonded: wanted one of {names}, found {unbonded:?}"))
        })?;
        let ((edge_rows, edge_columns), (center_rows, center_columns)) = (edges, centers);
        let options = MaskOptions { edge_rows, edge_columns, center_rows, center_columns, unbonded };
        array::new_array(py, DType::U8, self.0.shape(), &apart(py, || self.0.mask(&options))?)
    }

    /// The place of each pixel in an assembled picture, row by row; 4294967295 for an element that is no pixel.
    fn places<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes: Vec<u8> = self.1.places.iter().flat_map(|place| place.to_le_bytes()).collect();
        array::new_array(py, DType::U32, self.0.shape(), &bytes)
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

/// Three arrays with a value for each pixel.
fn three<'py>(py: Python<'py>, all: &Coordinates) -> PyResult<Vec<Bound<'py, PyAny>>> {
    [&all.x, &all.y, &all.z].into_iter().map(|values| floats(py, &all.shape, values)).collect()
}

fn floats<'py>(py: Python<'py>, shape: &[usize], values: &[f64]) -> PyResult<Bound<'py, PyAny>> {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    array::new_array(py, DType::F64, shape, &bytes)
}
