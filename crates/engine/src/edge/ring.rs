//! The bounded queue of an edge.
//!
//! Rules that the `unsafe` blocks rely on:
//!
//! 1. Positions count up for ever: `head` is the next to be taken, `tail` the next to be put;
//!    `head <= tail <= head + capacity`. Position `p` lives in slot `p % slots`.
//! 2. One thread at a time puts: it alone stores `tail` and slots. It writes slot `p` only while
//!    `p < head + capacity`, that is, after position `p - slots` was taken. Slots from `tail` on may be filled
//!    already; nobody reads them before `tail` has passed them.
//! 3. If the ring is exclusive, one thread at a time takes, and it alone stores `head`. Else any thread may take. It reads the slot of `head` first and then moves `head` by compare-and-swap.
//!    Whoever moves `head` from `p` to `p + 1` owns what slot `p` held; whoever fails forgets what it read.
//!    Slots are atomics, so a read that loses the race is stale but defined. Positions never repeat, so a
//!    successful swap proves that the slot was not rewritten in between.

use crossbeam_utils::CachePadded;
use livetime_frame::Frame;

use crate::sync::{AtomicPtr, AtomicU64, Ordering};

/// How many frames ahead a header is asked for: it lies in the cache of the core that sent it, some 100 ns away,
/// and small frames are handled faster than that.
const AHEAD: u64 = 8;

pub(crate) struct Ring {
    capacity: u64,
    /// Only one thread takes.
    exclusive: bool,
    mask: usize,
    slots: Box<[Slot]>,
    head: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU64>,
}

struct Slot {
    frame: AtomicPtr<()>,
    /// When the frame was put, ns on the run's clock.
    stamp: AtomicU64,
}

/// What was taken: the frame, when it was put, and its position.
pub(crate) struct Taken {
    pub(crate) frame: Frame,
    pub(crate) stamp_ns: u64,
    pub(crate) position: u64,
}

impl Ring {
    pub(crate) fn new(capacity: usize, exclusive: bool) -> Ring {
        let slots = capacity.next_power_of_two();
        let slot = || Slot { frame: AtomicPtr::new(std::ptr::null_mut()), stamp: AtomicU64::new(0) };
        Ring {
            capacity: capacity as u64,
            exclusive,
            mask: slots - 1,
            slots: (0..slots).map(|_| slot()).collect(),
            head: CachePadded::new(AtomicU64::new(0)),
            tail: CachePadded::new(AtomicU64::new(0)),
        }
    }

    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Position of the next frame to be taken: the number of frames that have left the queue.
    pub(crate) fn head(&self) -> u64 {
        // Acquire: pairs with the swap in `take`, so that the slot may be written again.
        self.head.load(Ordering::Acquire)
    }

    /// Position of the next frame to be put: the number of frames that have entered the queue.
    pub(crate) fn tail(&self) -> u64 {
        // Acquire: pairs with the release in `put`, so that the slot may be read.
        self.tail.load(Ordering::Acquire)
    }

    /// Puts a frame into the slot of `position`, where nobody sees it before [`Ring::publish`]. The caller is the
    /// one that puts, goes from position to position, has seen `head`, and keeps `position < head + capacity`; else a
    /// queued frame would be overwritten and leak.
    pub(crate) fn fill(&self, position: u64, frame: Frame, stamp_ns: u64) {
        let slot = &self.slots[position as usize & self.mask];
        slot.frame.store(frame.into_raw(), Ordering::Relaxed);
        slot.stamp.store(stamp_ns, Ordering::Relaxed);
    }

    /// Makes everything below `tail` visible. Once for many frames: each time, the line of `tail` travels to the
    /// receiver and back.
    pub(crate) fn publish(&self, tail: u64) {
        // Release: publishes the slots, and the frames they point to.
        self.tail.store(tail, Ordering::Release);
    }

    /// Takes the oldest frame; `known_tail` is what the caller saw last and is brought up to date.
    #[inline(always)]
    pub(crate) fn take(&self, known_tail: &mut u64) -> Option<Taken> {
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
            let slot = &self.slots[head as usize & self.mask];
            let frame = slot.frame.load(Ordering::Relaxed);
            let stamp_ns = slot.stamp.load(Ordering::Relaxed);
            if self.exclusive {
                // Release: the slot is read before `head` tells that it may be rewritten.
                self.head.store(head + 1, Ordering::Release);
                // SAFETY: rule 3: position `head` is ours, and its slot holds a reference put there once.
                let frame = unsafe { Frame::from_raw(frame) };
                return Some(Taken { frame, stamp_ns, position: head });
            }
            // AcqRel: release, so that the slot is read before `head` tells that it may be rewritten;
            // acquire, so that one taker's swap orders after another's.
            match self.head.compare_exchange_weak(head, head + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => {
                    // SAFETY: as above.
                    let frame = unsafe { Frame::from_raw(frame) };
                    return Some(Taken { frame, stamp_ns, position: head });
                }
                Err(now) => head = now,
            }
        }
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        let mut tail = 0;
        while self.take(&mut tail).is_some() {}
    }
}
