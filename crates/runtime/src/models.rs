//! Small programs with queues and bells. The model checker tries all their interleavings with at most the
//! number of preemptions that `make models` allows (two).

use std::sync::Arc;

use livetime_frame::{Frame, FramePool};
use loom::thread;

use crate::Doorbell;
use crate::frame_ring::FrameRing;
use crate::ring::Ring;
use crate::sync::{Ordering, fence};

fn frame_ring(capacity: usize, exclusive: bool) -> FrameRing {
    // SAFETY: in these models one thread puts, and takes where the ring is exclusive.
    unsafe { FrameRing::new(capacity, exclusive).with_places() }
}

fn item_ring<T>(capacity: usize, exclusive: bool) -> Ring<T> {
    // SAFETY: as above.
    unsafe { Ring::new(capacity, exclusive) }
}

fn frames(count: u64) -> (FramePool, Vec<Frame>) {
    let pool = FramePool::new(1 << 20);
    let mut allocator = pool.allocator();
    let frame = |n| {
        let mut frame = allocator.bytes(0).unwrap();
        frame.header_mut().sequence = n;
        frame.freeze()
    };
    let frames = (0..count).map(frame).collect();
    (pool, frames)
}

fn put(ring: &FrameRing, position: u64, frame: Frame) {
    ring.fill(position, frame, 0);
    ring.set_place(position, position);
    ring.publish(position + 1);
}

fn number(ring: &FrameRing) -> Option<u64> {
    let (taken, place) = ring.take_with_place(&mut 0)?;
    assert_eq!(place, taken.position);
    Some(taken.frame.header().sequence)
}

#[test]
fn one_thread_to_one_keeps_order_and_memory() {
    loom::model(|| one_to_one(false));
}

#[test]
fn so_it_does_when_only_one_thread_takes() {
    loom::model(|| one_to_one(true));
}

fn one_to_one(exclusive: bool) {
    let (pool, frames) = frames(3);
    let ring = Arc::new(frame_ring(2, exclusive));
    let sender = ring.clone();
    let thread = thread::spawn(move || {
        let mut sent = 0;
        for frame in frames {
            if sent - sender.head() < sender.capacity() {
                put(&sender, sent, frame);
                sent += 1;
            }
        }
        sent
    });
    let seen: Vec<u64> = (0..2).filter_map(|_| number(&ring)).collect();
    let sent = thread.join().unwrap();
    assert!(seen.windows(2).all(|w| w[0] < w[1]));
    let rest = std::iter::from_fn(|| number(&ring)).count();
    assert_eq!(seen.len() + rest, sent as usize);
    drop(ring);
    assert_eq!(pool.statistics().buffers, 0);
}

