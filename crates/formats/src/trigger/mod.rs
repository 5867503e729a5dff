//! Data of a trigger system: primitives, activities, candidates, and the headers of records.
//!
//! The layouts are defined by DUNE-DAQ, little-endian. Reading and writing go through arrays of bytes of the exact
//! size, so records lie in files as the experiments' tools expect. [`RecordReader`] and [`RecordWriter`] read and write
//! such files.

mod activity;
mod file;
mod fragment;
mod missing;
mod primitive;
mod record;
mod source;

pub use activity::{TriggerActivity, TriggerCandidate};
pub use file::{NewFragment, RecordReader, RecordWriter, StoredFragment, StoredRecord, record_parts};
pub use fragment::{FragmentHeader, fragment_error, fragment_type};
pub use missing::{Missing, MissingFrom, MissingReason};
pub use primitive::{PrimitiveV1, PrimitiveV2};
pub use record::{ComponentRequest, TriggerRecordHeader};
pub use source::SourceId;

use crate::{Error, Result};

/// Fields of a record of `N` bytes at their places.
struct Bytes<const N: usize>([u8; N]);

impl<const N: usize> Bytes<N> {
    fn new() -> Bytes<N> {
        Bytes([0; N])
    }

    /// The first `N` of `bytes`.
    fn read(what: &'static str, bytes: &[u8]) -> Result<Bytes<N>> {
        let array = bytes.first_chunk().copied();
        array.map(Bytes).ok_or_else(|| Error::new(format!("{N} bytes of {what}"), bytes.len().to_string()))
    }

    fn get<const M: usize>(&self, at: usize) -> [u8; M] {
        let mut out = [0; M];
        out.copy_from_slice(&self.0[at..at + M]);
        out
    }

    fn u16(&self, at: usize) -> u16 {
        u16::from_le_bytes(self.get(at))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.get(at))
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.get(at))
    }

    fn i32(&self, at: usize) -> i32 {
        i32::from_le_bytes(self.get(at))
    }

    fn put<const M: usize>(mut self, at: usize, bytes: [u8; M]) -> Self {
        self.0[at..at + M].copy_from_slice(&bytes);
        self
    }

    /// Refuses another number than `wanted` in a field.
    fn expect(&self, what: &'static str, at: usize, wanted: u32, found: u32) -> Result<()> {
        if wanted == found {
            return Ok(());
        }
        Err(Error::new(format!("{what} {wanted:#x}"), format!("{found:#x}")).at(at as u64))
    }
}

#[cfg(test)]
mod tests;
