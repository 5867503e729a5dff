//! Where recorded files are opened: on the disks of the machine, and in stores that a program brings.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{ffi::OsStr, fmt};

use super::ReadAt;
use super::name::IN_PROGRESS;
use super::new_object::NewObject;
use crate::{Error, Result};

/// The beginnings of addresses; every other path is a path of the system.
const SCHEMES: [&str; 3] = ["s3://", "http://", "https://"];

/// Objects that have addresses, as `s3://bucket/key`, and are read as files are.
///
/// An object does not grow: a reader that is open reads the same bytes at every time, or reports an error.
pub trait Store: Send + Sync + fmt::Debug {
    /// Opens an object.
    ///
    /// # Errors
    /// [`io::ErrorKind::NotFound`] if there is none, or why it cannot be read.
    fn open(&self, address: &str) -> io::Result<Arc<dyn ReadAt>>;

    /// The addresses of the objects that lie in a folder, without those in folders below.
    ///
    /// # Errors
    /// [`io::ErrorKind::Unsupported`] if the store cannot list, or why it does not.
    fn list(&self, folder: &str) -> io::Result<Vec<String>>;

    /// Begins a new object, in place of another one if it `replaces`.
    ///
    /// # Errors
    /// [`io::ErrorKind::AlreadyExists`] if there is one that it does not replace, [`io::ErrorKind::Unsupported`] if the
    /// store is only read, or why it takes no object.
    fn create(&self, address: &str, replaces: bool) -> io::Result<Box<dyn NewObject>> {
        let _ = (address, replaces);
        Err(only_read())
    }

    /// Whether the store takes new objects at this address, as far as it tells beforehand.
    ///
    /// # Errors
    /// As [`Store::create`].
    fn check_new(&self, address: &str) -> io::Result<()> {
        let _ = address;
        Err(only_read())
    }

    /// Removes an object.
    ///
    /// # Errors
    /// If the store is only read, or why it does not.
    fn remove(&self, address: &str) -> io::Result<()> {
        let _ = address;
        Err(only_read())
    }

    /// Whether the address was noted with a secret.
    fn is_signed(&self, address: &str) -> bool {
        let _ = address;
        false
    }

    /// Notes the secret in an address, as the signature in its query, for all that is asked for there, and returns the address without it;
    /// `None` if it has none.
    ///
    /// # Errors
    /// If it is no address.
    fn note_secret(&self, address: &str) -> io::Result<Option<String>> {
        let _ = address;
        Ok(None)
    }
}

fn only_read() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "a store that is only read")
}

/// Where paths are opened: files on disks always, addresses in a [`Store`] if there is one. A handle: clones are alike.
///
/// ```
/// use livetime_formats::file::Stores;
///
/// let error = Stores::default().open("s3://bucket/run.xtc".as_ref()).unwrap_err().to_string();
/// assert!(error.starts_with("s3://bucket/run.xtc: wanted to open the file, found an address"), "{error}");
/// ```
#[derive(Clone, Default)]
pub struct Stores(Option<Arc<dyn Store>>);

/// The same store, or none.
impl PartialEq for Stores {
    fn eq(&self, other: &Stores) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            (a, b) => a.is_none() && b.is_none(),
        }
    }
}

impl fmt::Debug for Stores {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "disks and a store" } else { "disks" })
    }
}

impl Stores {
    /// Disks, and this store for addresses.
    pub fn with(store: Arc<dyn Store>) -> Stores {
        Stores(Some(store))
    }

    /// Opens the file or object that `path` names.
    ///
    /// # Errors
    /// If the system or the store refuses, or the path is an address and there is no store.
    pub fn open(&self, path: &Path) -> Result<RecordedFile> {
        self.try_open(path).map_err(|e| Error::io("to open the file", e).in_file(&*shown(path)))
    }

    /// The path by which a file is named from now on: of an address with a signature the address alone, while the store remembers the
    /// signature for it. Every address that comes from outside passes here first, so that no message and no report has a signature.
    ///
    /// # Errors
    /// If there is no store, or it is no address.
    pub fn named(&self, path: &Path) -> Result<PathBuf> {
        if matches!(shown(path), Cow::Borrowed(_)) {
            return Ok(path.to_owned());
        }
        let named =
            self.of(path).and_then(|of| of.map_or(Ok(None), |(store, address)| store.note_secret(address)));
        let named = named.map_err(|e| Error::io("to open the file", e).in_file(&*shown(path)))?;
        Ok(named.map_or_else(|| path.to_owned(), PathBuf::from))
    }

