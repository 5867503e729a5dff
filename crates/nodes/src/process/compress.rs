//! `compress`: arrays become compressed arrays (areaDetector's NDPluginCodec).
//!
//! In: arrays of any dtype and strides. Out: the same array with a codec, as `pva_image` shows it to clients that can
//! decompress; `decompress` restores it. All codecs but `jpeg` are lossless. The choices are areaDetector's, then ours,
//! of the list [`livetime_codecs::ALL`]; their summaries state the purpose of each.
//!
//! An array that the codec does not accept, that is compressed already, or that would not become smaller, is sent on
//! unchanged and counted (`unchanged`); `codec_error` has the reason.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::{compress::Compress, decompress::Decompress};
//!
//! let mut node = Harness::new::<Compress>(&[("compressor", "bslz4".into())])?;
//! let image = node.image::<u16>(&[64, 64], &[500; 64 * 64])?;
//! let packed = node.feed(&image)?;
//! assert_eq!(packed[0].array()?.layout().to_string(), "64x64 u16 mono bslz4");
//! assert!(packed[0].bytes().len() < 200);
//! let back = Harness::new::<Decompress>(&[])?.feed(&packed[0])?;
//! assert_eq!(back[0].array()?.elements::<u16>()?, [500; 64 * 64]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_codecs::{CodecType, Settings};
use livetime_engine::{
    Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Refusal, Stream,
};
use livetime_frame::{ArrayRef, Frame};

use crate::codec::{
    BlockpackTier, BloscCompressor, BloscShuffle, CodecMode, CodecStatus, Codecs, Compressor, PackError, jpeg,
};
use crate::convert::packed_like;
use crate::error::Mismatch;
use crate::packed::packed;

/// Parameters of `compress`.
#[derive(Params)]
pub struct CompressParams {
    /// What the node does; areaDetector has one plugin for both.
    #[param(readback, pv = "Mode", form = Fixed)]
    pub mode: CodecMode,
    /// How arrays are compressed.
    #[param(pv = "Compressor")]
    pub compressor: Compressor,
    /// How dense `blockpack` packs.
    pub blockpack_tier: BlockpackTier,
    /// Quality of `jpeg`: more is larger and closer to the picture.
    #[param(default = 85, min = 1, max = 100, pv = "JPEGQuality")]
    pub jpeg_quality: u32,
    /// Level of `zstd`: more is denser and slower.
    #[param(default = 1, min = -7, max = 22)]
    pub zstd_level: i32,
    /// Level of `zlib`: 0 only copies, more is denser and slower. On detector noise 1 is as dense as 6, areaDetector's default, and
    /// three times as fast.
    #[param(default = 1, max = 9, pv = "ZlibCLevel")]
    pub zlib_level: u32,
    /// What compresses in `blosc`: blosclz, lz4, zlib or zstd; the others can only be named.
    #[param(pv = "BloscCompressor")]
    pub blosc_compressor: BloscCompressor,
    /// Level of `blosc`: 0 only copies, more is denser and slower with zlib and zstd.
    #[param(default = 3, max = 9, pv = "BloscCLevel")]
    pub blosc_level: u32,
    /// How `blosc` sorts an array before it compresses it.
    #[param(pv = "BloscShuffle")]
    pub blosc_shuffle: BloscShuffle,
    /// Kept for clients: one thread compresses a frame. In a pool of nodes several frames are compressed at once.
    #[param(default = 1, min = 1, pv = "BloscNumThreads")]
    pub blosc_num_threads: u32,
    /// Most bytes of a block of `lz4hdf5`; 0 is 1 GiB.
    #[param(max = 1_073_741_824, unit = "B", pv = "LZ4HDF5BlockSize")]
    pub lz4hdf5_block: u32,
    /// Bytes of the last array by bytes of what it became.
    #[param(readback, pv = "CompFactor")]
    pub comp_factor: f64,
    /// How the last frame fared.
    #[param(readback, pv = "CodecStatus", form = Plain)]
    pub codec_status: CodecStatus,
    /// Why the last frame was not compressed; empty when it was.
    #[param(readback, pv = "CodecError", form = Plain)]
    pub codec_error: String,
    /// Frames that were sent on as they came; in a pool, while it runs, those of one copy of the node.
    #[param(readback, count)]
    pub unchanged: u64,
}

