//! A new file that stays readable even if its writer is killed.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::IN_PROGRESS;
use super::unproved::{self, UNPROVED, is_at};
use crate::{Error, Result};

/// The fate of a file that is not finished, and of one that has its name already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purpose {
    /// Data that cannot be had again: the written part stays. Half of any other file has no use, and is removed.
    pub is_kept: bool,
    /// The finished file takes the place of one of its name. Without it no file is ever replaced.
    pub replaces: bool,
}

impl Purpose {
    /// Data as they come from a detector.
    const RECORD: Purpose = Purpose { is_kept: true, replaces: false };
    /// Made from other data.
    const MAKE: Purpose = Purpose { is_kept: false, replaces: false };
    /// Made from other data, again.
    const REPLACE: Purpose = Purpose { is_kept: false, replaces: true };
}

/// A file that is being written, piece by piece.
///
/// While it is written the file is called `NAME.inprogress`; [`GrowingFile::finish`] gives it its name, so that readers
/// know exactly when it is complete. Data that [`GrowingFile::append`] has taken are with the system when it returns:
/// if the program is killed afterwards, all of them can be read, and if it is killed within, all but the last piece.
/// Only a machine that fails may lose data behind the last [`GrowingFile::sync`].
///
/// A file that is made from other data ([`GrowingFile::make`], [`GrowingFile::replace`]) is called `NAME.unproved`
/// instead, and is removed if it is not finished: no error, full disk or Ctrl-C leaves half a file.
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
    purpose: Purpose,
    /// The file has its name, or is gone: there is nothing left to take away.
    is_settled: bool,
}

impl GrowingFile {
    /// Creates `path`, as `path.inprogress`.
    ///
    /// # Errors
    /// If one of them is there, because nothing is ever overwritten; or the operating system reports an error.
    pub fn create(path: &Path) -> Result<GrowingFile> {
        match GrowingFile::create_new(path)? {
            Some(file) => Ok(file),
            None => Err(taken(path)),
        }
    }

