//! The header of a trigger record, and its requests.

use super::{Bytes, SourceId};
use crate::{Error, Result};

/// Header of a trigger record, 64 bytes; as many [`ComponentRequest`]s follow as were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TriggerRecordHeader {
    /// Number of the trigger.
    pub trigger_number: u64,
    /// Time of the trigger.
    pub trigger_timestamp: u64,
    /// Requests that follow.
    pub requested: u64,
    /// Run.
    pub run: u32,
    /// Bit 0 incomplete, bit 1 mismatch.
    pub error_bits: u32,
    /// One bit for each kind of trigger.
    pub trigger_type: u64,
    /// This part of the record, and the last one.
    pub sequence: [u16; 2],
    /// The source of the record.
    pub source: SourceId,
}

impl TriggerRecordHeader {
    /// Bytes of the header.
    pub const BYTES: usize = 64;
    const MARKER: u32 = 0x3333_4444;
    const VERSION: u32 = 4;

    /// The header at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 64 bytes, another marker or version.
    pub fn read(bytes: &[u8]) -> Result<TriggerRecordHeader> {
        let b = Bytes::<{ Self::BYTES }>::read("a trigger record's header", bytes)?;
        b.expect("marker", 0, Self::MARKER, b.u32(0))?;
        b.expect("version", 4, Self::VERSION, b.u32(4))?;
        Ok(TriggerRecordHeader {
            trigger_number: b.u64(8),
            trigger_timestamp: b.u64(16),
            requested: b.u64(24),
            run: b.u32(32),
            error_bits: b.u32(36),
            trigger_type: b.u64(40),
            sequence: [b.u16(48), b.u16(50)],
            source: SourceId::read(&b, 56),
        })
    }

    /// As it lies in files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, Self::MARKER.to_le_bytes())
            .put(4, Self::VERSION.to_le_bytes())
            .put(8, self.trigger_number.to_le_bytes())
            .put(16, self.trigger_timestamp.to_le_bytes())
            .put(24, self.requested.to_le_bytes())
            .put(32, self.run.to_le_bytes())
            .put(36, self.error_bits.to_le_bytes())
            .put(40, self.trigger_type.to_le_bytes())
            .put(48, self.sequence[0].to_le_bytes())
            .put(50, self.sequence[1].to_le_bytes())
            .put(52, [0xFF; 4])
            .put(56, self.source.bytes())
            .0
    }

    /// The requests that follow the header in `bytes`, which begin with the header.
    ///
    /// # Errors
    /// Fewer bytes than the header says, or a request that cannot be read.
    pub fn requests(&self, bytes: &[u8]) -> Result<Vec<ComponentRequest>> {
        let rest = bytes.get(Self::BYTES..).unwrap_or(&[]);
        let there = (rest.len() / ComponentRequest::BYTES) as u64;
        if there < self.requested {
            return Err(Error::new(format!("{} requests", self.requested), there.to_string()).at(24));
        }
        let requests = rest.chunks_exact(ComponentRequest::BYTES).take(self.requested as usize);
        requests.map(ComponentRequest::read).collect()
    }
}

/// The request for data of one source, 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComponentRequest {
    /// From whom.
    pub source: SourceId,
    /// Window, ticks of the clock: begin, end.
    pub window: [u64; 2],
}

impl ComponentRequest {
    /// Bytes of a request.
    pub const BYTES: usize = 32;
    const VERSION: u32 = 2;

    /// The request at the start of `bytes`.
    ///
    /// # Errors
    /// Fewer than 32 bytes, or another version.
    pub fn read(bytes: &[u8]) -> Result<ComponentRequest> {
        let b = Bytes::<{ Self::BYTES }>::read("a component request", bytes)?;
        b.expect("version", 0, Self::VERSION, b.u32(0))?;
        Ok(ComponentRequest { source: SourceId::read(&b, 8), window: [b.u64(16), b.u64(24)] })
    }

    /// As it lies in files.
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        Bytes::new()
            .put(0, Self::VERSION.to_le_bytes())
            .put(8, self.source.bytes())
            .put(16, self.window[0].to_le_bytes())
            .put(24, self.window[1].to_le_bytes())
            .0
    }
}
