//! A new file that stays readable whatever happens to its writer.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::IN_PROGRESS;
use crate::{Error, Result};

/// A file that is being written, piece by piece.
///
/// While it is written the file is called `NAME.inprogress`; [`GrowingFile::finish`] gives it its name, so that readers know exactly
/// when nothing more will come. What [`GrowingFile::append`] has taken is with the system when it returns: if the program is
/// killed afterwards, all of it can be read, and if it is killed within, all but the last piece. Only a machine that fails may
/// lose what [`GrowingFile::sync`] has not seen.
///
/// ```
/// use livetime_formats::file::GrowingFile;
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("run1");
/// let mut file = GrowingFile::create(&path)?;
/// assert_eq!(file.append(&[b"head", b"", b"data"])?, 0);
/// assert_eq!((file.append(&[b"more"])?, file.len()), (8, 12));
/// assert!(!path.exists());
/// file.finish()?;
/// assert_eq!(std::fs::read(&path).unwrap(), b"headdatamore");
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct GrowingFile {
    file: File,
    path: PathBuf,
    written: PathBuf,
    len: u64,
    /// A write failed: a part of a piece may be in the file, and nothing may follow it.
    is_broken: bool,
}

impl GrowingFile {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// If one of them is there, because nothing is ever overwritten; or the system refuses.
    pub fn create(path: &Path) -> Result<GrowingFile> {
        let written = in_progress(path);
        if path.try_exists().map_err(|e| Error::io("to look for the file", e).in_file(path))? {
            return Err(Error::new("a file that is not there yet", "one").in_file(path));
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&written);
        let file = file.map_err(|e| Error::io("to create the file", e).in_file(&written))?;
        Ok(GrowingFile { file, path: path.to_owned(), written, len: 0, is_broken: false })
    }

    /// Whether `path` is there, whole or being written.
    pub fn is_taken(path: &Path) -> bool {
        path.exists() || in_progress(path).exists()
    }

    /// Writes one piece, which lies in `parts`, from where they lie; returns where it begins.
    ///
    /// # Errors
    /// If the system refuses; then nothing more is taken before [`GrowingFile::repair`].
    pub fn append(&mut self, parts: &[&[u8]]) -> Result<u64> {
        if self.is_broken {
            return Err(
                Error::new("a file that can be written", "a write that failed before").in_file(&self.written)
            );
        }
        let offset = self.len;
        self.is_broken = true;
        let written = write_parts(&mut self.file, parts);
        written.map_err(|e| Error::io("to write the file", e).at(offset).in_file(&self.written))?;
        self.is_broken = false;
        self.len += parts.iter().map(|part| part.len() as u64).sum::<u64>();
        Ok(offset)
    }

    /// After a failed write: cuts off what is there of a piece, so that the file ends with the last whole one and can be written
    /// again. Does nothing else.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn repair(&mut self) -> Result<()> {
        if !self.is_broken {
            return Ok(());
        }
        let cut = self.file.set_len(self.len).and_then(|()| self.file.seek(SeekFrom::Start(self.len)));
        cut.map_err(|e| Error::io("to cut off half a piece", e).in_file(&self.written))?;
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

    /// Where the file will be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns when everything is on the disk.
    ///
    /// # Errors
    /// If the system says that it is not.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| Error::io("to write to the disk", e).in_file(&self.written))
    }

    /// Gives the file its name. A file without anything in it is a file too.
    ///
    /// # Errors
    /// If the name was taken meanwhile, or the system refuses; the file then keeps the name with `.inprogress`.
    pub fn finish(self) -> Result<()> {
        // A hard link refuses to replace what is there; a rename would not. Not every file system has links.
        match std::fs::hard_link(&self.written, &self.path) {
            Ok(()) => {}
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists && !self.path.exists() => {
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

    fn not_named(&self, error: io::Error) -> Error {
        Error::io(format!("to name the file {}", self.path.display()), error).in_file(&self.written)
    }
}

/// For whoever writes to anything: each write is a piece.
impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(&[bytes]).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn in_progress(path: &Path) -> PathBuf {
    let mut written = path.as_os_str().to_owned();
    written.push(format!(".{IN_PROGRESS}"));
    written.into()
}

fn write_parts(file: &mut File, parts: &[&[u8]]) -> io::Result<()> {
    if let [part] = parts {
        return file.write_all(part);
    }
    let mut slices: Vec<IoSlice> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut left = &mut slices[..];
    // Empty parts at the front would look like a file that takes nothing.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => IoSlice::advance_slices(&mut left, count),
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_parts_are_one_piece() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let parts: Vec<Vec<u8>> = (0..3000usize).map(|n| vec![n as u8; n % 7]).collect();
        let mut file = GrowingFile::create(&path).unwrap();
        let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        file.append(&slices).unwrap();
        assert_eq!(file.append(&[b"", b""]).unwrap(), parts.concat().len() as u64);
        assert_eq!(file.append(&[]).unwrap(), file.len());
        file.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), parts.concat());
    }

    #[test]
    fn half_a_piece_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = GrowingFile::create(&folder.path().join("a")).unwrap();
        file.append(&[b"one"]).unwrap();
        // What a full disk leaves behind.
        file.file.write_all(b"tw").unwrap();
        file.is_broken = true;
        assert!(file.append(&[b"two"]).unwrap_err().to_string().contains("failed before"));
        file.repair().unwrap();
        assert_eq!(file.append(&[b"two"]).unwrap(), 3);
        assert_eq!(std::fs::read(file.written_path()).unwrap(), b"onetwo");
        let path = file.path().to_owned();
        assert!(GrowingFile::is_taken(&path) && GrowingFile::create(&path).is_err());
        file.discard().unwrap();
        assert!(!GrowingFile::is_taken(&path));
    }
}
