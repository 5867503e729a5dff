//! Times of the last second, ten seconds and minute, beside the times of the whole run: a stall is to be seen while it lasts, and not for
//! an hour after it.

use std::collections::VecDeque;

use livetime_engine::{NodeReport, Report, Times};

use crate::report::times::{NodeTimes, Percentiles, Spans};

const SECOND_NS: u64 = 1_000_000_000;
const TEN_NS: u64 = 10 * SECOND_NS;
const MINUTE_NS: u64 = 60 * SECOND_NS;

/// The last minute of one histogram, in pieces of a second or more: at most sixty differences of its buckets, and their sums.
#[derive(Default)]
struct Recent {
    /// The histogram when the present second began.
    before: Times,
    /// Pieces with the times of their ends, oldest first: the pieces of the last ten seconds, and the pieces before.
    late: VecDeque<(u64, Times)>,
    early: VecDeque<(u64, Times)>,
    ten: Times,
    minute: Times,
}

impl Recent {
    /// A second is over; the histogram is `now`.
    fn step(&mut self, now: &Times, now_ns: u64) -> Spans {
        let piece = now.since(&self.before);
        self.before = now.clone();
        let second = Percentiles::of(&piece);
        self.ten.merge(&piece);
        self.minute.merge(&piece);
        self.late.push_back((now_ns, piece));
        while let Some((end_ns, piece)) = out_of(&mut self.late, TEN_NS, now_ns) {
            self.ten = self.ten.since(&piece);
            self.early.push_back((end_ns, piece));
        }
        while let Some((_, piece)) = out_of(&mut self.early, MINUTE_NS, now_ns) {
            self.minute = self.minute.since(&piece);
        }
        Spans([second, Percentiles::of(&self.ten), Percentiles::of(&self.minute), Percentiles::of(now)])
    }
}

/// The oldest piece, if it ended so long before `now_ns`.
fn out_of(pieces: &mut VecDeque<(u64, Times)>, window_ns: u64, now_ns: u64) -> Option<(u64, Times)> {
    let (end_ns, _) = pieces.front()?;
    (end_ns + window_ns <= now_ns).then(|| pieces.pop_front()).flatten()
}

/// The times of one node, followed from look to look.
#[derive(Default)]
pub(super) struct RecentTimes {
    waiting: Recent,
    service: Recent,
    latency: Recent,
    second_began_ns: u64,
    /// The run was over at the last look: its last second may be short, and is the last.
    is_over: bool,
    shown: NodeTimes,
}

impl RecentTimes {
    /// Takes over what `report` says of `node`; once a second, and at the end of the run, that changes what is shown.
    pub(super) fn update(&mut self, report: &Report, node: &NodeReport) {
        let now_ns = report.elapsed_ns;
        let has_ended = report.finished && !std::mem::replace(&mut self.is_over, report.finished);
        if now_ns.saturating_sub(self.second_began_ns) < SECOND_NS && !has_ended {
            return;
        }
        self.second_began_ns = now_ns;
        self.shown = NodeTimes {
            waiting: self.waiting.step(&node.waiting, now_ns),
            service: self.service.step(&node.service, now_ns),
            latency: self.latency.step(&node.latency, now_ns),
        };
    }

    pub(super) fn shown(&self) -> NodeTimes {
        self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::times::Window;

    const MS: u64 = 1_000_000;

    /// 100 frames a second of 1 ms each, but for a second in which all took 3 s.
    fn p99_ms(recent: &mut Recent, all: &mut Times, second: u64, each_ms: u64) -> [u64; 4] {
        all.merge(&Times::of(std::iter::repeat_n(each_ms * MS, 100)));
        let spans = recent.step(all, second * SECOND_NS);
        Window::ALL.map(|window| (spans.over(window).p99_ns + MS / 2) / MS)
    }

    #[test]
    fn a_stall_leaves_each_window_when_its_time_is_over() {
        let (mut recent, mut all) = (Recent::default(), Times::default());
        let mut look = |second, each_ms| p99_ms(&mut recent, &mut all, second, each_ms);
        (1..100).for_each(|second| assert_eq!(look(second, 1), [1; 4]));
        let stalled = look(100, 3_000);
        assert!(stalled.iter().all(|ms| ms.abs_diff(3_000) < 200) || stalled[3] == 1, "{stalled:?}");
        assert!(stalled[0].abs_diff(3_000) < 200 && stalled[2].abs_diff(3_000) < 200, "{stalled:?}");
        for second in 101..170 {
            let [last, ten, minute, _] = look(second, 1);
            assert_eq!(last, 1);
            assert_eq!(ten > 1, second < 110, "{second}: {ten}");
            assert_eq!(minute > 1, second < 160, "{second}: {minute}");
        }
    }

    #[test]
    fn the_memory_of_a_minute_is_bounded_and_a_silent_node_has_none() {
        let (mut recent, mut all) = (Recent::default(), Times::default());
        (1..500).for_each(|second| _ = p99_ms(&mut recent, &mut all, second, 1 + second % 50));
        assert_eq!((recent.late.len(), recent.early.len()), (10, 50));
        let spans = recent.step(&all, 1_000 * SECOND_NS);
        let counts = Window::ALL.map(|window| spans.over(window).count);
        assert_eq!(counts, [0, 0, 0, 49_900]);
    }
}