    fn try_open(&self, path: &Path) -> io::Result<RecordedFile> {
        match self.of(path)? {
            None => File::open(path).map(RecordedFile::from),
            Some((store, address)) => store.open(address).map(RecordedFile::Object),
        }
    }

    /// Whether an address is read with a signature that only this process has.
    pub fn is_signed(&self, path: &Path) -> bool {
        self.of(path).is_ok_and(|of| of.is_some_and(|(store, address)| store.is_signed(address)))
    }

    /// The files in a folder, in no order.
    ///
    /// # Errors
    /// If the system or the store refuses.
    pub fn list(&self, folder: &Path) -> io::Result<Vec<PathBuf>> {
        match self.of(folder)? {
            None => std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect(),
            Some((store, address)) => Ok(store.list(address)?.into_iter().map(PathBuf::from).collect()),
        }
    }

    /// Whether `path` is a file, or the address of an object. An address that cannot be asked for counts as one, so that
    /// opening it tells why.
    pub fn is_file(&self, path: &Path) -> bool {
        match address(path) {
            None => path.is_file(),
            Some(_) => !matches!(self.try_open(path), Err(e) if e.kind() == io::ErrorKind::NotFound),
        }
    }

    /// Whether there is something at `path`.
    pub fn exists(&self, path: &Path) -> bool {
        if address(path).is_some() { self.is_file(path) } else { path.exists() }
    }

    /// The store of an address, and the address; `None`: a path of the system.
    pub(super) fn of<'a>(&self, path: &'a Path) -> io::Result<Option<(&dyn Store, &'a str)>> {
        let Some(address) = address(path) else { return Ok(None) };
        let store = self.0.as_deref();
        let store = store.ok_or_else(|| {
            let why = "an address, which this program or this command does not read (feature `objects`)";
            io::Error::new(io::ErrorKind::Unsupported, why)
        })?;
        Ok(Some((store, address)))
    }
}

/// The address that a path is; `None`: it is a path of the system.
///
/// ```
/// use livetime_formats::file::address;
///
/// assert_eq!(address("s3://bucket/run.xtc".as_ref()), Some("s3://bucket/run.xtc"));
/// assert_eq!(address("./s3:/bucket".as_ref()), None);
/// ```
pub fn address(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| SCHEMES.iter().any(|scheme| text.starts_with(scheme)))
}

/// The path as messages may show it: an address of http without its query, which may be a signature.
///
/// ```
/// use livetime_formats::file::shown;
///
/// assert_eq!(*shown("https://host/run.h5?X-Amz-Signature=12ab".as_ref()), *"https://host/run.h5");
/// ```
pub fn shown(path: &Path) -> Cow<'_, Path> {
    let query =
        address(path).filter(|text| text.starts_with("http")).and_then(|text| text.split_once(['?', '#']));
    query.map_or(Cow::Borrowed(path), |(address, _)| Cow::Owned(PathBuf::from(address)))
}

/// The path from the root on; an address stays as it is.
///
/// # Errors
/// If the path is empty, or the system does not tell the folder of the program.
pub fn absolute(path: &Path) -> io::Result<PathBuf> {
    if address(path).is_some() { Ok(path.to_owned()) } else { std::path::absolute(path) }
}

/// The folder of a file: `.` for a name alone.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// A recorded file that is open: a file of the system, or an object of a store. Clones read the same file.
#[derive(Clone)]
pub enum RecordedFile {
    /// On a disk.
    Disk(Arc<File>),
    /// In a store.
    Object(Arc<dyn ReadAt>),
}

impl From<File> for RecordedFile {
    fn from(file: File) -> RecordedFile {
        RecordedFile::Disk(Arc::new(file))
    }
}

impl fmt::Debug for RecordedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordedFile::Disk(file) => file.fmt(f),
            RecordedFile::Object(_) => f.write_str("an object"),
        }
    }
}

impl ReadAt for RecordedFile {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        match self {
            RecordedFile::Disk(file) => ReadAt::read_at(&**file, buffer, offset),
            RecordedFile::Object(object) => object.read_at(buffer, offset),
        }
    }

    fn size(&self) -> io::Result<u64> {
        match self {
            RecordedFile::Disk(file) => file.size(),
            RecordedFile::Object(object) => object.size(),
        }
    }

    fn will_need(&self, offset: u64, length: u64) {
        match self {
            RecordedFile::Disk(file) => file.will_need(offset, length),
            RecordedFile::Object(object) => object.will_need(offset, length),
        }
    }
}

/// Whether the name ends in `.inprogress`, and the file may grow. An object never does.
pub(super) fn is_named_growing(path: &Path) -> bool {
    path.extension() == Some(OsStr::new(IN_PROGRESS)) && address(path).is_none()
}
