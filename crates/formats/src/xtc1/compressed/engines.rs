//! From compressed payloads to plain ones, and back.

use std::collections::HashMap;
use std::sync::Arc;

use livetime_codecs::{
    Array, Blockpack, BlockpackHeader, BlockpackTier, Codec, CodecError, DType, Hist16, HistN, Reference,
};

use super::{Engine, Part, parts};
use crate::xtc1::panel::Panel;
use crate::xtc1::{Configs, reference};
use crate::{Error, Result};

/// The default limit of plain payloads.
const LIMIT: u64 = 128 << 20;
/// Reference frames that are kept, in bytes; beyond, they are looked for again.
const MOST_REFERENCES: usize = 256 << 20;

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
    /// A part that is compared.
    scratch: Vec<u8>,
    limit: u64,
}

impl Default for Decompressor {
    fn default() -> Decompressor {
        Decompressor {
            hist16: Hist16::new(),
            histn: HistN::new(),
            blockpack: Blockpack::new(),
            references: HashMap::new(),
            scratch: Vec::new(),
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
    /// [`Decompressor::decode_with`] finds the reference frames that a file holds itself.
    pub fn add_reference(&mut self, frame: Arc<[u8]>) {
        let held: usize = self.references.values().map(|f| f.len()).sum();
        // All are dropped together: the frames that are still in use are found again in the configurations.
        if held.saturating_add(frame.len()) > MOST_REFERENCES {
            self.references.clear();
        }
        self.references.insert(Reference::by_content(&frame).id(), frame);
    }

    /// Appends to `out` the original payload of a compressed leaf.
    ///
    /// # Errors
    /// If the payload is broken, too large, or compressed in a way that is not known here. `out` is as it was then, and the
    /// leaf must be carried on as it is.
    pub fn decode(&mut self, payload: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.decode_with(payload, &Configs::default(), out)
    }

    /// As [`Decompressor::decode`], with the reference frames that are among `configs`, which were in force when the event was
    /// taken.
    ///
    /// # Errors
    /// As [`Decompressor::decode`].
    pub fn decode_with(&mut self, payload: &[u8], configs: &Configs, out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        let decoded = self.decode_at(payload, configs, out, start);
        // The caller's bytes stay as they were.
        if decoded.is_err() {
            out.truncate(start);
        }
        decoded.map(|_| ())
    }

    /// Whether the payload of a compressed leaf was `plain`, also if it cannot be decoded. Takes no more memory than
    /// its largest part, so that the compared bytes are still in the cache.
    pub fn is_packed_from(&mut self, payload: &[u8], configs: &Configs, plain: &[u8]) -> bool {
        let (mut rest, mut scratch) = (plain, std::mem::take(&mut self.scratch));
        let is_same = parts(payload).all(|part| {
            let Ok(part) = part else { return false };
            // Parts that claim more than is there are no packing of it.
            let Some((begin, behind)) = rest.split_at_checked(part.plain_len() as usize) else {
                return false;
            };
            rest = behind;
            let (header, data) = begin.split_at(part.header.len());
            // The memory only grows, so that parts of one size set it to zero once.
            if scratch.len() < data.len() {
                scratch.resize(data.len(), 0);
            }
            let decoded = self.decode_part(&part, configs, &mut scratch[..data.len()]);
            decoded.is_ok() && header == part.header && *data == scratch[..data.len()]
        });
        self.scratch = scratch;
        is_same && rest.is_empty()
    }

    /// As [`Decompressor::decode_with`], into memory that the caller has: `out` becomes longer if it must, and is never set to zero
    /// before it is written. Returns how many bytes from `start` on are the payload.
    ///
    /// # Errors
    /// As [`Decompressor::decode`]; the bytes behind `start` are undefined after an error.
    pub fn decode_at(
        &mut self,
        payload: &[u8],
        configs: &Configs,
        out: &mut Vec<u8>,
        start: usize,
    ) -> Result<usize> {
        let size = self.checked_len(payload)?;
        if out.len() < start + size {
            out.resize(start + size, 0);
        }
        let mut rest = &mut out[start..start + size];
        for part in parts(payload) {
            let part = part?;
            let (header, behind) = rest.split_at_mut(part.header.len());
            let (data, behind) = behind.split_at_mut(part.size as usize);
            header.copy_from_slice(part.header);
            self.decode_part(&part, configs, data)?;
            rest = behind;
        }
        Ok(size)
    }

    /// How many bytes the parts claim to have, if they may.
    fn checked_len(&self, payload: &[u8]) -> Result<usize> {
        let size = super::plain_len(payload)?;
        // The claim is checked before memory is taken.
        if size > self.limit {
            return Err(Error::new(
                format!("at most {} bytes", self.limit),
                format!("{size} by its own words"),
            ));
        }
        for part in parts(payload) {
            let part = part?;
            // Each part is checked, because one impossible size is enough to take too much memory.
            check_possible(&part)?;
        }
        Ok(size as usize)
    }

    /// Fills `out` with the data of a part, without its header. It must have the size that the part says.
    fn decode_part(&mut self, part: &Part<'_>, configs: &Configs, out: &mut [u8]) -> Result<()> {
        let (codec, dtype): (&mut dyn Codec, DType) = match part.engine {
            Engine::NONE => {
                // The sizes have been compared where the part was found.
                out.copy_from_slice(part.stream);
                return Ok(());
            }
            Engine::HIST16 => (&mut self.hist16, DType::U16),
            Engine::HISTN => (&mut self.histn, histn_dtype(part.stream)),
            Engine::BLOCKPACK => return self.decode_blockpack(part, configs, out),
            other => return Err(Error::new("engine none, hist16, histn or blockpack", other.to_string())),
        };
        codec.decode(part.stream, dtype, out).map_err(broken)
    }

    /// The stream itself states its type and shape, and the reference frame that it needs.
    fn decode_blockpack(&mut self, part: &Part<'_>, configs: &Configs, out: &mut [u8]) -> Result<()> {
        let header = BlockpackHeader::read(part.stream).map_err(broken)?;
        // A reference is searched only if the stream needs one that is not kept.
        if let Some(id) = header.reference().filter(|id| !self.references.contains_key(id))
            && let Some(frame) = reference::find(configs, id)
        {
            self.add_reference(frame.into());
        }
        let frame = header.reference().and_then(|id| Some((id, self.references.get(&id)?)));
        let reference = frame.map(|(id, frame)| Reference::new(id, frame));
        self.blockpack.decode_with(part.stream, header.dtype(), reference, out).map_err(broken)
    }
}

/// Memory is taken only for as many bytes as the stream can hold, as far as its length shows that.
fn check_possible(part: &Part<'_>) -> Result<()> {
    let (size, length) = (part.size as usize, part.stream.len());
    match part.engine {
        // A byte for every pixel.
        Engine::HIST16 if size > length.saturating_mul(2) => {
            Err(Error::new("bytes that Hist16 can hold", format!("{size} from a stream of {length}")))
        }
        Engine::BLOCKPACK => match BlockpackHeader::read(part.stream).map_err(broken)?.bytes() {
            bytes if bytes == size => Ok(()),
            bytes => Err(Error::new(format!("a stream of {size} bytes"), bytes.to_string())),
        },
        _ => Ok(()),
    }
}

/// The stream says how many bytes a pixel has.
fn histn_dtype(stream: &[u8]) -> DType {
    // Any other width is left to the decoder, which refuses it.
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
    /// Reference frames and their identities, by the number of the panel.
    references: HashMap<u32, (u64, Arc<[u8]>)>,
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
            }),
            other => Err(Error::new("engine none, hist16, histn or blockpack", other.to_string())),
        }
    }

    /// Writes streams of blockpack of a tier; to the other engines it means nothing.
    pub fn with_tier(self, tier: BlockpackTier) -> Compressor {
        Compressor { blockpack: self.blockpack.with_tier(tier), ..self }
    }

    /// Gives blockpack a reference frame for panel `number`: bytes as [`Panel::data`] has them, a dark frame for
    /// example. Where sizes differ it is not used. Readers of the data need it too ([`Decompressor::add_reference`]).
    pub fn set_reference(&mut self, number: u32, frame: Arc<[u8]>) {
        self.references.insert(number, (Reference::by_content(&frame).id(), frame));
    }

    /// Appends to `out` the compressed payload of a leaf, from its panels as [`crate::xtc1::data::panels`] finds them. A panel
    /// that the engine cannot take is kept as it is in its part.
    ///
    /// # Errors
    /// If a panel is larger than the format can say. `out` is as it was then.
    pub fn encode(&mut self, panels: &[Panel<'_>], out: &mut Vec<u8>) -> Result<()> {
        let references = std::mem::take(&mut self.references);
        let find = |number| references.get(&number).map(|(id, frame)| Reference::new(*id, frame));
        let encoded = self.encode_with(panels, find, out);
        // The references are put back also after an error.
        self.references = references;
        encoded
    }

    /// As [`Compressor::encode`], with the reference frames that `reference` knows by the numbers of panels.
    ///
    /// # Errors
    /// As [`Compressor::encode`].
    pub fn encode_with<'r>(
        &mut self,
        panels: &[Panel<'_>],
        reference: impl Fn(u32) -> Option<Reference<'r>>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let start = out.len();
        let mut encode = |panel: &Panel<'_>| self.encode_panel(panel, reference(panel.number), out, start);
        let encoded = panels.iter().try_for_each(&mut encode);
        // The caller's bytes stay as they were.
        if encoded.is_err() {
            out.truncate(start);
        }
        encoded
    }

    fn encode_panel(
        &mut self,
        panel: &Panel<'_>,
        reference: Option<Reference<'_>>,
        out: &mut Vec<u8>,
        start: usize,
    ) -> Result<()> {
        let size = u32::try_from(panel.data.len());
        let size = size.map_err(|_| Error::new("a panel below 4 GiB", panel.data.len().to_string()))?;
        // A part without a stream, behind which the codec writes it: it is not copied again.
        let part = Part { header: panel.header, engine: self.engine, size, stream: &[] };
        let begin = out.len();
        part.write_head(0, out)?;
        let at = out.len();
        match self.write_stream(panel, reference, out) {
            Some(length) => {
                let length = u32::try_from(length);
                let length = length.map_err(|_| Error::new("a stream below 4 GiB", "a longer one"))?;
                // The length is known only behind the stream, so it is set afterwards.
                out[at - 4..at].copy_from_slice(&length.to_le_bytes());
                super::pad(out, start);
                Ok(())
            }
            None => {
                // The panel is kept plain, so that no data are lost.
                out.truncate(begin);
                Part { engine: Engine::NONE, stream: panel.data, ..part }.write(out, start)
            }
        }
    }

    /// Appends the stream of a panel and returns its length; `None` if the engine cannot take it.
    fn write_stream(
        &mut self,
        panel: &Panel<'_>,
        reference: Option<Reference<'_>>,
        out: &mut Vec<u8>,
    ) -> Option<usize> {
        let codec: &mut dyn Codec = match self.engine {
            Engine::HIST16 => &mut self.hist16,
            Engine::HISTN => &mut self.histn,
            Engine::BLOCKPACK => &mut self.blockpack,
            _ => return None,
        };
        let (data, dtype) = (panel.data, panel.dtype);
        // The codecs take whole pixels of whole numbers only.
        if !is_packed(dtype) || !codec.supports(dtype) || data.is_empty() || data.len() % dtype.bytes() != 0 {
            return None;
        }
        let at = out.len();
        out.resize(at + codec.bound(data.len()), 0);
        let shape = [data.len() / dtype.bytes()];
        let array = Array::new(data, dtype, &shape).ok()?;
        // A reference of another size belongs to another detector.
        let reference = reference.filter(|r| r.data().len() == data.len());
        let length = match self.engine {
            Engine::BLOCKPACK => self.blockpack.encode_with(array, reference, &mut out[at..]),
            _ => codec.encode(array, &mut out[at..]),
        };
        let length = length.ok()?;
        out.truncate(at + length);
        Some(length)
    }
}

/// Whether pixels of a type are compressed.
fn is_packed(dtype: DType) -> bool {
    !dtype.is_float() && dtype.bytes() < 8
}
