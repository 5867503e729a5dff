//! Codecs as functions on arrays.

use std::cell::Cell;

use livetime_codecs::{ALL, Array, Blockpack, Codec, CodecError, CodecType, DType, Reference, Settings};
use numpy::{PyArrayDescr, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array;
use crate::errors::{Kind, OrRaise, apart, raise};

/// Most bytes of an array whose memory a caller may request; a wrong shape is refused before memory is taken.
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

/// The description of a codec under one of its names: name, least, most and usual level, number of its filter in HDF5,
/// areaDetector's name, numcodecs' name.
type About = (String, Option<(i32, i32, i32)>, Option<u16>, Option<&'static str>, Option<&'static str>);

/// All codecs that arrays are compressed with, in the order of the list, with the settings that have names.
#[pyfunction]
pub(crate) fn codecs() -> Vec<About> {
    named().map(|(name, codec, settings)| about(name, codec, &settings)).collect()
}

/// `blosc`, and `blosc-zlib` where settings have a name.
fn named() -> impl Iterator<Item = (String, &'static CodecType, Settings)> {
    let names = |codec: &'static CodecType| {
        let variant =
            |(name, settings): &(&str, Settings)| (format!("{}-{name}", codec.name), codec, *settings);
        let usual = (codec.name.to_owned(), codec, Settings::USUAL);
        [usual].into_iter().chain(codec.variants.iter().map(variant)).collect::<Vec<_>>()
    };
    ALL.iter().filter(|codec| codec.is_written()).flat_map(names)
}

fn about(name: String, codec: &CodecType, settings: &Settings) -> About {
    let usual = set(codec, settings, None).level;
    let levels = codec.levels.map(|levels| (levels.least, levels.most, usual.unwrap_or(levels.usual)));
    let filter = codec.filter.filter(|filter| filter.head.is_none());
    (name, levels, filter.map(|f| f.number), codec.in_frames.map(|known| known.name), codec.numcodecs)
}

/// Python's own usual settings differ from others where streams lie in files more often than they pass through a graph.
fn set(codec: &CodecType, settings: &Settings, level: Option<i32>) -> Settings {
    let (usual, block) = match codec.name {
        "zlib" => (Some(6), settings.block),
        "zstd" | "blosc" => (Some(3), settings.block),
        "lz4hdf5" => (None, 1 << 20),
        _ => (None, settings.block),
    };
    Settings { level: level.or(usual), block, ..*settings }
}

/// A codec by its name and, where it has one, level.
fn codec(name: &str, level: Option<i32>) -> Result<Box<dyn Codec>, CodecError> {
    let found = named().find(|(known, ..)| known == name);
    let wanted = "a codec of the list `livetime.codecs.NAMES`";
    let unknown = CodecError::Unsupported { codec: "livetime", wanted, found: "another name" };
    let (_, codec, settings) = found.ok_or(unknown)?;
    codec.make(&set(codec, &settings, level))
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
        let input = Array::new(plain, of, &shape)?;
        let mut codec = codec(name, level)?;
        let bound = codec.bound(plain.len());
        // The memory of the last call is used again, since a stream's bound may be larger than a picture.
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
    // Large memory is given back, as a thread would keep it until its end.
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
    // The shape comes from the caller, and a wrong shape must not end in an attempt to take all memory.
    if bytes.is_none_or(|bytes| bytes > MOST_BYTES) {
        return Err(raise(py, Kind::Codec, format_args!("wanted a shape of at most 1 TiB, found {shape:?}")));
    }
    let reference = reference.map(|reference| alike(reference, of, &shape)).transpose()?;
    array::filled(py, of, &shape, |plain| {
        let decoded = apart(py, || match &reference {
            None => codec(name, None)?.decode(stream, of, plain),
            Some(reference) => {
                let reference = Reference::by_content(reference);
                Blockpack::new().decode_with(stream, of, Some(reference), plain)
            }
        })?;
        decoded.map(drop).or_raise(py, Kind::Codec)
    })
}

/// The bytes of a reference, which must have the type and shape of the array.
fn alike(reference: &Bound<'_, PyUntypedArray>, of: DType, shape: &[usize]) -> PyResult<Vec<u8>> {
    let (found, bytes) = array::packed_bytes(reference)?;
    if found == of && reference.shape() == shape {
        return Ok(bytes);
    }
    let found = format!("{found} {:?}", reference.shape());
    let why = format_args!("wanted a reference of {of} {shape:?} as the array, found {found}");
    Err(raise(reference.py(), Kind::Codec, why))
}
