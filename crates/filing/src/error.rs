//! Why a file is not written.

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of work with files.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The wanted value in errors about the name of a new file.
pub(crate) const NEW: &str = "a new file";

/// Why a file cannot be named, created or written.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A template of names that is none.
    Template {
        /// The wanted value.
        wanted: &'static str,
        /// The template.
        found: String,
    },
    /// There is no folder, and none may be created.
    NoFolder {
        /// The folder.
        folder: String,
        /// How many may be created, as [`ensure_folder`](crate::ensure_folder) takes it.
        create: i32,
    },
    /// A folder in which the system refuses an operation.
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The wanted operation.
        wanted: &'static str,
        /// The error of the system.
        found: std::io::Error,
    },
    /// A name that cannot be, or must not become, the name of the file.
    Name {
        /// The name.
        path: PathBuf,
        /// The wanted value.
        wanted: &'static str,
        /// The value that was found.
        found: &'static str,
    },
    /// The file itself.
    File(livetime_formats::Error),
    /// No folder is named.
    NoPath,
    /// A folder whose files the system does not list.
    Unlisted {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        found: std::io::Error,
    },
    /// The error of the writer of a format.
    Writer(Box<dyn std::error::Error + Send + Sync>),
    /// Nothing was tried, since a write failed for this reason less than a second ago.
    Waiting(String),
}

impl Error {
    /// The name `path` is one of a file that is there.
    pub fn taken(path: &Path) -> Error {
        Error::name(path, NEW, "one of this name")
    }

    /// The error of the writer of a format.
    pub fn writer(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
        Error::Writer(error.into())
    }

    pub(crate) fn folder(folder: &Path, wanted: &'static str, found: impl Into<std::io::Error>) -> Error {
        Error::Folder { folder: folder.to_owned(), wanted, found: found.into() }
    }

    pub(crate) fn name(path: &Path, wanted: &'static str, found: &'static str) -> Error {
        Error::Name { path: path.to_owned(), wanted, found }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Template { wanted, found } => write!(f, "wanted {wanted}, found `{found}`"),
            Error::NoFolder { folder, create } => {
                write!(f, "`{folder}`: wanted a folder, found none (create_directory is {create})")
            }
            Error::Folder { folder, wanted, found } => {
                write!(f, "`{}`: wanted {wanted}, found: {found}", folder.display())
            }
            Error::Name { path, wanted, found } => {
                write!(f, "`{}`: wanted {wanted}, found {found}", path.display())
            }
            Error::File(error) => error.fmt(f),
            Error::NoPath => f.write_str("wanted a folder for the file, found none: `path` is empty"),
            Error::Unlisted { folder, found } => write!(f, "`{}`: {found}", folder.display()),
            Error::Writer(error) => error.fmt(f),
            Error::Waiting(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Folder { found, .. } | Error::Unlisted { found, .. } => Some(found),
            Error::File(error) => Some(error),
            Error::Writer(error) => Some(&**error),
            _ => None,
        }
    }
}

impl From<livetime_formats::Error> for Error {
    fn from(error: livetime_formats::Error) -> Error {
        Error::File(error)
    }
}
