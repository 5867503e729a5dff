//! Writes a datagram again with some of its leaves changed.

use super::{Builder, Datagram, Step, Xtc};
use crate::Result;

/// The fate of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edit {
    /// It stays byte for byte.
    Keep,
    /// The leaf is removed; the leaves that were written to the builder stand in its place, if any.
    Replace,
}

/// Appends `datagram` to `out`; `edit` sees every leaf and decides its fate. Returns the new length.
///
/// Order, times, damage and sources stay; extents follow from the written bytes. Parts that cannot be understood are
/// copied byte for byte: incomplete containers, and the rest of broken ones.
///
/// ```
/// use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, Edit, Src, TypeId, XtcHeader, rewrite};
///
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// for detector in [1, 2] {
///     builder.leaf(XtcHeader::new(Src::detector(detector, 0, 0, 0), TypeId::new(2, 1)), &[&[0; 16]])?;
/// }
/// builder.finish()?;
///
/// // Without the second detector.
/// let mut out = Vec::new();
/// let datagram = Datagram::parse(&bytes)?;
/// rewrite(&datagram, &mut out, |leaf, _| {
///     Ok(if leaf.header.src.phy >> 24 == 2 { Edit::Replace } else { Edit::Keep })
/// })?;
/// assert_eq!(Datagram::parse(&out)?.leaves().count(), 1);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// The errors of `edit`, or if the result is too large for the format. `out` is as before then.
pub fn rewrite(
    datagram: &Datagram<'_>,
    out: &mut Vec<u8>,
    edit: impl FnMut(&Xtc<'_>, &mut Builder<'_>) -> Result<Edit>,
) -> Result<usize> {
    rewrite_into(Builder::new(out, &datagram.header), datagram, edit)
}

/// As [`rewrite`], behind the content of `builder`'s root.
pub(super) fn rewrite_into(
    mut builder: Builder<'_>,
    datagram: &Datagram<'_>,
    edit: impl FnMut(&Xtc<'_>, &mut Builder<'_>) -> Result<Edit>,
) -> Result<usize> {
    copy_into(&mut builder, datagram, edit)?;
    builder.finish()
}

/// Appends the content of `datagram`'s root to the root of `builder`. `edit` decides the fate of each leaf, as in
/// [`rewrite`].
///
/// # Errors
/// As [`rewrite`].
pub fn copy_into(
    builder: &mut Builder<'_>,
    datagram: &Datagram<'_>,
    mut edit: impl FnMut(&Xtc<'_>, &mut Builder<'_>) -> Result<Edit>,
) -> Result<()> {
    for step in datagram.walk() {
        match step {
            // A root that is a leaf, or is not entered, is copied whole.
            Step::Xtc(xtc) if xtc.depth == 0 && !xtc.header.is_entered() => builder.raw(xtc.payload),
            Step::Xtc(xtc) if xtc.depth == 0 => {}
            Step::Xtc(xtc) => {
                close_to(builder, xtc.depth);
                if xtc.header.is_entered() {
                    builder.open(xtc.header)?;
                } else if xtc.is_container() || edit(&xtc, builder)? == Edit::Keep {
                    builder.leaf(xtc.header, &[xtc.payload])?;
                }
            }
            Step::Broken { depth, bytes, .. } => {
                close_to(builder, depth);
                builder.raw(bytes);
            }
        }
    }
    close_to(builder, 1);
    Ok(())
}

/// Closes containers until only `depth` of them are open.
fn close_to(builder: &mut Builder<'_>, depth: usize) {
    while builder.depth() > depth {
        builder.close();
    }
}
