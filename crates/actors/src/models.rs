//! Small programs that notify a strand, wait for room, and cancel a timer, checked in all interleavings with
//! at most the number of preemptions that `make models` allows (two).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use livetime_runtime::ring::Ring;
use livetime_runtime::sync::fence;
use livetime_runtime::{Clock, Control, Doorbell};
use loom::thread;

use super::sink::{Waiter, Waiters};
use super::strand::{Host, StrandHandle};
use super::timer::{Action, Timers};

/// The receiver takes the items in the first slots before the items that were put after the ring had grown, and it
/// misses none of them.
#[test]
fn who_takes_from_a_ring_that_grows_misses_nothing() {
    loom::model(|| {
        let (ring, bell) = (Arc::new(ring(4)), Arc::new(Doorbell::default()));
        let handle = strand(&bell);
        let (queue, told, sleeper) = (ring.clone(), handle.clone(), bell.clone());
        let receiver = thread::spawn(move || {
            sleeper.adopt_thread();
            let mut taken = Vec::new();
            while taken.len() < 3 {
                if told.take_ready() != 0 {
                    taken.extend(std::iter::from_fn(|| queue.take()));
                    continue;
                }
                sleeper.prepare();
                match told.has_work() {
                    true => sleeper.cancel(),
                    false => sleeper.wait(None),
                }
            }
            taken
        });
        for item in 1..=3 {
            ring.put(item).unwrap();
            fence(SeqCst);
            handle.tell(1);
        }
        assert_eq!(receiver.join().unwrap(), [1, 2, 3]);
    });
}

fn ring<T>(capacity: usize) -> Ring<T> {
    // SAFETY: in these models one thread takes.
    unsafe { Ring::new(capacity, true) }
}

fn strand(bell: &Arc<Doorbell>) -> Arc<StrandHandle> {
    let host = Host::Thread { bell: bell.clone(), body: Box::default() };
    Arc::new(StrandHandle::new("strand".into(), host, Clock::simulated(), Arc::new(Control::default())))
}

/// Two senders share one bit; the receiver sleeps whenever it finds nothing.
#[test]
fn a_strand_that_is_told_never_sleeps_on_its_messages() {
    loom::model(|| {
        let (ring, bell) = (Arc::new(ring(2)), Arc::new(Doorbell::default()));
        let handle = strand(&bell);
        let (queue, told, sleeper) = (ring.clone(), handle.clone(), bell.clone());
        let receiver = thread::spawn(move || {
            sleeper.adopt_thread();
            let mut taken = 0;
            while taken < 2 {
                if told.take_ready() != 0 {
                    taken += std::iter::from_fn(|| queue.take()).count();
                    continue;
                }
                sleeper.prepare();
                if told.has_work() {
                    sleeper.cancel();
                } else {
                    sleeper.wait(None);
                }
            }
        });
        let other = (ring.clone(), handle.clone());
        let sender = thread::spawn(move || send(&other.0, &other.1));
        send(&ring, &handle);
        sender.join().unwrap();
        receiver.join().unwrap();
    });
}

fn send(ring: &Ring<i32>, handle: &Arc<StrandHandle>) {
    ring.put(1).unwrap();
    fence(SeqCst);
    handle.tell(1);
}

#[test]
fn who_waits_for_room_is_told_of_it() {
    loom::model(|| {
        let (ring, waiters) = (Arc::new(ring(1)), Arc::new(Waiters::default()));
        let (queue, waiting) = (ring.clone(), waiters.clone());
        let sender = thread::spawn(move || {
            let bell = Arc::new(Doorbell::default());
            bell.adopt_thread();
            for item in [1, 2] {
                while queue.put(item).is_err() {
                    bell.prepare();
                    waiting.add(Waiter::Thread(bell.clone()));
                    if queue.tail() - queue.head() < 1 {
                        bell.cancel();
                    } else {
                        bell.wait(None);
                    }
                }
            }
        });
        let mut taken = 0;
        while taken < 2 {
            match ring.take() {
                Some(_) => {
                    taken += 1;
                    fence(SeqCst);
                    waiters.tell();
                }
                None => thread::yield_now(),
            }
        }
        sender.join().unwrap();
    });
}

struct Count(Arc<AtomicUsize>);

impl Action for Count {
    fn fire(&mut self, _: u64) -> Option<u64> {
        self.0.fetch_add(1, SeqCst);
        None
    }
}

#[test]
fn a_timer_fires_once_or_is_taken_back() {
    loom::model(|| {
        let clock = Clock::simulated();
        let timers = Arc::new(Timers::new(clock.clone()));
        let fired = Arc::new(AtomicUsize::new(0));
        let timer = timers.set(10, Box::new(Count(fired.clone())));
        clock.advance(10);
        let wheels = [timers.clone(), timers.clone()];
        let threads = wheels.map(|timers| thread::spawn(move || _ = timers.fire_due()));
        let was_taken_back = timer.cancel();
        threads.into_iter().for_each(|t| t.join().unwrap());
        assert_eq!(fired.load(SeqCst), if was_taken_back { 0 } else { 1 });
        assert_eq!(timers.len(), 0);
    });
}

struct Again(Arc<AtomicUsize>);

impl Action for Again {
    fn fire(&mut self, now_ns: u64) -> Option<u64> {
        self.0.fetch_add(1, SeqCst);
        Some(now_ns + 10)
    }
}

#[test]
fn a_periodic_timer_that_is_taken_back_while_it_fires_does_not_come_again() {
    loom::model(|| {
        let clock = Clock::simulated();
        let timers = Arc::new(Timers::new(clock.clone()));
        let fired = Arc::new(AtomicUsize::new(0));
        let timer = timers.set(10, Box::new(Again(fired.clone())));
        clock.advance(10);
        let wheel = timers.clone();
        let thread = thread::spawn(move || _ = wheel.fire_due());
        drop(timer);
        thread.join().unwrap();
        clock.advance(100);
        timers.fire_due();
        assert!(fired.load(SeqCst) <= 1);
        assert_eq!(timers.len(), 0);
    });
}