/// Compresses arrays.
pub struct Compress {
    params: CompressParams,
    /// The last one that can be written.
    blosc_compressor: BloscCompressor,
    codecs: Codecs,
    /// The elements of an array with gaps.
    gathered: Vec<u8>,
    /// The compressed bytes. The array is compressed into this buffer first, so that its length is known and only this
    /// much memory is taken from the pool.
    stream: Vec<u8>,
}

impl Node for Compress {
    type Params = CompressParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "compress",
        kind: NodeKind::Process,
        summary: "Compresses arrays.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> = Some(Counterpart::new("NDPluginCodec", "Codec"));

    fn new(params: CompressParams) -> Result<Compress, NodeError> {
        let blosc_compressor = params.blosc_compressor;
        writable(blosc_compressor)?;
        let (gathered, stream) = (Vec::new(), Vec::new());
        Ok(Compress { params, blosc_compressor, codecs: Codecs::default(), gathered, stream })
    }

    fn params(&mut self) -> &mut CompressParams {
        &mut self.params
    }

    fn changed(&mut self, _index: usize, _ctx: &mut Context) -> Result<(), NodeError> {
        let known = writable(self.params.blosc_compressor);
        match known {
            Ok(()) => self.blosc_compressor = self.params.blosc_compressor,
            // The refused choice goes back, so that the readback shows the acting one.
            Err(_) => self.params.blosc_compressor = self.blosc_compressor,
        }
        known
    }

    fn plan(&mut self, _inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        // An array that would not become smaller stays uncompressed.
        Ok(vec![Stream::Unknown])
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        if self.params.compressor == Compressor::None {
            self.params.comp_factor = 1.0;
            self.params.codec_status = CodecStatus::Success;
            self.params.codec_error.clear();
            return ctx.forward(0, frame);
        }
        match self.pack(&array) {
            Ok(size) => {
                // The output is packed, whatever strides the input had.
                let layout = packed_like(array.layout(), array.layout().dtype())?;
                let mut output = ctx.compressed(layout, self.params.compressor.codec(), size)?;
                output.bytes_mut().copy_from_slice(&self.stream[..size]);
                output.inherit(frame);
                self.params.comp_factor = layout.span() as f64 / size as f64;
                self.params.codec_status = CodecStatus::Success;
                self.params.codec_error.clear();
                ctx.emit(output)
            }
            // A warning, because the array is passed on and nothing is lost.
            Err(why) => {
                self.params.comp_factor = 1.0;
                self.params.codec_status = CodecStatus::Warning;
                self.params.codec_error = why.to_string();
                self.params.unchanged += 1;
                ctx.forward(0, frame)
            }
        }
    }
}

impl Compress {
    /// Compresses into `self.stream` and gives the number of bytes, or why the array stays as it is.
    fn pack(&mut self, array: &ArrayRef<'_>) -> Result<usize, PackError> {
        let (layout, p) = (array.layout(), &self.params);
        if layout.codec().is_some() || layout.is_empty() {
            return Err(Mismatch::new("an uncompressed array with elements", layout.to_string()).into());
        }
        let (pixels, stream) = (packed(array, &mut self.gathered), &mut self.stream);
        let size = match p.compressor {
            Compressor::None => pixels.len(),
            Compressor::Jpeg => {
                stream.clear();
                jpeg::encode(layout, pixels, p.jpeg_quality.min(100) as u8, stream).map(|()| stream.len())?
            }
            Compressor::Lossless(codec) => {
                self.codecs.encode(codec, settings(codec, p)?, layout, pixels, stream)?
            }
        };
        // Checked for all codecs: a stream as large as the array would only cost time to undo.
        if size >= pixels.len() {
            let (wanted, codec) = (format!("fewer than {} bytes", pixels.len()), p.compressor.codec().0);
            return Err(Mismatch::new(wanted, format!("{size} with {codec}")).into());
        }
        Ok(size)
    }
}

