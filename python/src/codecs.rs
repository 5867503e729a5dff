//! Codecs as functions on arrays.

use std::cell::Cell;

use livetime_codecs::{
    Array, Blockpack, Blosc, BloscCompressor, BloscSettings, BloscShuffle, Bslz4, Codec, CodecError, DType,
    Hist16, HistN, Lz4, Lz4Hdf5, Reference, Zlib, Zstd,
};
use livetime_frame as frame;
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array;
use crate::errors::{Kind, OrRaise, apart, raise};

/// Larger arrays are refused: a caller could mean any size.
const MOST_BYTES: usize = 1 << 40;

/// Memory that a thread keeps for the next array: new memory costs more than the copy into it. Larger pieces are given back.
const MOST_SCRATCH: usize = 64 << 20;

#[derive(Default)]
struct Scratch {
    plain: Vec<u8>,
    stream: Vec<u8>,
}

thread_local! {
    static SCRATCH: Cell<Scratch> = Cell::default();
}

/// A codec by its name and, where it has one, level.
fn codec(name: &str, level: Option<i32>) -> Result<Box<dyn Codec>, CodecError> {
    let blosc = |compressor, shuffle| {
        let level = level.unwrap_or(3).clamp(0, 9) as u32;
        Box::new(Blosc::new(BloscSettings { compressor, level, shuffle }))
    };
    Ok(match name {
        "blockpack" => Box::new(Blockpack::new()),
        "bslz4" => Box::new(Bslz4::new()),
        "bslz4-bare" => Box::new(Bslz4::bare()),
        "lz4" => Box::new(Lz4::new()),
        "lz4hdf5" => Box::new(Lz4Hdf5::new(1 << 20)),
        "zlib" => Box::new(Zlib::new(level.unwrap_or(6).clamp(0, 12) as u32)),
        "zstd" => Box::new(Zstd::new(level.unwrap_or(3))?),
        "hist16" => Box::new(Hist16::new()),
        "histn" => Box::new(HistN::new()),
        "blosc" => blosc(BloscCompressor::Lz4, BloscShuffle::Bit),
        "blosc-blosclz" => blosc(BloscCompressor::BloscLz, BloscShuffle::Byte),
        "blosc-zlib" => blosc(BloscCompressor::Zlib, BloscShuffle::Byte),
        "blosc-zstd" => blosc(BloscCompressor::Zstd, BloscShuffle::Bit),
        _ => {
            let wanted = "a codec of the list `livetime.codecs.NAMES`";
            return Err(CodecError::Unsupported { codec: "livetime", wanted, found: "another name" });
        }
    })
}

/// The stream that a codec makes of an array; with `reference`, an array alike, of blockpack only.
#[pyfunction]
#[pyo3(signature = (array, name, level = None, reference = None))]
pub(crate) fn encode<'py>(
    array: &Bound<'py, PyUntypedArray>,
    name: &str,
    level: Option<i32>,
    reference: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let py = array.py();
    let mut scratch = SCRATCH.take();
    let Scratch { plain, stream } = &mut scratch;
    let of = array::pack(array, plain)?;
    let reference = reference.map(|reference| alike(reference, of, array.shape())).transpose()?;
    let shape = if array.ndim() == 0 { vec![1] } else { array.shape().to_vec() };
    let encoded = apart(py, || {
        let input = Array::new(plain, dtype(of), &shape)?;
        let mut codec = codec(name, level)?;
        let bound = codec.bound(plain.len());
        if stream.len() < bound {
            stream.resize(bound, 0);
        }
        match &reference {
            None => codec.encode(input, stream),
            Some(reference) => {
                Blockpack::new().encode_with(input, Some(Reference::by_content(reference)), stream)
            }
        }
    })?;
    let size = encoded.or_raise(py, Kind::Codec)?;
    let encoded = PyBytes::new(py, stream.get(..size).unwrap_or_default());
    if plain.capacity() + stream.capacity() <= MOST_SCRATCH {
        SCRATCH.set(scratch);
    }
    Ok(encoded)
}

/// The array of a stream, which must have this type and shape.
#[pyfunction]
#[pyo3(signature = (stream, name, dtype_of, shape, reference = None))]
pub(crate) fn decode<'py>(
    py: Python<'py>,
    stream: &[u8],
    name: &str,
    dtype_of: &Bound<'py, PyArrayDescr>,
    shape: Vec<usize>,
    reference: Option<&Bound<'py, PyUntypedArray>>,
) -> PyResult<Bound<'py, PyAny>> {
    let of = array::dtype_of(py, dtype_of)?;
    let bytes = shape.iter().try_fold(of.bytes(), |all, size| all.checked_mul(*size));
    if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
        return Err(raise(py, Kind::Codec, format_args!("wanted a shape of at most 1 TiB, found {shape:?}")));
    }
    let reference = reference.map(|reference| alike(reference, of, &shape)).transpose()?;
    array::filled(py, of, &shape, |plain| {
        let decoded = apart(py, || match &reference {
            None => codec(name, None)?.decode(stream, dtype(of), plain),
            Some(reference) => {
                let reference = Reference::by_content(reference);
                Blockpack::new().decode_with(stream, dtype(of), Some(reference), plain)
            }
        })?;
        decoded.map(drop).or_raise(py, Kind::Codec)
    })
}

/// The bytes of a reference, which must have the type and shape of the array.
fn alike(reference: &Bound<'_, PyUntypedArray>, of: frame::DType, shape: &[usize]) -> PyResult<Vec<u8>> {
    let (found, bytes) = array::packed_bytes(reference)?;
    if found == of && reference.shape() == shape {
        return Ok(bytes);
    }
    let found = format!("{found} {:?}", reference.shape());
    let why = format_args!("wanted a reference of {of} {shape:?} as the array, found {found}");
    Err(raise(reference.py(), Kind::Codec, why))
}

fn dtype(of: frame::DType) -> DType {
    match of {
        frame::DType::I8 => DType::I8,
        frame::DType::U8 => DType::U8,
        frame::DType::I16 => DType::I16,
        frame::DType::U16 => DType::U16,
        frame::DType::I32 => DType::I32,
        frame::DType::U32 => DType::U32,
        frame::DType::I64 => DType::I64,
        frame::DType::U64 => DType::U64,
        frame::DType::F32 => DType::F32,
        frame::DType::F64 => DType::F64,
    }
}
