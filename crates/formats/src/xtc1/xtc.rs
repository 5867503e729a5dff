//! The unit of all data: a container or a leaf.

use super::{Damage, Src, TypeId};
use crate::fields::Fields;
use crate::file::{self, Nested};
use crate::{Error, Result};

/// The beginning of a container or leaf.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct XtcHeader {
    /// The damage.
    pub damage: Damage,
    /// The sender.
    pub src: Src,
    /// The type.
    pub type_id: TypeId,
    /// Its length in bytes with this header.
    pub extent: u32,
}

impl XtcHeader {
    /// Its length.
    pub const LEN: usize = 20;

    /// Without damage and data.
    pub fn new(src: Src, type_id: TypeId) -> XtcHeader {
        XtcHeader { damage: Damage(0), src, type_id, extent: XtcHeader::LEN as u32 }
    }

    /// Reads it; nothing is checked.
    pub fn parse(bytes: &[u8; XtcHeader::LEN]) -> XtcHeader {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        XtcHeader {
            damage: Damage(word(0)),
            src: Src { log: word(4), phy: word(8) },
            type_id: TypeId(word(12)),
            extent: word(16),
        }
    }

    /// As it lies in a file.
    pub fn to_bytes(self) -> [u8; XtcHeader::LEN] {
        let words = [self.damage.0, self.src.log, self.src.phy, self.type_id.0, self.extent];
        let mut bytes = [0; XtcHeader::LEN];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// Whether the content is containers and leaves, and may be read: the content of an incomplete container means
    /// nothing.
    pub fn is_entered(&self) -> bool {
        self.type_id.is_container() && !self.damage.contains(Damage::INCOMPLETE)
    }
}

impl Nested for XtcHeader {
    type Bytes = [u8; XtcHeader::LEN];

    const LEN: usize = XtcHeader::LEN;

    fn from_bytes(bytes: &Self::Bytes) -> XtcHeader {
        XtcHeader::parse(bytes)
    }

    fn extent(&self) -> u32 {
        self.extent
    }

    fn is_entered(&self) -> bool {
        XtcHeader::is_entered(self)
    }
}

/// A container or leaf where it lies.
pub type Xtc<'a> = file::Xtc<'a, XtcHeader>;

impl<'a> Xtc<'a> {
    /// A leaf that stands alone in `bytes`, as one that was read from a file at the place that small data tell.
    ///
    /// # Errors
    /// If there are fewer bytes than it says.
    pub fn parse(bytes: &'a [u8]) -> Result<Xtc<'a>> {
        let mut fields = Fields::new(bytes);
        let header = XtcHeader::parse(&fields.array()?);
        let Some(length) = (header.extent as usize).checked_sub(XtcHeader::LEN) else {
            return Err(Error::new("an extent of at least 20", header.extent.to_string()).at(16));
        };
        Ok(Xtc { header, offset: 0, depth: 0, payload: fields.take(length)? })
    }

    /// Whether it holds other containers and leaves, also if they cannot be looked at.
    pub fn is_container(&self) -> bool {
        self.header.type_id.is_container()
    }
}
