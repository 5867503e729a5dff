//! How a file is recognised without reading all of it.

use std::path::Path;

use twox_hash::XxHash3_64;

use super::{ReadAt, Stores, read_exact_at};
use crate::{Error, Result};

/// This many bytes at both ends of a file are compared when it is opened again: a page, so that opening stays cheap for
/// large files.
const ENDS: u64 = 4096;

/// The properties by which another process recognises a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FileEnds {
    /// How many bytes it has.
    pub bytes: u64,
    /// A hash of its first and last 4096 bytes.
    pub hash: u64,
}

impl FileEnds {
    /// Reads both ends of a file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn of(path: &Path) -> Result<FileEnds> {
        FileEnds::of_open(&Stores::default().open(path)?).map_err(|e| e.in_file(path))
    }

    /// Reads both ends of an open file.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn of_open(file: &impl ReadAt) -> Result<FileEnds> {
        let bytes = file.size().map_err(|e| Error::io("the size of the file", e))?;
        FileEnds::of_first(file, bytes)
    }

    /// Says that both ends will be read soon: those of an object then come at once, while its index is opened.
    pub(super) fn will_need(file: &impl ReadAt) {
        let Ok(bytes) = file.size() else { return };
        file.will_need(0, bytes.min(ENDS));
        file.will_need(bytes.saturating_sub(ENDS), bytes.min(ENDS));
    }

    /// Reads both ends of the first `bytes` bytes of a file, which may have more.
    ///
    /// # Errors
    /// If the file has fewer, or the system refuses.
    pub fn of_first(file: &impl ReadAt, bytes: u64) -> Result<FileEnds> {
        // A file shorter than one end gives its bytes twice, which harms no comparison.
        let mut ends = vec![0; 2 * bytes.min(ENDS) as usize];
        let (first, last) = ends.split_at_mut(bytes.min(ENDS) as usize);
        read_exact_at(file, first, 0)?;
        read_exact_at(file, last, bytes - last.len() as u64)?;
        Ok(FileEnds { bytes, hash: XxHash3_64::oneshot(&ends) })
    }
}
