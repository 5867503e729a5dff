//! Why a file is no picture.

use std::collections::TryReserveError;
use std::{fmt, io};

use image::ImageError;
use livetime_frame::LayoutError;
use tiff::TiffError;

use crate::codec::Panicked;
use crate::error::Mismatch;

/// Why a file is no picture that can be sent.
#[derive(Debug)]
pub(crate) enum PictureError {
    /// Something else was found than was wanted.
    Kind(Mismatch),
    /// The file cannot be read.
    Read(io::Error),
    /// The library for JPEG and PNG refuses.
    Image(ImageError),
    /// The library for TIFF refuses.
    Tiff(TiffError),
    /// The library panicked.
    Panicked(Panicked),
    /// There is no array of this shape.
    Layout(LayoutError),
    /// There is no memory for pixels with transparency.
    Memory(TryReserveError),
}

impl fmt::Display for PictureError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PictureError::Kind(error) => error.fmt(f),
            PictureError::Read(error) => write!(f, "wanted a picture, found: {error}"),
            PictureError::Image(error) => error.fmt(f),
            PictureError::Tiff(error) => error.fmt(f),
            PictureError::Panicked(error) => error.fmt(f),
            PictureError::Layout(error) => error.fmt(f),
            PictureError::Memory(error) => error.fmt(f),
        }
    }
}

macro_rules! from {
    ($($source:ty => $variant:ident),*) => {$(
        impl From<$source> for PictureError {
            fn from(error: $source) -> PictureError {
                PictureError::$variant(error)
            }
        }
    )*};
}

from!(
    Mismatch => Kind, io::Error => Read, ImageError => Image, TiffError => Tiff, Panicked => Panicked,
    LayoutError => Layout, TryReserveError => Memory
);