    /// As [`GrowingFile::create`]; `None` if one of the names exists, also if another program has just
    /// created it. Two programs that number their files therefore never write to the same file.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn create_new(path: &Path) -> Result<Option<GrowingFile>> {
        GrowingFile::create_new_as(path, &format!(".{IN_PROGRESS}"), Purpose::RECORD)
    }

    /// As [`GrowingFile::create_new`], for another purpose and called `path` with this ending while it is written; without an
    /// ending it has its name from the start.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn create_new_as(path: &Path, ending: &str, purpose: Purpose) -> Result<Option<GrowingFile>> {
        let is_there = || path.try_exists().map_err(|e| Error::io("to look for the file", e).in_file(path));
        if is_there()? {
            return Ok(None);
        }
        let Some(file) = GrowingFile::try_create(path, ending, purpose)? else { return Ok(None) };
        // The writer of the other name may have finished between the two checks.
        if file.written != path && is_there()? {
            file.discard()?;
            return Ok(None);
        }
        Ok(Some(file))
    }

    /// Creates a file that is going to be called `path`. Without an ending it replaces any file of that name. If the
    /// name with the ending is taken, by another program or by the rest of a killed one, the new name gets a number:
    /// both files are left alone.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn create_beside(path: &Path, ending: &str, purpose: Purpose) -> Result<GrowingFile> {
        // A program that reads the old file keeps it.
        if ending.is_empty() && path.try_exists().is_ok_and(|is_there| is_there) {
            std::fs::remove_file(path).map_err(|e| Error::io("to remove the file", e).in_file(path))?;
        }
        let numbered = (1..u64::MAX).map(|number| format!("{ending}-{number}"));
        let mut endings = std::iter::once(ending.to_owned()).chain(numbered);
        let tried = |ending: String| GrowingFile::try_create(path, &ending, purpose).transpose();
        endings.find_map(tried).unwrap_or_else(|| Err(taken(path)))
    }

    /// `None` if the name with the ending is taken.
    fn try_create(path: &Path, ending: &str, purpose: Purpose) -> Result<Option<GrowingFile>> {
        let written = with_ending(path, ending);
        match OpenOptions::new().read(true).write(true).create_new(true).open(&written) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(e) => Err(Error::io("to create the file", e).in_file(&written)),
            Ok(file) => Ok(Some(GrowingFile::new(file, path, written, purpose))),
        }
    }

    /// Creates `path`, as `path.unproved`, for data that are made from others. If it is dropped before
    /// [`GrowingFile::finish`] the file is removed; the rest that a killed program has left is replaced.
    ///
    /// # Errors
    /// If there is a file of this name, another program is just making it, or the operating system reports an error.
    pub fn make(path: &Path) -> Result<GrowingFile> {
        if path.try_exists().map_err(|e| Error::io("to look for the file", e).in_file(path))? {
            return Err(taken(path));
        }
        GrowingFile::unproved(path, Purpose::MAKE)
    }

    /// As [`GrowingFile::make`]; a file of this name stays until the new one is finished, which then takes its place.
    ///
    /// # Errors
    /// If another program is just making it, something of this name is no file, or the operating system reports an
    /// error.
    pub fn replace(path: &Path) -> Result<GrowingFile> {
        // To name a file `/dev/null` would replace the device.
        if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            let found = if path.is_dir() { "a folder" } else { "a device or a pipe" };
            return Err(Error::new("the name of a file", found).in_file(path));
        }
        GrowingFile::unproved(path, Purpose::REPLACE)
    }

    fn unproved(path: &Path, purpose: Purpose) -> Result<GrowingFile> {
        let written = with_ending(path, &format!(".{UNPROVED}"));
        let file = unproved::open(&written)?;
        Ok(GrowingFile::new(file, path, written, purpose))
    }

    fn new(file: File, path: &Path, written: PathBuf, purpose: Purpose) -> GrowingFile {
        let path = path.to_owned();
        GrowingFile { file, path, written, len: 0, is_broken: false, purpose, is_settled: false }
    }

    /// The open file, for a format that reads and writes at places of its own choice instead of by [`GrowingFile::append`].
    ///
    /// # Errors
    /// If the operating system has no handle left.
    pub fn file(&self) -> Result<File> {
        self.file.try_clone().map_err(|e| Error::io("to write the file", e).in_file(&self.written))
    }

    /// Whether `path` is there, whole or being written.
    pub fn is_taken(path: &Path) -> bool {
        GrowingFile::is_taken_as(path, &format!(".{IN_PROGRESS}"))
    }

    /// As [`GrowingFile::is_taken`], for files that have this ending while they are written.
    pub fn is_taken_as(path: &Path, ending: &str) -> bool {
        path.exists() || with_ending(path, ending).exists()
    }

    /// Writes one piece, which lies in `parts`, from where they lie; returns where it begins.
    ///
    /// # Errors
    /// If the operating system reports an error; then nothing more is taken before [`GrowingFile::repair`].
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

    /// After a failed write: cuts off the incomplete piece, so that the file ends with the last whole one and
    /// can be written again. Does nothing otherwise.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn repair(&mut self) -> Result<()> {
        if !self.is_broken {
            return Ok(());
        }
        let cut = self.file.set_len(self.len).and_then(|()| self.file.seek(SeekFrom::Start(self.len)));
        cut.map_err(|e| Error::io("to cut off half a piece", e).in_file(&self.written))?;
        self.is_broken = false;
        Ok(())
    }

    /// Overwrites existing bytes, such as a count at the begin of the file, with one system call: a reader
    /// finds either the old or the new bytes.
    ///
    /// # Errors
    /// If the file has fewer bytes, or the operating system reports an error; the bytes may then be the old
    /// or the new ones.
    pub fn rewrite(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let end = offset.checked_add(bytes.len() as u64);
        if end.is_none_or(|end| end > self.len) {
            let (wanted, found) = (format!("{} bytes at {offset}", bytes.len()), format!("{}", self.len));
            return Err(Error::new(wanted, found).in_file(&self.written));
        }
        let written = self.file.write_all_at(bytes, offset);
        written.map_err(|e| Error::io("to write the file", e).at(offset).in_file(&self.written))
    }

    /// Truncates the file to its first `len` bytes, for a caller that knows better than by pieces which part
    /// is whole. It can be written again from there on. Does nothing if it is not longer.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn cut(&mut self, len: u64) -> Result<()> {
        if !self.is_broken && self.len <= len {
            return Ok(());
        }
        (self.len, self.is_broken) = (self.len.min(len), true);
        self.repair()
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
    /// If the operating system reports that it is not.
    pub fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| Error::io("to write to the disk", e).in_file(&self.written))
    }

    /// Gives the file its name. A file without anything in it is a file too.
    ///
    /// # Errors
    /// If the name was taken meanwhile, or the operating system reports an error. Recorded data then keep the name with
    /// `.inprogress`, and the error says where they are; made data are removed.
    pub fn finish(mut self) -> Result<()> {
        let named = match self.purpose.replaces {
            _ if self.written == self.path => Ok(()),
            true => std::fs::rename(&self.written, &self.path),
            false => name_new(&self.written, &self.path),
        };
        named.map_err(|e| self.not_finished(format!("to name the file `{}`", self.path.display()), e))?;
        self.is_settled = true;
        Ok(())
    }

    /// As [`GrowingFile::finish`], after everything is on the disk: for data that are recorded once and
    /// cannot be made again.
    ///
    /// # Errors
    /// As [`GrowingFile::finish`]; also if the operating system reports that data did not reach the disk.
    pub fn finish_on_disk(mut self) -> Result<()> {
        // A file that is not on the disk must not have the name of a complete one.
        let synced = self.file.sync_data();
        synced.map_err(|e| self.not_finished("to write to the disk what was recorded".into(), e))?;
        self.finish()
    }

    /// Whether the file is still where it was created: false when it or its folder was moved or removed.
    pub fn is_in_place(&self) -> bool {
        is_at(&self.file, &self.written)
    }

    /// Takes the file away again.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn discard(mut self) -> Result<()> {
        self.is_settled = true;
        let removed = std::fs::remove_file(&self.written);
        removed.map_err(|e| Error::io("to remove the file", e).in_file(&self.written))
    }

    fn not_finished(&mut self, wanted: String, error: io::Error) -> Error {
        if !self.purpose.is_kept {
            return Error::io(wanted, error);
        }
        self.is_settled = true;
        Error::new(wanted, format!("{error}; {}", self.whereabouts()))
    }

    /// Where the data are now, for people.
    fn whereabouts(&self) -> String {
        if self.is_in_place() {
            return format!("all data are in `{}`", self.written.display());
        }
        // Linux tells where an open file is, whatever it was called before.
        let now = std::fs::read_link(format!("/proc/self/fd/{}", self.file.as_raw_fd()));
        let is_removed = self.file.metadata().map_or(true, |m| m.nlink() == 0);
        match now {
            Ok(path) if !is_removed => {
                format!("all data are in `{}`, where somebody has moved them", path.display())
            }
            _ => format!("the data are gone: somebody has removed `{}`", self.written.display()),
        }
    }
}

