//! Arrays of numpy and arrays of frames.

use std::ffi::{c_int, c_void};

use livetime_frame::{ColorMode, DType, Dim, FrameMut, Layout, MAX_DIMS, with_dtype};
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NpyTypes, PyArray_Descr, PyArrayObject, get_type_object, npy_intp};
use numpy::{PY_ARRAY_API, PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray};
use numpy::{PyUntypedArrayMethods, dtype};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::errors::{Kind, OrRaise, raise};
use crate::frame::Frame;

/// A read-only array of the elements at `bytes` with the axes `dims`. The array and its slices keep `owner` alive.
///
/// # Errors
/// If elements lie outside of the bytes, or there is no memory.
pub(crate) fn view<'py>(
    owner: &Bound<'py, Frame>,
    bytes: &[u8],
    of: DType,
    dims: &[Dim],
) -> PyResult<Bound<'py, PyAny>> {
    let py = owner.py();
    let is_empty = dims.iter().any(|dim| dim.size == 0);
    let last = dims.iter().try_fold(of.bytes(), |end, dim| {
        end.checked_add(dim.stride.checked_mul(dim.size.saturating_sub(1))?)
    });
    if dims.len() > MAX_DIMS || !is_empty && last.is_none_or(|last| last > bytes.len()) {
        return Err(raise(py, Kind::Bug, "wanted an array inside of its frame, found one outside"));
    }
    let mut sizes = [0 as npy_intp; MAX_DIMS];
    let mut strides = [0 as npy_intp; MAX_DIMS];
    for (place, dim) in dims.iter().enumerate() {
        (sizes[place], strides[place]) = (dim.size as npy_intp, dim.stride as npy_intp);
    }
    let descr = descr(py, of).into_ptr().cast::<PyArray_Descr>();
    // SAFETY: sizes and strides have `dims.len()` elements, and all their elements lie inside of `bytes`, which belong
    // to the frame that `owner` holds: a frozen frame is never written again, and does not move as long as it lives.
    // Without the flag for writing numpy hands out no way to write. `NewFromDescr` takes the reference to `descr`.
    let array = unsafe {
        PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            get_type_object(py, NpyTypes::PyArray_Type),
            descr,
            dims.len() as c_int,
            sizes.as_mut_ptr(),
            strides.as_mut_ptr(),
            bytes.as_ptr().cast_mut().cast::<c_void>(),
            NPY_ARRAY_ALIGNED,
            std::ptr::null_mut(),
        )
    };
    // SAFETY: it is a new reference, or null with an exception.
    let array = unsafe { Bound::from_owned_ptr_or_err(py, array) }?;
    // SAFETY: `array` is a new array without other references, and `SetBaseObject` takes the reference to `owner`.
    let is_set = unsafe {
        let owner = owner.clone().into_ptr();
        PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast::<PyArrayObject>(), owner)
    };
    if is_set < 0 { Err(PyErr::fetch(py)) } else { Ok(array) }
}

/// numpy's type for ours.
pub(crate) fn descr(py: Python<'_>, of: DType) -> Bound<'_, PyArrayDescr> {
    with_dtype!(of, T => dtype::<T>(py))
}

/// Our type for numpy's.
///
/// # Errors
/// If it is none of the ten that frames may have.
pub(crate) fn dtype_of(py: Python<'_>, found: &Bound<'_, PyArrayDescr>) -> PyResult<DType> {
    let fitting = DType::ALL.into_iter().find(|known| found.is_equiv_to(&descr(py, *known)));
    fitting.ok_or_else(|| {
        let wanted = "bool, int8 to int64, uint8 to uint64, or float16 to float64";
        raise(py, Kind::Frame, format_args!("wanted an array of {wanted}, found one of {found}"))
    })
}

/// A new array with the same elements, which may be written.
pub(crate) fn new_array<'py>(
    py: Python<'py>,
    of: DType,
    shape: &[usize],
    bytes: &[u8],
) -> PyResult<Bound<'py, PyAny>> {
    with_dtype!(of, T => {
        let array = PyArrayDyn::<T>::zeros(py, shape, false);
        let mut elements = array.readwrite();
        let elements = elements.as_slice_mut()?;
        let space: &mut [u8] = bytemuck::cast_slice_mut(elements);
        if space.len() != bytes.len() {
            return Err(raise(py, Kind::Bug, "wanted as many bytes as the array has, found others"));
        }
        space.copy_from_slice(bytes);
        Ok(array.into_any())
    })
}

/// A new array. `fill` writes all its bytes or fails; the array is handed out only afterwards.
///
/// # Errors
/// The errors of `fill`, and `MemoryError`.
pub(crate) fn filled<'py>(
    py: Python<'py>,
    of: DType,
    shape: &[usize],
    fill: impl FnOnce(&mut [u8]) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    // Not by the crate `numpy`, which panics where there is no memory; and not zeros, which take as long as a quick decoder.
    let array = EMPTY.import(py, "numpy", "empty")?.call1((PyTuple::new(py, shape)?, descr(py, of)))?;
    with_dtype!(of, T => {
        let mut elements = array.cast::<PyArrayDyn<T>>()?.try_readwrite()?;
        fill(bytemuck::cast_slice_mut(elements.as_slice_mut()?))?;
    });
    Ok(array)
}

