//! Activities become triggers: overlapping readout windows are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::kinds::{Readout, bit};
use crate::ActivityRow;

/// The readout windows, and how long a trigger waits for others to merge with.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// For kinds that have no readout of their own.
    pub(super) readout: Readout,
    /// Of kinds.
    pub(super) windows: Vec<(u16, Readout)>,
    /// How long after its first activity a trigger merges with others, ticks.
    pub(super) buffer: u64,
    /// Longest window of a merged trigger, ticks.
    pub(super) limit: u64,
}

impl Rules {
    fn readout(&self, kind: u16) -> Readout {
        self.windows.iter().find(|(of, _)| *of == kind).map_or(self.readout, |(_, readout)| *readout)
    }

    fn most_before(&self) -> u64 {
        let own = self.windows.iter().map(|(_, readout)| readout.before);
        own.fold(self.readout.before, u64::max)
    }
}

/// Candidates merged into one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Merged {
    /// Start of the first activity: its place in the order of triggers.
    pub(super) opened: u64,
    /// Begin of the window.
    pub(super) begin: u64,
    /// End of the window.
    pub(super) end: u64,
    /// Time of the first candidate.
    pub(super) time_candidate: u64,
    /// Bits of the kinds.
    pub(super) kinds: u64,
    /// Activities.
    pub(super) activities: u32,
}

/// Puts activities in order and merges them.
///
/// An activity joins the oldest waiting trigger whose window overlaps or touches the activity's own, if the joined
/// window does not exceed the limit; else the activity opens a new trigger. A trigger waits for `buffer` ticks after
/// the start of its first activity.
#[derive(Debug, Default)]
pub(super) struct Merger {
    waiting: BinaryHeap<Reverse<InOrder>>,
    open: Vec<Merged>,
}

/// Activities in the order of processing: by time, then by their other fields.
#[derive(Debug, PartialEq, Eq)]
struct InOrder(ActivityRow);

impl InOrder {
    fn key(&self) -> impl Ord {
        let a = &self.0;
        let what = (a.algorithm, a.kind, a.time_activity, a.time_end, a.time_peak);
        (
            a.time_start,
            what,
            a.channel_start,
            a.channel_end,
            a.channel_peak,
            a.adc_integral,
            a.hits,
            a.adc_peak,
        )
    }
}

