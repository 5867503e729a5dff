//! Codecs as filters of HDF5.

use crate::{Codec, CodecError, DType, Settings};

/// A chunk of a data set that goes through a filter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Chunk {
    /// Bytes of an element.
    pub element: usize,
    /// Bytes of the chunk before it is packed.
    pub bytes: usize,
}

/// The filter of HDF5 that reads the streams of a codec, for files that are written.
#[derive(Clone, Copy, Debug)]
pub struct Filter {
    /// Number, as registered with The HDF Group.
    pub number: u16,
    /// Name where only HDF5 is meant: `lz4` of the codec `lz4hdf5`.
    pub name: &'static str,
    /// The choice in areaDetector's record `Compression` of its writer, if it has one.
    pub choice: Option<&'static str>,
    /// The filter's settings in the file, for chunks of a codec with these settings.
    pub values: fn(Chunk, &Settings) -> Vec<u32>,
    /// The bytes in front of a stream that the filter expects; `None`: a stream is a chunk as it is.
    pub head: Option<fn(Chunk, usize) -> Head>,
}

/// Bytes in front of a stream, and how many of them count.
pub type Head = ([u8; 16], usize);

/// Unpacks a chunk: fills its output, or fails, and never makes more. Keeps its working memory.
pub type Decoder = Box<dyn FnMut(&[u8], &mut [u8]) -> Result<(), CodecError> + Send>;

/// How chunks are read that went through a filter.
#[derive(Clone, Copy, Debug)]
pub struct FilterReader {
    /// Number, as registered with The HDF Group.
    pub number: u16,
    /// The name of the filter with these settings.
    pub name: fn(&[u32]) -> &'static str,
    /// The decoder of chunks for these settings and elements of this many bytes.
    pub decoder: fn(&[u32], usize) -> Result<Decoder, CodecError>,
    /// Whether a filter with these settings keeps the length of a chunk.
    pub keeps_length: fn(&[u32]) -> bool,
}

impl FilterReader {
    /// A filter with one name that packs.
    pub(crate) const fn new(
        number: u16,
        name: fn(&[u32]) -> &'static str,
        decoder: fn(&[u32], usize) -> Result<Decoder, CodecError>,
    ) -> FilterReader {
        FilterReader { number, name, decoder, keeps_length: |_| false }
    }
}

/// Unpacks with a codec. Only the size of an element matters to the codecs that are filters.
pub(crate) fn decoder(mut codec: impl Codec + 'static, element: usize) -> Decoder {
    let dtype = match element {
        2 => DType::U16,
        4 => DType::U32,
        8 => DType::F64,
        _ => DType::U8,
    };
    Box::new(move |stream, output| codec.decode(stream, dtype, output))
}
