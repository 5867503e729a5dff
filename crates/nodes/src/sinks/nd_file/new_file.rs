//! A file that gets its name when it is complete.

use std::fs::File;
use std::path::Path;

use livetime_formats::Error;
use livetime_formats::file::{GrowingFile, Purpose};

use super::error::{NotWritten, WriteError};

/// A file that exists, belongs to this program alone, and is being written.
#[derive(Debug)]
pub struct NewFile {
    file: GrowingFile,
    number: u64,
}

impl NewFile {
    /// The name that the file gets when it is complete.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The name that it has while it is written, which may be the same.
    pub fn written(&self) -> &Path {
        self.file.written_path()
    }

    /// Number of the file in the series.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn set_number(&mut self, number: u64) {
        self.number = number;
    }

    /// The open file, at its begin, to be written through.
    ///
    /// # Errors
    /// If the operating system has no handle left.
    pub fn file(&self) -> Result<File, NotWritten> {
        self.file.file().map_err(|e| refused(self.written(), e))
    }

    /// Creates `path` with `suffix`; `None` if one of the names is taken and must not be replaced.
    pub(super) fn create(
        path: &Path,
        suffix: &str,
        number: u64,
        purpose: Purpose,
    ) -> Result<Option<NewFile>, Error> {
        let file = match purpose.replaces {
            true => Some(GrowingFile::create_beside(path, suffix, purpose)?),
            false => GrowingFile::create_new_as(path, suffix, purpose)?,
        };
        Ok(file.map(|file| NewFile { file, number }))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Of the file, which is kept or removed as its purpose says.
    pub(super) fn finish(self) -> Result<(), NotWritten> {
        let path = self.path().to_owned();
        self.file.finish().map_err(|e| refused(&path, e))
    }

    /// The error of this file, which could not be written.
    pub(super) fn not_written(&self, why: WriteError) -> NotWritten {
        NotWritten::new(self.path(), why)
    }

    /// Takes the file away. An error is ignored: the file is of no use, and may be gone with its folder.
    pub(super) fn discard(self) {
        let _ = self.file.discard();
    }
}

/// The error of a file that the system, or an existing file, does not allow.
pub(super) fn refused(path: &Path, error: Error) -> NotWritten {
    NotWritten::new(path, WriteError::File(error))
}
