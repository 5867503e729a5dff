//! The file that is made under a name of its own until it is whole.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{FlockOperation, OFlags, flock};
use rustix::io::Errno;

use crate::{Error, Result};

/// The ending of a made file's name until the file is whole. A recorded file ends with `.inprogress` instead, which
/// says that more may come.
pub(super) const UNPROVED: &str = "unproved";
/// How often the file is opened while other programs finish theirs of the same name.
const MOST_TRIES: usize = 100;

/// Creates `path`, to write it alone. The rest of this name that a killed program has left is removed.
///
/// A program that makes a file holds a lock on it, which the system takes back when the program ends in any way. A file
/// without a lock therefore belongs to no living program.
///
/// # Errors
/// If another program makes it, or the operating system reports an error.
pub(super) fn open(path: &Path) -> Result<File> {
    for _ in 0..MOST_TRIES {
        if let Some(file) = try_create(path).map_err(|e| refused(path, e))? {
            return Ok(file);
        }
    }
    Err(refused(path, io::ErrorKind::WouldBlock.into()))
}

/// `None` if there was a file that is gone now: it may be tried again.
fn try_create(path: &Path) -> io::Result<Option<File>> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(OFlags::NOFOLLOW.bits() as i32);
    match options.clone().create_new(true).open(path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => remove_unowned(options.open(path), path),
        created => {
            let file = created?;
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                // Another program has locked the file, taking it for the rest of a killed one.
                Err(Errno::WOULDBLOCK) => Ok(None),
                // A file system without locks does for one program at a time.
                _ => Ok(is_at(&file, path).then_some(file)),
            }
        }
    }
}

/// Removes the file if no program makes it any more.
fn remove_unowned(opened: io::Result<File>, path: &Path) -> io::Result<Option<File>> {
    let file = match opened {
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
        file => file?,
    };
    flock(&file, FlockOperation::NonBlockingLockExclusive)?;
    if is_at(&file, path) {
        std::fs::remove_file(path)?;
    }
    Ok(None)
}

fn refused(path: &Path, error: io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::WouldBlock => {
            Error::new("to make the file alone", "another program that is making it").in_file(path)
        }
        _ => Error::io("to create the file", error).in_file(path),
    }
}

/// Whether the name `path` is one of this open file.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let same = |a: std::fs::Metadata, b: std::fs::Metadata| (a.dev(), a.ino()) == (b.dev(), b.ino());
    file.metadata().ok().zip(std::fs::metadata(path).ok()).is_some_and(|(open, named)| same(open, named))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::GrowingFile;

    #[test]
    fn what_is_made_is_there_as_a_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (path, written) = (folder.path().join("a"), folder.path().join("a.unproved"));
        let mut file = GrowingFile::make(&path).unwrap();
        file.append(&[b"half"]).unwrap();
        assert_eq!((file.written_path(), written.exists()), (&*written, true));
        let error = GrowingFile::make(&path).unwrap_err().to_string();
        assert!(error.contains("a.unproved: wanted to make the file alone"), "{error}");
        drop(file);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // The rest of a killed program blocks no other program.
        fs::write(&written, "of a program that was killed").unwrap();
        let mut file = GrowingFile::make(&path).unwrap();
        file.append(&[b"whole"]).unwrap();
        file.finish().unwrap();
        assert_eq!((fs::read(&path).unwrap(), written.exists()), (b"whole".to_vec(), false));
        let error = GrowingFile::make(&path).unwrap_err().to_string();
        assert!(error.ends_with("/a: wanted a file that is not there yet, found one"), "{error}");
    }

    #[test]
    fn a_name_that_was_taken_meanwhile_stays_with_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut file = GrowingFile::make(&path).unwrap();
        file.append(&[b"ours"]).unwrap();
        fs::write(&path, "theirs").unwrap();
        assert!(file.finish().is_err());
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()),
            (b"theirs".to_vec(), 1)
        );
        // A replacement leaves the old file alone until it is whole.
        let mut file = GrowingFile::replace(&path).unwrap();
        file.append(&[b"new"]).unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        let mut file = GrowingFile::replace(&path).unwrap();
        file.append(&[b"new"]).unwrap();
        file.finish().unwrap();
        assert_eq!(
            (fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()),
            (b"new".to_vec(), 1)
        );
    }

    #[test]
    fn no_device_is_replaced() {
        let error = GrowingFile::replace("/dev/null".as_ref()).unwrap_err().to_string();
        assert_eq!(error, "/dev/null: wanted the name of a file, found a device or a pipe");
    }

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [path, other] = ["a", "other"].map(|name| folder.path().join(name));
        fs::write(&other, "theirs").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join("a.unproved")).unwrap();
        assert!(GrowingFile::make(&path).is_err());
        assert_eq!(fs::read(&other).unwrap(), b"theirs");
    }

    #[test]
    fn a_recording_without_data_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        drop(GrowingFile::create(&path).unwrap());
        assert!(!GrowingFile::is_taken(&path));
        let mut file = GrowingFile::create(&path).unwrap();
        file.append(&[b"data"]).unwrap();
        drop(file);
        assert_eq!(fs::read(folder.path().join("a.inprogress")).unwrap(), b"data");
    }
}
