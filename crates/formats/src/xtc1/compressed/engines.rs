//! From compressed payloads to plain ones, and back.

use livetime_codecs::{Array, Codec, CodecError, DType, Hist16, HistN};

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
    limit: u64,
}

impl Default for Decompressor {
    fn default() -> Decompressor {
        Decompressor { hist16: Hist16::new(), histn: HistN::new(), limit: LIMIT }
    }
}

impl Decompressor {
    /// Refuses payloads that claim to have more than `limit` bytes (128 MiB without this call): nothing else bounds how much
    /// a few bytes of HistN may stand for.
    pub fn with_limit(self, limit: u64) -> Decompressor {
        Decompressor { limit, ..self }
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
            Engine::HIST16 => {
                let found = format!("{size} from a stream of {}", part.stream.len());
                return Err(Error::new("bytes that Hist16 can hold", found));
            }
            other => return Err(Error::new("engine none, hist16 or histn", other.to_string())),
        };
        let start = out.len();
        out.resize(start + size, 0);
        codec.decode(part.stream, dtype, &mut out[start..]).map_err(broken)
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
    stream: Vec<u8>,
}

impl Compressor {
    /// Compresses with `engine`.
    ///
    /// # Errors
    /// If that is not known here.
    pub fn new(engine: Engine) -> Result<Compressor> {
        match engine {
            Engine::NONE | Engine::HIST16 | Engine::HISTN => {
                Ok(Compressor { engine, hist16: Hist16::new(), histn: HistN::new(), stream: Vec::new() })
            }
            other => Err(Error::new("engine none, hist16 or histn", other.to_string())),
        }
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
            _ => return None,
        };
        let dtype = match panel.dtype {
            livetime_frame::DType::U8 => DType::U8,
            livetime_frame::DType::U16 => DType::U16,
            _ => return None,
        };
        let data = panel.data;
        if !codec.supports(dtype) || data.is_empty() || data.len() % dtype.bytes() != 0 {
            return None;
        }
        let bound = codec.bound(data.len());
        if self.stream.len() < bound {
            self.stream.resize(bound, 0);
        }
        let shape = [data.len() / dtype.bytes()];
        let array = Array::new(data, dtype, &shape).ok()?;
        codec.encode(array, &mut self.stream).ok()
    }
}
