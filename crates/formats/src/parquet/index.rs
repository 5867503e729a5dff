//! The index at the end of a file, and its seal.

use std::fs::File;

use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::metadata::{
    FileMetaData, KeyValue, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};

use super::{Begin, MAGIC};
use crate::file::read_exact_at;

/// A seal begins with this; the checksum of the index follows, and then the index.
const SEAL: &[u8; 8] = b"LTINDEX1";
const SEAL_BYTES: u64 = 12;
/// The end of an index: its length and the magic word.
const TAIL: u64 = 8;
/// The entry of the file's metadata which says that there is a seal.
const KEY: &str = "checksums";
const TEXT: &str = "CRC-32 (of zlib) of each page in its header, of the header in its field 15, of the index in the 4 bytes in front of it";

/// The index of a file of these row groups, with its seal: the end of the file, or, if more row groups come, the place
/// where a reader finds an end if the later row groups are lost.
///
/// # Errors
/// If the library cannot write it.
pub fn index(about: &FileMetaData, groups: &[RowGroupMetaData]) -> Result<Vec<u8>> {
    let file = FileMetaData::new(
        about.version(),
        groups.iter().map(RowGroupMetaData::num_rows).sum(),
        about.created_by().map(str::to_owned),
        Some(with_key(about)),
        about.schema_descr_ptr(),
        None,
    );
    let mut index = Vec::new();
    ParquetMetaDataWriter::new(&mut index, &ParquetMetaData::new(file, groups.to_vec())).finish()?;
    Ok([&SEAL[..], &crc32fast::hash(&index).to_le_bytes(), &index].concat())
}

fn with_key(about: &FileMetaData) -> Vec<KeyValue> {
    let mut all = about.key_value_metadata().cloned().unwrap_or_default();
    // The index of an earlier part of the file may have the entry already.
    all.retain(|entry| entry.key != KEY);
    all.push(KeyValue::new(KEY.to_owned(), TEXT.to_owned()));
    all
}

/// The content of an index, and how far it can be trusted.
pub(super) struct Index {
    pub(super) metadata: ParquetMetaData,
    /// Where it begins, with its seal.
    pub(super) begin: u64,
    pub(super) is_sealed: bool,
}

/// The index that ends at `end`.
///
/// # Errors
/// If there is none, or its seal is broken.
pub(super) fn read(file: &File, end: u64) -> Result<Index> {
    let wrong = |why: &str| ParquetError::General(why.to_owned());
    let begin = begin_of(file, end)?;
    let mut bytes = vec![0; (end - begin) as usize];
    read_exact_at(file, &mut bytes, begin).map_err(|e| wrong(&e.to_string()))?;
    let seal = begin.checked_sub(SEAL_BYTES).and_then(|at| seal(file, at));
    if seal.is_some_and(|crc| crc != crc32fast::hash(&bytes)) {
        return Err(wrong("the checksum of the index is not that of its bytes"));
    }
    let metadata = ParquetMetaDataReader::new().parse_and_finish(&Begin::new(file, end)?)?;
    let told = metadata.file_metadata().key_value_metadata();
    // The entry tells that there was a seal: without it the index may have been changed.
    if seal.is_none() && told.is_some_and(|all| all.iter().any(|entry| entry.key == KEY)) {
        return Err(wrong("the index has lost its checksum"));
    }
    let seal_bytes = if seal.is_some() { SEAL_BYTES } else { 0 };
    Ok(Index { metadata, begin: begin - seal_bytes, is_sealed: seal.is_some() })
}

fn begin_of(file: &File, end: u64) -> Result<u64> {
    let none = || ParquetError::General("the file does not end with an index".to_owned());
    let mut tail = [0; TAIL as usize];
    let at = end.checked_sub(TAIL).ok_or_else(none)?;
    read_exact_at(file, &mut tail, at).map_err(|_| none())?;
    let ([a, b, c, d], magic) = ([tail[0], tail[1], tail[2], tail[3]], &tail[4..]);
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    // The length is a claim of the file.
    let is_index = magic == MAGIC && length + TAIL + MAGIC.len() as u64 <= end;
    if is_index { Ok(at - length) } else { Err(none()) }
}

/// The checksum in the seal at `offset`, if there is one.
fn seal(file: &File, offset: u64) -> Option<u32> {
    let mut seal = [0; SEAL_BYTES as usize];
    read_exact_at(file, &mut seal, offset).ok()?;
    let crc = seal.strip_prefix(SEAL)?;
    Some(u32::from_le_bytes(crc.try_into().ok()?))
}
