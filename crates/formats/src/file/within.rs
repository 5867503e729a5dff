//! Whether a file lies in a folder.

use std::path::{Path, PathBuf};

use crate::{Error, Result};

/// That `path` is a file in one of `folders`, which are whole paths without symbolic links. A pipe or a device is
/// refused: opening it could block without end.
///
/// ```
/// use livetime_formats::file::check_within;
///
/// let folder = tempfile::tempdir()?;
/// let folders = [folder.path().canonicalize()?];
/// std::fs::write(folder.path().join("a.h5"), "")?;
/// assert!(check_within(&folder.path().join("./a.h5"), &folders).is_ok());
/// assert!(check_within(&folder.path().join("../a.h5"), &folders).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If it is none, is not there, or lies elsewhere, also behind a symbolic link.
pub fn check_within(path: &Path, folders: &[PathBuf]) -> Result<()> {
    let found =
        path.canonicalize().ok().filter(|found| folders.iter().any(|folder| found.starts_with(folder)));
    match found {
        None => Err(Error::new("a file in the folders that may be read", "none or another").in_file(path)),
        Some(found) if found.is_file() => Ok(()),
        Some(_) => Err(Error::new("a file", "something else").in_file(path)),
    }
}
