//! Writes files of trigger records.

use std::path::Path;

use super::{INCOMPLETE, MOST_MISSING, MOST_REQUESTS, fragment_type};
use crate::file::GrowingFile;
use crate::trigger::{
    ComponentRequest, FragmentHeader, Missing, MissingFrom, SourceId, TriggerRecordHeader, fragment_error,
};
use crate::{Error, Result};

/// A fragment to be written.
#[derive(Clone, Copy, Debug)]
pub struct NewFragment<'a> {
    /// See [`fragment_type`].
    pub kind: u32,
    /// See [`FragmentHeader::detector`].
    pub detector: u16,
    /// Where the data come from.
    pub source: SourceId,
    /// The requested window, ticks of the clock: begin, end.
    pub window: [u64; 2],
    /// The data, in the order in which they are written.
    pub parts: &'a [&'a [u8]],
    /// The missing parts of the window.
    pub missing: &'a [Missing],
}

/// Subsystem that makes records.
const RECORD_BUILDER: u16 = 4;

/// Writes records to a new file, which stays readable as every [`GrowingFile`] does.
#[derive(Debug)]
pub struct RecordWriter {
    file: GrowingFile,
    /// Headers of the record that is being written.
    heads: Vec<u8>,
}

impl RecordWriter {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// As [`GrowingFile::create`].
    pub fn create(path: &Path) -> Result<RecordWriter> {
        GrowingFile::create(path).map(RecordWriter::new)
    }

    /// Writes to a new file.
    pub fn new(file: GrowingFile) -> RecordWriter {
        RecordWriter { file, heads: Vec::new() }
    }

    /// The file, to be ended.
    pub fn into_file(self) -> GrowingFile {
        self.file
    }

    /// The file.
    pub fn file(&self) -> &GrowingFile {
        &self.file
    }

    /// Writes a record with one system call for up to 1024 pieces of data, which are written from where they lie;
    /// returns where it begins. Requests, sizes and error bits follow from the fragments; the other fields come from
    /// `header`.
    ///
    /// # Errors
    /// More fragments than a record may have, or missing data in too many pieces: then nothing is written. Or the
    /// operating system reports an error: then nothing more is accepted before [`RecordWriter::repair`].
    pub fn write(&mut self, header: TriggerRecordHeader, fragments: &[NewFragment<'_>]) -> Result<u64> {
        let parts = record_parts(header, fragments, &mut self.heads)?;
        self.file.append(&parts)
    }

    /// As [`GrowingFile::repair`].
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn repair(&mut self) -> Result<()> {
        self.file.repair()
    }

    /// Gives the file its name when everything is on the disk. A file without records is a file too.
    ///
    /// # Errors
    /// As [`GrowingFile::finish_on_disk`].
    pub fn finish(self) -> Result<()> {
        self.file.finish_on_disk()
    }
}

/// The bytes of a record, in the order in which they follow each other: heads, which are made in `memory`, and data,
/// where they lie. Requests, sizes and error bits follow from the fragments; the other fields come from `header`.
///
/// # Errors
/// More fragments than a record may have, or missing data in too many pieces.
pub fn record_parts<'a>(
    header: TriggerRecordHeader,
    fragments: &[NewFragment<'a>],
    memory: &'a mut Vec<u8>,
) -> Result<Vec<&'a [u8]>> {
    let missing = missing_of(fragments);
    check("fragments", fragments.len(), MOST_REQUESTS as usize)?;
    check("pieces that are missing", missing.len(), MOST_MISSING)?;
    let is_incomplete = header.error_bits & INCOMPLETE != 0 || !missing.is_empty();
    let header = TriggerRecordHeader {
        requested: fragments.len() as u64,
        error_bits: header.error_bits | if is_incomplete { INCOMPLETE } else { 0 },
        ..header
    };
    memory.clear();
    memory.extend(header.bytes());
    for fragment in fragments {
        memory.extend(ComponentRequest { source: fragment.source, window: fragment.window }.bytes());
    }
    for fragment in fragments {
        memory.extend(head(&header, fragment).bytes());
    }
    let front = memory.len() - fragments.len() * FragmentHeader::BYTES;
    if is_incomplete {
        memory.extend(list_head(&header, missing.len()).bytes());
        missing.iter().for_each(|missing| memory.extend(missing.bytes()));
    }
    let (front, heads) = memory.split_at(front);
    let (heads, list) = heads.split_at(fragments.len() * FragmentHeader::BYTES);
    let mut parts = vec![front];
    for (head, fragment) in heads.chunks_exact(FragmentHeader::BYTES).zip(fragments) {
        parts.push(head);
        parts.extend(fragment.parts);
    }
    parts.push(list);
    Ok(parts)
}

fn missing_of(fragments: &[NewFragment<'_>]) -> Vec<MissingFrom> {
    let of = |f: &NewFragment<'_>| {
        let source = f.source;
        f.missing.iter().map(move |missing| MissingFrom { source, missing: *missing }).collect::<Vec<_>>()
    };
    fragments.iter().flat_map(of).collect()
}

fn head(record: &TriggerRecordHeader, fragment: &NewFragment<'_>) -> FragmentHeader {
    let data: u64 = fragment.parts.iter().map(|part| part.len() as u64).sum();
    let [begin, end] = fragment.window;
    let error_bits = match (fragment.missing.is_empty(), data) {
        _ if begin >= end => fragment_error::INVALID_WINDOW,
        (true, _) => 0,
        (false, 0) => fragment_error::NOT_FOUND,
        (false, _) => fragment_error::INCOMPLETE,
    };
    FragmentHeader {
        size: FragmentHeader::BYTES as u64 + data,
        trigger_number: record.trigger_number,
        trigger_timestamp: record.trigger_timestamp,
        window: fragment.window,
        run: record.run,
        error_bits,
        kind: fragment.kind,
        sequence: record.sequence[0],
        detector: fragment.detector,
        source: fragment.source,
    }
}

fn list_head(record: &TriggerRecordHeader, entries: usize) -> FragmentHeader {
    FragmentHeader {
        size: (FragmentHeader::BYTES + entries * MissingFrom::BYTES) as u64,
        trigger_number: record.trigger_number,
        trigger_timestamp: record.trigger_timestamp,
        run: record.run,
        kind: fragment_type::MISSING,
        sequence: record.sequence[0],
        source: SourceId { subsystem: RECORD_BUILDER, id: record.source.id },
        ..FragmentHeader::default()
    }
}

fn check(what: &str, count: usize, most: usize) -> Result<()> {
    if count <= most {
        return Ok(());
    }
    Err(Error::new(format!("at most {most} {what} in a record"), count.to_string()))
}
