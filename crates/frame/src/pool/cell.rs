//! The reference-counted cell behind [`Frame`] and [`FrameMut`].

use std::any::Any;
use std::cell::UnsafeCell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;
use std::sync::Arc;

use bytes::Bytes;

use super::buffer::Buffer;
use super::pledge::Pledge;
use super::prefetch::prefetch;
use super::shelf::Shelf;
use crate::sync::{AtomicUsize, Ordering, fence};
use crate::{Header, Layout, TableLayout};

/// The payload of a frame.
#[derive(Clone, Debug, Default)]
#[allow(clippy::large_enum_variant, reason = "lives in a recycled cell; a box would be allocated per frame")]
pub enum Payload {
    /// Raw bytes.
    #[default]
    Bytes,
    /// An array; its bytes start at the first element.
    Array(Layout),
    /// Columns of equal length.
    Table(TableLayout),
    /// A value of the user's own type.
    Any(Arc<dyn Any + Send + Sync>),
}

/// Where the bytes of the payload lie.
pub(super) enum Place {
    /// In this cell's own buffer, from its start.
    Own { len: usize },
    /// In the buffer of another cell, which `owner` keeps alive.
    Of { owner: Frame, start: usize, len: usize },
    /// In memory that is not the pool's.
    Outside(Bytes),
}

/// The fields are in the order of their use: the part that changes from frame to frame shares a cache line with the
/// reference count, and is the only line that travels between cores for a small frame.
#[repr(C)]
pub(super) struct Content {
    /// True when the payload must be released as soon as the frame is dropped, because it holds another frame
    /// or a value.
    pub(super) holds: bool,
    pub(super) header: Header,
    pub(super) place: Place,
    pub(super) buffer: Buffer,
    pub(super) payload: Payload,
    /// Only in a cell that `holds`.
    pub(super) pledge: Option<Pledge>,
}

impl Content {
    fn let_go(&mut self) {
        self.payload = Payload::Bytes;
        self.place = Place::Own { len: 0 };
        self.pledge = None;
        self.holds = false;
    }

    /// Makes a cell from the free list into an empty frame of `len` bytes.
    #[inline]
    pub(super) fn renew(&mut self, len: usize) {
        self.header.clear();
        // Unchanged fields stay in the caches of their readers.
        if !matches!(self.place, Place::Own { len: before } if before == len) {
            self.place = Place::Own { len };
        }
        if !matches!(self.payload, Payload::Bytes) {
            self.payload = Payload::Bytes;
        }
    }
}

/// Aligned to a pair of cache lines, which processors fetch together: reference count and header lie in them.
#[repr(C, align(128))]
pub(crate) struct Cell {
    references: AtomicUsize,
    /// The shelf where the cell lies when it is free, and its bit there.
    pub(super) shelf: Arc<Shelf>,
    pub(super) mark: u64,
    content: UnsafeCell<Content>,
}

impl Cell {
    pub(super) fn new(shelf: Arc<Shelf>, mark: u64, bytes: usize) -> Box<Cell> {
        Box::new(Cell {
            references: AtomicUsize::new(0),
            shelf,
            mark,
            content: UnsafeCell::new(Content {
                holds: false,
                header: Header::default(),
                payload: Payload::Bytes,
                place: Place::Own { len: 0 },
                buffer: Buffer::zeroed(bytes),
                pledge: None,
            }),
        })
    }

    /// Bytes that the cell takes from the bound.
    pub(super) fn cost(&mut self) -> usize {
        self.content.get_mut().buffer.len() + size_of::<Cell>()
    }

    pub(super) fn touch(&mut self) {
        self.content.get_mut().buffer.touch();
    }
}

/// A frame that is being written: one owner, not shared yet.
///
/// Dropping it unsent gives its memory back to the pool.
pub struct FrameMut(NonNull<Cell>);

// SAFETY: a `FrameMut` is the only handle of its cell; everything in the cell is `Send`.
unsafe impl Send for FrameMut {}
// SAFETY: `&FrameMut` only reads; everything in the cell is `Sync`.
unsafe impl Sync for FrameMut {}

impl FrameMut {
    /// Wraps a cell that has no other holder.
    pub(super) fn from_free(cell: NonNull<Cell>) -> FrameMut {
        FrameMut(cell)
    }

    #[inline]
    pub(super) fn content(&self) -> &Content {
        // SAFETY: rule 1: this is the only handle, and it is borrowed shared.
        unsafe { &*self.0.as_ref().content.get() }
    }

    #[inline]
    pub(super) fn content_mut(&mut self) -> &mut Content {
        // SAFETY: rule 1: this is the only handle, and it is borrowed exclusively.
        unsafe { &mut *self.0.as_ref().content.get() }
    }

