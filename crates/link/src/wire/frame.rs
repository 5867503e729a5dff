//! The head of a frame on the wire: header, attributes, and what its payload is. The payload's bytes follow elsewhere.
//!
//! | bytes | |
//! |---|---|
//! | 8, 8, 8 | sequence, event time, entry |
//! | 2, 1 | source, flags |
//! | 2, … | number of attributes; of each: name, kind (0 i64, 1 u64, 2 f64, 3 text), value |
//! | 1, … | kind of the payload (0 bytes, 1 array, 2 table) and its description |
//! | 8 | bytes of the payload |
//!
//! Arrays are packed on the wire: a region of a larger array is copied once, by the sender, instead of sending its gaps.

use std::borrow::Cow;
use std::sync::Arc;

use livetime_frame::{
    Allocator, Attribute, AttributeValue, Codec, ColorMode, Column, DType, Flags, Frame, FrameMut, Header,
    Layout, MAX_DIMS, Payload, PoolExhausted, Schema, SourceId, TableLayout,
};

use super::bytes::{Input, WireError, put_text};

/// Columns of a table at most: more than any detector's events have, and few enough to be kept for a peer.
const MAX_COLUMNS: u64 = 4096;

/// Attributes of a frame at most, for the same reason.
const MAX_ATTRIBUTES: u64 = 4096;

/// A frame without the bytes of its payload, for which the receiver finds memory.
#[derive(Clone, Debug)]
pub struct FrameHead {
    /// Identity, times, attributes.
    pub header: Header,
    /// What the payload is; never a value of a user's own type.
    pub payload: Payload,
    /// Bytes of the payload on the wire.
    pub bytes: u64,
}

impl FrameHead {
    /// A frame with this head, to whose [`FrameMut::bytes_mut`] the payload's bytes are to be read.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the allocator has no memory.
    pub fn allocate(&self, allocator: &mut Allocator) -> Result<FrameMut, PoolExhausted> {
        let bytes = self.bytes as usize;
        let mut frame = match &self.payload {
            Payload::Array(layout) => match layout.codec() {
                Some(codec) => allocator.compressed(*layout, codec, bytes)?,
                None => allocator.array(*layout)?,
            },
            Payload::Table(table) => allocator.table(table.clone())?,
            Payload::Bytes | Payload::Any(_) => allocator.bytes(bytes)?,
        };
        frame.header_mut().clone_from(&self.header);
        Ok(frame)
    }
}

/// Bytes of the frame's payload on the wire.
pub(crate) fn payload_bytes(frame: &Frame) -> u64 {
    match frame.payload() {
        Payload::Array(layout) if layout.codec().is_none() => (layout.len() * layout.dtype().bytes()) as u64,
        _ => frame.bytes().len() as u64,
    }
}

/// The bytes of the frame's payload as they go on the wire: where they lie; only of a strided array a packed copy.
pub fn payload(frame: &Frame) -> Cow<'_, [u8]> {
    match frame.array() {
        Ok(array) if array.layout().codec().is_none() && !is_row_major(array.layout()) => {
            let mut packed = Vec::with_capacity(payload_bytes(frame) as usize);
            array.gather(&mut packed);
            Cow::Owned(packed)
        }
        _ => Cow::Borrowed(frame.bytes()),
    }
}

/// True when the elements lie in the order of the wire, without gaps. An array without gaps may also be transposed.
fn is_row_major(layout: &Layout) -> bool {
    let mut stride = layout.dtype().bytes();
    layout.dims().iter().rev().all(|dim| {
        let fits = dim.size == 1 || dim.stride == stride;
        stride *= dim.size;
        fits
    })
}

/// Appends the head of `frame`.
///
/// # Errors
/// [`WireError`] for a payload that no other host understands, or with more attributes, columns or elements along a
/// dimension than the wire form holds.
pub(super) fn put(to: &mut Vec<u8>, frame: &Frame) -> Result<(), WireError> {
    let header = frame.header();
    to.extend(header.sequence.to_le_bytes());
    to.extend(header.event_time_ns.to_le_bytes());
    to.extend(header.entry_ns.to_le_bytes());
    to.extend(header.source.0.to_le_bytes());
    to.push(header.flags.bits());
    WireError::limit("attributes", header.attributes.len() as u64, MAX_ATTRIBUTES)?;
    to.extend((header.attributes.len() as u16).to_le_bytes());
    header.attributes.iter().for_each(|attribute| put_attribute(to, attribute));
    match frame.payload() {
        Payload::Bytes => to.push(0),
        Payload::Array(layout) => put_layout(to, layout)?,
        Payload::Table(table) => put_table(to, table)?,
        Payload::Any(_) => {
            return Err(WireError::new(
                "payload",
                "bytes, an array or a table",
                "a value of a program's own type",
            ));
        }
    }
    to.extend(payload_bytes(frame).to_le_bytes());
    Ok(())
}

