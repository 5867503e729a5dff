//! Frames as Python sees them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use livetime_frame::{Column, DType, Dim, Flags, Payload};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::array;
use crate::errors::{Kind, OrRaise, guarded, raise};
use crate::fork::no_pickle;
use crate::value;

/// Memory of a pool that Python holds, as long as it does.
pub(crate) struct Lent {
    all: Arc<AtomicUsize>,
    bytes: usize,
}

impl Lent {
    pub(crate) fn new(all: &Arc<AtomicUsize>, bytes: usize) -> Lent {
        // Relaxed: the sum protects no memory; it only decides whether further frames are copied.
        all.fetch_add(bytes, Ordering::Relaxed);
        Lent { all: all.clone(), bytes }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// One unit of data: an array, a table or bytes, with a header. A frame is never written again. Its memory goes back to
/// its pool when the frame and all arrays and slices of it are gone.
#[pyclass(frozen, module = "livetime._livetime")]
pub(crate) struct Frame {
    pub(crate) frame: livetime_frame::Frame,
    _lent: Option<Lent>,
}

impl Frame {
    pub(crate) fn new(frame: livetime_frame::Frame) -> Frame {
        Frame { frame, _lent: None }
    }

    pub(crate) fn lent(frame: livetime_frame::Frame, lent: Lent) -> Frame {
        Frame { frame, _lent: Some(lent) }
    }
}

#[pymethods]
impl Frame {
    /// The array, read-only and without a copy. Raises `FrameError` if the frame has none, or a compressed one.
    #[getter]
    pub(crate) fn array<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let frame = &slf.get().frame;
        let found = frame.array().or_raise(slf.py(), Kind::Frame)?;
        let layout = found.layout();
        if let Some(codec) = layout.codec() {
            let why = format_args!(
                "wanted an array that is not compressed, found one by {}; a node `decompress` undoes it",
                codec.0
            );
            return Err(raise(slf.py(), Kind::Frame, why));
        }
        array::view(slf, found.bytes(), layout.dtype(), layout.dims())
    }

    /// The array for `numpy.asarray(frame)`.
    #[pyo3(signature = (dtype = None, copy = None))]
    pub(crate) fn __array__<'py>(
        slf: &Bound<'py, Self>,
        dtype: Option<Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, array) = (slf.py(), Frame::array(slf)?);
        let Some(copy) = copy else { return py.import("numpy")?.call_method1("asarray", (array, dtype)) };
        let how = PyDict::new(py);
        how.set_item("copy", copy)?;
        py.import("numpy")?.call_method("array", (array, dtype), Some(&how))
    }

    /// The array for other libraries, without a copy and read-only: `BufferError` for one that knows DLPack before 1.0, which cannot say so.
    #[pyo3(signature = (**how))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        how: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        Frame::array(slf)?.call_method("__dlpack__", (), how)
    }

    /// The memory of the processor.
    fn __dlpack_device__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Frame::array(slf)?.call_method0("__dlpack_device__")
    }

    /// The columns of a table by name, read-only and without a copy. Raises `FrameError` if the frame has none.
    #[getter]
    fn table<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyDict>> {
        let frame = &slf.get().frame;
        let found = frame.table().or_raise(slf.py(), Kind::Frame)?;
        let layout = found.layout();
        let columns = PyDict::new(slf.py());
        for (number, Column { name, dtype }) in layout.schema().columns().iter().enumerate() {
            let Some((start, _)) = layout.place(number) else { continue };
            let bytes = frame.bytes().get(start..).unwrap_or_default();
            let rows =
                Dim { size: layout.rows(), stride: dtype.bytes(), offset: 0, binning: 1, reverse: false };
            columns.set_item(name, array::view(slf, bytes, *dtype, &[rows])?)?;
        }
        Ok(columns)
    }

    /// All bytes as they lie in memory, read-only and without a copy.
    #[getter]
    fn bytes<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = slf.get().frame.bytes();
        let all = Dim { size: bytes.len(), stride: 1, offset: 0, binning: 1, reverse: false };
        array::view(slf, bytes, DType::U8, &[all])
    }

    /// `"array"`, `"table"`, `"bytes"` or `"any"`.
    #[getter]
    fn kind(&self) -> &'static str {
        self.frame.payload().kind().name()
    }

    /// Sequence number of the frame, given by its source.
    #[getter]
    fn sequence(&self) -> u64 {
        self.frame.header().sequence
    }

    /// When the detector took it, ns since 1970.
    #[getter]
    fn time_ns(&self) -> i64 {
        self.frame.header().event_time_ns
    }

    /// Number of its source.
    #[getter]
    fn source(&self) -> u16 {
        self.frame.header().source.0
    }

    /// Whether something is wrong with it.
    #[getter]
    pub(crate) fn is_damaged(&self) -> bool {
        self.frame.header().flags.contains(Flags::DAMAGED)
    }

    /// Whether it is the last of its run.
    #[getter]
    fn is_last(&self) -> bool {
        self.frame.header().flags.contains(Flags::LAST_OF_RUN)
    }

    /// Named values that came with it.
    #[getter]
    pub(crate) fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        value::attributes(py, &self.frame.header().attributes)
    }

    /// A new frame with the elements of an array, copied, and with attributes. For tests of nodes, and for `emit`.
    #[staticmethod]
    #[pyo3(signature = (array, attributes = None))]
    fn of(array: &Bound<'_, PyAny>, attributes: Option<&Bound<'_, PyDict>>) -> PyResult<Frame> {
        let array = &array::plain(array.cast()?)?;
        let layout = array::layout_of(array)?;
        let py = array.py();
        guarded(py, || {
            let bytes = livetime_frame::FramePool::cost_bytes(layout.span());
            let mut allocator = livetime_frame::FramePool::new(bytes.saturating_mul(2)).allocator();
            let mut frame = allocator.array(layout).or_raise(py, Kind::Frame)?;
            array::fill(array, &mut frame)?;
            for (name, found) in attributes.into_iter().flatten() {
                let name: Arc<str> = Arc::from(name.extract::<String>()?);
                frame.header_mut().attributes.set(&name, value::attribute_from(&found)?);
            }
            Ok(Frame::new(frame.freeze()))
        })
    }

    /// Refused: the memory belongs to a pool of this process.
    fn __reduce__(&self) -> PyResult<Py<PyAny>> {
        Err(no_pickle("a frame", "its memory belongs to this process; send `frame.array`, or `frame.table`"))
    }

    fn __repr__(&self) -> String {
        let Payload::Array(layout) = self.frame.payload() else {
            return format!("<Frame {}: {}>", self.sequence(), self.frame.payload());
        };
        let damaged = if self.is_damaged() { ", damaged" } else { "" };
        format!("<Frame {}: {layout}{damaged}>", self.sequence())
    }
}
