//! A bounded queue of items of any type: many threads put, one or several take.
//!
//! It begins with few slots, because most inputs never hold more than a few items. The first sender that
//! finds these slots full although the bound is not reached allocates all slots (`GROWN`). Positions continue
//! to count and no item is moved: earlier positions use the first slots, later ones use all slots.
//!
//! Rules that the `unsafe` blocks rely on:
//!
//! 1. Positions only grow. Position `p` lives in slot `p % slots` of the first slots, or of all slots if
//!    `tail` had the bit `GROWN` when `p` was assigned. That bit is set once and never cleared. Each of the
//!    two sets has at least two slots, and the set of all slots has at least as many as the bound.
//! 2. The thread that moves `tail` from `p` to `p + 1` owns slot `p`, and alone writes it, until it stores
//!    turn `p + 1` there.
//! 3. If only one thread takes (a promise of the caller of [`Ring::new`]), that thread owns the content of
//!    slot `p` as soon as its turn is `p + 1`, until it stores `p + 1` to `head`. `tail` passes position `p +
//!    slots` only after that: it is never further ahead of `head` than the number of the first slots, or, in
//!    all slots, than the bound.
//! 4. If many threads take, the one that moves `head` from `p` to `p + 1` owns the content of slot `p` until
//!    it stores turn `p + slots` there, and `tail` passes position `p + slots` only after that. A slot with
//!    turn `NEW` was never used.
//! 5. `all` is null or points to `all_slots` slots in one box, is set once, and is freed with the ring.

use std::mem::MaybeUninit;
use std::ptr;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicPtr, AtomicU64, Ordering, UnsafeCell};

/// Slots of a queue that has not grown: some hundred bytes, because most queues of a system with many agents stay nearly
/// empty.
const FIRST_SLOTS: usize = if cfg!(loom) { 2 } else { 8 };
/// In `tail`: positions from here on lie in all slots.
const GROWN: u64 = 1 << 63;
/// The turn of a slot that was never used. The turn of position `p` is `p + 1`, and a slot that is free again has at
/// least the number of slots, so nothing else has this turn.
const NEW: u64 = 0;

/// A bounded queue of items, of any type, that many threads may put into. See the rules at the top of the file.
pub struct Ring<T> {
    capacity: u64,
    /// Only one thread takes.
    exclusive: bool,
    first: Box<[Slot<T>]>,
    /// Made when there are more items than first slots; before the bit in `tail` is set.
    all: AtomicPtr<Slot<T>>,
    all_slots: usize,
    head: CachePadded<AtomicU64>,
    tail: CachePadded<Tail>,
}

/// The state that senders share.
struct Tail {
    /// The next position, and [`GROWN`].
    position: AtomicU64,
    /// A lower bound of `head`. Senders read this copy, so that they need the receiver's line with `head`
    /// only when the queue seems full.
    known_head: AtomicU64,
}

struct Slot<T> {
    turn: AtomicU64,
    item: UnsafeCell<MaybeUninit<T>>,
}

/// The state of the slot at the end of the queue, as a sender finds it.
enum Found<'a, T> {
    /// The slot of the next position is free.
    Free(&'a Slot<T>),
    /// There is room, and no free slot among the first ones.
    TooSmall,
    Full,
}

// SAFETY: items are handed from thread to thread, never shared (rules 2 and 3), so `T: Send` is enough.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Ring<T> {}

fn slots<T>(count: usize) -> Box<[Slot<T>]> {
    let slot = |_| Slot { turn: AtomicU64::new(NEW), item: UnsafeCell::new(MaybeUninit::uninit()) };
    (0..count).map(slot).collect()
}

fn slot<T>(slots: &[Slot<T>], position: u64) -> &Slot<T> {
    &slots[position as usize & (slots.len() - 1)]
}

impl<T> Ring<T> {
    /// An empty queue for at most `capacity` items. If it is `exclusive`, only one thread takes, which is faster.
    ///
    /// # Safety
    /// If the queue is exclusive, one thread at a time calls [`take`](Ring::take).
    pub unsafe fn new(capacity: usize, exclusive: bool) -> Ring<T> {
        let capacity = capacity.max(1);
        Ring {
            capacity: capacity as u64,
            exclusive,
            first: slots(capacity.next_power_of_two().clamp(2, FIRST_SLOTS)),
            all: AtomicPtr::new(ptr::null_mut()),
            all_slots: capacity.next_power_of_two().max(2),
            head: CachePadded::new(AtomicU64::new(0)),
            tail: CachePadded::new(Tail { position: AtomicU64::new(0), known_head: AtomicU64::new(0) }),
        }
    }

    /// Position of the next item to be taken: the number of items that have left.
    #[inline]
    pub fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// Position of the next item to be put: the number of items that have entered.
    #[inline]
    pub fn tail(&self) -> u64 {
        self.tail.position.load(Ordering::Acquire) & !GROWN
    }

