//! The message that a picture or a table travels in (docs/spec/web-data.md): a header of 64 bytes, and the payload.

use livetime_frame::DType;

/// Its length: payloads behind it are aligned for every type of element.
pub(crate) const HEADER_BYTES: usize = 64;

/// The kind of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Kind {
    #[default]
    Picture = 1,
    Table = 2,
}

/// The region was cut to the array, or a table has more rows.
pub(crate) const CUT: u16 = 4;
/// The source has sent nothing for a while.
pub(crate) const HELD: u16 = 8;
/// Values are scaled to 0 to 255.
pub(crate) const SCALED: u16 = 16;

/// The header, field by field.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Header {
    pub(crate) kind: Kind,
    pub(crate) colours: u8,
    pub(crate) dtype: DType,
    pub(crate) reduce: u8,
    pub(crate) flags: u16,
    pub(crate) sequence: u64,
    pub(crate) event_time_ns: i64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) bin: (u16, u16),
    pub(crate) full_width: u32,
    pub(crate) full_height: u32,
    pub(crate) left_out: u32,
    pub(crate) age_us: u32,
    pub(crate) payload_bytes: u32,
}

impl Header {
    /// Its bytes.
    pub(crate) fn encode(&self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        let mut put = |at: usize, field: &[u8]| bytes[at..at + field.len()].copy_from_slice(field);
        put(0, &[1, self.kind as u8, self.colours, self.dtype as u8, 0, self.reduce]);
        put(6, &self.flags.to_le_bytes());
        put(8, &self.sequence.to_le_bytes());
        put(16, &self.event_time_ns.to_le_bytes());
        let words = [self.width, self.height, self.x, self.y];
        words.iter().zip([24, 28, 32, 36]).for_each(|(word, at)| put(at, &word.to_le_bytes()));
        put(40, &self.bin.0.to_le_bytes());
        put(42, &self.bin.1.to_le_bytes());
        let words = [self.full_width, self.full_height, self.left_out, self.age_us, self.payload_bytes];
        words.iter().zip([44, 48, 52, 56, 60]).for_each(|(word, at)| put(at, &word.to_le_bytes()));
        bytes
    }
}
