//! Where frames come from and go back to.
//!
//! Rules of ownership, which every `unsafe` block in this folder relies on:
//!
//! 1. A [`Cell`](cell::Cell) is a header, a payload and a buffer. It is in exactly one of these places: in a
//!    [`FrameMut`] (one owner, may write), in [`Frame`]s (as many as `references` says, nobody writes),
//!    or on its shelf, which belongs to the allocator that made it.
//! 2. The thread that drops the last [`Frame`] empties the cell and sets its bit on the shelf: from then on
//!    the cell belongs to the allocator, which collects all bits at once. Only the holder of the last handle
//!    sets a bit, and only the allocator clears bits.
//! 3. When the allocator is dropped it closes its shelves. Cells that come back later free themselves.

mod allocator;
mod buffer;
mod cell;
mod shelf;
mod view;

pub use allocator::{Allocator, FramePool, PoolExhausted, PoolStatistics, ViewError};
pub use cell::{Frame, FrameMut, Payload, Shares};
pub use shelf::Returns;
pub use view::{ArrayRef, PayloadKind, TableRef, WrongPayload};

/// Asks for the cache lines of a cell that will be read soon.
#[inline]
fn prefetch(cell: *const cell::Cell) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a hint; any address is allowed.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(cell.cast()) };
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = cell;
}

/// Asks for the first cache line of a cell that will be written soon, which takes it away from other cores.
#[inline]
fn prefetch_to_write(cell: *const cell::Cell) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // There is no intrinsic that yields this instruction without naming a processor that has it; those that have it
    // not ignore it.
    // SAFETY: a hint; any address is allowed.
    unsafe {
        std::arch::asm!("prefetchw [{}]", in(reg) cell, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = cell;
}

impl Frame {
    /// Prefetches the header of a frame that will be read soon. `raw` comes from [`Frame::into_raw`] and may
    /// be stale, because it is not dereferenced.
    #[inline]
    pub fn prefetch(raw: *const ()) {
        prefetch(raw.cast());
    }
}
