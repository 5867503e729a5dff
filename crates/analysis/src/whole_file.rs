//! Files that are there as a whole or not at all.

use std::path::Path;

use livetime_formats::file::{GrowingFile, NewFile, Purpose, Stores, address};

use crate::error::{Error, Result};

/// The end of a file's name while the file is written.
const BESIDE: &str = ".unproved";

/// Writes a file under another name and renames it: it is there as a whole, or not at all. Several programs may do so at once,
/// with the same bytes.
pub(crate) fn write_whole(stores: &Stores, path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        let purpose = Purpose { is_kept: false, replaces: true };
        let mut file = match address(path) {
            Some(_) => stores.replace(path)?,
            None => NewFile::Disk(GrowingFile::create_beside(path, BESIDE, purpose)?),
        };
        file.append(&[bytes])?;
        // Without the sync a crash of the machine could leave the name without the bytes.
        file.finish_on_disk()
    };
    let refused = |e: livetime_recording::Error| {
        livetime_recording::Error::new("to write the file", e.cause()).in_file(path).into()
    };
    write().map_err(refused)
}

/// An error of the system at this file.
pub(crate) fn io(wanted: &'static str, path: &Path, error: std::io::Error) -> Error {
    livetime_recording::Error::io(wanted, error).in_file(path).into()
}
