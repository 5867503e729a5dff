//! One block.

use crate::{Error, Result};

/// Bytes of the header.
pub(super) const HEADER: usize = 4;
/// The unit of the size of a block.
pub(super) const UNIT: usize = 1024;

/// Size of the trailers in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trailer {
    /// Two bytes; subchunks of up to 1023 bytes.
    Bits16,
    /// Four bytes; subchunks of up to 65535 bytes.
    Bits32,
}

impl Trailer {
    /// Bytes of a trailer; subchunks are padded to a multiple of these.
    pub(super) fn bytes(self) -> usize {
        match self {
            Trailer::Bits16 => 2,
            Trailer::Bits32 => 4,
        }
    }

    /// The second word of a block's header.
    pub(super) fn magic(self) -> u16 {
        match self {
            Trailer::Bits16 => 0xABCD,
            Trailer::Bits32 => 0xABCE,
        }
    }

    /// Lowest bits of length, flags (CRC error, error, truncation) and type.
    pub(super) fn layout(self) -> (u32, u32, u32) {
        match self {
            Trailer::Bits16 => (10, 10, 13),
            Trailer::Bits32 => (16, 26, 29),
        }
    }
}

/// The kind of a subchunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubchunkKind {
    /// Fill, no data.
    Fill,
    /// The first part of a chunk.
    First,
    /// The last part of a chunk.
    Last,
    /// A whole chunk.
    Whole,
    /// A part between.
    Middle,
    /// The block was sent before it was full: the rest is empty.
    Timeout,
    /// Not in use.
    Reserved,
    /// Out of band.
    OutOfBand,
}

const KINDS: [SubchunkKind; 8] = [
    SubchunkKind::Fill,
    SubchunkKind::First,
    SubchunkKind::Last,
    SubchunkKind::Whole,
    SubchunkKind::Middle,
    SubchunkKind::Timeout,
    SubchunkKind::Reserved,
    SubchunkKind::OutOfBand,
];

/// A part of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Subchunk<'a> {
    /// Its kind.
    pub kind: SubchunkKind,
    /// Its data.
    pub data: &'a [u8],
    /// The CRC of the chunk was wrong.
    pub crc_error: bool,
    /// The chunk has an error.
    pub error: bool,
    /// The chunk has been cut off.
    pub truncated: bool,
    /// Back pressure, in trailers of 32 bits.
    pub busy: bool,
}

/// A block of an e-link.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    bytes: &'a [u8],
    trailer: Trailer,
}

impl<'a> Block<'a> {
    /// The block in `bytes`.
    ///
    /// # Errors
    /// Not a multiple of 1 KiB up to 64 KiB, or another magic number.
    pub fn parse(bytes: &'a [u8]) -> Result<Block<'a>> {
        // The size is checked once, so that the header and all trailers lie inside.
        if bytes.is_empty() || !bytes.len().is_multiple_of(UNIT) || bytes.len() > 64 * UNIT {
            return Err(Error::new("a block of 1 to 64 KiB", format!("{} bytes", bytes.len())));
        }
        let magic = u16::from_le_bytes([bytes[2], bytes[3]]);
        let trailer = [Trailer::Bits16, Trailer::Bits32].into_iter().find(|t| t.magic() == magic);
        let wrong = || Error::new("0xabcd or 0xabce", format!("{magic:#06x}")).at(2);
        Ok(Block { bytes, trailer: trailer.ok_or_else(wrong)? })
    }

    fn first_word(&self) -> u16 {
        u16::from_le_bytes([self.bytes[0], self.bytes[1]])
    }

    /// E-link, 0 to 2047.
    pub fn elink(&self) -> u16 {
        self.first_word() & 0x7FF
    }

    /// Steps by one from block to block of an e-link, modulo 32.
    pub fn sequence(&self) -> u8 {
        (self.first_word() >> 11) as u8
    }

    /// Size of the trailers.
    pub fn trailer(&self) -> Trailer {
        self.trailer
    }

    /// Calls `f` with each subchunk in the order of the data; fill is left out. `ends` is working memory.
    ///
    /// # Errors
    /// A length that does not fit; `f` has then not been called.
    pub fn subchunks(&self, ends: &mut Vec<u16>, mut f: impl FnMut(Subchunk<'a>)) -> Result<()> {
        // The walk goes backwards once to find the ends, at even bytes up to 65536: each trailer lies behind its data.
        ends.clear();
        let mut end = self.bytes.len();
        while end > HEADER {
            // Half of an even number below 2^17 fits into 16 bits.
            ends.push((end / 2) as u16);
            end = self.before(end)?;
        }
        for end in ends.iter().rev() {
            let subchunk = self.subchunk(2 * usize::from(*end))?;
            if subchunk.kind != SubchunkKind::Fill {
                f(subchunk);
            }
        }
        Ok(())
    }

    /// The trailer that ends at byte `end`.
    fn trailer_at(&self, end: usize) -> u32 {
        let bytes = &self.bytes[end - self.trailer.bytes()..end];
        bytes.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))
    }

    fn length(&self, end: usize) -> usize {
        let (bits, ..) = self.trailer.layout();
        (self.trailer_at(end) & ((1 << bits) - 1)) as usize
    }

    /// Where the subchunk that ends at byte `end` begins.
    fn before(&self, end: usize) -> Result<usize> {
        let unit = self.trailer.bytes();
        let length = self.length(end);
        let all = length.next_multiple_of(unit) + unit;
        let room = end - HEADER;
        // The length is the block's claim.
        if all > room {
            let wanted = format!("a subchunk of at most {} bytes", room.saturating_sub(unit));
            return Err(Error::new(wanted, length.to_string()).at((end - unit) as u64));
        }
        Ok(end - all)
    }

    fn subchunk(&self, end: usize) -> Result<Subchunk<'a>> {
        let begin = self.before(end)?;
        let (_, flags, kind) = self.trailer.layout();
        let trailer = self.trailer_at(end);
        let flag = |bit: u32| trailer >> bit & 1 == 1;
        Ok(Subchunk {
            kind: KINDS[(trailer >> kind & 7) as usize],
            data: &self.bytes[begin..begin + self.length(end)],
            crc_error: flag(flags),
            error: flag(flags + 1),
            truncated: flag(flags + 2),
            // Short trailers have no bit for it.
            busy: self.trailer == Trailer::Bits32 && flag(25),
        })
    }
}
