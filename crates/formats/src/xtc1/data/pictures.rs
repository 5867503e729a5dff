//! The pictures of an event, whether they are compressed or not.

use super::panels;
use crate::Result;
use crate::xtc1::compressed::Decompressor;
use crate::xtc1::panel::Panel;
use crate::xtc1::{Configs, Xtc};

/// Finds the pictures of leaves, and decompresses where that is needed. Keeps its working memory: one for each thread.
///
/// ```
/// use livetime_formats::xtc1::data::{PictureReader, picture_leaves};
/// use livetime_formats::xtc1::{Builder, Configs, Datagram, DatagramHeader, Src, TypeId, XtcHeader, id};
///
/// let words = [3u32, 2, 12, 0].map(u32::to_le_bytes).concat();
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// let header = XtcHeader::new(Src::detector(24, 0, 3, 1), TypeId::new(id::FRAME, 1));
/// builder.leaf(header, &[&words, &[7; 12]])?;
/// builder.finish()?;
///
/// let mut reader = PictureReader::default();
/// for leaf in picture_leaves(&Datagram::parse(&bytes)?) {
///     let pictures = reader.panels(&leaf, &Configs::default())?;
///     assert_eq!(pictures[0].shape(), [2, 3]);
/// }
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Default, Debug)]
pub struct PictureReader {
    decompressor: Decompressor,
    plain: Vec<u8>,
}

impl PictureReader {
    /// The panels of a leaf, in their order.
    ///
    /// # Errors
    /// As [`panels()`], or if the data cannot be decompressed.
    pub fn panels<'a>(&'a mut self, leaf: &Xtc<'a>, configs: &Configs) -> Result<Vec<Panel<'a>>> {
        let (type_id, src) = (leaf.header.type_id, leaf.header.src);
        if !type_id.is_compressed() {
            return panels(type_id, src, leaf.payload, configs);
        }
        self.plain.clear();
        self.decompressor.decode_with(leaf.payload, configs, &mut self.plain)?;
        panels(type_id.plain(), src, &self.plain, configs)
    }
}
