//! The bounded queue of an input: many threads put, one takes.
//!
//! Rules that the `unsafe` blocks rely on:
//!
//! 1. Positions count up for ever. Position `p` lives in slot `p % slots`, and there are at least two slots, at least as
//!    many as items allowed.
//! 2. Whoever moves `tail` from `p` to `p + 1` owns slot `p` until he stores its turn `p + 1`: he alone writes it.
//! 3. If only one thread takes, what lies in slot `p` is his as soon as its turn is `p + 1`, until he stores `head`
//!    `p + 1`. `tail` passes position `p + slots` only after that: it is never more than the items allowed beyond `head`.
//! 4. If many take, whoever moves `head` from `p` to `p + 1` owns what lies in slot `p` until he stores its turn
//!    `p + slots`, and `tail` passes position `p + slots` only after that.

use std::mem::MaybeUninit;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering, UnsafeCell};

pub(crate) struct Ring<T> {
    capacity: u64,
    /// Only one thread takes.
    exclusive: bool,
    slots: Box<[Slot<T>]>,
    head: CachePadded<AtomicU64>,
    tail: CachePadded<Tail>,
}

/// What those who put share.
struct Tail {
    position: AtomicU64,
    /// At least so far `head` has come. Who takes writes no line that those who put read, but `head` now and then.
    known_head: AtomicU64,
}

struct Slot<T> {
    turn: AtomicU64,
    item: UnsafeCell<MaybeUninit<T>>,
}

// SAFETY: items are handed from thread to thread, never shared (rules 2 and 3), so `T: Send` is enough.
unsafe impl<T: Send> Send for Ring<T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Ring<T> {}

impl<T> Ring<T> {
    pub(crate) fn new(capacity: usize, exclusive: bool) -> Ring<T> {
        let capacity = capacity.max(1);
        let slots = capacity.next_power_of_two().max(2) as u64;
        let slot = |p| Slot { turn: AtomicU64::new(p), item: UnsafeCell::new(MaybeUninit::uninit()) };
        Ring {
            capacity: capacity as u64,
            exclusive,
            slots: (0..slots).map(slot).collect(),
            head: CachePadded::new(AtomicU64::new(0)),
            tail: CachePadded::new(Tail { position: AtomicU64::new(0), known_head: AtomicU64::new(0) }),
        }
    }

    /// Position of the next item to be taken: the number of items that have left.
    pub(crate) fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// Position of the next item to be put: the number of items that have entered.
    pub(crate) fn tail(&self) -> u64 {
        self.tail.position.load(Ordering::Acquire)
    }

    fn slot(&self, position: u64) -> &Slot<T> {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Puts an item, or gives it back when the ring is full.
    #[inline]
    pub(crate) fn put(&self, item: T) -> Result<(), T> {
        let mut tail = self.tail.position.load(Ordering::Relaxed);
        loop {
            if self.is_full(tail) {
                let now = self.tail.position.load(Ordering::Relaxed);
                if now == tail {
                    return Err(item);
                }
                tail = now;
                continue;
            }
            let moved = self.tail.position.compare_exchange_weak(
                tail,
                tail + 1,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match moved {
                Ok(_) => break,
                Err(now) => tail = now,
            }
        }
        let slot = self.slot(tail);
        // SAFETY: rule 2: position `tail` is ours, and its slot is free.
        slot.item.with_mut(|place| unsafe { (*place).write(item) });
        // Release: the item is written before others see that it is.
        slot.turn.store(tail + 1, Ordering::Release);
        Ok(())
    }

    /// True when there is no room for position `tail`, or `tail` is old.
    #[inline]
    fn is_full(&self, tail: u64) -> bool {
        if !self.exclusive && self.slot(tail).turn.load(Ordering::Acquire) != tail {
            return true;
        }
        // `head` may have passed an old `tail`.
        tail.saturating_sub(self.tail.known_head.load(Ordering::Acquire)) >= self.capacity
            && tail.saturating_sub(self.look_at_head()) >= self.capacity
    }

    /// Acquire and release: what was taken before `head` came there is read before its slots are written again, by
    /// whoever learns of it here or from `known_head`.
    fn look_at_head(&self) -> u64 {
        let head = self.head.load(Ordering::Acquire);
        self.tail.known_head.store(head, Ordering::Release);
        head
    }

    /// True when [`take`](Ring::take) would find nothing. For whoever takes: it looks at no line but the next item's.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        let head = self.head.load(Ordering::Relaxed);
        self.slot(head).turn.load(Ordering::Acquire) != head + 1
    }

    /// Takes the oldest item.
    #[inline]
    pub(crate) fn take(&self) -> Option<T> {
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            let slot = self.slot(head);
            // Acquire: pairs with the release in `put`, so that the item may be read.
            let turn = slot.turn.load(Ordering::Acquire);
            if turn != head + 1 {
                let now = self.head.load(Ordering::Relaxed);
                if now == head {
                    return None;
                }
                head = now;
                continue;
            }
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
                    slot.turn.store(head + self.slots.len() as u64, Ordering::Release);
                    return Some(item);
                }
                Err(now) => head = now,
            }
        }
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        while self.take().is_some() {}
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::sync::Arc;

    use super::Ring;

    #[test]
    fn holds_exactly_its_capacity_in_order() {
        for capacity in 1..=9 {
            let ring = Ring::new(capacity, capacity % 2 == 0);
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
        let ring = Ring::new(4, true);
        (0..3).for_each(|_| ring.put(item.clone()).unwrap());
        drop(ring.take());
        drop(ring);
        assert_eq!(Arc::strong_count(&item), 1);
    }

    #[test]
    fn each_sender_keeps_its_order() {
        let ring = Arc::new(Ring::new(8, true));
        let senders: Vec<_> = (0..3u64)
            .map(|s| {
                let ring = ring.clone();
                std::thread::spawn(move || {
                    for i in 0..5_000u64 {
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
        while next.iter().sum::<u64>() < 15_000 {
            match ring.take() {
                Some((sender, i)) => {
                    assert_eq!(next[sender as usize], i);
                    next[sender as usize] += 1;
                }
                None => std::thread::yield_now(),
            }
        }
        senders.into_iter().for_each(|s| s.join().unwrap());
        assert_eq!((ring.head(), ring.tail()), (15_000, 15_000));
    }
}
