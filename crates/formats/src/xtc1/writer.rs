//! Writes files of datagrams that stay readable even if the writer is killed.

use std::path::Path;

use crate::file::{GrowingFile, Head};
use crate::{Error, Result};

use super::DatagramHeader;

/// Writes datagrams to a new file, which stays readable as every [`GrowingFile`] does.
///
/// ```
/// use livetime_formats::xtc1::{Builder, DatagramHeader, Writer};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("e1-r0001-s00-c00.xtc");
/// let mut datagram = Vec::new();
/// Builder::new(&mut datagram, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// let mut writer = Writer::create(&path)?;
/// let offset = writer.write(&datagram)?;
/// assert_eq!((offset, writer.len()), (0, 40));
/// writer.finish()?;
/// assert_eq!(std::fs::read(&path).unwrap(), datagram);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer(GrowingFile);

impl Writer {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// As [`GrowingFile::create`].
    pub fn create(path: &Path) -> Result<Writer> {
        GrowingFile::create(path).map(Writer)
    }

    /// Creates `path` for a run that is made from other data: as a whole or not at all.
    ///
    /// # Errors
    /// As [`GrowingFile::make`].
    pub fn make(path: &Path) -> Result<Writer> {
        GrowingFile::make(path).map(Writer)
    }

    /// As [`Writer::create`]; `None` if there is a file of that name, also if another program made it just now.
    ///
    /// # Errors
    /// As [`GrowingFile::create_new`].
    pub fn create_new(path: &Path) -> Result<Option<Writer>> {
        Ok(GrowingFile::create_new(path)?.map(Writer))
    }

    /// Writes whole datagrams, one or several after another; returns where the first begins.
    ///
    /// # Errors
    /// If they are not whole datagrams, and then nothing is written; or the operating system reports an error, and then nothing more is
    /// taken.
    pub fn write(&mut self, datagrams: &[u8]) -> Result<u64> {
        check(datagrams).map_err(|e| e.in_file(self.0.written_path()))?;
        self.0.append(&[datagrams])
    }

    /// As [`GrowingFile::repair`].
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn repair(&mut self) -> Result<()> {
        self.0.repair()
    }

    /// Bytes written.
    #[allow(clippy::len_without_is_empty, reason = "a length of a file, not of a container")]
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Where the file is while it is written.
    pub fn written_path(&self) -> &Path {
        self.0.written_path()
    }

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns when everything is on the disk.
    ///
    /// # Errors
    /// If the operating system reports that it is not.
    pub fn sync(&self) -> Result<()> {
        self.0.sync()
    }

    /// Gives the file its name. A file without datagrams is a file too.
    ///
    /// # Errors
    /// As [`GrowingFile::finish`].
    pub fn finish(self) -> Result<()> {
        self.0.finish()
    }

    /// As [`GrowingFile::finish_on_disk`].
    ///
    /// # Errors
    /// As there.
    pub fn finish_on_disk(self) -> Result<()> {
        self.0.finish_on_disk()
    }

    /// As [`GrowingFile::is_in_place`].
    pub fn is_in_place(&self) -> bool {
        self.0.is_in_place()
    }

    /// Takes the file away again.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn discard(self) -> Result<()> {
        self.0.discard()
    }
}

/// Whether `bytes` are datagrams to their end.
fn check(bytes: &[u8]) -> Result<()> {
    let mut at = 0;
    while at < bytes.len() {
        let header = DatagramHeader::parse(&bytes[at..]).map_err(|e| e.moved_by(at as u64))?;
        let left = (bytes.len() - at) as u64;
        if header.length() > left {
            let wanted = format!("a datagram of {} bytes", header.length());
            return Err(Error::new(wanted, left.to_string()).at(at as u64));
        }
        at += header.length() as usize;
    }
    Ok(())
}
