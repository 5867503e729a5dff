//! Which items are timed, and how: reading the clock for each would cost more than handling the fast ones.

/// Handlers, and gaps between items, that are shorter than this are timed for some items only. A reading of the clock
/// costs about 10 ns, and two or three are needed for each item.
pub const FAST_NS: u64 = 1_000;

/// Among items that enter faster than [`FAST_NS`] apart, one in this many is timed on its whole way. This costs about
/// an eighth of timing all of them, and at 1 MHz still gives 125,000 measured times a second.
pub const FAST_TIMED_EVERY: u32 = 8;

/// Picks every n-th item.
///
/// ```
/// let mut sampler = livetime_runtime::sampling::Sampler::every(3);
/// let picked: Vec<bool> = (0..6).map(|_| sampler.pick()).collect();
/// assert_eq!(picked, [false, false, true, false, false, true]);
/// ```
#[derive(Clone, Debug)]
pub struct Sampler {
    every: u32,
    /// Items to the next one that is picked, that one included.
    left: u32,
}

impl Sampler {
    /// Picks the last of each `every` items; 1 picks all.
    pub fn every(every: u32) -> Sampler {
        let every = every.max(1);
        Sampler { every, left: every }
    }

    /// From now on picks one item in `every`; a change restarts the count.
    pub fn set_every(&mut self, every: u32) {
        if every != self.every {
            *self = Sampler::every(every);
        }
    }

    /// Whether this item is picked.
    #[inline]
    pub fn pick(&mut self) -> bool {
        self.left -= 1;
        let is_picked = self.left == 0;
        if is_picked {
            self.left = self.every;
        }
        is_picked
    }
}

/// Times the handler of one receiver.
///
/// Where items follow each other without a gap, the end of one handler is the start of the next, and the clock is read
/// once for both.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    /// End of the last handler, if it was timed and nothing happened since; else 0.
    last_ns: u64,
    is_slow: bool,
}

impl Stopwatch {
    /// `is_slow` says whether the first handlers are assumed to be slow; slow handlers are all timed.
    pub fn new(is_slow: bool) -> Stopwatch {
        Stopwatch { last_ns: 0, is_slow }
    }

    /// The last timed handler took long enough to time every one.
    #[inline]
    pub fn is_slow(&self) -> bool {
        self.is_slow
    }

    /// Something else happens before the next handler, which therefore starts later than the last one ended.
    #[inline]
    pub fn forget(&mut self) {
        self.last_ns = 0;
    }

    /// The next handler starts at `at_ns`, a reading of the clock by the caller; 0 if there is none.
    #[inline]
    pub fn start_at(&mut self, at_ns: u64) {
        self.last_ns = at_ns;
    }

    /// A handler that is timed starts. Returns when, by `now_ns` if that is not known.
    #[inline]
    pub fn start(&mut self, now_ns: impl FnOnce() -> u64) -> u64 {
        match std::mem::take(&mut self.last_ns) {
            0 => now_ns(),
            last_ns => last_ns,
        }
    }

    /// A handler that was timed has ended, after `count` items (at least 1). Returns the time for each of them.
    #[inline]
    pub fn end(&mut self, start_ns: u64, end_ns: u64, count: u64) -> u64 {
        let service_ns = end_ns.saturating_sub(start_ns) / count;
        self.is_slow = service_ns >= FAST_NS;
        self.last_ns = end_ns;
        service_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_is_read_once_between_handlers_that_follow_each_other() {
        let mut watch = Stopwatch::new(true);
        assert_eq!(watch.start(|| 100), 100);
        assert_eq!(watch.end(100, 5_100, 2), 2_500);
        assert!(watch.is_slow());
        assert_eq!(watch.start(|| unreachable!("the end before is known")), 5_100);
        assert_eq!(watch.end(5_100, 5_200, 1), 100);
        assert!(!watch.is_slow());
        watch.forget();
        assert_eq!(watch.start(|| 7_000), 7_000);
    }

    #[test]
    fn a_sampler_that_changes_begins_anew() {
        let mut sampler = Sampler::every(1);
        assert!((0..3).all(|_| sampler.pick()));
        sampler.set_every(8);
        assert_eq!((0..17).filter(|_| sampler.pick()).count(), 2);
        sampler.set_every(8);
        assert_eq!((0..7).position(|_| sampler.pick()), Some(6));
    }
}
