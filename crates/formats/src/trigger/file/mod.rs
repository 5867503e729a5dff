//! Files of trigger records. Layout in words: `docs/formats/trigger-records.md`.
//!
//! A record is a [`TriggerRecordHeader`] with its requests, then one fragment for each request in the same order. If
//! the header says that the record is incomplete, a last fragment follows, of type [`MISSING`](fragment_type::MISSING):
//! the missing data of each source, with reasons. Records follow each other without anything between, in front or
//! behind.
//!
//! ```
//! use livetime_formats::trigger::{
//!     Missing, MissingReason, NewFragment, RecordReader, RecordWriter, SourceId, TriggerRecordHeader, fragment_type,
//! };
//!
//! let folder = tempfile::tempdir().unwrap();
//! let path = folder.path().join("run1.records");
//! let mut writer = RecordWriter::create(&path)?;
//! let missing = [Missing { begin: 150, end: 200, reason: MissingReason::NotYet }];
//! let fragment = NewFragment {
//!     kind: fragment_type::PROTO_WIB,
//!     detector: 3,
//!     source: SourceId { subsystem: 1, id: 7 },
//!     window: [100, 200],
//!     parts: &[b"two", b" parts"],
//!     missing: &missing,
//! };
//! writer.write(TriggerRecordHeader { trigger_number: 1, ..Default::default() }, &[fragment])?;
//! writer.finish()?;
//!
//! let mut reader = RecordReader::new(std::fs::File::open(&path).unwrap());
//! let record = reader.next()?.unwrap();
//! assert_eq!((record.header.trigger_number, record.missing[0].missing), (1, missing[0]));
//! let mut payload = Vec::new();
//! reader.payload(&record.fragments[0], &mut payload)?;
//! assert_eq!(payload, b"two parts");
//! assert!(reader.next()?.is_none());
//! # Ok::<(), livetime_formats::Error>(())
//! ```

mod reader;
#[cfg(test)]
mod tests;
mod writer;

pub use reader::{RecordReader, StoredFragment, StoredRecord};
pub use writer::{NewFragment, RecordWriter, record_parts};

use super::{TriggerRecordHeader, fragment_type};

/// Bit of [`TriggerRecordHeader::error_bits`]: data are missing.
const INCOMPLETE: u32 = 1;
/// The most requests that a record may have.
const MOST_REQUESTS: u64 = 1 << 16;
/// The most entries in a list of missing data.
const MOST_MISSING: usize = 1 << 21;

/// The number of fragments behind the requests: one for each, and the list of missing data.
fn fragments_of(header: &TriggerRecordHeader) -> u64 {
    header.requested + u64::from(header.error_bits & INCOMPLETE)
}
