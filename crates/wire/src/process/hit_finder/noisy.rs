//! Channels that give too many hits.

/// One in this many hits of a noisy channel is passed on, which is enough to see that the channel is noisy.
const KEPT: u64 = 100;
/// Seconds over the limit after which a channel counts as noisy.
const ON_AFTER: u8 = 1;
/// Seconds below half the limit after which a channel no longer counts as noisy. Both the longer time and the lower
/// limit keep a channel at the limit from switching back and forth.
const OFF_AFTER: u8 = 10;

/// Follows the hits of each channel of a link.
#[derive(Debug)]
pub(super) struct Noisy {
    channels: Vec<Rate>,
    /// Hits per second that make a channel noisy; 0: never.
    limit: u32,
    /// Length of a second, ticks of the clock.
    second: u64,
    /// The current second of the data.
    now: u64,
    held_back: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Rate {
    /// The second that is being counted. Each channel goes by the times of its hits, so that it makes no difference how they come.
    at: u64,
    /// Hits in this second.
    count: u32,
    /// Hits in the last whole second.
    last: u32,
    /// Seconds that speak against the present state.
    against: u8,
    is_noisy: bool,
    /// Named in the configuration: gives no hits at all.
    is_masked: bool,
}

impl Noisy {
    /// For channels with these offline numbers. Channels in `masked` give no hits; a second has `second` ticks.
    pub(super) fn new(masked: &[u32], offline: impl Iterator<Item = u32>, second: u64) -> Noisy {
        let rate = |offline| Rate { is_masked: masked.contains(&offline), ..Rate::default() };
        Noisy { channels: offline.map(rate).collect(), limit: 0, second: second.max(1), now: 0, held_back: 0 }
    }

    /// Hits per second that make a channel noisy; 0: never.
    pub(super) fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// Counts a hit that starts at `time`; whether it is passed on.
    pub(super) fn lets_pass(&mut self, channel: usize, time: u64) -> bool {
        let (limit, second) = (self.limit, time / self.second);
        let Some(rate) = self.channels.get_mut(channel) else { return false };
        rate.follow(second, limit);
        rate.count = rate.count.saturating_add(1);
        // Every n-th hit of a noisy channel passes, so that analyses still see the channel.
        let passes = !rate.is_masked && (!rate.is_noisy || u64::from(rate.count) % KEPT == 0);
        self.held_back += u64::from(!passes);
        passes
    }

    /// Advances to `time`; true when a new second has begun.
    pub(super) fn follow_time(&mut self, time: u64) -> bool {
        let second = time / self.second;
        if std::mem::replace(&mut self.now, second) == second {
            return false;
        }
        // Hits of the previous second may still come, namely open ones.
        let (limit, until) = (self.limit, second.saturating_sub(1));
        self.channels.iter_mut().for_each(|rate| rate.follow(until, limit));
        true
    }

    /// Hits that were not passed on.
    pub(super) fn held_back(&self) -> u64 {
        self.held_back
    }

    /// Channels of the frame that are noisy now.
    pub(super) fn noisy(&self) -> impl Iterator<Item = usize> {
        self.channels.iter().enumerate().filter(|(_, rate)| rate.is_noisy).map(|(channel, _)| channel)
    }

    /// Hits of each channel in the last whole second.
    pub(super) fn rates(&self) -> impl Iterator<Item = u32> {
        self.channels.iter().map(|rate| rate.last)
    }
}

impl Rate {
    /// Counts go on in `second`. One that is earlier, or far away, is another epoch of time: counting begins again.
    fn follow(&mut self, second: u64, limit: u32) {
        if second == self.at {
            return;
        }
        // A limit of 0 switches the check off.
        let limit = if limit == 0 { u32::MAX } else { limit };
        let passed = second.saturating_sub(self.at);
        if second < self.at && self.at - second <= 1 {
            // A hit that began before one that was found earlier.
            return;
        }
        // After a long silence the state has settled, and further seconds change nothing.
        for _ in 0..passed.min(u64::from(OFF_AFTER) + 1) {
            self.end_second(limit);
        }
        (self.at, self.count) = (second, 0);
    }

    fn end_second(&mut self, limit: u32) {
        // Half of the limit to switch back: see `OFF_AFTER`.
        let against = if self.is_noisy { self.count < limit / 2 } else { self.count > limit };
        self.against = if against { self.against.saturating_add(1) } else { 0 };
        if self.against >= if self.is_noisy { OFF_AFTER } else { ON_AFTER } {
            (self.is_noisy, self.against) = (!self.is_noisy, 0);
        }
        (self.last, self.count) = (self.count, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_becomes_noisy_and_quiet_again() {
        let mut noisy = Noisy::new(&[7], [5, 6, 7].into_iter(), 10);
        noisy.set_limit(100);
        let mut second = |hits: u32, second: u64| {
            let passed = (0..hits).filter(|_| noisy.lets_pass(0, 10 * second + 3)).count();
            noisy.follow_time(10 * second + 19);
            (passed, noisy.noisy().collect::<Vec<_>>())
        };
        assert_eq!(second(0, 100), (0, vec![]));
        assert_eq!(second(101, 101), (101, vec![]));
        assert_eq!(second(200, 102), (2, vec![0]));
        for i in 0..10 {
            assert_eq!(second(10, 103 + i), (0, vec![0]));
        }
        assert_eq!(second(10, 113), (10, vec![]));
        assert_eq!(second(10, 114), (10, vec![]));
        assert_eq!(noisy.rates().collect::<Vec<_>>(), [10, 0, 0]);
        assert!(!noisy.lets_pass(2, 1150) && noisy.lets_pass(1, 1150));
    }
}
