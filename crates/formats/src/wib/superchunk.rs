//! Frames that FELIX has joined.

use super::Wib1Frame;
use crate::{Error, Result};

/// 6 or 12 WIB1 frames of one link in a row.
///
/// ```
/// use livetime_formats::wib::Superchunk;
/// let bytes = [0; 12 * 464];
/// assert_eq!(Superchunk::parse(&bytes)?.frames().count(), 12);
/// assert!(Superchunk::parse(&bytes[1..]).is_err());
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Superchunk<'a>(&'a [u8]);

impl<'a> Superchunk<'a> {
    /// The frames in `bytes`.
    ///
    /// # Errors
    /// `bytes` is not as long as 6 or 12 frames.
    pub fn parse(bytes: &'a [u8]) -> Result<Superchunk<'a>> {
        if bytes.len() == 6 * Wib1Frame::BYTES || bytes.len() == 12 * Wib1Frame::BYTES {
            return Ok(Superchunk(bytes));
        }
        Err(Error::new("a superchunk of 2784 or 5568 bytes", format!("{} bytes", bytes.len())))
    }

    /// The frames in their order.
    pub fn frames(&self) -> impl Iterator<Item = Wib1Frame<'a>> + use<'a> {
        self.0.chunks_exact(Wib1Frame::BYTES).filter_map(|bytes| Wib1Frame::parse(bytes).ok())
    }

    /// All bytes, as the kernels unpack them.
    pub fn bytes(&self) -> &'a [u8] {
        self.0
    }
}
