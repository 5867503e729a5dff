//! A bounded queue of frames: one thread puts, one or several take.
//!
//! The sender fills slots ahead and publishes many at once, so the line that both ends share travels once per batch.
//!
//! Rules that the `unsafe` blocks rely on. The caller of [`FrameRing::new`] promises rules 2 and 3:
//!
//! 1. Positions only grow: `head` is the next position to be taken, `tail` the next to be filled; `head <=
//!    tail <= head + capacity`. Position `p` lives in slot `p % slots`.
//! 2. One thread at a time puts: it alone stores `tail` and slots. It writes slot `p` only while
//!    `p < head + capacity`, that is, after position `p - slots` was taken. Slots from `tail` on may be filled
//!    already; the taking thread reads a slot only after `tail` has passed it.
//! 3. If the ring is exclusive, one thread at a time takes, and it alone stores `head`. Else any thread may
//!    take. It reads the slot of `head` first and then moves `head` by compare-and-swap. The thread that
//!    moves `head` from `p` to `p + 1` owns the content of slot `p`; a thread whose swap fails discards what
//!    it read. Slots are atomics, so a read that loses the race is stale but defined. Positions never repeat,
//!    so a successful swap proves that the slot was not rewritten in between.

use crossbeam_utils::CachePadded;
use livetime_frame::Frame;

use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// How many frames ahead a header is prefetched. It is in the cache of the sending core, about 100 ns away,
/// and small frames are handled faster than that.
const AHEAD: u64 = 8;

/// A bounded queue of references to frames. See the rules at the top of the file.
pub struct FrameRing {
    capacity: u64,
    /// Only one thread takes.
    exclusive: bool,
    mask: usize,
    slots: Box<[Slot]>,
    /// The places of the frames in the order of the data, beside the slots: a run without that order moves no bytes for it. Else empty.
    places: Box<[AtomicU64]>,
    head: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU64>,
}

struct Slot {
    frame: AtomicPtr<()>,
    /// When the frame was put, ns on the run's clock.
    stamp: AtomicU64,
}

/// A taken frame, the time at which it was put, and its position.
pub struct Taken {
    /// The frame.
    pub frame: Frame,
    /// When it was put, ns on the run's clock; 0 if its way is not timed.
    pub stamp_ns: u64,
    /// Its position.
    pub position: u64,
}

impl FrameRing {
    /// An empty queue for at most `capacity` frames. If it is `exclusive`, only one thread takes.
    ///
    /// # Safety
    /// One thread at a time calls [`fill`](FrameRing::fill) and [`publish`](FrameRing::publish), for position after
    /// position and only below `head + capacity`; it publishes no position that it has not filled. If the queue is
    /// exclusive, one thread at a time calls [`take`](FrameRing::take).
    pub unsafe fn new(capacity: usize, exclusive: bool) -> FrameRing {
        let slots = capacity.next_power_of_two();
        let slot = || Slot { frame: AtomicPtr::new(std::ptr::null_mut()), stamp: AtomicU64::new(0) };
        FrameRing {
            capacity: capacity as u64,
            exclusive,
            mask: slots - 1,
            slots: (0..slots).map(|_| slot()).collect(),
            places: Box::default(),
            head: CachePadded::new(AtomicU64::new(0)),
            tail: CachePadded::new(AtomicU64::new(0)),
        }
    }

    /// The same queue, which is empty yet, and keeps the places of frames in the order of the data.
    #[must_use]
    pub fn with_places(mut self) -> FrameRing {
        self.places = self.slots.iter().map(|_| AtomicU64::new(0)).collect();
        self
    }

    /// Most frames that it holds.
    #[inline]
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Position of the next frame to be taken: the number of frames that have left the queue.
    #[inline]
    pub fn head(&self) -> u64 {
        // Acquire: pairs with the swap in `take`, so that the slot may be written again.
        self.head.load(Ordering::Acquire)
    }

    /// Position of the next frame to be put: the number of frames that have entered the queue.
    #[inline]
    pub fn tail(&self) -> u64 {
        // Acquire: pairs with the release in `put`, so that the slot may be read.
        self.tail.load(Ordering::Acquire)
    }