/// Removes files without use: a made file that is not finished, and a recording without data.
impl Drop for GrowingFile {
    fn drop(&mut self) {
        let is_empty = || self.file.metadata().is_ok_and(|file| file.len() == 0);
        let is_useless = !self.purpose.is_kept || is_empty();
        if is_useless && !self.is_settled && self.is_in_place() {
            // A failure here cannot be reported to anyone.
            let _ = std::fs::remove_file(&self.written);
        }
    }
}

/// Gives a file another name, unless there is a file of that name.
///
/// # Errors
/// If the name is taken, or the operating system reports an error; the file then keeps the name that it had.
pub fn name_new(from: &Path, to: &Path) -> io::Result<()> {
    // A hard link refuses to replace an existing file; a rename would not. Not every file system has links.
    match std::fs::hard_link(from, to) {
        Ok(()) => std::fs::remove_file(from),
        Err(e) if e.kind() != io::ErrorKind::AlreadyExists && !to.exists() => std::fs::rename(from, to),
        Err(e) => Err(e),
    }
}

/// For code that writes to any `Write`: each write is a piece.
impl Write for GrowingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(&[bytes]).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn taken(path: &Path) -> Error {
    Error::io("a file that is not there yet", io::Error::new(io::ErrorKind::AlreadyExists, "one"))
        .in_file(path)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut written = path.as_os_str().to_owned();
    written.push(ending);
    written.into()
}

