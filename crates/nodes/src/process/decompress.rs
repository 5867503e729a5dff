//! `decompress`: compressed arrays become arrays (areaDetector's NDPluginCodec).
//!
//! In: arrays with any codec that `compress` writes, compressed by any program; uncompressed arrays are sent
//! on unchanged. Out: arrays, packed. The layout gives the size of an array; a stream with another size is an
//! error.
//!
//! ```
//! use livetime_engine::testing::Harness;
//! use livetime_nodes::process::decompress::Decompress;
//!
//! let mut node = Harness::new::<Decompress>(&[])?;
//! let image = node.image::<u16>(&[1, 2], &[500, 600])?;
//! assert_eq!(node.feed(&image)?[0].array()?.elements::<u16>()?, [500, 600]);
//! # Ok::<(), livetime_engine::NodeError>(())
//! ```

use livetime_engine::{
    Acts, Context, Counterpart, Node, NodeError, NodeKind, NodeSpec, Params, PortSpec, Record, Stream,
};
use livetime_frame::Frame;

use crate::codec::{CodecMode, CodecStatus, Codecs, Compressor, jpeg};
use crate::convert::packed_like;

/// Parameters of `decompress`.
#[derive(Params)]
pub struct DecompressParams {
    /// What the node does; areaDetector has one plugin for both.
    #[param(readback, default = CodecMode::Decompress, pv = "Mode", form = Fixed)]
    pub mode: CodecMode,
    /// Bytes of the last array by bytes of what it came as.
    #[param(readback, pv = "CompFactor")]
    pub comp_factor: f64,
    /// How the last frame fared.
    #[param(readback, pv = "CodecStatus", form = Plain)]
    pub codec_status: CodecStatus,
    /// What was wrong with the last frame; empty when nothing was.
    #[param(readback, pv = "CodecError", form = Plain)]
    pub codec_error: String,
    /// Frames that could not be decompressed; in a pool, while it runs, those of one copy of the node.
    #[param(readback, count)]
    pub failures: u64,
}

