//! The way through a datagram in memory.

use super::{DatagramHeader, Xtc, XtcHeader};
use crate::Error;
use crate::file::{Broken, Place, Walker};

/// Walks through a datagram in memory.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    bytes: &'a [u8],
    walker: Walker<XtcHeader>,
}

/// A step of a walk.
#[derive(Debug)]
pub enum Step<'a> {
    /// A container, followed by what is in it, or a leaf.
    Xtc(Xtc<'a>),
    /// The rest of a container, which cannot be understood. The walk continues behind it.
    Broken {
        /// Where the rest begins, in bytes from the beginning of the datagram.
        offset: usize,
        /// How many containers it lies in.
        depth: usize,
        /// The rest.
        bytes: &'a [u8],
        /// What is wrong.
        error: Error,
    },
}

impl<'a> Walk<'a> {
    /// Through the datagram that is `bytes`.
    pub fn new(bytes: &'a [u8]) -> Walk<'a> {
        Walk { bytes, walker: Walker::new(DatagramHeader::ROOT as u64, bytes.len() as u64) }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        let bytes = self.bytes;
        let read = |at: u64| {
            let header = bytes.get(at as usize..).and_then(|b| b.first_chunk()).copied();
            header.ok_or_else(|| Error::new("20 bytes of a header", "the end").at(at))
        };
        match self.walker.step(read).ok()?? {
            Ok(Place { header, offset, depth }) => {
                let (offset, extent) = (offset as usize, header.extent as usize);
                let payload = bytes.get(offset + XtcHeader::LEN..offset + extent)?;
                Some(Step::Xtc(Xtc { header, offset, depth, payload }))
            }
            Err(Broken { offset, length, depth, error }) => {
                let offset = offset as usize;
                let bytes = bytes.get(offset..offset + length as usize)?;
                Some(Step::Broken { offset, depth, bytes, error })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::MAX_DEPTH;
    use crate::xtc1::{Builder, Damage, Datagram, Src, TypeId};

    fn container() -> XtcHeader {
        XtcHeader::new(Src::segment(1), TypeId::CONTAINER)
    }

    fn steps(bytes: &[u8]) -> Vec<(usize, Option<usize>)> {
        let step = |s| match s {
            Step::Xtc(x) => (x.depth, None),
            Step::Broken { depth, bytes, .. } => (depth, Some(bytes.len())),
        };
        Datagram::parse(bytes).unwrap().walk().map(step).collect()
    }

    #[test]
    fn a_broken_container_does_not_hide_its_neighbour() {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(0, 0));
        for _ in 0..2 {
            builder.open(container()).unwrap();
            builder.leaf(XtcHeader::new(Src::segment(2), TypeId::new(13, 1)), &[&[9; 8]]).unwrap();
            builder.close();
        }
        builder.finish().unwrap();
        assert_eq!(steps(&bytes), [(0, None), (1, None), (2, None), (1, None), (2, None)]);
        for extent in [0u32, 19, 29, u32::MAX] {
            let mut broken = bytes.clone();
            broken[60 + 16..60 + 20].copy_from_slice(&extent.to_le_bytes());
            let expected = [(0, None), (1, None), (2, Some(28)), (1, None), (2, None)];
            assert_eq!(steps(&broken), expected, "extent {extent}");
        }
    }

    #[test]
    fn the_inside_of_an_incomplete_container_is_not_looked_at() {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(0, 0));
        let header = XtcHeader { damage: Damage::INCOMPLETE, ..container() };
        builder.leaf(header, &[&[0xFF; 40]]).unwrap();
        builder.finish().unwrap();
        assert_eq!(steps(&bytes), [(0, None), (1, None)]);
    }

    #[test]
    fn depth_is_limited() {
        let mut bytes = Vec::new();
        let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(0, 0));
        for depth in (0..40u32).rev() {
            let extent = 20 * (depth + 1);
            builder.raw(&XtcHeader { extent, ..container() }.to_bytes());
        }
        builder.finish().unwrap();
        let steps = steps(&bytes);
        assert_eq!(steps.len(), MAX_DEPTH);
        assert!(steps.last().unwrap().1.is_some());
    }
}
