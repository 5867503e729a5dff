//! The bounded pool and the allocators that producers take from it.

use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

use bytes::Bytes;

use super::budget::{Budget, PoolStatistics};
use super::buffer::{CLASSES, class_of};
use super::cell::{Cell, Frame, FrameMut, Payload, Place};
use super::shelf::Rack;
use super::view::WrongPayload;
use crate::sync::Ordering;
use crate::{ByteSize, Codec, Layout, TableLayout};

/// The memory of a run: a bound in bytes that all its allocators share.
#[derive(Clone)]
pub struct FramePool(Arc<Budget>);

/// From this size on an allocator reuses few buffers instead of going round, because writing a picture to
/// memory that is in no cache costs more than searching for a used buffer.
const LARGE: usize = 32 << 10;

impl FramePool {
    /// A pool of at most `limit_bytes` bytes, frame headers included. Takes no memory yet.
    pub fn new(limit_bytes: usize) -> FramePool {
        FramePool(Arc::new(Budget::new(limit_bytes)))
    }

    /// A new allocator for one producer.
    pub fn allocator(&self) -> Allocator {
        Allocator { budget: self.0.clone(), racks: std::array::from_fn(|_| Rack::default()) }
    }

    /// Current counts.
    pub fn statistics(&self) -> PoolStatistics {
        self.0.statistics()
    }

    /// Bytes that a payload of `bytes` takes from the bound, rounding and frame header included.
    pub fn cost_bytes(bytes: usize) -> usize {
        class_of(bytes).1 + size_of::<Cell>()
    }
}

/// Makes frames for one producer, out of the memory of its pool.
///
/// Taking a frame that was used before costs a few ns and no atomic read-modify-write, except that up to 63
/// frames that came back meanwhile are collected by one swap.
pub struct Allocator {
    budget: Arc<Budget>,
    racks: [Rack; CLASSES],
}