/// A setting of areaDetector's plugin that has an effect where it compresses alone.
const fn kept(pv: &'static str, choices: &'static [&'static str], first: i32) -> Record {
    Record::new(
        pv,
        Acts::Keeps(choices, first, "Kept as it is written; what an array came as says how it is restored."),
    )
}

/// Decompresses arrays.
pub struct Decompress {
    params: DecompressParams,
    codecs: Codecs,
}

impl Node for Decompress {
    type Params = DecompressParams;

    const SPEC: NodeSpec = NodeSpec {
        name: "decompress",
        kind: NodeKind::Process,
        summary: "Decompresses arrays.",
        inputs: &[PortSpec::array("in")],
        outputs: &[PortSpec::array("out")],
        parallel: true,
    };

    const COUNTERPART: Option<Counterpart> =
        Some(Counterpart::new("NDPluginCodec", "Codec").with_records(&[
            kept("Compressor", &["None", "JPEG", "Zlib", "Blosc", "LZ4", "LZ4HDF5", "BSLZ4"], 0),
            kept("JPEGQuality", &[], 85),
            kept("ZlibCLevel", &[], 1),
            kept("BloscCompressor", &["BloscLZ", "LZ4", "LZ4HC", "SNAPPY", "ZLIB", "ZSTD"], 0),
            kept("BloscCLevel", &[], 3),
            kept("BloscShuffle", &["None", "Byte", "Bit"], 0),
            kept("BloscNumThreads", &[], 1),
            kept("LZ4HDF5BlockSize", &[], 0),
        ]));

    fn new(params: DecompressParams) -> Result<Decompress, NodeError> {
        Ok(Decompress { params, codecs: Codecs::default() })
    }

    fn params(&mut self) -> &mut DecompressParams {
        &mut self.params
    }

    fn plan(&mut self, inputs: &[Stream]) -> Result<Vec<Stream>, NodeError> {
        Ok(match inputs.first().and_then(Stream::layout) {
            Some(layout) if layout.codec().is_some() => {
                vec![Stream::Array(packed_like(layout, layout.dtype())?)]
            }
            Some(layout) => vec![Stream::Array(*layout)],
            None => vec![Stream::Unknown],
        })
    }

    fn frame(&mut self, _input: usize, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let outcome = self.unpack(frame, ctx);
        let p = &mut self.params;
        match &outcome {
            Ok(()) => {
                p.codec_status = CodecStatus::Success;
                p.codec_error.clear();
            }
            Err(error) => {
                p.codec_status = CodecStatus::Error;
                p.codec_error = error.to_string();
                p.failures += 1;
            }
        }
        outcome
    }
}

impl Decompress {
    fn unpack(&mut self, frame: &Frame, ctx: &mut Context) -> Result<(), NodeError> {
        let array = frame.array()?;
        let Some(codec) = array.layout().codec() else {
            self.params.comp_factor = 1.0;
            return ctx.forward(0, frame);
        };
        let wanted =
            || NodeError::new(format_args!("wanted a codec that is known here, found `{}`", codec.0));
        let compressor = Compressor::named(codec.0).ok_or_else(wanted)?;
        let layout = packed_like(array.layout(), array.layout().dtype())?;
        let mut output = ctx.array(layout)?;
        let (stream, out) = (array.bytes(), output.bytes_mut());
        let decoded = match compressor {
            Compressor::Lossless(codec) => self.codecs.decode(codec, stream, &layout, out),
            Compressor::Jpeg => jpeg::decode(stream, &layout, out),
            Compressor::None => return Err(wanted()),
        };
        decoded.map_err(|why| NodeError::new(format_args!("{}: {why}", array.layout())))?;
        output.inherit(frame);
        self.params.comp_factor = layout.span() as f64 / array.bytes().len().max(1) as f64;
        ctx.emit(output)
    }
}

#[cfg(test)]
mod tests {
    use livetime_engine::testing::{Harness, assert_compliant};
    use livetime_frame::{Codec, ColorMode, DType, FramePool, Layout};

    use super::*;
    use crate::process::compress::Compress;

    fn stream(codec: &'static str, bytes: &[u8], shape: &[usize]) -> Frame {
        let layout = Layout::packed(DType::U16, ColorMode::Mono, shape).unwrap();
        let mut allocator = FramePool::new(1 << 20).allocator();
        let mut frame = allocator.compressed(layout, Codec(codec), bytes.len()).unwrap();
        frame.bytes_mut().copy_from_slice(bytes);
        frame.freeze()
    }

    #[test]
    fn broken_streams_are_named_and_counted() {
        let mut node = Harness::new::<Decompress>(&[]).unwrap();
        let lossless = livetime_codecs::ALL.iter().filter_map(|codec| Some(codec.in_frames?.name));
        let codecs: Vec<&str> = lossless.chain(["jpeg"]).collect();
        for codec in &codecs {
            let codec = *codec;
            let mut compress = Harness::new::<Compress>(&[("compressor", codec.into())]).unwrap();
            let image = compress.image(&[30, 20], &[700u16; 600]).unwrap();
            let packed = compress.feed(&image).unwrap().remove(0);
            let bytes = packed.bytes();
            for (bytes, shape) in [(&bytes[..bytes.len() / 2], [30, 20]), (&[], [30, 20]), (bytes, [31, 20])]
            {
                let error = node.feed(&stream(codec, bytes, &shape)).err();
                assert!(error.is_some_and(|e| e.to_string().contains(codec)), "{codec} {}", bytes.len());
            }
            assert_eq!(node.get("codec_status"), Some("error".into()));
        }
        assert!(node.feed(&stream("zfp", &[1], &[1])).unwrap_err().to_string().contains("found `zfp`"));
        assert_eq!(node.number_of("failures"), (3 * codecs.len() + 1) as f64);
        let plain = node.image(&[1], &[1u8]).unwrap();
        assert_eq!(node.feed(&plain).unwrap()[0].bytes(), [1]);
        assert_eq!(node.get("codec_error"), Some("".into()));
    }

    #[test]
    fn a_claim_costs_no_more_memory_than_there_is() {
        let mut node = Harness::new::<Decompress>(&[]).unwrap();
        let error = node.feed(&stream("lz4", &[0; 10], &[1 << 20, 1 << 20])).unwrap_err();
        assert!(error.to_string().starts_with("frame pool exhausted"), "{error}");
    }

    #[test]
    fn keeps_the_contract() {
        assert_compliant::<Decompress>(&[]);
    }
}