fn put_attribute(to: &mut Vec<u8>, attribute: &Attribute) {
    put_text(to, &attribute.name);
    match &attribute.value {
        AttributeValue::Int(value) => put_value(to, 0, value.to_le_bytes()),
        AttributeValue::Uint(value) => put_value(to, 1, value.to_le_bytes()),
        AttributeValue::Float(value) => put_value(to, 2, value.to_le_bytes()),
        AttributeValue::Text(text) => {
            to.push(3);
            put_text(to, text);
        }
    }
}

fn put_value(to: &mut Vec<u8>, kind: u8, value: [u8; 8]) {
    to.push(kind);
    to.extend(value);
}

/// Each dimension is its size, offset and binning (4 bytes each), and 1 byte for its order. Together with the bound of
/// sizes this keeps later sums of offsets and binnings below 2^64, whatever the peer sends.
fn put_layout(to: &mut Vec<u8>, layout: &Layout) -> Result<(), WireError> {
    let numbers = [1, layout.dtype() as u8, layout.color() as u8, layout.dims().len() as u8];
    to.extend(numbers);
    put_text(to, layout.codec().map_or("", |codec| codec.0));
    for dim in layout.dims() {
        for value in [dim.size, dim.offset, dim.binning] {
            WireError::limit("dimension", value as u64, u32::MAX.into())?;
            to.extend((value as u32).to_le_bytes());
        }
        to.push(dim.reverse.into());
    }
    Ok(())
}

fn put_table(to: &mut Vec<u8>, table: &TableLayout) -> Result<(), WireError> {
    let columns = table.schema().columns();
    WireError::limit("columns", columns.len() as u64, MAX_COLUMNS)?;
    to.push(2);
    to.extend((table.rows() as u64).to_le_bytes());
    to.extend((columns.len() as u16).to_le_bytes());
    for column in columns {
        to.push(column.dtype as u8);
        put_text(to, &column.name);
    }
    Ok(())
}

/// Reads heads of frames, and keeps texts and schemas of the frame before, which a stream repeats.
#[derive(Debug)]
pub(super) struct Heads {
    pub(super) codecs: Vec<Codec>,
    pub(super) max_frame_bytes: u64,
    names: Vec<Arc<str>>,
    schema: Option<Schema>,
}

impl Heads {
    pub(super) fn new(codecs: Vec<Codec>, max_frame_bytes: u64) -> Heads {
        Heads { codecs, max_frame_bytes, names: Vec::new(), schema: None }
    }

    pub(super) fn read(&mut self, input: &mut Input<'_>) -> Result<FrameHead, WireError> {
        let header = self.header(input)?;
        let payload = match input.u8("kind of payload")? {
            0 => Payload::Bytes,
            1 => Payload::Array(self.layout(input)?),
            2 => Payload::Table(self.table(input)?),
            other => return Err(WireError::new("kind of payload", "0, 1 or 2", other)),
        };
        let bytes = input.u64("bytes of the payload")?;
        WireError::limit("bytes of the payload", bytes, self.max_frame_bytes)?;
        check_size(&payload, bytes)?;
        Ok(FrameHead { header, payload, bytes })
    }

    fn header(&mut self, input: &mut Input<'_>) -> Result<Header, WireError> {
        let mut header = Header {
            sequence: input.u64("sequence")?,
            event_time_ns: input.u64("event time")?.cast_signed(),
            entry_ns: input.u64("entry")?,
            source: SourceId(input.u16("source")?),
            ..Header::default()
        };
        let bits = input.u8("flags")?;
        let unknown = || WireError::new("flags", "known flags", format_args!("{bits:#x}"));
        header.flags = Flags::from_bits(bits).ok_or_else(unknown)?;
        let count = input.u16("attributes")?;
        WireError::limit("attributes", count.into(), MAX_ATTRIBUTES)?;
        for place in 0..usize::from(count) {
            let name = self.name(place, input.text("name of an attribute")?);
            header.attributes.set(&name, read_value(input)?);
            // `set` looks through all names, so a repeated one is found by the count.
            if header.attributes.len() != place + 1 {
                return Err(WireError::new("name of an attribute", "each name once", name));
            }
        }
        Ok(header)
    }

