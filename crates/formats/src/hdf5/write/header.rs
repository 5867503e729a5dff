//! Object headers: the properties of a group or a data set, as a list of messages with a checksum.

use super::super::bytes::{Bytes, NOWHERE};
use super::super::element::Element;
use super::grid::PAGE_BITS;
use super::index::PARAMETERS;
use super::tree::{self, Attribute, Link, Target};
use crate::{Error, Result};

/// Types of messages.
mod kind {
    pub(super) const DATASPACE: u8 = 1;
    pub(super) const LINK_INFO: u8 = 2;
    pub(super) const DATATYPE: u8 = 3;
    pub(super) const FILL_VALUE: u8 = 5;
    pub(super) const LINK: u8 = 6;
    pub(super) const LAYOUT: u8 = 8;
    pub(super) const GROUP_INFO: u8 = 10;
    pub(super) const FILTERS: u8 = 11;
    pub(super) const ATTRIBUTE: u8 = 12;
}

/// Bytes before the first message.
const PREFIX: usize = 10;

/// A header that is being put together.
pub(super) struct Header(Bytes);

impl Header {
    pub(super) fn new() -> Header {
        Header(Bytes::default())
    }

    pub(super) fn group(&mut self) -> Result<()> {
        let mut info = Bytes::default();
        info.put(&[0, 0]);
        // All links are in this header.
        info.u64(NOWHERE);
        info.u64(NOWHERE);
        self.message(kind::LINK_INFO, &info.done())?;
        self.message(kind::GROUP_INFO, &[0, 0])
    }

    pub(super) fn link(&mut self, link: &Link, address: impl Fn(usize) -> u64) -> Result<()> {
        let mut out = Bytes::default();
        let is_hard = matches!(link.target, Target::Node(_));
        // The length of the name takes two bytes; the name is UTF-8.
        out.put(&[1, 0x11 | if is_hard { 0 } else { 8 }]);
        match link.target {
            Target::Node(_) => {}
            Target::Path(_) => out.u8(1),
            Target::File(..) => out.u8(64),
        }
        out.u8(1);
        out.u16(length(link.name.len())?);
        out.put(link.name.as_bytes());
        match &link.target {
            Target::Node(node) => out.u64(address(*node)),
            Target::Path(path) => {
                out.u16(length(path.len())?);
                out.put(path.as_bytes());
            }
            Target::File(file, path) => {
                out.u16(length(file.len() + path.len() + 3)?);
                out.u8(0);
                out.put(file.as_bytes());
                out.u8(0);
                out.put(path.as_bytes());
                out.u8(0);
            }
        }
        self.message(kind::LINK, &out.done())
    }

    /// Says where in the finished header the value is.
    pub(super) fn attribute(&mut self, attribute: &Attribute) -> Result<usize> {
        let (element, space) = (attribute.element.message(), space(&attribute.shape, &[]));
        let mut out = Bytes::default();
        out.put(&[3, 0]);
        out.u16(length(attribute.name.len() + 1)?);
        out.u16(length(element.len())?);
        out.u16(length(space.len())?);
        out.u8(1);
        out.put(attribute.name.as_bytes());
        out.u8(0);
        out.put(&element);
        out.put(&space);
        // The value comes behind the head of its message.
        let value_at = PREFIX + self.0.len() + 4 + out.len();
        out.put(&attribute.data);
        self.message(kind::ATTRIBUTE, &out.done())?;
        Ok(value_at)
    }

    /// A data set that keeps its shape, its data behind one another at `address`.
    pub(super) fn fixed(&mut self, element: Element, shape: &[u64], address: u64, bytes: u64) -> Result<()> {
        self.message(kind::DATASPACE, &space(shape, &[]))?;
        self.message(kind::DATATYPE, &element.message())?;
        // Space is taken late; a fill value is written if one is set.
        self.message(kind::FILL_VALUE, &[3, 0x0a])?;
        let mut out = Bytes::default();
        out.put(&[4, 1]);
        // Data of no bytes have no place: the HDF5 library refuses an address for them.
        out.u64(if bytes == 0 { u64::MAX } else { address });
        out.u64(bytes);
        self.message(kind::LAYOUT, &out.done())
    }

    /// A data set whose first axis grows, in chunks of `chunk` rows that the index at `index` finds. Returns the place
    /// of the number of rows in the finished header.
    pub(super) fn growing(&mut self, what: &tree::Stream, index: u64) -> Result<usize> {
        let tree::Stream { element, row, part, chunk, filter } = what;
        let shape: Vec<u64> = std::iter::once(0).chain(row.iter().copied()).collect();
        let most: Vec<u64> = std::iter::once(NOWHERE).chain(row.iter().copied()).collect();
        // Behind the head of the message (4 bytes) and the head of the space (4 bytes).
        let rows = PREFIX + self.0.len() + 8;
        self.message(kind::DATASPACE, &space(&shape, &most))?;
        self.message(kind::DATATYPE, &element.message())?;
        // Space is taken chunk by chunk.
        self.message(kind::FILL_VALUE, &[3, 0x0b])?;
        self.message(kind::LAYOUT, &chunked(*element, part, *chunk, index))?;
        if let Some(filter) = filter {
            self.message(kind::FILTERS, &filter.message())?;
        }
        Ok(rows)
    }

