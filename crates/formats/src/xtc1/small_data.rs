//! Small-data files: runs in which large leaves are replaced by where they are.
//!
//! A small-data file is read like any other. Each event begins with an [`Original`]; each large leaf is a [`Proxy`].

use super::rewrite::rewrite_into;
use super::{Builder, Datagram, Edit, Src, Transition, TypeId, Xtc, XtcHeader, id};
use crate::fields::Fields;
use crate::file::Head;
use crate::{Error, Result};

/// By default, leaves from this size on are replaced.
pub const THRESHOLD: u32 = 1024;

/// Where the datagram of an event is in the file with all data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Original {
    /// Where it begins.
    pub offset: u64,
    /// Extent of its root; the datagram is 20 bytes longer.
    pub extent: u32,
}

/// Stands for a large leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Proxy {
    /// Where the leaf's header begins in the file with all data.
    pub offset: u64,
    /// The type of the leaf; it may be compressed.
    pub type_id: TypeId,
    /// The leaf's length with its header. [`Xtc::parse`] reads the leaf.
    pub extent: u32,
}

impl Original {
    /// From the datagram of a small-data file; `None` if it has none, as all but events.
    pub fn find(datagram: &Datagram<'_>) -> Option<Original> {
        let leaf = datagram.leaves().find(|l| l.header.type_id.number() == id::ORIGINAL_DATAGRAM)?;
        Original::parse(leaf.payload).ok()
    }

    fn parse(payload: &[u8]) -> Result<Original> {
        let mut fields = Fields::new(payload);
        Ok(Original { offset: offset(&mut fields)?, extent: fields.u32()? })
    }
}

impl Proxy {
    /// The proxy in `leaf`; `None` if it is a leaf like any other.
    ///
    /// # Errors
    /// If it says that it is a proxy, and is none.
    pub fn of(leaf: &Xtc<'_>) -> Result<Option<Proxy>> {
        if leaf.header.type_id.number() != id::SMALL_DATA_PROXY {
            return Ok(None);
        }
        let mut fields = Fields::new(leaf.payload);
        let proxy =
            Proxy { offset: offset(&mut fields)?, type_id: TypeId(fields.u32()?), extent: fields.u32()? };
        if (proxy.extent as usize) < XtcHeader::LEN {
            return Err(Error::new("a proxy of at least 20 bytes", proxy.extent.to_string()));
        }
        Ok(Some(proxy))
    }
}

fn offset(fields: &mut Fields<'_>) -> Result<u64> {
    let offset = fields.i64()?;
    u64::try_from(offset).map_err(|_| Error::new("an offset from 0 on", offset.to_string()))
}

/// Appends to `out` the small-data form of `datagram`, which begins at `offset` of its file: leaves of at least
/// `threshold` bytes with their header become proxies, except leaves of the event receiver.
///
/// ```
/// use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, Src, TypeId, XtcHeader, small_data};
///
/// let mut bytes = Vec::new();
/// let mut builder = Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3));
/// builder.leaf(XtcHeader::new(Src::segment(1), TypeId::new(2, 1)), &[&[5; 5000]])?;
/// builder.finish()?;
/// let mut small = Vec::new();
/// small_data::reduce(&Datagram::parse(&bytes)?, 4000, small_data::THRESHOLD, &mut small)?;
///
/// let small = Datagram::parse(&small)?;
/// assert_eq!(small_data::Original::find(&small).map(|o| (o.offset, o.extent)), Some((4000, 5040)));
/// let proxy = small.leaves().find_map(|leaf| small_data::Proxy::of(&leaf).ok()?).unwrap();
/// assert_eq!((proxy.offset, proxy.extent, proxy.type_id), (4040, 5020, TypeId::new(2, 1)));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
///
/// # Errors
/// If its tree is broken: such a datagram is left out of small-data files. `out` is as it was then.
pub fn reduce(datagram: &Datagram<'_>, offset: u64, threshold: u32, out: &mut Vec<u8>) -> Result<usize> {
    datagram.check()?;
    let is_event = datagram.header.is_event();
    let mut builder = Builder::new(out, &datagram.header);
    match datagram.header.transition() {
        Transition::L1Accept => {
            let extent = datagram.header.root.extent.to_le_bytes();
            builder.leaf(record(id::ORIGINAL_DATAGRAM), &[&place(offset, 0)?.to_le_bytes(), &extent])?;
        }
        Transition::Configure => builder.leaf(record(id::SMALL_DATA_CONFIG), &[&threshold.to_le_bytes()])?,
        _ => {}
    }
    rewrite_into(builder, datagram, |leaf, builder| {
        let is_large = leaf.header.extent >= threshold && leaf.header.type_id.number() != id::EVR_DATA;
        if !is_event || !is_large {
            return Ok(Edit::Keep);
        }
        let place = place(offset, leaf.offset as u64)?;
        let header = XtcHeader { type_id: TypeId::new(id::SMALL_DATA_PROXY, 1), ..leaf.header };
        let words = [leaf.header.type_id.0, leaf.header.extent].map(u32::to_le_bytes);
        builder.leaf(header, &[&place.to_le_bytes(), &words[0], &words[1]])?;
        Ok(Edit::Replace)
    })
}

fn record(number: u16) -> XtcHeader {
    XtcHeader::new(Src::RECORDER, TypeId::new(number, 1))
}

fn place(offset: u64, within: u64) -> Result<i64> {
    let place = offset.checked_add(within).and_then(|p| i64::try_from(p).ok());
    place.ok_or_else(|| Error::new("an offset below 2^63", offset.to_string()))
}
