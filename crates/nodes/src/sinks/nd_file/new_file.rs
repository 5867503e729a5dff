//! A file that gets its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use livetime_formats::file::name_new;

/// A file that exists, belongs to this program alone, and is being written.
#[derive(Debug)]
pub struct NewFile {
    file: File,
    path: PathBuf,
    written: PathBuf,
    number: u64,
    /// Whether a file of its final name is replaced.
    overwrite: bool,
}

impl NewFile {
    /// The name that the file gets when it is complete.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The name that it has while it is written, which may be the same.
    pub fn written(&self) -> &Path {
        &self.written
    }

    /// Its number in the series.
    pub fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn set_number(&mut self, number: u64) {
        self.number = number;
    }

    /// The open file, at its begin, to be written through.
    ///
    /// # Errors
    /// Text, if the operating system has no handle left.
    pub fn file(&self) -> Result<File, String> {
        self.file.try_clone().map_err(|e| not_written(&self.written, &e))
    }

    /// Whether there is a file of this name, or one that is going to have it.
    pub(super) fn is_taken(path: &Path, suffix: &str) -> bool {
        path.exists() || with_suffix(path, suffix).exists()
    }

    /// Creates `path` with `suffix`; `None` if one of the names is taken and must not be replaced.
    pub(super) fn create(
        path: &Path,
        suffix: &str,
        number: u64,
        overwrite: bool,
    ) -> io::Result<Option<NewFile>> {
        let written = with_suffix(path, suffix);
        if !overwrite && path.exists() {
            return Ok(None);
        }
        let made = match create_new(&written) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => return Err(e),
            // A name that is final from the start is free once the old file is gone; a program that reads the old file keeps it.
            Err(_) if overwrite && suffix.is_empty() => {
                fs::remove_file(&written)?;
                (create_new(&written)?, written)
            }
            // What another program writes just now, or a killed one has left, must not be mixed with ours.
            Err(_) if overwrite => {
                let written = with_suffix(path, &format!("{suffix}-{}", std::process::id()));
                (File::create(&written)?, written)
            }
            Err(_) => return Ok(None),
            Ok(file) => (file, written),
        };
        let new = NewFile { file: made.0, path: path.into(), written: made.1, number, overwrite };
        // Another program that wrote a file of this name may have finished between the two checks.
        if !overwrite && new.written != path && path.exists() {
            fs::remove_file(&new.written)?;
            return Ok(None);
        }
        Ok(Some(new))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// Text naming the file, which keeps the name that it has.
    pub(super) fn finish(&self) -> Result<(), String> {
        let named = match self.overwrite {
            _ if self.written == self.path => Ok(()),
            true => fs::rename(&self.written, &self.path),
            false => name_new(&self.written, &self.path),
        };
        named.map_err(|e| not_written(&self.path, &e))
    }

    /// The message about this file, which could not be written.
    pub(super) fn not_written(&self, found: &str) -> String {
        not_written(&self.path, &found)
    }

    /// Takes the file away. An error is ignored: the file is of no use, and may be gone with its folder.
    pub(super) fn discard(self) {
        let _ = fs::remove_file(&self.written);
    }
}

/// The message about a file that could not be written. What says itself what was wanted only gets the name of the file.
pub(in super::super) fn not_written(path: &Path, error: &dyn std::fmt::Display) -> String {
    let (path, error) = (path.display(), error.to_string());
    match error.starts_with("wanted ") {
        true => format!("`{path}`: {error}"),
        false => format!("`{path}`: wanted to write a file, found: {error}"),
    }
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create_new(true).open(path)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
