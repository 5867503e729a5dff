//! Frames that wait until later frames show whether their times are right.

use livetime_formats::wib::{Faults, Head};

/// A frame that waits.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) head: Head,
    /// The faults that were known at its arrival.
    pub(super) known: Faults,
    /// The fault of its time, if the time is not confirmed.
    pub(super) doubt: Faults,
    pub(super) bytes: Vec<u8>,
    /// Frames that had come before it.
    pub(super) arrival: u64,
    /// Frames that had been passed on before it.
    pub(super) passed: u64,
    /// The time that was expected when it came.
    pub(super) expected: u64,
}

impl Held {
    pub(super) fn stamp(&self) -> u64 {
        self.head.stamp
    }
}

/// Frames of a link that arrived before their predecessors, ordered by time, each with a different time.
#[derive(Debug, Default)]
pub(super) struct Ahead(Vec<Held>);

impl Ahead {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Frames that came after the `passed`th was passed on.
    pub(super) fn newer(&self, passed: u64) -> usize {
        self.0.iter().filter(|held| held.passed == passed).count()
    }

    /// Takes a frame in; of two of the same time the one stays that came right after the frame before it. Gives the other.
    pub(super) fn insert(&mut self, new: Held, step: u64) -> Option<Held> {
        let at = self.0.partition_point(|held| held.stamp() < new.stamp());
        if self.0.get(at).is_none_or(|held| held.stamp() != new.stamp()) {
            // Held frames are few (16), so a sorted list beats any tree.
            self.0.insert(at, new);
            return None;
        }
        let before = at.checked_sub(1).and_then(|before| self.0.get(before));
        // Of two frames with one time the one that continues its neighbour is believed: the other has a damaged time.
        let follows = before.is_some_and(|before| {
            before.stamp().wrapping_add(step) == new.stamp() && before.arrival + 1 == new.arrival
        });
        Some(if follows { std::mem::replace(&mut self.0[at], new) } else { new })
    }

    /// Frames from number `from` on that follow each other without a gap.
    fn run_from(&self, from: usize, step: u64) -> usize {
        let follow = |pair: &&[Held]| pair[0].stamp().wrapping_add(step) == pair[1].stamp();
        let rest = self.0.get(from..).unwrap_or_default();
        rest.windows(2).take_while(follow).count() + usize::from(!rest.is_empty())
    }

    /// The first frames that follow each other, if they begin at `expected` and are two at least: then they are the expected ones.
    pub(super) fn take_expected(&mut self, expected: u64, step: u64) -> Vec<Held> {
        let run = if self.0.first().is_some_and(|first| first.stamp() == expected) {
            self.run_from(0, step)
        } else {
            0
        };
        // One frame alone could have the expected time by damage; two in a row do not.
        self.0.drain(..if run >= 2 { run } else { 0 }).collect()
    }

    /// All frames up to the end of the longest run of frames that came in the order of time; of equally long ones the earliest.
    pub(super) fn take_longest(&mut self, step: u64) -> Vec<Held> {
        let (mut longest, mut end, mut at) = (0, 0, 0);
        while at < self.0.len() {
            // A run of times that came in another order is two runs: exchanged blocks.
            let came_in_order = |pair: &&[Held]| pair[0].arrival < pair[1].arrival;
            let whole = self.run_from(at, step);
            let run = 1 + self.0[at..at + whole].windows(2).take_while(came_in_order).count();
            at += run;
            if run > longest {
                (longest, end) = (run, at);
            }
        }
        self.0.drain(..end).collect()
    }

    /// Nothing follows: all frames except frames that stand alone and further than `far` ticks from the frame before, or that others were passed on
    /// after without reaching them.
    pub(super) fn take_last(&mut self, expected: u64, step: u64, far: u64, passed: u64) -> Vec<Held> {
        let (mut kept, mut end) = (0, expected);
        while kept < self.0.len() {
            let run = self.run_from(kept, step);
            let first = &self.0[kept];
            // A frame that came since the last good one may be further ahead: the gap before it is then real.
            let is_near = first.stamp().wrapping_sub(end) <= if first.passed == passed { far } else { 0 };
            if run < 2 && !is_near {
                break;
            }
            kept += run;
            end = self.0[kept - 1].stamp().wrapping_add(step);
        }
        self.0.drain(..kept).collect()
    }

    /// Takes frames whose time has passed, and frames that have waited for `patience` frames and are further than `far`
    /// ticks from the expected time.
    pub(super) fn take_refuted(&mut self, expected: u64, far: u64, passed: u64, patience: u64) -> Vec<Held> {
        let is_refuted = |held: &mut Held| {
            let ahead = held.stamp().wrapping_sub(expected) as i64;
            // As signed: the clock is 64 bits wide, and a time may be behind as well as ahead.
            ahead < 0 || (ahead as u64 > far && passed - held.passed > patience)
        };
        self.0.extract_if(.., is_refuted).collect()
    }

    /// Frames that arrived up to number `newest` have been passed on, up to the time `expected`: waiting
    /// frames that arrived later are not late.
    pub(super) fn see_passed(&mut self, newest: u64, expected: u64) {
        let later = self.0.iter_mut().filter(|held| held.arrival > newest);
        later.for_each(|held| held.expected = expected);
    }

    /// Whether a frame waits that arrived before `arrival`; its time has probably jumped.
    pub(super) fn has_older(&self, arrival: u64) -> bool {
        self.0.iter().any(|held| held.arrival < arrival)
    }

    pub(super) fn take_all(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.0)
    }
}
