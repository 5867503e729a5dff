//! Why an array is not compressed, or a stream not decompressed.

use std::fmt;

use image::ImageError;
use livetime_codecs::CodecError;
use livetime_engine::Refusal;

use crate::error::Mismatch;

/// Why an array is not compressed, or a stream not decompressed.
#[derive(Debug)]
pub enum PackError {
    /// A lossless codec refuses.
    Codec(CodecError),
    /// The library for JPEG refuses.
    Jpeg(ImageError),
    /// The array or the stream is not of the kind that was wanted.
    Kind(Mismatch),
    /// The compressor of Blosc can only be read here.
    Compressor(Refusal),
    /// The codec panicked.
    Panicked(Panicked),
}

/// The library that reads or writes a format panicked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Panicked;

impl PackError {
    /// Whether the text of the error includes the wanted value.
    pub(crate) fn says_wanted(&self) -> bool {
        matches!(self, PackError::Kind(_) | PackError::Compressor(_))
    }
}

impl fmt::Display for PackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PackError::Codec(error) => error.fmt(f),
            PackError::Jpeg(error) => error.fmt(f),
            PackError::Kind(error) => error.fmt(f),
            PackError::Compressor(error) => error.fmt(f),
            PackError::Panicked(error) => error.fmt(f),
        }
    }
}

impl fmt::Display for Panicked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the codec panicked")
    }
}

impl std::error::Error for PackError {}

impl std::error::Error for Panicked {}

impl From<CodecError> for PackError {
    fn from(error: CodecError) -> PackError {
        PackError::Codec(error)
    }
}

impl From<ImageError> for PackError {
    fn from(error: ImageError) -> PackError {
        PackError::Jpeg(error)
    }
}

impl From<Mismatch> for PackError {
    fn from(error: Mismatch) -> PackError {
        PackError::Kind(error)
    }
}

impl From<Refusal> for PackError {
    fn from(error: Refusal) -> PackError {
        PackError::Compressor(error)
    }
}

impl From<Panicked> for PackError {
    fn from(error: Panicked) -> PackError {
        PackError::Panicked(error)
    }
}
