//! The ring in which a node records its spans of traced frames.

use std::sync::OnceLock;

use livetime_runtime::sync::{AtomicU64, Ordering};

/// The part of a span that a node records; the reader adds the rest.
pub(crate) struct Visit {
    pub(crate) from: Option<usize>,
    pub(crate) source: u16,
    pub(crate) sequence: u64,
    pub(crate) queued_ns: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

/// The spans of one node (or one copy of it) on their way to the reader: one thread puts, one takes.
#[derive(Default)]
pub(crate) struct SpanRing {
    /// Made before the first span, not in the frame path.
    slots: OnceLock<Box<[Slot]>>,
    /// The next to be taken; only the reader writes it.
    head: AtomicU64,
    /// The next to be put; only the node's thread writes it.
    tail: AtomicU64,
    lost: AtomicU64,
}

/// A [`Visit`], word by word.
type Slot = [AtomicU64; 5];

/// Bits of a source's number (`u16`), which shares a word with `from + 1`.
const SOURCE_BITS: u32 = 16;

impl SpanRing {
    pub(crate) fn make(&self, capacity: usize) {
        self.slots.get_or_init(|| {
            (0..capacity.max(1)).map(|_| std::array::from_fn(|_| AtomicU64::new(0))).collect()
        });
    }

    /// Visits that found the ring full.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Only the node's thread calls it.
    #[cold]
    pub(crate) fn put(&self, visit: &Visit) {
        let tail = self.tail.load(Ordering::Relaxed);
        // Acquire: the reader has read a slot before it stores `head`, which allows rewriting the slot.
        let waiting = tail - self.head.load(Ordering::Acquire);
        let slots = self.slots.get().map_or(&[][..], |slots| slots);
        if waiting >= slots.len() as u64 {
            self.lost.store(self.lost.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return;
        }
        let from = visit.from.map_or(0, |node| node as u64 + 1);
        let words = [
            from << SOURCE_BITS | u64::from(visit.source),
            visit.sequence,
            visit.queued_ns,
            visit.start_ns,
            visit.end_ns,
        ];
        let slot = &slots[(tail % slots.len() as u64) as usize];
        slot.iter().zip(words).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
        // Release: publishes the slot.
        self.tail.store(tail + 1, Ordering::Release);
    }

    /// One reader at a time calls it.
    pub(crate) fn take(&self) -> Option<Visit> {
        let head = self.head.load(Ordering::Relaxed);
        if head == self.tail.load(Ordering::Acquire) {
            return None;
        }
        let slots = self.slots.get()?;
        let slot = &slots[(head % slots.len() as u64) as usize];
        let [place, sequence, queued_ns, start_ns, end_ns] =
            std::array::from_fn(|i| slot[i].load(Ordering::Relaxed));
        self.head.store(head + 1, Ordering::Release);
        let from = (place >> SOURCE_BITS).checked_sub(1).map(|node| node as usize);
        let source = (place & ((1 << SOURCE_BITS) - 1)) as u16;
        Some(Visit { from, source, sequence, queued_ns, start_ns, end_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visit(number: u64) -> Visit {
        let from = (!number.is_multiple_of(3)).then_some(number as usize);
        let source = u16::MAX - number as u16;
        Visit { from, source, sequence: number, queued_ns: number, start_ns: number + 1, end_ns: number + 2 }
    }

    fn check(found: &Visit) -> u64 {
        let wanted = visit(found.sequence);
        assert_eq!((found.from, found.source), (wanted.from, wanted.source));
        assert_eq!(
            (found.queued_ns, found.start_ns, found.end_ns),
            (wanted.queued_ns, wanted.start_ns, wanted.end_ns)
        );
        found.sequence
    }

    #[cfg(not(loom))]
    #[test]
    fn a_full_ring_keeps_what_it_has_and_counts_the_rest() {
        let ring = SpanRing::default();
        ring.put(&visit(0));
        assert_eq!((ring.take().is_none(), ring.lost()), (true, 1));
        ring.make(3);
        for round in 0..4 {
            (0..5).for_each(|i| ring.put(&visit(10 * round + i)));
            let taken: Vec<u64> = std::iter::from_fn(|| ring.take()).map(|v| check(&v)).collect();
            assert_eq!(taken, [10 * round, 10 * round + 1, 10 * round + 2]);
            assert_eq!(ring.lost(), 1 + 2 * (round + 1));
        }
    }

    #[cfg(loom)]
    mod models {
        use std::sync::Arc;

        use super::*;

        #[test]
        fn every_span_is_taken_whole_and_in_order_or_counted_as_lost() {
            const SPANS: u64 = 3;
            loom::model(|| {
                let ring = Arc::new(SpanRing::default());
                ring.make(2);
                let writer = {
                    let ring = ring.clone();
                    loom::thread::spawn(move || (0..SPANS).for_each(|i| ring.put(&visit(i))))
                };
                let take = || ring.take().map(|v| check(&v));
                let mut taken: Vec<u64> = (0..SPANS).filter_map(|_| take()).collect();
                writer.join().unwrap();
                taken.extend(std::iter::from_fn(take));
                assert!(taken.is_sorted());
                assert_eq!(taken.len() as u64 + ring.lost(), SPANS);
            });
        }
    }
}