// SAFETY: an allocator looks only at cells that lie on its shelves, and no other reference leads to these (rule 1).
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

    /// Memory for the `len` bytes into which `codec` compressed an array, to be written; `layout` is the packed layout of this array.
    ///
    /// ```
    /// use livetime_frame::{Codec, ColorMode, DType, FramePool, Layout};
    /// let layout = Layout::packed(DType::U16, ColorMode::Mono, &[2, 3])?;
    /// let mut frame = FramePool::new(1 << 16).allocator().compressed(layout, Codec("lz4"), 5)?;
    /// frame.bytes_mut().copy_from_slice(&[1, 2, 3, 4, 5]);
    /// assert_eq!(frame.freeze().array()?.layout().to_string(), "2x3 u16 mono lz4");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    pub fn compressed(
        &mut self,
        layout: Layout,
        codec: Codec,
        len: usize,
    ) -> Result<FrameMut, PoolExhausted> {
        let mut frame = self.take(len)?;
        frame.content_mut().payload = Payload::Array(layout.compressed(codec));
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
            Place::Own { .. } | Place::Outside(_) => (of.clone(), start),
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

    /// A frame around memory from elsewhere, such as an image in the buffer it was received into, without copying a
    /// pixel. The memory is released with the last reference; it does not count towards the pool's bound.
    ///
    /// ```
    /// use livetime_frame::{Bytes, ColorMode, DType, FramePool, Layout};
    /// let received = Bytes::from(vec![1u8, 2, 3, 4]);
    /// let layout = Layout::packed(DType::U8, ColorMode::Mono, &[2, 2]).unwrap();
    /// let frame = FramePool::new(1 << 16).allocator().adopt(layout, received)?.freeze();
    /// assert_eq!(frame.array().unwrap().elements::<u8>().unwrap(), [1, 2, 3, 4]);
    /// # Ok::<(), livetime_frame::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`] when `bytes` has not as many bytes as `layout`, or does not lie at a multiple of the element
    /// size, or when the bound is reached. Compressed arrays may have any number of bytes, anywhere.
    pub fn adopt(&mut self, layout: Layout, bytes: Bytes) -> Result<FrameMut, ViewError> {
        let wanted = if layout.codec().is_some() { bytes.len() } else { layout.span() };
        let outside = |wanted: fmt::Arguments, found: fmt::Arguments| {
            Err(ViewError::Outside(WrongPayload::new(wanted.to_string(), found)))
        };
        if bytes.len() != wanted {
            return outside(format_args!("{wanted} bytes"), format_args!("{}", bytes.len()));
        }
        let size = if layout.codec().is_some() { 1 } else { layout.dtype().bytes() };
        let address = bytes.as_ptr().addr();
        if !address.is_multiple_of(size) {
            return outside(format_args!("a multiple of {size} as address"), format_args!("{address:#x}"));
        }
        let mut frame = self.take(0).map_err(ViewError::Exhausted)?;
        let content = frame.content_mut();
        content.payload = Payload::Array(layout);
        content.place = Place::Outside(bytes);
        content.holds = true;
        Ok(frame)
    }

    /// The same payload under a header of its own, so that attributes can be added without copying a pixel.
    ///
    /// # Errors
    /// [`PoolExhausted`] when the bound is reached.
    pub fn relabel(&mut self, of: &Frame) -> Result<FrameMut, PoolExhausted> {
        let (owner, start) = match &of.content().place {
            Place::Own { .. } | Place::Outside(_) => (of.clone(), 0),
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
        // All of them first, and back afterwards: else the second would be the first again.
        let mut frames = Vec::with_capacity(count);
        for _ in 0..count {
            let mut cell = self.make(class, size)?;
            // SAFETY: freshly made, so this is the only reference.
            unsafe { cell.as_mut() }.touch();
            frames.push(FrameMut::from_free(cell));
        }
        Ok(())
    }

    /// How many of the buffers that it made are not in use.
    ///
    /// ```
    /// let mut allocator = livetime_frame::FramePool::new(1 << 16).allocator();
    /// let frames = [allocator.bytes(8)?, allocator.bytes(8)?];
    /// assert_eq!(allocator.count_free(), 0);
    /// drop(frames);
    /// assert_eq!(allocator.count_free(), 2);
    /// assert_eq!((allocator.release_free(), allocator.pool_statistics().buffers), (2, 0));
    /// # Ok::<(), livetime_frame::PoolExhausted>(())
    /// ```
    pub fn count_free(&mut self) -> usize {
        self.racks.iter_mut().map(Rack::count_free).sum()
    }

    /// Gives the memory of all buffers that are not in use back to the operating system; returns how many.
    pub fn release_free(&mut self) -> usize {
        let release =
            |rack: &mut Rack| std::iter::repeat_with(|| rack.remove()).take_while(|freed| *freed).count();
        self.racks.iter_mut().map(release).sum()
    }

    /// Counts of its pool as they are now.
    pub fn pool_statistics(&self) -> PoolStatistics {
        self.budget.statistics()
    }

    /// The bound of its pool, in bytes.
    pub fn limit_bytes(&self) -> usize {
        self.budget.limit
    }

    #[inline]
    fn take(&mut self, len: usize) -> Result<FrameMut, PoolExhausted> {
        let (class, size) = class_of(len);
        let cell = match self.find(class, size) {
            Some(cell) => cell,
            None => self.make(class, size)?,
        };
        let mut frame = FrameMut::from_free(cell);
        frame.content_mut().renew(len);
        Ok(frame)
    }

    #[inline]
    fn find(&mut self, class: usize, size: usize) -> Option<NonNull<Cell>> {
        let rack = &mut self.racks[class];
        if size >= LARGE { rack.take_first() } else { rack.take_in_turn() }
    }

    /// A new cell; when the bound is reached, free cells of other sizes make room first.
    #[cold]
    fn make(&mut self, class: usize, size: usize) -> Result<NonNull<Cell>, PoolExhausted> {
        let cost = size + size_of::<Cell>();
        loop {
            if self.budget.reserve(cost) {
                break;
            }
            // A cell may have returned since the last check.
            if let Some(cell) = self.find(class, size) {
                return Ok(cell);
            }
            if !self.free_largest_except(class) {
                self.budget.exhausted.fetch_add(1, Ordering::Relaxed);
                let used_bytes = self.budget.used.load(Ordering::Relaxed);
                return Err(PoolExhausted { wanted_bytes: cost, used_bytes, limit_bytes: self.budget.limit });
            }
        }
        let cell = self.racks[class].add(size, &self.budget);
        // A new shelf always has room.
        cell.ok_or(PoolExhausted { wanted_bytes: cost, used_bytes: 0, limit_bytes: self.budget.limit })
    }

    fn free_largest_except(&mut self, class: usize) -> bool {
        (0..CLASSES).rev().any(|c| c != class && self.racks[c].remove())
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
        let [wanted, used, limit] = [*wanted_bytes, *used_bytes, *limit_bytes].map(|n| ByteSize(n as u64));
        write!(f, "frame pool exhausted: wanted {wanted}, found {used} of {limit} in use")
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
