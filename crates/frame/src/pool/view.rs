//! Reading a payload by its kind.

use std::fmt;

use super::cell::{Frame, FrameMut, Payload};
use crate::{DType, Dim, Element, Layout, TableLayout};

/// The kind of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PayloadKind {
    /// Raw bytes.
    Bytes,
    /// An array.
    Array,
    /// A table.
    Table,
    /// A value of the user's own type.
    Any,
}

impl PayloadKind {
    /// `"bytes"`, `"array"`, `"table"` or `"any"`.
    pub fn name(self) -> &'static str {
        match self {
            PayloadKind::Bytes => "bytes",
            PayloadKind::Array => "array",
            PayloadKind::Table => "table",
            PayloadKind::Any => "any",
        }
    }
}

impl fmt::Display for PayloadKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Payload {
    /// Which of the four it is.
    pub fn kind(&self) -> PayloadKind {
        match self {
            Payload::Bytes => PayloadKind::Bytes,
            Payload::Array(_) => PayloadKind::Array,
            Payload::Table(_) => PayloadKind::Table,
            Payload::Any(_) => PayloadKind::Any,
        }
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Payload::Array(layout) => write!(f, "array {layout}"),
            Payload::Table(table) => write!(f, "table of {} rows", table.rows()),
            other => other.kind().fmt(f),
        }
    }
}

/// The payload is of another kind than the reader wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongPayload {
    wanted: String,
    found: String,
}

impl WrongPayload {
    /// An error that names the wanted and the found value.
    pub fn new(wanted: impl fmt::Display, found: impl fmt::Display) -> WrongPayload {
        WrongPayload { wanted: wanted.to_string(), found: found.to_string() }
    }
}

impl fmt::Display for WrongPayload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wanted {}, found {}", self.wanted, self.found)
    }
}

impl std::error::Error for WrongPayload {}

impl Frame {
    /// The payload as an array.
    ///
    /// # Errors
    /// [`WrongPayload`] when it is none.
    pub fn array(&self) -> Result<ArrayRef<'_>, WrongPayload> {
        match self.payload() {
            Payload::Array(layout) => Ok(ArrayRef { layout, bytes: self.bytes() }),
            other => Err(WrongPayload::new("array", other)),
        }
    }

    /// The payload as a table.
    ///
    /// # Errors
    /// [`WrongPayload`] when it is none.
    pub fn table(&self) -> Result<TableRef<'_>, WrongPayload> {
        match self.payload() {
            Payload::Table(layout) => Ok(TableRef { layout, bytes: self.bytes() }),
            other => Err(WrongPayload::new("table", other)),
        }
    }

    /// The payload as a value of type `T`.
    ///
    /// # Errors
    /// [`WrongPayload`] when it is no such value.
    pub fn value<T: 'static>(&self) -> Result<&T, WrongPayload> {
        let wanted = || std::any::type_name::<T>();
        match self.payload() {
            Payload::Any(any) => {
                any.downcast_ref().ok_or_else(|| WrongPayload::new(wanted(), "another type"))
            }
            other => Err(WrongPayload::new(wanted(), other)),
        }
    }
}

impl FrameMut {
    /// The elements of a packed array, to be written.
    ///
    /// # Errors
    /// [`WrongPayload`] when the payload is no array of `T` in this frame's own memory.
    pub fn elements_mut<T: Element>(&mut self) -> Result<&mut [T], WrongPayload> {
        match self.payload() {
            Payload::Array(layout) if layout.dtype() == T::DTYPE && layout.codec().is_none() => {}
            other => return Err(WrongPayload::new(format_args!("array of {}", T::DTYPE), other)),
        }
        bytemuck::try_cast_slice_mut(self.bytes_mut()).map_err(|e| WrongPayload::new("whole elements", e))
    }

    /// Column `index` of a table, to be written.
    ///
    /// # Errors
    /// [`WrongPayload`] when the payload is no table with a column of `T` there.
    pub fn column_mut<T: Element>(&mut self, index: usize) -> Result<&mut [T], WrongPayload> {
        let (start, rows) = match self.payload() {
            Payload::Table(table) => (column_start::<T>(table, index)?, table.rows()),
            other => return Err(WrongPayload::new("table", other)),
        };
        let bytes = &mut self.bytes_mut()[start..][..rows * size_of::<T>()];
        bytemuck::try_cast_slice_mut(bytes).map_err(|e| WrongPayload::new("aligned column", e))
    }
}