impl Ord for InOrder {
    fn cmp(&self, other: &InOrder) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for InOrder {
    fn partial_cmp(&self, other: &InOrder) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Merger {
    /// An activity comes, in any order.
    pub(super) fn add(&mut self, activity: &ActivityRow) {
        self.waiting.push(Reverse(InOrder(*activity)));
    }

    /// Activities and triggers that are held.
    pub(super) fn held(&self) -> usize {
        self.waiting.len() + self.open.len()
    }

    /// No activity that starts before `time` will come any more: gives the triggers that are complete, in the order of their first activity.
    pub(super) fn until(&mut self, time: u64, rules: &Rules, mut give: impl FnMut(Merged)) {
        while let Some(Reverse(InOrder(activity))) = self.waiting.peek()
            && activity.time_start < time
        {
            let activity = *activity;
            self.waiting.pop();
            self.close(activity.time_start, rules, &mut give);
            self.merge(&activity, rules);
        }
        self.close(time, rules, &mut give);
    }

    /// Gives all that is held.
    pub(super) fn finish(&mut self, rules: &Rules, mut give: impl FnMut(Merged)) {
        self.until(u64::MAX, rules, &mut give);
        // Of activities at the very last tick, which only a broken sender has, nothing is left behind either.
        while let Some(Reverse(InOrder(activity))) = self.waiting.pop() {
            self.merge(&activity, rules);
        }
        self.open.drain(..).for_each(give);
    }

    /// No window will begin before this, if no activity starts before `time`.
    pub(super) fn earliest(&self, time: u64, rules: &Rules) -> u64 {
        let start = self.waiting.peek().map_or(time, |Reverse(InOrder(first))| first.time_start.min(time));
        let to_come = if start == u64::MAX { start } else { start.saturating_sub(rules.most_before()) };
        self.open.iter().map(|merged| merged.begin).fold(to_come, u64::min)
    }

    /// No trigger will be given that was opened before this, if no activity starts before `time`.
    pub(super) fn oldest(&self, time: u64) -> u64 {
        self.open.first().map_or(time, |merged| merged.opened.min(time))
    }

    /// Triggers are opened in order, so the oldest are complete first.
    fn close(&mut self, time: u64, rules: &Rules, give: &mut impl FnMut(Merged)) {
        let complete = self.open.partition_point(|merged| merged.opened.saturating_add(rules.buffer) <= time);
        self.open.drain(..complete).for_each(give);
    }

    fn merge(&mut self, activity: &ActivityRow, rules: &Rules) {
        let readout = rules.readout(activity.kind);
        // Not before its start, by which all reckon when windows can begin.
        let time_candidate = activity.time_activity.max(activity.time_start);
        let new = Merged {
            opened: activity.time_start,
            begin: time_candidate.saturating_sub(readout.before),
            end: time_candidate.saturating_add(readout.after),
            time_candidate,
            kinds: bit(activity.kind),
            activities: 1,
        };
        match self.open.iter_mut().find(|open| can_join(open, &new, rules.limit)) {
            Some(open) => join(open, &new),
            None => self.open.push(new),
        }
    }
}

fn can_join(a: &Merged, b: &Merged, limit: u64) -> bool {
    let touch = a.begin <= b.end && b.begin <= a.end;
    touch && a.end.max(b.end) - a.begin.min(b.begin) <= limit
}

fn join(open: &mut Merged, new: &Merged) {
    open.begin = open.begin.min(new.begin);
    open.end = open.end.max(new.end);
    open.time_candidate = open.time_candidate.min(new.time_candidate);
    open.kinds |= new.kinds;
    open.activities = open.activities.saturating_add(1);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const RULES: Rules =
        Rules { readout: Readout { before: 10, after: 20 }, windows: Vec::new(), buffer: 100, limit: 60 };

    fn activity(time_start: u64, after: u64, kind: u16) -> ActivityRow {
        ActivityRow { time_start, time_activity: time_start + after, kind, ..ActivityRow::default() }
    }

    /// All triggers of activities, from the words of [`Merger`].
    fn plain(mut activities: Vec<ActivityRow>, rules: &Rules) -> Vec<Merged> {
        activities.sort_by_key(|a| (a.time_start, a.kind, a.time_activity));
        let mut all: Vec<Merged> = Vec::new();
        for a in activities {
            let readout = rules.readout(a.kind);
            let (begin, end) =
                (a.time_activity.saturating_sub(readout.before), a.time_activity + readout.after);
            let fits = |open: &&mut Merged| {
                a.time_start < open.opened + rules.buffer
                    && begin.max(open.begin) <= end.min(open.end)
                    && end.max(open.end) - begin.min(open.begin) <= rules.limit
            };
            if let Some(open) = all.iter_mut().find(fits) {
                (open.begin, open.end) = (open.begin.min(begin), open.end.max(end));
                open.time_candidate = open.time_candidate.min(a.time_activity);
                (open.kinds, open.activities) = (open.kinds | 1 << a.kind, open.activities + 1);
            } else {
                let (opened, time_candidate) = (a.time_start, a.time_activity);
                all.push(Merged { opened, begin, end, time_candidate, kinds: 1 << a.kind, activities: 1 });
            }
        }
        all
    }

    #[test]
    fn overlapping_windows_merge_up_to_the_limit() {
        let mut merger = Merger::default();
        for (time, kind) in [(100, 5), (125, 6), (140, 7), (400, 5)] {
            merger.add(&activity(time, 0, kind));
        }
        let mut merged = Vec::new();
        merger.until(u64::MAX, &RULES, |m| merged.push(m));
        let short: Vec<_> = merged.iter().map(|m| (m.begin, m.end, m.kinds, m.activities)).collect();
        // The third would make the first 70 ticks long.
        assert_eq!(short, [(90, 145, 0x60, 2), (130, 160, 0x80, 1), (390, 420, 0x20, 1)]);
    }

    proptest! {
        #[test]
        fn triggers_are_as_defined_however_activities_come(
            raw in prop::collection::vec((0u64..1500, 0u64..50, 5u16..8), 0..60),
            order in any::<u64>(),
            waits in prop::collection::vec(0u64..300, 1..20),
            buffer in 0u64..200,
            limit in 30u64..200,
        ) {
            let windows = vec![(7, Readout { before: 80, after: 5 })];
            let rules = Rules { buffer, limit, windows, ..RULES };
            let all: Vec<ActivityRow> = raw.iter().map(|(t, d, k)| activity(1000 + t, *d, *k)).collect();
            let (mut merger, mut merged) = (Merger::default(), Vec::new());
            let mut rest = all.clone();
            rest.sort_by_key(|a| (a.time_start, a.time_activity.wrapping_mul(order)));
            let (mut time, mut bound) = (1000, 0);
            for wait in waits.iter().cycle().take(400) {
                // Candidates that start before the next watermark come before it, and some that start after.
                time += wait;
                let due = rest.partition_point(|a| a.time_start < time + wait / 2);
                rest.drain(..due).rev().for_each(|a| merger.add(&a));
                let from = merged.len();
                merger.until(time, &rules, |m| merged.push(m));
                prop_assert!(merged[from..].iter().all(|m| m.begin >= bound));
                bound = merger.earliest(time, &rules).max(bound);
                prop_assert!(merged[from..].iter().all(|m| m.opened < time));
            }
            rest.iter().for_each(|a| merger.add(a));
            merger.finish(&rules, |m| merged.push(m));
            prop_assert_eq!(merged, plain(all, &rules));
            prop_assert_eq!(merger.held(), 0);
        }
    }
}
