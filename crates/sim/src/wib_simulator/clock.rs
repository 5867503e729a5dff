//! The times at which batches of the links are due.

use std::collections::VecDeque;

/// How far the node may fall behind and still send everything: the buffers of a detector hold data for about
/// this time.
const BACKLOG_NS: u64 = 50_000_000;

/// The times of the batches of some links.
pub(super) struct Clock {
    /// When batch `begin_batch` began to happen, on the run's clock.
    pub(super) begin_ns: u64,
    pub(super) begin_batch: u64,
    /// Length of a batch at the detector's rate.
    pub(super) batch_ns: u64,
    /// Fraction of the detector's rate; 0: every batch is due at once.
    pub(super) rate: f64,
    pub(super) links: Vec<LinkClock>,
}

/// The time of one link.
#[derive(Default)]
pub(super) struct LinkClock {
    /// Number of the next batch.
    pub(super) next: u64,
    /// So much later than the others it sends.
    pub(super) skew_ns: u64,
    /// From which batch on, and for how long, nothing is sent.
    pub(super) stalls: VecDeque<(u64, u64)>,
    /// Nothing is sent before.
    pub(super) silent_until_ns: u64,
}

impl Clock {
    /// The link that sends next, and when: the batch's last tick has then happened. `None` when all have sent `end` batches.
    pub(super) fn next(&self, end: u64) -> Option<(usize, u64)> {
        let going = (0..self.links.len()).filter(|link| self.links[*link].next < end);
        let due = going.map(|link| (link, self.due_ns(link)));
        // Of links that are due at the same time the one furthest behind comes first.
        due.min_by_key(|(link, due_ns)| (*due_ns, self.links[*link].next))
    }

    fn due_ns(&self, link: usize) -> u64 {
        let at = &self.links[link];
        let stall_ns = at.stalls.front().filter(|(from, _)| *from <= at.next).map_or(0, |(_, ns)| *ns);
        (self.happened_ns(at.next) + at.skew_ns + stall_ns).max(at.silent_until_ns)
    }

    /// When the last tick of a batch has happened; with rate 0 only the order counts.
    fn happened_ns(&self, batch: u64) -> u64 {
        let batches = (batch + 1).saturating_sub(self.begin_batch) as f64;
        let since = if self.rate > 0.0 { (batches * self.batch_ns as f64 / self.rate) as u64 } else { 0 };
        self.begin_ns + since
    }

    /// The next batch of the link has been dealt with, which was due at `due_ns`.
    pub(super) fn step(&mut self, link: usize, due_ns: u64) {
        let at = &mut self.links[link];
        if at.stalls.front().is_some_and(|(from, _)| *from <= at.next) {
            at.stalls.pop_front();
            // Data that have accumulated are sent at once afterwards.
            at.silent_until_ns = due_ns;
        }
        at.next += 1;
    }

    /// Continues at another rate from now on.
    pub(super) fn set_rate(&mut self, rate: f64, now_ns: u64) {
        // Counted from the link that is furthest on: the others are due at once.
        self.begin_batch = self.links.iter().map(|link| link.next).max().unwrap_or(0);
        (self.begin_ns, self.rate) = (now_ns, rate);
    }

    /// Whether a batch that was due at `due_ns` is too late to be sent at `now_ns`.
    pub(super) fn is_lost(&self, due_ns: u64, now_ns: u64) -> bool {
        self.rate > 0.0 && now_ns > due_ns + BACKLOG_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(rate: f64) -> Clock {
        let links = vec![LinkClock::default(), LinkClock { skew_ns: 500, ..LinkClock::default() }];
        Clock { begin_ns: 10_000, begin_batch: 0, batch_ns: 1000, rate, links }
    }

    fn order(clock: &mut Clock, count: usize) -> Vec<(usize, u64)> {
        let mut order = Vec::new();
        while order.len() < count {
            let (link, due_ns) = clock.next(u64::MAX).unwrap();
            clock.step(link, due_ns);
            order.push((link, due_ns));
        }
        order
    }

    #[test]
    fn batches_are_due_when_they_have_happened() {
        assert_eq!(order(&mut clock(1.0), 4), [(0, 11_000), (1, 11_500), (0, 12_000), (1, 12_500)]);
        assert_eq!(order(&mut clock(0.5), 3), [(0, 12_000), (1, 12_500), (0, 14_000)]);
    }

    #[test]
    fn a_stall_holds_back_and_what_has_piled_up_comes_at_once() {
        let mut clock = clock(1.0);
        clock.links[0].stalls.push_back((1, 2500));
        clock.links.truncate(1);
        assert_eq!(order(&mut clock, 5), [(0, 11_000), (0, 14_500), (0, 14_500), (0, 14_500), (0, 15_000)]);
    }

    #[test]
    fn each_link_sends_as_many_batches() {
        let mut clock = clock(1.0);
        clock.links[1].skew_ns = 5000;
        let mut sent = [0; 2];
        while let Some((link, due_ns)) = clock.next(3) {
            clock.step(link, due_ns);
            sent[link] += 1;
        }
        assert_eq!(sent, [3, 3]);
    }

    #[test]
    fn another_rate_goes_on_from_now() {
        let mut clock = clock(1.0);
        order(&mut clock, 4);
        clock.set_rate(2.0, 50_000);
        assert_eq!(order(&mut clock, 3), [(0, 50_500), (1, 51_000), (0, 51_000)]);
    }

    #[test]
    fn without_a_rate_links_take_turns() {
        let mut clock = clock(0.0);
        clock.links[1].skew_ns = 0;
        assert!(!clock.is_lost(0, u64::MAX / 2));
        assert_eq!(order(&mut clock, 4), [(0, 10_000), (1, 10_000), (0, 10_000), (1, 10_000)]);
    }
}
