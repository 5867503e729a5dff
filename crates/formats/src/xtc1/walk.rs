//! The way through a datagram in memory.

use super::XtcHeader;
use crate::file;

/// Walks through a datagram in memory.
pub type Walk<'a> = file::Walk<'a, XtcHeader>;
/// A step of a walk.
pub type Step<'a> = file::Step<'a, XtcHeader>;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::MAX_DEPTH;
    use crate::xtc1::{Builder, Damage, Datagram, DatagramHeader, Src, TypeId};

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
