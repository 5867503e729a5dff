//! Threads by name, and the time that the system gives them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::lock;

/// The times of a running thread are read from the system again after this. A reading takes five calls of the system, and each action of a
/// client needs several reports; rates are means over a second, of which this is one part in a hundred.
const FRESH: Duration = Duration::from_millis(10);

/// Starts a thread. Linux shows the first 15 characters of its name, and no more are given to it.
///
/// # Errors
/// When the system has no thread.
pub fn spawn<R: Send + 'static>(
    name: &str,
    run: impl FnOnce() -> R + Send + 'static,
) -> std::io::Result<JoinHandle<R>> {
    Builder::new().name(name.chars().take(15).collect()).spawn(run)
}

/// How long a thread has run on a core, and waited for one; can be read while the thread runs and afterwards.
#[derive(Default)]
pub struct ThreadTimes {
    /// Thread number of the operating system; 0 until the thread runs.
    tid: AtomicU64,
    /// CPU time of a thread that has ended, in ns.
    cpu_ns: AtomicU64,
    /// How long a thread that has ended had waited for a core, in ns.
    delayed_ns: AtomicU64,
    /// The last reading of the running thread, and its time.
    read: Mutex<Option<(Instant, (u64, u64))>>,
}

impl ThreadTimes {
    /// From now on the times belong to the calling thread.
    pub fn enter(&self) {
        let tid = rustix::thread::gettid();
        self.tid.store(tid.as_raw_nonzero().get() as u64, Ordering::Release);
    }

    /// The calling thread is about to end.
    pub fn leave(&self) {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        let ns = time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64;
        self.delayed_ns.store(scheduled("thread-self").map_or(0, |s| s.1), Ordering::Release);
        self.cpu_ns.store(ns.max(1), Ordering::Release);
    }

    /// CPU time so far, and the time in which the thread was ready to run but had no core, in ns; `None` where the
    /// operating system does not provide it. For a running thread both times may be up to 10 ms old.
    pub fn cpu_and_delay_ns(&self) -> Option<(u64, u64)> {
        match (self.cpu_ns.load(Ordering::Acquire), self.tid.load(Ordering::Acquire)) {
            (0, 0) => None,
            (0, tid) => self.of_running(tid),
            (ended, _) => Some((ended, self.delayed_ns.load(Ordering::Acquire))),
        }
    }

    fn of_running(&self, tid: u64) -> Option<(u64, u64)> {
        let mut read = lock(&self.read);
        if let Some((_, times)) = read.filter(|(at, _)| at.elapsed() < FRESH) {
            return Some(times);
        }
        let times = scheduled(&format!("self/task/{tid}"))?;
        *read = Some((Instant::now(), times));
        Some(times)
    }
}

/// The account of Linux's scheduler for a thread: ns on a core, and ns waiting for one.
fn scheduled(thread: &str) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/schedstat")).ok()?;
    let mut numbers = text.split_whitespace().map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}
