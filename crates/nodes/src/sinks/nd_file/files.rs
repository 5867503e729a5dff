//! Where files go: folders, names, numbers.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use livetime_filing::{Error, Result, Series, ensure_folder};
use livetime_formats::file::{GrowingFile, Purpose};

use super::NdFileParams;
use super::new_file::{NewFile, refused};

/// Added to names of files with one frame while they are written, if nothing else is wanted.
const TEMP_SUFFIX: &str = ".tmp";

impl NdFileParams {
    /// The rules for `path`, which was just written: it ends with a slash, its folder is created if that is allowed.
    ///
    /// # Errors
    /// If there is none that can be written to.
    pub(super) fn settle_path(&mut self) -> Result<()> {
        self.end_path();
        let found = if self.path.is_empty() { Ok(()) } else { self.ensure_folder() };
        self.file_path_exists = found.is_ok() && !self.path.is_empty();
        found
    }

    /// A folder reads back with a slash at its end.
    pub(in super::super) fn end_path(&mut self) {
        if !self.path.is_empty() && !self.path.ends_with('/') {
            self.path.push('/');
        }
    }

    /// Looks again, since folders come and go.
    pub(in super::super) fn look_for_folder(&mut self) {
        self.file_path_exists = Path::new(&self.path).is_dir();
    }

    /// # Errors
    /// For a template from which no name can be made.
    pub(super) fn check_template(&self) -> Result<()> {
        self.series().path(self.file_number).map(drop)
    }

    /// The first of the names that are written to; none without a folder.
    pub(super) fn first_path(&self) -> Option<PathBuf> {
        if self.path.is_empty() { None } else { self.series().path(1).ok() }
    }

    /// Creates the next file.
    ///
    /// # Errors
    /// If there is no folder, no number is free, or the system refuses.
    pub(super) fn create(&self, holds_many: bool) -> Result<NewFile> {
        if self.path.is_empty() {
            return Err(Error::NoPath);
        }
        let suffix = if self.temp_suffix.is_empty() && !holds_many { TEMP_SUFFIX } else { &self.temp_suffix };
        let (mut number, series) = (self.file_number, self.series());
        if self.auto_increment && !self.overwrite {
            let is_taken = |path: &Path| GrowingFile::is_taken_as(path, suffix);
            let create = |path: &Path| self.create_at(path, suffix, holds_many);
            let mut file = series.create_next(&mut number, is_taken, create)?;
            file.set_number(number);
            return Ok(file);
        }
        let path = series.path(number)?;
        let taken = || Error::taken(&path);
        self.create_at(&path, suffix, holds_many)?.ok_or_else(taken)
    }

    /// A new file, and its folder if that has gone; `None` if the name is taken.
    fn create_at(&self, path: &Path, suffix: &str, holds_many: bool) -> Result<Option<NewFile>> {
        // A file with many frames is of use although it is not complete.
        let purpose = Purpose { is_kept: holds_many, replaces: self.overwrite };
        let create = || NewFile::create(path, suffix, self.file_number, purpose);
        let is_missing = |e: &std::io::Error| e.kind() == ErrorKind::NotFound;
        let created = match create() {
            Err(e) if e.io_error().is_some_and(is_missing) => {
                self.ensure_folder()?;
                create()
            }
            created => created,
        };
        created.map_err(|e| Error::writer(refused(path, e)))
    }

    /// Messages name the folder as people do.
    fn ensure_folder(&self) -> Result<()> {
        let folder = self.path.trim_end_matches('/');
        ensure_folder(if folder.is_empty() { "/" } else { folder }, self.create_directory)
    }

    fn series(&self) -> Series<'_> {
        Series { template: &self.template, folder: &self.path, name: &self.file_name, last: u64::MAX }
    }
}
