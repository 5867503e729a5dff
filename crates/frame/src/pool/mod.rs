//! Where frames come from and go back to.
//!
//! Rules of ownership, which every `unsafe` block in this folder relies on:
//!
//! 1. A [`Cell`](cell::Cell) is a header, a payload and a buffer. It is in exactly one of these places: in a
//!    [`FrameMut`] (one owner, may write), in [`Frame`]s (as many as `references` says, no writer),
//!    or on its shelf, which belongs to the allocator that made it.
//! 2. The thread that drops the last [`Frame`] empties the cell and sets its bit on the shelf: from then on
//!    the cell belongs to the allocator, which collects all bits at once. Only the holder of the last handle
//!    sets a bit, and only the allocator clears bits.
//! 3. When the allocator is dropped it closes its shelves. Cells that come back later free themselves.

mod allocator;
mod budget;
mod buffer;
mod cell;
mod pledge;
mod prefetch;
mod shelf;
mod view;

pub use allocator::{Allocator, FramePool, PoolExhausted, ViewError};
pub use budget::PoolStatistics;
pub use cell::{Frame, FrameMut, Payload, Shares};
pub use pledge::Pledge;
pub use shelf::Returns;
pub use view::{ArrayRef, PayloadKind, TableRef, WrongPayload};
