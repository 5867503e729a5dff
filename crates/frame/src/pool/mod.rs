//! Where frames come from and go back to.
//!
//! Rules of ownership, which every `unsafe` block in this folder relies on:
//!
//! 1. A [`Cell`](cell::Cell) is a header, a payload and a buffer. It is in exactly one of these places: in a
//!    [`FrameMut`] (one owner, may write), in [`Frame`]s (as many as `references` says, nobody writes),
//!    in its allocator's inbox, or in its allocator's free lists.
//! 2. The thread that drops the last [`Frame`] empties the cell and pushes it to the inbox of the
//!    allocator that made it. Only that allocator takes from its inbox, and it takes everything at once,
//!    so a push needs no protection against a cell that was taken and pushed again in between.
//! 3. When the allocator is dropped it closes its inbox. Cells that come back later free themselves.

mod allocator;
mod buffer;
mod cell;
mod view;

pub use allocator::{Allocator, FramePool, PoolExhausted, PoolStatistics, ViewError};
pub use cell::{Frame, FrameMut, Payload, Shares};
pub use view::{ArrayRef, Kind, TableRef, WrongPayload};
