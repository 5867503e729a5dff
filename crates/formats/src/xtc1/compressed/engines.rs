//! From compressed payloads to plain ones, and back.

use std::collections::HashMap;
use std::sync::Arc;

use livetime_codecs::{
    Array, Blockpack, BlockpackHeader, Codec, CodecError, DType, Hist16, HistN, Reference,
};

use super::{Engine, Part, parts};
use crate::xtc1::data::Panel;
use crate::{Error, Result};

/// The largest plain payload, unless told otherwise.
const LIMIT: u64 = 128 << 20;

/// Makes plain payloads of compressed ones. Keeps its working memory: one for each thread.
///
/// ```
/// use livetime_formats::xtc1::compressed::{Decompressor, Engine, Part};
///
/// let part = Part { header: &[9; 16], engine: Engine::NONE, size: 3, stream: &[1, 2, 3] };
/// let mut payload = Vec::new();
/// part.write(&mut payload, 0)?;
/// let mut plain = Vec::new();
/// Decompressor::default().decode(&payload, &mut plain)?;
/// assert_eq!(plain, [&[9; 16][..], &[1, 2, 3]].concat());
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Decompressor {
    hist16: Hist16,
    histn: HistN,
    blockpack: Blockpack,
    references: HashMap<u64, Arc<[u8]>>,
    limit: u64,
}

impl Default for Decompressor {
    fn default() -> Decompressor {
        Decompressor {
            hist16: Hist16::new(),
            histn: HistN::new(),
            blockpack: Blockpack::new(),
            references: HashMap::new(),
            limit: LIMIT,
        }
    }
}

impl Decompressor {
    /// Refuses payloads that claim to have more than `limit` bytes (128 MiB without this call): nothing else bounds how much
    /// a few bytes of HistN may stand for.
    pub fn with_limit(self, limit: u64) -> Decompressor {
        Decompressor { limit, ..self }
    }

    /// Keeps a reference frame for the streams of blockpack that need it; they know it by its content.
    pub fn add_reference(&mut self, frame: Arc<[u8]>) {
        self.references.insert(Reference::by_content(&frame).id(), frame);
    }

    /// Appends to `out` what the payload of a compressed leaf was.
    ///
    /// # Errors
    /// If the payload is broken, too large, or compressed in a way that is not known here. `out` is as it was then, and the
    /// leaf must be carried on as it is.
    pub fn decode(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let decoded = self.decode_parts(payload, out);
        if decoded.is_err() {
            out.truncate(start);
        }
        decoded
    }

    fn decode_parts(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let size = super::plain_len(payload)?;
        if size > self.limit {
            return Err(Error::new(
                format!("at most {} bytes", self.limit),
                format!("{size} by its own words"),
            ));
        }
        for part in parts(payload) {
            let part = part?;
            out.extend_from_slice(part.header);
            self.decode_part(&part, out)?;
        }
        Ok(())
    }

    fn decode_part(&mut self, part: &Part<'_>, out: &mut Vec<u8>) -> Result<()> {
        let size = part.size as usize;
        // Hist16 has a byte for every pixel, so that more than this is a lie, which need not be allocated first.
        let is_possible = part.engine != Engine::HIST16 || size <= part.stream.len().saturating_mul(2);
        let (codec, dtype): (&mut dyn Codec, DType) = match part.engine {
            Engine::NONE => {
                out.extend_from_slice(part.stream);
                return Ok(());
            }
            Engine::HIST16 if is_possible => (&mut self.hist16, DType::U16),
            Engine::HISTN => (&mut self.histn, histn_dtype(part.stream)),
            Engine::BLOCKPACK => return self.decode_blockpack(part, out),
            Engine::HIST16 => {
                let found = format!("{size} from a stream of {}", part.stream.len());
                return Err(Error::new("bytes that Hist16 can hold", found));
            }
            other => return Err(Error::new("engine none, hist16, histn or blockpack", other.to_string())),
        };
        let start = out.len();
        out.resize(start + size, 0);
        codec.decode(part.stream, dtype, &mut out[start..]).map_err(broken)
    }

    /// The stream says itself what it holds, and which reference frame it needs.
    fn decode_blockpack(&mut self, part: &Part<'_>, out: &mut Vec<u8>) -> Result<()> {
        let header = BlockpackHeader::read(part.stream).map_err(broken)?;
        let size = part.size as usize;
        if header.bytes() != size {
            return Err(Error::new(format!("a stream of {size} bytes"), header.bytes().to_string()));
        }
        let frame = header.reference().and_then(|id| Some((id, self.references.get(&id)?)));
        let reference = frame.map(|(id, frame)| Reference::new(id, frame));
        let start = out.len();
        out.resize(start + size, 0);
        let decoded = self.blockpack.decode_with(part.stream, header.dtype(), reference, &mut out[start..]);
        decoded.map_err(broken)
    }
}

/// The stream says how many bytes a pixel has.
fn histn_dtype(stream: &[u8]) -> DType {
    if stream.get(2) == Some(&1) { DType::U8 } else { DType::U16 }
}

