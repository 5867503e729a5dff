//! The errors of arrays and streams.

use std::fmt;

use livetime_kernels::LengthError;

use crate::DType;

/// Why an array could not be encoded or a stream not be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodecError {
    /// The codec does not take elements of this type.
    DType {
        /// Name of the codec.
        codec: &'static str,
        /// The type.
        dtype: DType,
    },
    /// The output is too small.
    Room {
        /// Name of the codec.
        codec: &'static str,
        /// Bytes that would be enough.
        wanted: usize,
        /// Bytes there are.
        found: usize,
    },
    /// Something of the caller's does not have the length that it must have.
    Length {
        /// The part of the call that is wrong, such as the input.
        what: &'static str,
        /// Length it must have.
        wanted: usize,
        /// Length it has.
        found: usize,
    },
    /// The array is larger than the format can say.
    Limit {
        /// Name of the codec.
        codec: &'static str,
        /// Bytes of the largest possible array.
        most: usize,
        /// Bytes of the array.
        found: usize,
    },
    /// The stream is not one of this codec, is not of this array, or has been damaged.
    Damaged {
        /// Name of the codec.
        codec: &'static str,
        /// The fault.
        what: &'static str,
        /// Number that was expected; for sizes often the least possible.
        wanted: u64,
        /// Number that was found.
        found: u64,
        /// Byte of the stream where it was found.
        at: usize,
    },
    /// The stream is one of a kind that is not known here, or left out of this program.
    Unsupported {
        /// Name of the codec.
        codec: &'static str,
        /// The known ones.
        wanted: &'static str,
        /// The found value.
        found: &'static str,
    },
    /// A filter of a file has a setting that is not known here.
    Setting {
        /// Name of the codec.
        codec: &'static str,
        /// Which setting it is.
        what: &'static str,
        /// The known ones.
        wanted: &'static str,
        /// The number that was found.
        found: u64,
    },
    /// The library behind a codec failed for a reason of its own, most likely for lack of memory.
    Library {
        /// Name of the codec.
        codec: &'static str,
    },
    /// The stream was made with a reference frame, which was not given or is another one.
    Reference {
        /// Identity of the frame that the stream needs, `None` if it needs none.
        wanted: Option<u64>,
        /// Identity of the frame that was given.
        found: Option<u64>,
    },
}

impl fmt::Display for CodecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodecError::DType { codec, dtype } => write!(f, "{codec} cannot compress {dtype}"),
            CodecError::Room { codec, wanted, found } => {
                write!(f, "{codec} needs {wanted} bytes of output, found {found}")
            }
            CodecError::Length { what, wanted, found } => {
                write!(f, "{what}: wanted {wanted}, found {found}")
            }
            CodecError::Limit { codec, most, found } => {
                write!(f, "{codec} can compress {most} bytes at once, found {found}")
            }
            CodecError::Damaged { codec, what, wanted, found, at } => {
                write!(f, "{codec} stream, byte {at}: {what}: wanted {wanted}, found {found}")
            }
            CodecError::Unsupported { codec, wanted, found } => {
                write!(f, "{codec}: wanted {wanted}, found {found}")
            }
            CodecError::Setting { codec, what, wanted, found } => {
                write!(f, "{codec}: {what}: wanted {wanted}, found {found}")
            }
            CodecError::Library { codec } => {
                write!(f, "the library of {codec} failed; is there memory left?")
            }
            CodecError::Reference { wanted, found } => {
                write!(f, "reference frame: wanted {}, found {}", Id(*wanted), Id(*found))
            }
        }
    }
}

impl std::error::Error for CodecError {}

impl From<LengthError> for CodecError {
    fn from(error: LengthError) -> CodecError {
        CodecError::Length { what: error.what, wanted: error.expected, found: error.len }
    }
}

/// An identity as it is printed.
struct Id(Option<u64>);

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(id) => write!(f, "{id:#018x}"),
            None => f.write_str("none"),
        }
    }
}
