//! Reference frames that a file holds itself, so that a reader of its leaves of blockpack needs nothing else.
//!
//! Each is a leaf of type [`id::REFERENCE_FRAME`] in the Configure that is in force, from the sender of the leaves that were
//! compressed against it (`docs/formats/xtc.md`). [`Configs`] carry them, and
//! [`Decompressor::decode_with`](super::compressed::Decompressor::decode_with) finds them there.

use std::sync::Arc;

use livetime_codecs::Reference;

use super::{Builder, Configs, Src, TypeId, Xtc, XtcHeader, id};
use crate::Result;
use crate::fields::Fields;

/// The frame against which panels of one sender and number are compressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReferenceFrame {
    /// The detector.
    pub src: Src,
    /// Type of the leaves, not compressed.
    pub type_id: TypeId,
    /// Number of the panel.
    pub panel: u32,
    /// Bytes as [`Panel::data`](super::data::Panel::data) has them.
    pub data: Arc<[u8]>,
    id: u64,
}

impl ReferenceFrame {
    /// A frame for panel `panel` of the leaves of that type that `src` sends.
    pub fn new(src: Src, type_id: TypeId, panel: u32, data: Arc<[u8]>) -> ReferenceFrame {
        let id = Reference::by_content(&data).id();
        ReferenceFrame { src, type_id: type_id.plain(), panel, data, id }
    }

    /// The reference for the codec. Its identity follows from the content, and was computed before.
    pub fn reference(&self) -> Reference<'_> {
        Reference::new(self.id, &self.data)
    }

    /// Appends its leaf to a Configure.
    ///
    /// ```
    /// use livetime_formats::xtc1::reference::{ReferenceFrame, find};
    /// use livetime_formats::xtc1::{
    ///     Builder, Configs, Datagram, DatagramHeader, Src, Transition, TypeId, id,
    /// };
    ///
    /// let (camera, frame) = (Src::detector(24, 0, 3, 1), TypeId::new(id::FRAME, 1));
    /// let dark = ReferenceFrame::new(camera, frame, 0, [7; 600].into());
    /// let mut bytes = Vec::new();
    /// let mut builder = Builder::new(&mut bytes, &DatagramHeader::new(Transition::Configure, 0, 0));
    /// dark.write(&mut builder)?;
    /// builder.finish()?;
    ///
    /// let mut configs = Configs::default();
    /// configs.add(&Datagram::parse(&bytes)?);
    /// assert_eq!(find(&configs, dark.reference().id()), Some(&dark.data[..]));
    /// # Ok::<(), livetime_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// If it is larger than the format can say.
    pub fn write(&self, builder: &mut Builder<'_>) -> Result<()> {
        let header = XtcHeader::new(self.src, TypeId::new(id::REFERENCE_FRAME, 1));
        let words = [self.type_id.0, self.panel].map(u32::to_le_bytes);
        let padding = &[0; 3][..self.data.len().wrapping_neg() % 4];
        let length = (self.data.len() as u32).to_le_bytes();
        builder.leaf(header, &[&self.id.to_le_bytes(), &words[0], &words[1], &length, &self.data, padding])
    }

    /// Reads the payload of a leaf of type [`id::REFERENCE_FRAME`] that `src` sent.
    ///
    /// # Errors
    /// If it is shorter than it says.
    pub fn parse(src: Src, payload: &[u8]) -> Result<ReferenceFrame> {
        let leaf = Leaf::parse(payload)?;
        let data = leaf.data.into();
        Ok(ReferenceFrame { src, type_id: leaf.type_id, panel: leaf.panel, data, id: leaf.id })
    }
}

/// Whether `leaf` holds a reference frame.
pub fn is_reference(leaf: &Xtc<'_>) -> bool {
    leaf.header.type_id == TypeId::new(id::REFERENCE_FRAME, 1)
}

/// The frame with that identity among `configs`. A frame whose content has another identity is left out.
pub fn find(configs: &Configs, wanted: u64) -> Option<&[u8]> {
    let leaves = configs.iter().filter(|(_, type_id, _)| *type_id == TypeId::new(id::REFERENCE_FRAME, 1));
    let mut frames = leaves.filter_map(|(_, _, payload)| Leaf::parse(payload).ok());
    let found = frames.find(|leaf| leaf.id == wanted)?;
    (Reference::by_content(found.data).id() == wanted).then_some(found.data)
}

/// The payload of a leaf: identity (8 bytes), type word, number of the panel, length (4 each), the frame.
struct Leaf<'a> {
    id: u64,
    type_id: TypeId,
    panel: u32,
    data: &'a [u8],
}

impl Leaf<'_> {
    fn parse(payload: &[u8]) -> Result<Leaf<'_>> {
        let mut fields = Fields::new(payload);
        let (id, type_id, panel) = (fields.u64()?, TypeId(fields.u32()?), fields.u32()?);
        let length = fields.u32()? as usize;
        Ok(Leaf { id, type_id, panel, data: fields.take(length)? })
    }
}