/// Fails for a compressor that is only named.
fn writable(compressor: BloscCompressor) -> Result<(), NodeError> {
    let known = compressor.known().map(|_| ());
    known.map_err(|refusal| refusal.of("blosc_compressor").into())
}

/// A codec without a parameter here works at its usual level.
fn settings(codec: &CodecType, p: &CompressParams) -> Result<Settings, Refusal> {
    let level = match codec.name {
        "zstd" => Some(p.zstd_level),
        "zlib" => Some(p.zlib_level as i32),
        "blosc" => Some(p.blosc_level as i32),
        _ => None,
    };
    Ok(Settings {
        level,
        blockpack_tier: p.blockpack_tier.known(),
        blosc_compressor: p.blosc_compressor.known()?,
        blosc_shuffle: p.blosc_shuffle.known(),
        block: p.lz4hdf5_block as usize,
    })
}

#[cfg(test)]
mod tests {
    use livetime_engine::ParamEnum;
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::{ColorMode, DType, Layout, with_dtype};

    use super::*;
    use crate::process::decompress::Decompress;

    /// The codecs that frames carry.
    fn in_frames() -> impl Iterator<Item = (&'static CodecType, &'static str)> {
        livetime_codecs::ALL.iter().filter_map(|codec| Some((codec, codec.in_frames?.name)))
    }

    /// Clients write and read the number of a choice.
    #[test]
    fn choices_have_the_numbers_that_clients_know() {
        let names: Vec<&str> = Compressor::CHOICES.iter().map(|choice| choice.name).collect();
        let known = ["none", "jpeg", "zlib", "blosc", "lz4", "lz4hdf5", "bslz4", "blockpack", "zstd"];
        assert_eq!(names[..known.len()], known);
        for (index, choice) in Compressor::CHOICES.iter().enumerate() {
            let compressor = Compressor::from_index(index).unwrap();
            assert_eq!((compressor.index(), compressor.codec().0), (index, choice.name));
        }
        assert_eq!(Compressor::from_index(names.len()), None);
        assert_eq!(Compressor::default().codec().0, "blockpack");
    }

    #[test]
    fn what_is_compressed_comes_back() {
        for (codec, name) in in_frames() {
            let codec = codec.make(&Settings::USUAL).unwrap();
            let mut compress = Harness::new::<Compress>(&[("compressor", name.into())]).unwrap();
            let mut decompress = Harness::new::<Decompress>(&[]).unwrap();
            for dtype in DType::ALL {
                for color in [ColorMode::Mono, ColorMode::Rgb1, ColorMode::Rgb3] {
                    let layout = Layout::packed(dtype, color, &color.shape(61, 37)).unwrap();
                    let layout = layout.with_origin([(3, 2, true), (5, 1, false)]);
                    let frame = with_dtype!(dtype, T => {
                        let elements: Vec<T> = (0..layout.len()).map(|i| (i / 23 % 7) as T).collect();
                        compress.array(layout, &elements).unwrap()
                    });
                    let packed = compress.feed(&frame).unwrap().remove(0);
                    let is_packed = packed.array().unwrap().layout().codec().is_some();
                    assert_eq!(is_packed, codec.supports(dtype), "{name} {dtype}");
                    assert!(!is_packed || packed.bytes().len() < frame.bytes().len());
                    let back = decompress.feed(&packed).unwrap().remove(0);
                    assert_eq!(back.bytes(), frame.bytes(), "{name} {layout}");
                    assert_eq!(back.array().unwrap().layout(), frame.array().unwrap().layout());
                    assert_eq!(back.header().sequence, frame.header().sequence);
                }
            }
        }
    }

