//! Why results are in no file.

use std::fmt;
use std::io;
use std::path::PathBuf;

use livetime_formats::Error;

/// Why a file of results could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum FileError {
    /// The name of a table says no format in which tables are written.
    Ending(PathBuf),
    /// The program was built without the feature `parquet`.
    NoParquet,
    /// A column's name cannot stand in a structured array of NumPy.
    ColumnName(String),
    /// The folder for the files cannot be made.
    Folder(PathBuf, io::Error),
    /// A file of an earlier analysis cannot be removed.
    Former(PathBuf, io::Error),
    /// This file cannot be written.
    File(PathBuf, Box<FileError>),
    /// The new file cannot be given its name.
    Named(Error),
    /// The system refuses to write.
    Refused(Error),
    /// The system refuses to write.
    Io(io::Error),
    /// The picture is larger than its format allows.
    Picture(image::ImageError),
    /// The table is none that Parquet has.
    #[cfg(feature = "parquet")]
    Parquet(parquet::errors::ParquetError),
}

impl FileError {
    /// The error of the file at `path`.
    pub(super) fn of(path: PathBuf) -> impl FnOnce(FileError) -> FileError {
        move |why| FileError::File(path, Box::new(why))
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FileError::Ending(path) => {
                write!(f, "wanted a name that ends with .parquet, .csv or .npy, found {}", path.display())
            }
            FileError::NoParquet => f.write_str(
                "wanted a program built with the feature `parquet` (--tables), found one without it",
            ),
            FileError::ColumnName(name) => {
                write!(f, "wanted names without quotes, backslashes and ends of lines, found `{name}`")
            }
            FileError::Folder(path, why) => write!(f, "cannot make the folder {}: {why}", path.display()),
            FileError::Former(path, why) => write!(f, "cannot remove {}: {why}", path.display()),
            FileError::File(path, why) => write!(f, "cannot write {}: {why}", path.display()),
            FileError::Named(error) => error.fmt(f),
            FileError::Refused(error) => f.write_str(&error.reason()),
            FileError::Io(error) => error.fmt(f),
            FileError::Picture(error) => error.fmt(f),
            #[cfg(feature = "parquet")]
            FileError::Parquet(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for FileError {}

impl From<image::ImageError> for FileError {
    fn from(error: image::ImageError) -> FileError {
        FileError::Picture(error)
    }
}
