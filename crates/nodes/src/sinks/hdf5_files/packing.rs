//! The form of a frame's pixels in the file: plain, compressed here, or compressed before they came.

use livetime_codecs::{ALL, Chunk, CodecType, Head, Settings};
use livetime_engine::{NodeError, ParamEnum, Refusal};
use livetime_formats::hdf5::Filter;
use livetime_frame::{ArrayRef, Codec, ColorMode, DType, Frame, Layout};

use super::super::nd_file::WriteError;
use super::params::{Hdf5Compression, Hdf5FilesParams};
use crate::codec::{Codecs, Compressor, PackError};
use crate::error::Mismatch;

/// How the frames of a file are packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Packing {
    /// Codec of the frames that arrive; `None` if they are not compressed.
    came: Option<Codec>,
    /// Codec of the frames in the file, compressed by an earlier node or by this one.
    codec: Option<&'static CodecType>,
    /// The HDF5 filter that names this codec in the file.
    pub(super) filter: Option<Filter>,
}

impl Packing {
    /// For frames of a layout.
    ///
    /// # Errors
    /// For a codec that HDF5 has no filter for, or a compression that cannot be done here.
    pub(super) fn of(layout: &Layout, p: &Hdf5FilesParams) -> Result<Packing, PackError> {
        let codec = match layout.codec() {
            // Compressed frames are written as they arrived: the parameter `compression` acts on plain frames only.
            Some(codec) => Some(known(codec)?),
            None => chosen(p.compression)?,
        };
        let filter = codec.map(|codec| filter(codec, layout, p)).transpose()?.flatten();
        Ok(Packing { came: layout.codec(), codec, filter })
    }

    /// Whether frames that come with `codec` are packed this way.
    pub(super) fn is_for(&self, codec: Option<Codec>) -> bool {
        self.came == codec
    }

    /// Whether frames are compressed here.
    pub(super) fn is_here(&self) -> bool {
        self.came.is_none() && self.codec.is_some()
    }

    /// The header of HDF5's filter before the `stream` bytes of a chunk of `bytes` bytes, and its length.
    pub(super) fn head(&self, bytes: u64, stream: usize) -> Head {
        let chunk = Chunk { element: 1, bytes: bytes as usize };
        let head = self.codec.and_then(|codec| codec.filter?.head);
        // A filter without a header writes the stream as it is.
        head.map_or(([0; 16], 0), |head| head(chunk, stream))
    }

    /// How the codec is set.
    ///
    /// # Errors
    /// For a compressor of Blosc that can only be named.
    pub(super) fn settings(&self, p: &Hdf5FilesParams) -> Result<Settings, Refusal> {
        self.codec.map_or(Ok(Settings::USUAL), |codec| settings(codec, p))
    }
}

/// Compresses frames and gathers those with gaps.
#[derive(Default)]
pub(super) struct Packer {
    codecs: Codecs,
    gathered: Vec<u8>,
    stream: Vec<u8>,
}

impl Packer {
    /// The elements one after another.
    pub(super) fn elements<'a>(&'a mut self, array: &ArrayRef<'a>) -> &'a [u8] {
        array.packed(&mut self.gathered)
    }