fn write_parts(file: &mut File, parts: &[&[u8]]) -> io::Result<()> {
    if let [part] = parts {
        return file.write_all(part);
    }
    let mut slices: Vec<IoSlice> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut left = &mut slices[..];
    // Empty slices at the front would look like a file that accepts nothing.
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
    fn a_file_is_cut_where_its_writer_wants() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = GrowingFile::create(&folder.path().join("a")).unwrap();
        file.append(&[b"onetwothree"]).unwrap();
        file.rewrite(3, b"TWO").unwrap();
        assert!(file.rewrite(9, b"xyz").is_err());
        file.rewrite(3, b"two").unwrap();
        file.cut(20).unwrap();
        assert_eq!(file.len(), 11);
        file.cut(6).unwrap();
        assert_eq!(file.append(&[b"four"]).unwrap(), 6);
        file.file.write_all(b"fi").unwrap();
        file.is_broken = true;
        file.cut(100).unwrap();
        assert_eq!(std::fs::read(file.written_path()).unwrap(), b"onetwofour");
    }

    #[test]
    fn half_a_piece_is_cut_off() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = GrowingFile::create(&folder.path().join("a")).unwrap();
        file.append(&[b"one"]).unwrap();
        // The part of a piece that a full disk leaves behind.
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
    #[test]
    fn what_cannot_be_finished_says_where_the_data_are() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        let create = |name: &str| {
            std::fs::create_dir_all(&below).unwrap();
            let mut file = GrowingFile::create(&below.join(name)).unwrap();
            file.append(&[b"data"]).unwrap();
            assert!(file.is_in_place());
            file
        };
        // Another program takes the name.
        let file = create("a");
        std::fs::write(below.join("a"), "theirs").unwrap();
        let error = file.finish_on_disk().unwrap_err().to_string();
        assert!(error.contains("/below/a`") && error.contains("all data are in `"), "{error}");
        assert!(error.contains("/below/a.inprogress`"), "{error}");
        assert_eq!(std::fs::read(below.join("a")).unwrap(), b"theirs");
        assert_eq!(std::fs::read(below.join("a.inprogress")).unwrap(), b"data");
        // The folder is called otherwise.
        let file = create("b");
        std::fs::rename(&below, folder.path().join("moved")).unwrap();
        assert!(!file.is_in_place());
        let error = file.finish().unwrap_err().to_string();
        assert!(error.contains("/moved/b.inprogress`, where somebody has moved them"), "{error}");
        // The folder is gone.
        let file = create("c");
        std::fs::remove_dir_all(&below).unwrap();
        assert!(!file.is_in_place());
        let error = file.finish().unwrap_err().to_string();
        assert!(error.contains("the data are gone: somebody has removed `"), "{error}");
        // A file in the place of ours is not ours.
        let file = create("d");
        std::fs::remove_file(below.join("d.inprogress")).unwrap();
        std::fs::write(below.join("d.inprogress"), "theirs").unwrap();
        assert!(!file.is_in_place());
    }

    #[test]
    fn a_file_beside_what_has_its_name_takes_its_place_or_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let names = || {
            let files = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<String> =
                files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let replaces = Purpose { is_kept: false, replaces: true };
        // Another program writes the same file, or was killed while it did.
        std::fs::write(folder.path().join("a.tmp"), "theirs").unwrap();
        for (is_finished, left) in
            [(false, &["a.tmp"][..]), (true, &["a", "a.tmp"]), (false, &["a", "a.tmp"])]
        {
            let mut file = GrowingFile::create_beside(&path, ".tmp", replaces).unwrap();
            file.append(&[b"ours"]).unwrap();
            assert!(file.written_path().ends_with("a.tmp-1"));
            match is_finished {
                true => file.finish().unwrap(),
                false => drop(file),
            }
            assert_eq!(names(), left);
        }
        assert_eq!(std::fs::read(folder.path().join("a.tmp")).unwrap(), b"theirs");
        // Without an ending the file has its name from the start, and an unfinished one is removed all the same.
        let mut file = GrowingFile::create_beside(&path, "", replaces).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"");
        file.append(&[b"half"]).unwrap();
        drop(file);
        assert_eq!(names(), ["a.tmp"]);
        // Data that cannot be had again are kept.
        let kept = Purpose { is_kept: true, replaces: false };
        let file = GrowingFile::create_new_as(&path, ".part", kept).unwrap().unwrap();
        file.file().unwrap().write_all(b"recorded").unwrap();
        assert!(GrowingFile::is_taken_as(&path, ".part"));
        assert!(GrowingFile::create_new_as(&path, ".part", kept).unwrap().is_none());
        drop(file);
        assert_eq!(names(), ["a.part", "a.tmp"]);
    }

    #[test]
    fn what_does_not_come_to_the_disk_is_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = GrowingFile::create(&path).unwrap();
        // A pipe cannot be synced.
        let (_reader, writer) = io::pipe().unwrap();
        file.file = File::from(std::os::fd::OwnedFd::from(writer));
        let error = file.finish_on_disk().unwrap_err().to_string();
        assert!(error.starts_with("wanted to write to the disk what was recorded, found"), "{error}");
        assert!(!path.exists());
    }

    #[test]
    fn a_name_is_given_to_one_of_many_only() {
        let folder = tempfile::tempdir().unwrap();
        // Many programs at once want the lowest free number; each writes its own name.
        let work = |who: u8| {
            let mut made = Vec::new();
            for number in 0..200 {
                if let Some(mut file) =
                    GrowingFile::create_new(&folder.path().join(number.to_string())).unwrap()
                {
                    file.append(&[&[who]]).unwrap();
                    file.finish().unwrap();
                    made.push((number, who));
                }
            }
            made
        };
        let made: Vec<_> = std::thread::scope(|scope| {
            let all: Vec<_> = (0..4).map(|who| scope.spawn(move || work(who))).collect();
            all.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(made.len(), 200);
        for (number, who) in made {
            assert_eq!(std::fs::read(folder.path().join(number.to_string())).unwrap(), [who]);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 200);
    }
}
