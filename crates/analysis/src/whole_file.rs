//! Files that are there as a whole or not at all.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file under another name and renames it: it is there as a whole, or not at all.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("file");
    let beside = path.with_file_name(format!(".{name}.{}", std::process::id()));
    let write = || {
        let mut file = File::create(&beside)?;
        file.write_all(bytes)?;
        // Else a crash of the machine could leave the name without the bytes.
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    write().map_err(|e| {
        let _ = fs::remove_file(&beside);
        io("to write the file", path, e)
    })
}

/// An error of the system at this file.
pub(crate) fn io(wanted: &'static str, path: &Path, error: std::io::Error) -> Error {
    livetime_recording::Error::io(wanted, error).in_file(path).into()
}