    /// Identity and times.
    #[inline]
    pub fn header(&self) -> &Header {
        &self.content().header
    }

    /// Identity and times, to be written.
    #[inline]
    pub fn header_mut(&mut self) -> &mut Header {
        &mut self.content_mut().header
    }

    /// Takes identity, times, attributes and the pledge from `other`, as a process does for its output.
    pub fn inherit(&mut self, other: &Frame) {
        self.header_mut().copy_from(other.header());
        self.pledge_as(other);
    }

    /// Binds the frame to the pledge of `other`, if that has one.
    pub fn pledge_as(&mut self, other: &Frame) {
        // The first condition is in the cache line of the header, and rarely holds.
        if other.content().holds
            && let Some(pledge) = &other.content().pledge
        {
            self.pledge(pledge);
        }
    }

    /// Binds the frame, and each frame that inherits from it, to the pledge.
    pub fn pledge(&mut self, pledge: &Pledge) {
        let content = self.content_mut();
        content.pledge = Some(pledge.clone());
        content.holds = true;
    }

    /// The data of the frame.
    pub fn payload(&self) -> &Payload {
        &self.content().payload
    }

    /// The payload's bytes, to be written. Empty for a view, for memory from outside, and for a user's own type.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        let content = self.content_mut();
        match content.place {
            Place::Own { len } => &mut content.buffer.bytes_mut()[..len],
            Place::Of { .. } | Place::Outside(_) => &mut [],
        }
    }

    /// Leaves only the first `len` of the bytes; arrays and tables, whose layout says how long they are, stay as they are.
    pub fn shorten(&mut self, len: usize) {
        let content = self.content_mut();
        if let (Payload::Bytes, Place::Own { len: all }) = (&content.payload, &mut content.place) {
            *all = len.min(*all);
        }
    }

    /// Makes the frame immutable and shareable. Moves no byte.
    #[inline]
    pub fn freeze(self) -> Frame {
        let cell = ManuallyDrop::new(self).0;
        // SAFETY: rule 1: this was the only handle. A receiver of the frame on another thread
        // receives it through a release/acquire pair of the queue, which also publishes this store.
        unsafe { cell.as_ref() }.references.store(1, Ordering::Relaxed);
        Frame(cell)
    }
}

impl Drop for FrameMut {
    fn drop(&mut self) {
        // SAFETY: rule 1: this was the only handle.
        unsafe { recycle(self.0) };
    }
}

/// One unit of data in flight: header and payload, immutable, shared by reference.
///
/// A clone costs one atomic increment. The bytes live as long as any frame, or any view of one, refers to them.
pub struct Frame(NonNull<Cell>);

// SAFETY: frames give shared access only, and everything in the cell is `Send + Sync`.
unsafe impl Send for Frame {}
// SAFETY: as above.
unsafe impl Sync for Frame {}

impl Frame {
    /// Prefetches the header of a frame that will be read soon. `raw` comes from [`Frame::into_raw`] and may
    /// be stale, because it is not dereferenced.
    #[inline]
    pub fn prefetch(raw: *const ()) {
        prefetch(raw.cast::<Cell>());
    }
}

impl Frame {
    #[inline]
    pub(super) fn content(&self) -> &Content {
        // SAFETY: rule 1: while a `Frame` exists there is no writer.
        unsafe { &*self.0.as_ref().content.get() }
    }

    /// Identity and times.
    #[inline]
    pub fn header(&self) -> &Header {
        &self.content().header
    }

    /// The data of the frame.
    pub fn payload(&self) -> &Payload {
        &self.content().payload
    }

    /// The payload's bytes, gaps between strided rows included. Empty for a user's own type.
    pub fn bytes(&self) -> &[u8] {
        let content = self.content();
        match &content.place {
            Place::Own { len } => &content.buffer.bytes()[..*len],
            Place::Of { owner, start, len } => &owner.bytes()[*start..][..*len],
            Place::Outside(bytes) => bytes,
        }
    }

    /// True when both share the same cell.
    pub fn is_same(&self, other: &Frame) -> bool {
        self.0 == other.0
    }

    /// The frame to be written again, as it is, if no other handle to it or to a view of it exists: for a source that sends the same
    /// bytes many times and changes few of them.
    ///
    /// ```
    /// use livetime_frame::FramePool;
    /// let frame = FramePool::new(1 << 20).allocator().bytes(2)?.freeze();
    /// let reader = frame.clone();
    /// let frame = frame.try_into_mut().unwrap_err();
    /// drop(reader);
    /// let mut again = frame.try_into_mut().unwrap();
    /// again.bytes_mut()[0] = 7;
    /// assert_eq!(again.freeze().bytes(), [7, 0]);
    /// # Ok::<(), livetime_frame::PoolExhausted>(())
    /// ```
    ///
    /// # Errors
    /// The frame itself, when another handle exists.
    pub fn try_into_mut(self) -> Result<FrameMut, Frame> {
        // Acquire: pairs with the release of previous holders. No other thread can make new references.
        if self.cell().references.load(Ordering::Acquire) != 1 {
            return Err(self);
        }
        // Rule 1: this is the only handle, which becomes the one owner.
        Ok(FrameMut(ManuallyDrop::new(self).0))
    }

