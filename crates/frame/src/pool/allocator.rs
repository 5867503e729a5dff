//! The bounded pool and the allocators that producers take from it.

use std::any::Any;
use std::fmt;
use std::ptr::{NonNull, null_mut};
use std::sync::Arc;

use super::buffer::{CLASSES, class_of};
use super::cell::{Cell, Frame, FrameMut, Payload, Place};
use super::view::WrongPayload;
use crate::sync::{AtomicPtr, AtomicUsize, Ordering};
use crate::{Layout, TableLayout};

/// The memory of a run: a bound in bytes that all its allocators share.
#[derive(Clone)]
pub struct FramePool(Arc<Budget>);

struct Budget {
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
    buffers: AtomicUsize,
    exhausted: AtomicUsize,
}

/// From this size on an allocator looks for memory that has just come back before it takes what has lain in its
/// lists for long: writing a picture to memory that is in no cache costs more than the look.
const LARGE: usize = 32 << 10;

/// What a pool has handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStatistics {
    /// The bound, in bytes.
    pub limit_bytes: usize,
    /// Bytes of all buffers that exist now, in use or free.
    pub used_bytes: usize,
    /// The most bytes that existed at once.
    pub peak_bytes: usize,
    /// Buffers that exist now, in use or free.
    pub buffers: usize,
    /// How often a frame was refused because the bound was reached.
    pub exhausted: usize,
}

impl FramePool {
    /// A pool of at most `limit_bytes` bytes, frame headers included. Takes no memory yet.
    pub fn new(limit_bytes: usize) -> FramePool {
        FramePool(Arc::new(Budget {
            limit: limit_bytes,
            used: AtomicUsize::new(0),
            peak: AtomicUsize::new(0),
            buffers: AtomicUsize::new(0),
            exhausted: AtomicUsize::new(0),
        }))
    }

    /// A new allocator for one producer.
    pub fn allocator(&self) -> Allocator {
        let home = Home { inbox: AtomicPtr::new(null_mut()), budget: self.0.clone() };
        Allocator { home: Arc::new(home), free: [null_mut(); CLASSES], pending: null_mut() }
    }

    /// Counts as they are now.
    pub fn statistics(&self) -> PoolStatistics {
        PoolStatistics {
            limit_bytes: self.0.limit,
            used_bytes: self.0.used.load(Ordering::Relaxed),
            peak_bytes: self.0.peak.load(Ordering::Relaxed),
            buffers: self.0.buffers.load(Ordering::Relaxed),
            exhausted: self.0.exhausted.load(Ordering::Relaxed),
        }
    }

    /// Bytes that a payload of `bytes` takes from the bound, rounding and frame header included.
    pub fn cost_bytes(bytes: usize) -> usize {
        class_of(bytes).1 + size_of::<Cell>()
    }
}

