//! Where files go: folders, names, numbers.

use std::io;
use std::path::{Path, PathBuf};

use livetime_formats::Error;
use livetime_formats::file::{GrowingFile, Purpose, Series, ensure_folder};

use super::NdFileParams;
use super::new_file::{NewFile, refused};

/// Added to names of files with one frame while they are written, if nothing else is wanted.
const TEMP_SUFFIX: &str = ".tmp";

impl NdFileParams {
    /// The rules for `path`, which was just written: it ends with a slash, its folder is created if that is allowed.
    ///
    /// # Errors
    /// Text naming the folder, if there is none that can be written to.
    pub(super) fn settle_path(&mut self) -> Result<(), String> {
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
    /// Text, for a template from which no name can be made.
    pub(super) fn check_template(&self) -> Result<(), String> {
        self.series().path(self.file_number).map(drop)
    }

    /// The first of the names that are written to; none without a folder.
    pub(super) fn first_path(&self) -> Option<PathBuf> {
        if self.path.is_empty() { None } else { self.series().path(1).ok() }
    }

    /// Creates the next file.
    ///
    /// # Errors
    /// Text naming the file.
    pub(super) fn create(&self, holds_many: bool) -> Result<NewFile, String> {
        if self.path.is_empty() {
            return Err("wanted a folder for the file, found none: `path` is empty".into());
        }
        let suffix = if self.temp_suffix.is_empty() && !holds_many { TEMP_SUFFIX } else { &self.temp_suffix };
        let (mut number, series) = (self.file_number, self.series());
        if self.auto_increment && !self.overwrite {
            let is_taken = |path: &Path| GrowingFile::is_taken_as(path, suffix);
            let create = |path: &Path| self.create_at(path, suffix, holds_many);
            let (_, mut file) = series.create_next(&mut number, is_taken, create)?;
            file.set_number(number);
            return Ok(file);
        }
        let path = series.path(number)?;
        let taken = || format!("`{}`: wanted a new file, found one of this name", path.display());
        self.create_at(&path, suffix, holds_many)?.ok_or_else(taken)
    }

    /// A new file, and its folder if that has gone; `None` if the name is taken.
    fn create_at(&self, path: &Path, suffix: &str, holds_many: bool) -> Result<Option<NewFile>, String> {
        // A file with many frames is of use although it is not complete.
        let purpose = Purpose { is_kept: holds_many, replaces: self.overwrite };
        let create = || NewFile::create(path, suffix, self.file_number, purpose);
        let is_missing = |e: &Error| e.io_error().is_some_and(|e| e.kind() == io::ErrorKind::NotFound);
        match create() {
            Err(e) if is_missing(&e) => {
                self.ensure_folder()?;
                create().map_err(|e| refused(path, &e))
            }
            created => created.map_err(|e| refused(path, &e)),
        }
    }

    /// Messages name the folder as people do.
    fn ensure_folder(&self) -> Result<(), String> {
        let folder = self.path.trim_end_matches('/');
        ensure_folder(if folder.is_empty() { "/" } else { folder }, self.create_directory)
    }

    fn series(&self) -> Series<'_> {
        Series { template: &self.template, folder: &self.path, name: &self.file_name, last: u64::MAX }
    }
}
