//! Leaves whose data are compressed.
//!
//! Bit 31 of the type word marks them; sender, damage, type and version are the same as in the original leaf. The
//! payload is a list of parts, one for each piece of the detector that was compressed alone (a quadrant of a CSPad, a
//! link of a pnCCD): the first bytes unchanged, then the rest as a stream of some [`Engine`].

mod engines;

pub use engines::{Compressor, Decompressor};

use std::fmt;

use crate::fields::Fields;
use crate::{Error, Result};

/// How a part is compressed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Engine(pub u32);

impl Engine {
    /// Not at all.
    pub const NONE: Engine = Engine(0);
    /// Hist16 of pdsdata.
    pub const HIST16: Engine = Engine(1);
    /// HistN of pdsdata.
    pub const HISTN: Engine = Engine(2);
    /// Our own codec (`docs/formats/blockpack.md`). Unknown to the readers of the facility.
    pub const BLOCKPACK: Engine = Engine(0x4C56);
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Engine::NONE => f.write_str("none"),
            Engine::HIST16 => f.write_str("hist16"),
            Engine::HISTN => f.write_str("histn"),
            Engine::BLOCKPACK => f.write_str("blockpack"),
            Engine(other) => write!(f, "engine {other}"),
        }
    }
}

/// One part of a compressed leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Part<'a> {
    /// The first bytes of the part, as they were.
    pub header: &'a [u8],
    /// How the rest is compressed.
    pub engine: Engine,
    /// How many bytes the rest had. A claim, until it is decoded.
    pub size: u32,
    /// The rest as the engine made it.
    pub stream: &'a [u8],
}

impl Part<'_> {
    /// How many bytes the part had.
    pub fn plain_len(&self) -> u64 {
        self.header.len() as u64 + u64::from(self.size)
    }

    /// Appends it to a payload that begins at `start` of `out`.
    ///
    /// # Errors
    /// If its header or its stream is larger than the format can say.
    pub fn write(&self, out: &mut Vec<u8>, start: usize) -> Result<()> {
        self.write_head(length(self.stream)?, out)?;
        out.extend_from_slice(self.stream);
        pad(out, start);
        Ok(())
    }

    /// Appends the head of a stream of `stream` bytes.
    fn write_head(&self, stream: u32, out: &mut Vec<u8>) -> Result<()> {
        out.extend_from_slice(&length(self.header)?.to_le_bytes());
        out.extend_from_slice(self.header);
        let words = [self.engine.0, 0, self.size, stream];
        words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
        Ok(())
    }
}

/// Fills up with zeros to a multiple of 4 bytes of a payload that begins at `start`.
fn pad(out: &mut Vec<u8>, start: usize) {
    let padded = (out.len() - start).next_multiple_of(4);
    out.resize(start + padded, 0);
}

fn length(bytes: &[u8]) -> Result<u32> {
    u32::try_from(bytes.len()).map_err(|_| Error::new("a part below 4 GiB", bytes.len().to_string()))
}

/// The parts of the payload of a compressed leaf. After an error there are no more.
///
/// ```
/// use livetime_formats::xtc1::compressed::{Engine, Part, parts};
///
/// let part = Part { header: &[9; 16], engine: Engine::NONE, size: 3, stream: &[1, 2, 3] };
/// let mut payload = Vec::new();
/// part.write(&mut payload, 0)?;
/// assert_eq!(payload.len(), 40);
/// let read: Vec<Part> = parts(&payload).collect::<Result<_, _>>()?;
/// assert_eq!(read, [part]);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
pub fn parts(payload: &[u8]) -> impl Iterator<Item = Result<Part<'_>>> {
    let mut fields = Fields::new(payload);
    let mut is_over = false;
    std::iter::from_fn(move || {
        // The place of a part depends on the part before.
        if is_over || fields.left() == 0 {
            return None;
        }
        let part = next_part(&mut fields);
        is_over = part.is_err();
        Some(part)
    })
}

fn next_part<'a>(fields: &mut Fields<'a>) -> Result<Part<'a>> {
    let header_len = fields.u32()? as usize;
    let header = fields.take(header_len)?;
    let engine = Engine(fields.u32()?);
    let _reserved = fields.u32()?;
    let size = fields.u32()?;
    let stream_len = fields.u32()? as usize;
    let stream = fields.take(stream_len)?;
    // The two lengths say the same here, so a difference is damage.
    if engine == Engine::NONE && stream.len() != size as usize {
        return Err(Error::new(format!("{size} bytes that are not compressed"), stream.len().to_string()));
    }
    // The bytes that fill up to a multiple of 4 may be missing behind the last part.
    // The payload begins at a multiple of 4.
    let padding = fields.position().wrapping_neg() % 4;
    fields.take(padding.min(fields.left()))?;
    Ok(Part { header, engine, size, stream })
}

/// The length of the payload before compression, by the claims of its parts.
///
/// # Errors
/// If the parts do not have the format.
pub fn plain_len(payload: &[u8]) -> Result<u64> {
    parts(payload).try_fold(0, |sum, part| part.map(|p| sum + p.plain_len()))
}
