//! The parts of header and blocks of a stream.

use twox_hash::XxHash3_64;

use crate::CodecError;

pub(super) const NAME: &str = "blockpack";

/// Length and checksum of a block.
pub(super) const ENTRY: usize = 8;

/// A frame that is subtracted from others. Encoder and decoder need the same one.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    pub(super) id: u64,
    pub(super) data: &'a [u8],
}

impl<'a> Reference<'a> {
    /// A frame with an identity of the caller's choice, which is stored in the streams that need it.
    pub fn new(id: u64, data: &'a [u8]) -> Reference<'a> {
        // 0 stands for no reference.
        Reference { id: id.max(1), data }
    }

    /// A frame whose identity is the XXH3 checksum of its bytes, so that another one will not be taken for it.
    pub fn by_content(data: &'a [u8]) -> Reference<'a> {
        Reference::new(XxHash3_64::oneshot(data), data)
    }

    /// Its identity, never 0.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Its elements as bytes.
    pub fn data(&self) -> &'a [u8] {
        self.data
    }
}

pub(super) fn check_reference(reference: Option<Reference<'_>>, wanted: usize) -> Result<(), CodecError> {
    match reference {
        Some(r) if r.data.len() != wanted => {
            Err(CodecError::Length { what: "bytes of the reference frame", wanted, found: r.data.len() })
        }
        _ => Ok(()),
    }
}

/// The checksum of a part of a stream.
pub(super) fn checksum(bytes: &[u8]) -> u32 {
    XxHash3_64::oneshot(bytes) as u32
}

pub(super) fn damaged(what: &'static str, wanted: u64, found: u64, at: usize) -> CodecError {
    CodecError::Damaged { codec: NAME, what, wanted, found, at }
}
