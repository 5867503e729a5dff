//! What becomes of the pixels of a frame in the file: as they are, compressed here, or as they came compressed.

use livetime_codecs::BloscSettings;
use livetime_engine::{NodeError, Refusal};
use livetime_formats::hdf5::Filter;
use livetime_frame::{ArrayRef, Codec, ColorMode, DType, Frame, Layout};

use super::super::nd_file::WriteError;
use super::params::{Hdf5Compression, Hdf5FilesParams};
use crate::codec::{BlockpackTier, Codecs, Compressor, Settings};
use crate::error::Mismatch;

/// Block of bitshuffle in streams without the head that HDF5's filter wants.
const BSLZ4_BLOCK: u32 = 8192;

/// How the frames of a file are packed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Packing {
    /// How frames come.
    came: Option<Codec>,
    /// How they are compressed in the file, there or here.
    compressor: Option<Compressor>,
    /// How the file names that.
    pub(super) filter: Option<Filter>,
}

impl Packing {
    /// For frames of a layout.
    ///
    /// # Errors
    /// For a codec that HDF5 has no filter for, or a compression that cannot be done here.
    pub(super) fn of(layout: &Layout, p: &Hdf5FilesParams) -> Result<Packing, Mismatch> {
        let compressor = match layout.codec() {
            Some(codec) => Some(known(codec)?),
            None => chosen(p.compression)?,
        };
        let filter = compressor.map(|compressor| filter(compressor, layout, p));
        Ok(Packing { came: layout.codec(), compressor, filter })
    }

    /// Whether frames that come with `codec` are packed this way.
    pub(super) fn is_for(&self, codec: Option<Codec>) -> bool {
        self.came == codec
    }

    /// Whether frames are compressed here.
    pub(super) fn is_here(&self) -> bool {
        self.came.is_none() && self.compressor.is_some()
    }

    /// What HDF5's filter wants before the `stream` bytes of a chunk of `bytes` bytes, and its length.
    pub(super) fn head(&self, bytes: u64, stream: usize) -> ([u8; 16], usize) {
        let mut head = [0; 16];
        head[..8].copy_from_slice(&bytes.to_be_bytes());
        match self.compressor {
            Some(Compressor::Bslz4) => {
                head[8..12].copy_from_slice(&BSLZ4_BLOCK.to_be_bytes());
                (head, 12)
            }
            Some(Compressor::Lz4) => {
                // One block for all.
                head[8..12].copy_from_slice(&(bytes as u32).to_be_bytes());
                head[12..].copy_from_slice(&(stream as u32).to_be_bytes());
                (head, 16)
            }
            _ => (head, 0),
        }
    }
}

/// Compresses frames and gathers those with gaps.
pub(super) struct Packer {
    codecs: Codecs,
    gathered: Vec<u8>,
    stream: Vec<u8>,
}

impl Default for Packer {
    fn default() -> Packer {
        Packer { codecs: Codecs::new(), gathered: Vec::new(), stream: Vec::new() }
    }
}

impl Packer {
    /// The elements one after another.
    pub(super) fn elements<'a>(&'a mut self, array: &ArrayRef<'a>) -> &'a [u8] {
        array.packed(&mut self.gathered)
    }