    /// Puts an item.
    ///
    /// # Errors
    /// Gives the item back when the ring is full.
    #[inline]
    pub fn put(&self, item: T) -> Result<(), T> {
        // Acquire: a thread that sees that the ring has grown also sees all its slots.
        let mut tail = self.tail.position.load(Ordering::Acquire);
        let slot = loop {
            let slot = match self.find(tail) {
                Found::Free(slot) => slot,
                Found::TooSmall => {
                    tail = self.grow(tail);
                    continue;
                }
                Found::Full => {
                    let now = self.tail.position.load(Ordering::Acquire);
                    if now == tail {
                        return Err(item);
                    }
                    tail = now;
                    continue;
                }
            };
            let moved = self.tail.position.compare_exchange_weak(
                tail,
                tail + 1,
                Ordering::Relaxed,
                Ordering::Acquire,
            );
            match moved {
                Ok(_) => break slot,
                Err(now) => tail = now,
            }
        };
        // SAFETY: rule 2: position `tail` is ours, and its slot is free.
        slot.item.with_mut(|place| unsafe { (*place).write(item) });
        // Release: the item is written before others see that it is.
        slot.turn.store((tail & !GROWN) + 1, Ordering::Release);
        Ok(())
    }

    /// The slot for the position in `tail`, which may be old.
    #[inline]
    fn find(&self, tail: u64) -> Found<'_, T> {
        let (position, has_grown) = (tail & !GROWN, tail & GROWN != 0);
        let all = if has_grown { self.all() } else { None };
        let slots = all.unwrap_or(&self.first);
        let slot = slot(slots, position);
        let most = self.capacity.min(slots.len() as u64);
        // `head` may have passed an old `tail`.
        let mut queued = position.saturating_sub(self.tail.known_head.load(Ordering::Acquire));
        if queued >= most {
            queued = position.saturating_sub(self.look_at_head());
        }
        if queued < most && (self.exclusive || is_free(slot, position)) {
            return Found::Free(slot);
        }
        let may_grow = !has_grown && queued < self.capacity && self.capacity > slots.len() as u64;
        if may_grow { Found::TooSmall } else { Found::Full }
    }

    #[inline]
    fn all(&self) -> Option<&[Slot<T>]> {
        // Acquire: the slots were made before `all` pointed to them.
        let all = self.all.load(Ordering::Acquire);
        // SAFETY: rule 5.
        (!all.is_null()).then(|| unsafe { std::slice::from_raw_parts(all, self.all_slots) })
    }

    fn make_all(&self) {
        let made = Box::into_raw(slots::<T>(self.all_slots));
        let first = made.cast::<Slot<T>>();
        let set = self.all.compare_exchange(ptr::null_mut(), first, Ordering::AcqRel, Ordering::Relaxed);
        if set.is_err() {
            // Another sender was faster. SAFETY: no other thread has seen this box.
            drop(unsafe { Box::from_raw(made) });
        }
    }

    /// Makes positions from `tail` on use all slots, unless another sender has put meanwhile. Returns the
    /// current `tail`.
    #[cold]
    fn grow(&self, tail: u64) -> u64 {
        if self.all().is_none() {
            self.make_all();
        }
        // Release: the slots are visible before the bit that announces them.
        let moved =
            self.tail.position.compare_exchange(tail, tail | GROWN, Ordering::AcqRel, Ordering::Acquire);
        moved.map_or_else(|now| now, |tail| tail | GROWN)
    }

    /// Acquire and release: items before `head` have been read before a sender that learns of this `head`,
    /// here or from `known_head`, writes their slots again.
    fn look_at_head(&self) -> u64 {
        let head = self.head.load(Ordering::Acquire);
        self.tail.known_head.store(head, Ordering::Release);
        head
    }

    /// The slot of the item at position `head`, and the number of slots in its set; `None` when there is no
    /// item yet.
    #[inline]
    fn filled(&self, head: u64) -> Option<(&Slot<T>, u64)> {
        // A position lives in only one of the two sets; no slot of the other set ever has its turn.
        let first = slot(&self.first, head);
        if is_filled(first, head) {
            return Some((first, self.first.len() as u64));
        }
        let all = self.all()?;
        let slot = slot(all, head);
        is_filled(slot, head).then_some((slot, all.len() as u64))
    }

    /// True when [`take`](Ring::take) would find nothing. For the receiver: it reads only the line of the
    /// next item.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.filled(self.head.load(Ordering::Relaxed)).is_none()
    }

    /// Takes the oldest item.
    #[inline]
    pub fn take(&self) -> Option<T> {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let Some((slot, slots)) = self.filled(head) else {
                let now = self.head.load(Ordering::Relaxed);
                if now == head {
                    return None;
                }
                head = now;
                continue;
            };
            if self.exclusive {
                // SAFETY: rule 3: the item of position `head` is ours, and is read once.
                let item = slot.item.with_mut(|place| unsafe { (*place).assume_init_read() });
                // Release: the item is read before others see that the slot is free.
                self.head.store(head + 1, Ordering::Release);
                return Some(item);
            }
            match self.head.compare_exchange_weak(head, head + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => {
                    // SAFETY: rule 4: the item of position `head` is ours, and is read once.
                    let item = slot.item.with_mut(|place| unsafe { (*place).assume_init_read() });
                    // Release: as above.
                    slot.turn.store(head + slots, Ordering::Release);
                    return Some(item);
                }
                Err(now) => head = now,
            }
        }
    }
}