    #[test]
    fn a_region_is_compressed_from_where_it_lies() {
        let mut compress = Harness::new::<Compress>(&[]).unwrap();
        let elements: Vec<u16> = (0..64 * 48).map(|i| 1000 + (i % 48) as u16).collect();
        let whole = compress.image(&[64, 48], &elements).unwrap();
        let (rows, y) = whole.array().unwrap().layout().crop(0, 10, 30).unwrap();
        let (part, x) = rows.crop(1, 5, 40).unwrap();
        let view = compress.view(&whole, part, y + x).unwrap();
        let packed = compress.feed(&view).unwrap().remove(0);
        let back = Harness::new::<Decompress>(&[]).unwrap().feed(&packed).unwrap().remove(0);
        let array = back.array().unwrap();
        let wanted: Vec<u16> =
            view.array().unwrap().rows::<u16>().unwrap().flat_map(|row| row.to_vec()).collect();
        assert_eq!(array.elements::<u16>().unwrap(), wanted);
        assert_eq!((array.layout().dims()[0].offset, array.layout().dims()[1].offset), (10, 5));
    }

    #[test]
    fn the_dense_tier_is_smaller_and_comes_back() {
        let mut compress = Harness::new::<Compress>(&[]).unwrap();
        let noise = |i: u32| 1200 + (i.wrapping_mul(2_654_435_761) >> 12).count_ones() as u16 * 5;
        let image = compress.image(&[100, 200], &(0..20_000).map(noise).collect::<Vec<u16>>()).unwrap();
        let fast = compress.feed(&image).unwrap().remove(0);
        compress.set("blockpack_tier", "dense").unwrap();
        let dense = compress.feed(&image).unwrap().remove(0);
        assert!(dense.bytes().len() < fast.bytes().len());
        let mut decompress = Harness::new::<Decompress>(&[]).unwrap();
        for packed in [fast, dense] {
            assert_eq!(decompress.feed(&packed).unwrap()[0].bytes(), image.bytes());
        }
    }

