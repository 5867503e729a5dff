//! The header in front of the data of one source in one record.

use super::{Bytes, SourceId};
use crate::{Error, Result};

/// Bits of [`FragmentHeader::error_bits`].
pub mod fragment_error {
    /// There are no data.
    pub const NOT_FOUND: u32 = 1;
    /// A part of the data is missing.
    pub const INCOMPLETE: u32 = 1 << 1;
    /// The window is none.
    pub const INVALID_WINDOW: u32 = 1 << 2;
}

/// Numbers of [`FragmentHeader::kind`].
pub mod fragment_type {
    /// WIB1 frames.
    pub const PROTO_WIB: u32 = 1;
    /// WIB2 frames.
    pub const WIB: u32 = 2;
    /// Trigger primitives.
    pub const TRIGGER_PRIMITIVE: u32 = 6;
    /// Trigger activities.
    pub const TRIGGER_ACTIVITY: u32 = 7;
    /// Trigger candidates.
    pub const TRIGGER_CANDIDATE: u32 = 8;
    /// WIBEth frames.
    pub const WIB_ETH: u32 = 12;
    /// Which data are missing: [`MissingFrom`](crate::trigger::MissingFrom)s. Our own, not one of the experiment's.
    pub const MISSING: u32 = 0x4C54_0001;
}

/// Header of a fragment, 72 bytes; whole frames follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FragmentHeader {
    /// Bytes of the fragment with this header.
    pub size: u64,
    /// Number of the trigger.
    pub trigger_number: u64,
    /// Time of the trigger.
    pub trigger_timestamp: u64,
    /// Window of the data, ticks of the clock: begin, end.
    pub window: [u64; 2],
    /// Run.
    pub run: u32,
    /// See [`fragment_error`].
    pub error_bits: u32,
    /// See [`fragment_type`].
    pub kind: u32,
    /// Part of a record that was cut into several.
    pub sequence: u16,
    /// 3 ProtoDUNE-HD, 10 and 11 vertical drift bottom and top.
    pub detector: u16,
    /// Where the data come from.
    pub source: SourceId,
}

impl FragmentHeader {
    /// Bytes of the header.
    pub const BYTES: usize = 72;
    const MARKER: u32 = 0x1111_2222;
    const VERSION: u32 = 5;

    /// The header at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 72 bytes, another marker or version, or a size below the size of the header.
    pub fn read(bytes: &[u8]) -> Result<FragmentHeader> {
        let b = Bytes::<{ Self::BYTES }>::read("a fragment's header", bytes)?;
        b.expect("marker", 0, Self::MARKER, b.u32(0))?;
        b.expect("version", 4, Self::VERSION, b.u32(4))?;
        if b.u64(8) < Self::BYTES as u64 {
            return Err(Error::new("a size of at least 72 bytes", b.u64(8).to_string()).at(8));
        }
        Ok(FragmentHeader {
            size: b.u64(8),
            trigger_number: b.u64(16),
            trigger_timestamp: b.u64(24),
            window: [b.u64(32), b.u64(40)],
            run: b.u32(48),
            error_bits: b.u32(52),
            kind: b.u32(56),
            sequence: b.u16(60),
            detector: b.u16(62),
            source: SourceId::read(&b, 64),
        })
    }

    /// As it lies in files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, Self::MARKER.to_le_bytes())
            .put(4, Self::VERSION.to_le_bytes())
            .put(8, self.size.to_le_bytes())
            .put(16, self.trigger_number.to_le_bytes())
            .put(24, self.trigger_timestamp.to_le_bytes())
            .put(32, self.window[0].to_le_bytes())
            .put(40, self.window[1].to_le_bytes())
            .put(48, self.run.to_le_bytes())
            .put(52, self.error_bits.to_le_bytes())
            .put(56, self.kind.to_le_bytes())
            .put(60, self.sequence.to_le_bytes())
            .put(62, self.detector.to_le_bytes())
            .put(64, self.source.bytes())
            .0
    }
}