#[test]
fn what_is_published_at_once_arrives_in_order() {
    loom::model(|| {
        let (pool, frames) = frames(2);
        let ring = Arc::new(frame_ring(2, true));
        let sender = ring.clone();
        let thread = thread::spawn(move || {
            for (position, frame) in frames.into_iter().enumerate() {
                sender.fill(position as u64, frame, 0);
                sender.set_place(position as u64, position as u64);
            }
            sender.publish(2);
        });
        let first = number(&ring);
        assert!(first.is_none_or(|n| n == 0));
        thread.join().unwrap();
        assert_eq!(number(&ring), Some(if first.is_some() { 1 } else { 0 }));
        drop(ring);
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn sender_and_receiver_never_take_the_same_frame() {
    loom::model(|| {
        let (pool, frames) = frames(3);
        let ring = Arc::new(frame_ring(1, false));
        let receiver = ring.clone();
        let thread = thread::spawn(move || [number(&receiver), number(&receiver)]);
        let mut stolen = Vec::new();
        for (position, frame) in frames.into_iter().enumerate() {
            if position as u64 - ring.head() >= ring.capacity() {
                stolen.extend(number(&ring));
            }
            put(&ring, position as u64, frame);
        }
        let received = thread.join().unwrap();
        let rest = std::iter::from_fn(|| number(&ring));
        let mut all: Vec<u64> = received.into_iter().flatten().chain(stolen).chain(rest).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2]);
        drop(ring);
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn two_receivers_share_without_losing_or_doubling() {
    loom::model(|| {
        let (pool, frames) = frames(2);
        let ring = Arc::new(frame_ring(2, false));
        let receivers = [ring.clone(), ring.clone()].map(|ring| thread::spawn(move || number(&ring)));
        for (position, frame) in frames.into_iter().enumerate() {
            put(&ring, position as u64, frame);
        }
        let received = receivers.map(|r| r.join().unwrap());
        let rest = std::iter::from_fn(|| number(&ring));
        let mut all: Vec<u64> = received.into_iter().flatten().chain(rest).collect();
        all.sort_unstable();
        assert_eq!(all, [0, 1]);
        drop(ring);
        assert_eq!(pool.statistics().buffers, 0);
    });
}

#[test]
fn no_sleep_is_slept_through() {
    loom::model(|| {
        let (_pool, frames) = frames(1);
        let ring = Arc::new(frame_ring(1, false));
        let bell = Arc::new(Doorbell::default());
        let (queue, sleeper) = (ring.clone(), bell.clone());
        let thread = thread::spawn(move || {
            sleeper.adopt_thread();
            loop {
                if let Some(number) = number(&queue) {
                    return number;
                }
                sleeper.prepare();
                if queue.tail() > queue.head() {
                    sleeper.cancel();
                } else {
                    sleeper.wait(None);
                }
            }
        });
        for frame in frames {
            put(&ring, 0, frame);
            fence(Ordering::SeqCst);
            bell.ring_if_seen_parked();
        }
        assert_eq!(thread.join().unwrap(), 0);
    });
}

// ---- Rings of items ----

#[test]
fn two_senders_lose_nothing() {
    loom::model(|| {
        let ring = Arc::new(item_ring(2, true));
        let senders = [1, 2].map(|item| {
            let ring = ring.clone();
            thread::spawn(move || ring.put(item).is_ok())
        });
        let mut seen: Vec<i32> = ring.take().into_iter().collect();
        assert!(senders.map(|s| s.join().unwrap()) == [true, true]);
        seen.extend(std::iter::from_fn(|| ring.take()));
        seen.sort_unstable();
        assert_eq!(seen, [1, 2]);
    });
}

/// A ring of two slots grows to four while two threads put; each one's items keep their order.
#[test]
fn a_ring_that_grows_keeps_the_order_of_each_sender() {
    for exclusive in [true, false] {
        loom::model(move || {
            let ring = Arc::new(item_ring(4, exclusive));
            let sender = ring.clone();
            let thread = thread::spawn(move || [10, 11].map(|item| sender.put(item).is_ok()));
            let sent = [20, 21].map(|item| ring.put(item).is_ok());
            let mut seen: Vec<i32> = ring.take().into_iter().collect();
            assert!(thread.join().unwrap() == [true, true] && sent == [true, true]);
            seen.extend(std::iter::from_fn(|| ring.take()));
            let of = |tens: i32| seen.iter().copied().filter(|i| i / 10 == tens).collect::<Vec<_>>();
            assert_eq!((of(1), of(2), seen.len()), (vec![10, 11], vec![20, 21], 4));
        });
    }
}

#[test]
fn a_full_ring_gives_the_item_back_and_its_places_are_used_again() {
    loom::model(|| {
        let ring = Arc::new(item_ring(1, true));
        let sender = ring.clone();
        let thread = thread::spawn(move || [1, 2, 3].map(|item| sender.put(item).is_ok()));
        let early: Vec<i32> = [ring.take(), ring.take()].into_iter().flatten().collect();
        let sent = thread.join().unwrap();
        let all: Vec<i32> = early.into_iter().chain(std::iter::from_fn(|| ring.take())).collect();
        assert!(sent[0]);
        assert_eq!(all, (1..=3).filter(|i| sent[*i as usize - 1]).collect::<Vec<_>>());
    });
}

#[test]
fn sender_and_receiver_never_take_the_same_item() {
    loom::model(|| {
        let ring = Arc::new(item_ring(1, false));
        let receiver = ring.clone();
        let thread = thread::spawn(move || receiver.take());
        let mut taken = Vec::new();
        for item in [1, 2] {
            let mut item = item;
            // As an input that keeps the newest message does.
            while let Err(back) = ring.put(item) {
                taken.extend(ring.take());
                item = back;
                thread::yield_now();
            }
        }
        taken.extend(thread.join().unwrap());
        taken.extend(std::iter::from_fn(|| ring.take()));
        taken.sort_unstable();
        assert_eq!(taken, [1, 2]);
    });
}
