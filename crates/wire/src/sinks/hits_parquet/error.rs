//! Why hits are not written.

use std::{fmt, io};

use parquet::errors::ParquetError;

/// Why hits are not written.
#[derive(Debug)]
pub(super) enum HitsError {
    /// The library for Parquet, or the system below it, refuses.
    Parquet(ParquetError),
    /// The system refuses to write an index.
    Index(io::Error),
    /// The file cannot be cut, finished or removed.
    File(livetime_formats::Error),
    /// No file can be created.
    NoFile(livetime_filing::Error),
    /// The file has two writers.
    TwoWriters,
}

impl fmt::Display for HitsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The words of the library around it say nothing.
            HitsError::Parquet(ParquetError::General(text) | ParquetError::EOF(text)) => f.write_str(text),
            HitsError::Parquet(ParquetError::External(inner)) => inner.fmt(f),
            HitsError::Parquet(error) => error.fmt(f),
            HitsError::Index(error) => error.fmt(f),
            HitsError::File(error) => error.fmt(f),
            HitsError::NoFile(error) => error.fmt(f),
            HitsError::TwoWriters => f.write_str("the file has two writers"),
        }
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for HitsError {
            fn from(error: $source) -> HitsError {
                HitsError::$variant(error)
            }
        }
    )*};
}

from!(
    ParquetError => Parquet, io::Error => Index, livetime_formats::Error => File,
    livetime_filing::Error => NoFile
);