    /// The bytes of a chunk of one frame: bytes that came compressed, or are compressed here.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn stream<'a>(
        &'a mut self,
        array: &ArrayRef<'a>,
        packing: &Packing,
        settings: Settings,
    ) -> Result<&'a [u8], WriteError> {
        // Frames that came compressed are written byte by byte, as they are.
        if packing.came.is_some() {
            return Ok(array.bytes());
        }
        let Some(codec) = packing.codec else { return Ok(self.elements(array)) };
        let pixels = array.packed(&mut self.gathered);
        let size = self.codecs.encode(codec, settings, array.layout(), pixels, &mut self.stream)?;
        Ok(&self.stream[..size])
    }

    /// The bytes of a chunk of one frame that is compressed here, in the memory of `out`.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn pack(
        &mut self,
        frame: &Frame,
        packing: &Packing,
        settings: Settings,
        out: Vec<u8>,
    ) -> Result<Vec<u8>, WriteError> {
        // The stream is made in the caller's memory, which it keeps from frame to frame.
        self.stream = out;
        let array = frame.array()?;
        let size = self.stream(&array, packing, settings)?.len();
        // The memory is given away with the chunk, so the caller returns some with the next call.
        let mut packed = std::mem::take(&mut self.stream);
        packed.truncate(size);
        Ok(packed)
    }

    /// Elements that are compressed here, or as they are in a file without compression.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn part<'a>(
        &'a mut self,
        dtype: DType,
        elements: &'a [u8],
        packing: &Packing,
        settings: Settings,
    ) -> Result<&'a [u8], WriteError> {
        // Parts are written one by one, so the codec sees a row of elements without a shape.
        let Some(codec) = packing.codec else { return Ok(elements) };
        let count = elements.len() / dtype.bytes();
        let layout = Layout::packed(dtype, ColorMode::Mono, &[count])?;
        let size = self.codecs.encode(codec, settings, &layout, elements, &mut self.stream)?;
        Ok(&self.stream[..size])
    }

    /// The bytes of a chunk of `frames` frames. Only the first ones are `collected`; the others are 0.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn chunk(
        &mut self,
        layout: &Layout,
        frames: usize,
        collected: &[u8],
        packing: &Packing,
        settings: Settings,
    ) -> Result<&[u8], WriteError> {
        // The caller collects only frames that are compressed here; the error stands for a mistake in it.
        let codec =
            packing.codec.ok_or_else(|| Mismatch::new("frames that are compressed here", "others"))?;
        let elements = layout.len() * frames;
        // Frames of one chunk are one array to the codec, because HDF5's filters see the chunk as a whole.
        let all = Layout::packed(layout.dtype(), ColorMode::Mono, &[elements])?;
        let bytes = elements * layout.dtype().bytes();
        // The last chunk of a file may be partly filled, while HDF5 wants chunks of full size.
        let pixels = match collected.len() == bytes {
            true => collected,
            false => {
                self.gathered.clear();
                self.gathered.extend_from_slice(collected);
                self.gathered.resize(bytes, 0);
                &self.gathered
            }
        };
        let size = self.codecs.encode(codec, settings, &all, pixels, &mut self.stream)?;
        Ok(&self.stream[..size])
    }
}

/// Whether frames can be compressed as the parameters say.
///
/// # Errors
/// [`NodeError`] of the parameter, for a compression that can only be named.
pub(super) fn check(p: &Hdf5FilesParams) -> Result<(), NodeError> {
    // The choices are checked when the node is set, not with the first frame of a scan.
    chosen(p.compression).map_err(|why| NodeError::new(why).of_param("compression"))?;
    let known = p.blosc_compressor.known().map(drop);
    let known = known.map_err(|why| NodeError::new(why).of_param("blosc_compressor"));
    // The compressor inside Blosc matters only if Blosc is chosen.
    if p.compression == Hdf5Compression::Blosc { known } else { Ok(()) }
}

fn known(codec: Codec) -> Result<&'static CodecType, Mismatch> {
    match Compressor::named(codec.0) {
        // A codec without a filter of HDF5 would make a file that only this program reads.
        Some(Compressor::Lossless(codec)) if codec.filter.is_some() => Ok(codec),
        _ => {
            let known = ALL.iter().filter(|codec| codec.filter.is_some()).filter_map(|codec| codec.in_frames);
            let known: Vec<&str> = known.map(|known| known.name).collect();
            Err(Mismatch::new(format!("frames in one of {}", known.join(", ")), codec.0))
        }
    }
}

/// The codec of areaDetector's choice of a filter.
fn chosen(compression: Hdf5Compression) -> Result<Option<&'static CodecType>, Mismatch> {
    let choice = Hdf5Compression::CHOICES[compression.index()].pv;
    let is_it = |codec: &&CodecType| codec.filter.is_some_and(|filter| filter.choice == Some(choice));
    match ALL.iter().find(is_it) {
        // `None` is no codec of the list, so the search finds nothing for it.
        _ if compression == Hdf5Compression::None => Ok(None),
        Some(codec) => Ok(Some(codec)),
        None => Err(Mismatch::new("None, zlib, Blosc, BSLZ4 or LZ4 in `compression`", choice)),
    }
}

fn filter(codec: &CodecType, layout: &Layout, p: &Hdf5FilesParams) -> Result<Option<Filter>, Refusal> {
    let element = layout.dtype().bytes();
    let chunk = Chunk { element, bytes: layout.len() * element };
    Ok(Filter::of(codec, chunk, &settings(codec, p)?))
}

/// A codec without a parameter here works at its usual level.
fn settings(codec: &CodecType, p: &Hdf5FilesParams) -> Result<Settings, Refusal> {
    let level = match codec.name {
        "zlib" => Some(p.zlib_level as i32),
        "blosc" => Some(p.blosc_level as i32),
        _ => None,
    };
    // The choices of Blosc go to every codec; the others ignore them.
    let (blosc_compressor, blosc_shuffle) = (p.blosc_compressor.known()?, p.blosc_shuffle.known());
    Ok(Settings { level, blosc_compressor, blosc_shuffle, ..Settings::USUAL })
}