/// With many receivers: no receiver reads the old content of the slot any more. Acquire: pairs with the
/// release in `take`.
#[inline]
fn is_free<T>(slot: &Slot<T>, position: u64) -> bool {
    let turn = slot.turn.load(Ordering::Acquire);
    turn == position || turn == NEW
}

/// Acquire: pairs with the release in `put`, so that the item may be read.
#[inline]
fn is_filled<T>(slot: &Slot<T>, position: u64) -> bool {
    slot.turn.load(Ordering::Acquire) == position + 1
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        while self.take().is_some() {}
        let all = self.all.load(Ordering::Acquire);
        if !all.is_null() {
            // SAFETY: rule 5; no thread uses the ring any more.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(all, self.all_slots)) });
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;

    use super::{FIRST_SLOTS, Ring};

    fn new<T>(capacity: usize, exclusive: bool) -> Ring<T> {
        // SAFETY: in these tests one thread takes.
        unsafe { Ring::new(capacity, exclusive) }
    }

    #[test]
    fn holds_exactly_its_capacity_in_order() {
        for (capacity, exclusive) in (1..=40).flat_map(|capacity| [(capacity, true), (capacity, false)]) {
            let ring = new(capacity, exclusive);
            // The number of items that pass through a small ring first decides the positions of the others after it has
            // grown.
            (0..capacity % 7).for_each(|i| assert_eq!(ring.put(i).ok().and_then(|()| ring.take()), Some(i)));
            for round in 0..5 {
                (0..capacity).for_each(|i| ring.put(round * 100 + i).unwrap());
                assert_eq!(ring.put(7), Err(7));
                (0..capacity).for_each(|i| assert_eq!(ring.take(), Some(round * 100 + i)));
                assert!(ring.take().is_none());
            }
        }
    }

    #[test]
    fn what_is_left_is_dropped() {
        let item = Arc::new(());
        let ring = new(4, true);
        (0..3).for_each(|_| ring.put(item.clone()).unwrap());
        drop(ring.take());
        drop(ring);
        assert_eq!(Arc::strong_count(&item), 1);
    }

    #[test]
    fn it_grows_only_when_it_has_to_and_nothing_is_moved() {
        for exclusive in [true, false] {
            let ring = new(256, exclusive);
            for i in 0..1_000 {
                (0..FIRST_SLOTS).for_each(|j| ring.put(i + j).unwrap());
                (0..FIRST_SLOTS).for_each(|j| assert_eq!(ring.take(), Some(i + j)));
            }
            assert!(ring.all().is_none());
            (0..3).for_each(|i| ring.put(i).unwrap());
            assert_eq!(ring.take(), Some(0));
            (3..=FIRST_SLOTS).for_each(|i| ring.put(i).unwrap());
            assert!(ring.all().is_none());
            (FIRST_SLOTS + 1..=256).for_each(|i| ring.put(i).unwrap());
            assert_eq!(ring.put(0), Err(0));
            assert_eq!((1..=256).map(|_| ring.take().unwrap()).collect::<Vec<_>>(), Vec::from_iter(1..=256));
            assert_eq!((ring.head(), ring.tail()), (ring.tail(), 1_000 * FIRST_SLOTS as u64 + 257));
        }
    }

    #[test]
    fn each_sender_keeps_its_order() {
        [8, 64].into_iter().for_each(senders_keep_their_order);
    }

    fn senders_keep_their_order(capacity: usize) {
        let ring = Arc::new(new(capacity, true));
        let senders: Vec<_> = (0..3u64)
            .map(|s| {
                let ring = ring.clone();
                std::thread::spawn(move || {
                    for i in 0..1_000u64 {
                        let mut item = (s, i);
                        while let Err(back) = ring.put(item) {
                            item = back;
                            std::thread::yield_now();
                        }
                    }
                })
            })
            .collect();
        let mut next = [0; 3];
        while next.iter().sum::<u64>() < 3_000 {
            match ring.take() {
                Some((sender, i)) => {
                    assert_eq!(next[sender as usize], i);
                    next[sender as usize] += 1;
                }
                None => std::thread::yield_now(),
            }
        }
        senders.into_iter().for_each(|s| assert!(s.join().is_ok()));
        assert_eq!((ring.head(), ring.tail()), (3_000, 3_000));
    }
}
