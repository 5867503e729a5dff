//! Indices of recorded files, so that a run of many files is opened without a look at every event.

use std::path::{Path, PathBuf};

use livetime_formats::file::{Format, Stores, index_path, write_index_in};
use livetime_formats::{Error, Result, xtc1, xtc2};

use crate::recording::given;

/// Writes the indices of some files of one run, each beside its file. One file stands for its run, as in
/// [`Recording::open`](crate::Recording::open); several stand for themselves. `each` gets every file, and how many datagrams its index
/// lists or why it has none. Opening the run afterwards takes all that is listed from the indices.
///
/// ```
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("e1-r0001-s00-c00.xtc");
/// let mut datagram = Vec::new();
/// Builder::new(&mut datagram, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// std::fs::write(&path, datagram).unwrap();
/// let mut found = Vec::new();
/// livetime_recording::index(&[&path], |_, listed| found.push(listed.unwrap()))?;
/// assert_eq!(found, [1]);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If there are no files, the first one is no recorded file, its format needs no index, or the system refuses.
pub fn index<P: AsRef<Path>>(paths: &[P], each: impl FnMut(&Path, Result<u64>)) -> Result<()> {
    index_in(&Stores::default(), paths, each)
}

/// As [`index`], also of objects in a store that is written to; several may be named by a star.
///
/// # Errors
/// As [`index`].
pub fn index_in<P: AsRef<Path>>(
    stores: &Stores,
    paths: &[P],
    mut each: impl FnMut(&Path, Result<u64>),
) -> Result<()> {
    let (format, paths) = given(stores, paths)?;
    let first = &paths[0];
    let write = match format.0.datagrams {
        Some(Format::Xtc1) => write_index_in::<xtc1::DatagramHeader>,
        Some(Format::Xtc2) => write_index_in::<xtc2::DatagramHeader>,
        _ => return Err(Error::new("files of datagrams (XTC)", format.name()).in_file(first)),
    };
    // Before any file is read: a store that is only read takes no index.
    stores.check_new(&index_path(first))?;
    let files: Vec<PathBuf> = match &paths[..] {
        [_] => format.files_of(first, stores)?,
        _ => paths,
    };
    files.iter().for_each(|file| each(file, write(stores, file)));
    Ok(())
}