fn broken(error: CodecError) -> Error {
    Error::new("a stream that can be decoded", error.to_string())
}

/// Compresses the panels of a leaf. Keeps its working memory: one for each thread.
///
/// ```
/// use livetime_formats::xtc1::compressed::{Compressor, Decompressor, Engine};
/// use livetime_formats::xtc1::{Configs, Src, TypeId, data::panels, id};
///
/// let mut payload = [100u32, 100, 12, 0].map(u32::to_le_bytes).concat();
/// payload.extend((0..10_000u16).flat_map(|i| (1000 + i % 90).to_le_bytes()));
/// let frame = panels(TypeId::new(id::FRAME, 1), Src::NONE, &payload, &Configs::default())?;
/// let (mut packed, mut back) = (Vec::new(), Vec::new());
/// Compressor::new(Engine::HIST16)?.encode(&frame, &mut packed)?;
/// Decompressor::default().decode(&packed, &mut back)?;
/// assert!(packed.len() < payload.len() * 6 / 10 && back == payload);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Compressor {
    engine: Engine,
    hist16: Hist16,
    histn: HistN,
    blockpack: Blockpack,
    /// Reference frames by the number of the panel.
    references: HashMap<u32, Arc<[u8]>>,
    stream: Vec<u8>,
}

impl Compressor {
    /// Compresses with `engine`.
    ///
    /// # Errors
    /// If that is not known here.
    pub fn new(engine: Engine) -> Result<Compressor> {
        match engine {
            Engine::NONE | Engine::HIST16 | Engine::HISTN | Engine::BLOCKPACK => Ok(Compressor {
                engine,
                hist16: Hist16::new(),
                histn: HistN::new(),
                blockpack: Blockpack::new(),
                references: HashMap::new(),
                stream: Vec::new(),
            }),
            other => Err(Error::new("engine none, hist16, histn or blockpack", other.to_string())),
        }
    }

    /// Gives blockpack a reference frame for panel `number`: bytes as [`Panel::data`] has them, a dark frame for example. Where
    /// sizes differ it is not used. Who reads the data needs it too ([`Decompressor::add_reference`]).
    pub fn set_reference(&mut self, number: u32, frame: Arc<[u8]>) {
        self.references.insert(number, frame);
    }

    /// Appends to `out` the compressed payload of a leaf, from its panels as [`crate::xtc1::data::panels`] finds them. A panel
    /// that the engine cannot take is kept as it is in its part.
    ///
    /// # Errors
    /// If a panel is larger than the format can say. `out` is as it was then.
    pub fn encode(&mut self, panels: &[Panel<'_>], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let encoded = panels.iter().try_for_each(|panel| self.encode_panel(panel, out, start));
        if encoded.is_err() {
            out.truncate(start);
        }
        encoded
    }

    fn encode_panel(&mut self, panel: &Panel<'_>, out: &mut Vec<u8>, start: usize) -> Result<()> {
        let size = u32::try_from(panel.data.len());
        let size = size.map_err(|_| Error::new("a panel below 4 GiB", panel.data.len().to_string()))?;
        let whole = Part { header: panel.header, engine: Engine::NONE, size, stream: panel.data };
        let part = match self.stream_of(panel) {
            Some(length) => Part { engine: self.engine, stream: &self.stream[..length], ..whole },
            None => whole,
        };
        part.write(out, start)
    }

    /// Compresses into `self.stream`; `None` if the engine cannot take it.
    fn stream_of(&mut self, panel: &Panel<'_>) -> Option<usize> {
        let codec: &mut dyn Codec = match self.engine {
            Engine::HIST16 => &mut self.hist16,
            Engine::HISTN => &mut self.histn,
            Engine::BLOCKPACK => &mut self.blockpack,
            _ => return None,
        };
        let (data, dtype) = (panel.data, codec_dtype(panel.dtype)?);
        if !codec.supports(dtype) || data.is_empty() || data.len() % dtype.bytes() != 0 {
            return None;
        }
        let bound = codec.bound(data.len());
        if self.stream.len() < bound {
            self.stream.resize(bound, 0);
        }
        let shape = [data.len() / dtype.bytes()];
        let array = Array::new(data, dtype, &shape).ok()?;
        if self.engine != Engine::BLOCKPACK {
            return codec.encode(array, &mut self.stream).ok();
        }
        let frame = self.references.get(&panel.number).filter(|frame| frame.len() == data.len());
        let reference = frame.map(|frame| Reference::by_content(frame));
        self.blockpack.encode_with(array, reference, &mut self.stream).ok()
    }
}

/// What pixels may be, in the words of the codecs.
fn codec_dtype(dtype: livetime_frame::DType) -> Option<DType> {
    match dtype {
        livetime_frame::DType::U8 => Some(DType::U8),
        livetime_frame::DType::U16 => Some(DType::U16),
        livetime_frame::DType::U32 => Some(DType::U32),
        livetime_frame::DType::I8 => Some(DType::I8),
        livetime_frame::DType::I16 => Some(DType::I16),
        livetime_frame::DType::I32 => Some(DType::I32),
        _ => None,
    }
}
