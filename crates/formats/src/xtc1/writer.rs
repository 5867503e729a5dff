//! Writes files of datagrams that stay readable whatever happens to the writer.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use crate::file::{Head, IN_PROGRESS};
use crate::{Error, Result};

use super::DatagramHeader;

/// Writes datagrams to a new file.
///
/// While it is written the file is called `NAME.inprogress`; [`Writer::finish`] gives it its name, so that readers know exactly
/// when nothing more will come. What [`Writer::write`] has taken is with the system when it returns: if the program is
/// killed afterwards, all of it can be read, and if it is killed within, all but the last datagram. Only a machine that
/// fails may lose what [`Writer::sync`] has not seen.
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
pub struct Writer {
    file: File,
    path: PathBuf,
    written: PathBuf,
    len: u64,
    /// A write failed: some bytes of a datagram may be in the file, and nothing may follow them.
    is_broken: bool,
}

impl Writer {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// If one of them is there, because nothing is ever overwritten; or the system refuses.
    pub fn create(path: &Path) -> Result<Writer> {
        let mut written = path.as_os_str().to_owned();
        written.push(format!(".{IN_PROGRESS}"));
        let written = PathBuf::from(written);
        if path.try_exists().map_err(|e| Error::io("to look for the file", e).in_file(path))? {
            return Err(Error::new("a file that is not there yet", "one").in_file(path));
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&written);
        let file = file.map_err(|e| Error::io("to create the file", e).in_file(&written))?;
        Ok(Writer { file, path: path.to_owned(), written, len: 0, is_broken: false })
    }

    /// Writes whole datagrams, one or several after another; returns where the first begins.
    ///
    /// # Errors
    /// If they are not whole datagrams, and then nothing is written; or the system refuses, and then nothing more is
    /// taken.
    pub fn write(&mut self, datagrams: &[u8]) -> Result<u64> {
        check(datagrams).map_err(|e| e.in_file(&self.written))?;
        if self.is_broken {
            return Err(
                Error::new("a file that can be written", "a write that failed before").in_file(&self.written)
            );
        }
        let offset = self.len;
        self.is_broken = true;
        let written = self.file.write_all(datagrams);
        written.map_err(|e| Error::io("to write the file", e).at(offset).in_file(&self.written))?;
        self.is_broken = false;
        self.len += datagrams.len() as u64;
        Ok(offset)
    }

    /// After a failed write: cuts off what is there of a datagram, so that the file ends with the last whole one and can be written
    /// again. Does nothing else.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn repair(&mut self) -> Result<()> {
        if !self.is_broken {
            return Ok(());
        }
        let cut = self.file.set_len(self.len).and_then(|()| self.file.seek(SeekFrom::Start(self.len)));
        cut.map_err(|e| Error::io("to cut off half a datagram", e).in_file(&self.written))?;
        self.is_broken = false;
        Ok(())
    }

    /// Bytes written.
    #[allow(clippy::len_without_is_empty, reason = "a length of a file, not of a container")]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Where the file is while it is written.
    pub fn written_path(&self) -> &Path {
        &self.written
    }

    /// Returns when everything is on the disk.
    ///
    /// # Errors
    /// If the system says that it is not.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| Error::io("to write to the disk", e).in_file(&self.written))
    }

    /// Gives the file its name. A file without datagrams is a file too.
    ///
    /// # Errors
    /// If the name was taken meanwhile, or the system refuses; the file then keeps the name with `.inprogress`.
    pub fn finish(self) -> Result<()> {
        // A hard link refuses to replace what is there; a rename would not. Not every file system has links.
        match std::fs::hard_link(&self.written, &self.path) {
            Ok(()) => {}
            Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists && !self.path.exists() => {
                let named = std::fs::rename(&self.written, &self.path);
                return named.map_err(|e| self.not_named(e));
            }
            Err(e) => return Err(self.not_named(e)),
        }
        let removed = std::fs::remove_file(&self.written);
        removed.map_err(|e| Error::io("to take away the old name", e).in_file(&self.written))
    }

    /// Takes the file away again.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn discard(self) -> Result<()> {
        let removed = std::fs::remove_file(&self.written);
        removed.map_err(|e| Error::io("to remove the file", e).in_file(&self.written))
    }

    fn not_named(&self, error: std::io::Error) -> Error {
        Error::io(format!("to name the file {}", self.path.display()), error).in_file(&self.written)
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
