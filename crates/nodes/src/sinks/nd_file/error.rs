//! Why a frame is not written to a file, or a file not completed.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use image::ImageError;
use livetime_frame::{LayoutError, WrongPayload};
use livetime_runtime::ordered::Panicked as CrewPanicked;
use tiff::TiffError;

use crate::codec::{PackError, Panicked};
use crate::error::Mismatch;

/// Why a format of files does not write a frame, or does not complete a file.
#[derive(Debug)]
pub enum WriteError {
    /// Something else was found than was wanted, most often another kind of frame.
    Kind(Mismatch),
    /// The frame has no array.
    Payload(WrongPayload),
    /// There is no array of this shape.
    Layout(LayoutError),
    /// The pixels are not compressed.
    Pack(PackError),
    /// The library of a format of pictures refuses.
    Picture(ImageError),
    /// The library for TIFF refuses.
    Tiff(TiffError),
    /// The library of a format panicked.
    Panicked(Panicked),
    /// A thread that compresses panicked.
    Thread(CrewPanicked),
    /// The format, or the system, refuses.
    Format(livetime_formats::Error),
    /// The file cannot be created, opened, or given its name.
    File(livetime_formats::Error),
    /// The format, or the system, refuses another file, which the error names.
    OtherFile(livetime_formats::Error),
    /// The system refuses.
    System(io::Error),
    /// There is no handle of the file.
    NoHandle(Box<NotWritten>),
    /// No file is open.
    NotOpen,
}

impl WriteError {
    /// Whether the text of the error includes the wanted value.
    fn says_wanted(&self) -> bool {
        match self {
            WriteError::Kind(_) | WriteError::Payload(_) | WriteError::Format(_) | WriteError::Thread(_) => {
                true
            }
            WriteError::File(error) => error.io_error().is_none(),
            WriteError::Pack(error) => error.says_wanted(),
            WriteError::OtherFile(error) => error.file().is_none(),
            _ => false,
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Kind(error) => error.fmt(f),
            WriteError::Payload(error) => error.fmt(f),
            WriteError::Layout(error) => error.fmt(f),
            WriteError::Pack(error) => error.fmt(f),
            WriteError::Picture(error) => error.fmt(f),
            WriteError::Tiff(error) => error.fmt(f),
            WriteError::Panicked(error) => error.fmt(f),
            WriteError::Thread(error) => error.fmt(f),
            WriteError::Format(error) => f.write_str(&error.reason()),
            WriteError::File(error) => f.write_str(&error.cause()),
            WriteError::OtherFile(error) => error.fmt(f),
            WriteError::System(error) => error.fmt(f),
            WriteError::NoHandle(error) => error.fmt(f),
            WriteError::NotOpen => f.write_str("that no file is open"),
        }
    }
}

impl std::error::Error for WriteError {}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for WriteError {
            fn from(error: $source) -> WriteError {
                WriteError::$variant(error.into())
            }
        }
    )*};
}

from!(
    Mismatch => Kind, WrongPayload => Payload, LayoutError => Layout, PackError => Pack, TiffError => Tiff,
    Panicked => Panicked, CrewPanicked => Thread, livetime_formats::Error => Format, io::Error => System,
    NotWritten => NoHandle, livetime_engine::Refusal => Pack
);

/// A file that could not be written.
#[derive(Debug)]
pub struct NotWritten {
    path: PathBuf,
    why: WriteError,
}

impl NotWritten {
    pub(in super::super) fn new(path: &Path, why: WriteError) -> NotWritten {
        NotWritten { path: path.to_owned(), why }
    }
}

/// An error that includes the wanted value only gets the name of the file.
impl fmt::Display for NotWritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, why) = (self.path.display(), &self.why);
        match why.says_wanted() {
            true => write!(f, "`{path}`: {why}"),
            false => write!(f, "`{path}`: wanted to write a file, found: {why}"),
        }
    }
}

impl std::error::Error for NotWritten {}

/// Why the node has not written its frames.
#[derive(Debug)]
pub(super) enum Unwritten {
    /// Before there was a file for them.
    Refused(WriteError),
    /// Into this file.
    File(NotWritten),
    /// No file could be created.
    NoFile(livetime_filing::Error),
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::Refused(error) => error.fmt(f),
            Unwritten::File(error) => error.fmt(f),
            Unwritten::NoFile(error) => error.fmt(f),
        }
    }
}

impl From<WriteError> for Unwritten {
    fn from(error: WriteError) -> Unwritten {
        Unwritten::Refused(error)
    }
}

impl From<Mismatch> for Unwritten {
    fn from(error: Mismatch) -> Unwritten {
        Unwritten::Refused(error.into())
    }
}

impl From<NotWritten> for Unwritten {
    fn from(error: NotWritten) -> Unwritten {
        Unwritten::File(error)
    }
}

impl From<livetime_filing::Error> for Unwritten {
    fn from(error: livetime_filing::Error) -> Unwritten {
        Unwritten::NoFile(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_that_says_what_was_wanted_gets_the_name_alone() {
        let told = |why: WriteError| NotWritten::new(Path::new("/a.tif"), why).to_string();
        assert_eq!(told(Mismatch::new("u8", "f32").into()), "`/a.tif`: wanted u8, found f32");
        let wanted = || livetime_formats::Error::new("a row", "none");
        assert_eq!(told(wanted().into()), "`/a.tif`: wanted a row, found none");
        let found = "`/a.tif`: wanted to write a file, found: ";
        assert_eq!(told(io::Error::other("no space left").into()), format!("{found}no space left"));
        assert_eq!(told(WriteError::NotOpen), format!("{found}that no file is open"));
        let other = WriteError::OtherFile(wanted().in_file("/b.h5"));
        assert_eq!(told(other), format!("{found}/b.h5: wanted a row, found none"));
        let system = livetime_formats::Error::io("to write", io::Error::other("no space left"));
        assert_eq!(told(WriteError::File(system)), format!("{found}no space left"));
    }
}
