//! A file that gets its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use livetime_formats::file::name_new;
use tiff::TiffResult;

/// A file that is being written.
pub(super) struct NewFile {
    file: File,
    /// Its name while it is written.
    written: PathBuf,
    /// Whether a file of its final name is replaced.
    overwrite: bool,
}

impl NewFile {
    /// Whether there is a file of this name, or one that is going to have it.
    pub(super) fn is_taken(path: &Path, suffix: &str) -> bool {
        path.exists() || with_suffix(path, suffix).exists()
    }

    /// Creates `path` with `suffix`; `None` if one of the names is taken and must not be replaced.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub(super) fn create(path: &Path, suffix: &str, overwrite: bool) -> io::Result<Option<NewFile>> {
        let written = with_suffix(path, suffix);
        if !overwrite && path.exists() {
            return Ok(None);
        }
        let made = match OpenOptions::new().write(true).create_new(true).open(&written) {
            // What another program writes just now, or a killed one has left, must not be mixed with ours.
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && overwrite => {
                let written = with_suffix(path, &format!("{suffix}-{}", std::process::id()));
                (File::create(&written)?, written)
            }
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
            made => (made?, written),
        };
        let new = NewFile { file: made.0, written: made.1, overwrite };
        // Another program that wrote a file of this name may have finished between the two checks.
        if !overwrite && new.written != path && path.exists() {
            fs::remove_file(&new.written)?;
            return Ok(None);
        }
        Ok(Some(new))
    }

    /// Writes what `encode` makes, and gives the file its name. A file that could not be written is taken away again.
    ///
    /// # Errors
    /// Text naming the file.
    pub(super) fn write(
        self,
        path: &Path,
        encode: impl FnOnce(&mut BufWriter<File>) -> TiffResult<()>,
    ) -> Result<(), String> {
        let NewFile { file, written, overwrite } = self;
        let mut out = BufWriter::with_capacity(1 << 16, file);
        let encoded = encode(&mut out).map_err(|e| not_written(path, &e));
        let complete = encoded.and_then(|()| out.flush().map_err(|e| not_written(path, &e)));
        let named = complete.and_then(|()| {
            let named = match overwrite {
                _ if written == path => Ok(()),
                true => fs::rename(&written, path),
                false => name_new(&written, path),
            };
            named.map_err(|e| not_written(path, &e))
        });
        if named.is_err() {
            // An incomplete picture is useless, so it is removed; an error here is ignored, since it may not
            // exist. A file of another program is left alone.
            let _ = fs::remove_file(&written);
        }
        named
    }
}

/// The message about a file that could not be written.
pub(super) fn not_written(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!("`{}`: wanted to write a file, found: {error}", path.display())
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