/// The same elements in a type that frames have: truth values as `uint8`, half precision as `float32`, another byte
/// order in the machine's. Arrays of other types are returned unchanged.
pub(crate) fn plain<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyUntypedArray>> {
    let of = array.dtype();
    let wanted = match (of.kind(), of.itemsize(), of.is_native_byteorder()) {
        (b'b', ..) => return Ok(array.call_method1("view", ("uint8",))?.cast_into()?),
        (b'f', 2, _) => "float32".into_pyobject(array.py())?.into_any(),
        (b'i' | b'u' | b'f', _, Some(false)) => of.call_method1("newbyteorder", ("=",))?,
        _ => return Ok(array.clone()),
    };
    Ok(array.call_method1("astype", (wanted,))?.cast_into()?)
}

/// How an array of numpy lies in a frame: packed, with at least one axis.
///
/// # Errors
/// If frames cannot have its type or shape.
pub(crate) fn layout_of(array: &Bound<'_, PyUntypedArray>) -> PyResult<Layout> {
    let py = array.py();
    let of = dtype_of(py, &array.dtype())?;
    let shape = if array.ndim() == 0 { &[1][..] } else { array.shape() };
    Layout::packed(of, ColorMode::Mono, shape).or_raise(py, Kind::Frame)
}

/// Copies the elements of an array into a frame of its layout.
///
/// # Errors
/// If they differ in number or type.
pub(crate) fn fill(array: &Bound<'_, PyUntypedArray>, frame: &mut FrameMut) -> PyResult<()> {
    let py = array.py();
    let of = dtype_of(py, &array.dtype())?;
    with_dtype!(of, T => {
        let array = array.cast::<PyArrayDyn<T>>()?.try_readonly()?;
        let elements = frame.elements_mut::<T>().or_raise(py, Kind::Frame)?;
        if elements.len() != array.len() {
            return Err(raise(py, Kind::Bug, "wanted as many elements as the frame has, found others"));
        }
        match array.as_slice() {
            Ok(from) if array.is_c_contiguous() => elements.copy_from_slice(from),
            _ => elements.iter_mut().zip(array.as_array()).for_each(|(to, from)| *to = *from),
        }
        Ok(())
    })
}

/// The bytes of an array, packed, with its type.
///
/// # Errors
/// If frames cannot have its type.
pub(crate) fn packed_bytes(array: &Bound<'_, PyUntypedArray>) -> PyResult<(DType, Vec<u8>)> {
    let mut bytes = Vec::new();
    Ok((pack(array, &mut bytes)?, bytes))
}

/// Copies the bytes of an array, packed, into memory that had others; returns its type.
///
/// # Errors
/// If frames cannot have its type.
pub(crate) fn pack(array: &Bound<'_, PyUntypedArray>, bytes: &mut Vec<u8>) -> PyResult<DType> {
    let array = &plain(array)?;
    let of = dtype_of(array.py(), &array.dtype())?;
    bytes.clear();
    with_dtype!(of, T => {
        let array = array.cast::<PyArrayDyn<T>>()?.try_readonly()?;
        // `as_slice` is there for columns behind each other too, in another order than frames have.
        match array.as_slice() {
            Ok(from) if array.is_c_contiguous() => bytes.extend_from_slice(bytemuck::cast_slice(from)),
            _ => array.as_array().iter().for_each(|x| bytes.extend_from_slice(bytemuck::bytes_of(x))),
        }
    });
    Ok(of)
}

/// A new array of zeros.
pub(crate) fn zeros<'py>(py: Python<'py>, of: DType, shape: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    Ok(with_dtype!(of, T => PyArrayDyn::<T>::zeros(py, shape, false).into_any()))
}

/// Whether something is an array that can be written, of this type and shape.
pub(crate) fn has_layout(array: &Bound<'_, PyAny>, of: DType, shape: &[usize]) -> bool {
    with_dtype!(of, T => {
        let array = array.cast::<PyArrayDyn<T>>();
        array.is_ok_and(|array| array.shape() == shape && array.try_readwrite().is_ok())
    })
}

/// Writes pieces of bytes of equal length behind each other into an array; zeros where one is missing.
///
/// # Errors
/// If they are not as many bytes as the array has.
pub(crate) fn write(array: &Bound<'_, PyAny>, of: DType, pieces: &[Option<&[u8]>]) -> PyResult<()> {
    with_dtype!(of, T => {
        let mut array = array.cast::<PyArrayDyn<T>>()?.try_readwrite()?;
        let space: &mut [u8] = bytemuck::cast_slice_mut(array.as_slice_mut()?);
        let each = space.len() / pieces.len().max(1);
        for (space, piece) in space.chunks_exact_mut(each.max(1)).zip(pieces) {
            match piece {
                Some(piece) => space.copy_from_slice(piece.get(..each).unwrap_or(&[0; 0])),
                None => space.fill(0),
            }
        }
        Ok(())
    })
}

/// Whether the caller holds the only reference to the array, so that no slice of it exists either.
pub(crate) fn is_ours_alone(array: &Bound<'_, PyAny>) -> bool {
    // SAFETY: the pointer belongs to a living object, and the thread is attached.
    unsafe { pyo3::ffi::Py_REFCNT(array.as_ptr()) == 1 }
}