    /// The bytes of a chunk of one frame: what came compressed, or what is compressed here.
    ///
    /// # Errors
    /// For elements that the codec cannot take.
    pub(super) fn stream<'a>(
        &'a mut self,
        array: &ArrayRef<'a>,
        packing: &Packing,
        settings: Settings,
    ) -> Result<&'a [u8], WriteError> {
        if packing.came.is_some() {
            return Ok(array.bytes());
        }
        let Some(compressor) = packing.compressor else { return Ok(self.elements(array)) };
        let pixels = array.packed(&mut self.gathered);
        let size = self.codecs.encode(compressor, settings, array.layout(), pixels, &mut self.stream)?;
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
        self.stream = out;
        let array = frame.array()?;
        let size = self.stream(&array, packing, settings)?.len();
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
        let Some(compressor) = packing.compressor else { return Ok(elements) };
        let count = elements.len() / dtype.bytes();
        let layout = Layout::packed(dtype, ColorMode::Mono, &[count])?;
        let size = self.codecs.encode(compressor, settings, &layout, elements, &mut self.stream)?;
        Ok(&self.stream[..size])
    }

    /// The bytes of a chunk of `frames` frames of which the first ones are `collected`; 0 where there is none yet.
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
        let compressor =
            packing.compressor.ok_or_else(|| Mismatch::new("frames that are compressed here", "others"))?;
        let elements = layout.len() * frames;
        let all = Layout::packed(layout.dtype(), ColorMode::Mono, &[elements])?;
        let bytes = elements * layout.dtype().bytes();
        let pixels = match collected.len() == bytes {
            true => collected,
            false => {
                self.gathered.clear();
                self.gathered.extend_from_slice(collected);
                self.gathered.resize(bytes, 0);
                &self.gathered
            }
        };
        let size = self.codecs.encode(compressor, settings, &all, pixels, &mut self.stream)?;
        Ok(&self.stream[..size])
    }
}

/// Whether frames can be compressed as the parameters say.
///
/// # Errors
/// [`NodeError`] of the parameter, for a compression that can only be named.
pub(super) fn check(p: &Hdf5FilesParams) -> Result<(), NodeError> {
    chosen(p.compression).map_err(|why| NodeError::new(why).of_param("compression"))?;
    let known = p.blosc_compressor.known().map(drop);
    let known = known.map_err(|why| NodeError::new(why).of_param("blosc_compressor"));
    if p.compression == Hdf5Compression::Blosc { known } else { Ok(()) }
}

fn known(codec: Codec) -> Result<Compressor, Mismatch> {
    let compressor = Compressor::named(codec.0);
    let has_filter = |c: &Compressor| !matches!(c, Compressor::Blockpack | Compressor::Jpeg);
    let refused = || Mismatch::new("frames in bslz4, blosc, lz4, lz4hdf5, zlib or zstd", codec.0);
    compressor.filter(has_filter).ok_or_else(refused)
}

fn chosen(compression: Hdf5Compression) -> Result<Option<Compressor>, Mismatch> {
    let refused = |name| Err(Mismatch::new("None, zlib, Blosc, BSLZ4 or LZ4 in `compression`", name));
    match compression {
        Hdf5Compression::None => Ok(None),
        Hdf5Compression::Zlib => Ok(Some(Compressor::Zlib)),
        Hdf5Compression::Blosc => Ok(Some(Compressor::Blosc)),
        Hdf5Compression::Bslz4 => Ok(Some(Compressor::Bslz4)),
        Hdf5Compression::Lz4 => Ok(Some(Compressor::Lz4hdf5)),
        Hdf5Compression::NBit => refused("N-bit"),
        Hdf5Compression::Szip => refused("szip"),
        Hdf5Compression::Jpeg => refused("JPEG"),
    }
}

fn filter(compressor: Compressor, layout: &Layout, p: &Hdf5FilesParams) -> Filter {
    let bytes = layout.dtype().bytes();
    match compressor {
        Compressor::Bslz4 => Filter::bslz4(bytes),
        Compressor::Blosc => {
            let (shuffle, compressor) = (p.blosc_shuffle as u32, p.blosc_compressor as u32);
            Filter::blosc(bytes, layout.len() * bytes, p.blosc_level, shuffle, compressor)
        }
        Compressor::Zstd => Filter::zstd(1),
        Compressor::Zlib => Filter::zlib(p.zlib_level),
        _ => Filter::lz4(),
    }
}

/// How codecs are set.
///
/// # Errors
/// For a compressor of Blosc that can only be named.
pub(super) fn settings(p: &Hdf5FilesParams) -> Result<Settings, Refusal> {
    let compressor = p.blosc_compressor.known()?;
    Ok(Settings {
        tier: BlockpackTier::Fast.known(),
        jpeg_quality: 90,
        zstd_level: 1,
        zlib_level: p.zlib_level,
        blosc: BloscSettings { compressor, level: p.blosc_level, shuffle: p.blosc_shuffle.known() },
        lz4hdf5_block: 0,
    })
}