impl Budget {
    fn reserve(&self, bytes: usize) -> bool {
        let grown = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
            used.checked_add(bytes).filter(|sum| *sum <= self.limit)
        });
        let Ok(before) = grown else { return false };
        self.peak.fetch_max(before + bytes, Ordering::Relaxed);
        self.buffers.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn release(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
        self.buffers.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where the cells of one allocator return to.
pub(crate) struct Home {
    /// Cells that came back, newest first; [`closed`] once the allocator is gone.
    inbox: AtomicPtr<Cell>,
    budget: Arc<Budget>,
}

/// The mark of a closed inbox: an address that no cell has.
fn closed() -> *mut Cell {
    std::ptr::without_provenance_mut(usize::MAX)
}

impl Home {
    /// # Safety
    /// The caller held the last handle of `cell` and does not use it any more.
    #[inline]
    pub(super) unsafe fn give_back(cell: NonNull<Cell>) {
        // SAFETY: the caller's promise.
        let (inbox, next) = unsafe { (&cell.as_ref().home.inbox, &cell.as_ref().next) };
        let mut head = inbox.load(Ordering::Relaxed);
        while head != closed() {
            next.store(head, Ordering::Relaxed);
            // Release: publishes the emptied cell to the swap in `take_all`.
            match inbox.compare_exchange_weak(head, cell.as_ptr(), Ordering::Release, Ordering::Relaxed) {
                // From here on the cell, and with it `inbox`, may be gone.
                Ok(_) => return,
                Err(now) => head = now,
            }
        }
        // SAFETY: the allocator is gone (rule 3), so the cell is ours to free.
        unsafe { free(cell.as_ptr()) };
    }

    /// Acquire: pairs with the release in `give_back`.
    fn take_all(&self, replacement: *mut Cell) -> *mut Cell {
        self.inbox.swap(replacement, Ordering::Acquire)
    }
}

/// Turns a list that was taken out of an inbox round.
fn reversed(mut cell: *mut Cell) -> *mut Cell {
    let mut result = null_mut();
    while !cell.is_null() {
        // SAFETY: what was in the inbox is now ours alone (rule 2).
        let next = unsafe { &(*cell).next };
        let rest = next.load(Ordering::Relaxed);
        next.store(result, Ordering::Relaxed);
        result = cell;
        cell = rest;
    }
    result
}

/// # Safety
/// Nobody else refers to `cell`, which came from `Box::into_raw`.
unsafe fn free(cell: *mut Cell) {
    // SAFETY: the caller's promise.
    let mut cell = unsafe { Box::from_raw(cell) };
    let cost = cell.capacity() + size_of::<Cell>();
    cell.home.budget.release(cost);
}

/// Makes frames for one producer, out of the memory of its pool.
///
/// Taking a frame that was used before costs a few ns and no atomic read-modify-write, except that all
/// frames that came back meanwhile are collected by one swap when a free list is empty.
pub struct Allocator {
    home: Arc<Home>,
    free: [*mut Cell; CLASSES],
    /// Cells that were taken out of the inbox and not looked at yet. They were written on another core last, so
    /// each look costs a cache miss: it is taken when the cell is used, not when the list is collected.
    pending: *mut Cell,
}

// SAFETY: the lists hold cells that nobody else refers to (rule 1).
unsafe impl Send for Allocator {}

impl Allocator {
    /// An array to be written; its elements are zero or left from an earlier frame.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    #[inline]
    pub fn array(&mut self, layout: Layout) -> Result<FrameMut, PoolExhausted> {
        let mut frame = self.take(layout.span())?;
        frame.content_mut().payload = Payload::Array(layout);
        Ok(frame)
    }

    /// A table to be written.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    pub fn table(&mut self, layout: TableLayout) -> Result<FrameMut, PoolExhausted> {
        let mut frame = self.take(layout.span())?;
        frame.content_mut().payload = Payload::Table(layout);
        Ok(frame)
    }

    /// `len` bytes to be written.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    #[inline]
    pub fn bytes(&mut self, len: usize) -> Result<FrameMut, PoolExhausted> {
        self.take(len)
    }

    /// A frame around a value of the user's own type.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    pub fn value(&mut self, value: Arc<dyn Any + Send + Sync>) -> Result<FrameMut, PoolExhausted> {
        let mut frame = self.take(0)?;
        let content = frame.content_mut();
        content.payload = Payload::Any(value);
        content.holds = true;
        Ok(frame)
    }

    /// A frame that shows a part of `of` and keeps its memory alive. Header and attributes are taken over.
    ///
    /// `layout` describes the part, whose first element lies `start` bytes behind the first byte of `of`.
    ///
    /// # Errors
    /// [`ViewError`] when the part does not lie inside `of`, or when the bound is reached.
    pub fn view(&mut self, of: &Frame, layout: Layout, start: usize) -> Result<FrameMut, ViewError> {
        let len = layout.span();
        let available = of.bytes().len();
        if start.checked_add(len).is_none_or(|end| end > available) {
            let wanted = format_args!("{len} bytes from byte {start} on").to_string();
            return Err(ViewError::Outside(WrongPayload::new(wanted, format_args!("{available} bytes"))));
        }
        let (owner, start) = match &of.content().place {
            Place::Own { .. } => (of.clone(), start),
            Place::Of { owner, start: before, .. } => (owner.clone(), before + start),
        };
        let mut frame = self.take(0).map_err(ViewError::Exhausted)?;
        let content = frame.content_mut();
        content.payload = Payload::Array(layout);
        content.place = Place::Of { owner, start, len };
        content.holds = true;
        frame.inherit(of);
        Ok(frame)
    }

    /// The same payload under a header of its own, so that attributes can be added without copying a pixel.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    pub fn relabel(&mut self, of: &Frame) -> Result<FrameMut, PoolExhausted> {
        let (owner, start) = match &of.content().place {
            Place::Own { .. } => (of.clone(), 0),
            Place::Of { owner, start, .. } => (owner.clone(), *start),
        };
        let mut frame = self.take(0)?;
        let content = frame.content_mut();
        content.payload = of.payload().clone();
        content.place = Place::Of { owner, start, len: of.bytes().len() };
        content.holds = true;
        frame.inherit(of);
        Ok(frame)
    }

    /// Makes `count` buffers for payloads of `bytes` now, and touches their memory.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached; the buffers made so far are kept.
    pub fn preallocate(&mut self, bytes: usize, count: usize) -> Result<(), PoolExhausted> {
        let (class, size) = class_of(bytes);
        for _ in 0..count {
            let mut cell = self.make(class, size)?;
            // SAFETY: freshly made, so this is the only reference.
            unsafe { cell.as_mut() }.touch();
            self.put(class, cell.as_ptr());
        }
        Ok(())
    }

    #[inline]
    fn take(&mut self, len: usize) -> Result<FrameMut, PoolExhausted> {
        let (class, size) = class_of(len);
        if size >= LARGE {
            self.collect(null_mut());
        }
        let cell = match self.pop(class) {
            Some(cell) => cell,
            None => self.collect_or_make(class, size)?,
        };
        let mut frame = FrameMut::from_free(cell);
        frame.content_mut().renew(len);
        Ok(frame)
    }

    fn collect_or_make(&mut self, class: usize, size: usize) -> Result<NonNull<Cell>, PoolExhausted> {
        if self.pending.is_null() {
            self.pending = self.home.take_all(null_mut());
        }
        match self.pop_pending(class) {
            Some(cell) => Ok(cell),
            None => self.make(class, size),
        }
    }

    /// The next pending cell of this class; those of other classes go to their lists.
    fn pop_pending(&mut self, class: usize) -> Option<NonNull<Cell>> {
        while let Some(cell) = NonNull::new(self.pending) {
            // SAFETY: what was in the inbox is now ours alone (rule 2).
            let owned = unsafe { cell.as_ref() };
            self.pending = owned.next.load(Ordering::Relaxed);
            if owned.class == class {
                return Some(cell);
            }
            self.put(owned.class, cell.as_ptr());
        }
        None
    }

    #[inline]
    fn pop(&mut self, class: usize) -> Option<NonNull<Cell>> {
        let cell = NonNull::new(self.free[class])?;
        // SAFETY: cells in the free lists are ours alone (rule 1).
        self.free[class] = unsafe { cell.as_ref() }.next.load(Ordering::Relaxed);
        Some(cell)
    }

    fn put(&mut self, class: usize, cell: *mut Cell) {
        // SAFETY: the caller owns the cell and gives it to the free list.
        unsafe { &*cell }.next.store(self.free[class], Ordering::Relaxed);
        self.free[class] = cell;
    }

    /// Sorts the cells that came back into the free lists, the one that came back last on top: its memory is
    /// the most likely to be in a cache still.
    fn collect(&mut self, replacement: *mut Cell) {
        let new = self.home.take_all(replacement);
        for list in [std::mem::replace(&mut self.pending, null_mut()), new] {
            let mut cell = reversed(list);
            while !cell.is_null() {
                // SAFETY: what was in the inbox is now ours alone (rule 2).
                let owned = unsafe { &*cell };
                let next = owned.next.load(Ordering::Relaxed);
                self.put(owned.class, cell);
                cell = next;
            }
        }
    }

    /// A new cell; when the bound is reached, free cells of other sizes make room first.
    fn make(&mut self, class: usize, size: usize) -> Result<NonNull<Cell>, PoolExhausted> {
        let budget = self.home.budget.clone();
        let cost = size + size_of::<Cell>();
        while !budget.reserve(cost) {
            self.collect(null_mut());
            if let Some(cell) = self.pop(class) {
                return Ok(cell);
            }
            if !self.free_largest_except(class) {
                budget.exhausted.fetch_add(1, Ordering::Relaxed);
                let used_bytes = budget.used.load(Ordering::Relaxed);
                return Err(PoolExhausted { wanted_bytes: cost, used_bytes, limit_bytes: budget.limit });
            }
        }
        let cell = Box::into_raw(Cell::new(self.home.clone(), class, size));
        // SAFETY: `Box::into_raw` is never null.
        Ok(unsafe { NonNull::new_unchecked(cell) })
    }

    fn free_largest_except(&mut self, class: usize) -> bool {
        let found = (0..CLASSES).rev().find(|c| *c != class && !self.free[*c].is_null());
        let Some(cell) = found.and_then(|c| self.pop(c)) else { return false };
        // SAFETY: it was in a free list, so it is ours alone (rule 1).
        unsafe { free(cell.as_ptr()) };
        true
    }
}

impl Drop for Allocator {
    fn drop(&mut self) {
        self.collect(closed());
        for class in 0..CLASSES {
            while let Some(cell) = self.pop(class) {
                // SAFETY: it was in a free list, so it is ours alone (rule 1).
                unsafe { free(cell.as_ptr()) };
            }
        }
    }
}

/// The bound of the pool is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolExhausted {
    /// Bytes that were wanted.
    pub wanted_bytes: usize,
    /// Bytes in use.
    pub used_bytes: usize,
    /// The bound.
    pub limit_bytes: usize,
}

impl fmt::Display for PoolExhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let PoolExhausted { wanted_bytes, used_bytes, limit_bytes } = self;
        write!(
            f,
            "frame pool exhausted: wanted {wanted_bytes} bytes, found {used_bytes} of {limit_bytes} in use"
        )
    }
}

impl std::error::Error for PoolExhausted {}

/// A view that could not be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewError {
    /// The part does not lie inside the frame.
    Outside(WrongPayload),
    /// The bound of the pool is reached.
    Exhausted(PoolExhausted),
}

impl fmt::Display for ViewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ViewError::Outside(e) => e.fmt(f),
            ViewError::Exhausted(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for ViewError {}
