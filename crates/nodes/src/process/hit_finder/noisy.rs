//! Channels that give too many hits.

/// Of the hits of a noisy channel one in so many is passed on, so that it is seen that the channel is noisy.
const KEPT: u64 = 100;
/// Seconds over the limit after which a channel is noisy.
const ON_AFTER: u8 = 1;
/// Seconds under half the limit after which it is not any more.
const OFF_AFTER: u8 = 10;

/// Follows the hits of each channel of a link.
#[derive(Debug)]
pub(super) struct Noisy {
    channels: Vec<Rate>,
    /// Hits per second that make a channel noisy; 0: never.
    limit: u32,
    /// When the second ends that is being counted, and its length: samples.
    second_ends: u64,
    held_back: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Rate {
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
    /// For channels with these offline numbers, of which those in `masked` give no hits.
    pub(super) fn new(masked: &[u32], offline: impl Iterator<Item = u32>) -> Noisy {
        let rate = |offline| Rate { is_masked: masked.contains(&offline), ..Rate::default() };
        Noisy { channels: offline.map(rate).collect(), limit: 0, second_ends: 0, held_back: 0 }
    }

    /// Hits per second that make a channel noisy; 0: never.
    pub(super) fn set_limit(&mut self, limit: u32) {
        self.limit = limit;
    }

    /// Counts a hit; whether it is passed on.
    pub(super) fn lets_pass(&mut self, channel: usize) -> bool {
        let Some(rate) = self.channels.get_mut(channel) else { return false };
        rate.count = rate.count.saturating_add(1);
        let passes = !rate.is_masked && (!rate.is_noisy || u64::from(rate.count) % KEPT == 0);
        self.held_back += u64::from(!passes);
        passes
    }

    /// A second begins when `now`, in ticks of `ticks_per_second`, has passed the end of the last one; true then.
    pub(super) fn follow_time(&mut self, now: u64, ticks_per_second: u64) -> bool {
        if self.second_ends == 0 || now.abs_diff(self.second_ends) > 10 * ticks_per_second {
            self.second_ends = now + ticks_per_second;
        }
        if now < self.second_ends {
            return false;
        }
        self.second_ends += ticks_per_second;
        let limit = if self.limit == 0 { u32::MAX } else { self.limit };
        for rate in &mut self.channels {
            let against = if rate.is_noisy { rate.count < limit / 2 } else { rate.count > limit };
            rate.against = if against { rate.against.saturating_add(1) } else { 0 };
            if rate.against >= if rate.is_noisy { OFF_AFTER } else { ON_AFTER } {
                (rate.is_noisy, rate.against) = (!rate.is_noisy, 0);
            }
            (rate.last, rate.count) = (rate.count, 0);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_channel_becomes_noisy_and_quiet_again() {
        let mut noisy = Noisy::new(&[7], [5, 6, 7].into_iter());
        noisy.set_limit(100);
        let mut second = |hits: u32, at: u64| {
            let passed = (0..hits).filter(|_| noisy.lets_pass(0)).count();
            noisy.follow_time(at, 10);
            (passed, noisy.noisy().collect::<Vec<_>>())
        };
        assert_eq!(second(0, 1000), (0, vec![]));
        assert_eq!(second(101, 1010), (101, vec![0]));
        assert_eq!(second(200, 1020), (2, vec![0]));
        for i in 0..9 {
            assert_eq!(second(10, 1030 + 10 * i), (0, vec![0]));
        }
        assert_eq!(second(10, 1120), (0, vec![]));
        assert_eq!(second(10, 1130), (10, vec![]));
        assert!(!noisy.lets_pass(2) && noisy.lets_pass(1));
        assert_eq!(noisy.rates().collect::<Vec<_>>(), [10, 0, 0]);
    }
}
