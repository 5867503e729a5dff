//! The bounded queue of an input: many threads put, one takes.
//!
//! Rules that the `unsafe` blocks rely on:
//!
//! 1. Positions count up for ever. Position `p` lives in slot `p % slots`, and there are at least two slots. The `turn`
//!    of a slot says whose it is: `p` means that it is free for position `p`, `p + 1` that position `p` lies in it.
//! 2. Whoever moves `tail` from `p` to `p + 1` owns slot `p` until he stores its turn `p + 1`: he alone writes it.
//! 3. Whoever moves `head` from `p` to `p + 1` owns what lies in slot `p` until he stores its turn `p + slots`. If the
//!    ring is exclusive, only one thread takes, and moves `head` by a plain store.

use std::mem::MaybeUninit;

use crossbeam_utils::CachePadded;

use crate::sync::{AtomicU64, Ordering, UnsafeCell};

pub(crate) struct Ring<T> {
    capacity: u64,
    /// Only one thread takes.
    exclusive: bool,
    slots: Box<[Slot<T>]>,
    head: CachePadded<AtomicU64>,
    tail: CachePadded<AtomicU64>,
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
            tail: CachePadded::new(AtomicU64::new(0)),
        }
    }

    /// Position of the next item to be taken: the number of items that have left.
    pub(crate) fn head(&self) -> u64 {
        self.head.load(Ordering::Acquire)
    }

    /// Position of the next item to be put: the number of items that have entered.
    pub(crate) fn tail(&self) -> u64 {
        self.tail.load(Ordering::Acquire)
    }

    fn slot(&self, position: u64) -> &Slot<T> {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Puts an item, or gives it back when the ring is full.
    pub(crate) fn put(&self, item: T) -> Result<(), T> {
        let mut tail = self.tail.load(Ordering::Relaxed);
        loop {
            let slot = self.slot(tail);
            let turn = slot.turn.load(Ordering::Acquire);
            if turn < tail || (turn == tail && self.is_beyond_capacity(tail)) {
                let now = self.tail.load(Ordering::Relaxed);
                if now == tail {
                    return Err(item);
                }
                tail = now;
            } else if turn > tail {
                tail = self.tail.load(Ordering::Relaxed);
            } else {
                match self.tail.compare_exchange_weak(tail, tail + 1, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        // SAFETY: rule 2: position `tail` is ours, and its slot is free.
                        slot.item.with_mut(|place| unsafe { (*place).write(item) });
                        // Release: the item is written before others see that it is.
                        slot.turn.store(tail + 1, Ordering::Release);
                        return Ok(());
                    }
                    Err(now) => tail = now,
                }
            }
        }
    }

    /// When there are more slots than items allowed, slots do not tell that the ring is full.
    fn is_beyond_capacity(&self, tail: u64) -> bool {
        // `head` may have passed an old `tail`; then there is room, or `tail` is read again.
        self.capacity < self.slots.len() as u64
            && tail.saturating_sub(self.head.load(Ordering::Acquire)) >= self.capacity
    }

    /// Takes the oldest item.
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
                let item = self.take_out(slot, head);
                self.head.store(head + 1, Ordering::Release);
                return Some(item);
            }
            match self.head.compare_exchange_weak(head, head + 1, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return Some(self.take_out(slot, head)),
                Err(now) => head = now,
            }
        }
    }

    /// The caller owns position `head`, which holds an item.
    fn take_out(&self, slot: &Slot<T>, head: u64) -> T {
        // SAFETY: rule 3: the item of position `head` is ours, and is read once.
        let item = slot.item.with_mut(|place| unsafe { (*place).assume_init_read() });
        // Release: the item is read before others see that the slot is free.
        slot.turn.store(head + self.slots.len() as u64, Ordering::Release);
        item
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
