//! Arrays as leaves: the recordings of a running graph.
//!
//! Pictures of u8, u16 and u32 without colours become leaves of type Frame, which all readers know. All others become leaves of a
//! type of our own ([`id::ARRAY`], version 1; all fields `u32`, little-endian), followed by the elements without gaps:
//!
//! | byte | field |
//! |---|---|
//! | 0 | type of the elements: 0 i8, 1 u8, 2 i16, 3 u16, 4 i32, 5 u32, 6 i64, 7 u64, 8 f32, 9 f64 |
//! | 4 | colours: 0 mono, 1 Bayer, 2 RGB1, 3 RGB2, 4 RGB3, 5 to 7 YUV |
//! | 8 | how many axes, 1 to 8 |
//! | 12 | eight sizes, the slowest first; 0 for axes that are not there |

use livetime_frame::{ColorMode, DType, Layout};

use crate::fields::u32_at;
use crate::xtc1::panel::{MOST_AXES, Panel};
use crate::xtc1::{TypeId, id};
use crate::{Error, Result};

/// Bytes before the elements of an [`id::ARRAY`].
const ARRAY_HEADER: usize = 12 + 4 * MOST_AXES;
/// Bytes before the pixels of an [`id::FRAME`].
const FRAME_HEADER: usize = 16;

/// How an array is written as a leaf.
///
/// ```
/// use livetime_formats::xtc1::{Configs, Src, data::{ArrayLeaf, panels}};
/// use livetime_frame::{ColorMode, DType, Layout};
///
/// let layout = Layout::packed(DType::F32, ColorMode::Mono, &[1, 2])?;
/// let leaf = ArrayLeaf::of(&layout)?;
/// let payload = [leaf.header(), &[0; 8]].concat();
/// let read = panels(leaf.type_id(), Src::NONE, &payload, &Configs::default())?;
/// assert_eq!((read[0].dtype, read[0].shape()), (DType::F32, &[1, 2][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ArrayLeaf {
    type_id: TypeId,
    header: [u8; ARRAY_HEADER],
    header_len: usize,
    layout: Layout,
}

impl ArrayLeaf {
    /// For arrays of that type and shape; strides do not matter.
    ///
    /// # Errors
    /// If it is compressed, or has a size that the format cannot say.
    pub fn of(layout: &Layout) -> Result<ArrayLeaf> {
        let refuse = |wanted| Err(Error::new(wanted, layout.to_string()));
        if layout.codec().is_some() {
            return refuse("an uncompressed array");
        }
        if layout.shape().any(|size| u32::try_from(size).is_err()) {
            return refuse("axes below 2^32");
        }
        let is_picture = layout.color() == ColorMode::Mono
            && layout.dims().len() == 2
            && matches!(layout.dtype(), DType::U8 | DType::U16 | DType::U32);
        let mut words = [0; ARRAY_HEADER / 4];
        let (type_id, header_len) = if is_picture {
            let depth = 8 * layout.dtype().bytes() as u32;
            words[..3].copy_from_slice(&[layout.width() as u32, layout.height() as u32, depth]);
            (TypeId::new(id::FRAME, 1), FRAME_HEADER)
        } else {
            words[0] = position(&DType::ALL, &layout.dtype());
            words[1] = position(&ColorMode::ALL, &layout.color());
            words[2] = layout.dims().len() as u32;
            words[3..].iter_mut().zip(layout.shape()).for_each(|(word, size)| *word = size as u32);
            (TypeId::new(id::ARRAY, 1), ARRAY_HEADER)
        };
        let mut header = [0; ARRAY_HEADER];
        header.chunks_exact_mut(4).zip(words).for_each(|(to, word)| to.copy_from_slice(&word.to_le_bytes()));
        Ok(ArrayLeaf { type_id, header, header_len, layout: *layout })
    }

    /// Type of the leaf.
    pub fn type_id(&self) -> TypeId {
        self.type_id
    }

    /// The bytes before the elements.
    pub fn header(&self) -> &[u8] {
        &self.header[..self.header_len]
    }