/// An array payload: its layout and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct ArrayRef<'a> {
    layout: &'a Layout,
    bytes: &'a [u8],
}

impl<'a> ArrayRef<'a> {
    /// Dtype, dimensions, strides, colour.
    pub fn layout(&self) -> &'a Layout {
        self.layout
    }

    /// All bytes from the first element to the last, gaps included; compressed bytes when there is a codec.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// All elements from the first to the last, including elements in the gaps between strided rows.
    ///
    /// # Errors
    /// [`WrongPayload`] when the elements are not of type `T`, or are compressed.
    pub fn elements<T: Element>(&self) -> Result<&'a [T], WrongPayload> {
        if self.layout.dtype() != T::DTYPE || self.layout.codec().is_some() {
            return Err(WrongPayload::new(format_args!("array of {}", T::DTYPE), self.layout));
        }
        bytemuck::try_cast_slice(self.bytes).map_err(|e| WrongPayload::new("aligned elements", e))
    }

    /// The runs of elements along the innermost dimension, in order.
    ///
    /// # Errors
    /// As [`ArrayRef::elements`], and when the innermost dimension is strided (one colour of RGB1, collapsed).
    pub fn rows<T: Element>(&self) -> Result<impl Iterator<Item = &'a [T]> + use<'a, T>, WrongPayload> {
        let elements = self.elements::<T>()?;
        let dims = self.layout.dims();
        let (inner, outer) = (dims[dims.len() - 1].size, &dims[..dims.len() - 1]);
        if inner > 1 && dims[dims.len() - 1].stride != size_of::<T>() {
            return Err(WrongPayload::new("rows without gaps between elements", self.layout));
        }
        let count = if inner == 0 { 0 } else { outer.iter().map(|d| d.size).product() };
        Ok((0..count).map(move |row: usize| {
            let mut rest = row;
            let mut start = 0;
            for dim in outer.iter().rev() {
                start += rest % dim.size * (dim.stride / size_of::<T>());
                rest /= dim.size;
            }
            &elements[start..][..inner]
        }))
    }

    /// The elements in order: where they lie if nothing lies between them, else copied to `scratch`. Of a compressed array its bytes.
    pub fn packed(&self, scratch: &'a mut Vec<u8>) -> &'a [u8] {
        if self.layout.is_packed() || self.layout.codec().is_some() {
            return self.bytes;
        }
        scratch.clear();
        self.gather(scratch);
        scratch
    }

    /// Appends the elements of an uncompressed array in order.
    pub fn gather(&self, to: &mut Vec<u8>) {
        gather_dims(self.bytes, self.layout.dtype().bytes(), self.layout.dims(), 0, to);
    }
}

/// Appends the elements of the dimensions `dims`; the first one begins at byte `start`.
fn gather_dims(from: &[u8], element: usize, dims: &[Dim], start: usize, to: &mut Vec<u8>) {
    match dims {
        [] => to.extend_from_slice(&from[start..start + element]),
        [last] if last.stride == element => to.extend_from_slice(&from[start..start + last.size * element]),
        [first, rest @ ..] => {
            for index in 0..first.size {
                gather_dims(from, element, rest, start + index * first.stride, to);
            }
        }
    }
}

/// A table payload: its layout and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct TableRef<'a> {
    layout: &'a TableLayout,
    bytes: &'a [u8],
}

impl<'a> TableRef<'a> {
    /// Schema and number of rows.
    pub fn layout(&self) -> &'a TableLayout {
        self.layout
    }

    /// Column `index`.
    ///
    /// # Errors
    /// [`WrongPayload`] when there is no such column, or it is not of type `T`.
    pub fn column<T: Element>(&self, index: usize) -> Result<&'a [T], WrongPayload> {
        let start = column_start::<T>(self.layout, index)?;
        let bytes = &self.bytes[start..][..self.layout.rows() * size_of::<T>()];
        bytemuck::try_cast_slice(bytes).map_err(|e| WrongPayload::new("aligned column", e))
    }
}

fn column_start<T: Element>(table: &TableLayout, index: usize) -> Result<usize, WrongPayload> {
    let wanted = |found: Option<DType>| match found {
        Some(found) => WrongPayload::new(format_args!("column of {}", T::DTYPE), found),
        None => WrongPayload::new(
            format_args!("column {index}"),
            format_args!("{} columns", table.schema().columns().len()),
        ),
    };
    match table.place(index) {
        Some((start, dtype)) if dtype == T::DTYPE => Ok(start),
        other => Err(wanted(other.map(|(_, dtype)| dtype))),
    }
}