    /// The name as a shared text; the one of the frame before, if it is the same.
    fn name(&mut self, place: usize, name: &str) -> Arc<str> {
        match self.names.get_mut(place) {
            Some(known) if **known == *name => known.clone(),
            Some(known) => {
                *known = name.into();
                known.clone()
            }
            None => {
                self.names.push(name.into());
                self.names[self.names.len() - 1].clone()
            }
        }
    }

    fn layout(&self, input: &mut Input<'_>) -> Result<Layout, WireError> {
        let dtype = input.choice("dtype", &DType::ALL)?;
        let color = input.choice("colour mode", &ColorMode::ALL)?;
        let dims = usize::from(input.u8("dimensions")?);
        WireError::limit("dimensions", dims as u64, MAX_DIMS as u64)?;
        let codec = self.codec(input.text("codec")?)?;
        let (mut shape, mut origin) = ([0; MAX_DIMS], [(0, 1, false); MAX_DIMS]);
        for (size, origin) in shape.iter_mut().zip(&mut origin).take(dims) {
            *size = input.u32("size of a dimension")? as usize;
            let (offset, binning) = (input.u32("offset")?, input.u32("binning")?);
            *origin = (offset as usize, binning as usize, input.flag("reverse")?);
        }
        let layout = Layout::packed(dtype, color, &shape[..dims]);
        let layout = layout.map_err(|e| WireError::new("array", "a possible layout", e))?;
        WireError::limit("bytes of the array", layout.span() as u64, self.max_frame_bytes)?;
        let layout = layout.with_origin(origin);
        Ok(codec.map_or(layout, |codec| layout.compressed(codec)))
    }

    fn codec(&self, name: &str) -> Result<Option<Codec>, WireError> {
        if name.is_empty() {
            return Ok(None);
        }
        let known = self.codecs.iter().find(|codec| codec.0 == name);
        known.map(|codec| Some(*codec)).ok_or_else(|| WireError::new("codec", "a known one", name))
    }

    fn table(&mut self, input: &mut Input<'_>) -> Result<TableLayout, WireError> {
        let rows = input.u64("rows")?;
        // Rows take no byte in a table without columns, and who goes through them would never end.
        WireError::limit("rows", rows, self.max_frame_bytes)?;
        let count = input.u16("columns")?;
        WireError::limit("columns", count.into(), MAX_COLUMNS)?;
        let mut columns = Vec::new();
        for _ in 0..count {
            let dtype = input.choice("dtype of a column", &DType::ALL)?;
            columns.push((input.text("name of a column")?, dtype));
        }
        let schema = self.schema(&columns);
        let table = TableLayout::new(schema, rows as usize);
        table.ok_or_else(|| WireError::new("rows", "a table that fits into memory", rows))
    }

    /// The schema of the frame before, if it is the same.
    fn schema(&mut self, columns: &[(&str, DType)]) -> Schema {
        let is_same =
            |column: &Column, (name, dtype): &(&str, DType)| column.name == *name && column.dtype == *dtype;
        let known = self.schema.as_ref().filter(|schema| {
            let known = schema.columns();
            known.len() == columns.len() && known.iter().zip(columns).all(|(a, b)| is_same(a, b))
        });
        let schema = known.cloned().unwrap_or_else(|| Schema::new(columns.iter().copied()));
        self.schema = Some(schema.clone());
        schema
    }
}

fn read_value(input: &mut Input<'_>) -> Result<AttributeValue, WireError> {
    const VALUE: &str = "value of an attribute";
    match input.u8("kind of an attribute")? {
        0 => Ok(AttributeValue::Int(input.u64(VALUE)?.cast_signed())),
        1 => Ok(AttributeValue::Uint(input.u64(VALUE)?)),
        2 => Ok(AttributeValue::Float(f64::from_bits(input.u64(VALUE)?))),
        3 => Ok(AttributeValue::Text(input.text(VALUE)?.into())),
        other => Err(WireError::new("kind of an attribute", "0 to 3", other)),
    }
}

/// Arrays and tables say by themselves how long they are.
fn check_size(payload: &Payload, bytes: u64) -> Result<(), WireError> {
    let wanted = match payload {
        Payload::Array(layout) if layout.codec().is_none() => layout.span() as u64,
        Payload::Table(table) => table.span() as u64,
        _ => bytes,
    };
    if wanted == bytes {
        return Ok(());
    }
    Err(WireError::new("bytes of the payload", wanted, bytes))
}