    /// Turns this reference into `count` references, to be picked up one by one. One atomic operation,
    /// whatever the count; none for one.
    #[inline]
    pub fn split(self, count: usize) -> Shares {
        match count {
            0 | 1 => {}
            _ => _ = self.cell().references.fetch_add(count - 1, Ordering::Relaxed),
        }
        let shares = Shares { cell: self.0, left: count };
        if count > 0 {
            std::mem::forget(self);
        }
        shares
    }

    /// Turns the frame into a plain pointer that still counts as one reference.
    #[inline]
    pub fn into_raw(self) -> *mut () {
        ManuallyDrop::new(self).0.as_ptr().cast()
    }

    /// Picks up one reference.
    ///
    /// # Safety
    /// `raw` must come from [`Frame::into_raw`] and be picked up once.
    #[inline]
    pub unsafe fn from_raw(raw: *mut ()) -> Frame {
        // SAFETY: `into_raw` hands out pointers to cells, never null.
        Frame(unsafe { NonNull::new_unchecked(raw.cast()) })
    }

    #[inline]
    fn cell(&self) -> &Cell {
        // SAFETY: the cell lives while a frame refers to it.
        unsafe { self.0.as_ref() }
    }
}

impl Clone for Frame {
    #[inline]
    fn clone(&self) -> Frame {
        // Relaxed, as for `Arc`: the new reference is made from one that exists.
        self.cell().references.fetch_add(1, Ordering::Relaxed);
        Frame(self.0)
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if self.is_last() {
            // SAFETY: rule 1: that was the last reference.
            unsafe { recycle(self.0) };
        }
    }
}

impl Frame {
    /// Releases this reference; true when it was the last one, which leaves the cell to the caller.
    #[inline]
    fn is_last(&self) -> bool {
        let references = &self.cell().references;
        // The only holder needs no read-modify-write: no other holder can make new references. Acquire: pairs with the
        // release below in the threads that held it before.
        if references.load(Ordering::Acquire) != 1 {
            if references.fetch_sub(1, Ordering::Release) != 1 {
                return false;
            }
            fence(Ordering::Acquire);
        }
        true
    }

    /// Releases this reference. If it was the last one, the caller must return the emptied cell.
    #[inline]
    pub(super) fn into_last(self) -> Option<NonNull<Cell>> {
        let frame = ManuallyDrop::new(self);
        if !frame.is_last() {
            return None;
        }
        // SAFETY: rule 1: that was the last reference.
        unsafe { empty(frame.0) };
        Some(frame.0)
    }
}

/// References to one frame that are still to be picked up; see [`Frame::split`].
pub struct Shares {
    cell: NonNull<Cell>,
    left: usize,
}

impl Shares {
    /// Takes one of the references; `None` when all were taken.
    #[inline]
    pub fn take(&mut self) -> Option<Frame> {
        self.left = self.left.checked_sub(1)?;
        Some(Frame(self.cell))
    }
}

impl Drop for Shares {
    /// Releases the references that were not taken.
    #[inline]
    fn drop(&mut self) {
        if self.left > 1 {
            // SAFETY: `left` references are ours, so the cell lives. The last one goes below.
            let references = unsafe { &self.cell.as_ref().references };
            references.fetch_sub(self.left - 1, Ordering::Release);
            self.left = 1;
        }
        drop(self.take());
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("header", self.header()).field("payload", self.payload()).finish()
    }
}

impl fmt::Debug for FrameMut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FrameMut").field("header", self.header()).field("payload", self.payload()).finish()
    }
}

/// Empties a cell and returns it to its shelf (rule 2).
///
/// # Safety
/// The caller held the last handle of `cell` and does not use it any more.
#[inline]
unsafe fn recycle(cell: NonNull<Cell>) {
    // SAFETY: the caller's promise is passed on.
    unsafe { empty(cell) };
    // SAFETY: the caller's promise is passed on.
    unsafe { Shelf::give_back(cell) };
}

/// # Safety
/// The caller held the last handle of `cell`.
#[inline]
unsafe fn empty(cell: NonNull<Cell>) {
    // SAFETY: there is no other handle.
    let content = unsafe { &mut *cell.as_ref().content.get() };
    if content.holds {
        content.let_go();
    }
}
