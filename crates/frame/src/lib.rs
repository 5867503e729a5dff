//! The data that flows through Livetime.
//!
//! A [`Frame`] is one unit of data in flight: a [`Header`] (source, numbers, times, named values) and a payload: an
//! array with its [`Layout`], a table, bytes, or a value of the user's own type. Frames are immutable once sent and
//! shared by reference: a clone is one atomic increment, whatever the size.
//!
//! Frames come from a [`FramePool`], which bounds the memory of a run. Each producer takes its own
//! [`Allocator`] from the pool, writes into a [`FrameMut`], and freezes it. When the last reference is
//! dropped, on whatever thread, the memory goes back to that allocator; a running graph allocates nothing.
//!
//! ```
//! use livetime_frame::{ColorMode, DType, FramePool, Layout};
//!
//! let pool = FramePool::new(16 << 20);
//! let mut allocator = pool.allocator();
//! let layout = Layout::packed(DType::U16, ColorMode::Mono, &[2, 3])?;
//! let mut image = allocator.array(layout)?;
//! image.elements_mut::<u16>()?.copy_from_slice(&[1, 2, 3, 4, 5, 6]);
//! image.header_mut().sequence = 1;
//! let image = image.freeze();
//!
//! // The right column, without moving a pixel.
//! let (column, start) = layout.crop(1, 2, 1)?;
//! let column = allocator.view(&image, column, start)?.freeze();
//! let rows: Vec<&[u16]> = column.array()?.rows()?.collect();
//! assert_eq!(rows, [[3], [6]]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! This crate starts no thread and does no I/O.

#![deny(missing_docs, unsafe_code)]

mod array;
mod attributes;
mod byte_size;
mod dtype;
mod header;
#[allow(unsafe_code, reason = "shared memory is counted and recycled by hand")]
mod pool;
mod sync;
mod table;

pub use array::{Axes, Codec, ColorMode, Dim, Layout, LayoutError, MAX_DIMS};
pub use byte_size::ByteSize;
pub use bytes::Bytes;

pub use attributes::{Attribute, AttributeValue, Attributes};
pub use dtype::{DType, Element, UnknownDType};
pub use header::{Flags, Header, SourceId};
pub use pool::{
    Allocator, ArrayRef, Frame, FrameMut, FramePool, Payload, PayloadKind, Pledge, PoolExhausted,
    PoolStatistics, Returns, Shares, TableRef, ViewError, WrongPayload,
};
pub use table::{Column, Schema, TableLayout};