    /// The leaf's only panel, to be compressed from where its elements lie, without gaps.
    ///
    /// # Errors
    /// If `elements` does not have the length that type and shape need.
    pub fn panel<'a>(&'a self, elements: &'a [u8]) -> Result<Panel<'a>> {
        let mut shape = [0; MOST_AXES];
        shape.iter_mut().zip(self.layout.shape()).for_each(|(to, size)| *to = size);
        let shape = &shape[..self.layout.dims().len()];
        let panel = Panel::of(self.header(), elements, self.layout.dtype(), shape)?;
        Ok(Panel { color: self.layout.color(), ..panel })
    }
}

fn position<T: PartialEq>(all: &[T], one: &T) -> u32 {
    all.iter().position(|other| other == one).unwrap_or(0) as u32
}

/// The panel of an [`id::ARRAY`].
pub(super) fn panel(payload: &[u8]) -> Result<Panel<'_>> {
    let word = |n: usize| u32_at(payload, 4 * n) as usize;
    let wrong = |wanted, found: usize, at| Error::new(wanted, found.to_string()).at(at);
    let dtype =
        *DType::ALL.get(word(0)).ok_or_else(|| wrong("a type of elements from 0 to 9", word(0), 0))?;
    let color = *ColorMode::ALL.get(word(1)).ok_or_else(|| wrong("colours from 0 to 7", word(1), 4))?;
    let shape: [usize; MOST_AXES] = std::array::from_fn(|axis| word(3 + axis));
    let shape = shape.get(..word(2)).filter(|s| !s.is_empty());
    let shape = shape.ok_or_else(|| wrong("1 to 8 axes", word(2), 8))?;
    Ok(Panel { color, ..Panel::cut(payload, ARRAY_HEADER, dtype, shape)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xtc1::data::panels;
    use crate::xtc1::{Configs, Src};

    #[test]
    fn every_array_is_read_as_it_was() {
        for dtype in DType::ALL {
            for (color, shape) in [
                (ColorMode::Mono, &[7][..]),
                (ColorMode::Mono, &[3, 4]),
                (ColorMode::Bayer, &[3, 4]),
                (ColorMode::Rgb3, &[3, 4, 5]),
                (ColorMode::Mono, &[1, 2, 1, 3, 1, 1, 2, 2]),
            ] {
                let layout = Layout::packed(dtype, color, shape).unwrap();
                let leaf = ArrayLeaf::of(&layout).unwrap();
                let elements: Vec<u8> = (0..layout.span()).map(|i| i as u8).collect();
                let payload = [leaf.header(), &elements].concat();
                let read = panels(leaf.type_id(), Src::NONE, &payload, &Configs::default()).unwrap();
                let panel = leaf.panel(&elements).unwrap();
                assert_eq!(read, [panel], "{layout}");
                assert_eq!((panel.dtype, panel.color, panel.shape()), (dtype, color, shape));
                assert!(leaf.panel(&elements[1..]).is_err());
            }
        }
        let picture = |dtype| ArrayLeaf::of(&Layout::packed(dtype, ColorMode::Mono, &[3, 4]).unwrap());
        assert_eq!(picture(DType::U16).unwrap().type_id(), TypeId::new(id::FRAME, 1));
        assert_eq!(picture(DType::I16).unwrap().type_id(), TypeId::new(id::ARRAY, 1));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let packed = Layout::packed(DType::U8, ColorMode::Mono, &[4]).unwrap();
        let packed = packed.compressed(livetime_frame::Codec("lz4"));
        assert!(ArrayLeaf::of(&packed).unwrap_err().to_string().ends_with("found 4 u8 mono lz4"));
        let bytes = |words: [u32; 6]| [words.map(u32::to_le_bytes).concat(), vec![0; 20]].concat();
        for words in [
            [10, 0, 1, 0, 0, 0],
            [0, 8, 1, 0, 0, 0],
            [0, 0, 0, 1, 0, 0],
            [0, 0, 9, 0, 0, 0],
            [0, 0, 1, 1, 0, 0],
        ] {
            assert!(panel(&bytes(words)).is_err(), "{words:?}");
        }
        assert!(panel(&bytes([0, 0, 1, 0, 0, 0])).is_ok());
        assert!(panel(&[]).is_err());
    }
}