    #[test]
    fn what_cannot_be_compressed_passes_and_is_counted() {
        let mut node = Harness::new::<Compress>(&[]).unwrap();
        let floats = node.image(&[2, 2], &[1.5f32; 4]).unwrap();
        let out = node.feed(&floats).unwrap();
        assert_eq!(out[0].array().unwrap().elements::<f32>().unwrap(), [1.5; 4]);
        assert_eq!(node.get("codec_error"), Some("blockpack cannot compress f32".into()));
        let noise: Vec<u8> = (0..4096u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let noise = node.image(&[64, 64], &noise).unwrap();
        assert_eq!(node.feed(&noise).unwrap()[0].bytes(), noise.bytes());
        assert_eq!((node.get("codec_status"), node.number_of("unchanged")), (Some("warning".into()), 2.0));
        let flat = node.image(&[64, 64], &[7u8; 4096]).unwrap();
        let packed = node.feed(&flat).unwrap().remove(0);
        assert_eq!(
            (node.get("codec_status"), node.get("codec_error")),
            (Some("success".into()), Some("".into()))
        );
        assert_eq!(node.number_of("comp_factor"), 4096.0 / packed.bytes().len() as f64);
        // A second time it stays as it is.
        assert_eq!(node.feed(&packed).unwrap()[0].bytes(), packed.bytes());
        assert_eq!(node.number_of("unchanged"), 3.0);
    }

    #[test]
    fn jpeg_is_close_to_the_picture() {
        let mut node = Harness::new::<Compress>(&[("compressor", "jpeg".into())]).unwrap();
        let mut decompress = Harness::new::<Decompress>(&[]).unwrap();
        for color in [ColorMode::Mono, ColorMode::Rgb1] {
            let layout = Layout::packed(DType::U8, color, &color.shape(80, 40)).unwrap();
            let ramp: Vec<u8> = (0..layout.len()).map(|i| (i * 200 / layout.len()) as u8).collect();
            let image = node.array(layout, &ramp).unwrap();
            let packed = node.feed(&image).unwrap().remove(0);
            assert!(packed.bytes().len() < ramp.len() / 2);
            let back = decompress.feed(&packed).unwrap().remove(0);
            assert!(back.bytes().iter().zip(&ramp).all(|(a, b)| a.abs_diff(*b) < 8));
        }
        let deep = node.image(&[2, 2], &[1u16; 4]).unwrap();
        assert_eq!(node.feed(&deep).unwrap()[0].bytes(), deep.bytes());
        assert!(node.get("codec_error").unwrap().to_string().contains("found 2x2 u16 mono"));
    }

    #[test]
    fn parameters_act_from_the_next_frame() {
        let mut node = Harness::new::<Compress>(&[]).unwrap();
        let image = node.image(&[100, 100], &[9u32; 10_000]).unwrap();
        for (_, name) in in_frames().chain(in_frames()) {
            node.set("compressor", name).unwrap();
            let packed = node.feed(&image).unwrap();
            assert_eq!(packed[0].array().unwrap().layout().codec().unwrap().0, name);
            node.set("zstd_level", 5).unwrap();
        }
    }

    #[test]
    fn blosc_is_written_as_its_parameters_say() {
        let mut node = Harness::new::<Compress>(&[("compressor", "blosc".into())]).unwrap();
        let mut decompress = Harness::new::<Decompress>(&[]).unwrap();
        let elements: Vec<u16> = (0..100 * 100).map(|i| 1000 + i % 37).collect();
        let image = node.image(&[100, 100], &elements).unwrap();
        for (compressor, number) in [("BloscLZ", 0), ("LZ4", 1), ("ZLIB", 3), ("zstd", 4)] {
            node.set("blosc_compressor", compressor).unwrap();
            for (shuffle, flag) in [("None", 0), ("Byte", 1), ("bit", 4)] {
                node.set("blosc_shuffle", shuffle).unwrap();
                let packed = node.feed(&image).unwrap().remove(0);
                let bytes = packed.bytes();
                assert_eq!(
                    (bytes[2] >> 5, bytes[2] & 7, bytes[3]),
                    (number, flag, 2),
                    "{compressor} {shuffle}"
                );
                assert_eq!(decompress.feed(&packed).unwrap()[0].bytes(), image.bytes());
            }
        }
        node.set("blosc_level", 0).unwrap();
        // A copy with a header is not smaller.
        assert_eq!(node.feed(&image).unwrap()[0].bytes(), image.bytes());
        assert_eq!(node.number_of("unchanged"), 1.0);
    }

    #[test]
    fn what_blosc_cannot_write_is_refused_and_nothing_changes() {
        let mut node = Harness::new::<Compress>(&[("blosc_compressor", "lz4".into())]).unwrap();
        for name in ["LZ4HC", "SNAPPY"] {
            let error = node.set("blosc_compressor", name).unwrap_err().to_string();
            assert!(error.contains("wanted blosclz, lz4, zlib or zstd"), "{error}");
            assert!(error.ends_with(&format!("found {}", name.to_lowercase())), "{error}");
            assert_eq!(node.get("blosc_compressor"), Some("lz4".into()));
        }
        assert!(Harness::new::<Compress>(&[("blosc_compressor", "snappy".into())]).is_err());
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Compress>(&[]);
        assert_compliant::<Compress>(&[("compressor", "blosc".into())]);
        assert_compliant::<Compress>(&[("compressor", "lz4".into())]);
        assert_compliant::<Compress>(&[("compressor", "jpeg".into())]);
    }
}