    /// Puts a frame into the slot of `position`, where no receiver sees it before [`FrameRing::publish`]. The caller is
    /// the only sender, fills positions one after the other, has read `head`, and keeps `position < head + capacity`;
    /// otherwise a queued frame would be overwritten and leak.
    #[inline]
    pub fn fill(&self, position: u64, frame: Frame, stamp_ns: u64) {
        let slot = &self.slots[position as usize & self.mask];
        slot.frame.store(frame.into_raw(), Ordering::Relaxed);
        slot.stamp.store(stamp_ns, Ordering::Relaxed);
    }

    /// Keeps the place in the order of the data of the frame that [`FrameRing::fill`] puts at `position`; before it is
    /// published. Without effect in a queue that keeps no places.
    #[inline]
    pub fn set_place(&self, position: u64, place: u64) {
        if let Some(kept) = self.places.get(position as usize & self.mask) {
            kept.store(place, Ordering::Relaxed);
        }
    }

    /// The places of the oldest and the newest frame in the queue; `None` when it is empty. For the one thread that takes: for others
    /// the frames may be gone meanwhile.
    pub fn places(&self) -> Option<(u64, u64)> {
        let (tail, head) = (self.tail(), self.head.load(Ordering::Relaxed));
        let place = |position: u64| self.place(position as usize & self.mask);
        (head < tail).then(|| (place(head), place(tail - 1)))
    }

    #[inline(always)]
    fn place(&self, at: usize) -> u64 {
        self.places.get(at).map_or(0, |place| place.load(Ordering::Relaxed))
    }

    /// Makes everything below `tail` visible. Once for many frames: each time, the line of `tail` travels to the
    /// receiver and back.
    #[inline]
    pub fn publish(&self, tail: u64) {
        // Release: publishes the slots, and the frames they point to.
        self.tail.store(tail, Ordering::Release);
    }

    /// Takes the oldest frame. `known_tail` is the tail that the caller saw last; it is updated.
    #[inline(always)]
    pub fn take(&self, known_tail: &mut u64) -> Option<Taken> {
        self.take_with(known_tail, |_| ()).map(|(taken, ())| taken)
    }

    /// As [`FrameRing::take`], with the frame's place in the order of the data; 0 in a queue that keeps no places.
    pub fn take_with_place(&self, known_tail: &mut u64) -> Option<(Taken, u64)> {
        self.take_with(known_tail, |at| self.place(at))
    }

    /// `read` gets the number of the slot, whose content is this caller's if the frame is taken.
    #[inline(always)]
    fn take_with<T>(&self, known_tail: &mut u64, read: impl Fn(usize) -> T) -> Option<(Taken, T)> {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            if head >= *known_tail {
                *known_tail = self.tail();
                if head >= *known_tail {
                    return None;
                }
            }
            if head + AHEAD < *known_tail {
                let later = &self.slots[(head + AHEAD) as usize & self.mask];
                Frame::prefetch(later.frame.load(Ordering::Relaxed));
                let later = &self.slots[(head + 2 * AHEAD) as usize & self.mask];
                Frame::prefetch(std::ptr::from_ref(later).cast());
            }
            let at = head as usize & self.mask;
            let slot = &self.slots[at];
            let frame = slot.frame.load(Ordering::Relaxed);
            let stamp_ns = slot.stamp.load(Ordering::Relaxed);
            let beside = read(at);
            if self.exclusive {
                // Release: the slot is read before `head` allows rewriting it.
                self.head.store(head + 1, Ordering::Release);
                // SAFETY: rule 3: position `head` is ours, and its slot holds a reference put there once.
                let frame = unsafe { Frame::from_raw(frame) };
                return Some((Taken { frame, stamp_ns, position: head }, beside));
            }
            // AcqRel: release, so that the slot is read before `head` allows rewriting it; acquire, so that one taker's
            // swap orders after another's.
            match self.head.compare_exchange_weak(head, head + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => {
                    // SAFETY: as above.
                    let frame = unsafe { Frame::from_raw(frame) };
                    return Some((Taken { frame, stamp_ns, position: head }, beside));
                }
                Err(now) => head = now,
            }
        }
    }
}

impl Drop for FrameRing {
    fn drop(&mut self) {
        let mut tail = 0;
        while self.take(&mut tail).is_some() {}
    }
}
