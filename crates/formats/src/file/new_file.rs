//! New files on disks, and new objects in stores: each is there as a whole or not at all.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::{GrowingFile, NewObject, Stores, address};
use crate::{Error, Result};

/// A file or an object that is being written from its beginning to its end. Readers see it when it is finished; one that is dropped before
/// leaves nothing.
#[derive(Debug)]
pub enum NewFile {
    /// On a disk.
    Disk(GrowingFile),
    /// In a store.
    Object(Sent),
}

/// An object on its way into a store.
pub struct Sent {
    path: PathBuf,
    len: u64,
    object: Box<dyn NewObject>,
}

impl fmt::Debug for Sent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of {}", self.len, self.path.display())
    }
}

impl NewFile {
    /// Where it will be.
    pub fn path(&self) -> &Path {
        match self {
            NewFile::Disk(file) => file.path(),
            NewFile::Object(sent) => &sent.path,
        }
    }

    /// Bytes written.
    #[allow(clippy::len_without_is_empty, reason = "a length of a file, not of a container")]
    pub fn len(&self) -> u64 {
        match self {
            NewFile::Disk(file) => file.len(),
            NewFile::Object(sent) => sent.len,
        }
    }

    /// Adds bytes at its end; returns where they begin.
    ///
    /// # Errors
    /// If the system or the store refuses. The file is then of no more use.
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<u64> {
        match self {
            NewFile::Disk(file) => file.append(parts),
            NewFile::Object(sent) => {
                let start = sent.len;
                let written = parts.iter().try_for_each(|part| sent.write_all(part));
                written.map_err(|e| Error::io("to write the object", e).in_file(&sent.path))?;
                Ok(start)
            }
        }
    }

    /// Gives it its name or address.
    ///
    /// # Errors
    /// As [`GrowingFile::finish`], or if the store refuses. Then there is no such file.
    pub fn finish(self) -> Result<()> {
        match self {
            NewFile::Disk(file) => file.finish(),
            NewFile::Object(Sent { path, object, .. }) => {
                object.finish().map_err(|e| Error::io("to write the object", e).in_file(path))
            }
        }
    }

    /// As [`NewFile::finish`], after everything is on the disk. A store has an object on its disks when it says so.
    ///
    /// # Errors
    /// As [`GrowingFile::finish_on_disk`], or as [`NewFile::finish`].
    pub fn finish_on_disk(self) -> Result<()> {
        match self {
            NewFile::Disk(file) => file.finish_on_disk(),
            object @ NewFile::Object(_) => object.finish(),
        }
    }
}

impl Write for Sent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.object.write_all(bytes)?;
        self.len += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            NewFile::Disk(file) => file.write(bytes),
            NewFile::Object(sent) => sent.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stores {
    /// A new file or object that is made from other data; none of its name may be there.
    ///
    /// # Errors
    /// As [`GrowingFile::make`], or why the store takes no such object.
    pub fn make(&self, path: &Path) -> Result<NewFile> {
        match address(path) {
            None => GrowingFile::make(path).map(NewFile::Disk),
            Some(_) => self.send(path, false),
        }
    }

    /// As [`Stores::make`]; the new one takes the place of one that is there.
    ///
    /// # Errors
    /// As [`GrowingFile::replace`], or why the store takes no such object.
    pub fn replace(&self, path: &Path) -> Result<NewFile> {
        match address(path) {
            None => GrowingFile::replace(path).map(NewFile::Disk),
            Some(_) => self.send(path, true),
        }
    }

    /// A new object, in place of another one if it `replaces`.
    pub(super) fn send(&self, path: &Path, replaces: bool) -> Result<NewFile> {
        let object = self.of(path).and_then(|of| match of {
            Some((store, address)) => store.create(address, replaces),
            None => Err(io::Error::new(io::ErrorKind::InvalidInput, "a path, not an address")),
        });
        let object = object.map_err(|e| Error::io("to write the object", e).in_file(path))?;
        Ok(NewFile::Object(Sent { path: path.to_owned(), len: 0, object }))
    }

    /// Whether objects can be written at an address, as far as its store tells beforehand; every path of the system passes.
    ///
    /// # Errors
    /// Why they cannot.
    pub fn check_new(&self, path: &Path) -> Result<()> {
        let checked =
            self.of(path).and_then(|of| of.map_or(Ok(()), |(store, address)| store.check_new(address)));
        checked.map_err(|e| Error::io("to write the object", e).in_file(path))
    }

    /// Removes a file or an object.
    ///
    /// # Errors
    /// If there is none, or the system or the store refuses.
    pub fn remove(&self, path: &Path) -> io::Result<()> {
        match self.of(path)? {
            None => std::fs::remove_file(path),
            Some((store, address)) => store.remove(address),
        }
    }

    /// Makes a folder; a store needs none.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn make_folder(&self, folder: &Path) -> io::Result<()> {
        if address(folder).is_some() { Ok(()) } else { std::fs::create_dir_all(folder) }
    }
}
