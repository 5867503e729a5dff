//! Lossless compression of detector frames.
//!
//! A [`Codec`] turns an [`Array`] into bytes and back. The caller gives the memory for the output, and a codec keeps its working
//! memory: after the first frame of a size nothing is allocated.
//!
//! | codec | for | format |
//! |---|---|---|
//! | [`Blockpack`] | detector frames of 8-, 16- and 32-bit integers, with or without a reference frame | our own: `docs/formats/blockpack.md` |
//! | [`Bslz4`] | anything that detectors and HDF5 files hold | HDF5 filter 32008 |
//! | [`Blosc`] | anything; shuffled, then one of four compressors | Blosc 1, HDF5 filter 32001 |
//! | [`Lz4`], [`Lz4Hdf5`] | anything | LZ4 block; HDF5 filter 32004 |
//! | [`Zlib`], `Zstd` (feature `zstd`) | anything | zlib stream (RFC 1950); Zstandard frame |
//! | [`Hist16`], [`HistN`] | the compressed leaves of XTC files of LCLS | bit for bit the streams of pdsdata |
//!
//! [`ALL`] lists them with their names elsewhere: a [`CodecType`] has the names, numbers, levels and settings of a
//! codec, and makes one.
//!
//! [`Bitshuffle`] without LZ4, [`Blosc2`], [`Bzip2`] and [`Lzf`] are only read: HDF5 files of other programs have them.
//! [`PackedFrames`] unpacks the packed frames of DUNE's wire readout.
//!
//! Decoders trust nothing: every size in a stream is compared with the available bytes before it is used, and
//! a decoder never allocates a size that a stream claims.
//!
//! ```
//! use livetime_codecs::{Array, Codec, DType, Hist16};
//! let pixels: Vec<u8> = (0..1000u16).flat_map(|i| (1200 + i % 50).to_le_bytes()).collect();
//! let frame = Array::new(&pixels, DType::U16, &[10, 100])?;
//! let mut codec = Hist16::new();
//! let mut packed = vec![0; codec.bound(pixels.len())];
//! let size = codec.encode(frame, &mut packed)?;
//! let mut back = vec![0; pixels.len()];
//! codec.decode(&packed[..size], DType::U16, &mut back)?;
//! assert_eq!(back, pixels);
//! # Ok::<(), livetime_codecs::CodecError>(())
//! ```

#![deny(missing_docs)]

mod array;
mod bitshuffle;
mod blockpack;
mod blosc;
mod blosc2;
mod bslz4;
mod bzip2;
mod codec_type;
mod error;
mod filter;
mod hist;
mod hist16;
mod histn;
mod list;
mod lz4;
mod lz4hdf5;
mod lzf;
mod settings;
mod stream;
mod wib;
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

pub use array::Array;
pub use bitshuffle::Bitshuffle;
pub use blockpack::{
    Blockpack, Header as BlockpackHeader, MOST_DIMENSIONS, Reference, Region, SequenceDecoder,
    SequenceEncoder,
};
pub use blosc::{Blosc, BloscSettings};
pub use blosc2::Blosc2;
pub use bslz4::Bslz4;
pub use bzip2::Bzip2;
pub use codec_type::{CodecType, FrameName};
pub use error::CodecError;
pub use filter::{Chunk, Decoder, Filter, FilterReader, Head};
pub use hist16::Hist16;
pub use histn::HistN;
pub use list::ALL;
/// The type of the elements of an array. All are little-endian.
pub use livetime_frame::DType;
pub use lz4::Lz4;
pub use lz4hdf5::Lz4Hdf5;
pub use lzf::Lzf;
pub use settings::{BlockpackTier, BloscCompressor, BloscShuffle, Levels, Settings};
pub use wib::PackedFrames;
pub use zlib::Zlib;
#[cfg(feature = "zstd")]
pub use zstd::Zstd;

/// A way to compress arrays without loss.
///
/// A codec holds working memory and nothing of the frames that it has seen: every stream can be decoded alone.
pub trait Codec: Send {
    /// Its name in files and on the command line.
    fn name(&self) -> &'static str;

    /// True if arrays of this type can be encoded; of every type unless the codec says otherwise.
    fn supports(&self, _dtype: DType) -> bool {
        true
    }

    /// The output size that is always enough for this many bytes of input.
    fn bound(&self, input_bytes: usize) -> usize;

    /// Writes `input` as a stream to the start of `output` and gives its length. The bytes behind the stream are
    /// undefined.
    ///
    /// # Errors
    /// [`CodecError::DType`] if [`Codec::supports`] says no, [`CodecError::Room`] if `output` has fewer bytes than
    /// [`Codec::bound`] says, [`CodecError::Limit`] if the input is too large for the format.
    fn encode(&mut self, input: Array<'_>, output: &mut [u8]) -> Result<usize, CodecError>;

    /// Reads `stream`, which must be exactly one, into `output`, which must have exactly the size of the array.
    ///
    /// # Errors
    /// [`CodecError::Damaged`] if the stream is not one that [`Codec::encode`] makes for an array of this type and
    /// size; `output` is undefined then.
    fn decode(&mut self, stream: &[u8], dtype: DType, output: &mut [u8]) -> Result<(), CodecError>;
}