    /// A data set of rows in a grid of `sizes`. Says where in the finished header the sizes so far are.
    pub(super) fn grid(&mut self, what: &tree::Grid, index: u64) -> Result<usize> {
        let none = vec![0; what.sizes.len()];
        let all = |first: &[u64]| -> Vec<u64> { first.iter().chain(&what.row).copied().collect() };
        let extent = PREFIX + self.0.len() + 8;
        self.message(kind::DATASPACE, &space(&all(&none), &all(&what.sizes)))?;
        self.message(kind::DATATYPE, &what.element.message())?;
        self.message(kind::FILL_VALUE, &fill(&what.fill))?;
        self.message(kind::LAYOUT, &fixed_chunks(what.element, &all(&what.chunk), index))?;
        if let Some(filter) = &what.filter {
            self.message(kind::FILTERS, &filter.message())?;
        }
        Ok(extent)
    }

    /// A data set that other files hold; the global heap at `heap` says where.
    pub(super) fn virtual_data(&mut self, element: Element, shape: &[u64], heap: u64) -> Result<()> {
        self.message(kind::DATASPACE, &space(shape, shape))?;
        self.message(kind::DATATYPE, &element.message())?;
        self.message(kind::FILL_VALUE, &[3, 0x0b])?;
        let mut out = Bytes::default();
        out.put(&[4, 3]);
        out.u64(heap);
        out.u32(1);
        self.message(kind::LAYOUT, &out.done())
    }

    fn message(&mut self, kind: u8, body: &[u8]) -> Result<()> {
        self.0.u8(kind);
        self.0.u16(length(body.len())?);
        self.0.u8(0);
        self.0.put(body);
        Ok(())
    }

    pub(super) fn finish(self) -> Result<Vec<u8>> {
        let mut out = Bytes::default();
        out.put(b"OHDR");
        // The length of the messages takes four bytes.
        out.put(&[2, 2]);
        let messages = self.0.done();
        out.u32(u32::try_from(messages.len()).map_err(|_| too_long(messages.len()))?);
        out.put(&messages);
        Ok(out.checked())
    }
}

fn space(shape: &[u64], most: &[u64]) -> Vec<u8> {
    let mut out = Bytes::default();
    let has_most = u8::from(!most.is_empty());
    out.put(&[2, shape.len() as u8, has_most, u8::from(!shape.is_empty())]);
    for size in shape.iter().chain(most) {
        out.u64(*size);
    }
    out.done()
}

fn chunked(element: Element, part: &[u64], chunk: u64, index: u64) -> Vec<u8> {
    let mut out = Bytes::default();
    let extensible_array = 4;
    let shape: Vec<u64> = std::iter::once(chunk).chain(part.iter().copied()).collect();
    chunk_sizes(&mut out, element, &shape);
    out.u8(extensible_array);
    out.put(&PARAMETERS);
    out.u64(index);
    out.done()
}

fn fixed_chunks(element: Element, shape: &[u64], index: u64) -> Vec<u8> {
    let mut out = Bytes::default();
    let fixed_array = 3;
    chunk_sizes(&mut out, element, shape);
    out.u8(fixed_array);
    out.u8(PAGE_BITS);
    out.u64(index);
    out.done()
}

/// A fill value that is written if it is set; space is taken chunk by chunk.
fn fill(value: &[u8]) -> Vec<u8> {
    let mut out = Bytes::default();
    match value {
        [] => out.put(&[3, 0x0b]),
        value => {
            out.put(&[3, 0x2b]);
            out.u32(value.len() as u32);
            out.put(value);
        }
    }
    out.done()
}

fn chunk_sizes(out: &mut Bytes, element: Element, shape: &[u64]) {
    let sizes: Vec<u64> = shape.iter().copied().chain([element.bytes() as u64]).collect();
    // Readers want the least bytes that hold all sizes.
    let bytes = sizes.iter().map(|size| size.max(&1).ilog2() as usize / 8 + 1).max().unwrap_or(1);
    out.put(&[4, 2, 0, sizes.len() as u8, bytes as u8]);
    sizes.iter().for_each(|size| out.uint(*size, bytes));
}

fn length(bytes: usize) -> Result<u16> {
    u16::try_from(bytes).map_err(|_| too_long(bytes))
}

fn too_long(bytes: usize) -> Error {
    Error::new("names and attributes of fewer than 65,536 bytes", format!("{bytes}"))
}
