//! The state of every tick of a link.

use std::collections::BTreeMap;

use super::LedgerRow;

/// The state of an interval of a link's time. The list is ordered by precedence: where two nodes report the
/// same time, the state further down wins. One exception: time that any node reports as received is not
/// absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum State {
    /// Not reported by any node so far.
    #[default]
    Unknown,
    /// Received without faults.
    Good,
    /// Received after frames of a later time, and used.
    Late,
    /// Received, but lost on the way to the readout buffer, or released there while a request waited.
    Unbuffered,
    /// Received with faults.
    Corrupt,
    /// Received; the induction planes were not searched for hits, because the hit finder could not keep up.
    InductionShed,
    /// Received; not searched for hits, because the hit finder could not keep up.
    Shed,
    /// Received, but lost on the way to the hit finder.
    Dropped,
    /// Never received.
    Absent,
    /// The link was declared dead.
    Dead,
}

impl State {
    /// All states, in their order.
    pub const ALL: [State; 10] = [
        State::Unknown,
        State::Good,
        State::Late,
        State::Unbuffered,
        State::Corrupt,
        State::InductionShed,
        State::Shed,
        State::Dropped,
        State::Absent,
        State::Dead,
    ];

    /// The state with this number, [`State::Unknown`] if there is none.
    pub fn of(number: u8) -> State {
        State::ALL.get(usize::from(number)).copied().unwrap_or_default()
    }

    /// In words, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            State::Unknown => "unknown",
            State::Good => "good",
            State::Late => "late",
            State::Unbuffered => "unbuffered",
            State::Corrupt => "corrupt",
            State::InductionShed => "induction_shed",
            State::Shed => "shed",
            State::Dropped => "dropped",
            State::Absent => "absent",
            State::Dead => "dead",
        }
    }
}

/// A piece of time in one state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Begin, ticks of the clock.
    pub begin: u64,
    /// End, which does not belong to it.
    pub end: u64,
    /// State of the interval.
    pub state: State,
    /// More about it; see [`LedgerRow::bits`].
    pub bits: u32,
}

/// An interval and every state reported for it, so that the result does not depend on the order of the reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    interval: Interval,
    /// Bit `n`: state number `n` was reported.
    told: u16,
}

/// States of time that was received.
const RECEIVED: u16 = 1 << State::Good as u16 | 1 << State::Late as u16 | 1 << State::Corrupt as u16;
const ABSENT: u16 = 1 << State::Absent as u16;

/// The reports that may still make a difference: the highest state other than absent, absent, and whether the
/// time was received.
fn counting(told: u16) -> u16 {
    let present = told & !ABSENT;
    let highest = (1u16 << 15).checked_shr(present.leading_zeros()).unwrap_or(0);
    let received = if told & RECEIVED != 0 { 1 << State::Good as u16 } else { 0 };
    let is_settled = received != 0 || highest > ABSENT;
    highest | received | if is_settled { 0 } else { told & ABSENT }
}

/// The resulting state when all states of `told` were reported.
fn state_of(told: u16) -> State {
    let counted = if told & RECEIVED != 0 { told & !ABSENT } else { told };
    State::of((u16::BITS - 1).saturating_sub(counted.leading_zeros()) as u8)
}

impl Interval {
    fn is_like(&self, other: &Interval) -> bool {
        (self.state, self.bits) == (other.state, other.bits)
    }
}

/// The time of one link, cut into intervals without gap or overlap: every tick is in exactly one state, and the lengths sum to
/// the time from the first to the last tick reported.
///
/// ```
/// use livetime_wire::{Interval, LinkLedger, State};
/// let mut ledger = LinkLedger::default();
/// let good = |begin, end| Interval { begin, end, state: State::Good, bits: 0 };
/// ledger.tell(good(0, 100));
/// ledger.tell(good(100, 300));
/// ledger.tell(Interval { begin: 120, end: 145, state: State::Corrupt, bits: 1 });
/// ledger.tell(good(400, 500));
/// let states: Vec<_> = ledger.intervals().map(|i| (i.begin, i.end, i.state)).collect();
/// use State::*;
/// assert_eq!(states, [(0, 120, Good), (120, 145, Corrupt), (145, 300, Good), (300, 400, Unknown), (400, 500, Good)]);
/// assert_eq!(ledger.ticks_in(Good) + ledger.ticks_in(Corrupt) + ledger.ticks_in(Unknown), ledger.ticks());
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinkLedger {
    /// By begin. Neighbours touch, and differ in their state or in the states reported for them.
    intervals: BTreeMap<u64, Entry>,
    /// Ticks in each state, of the intervals and of the folded time.
    sums: [u64; State::ALL.len()],
    /// First tick reported.
    begin: Option<u64>,
    /// Ticks before this one are in `sums` only.
    folded: u64,
}

/// Most intervals that are kept. Older ones are folded into the sums, so that a long run with many faults needs no more
/// memory.
const MOST: usize = 1 << 16;

impl LinkLedger {
    /// Enters the state of an interval. Where there is an entry already, the later state in the list of
    /// [`State`]s wins, except that received time is not absent; the bits of two entries with one state are
    /// combined. Time between entries is [`State::Unknown`]. An empty interval changes nothing, nor does one
    /// of a time before the oldest that is kept.
    pub fn tell(&mut self, new: Interval) {
        // Folded time has no intervals any more, so its states stay as they were counted.
        let begin = new.begin.max(self.folded);
        if begin >= new.end {
            return;
        }
        self.reach(begin, new.end);
        let mut at = begin;
        while at < new.end {
            // The new state wins over some of the old states only, so each old interval is decided for itself.
            let Some(old) = self.cut(at, new.end) else { return };
            at = old.interval.end;
            let told = counting(old.told | 1 << new.state as u16);
            let state = state_of(told);
            let mut bits = if state == old.interval.state { old.interval.bits } else { 0 };
            bits |= if state == new.state { new.bits } else { 0 };
            self.replace(Entry { interval: Interval { state, bits, ..old.interval }, told });
        }
        self.join(begin);
        self.join(new.end);
        self.fold();
    }

    /// The intervals that are kept, in order.
    pub fn intervals(&self) -> impl Iterator<Item = &Interval> {
        self.intervals.values().map(|entry| &entry.interval)
    }

    /// The first tick reported, and the end of the last.
    pub fn span(&self) -> Option<(u64, u64)> {
        self.begin.map(|begin| (begin, self.end()))
    }

    /// Ticks from the first to the last reported.
    pub fn ticks(&self) -> u64 {
        self.end().saturating_sub(self.begin.unwrap_or(0))
    }

    /// Ticks in a state.
    pub fn ticks_in(&self, state: State) -> u64 {
        self.sums[state as usize]
    }

    /// Ticks whose intervals were dropped; only their sums are kept.
    pub fn folded_ticks(&self) -> u64 {
        self.folded.saturating_sub(self.begin.unwrap_or(0))
    }

    fn end(&self) -> u64 {
        self.intervals.last_key_value().map_or(self.folded, |(_, last)| last.interval.end)
    }

    /// Adds unknown time, so that `begin..end` is covered.
    fn reach(&mut self, begin: u64, end: u64) {
        let unknown =
            |begin, end| Entry { interval: Interval { begin, end, state: State::Unknown, bits: 0 }, told: 1 };
        let Some(known) = self.begin else {
            self.begin = Some(begin);
            return self.insert(unknown(begin, end));
        };
        let last = self.end();
        // Ticks that no entry tells are unknown, so that intervals touch and their sum is the whole time.
        if begin < known {
            self.begin = Some(begin);
            self.insert(unknown(begin, known));
        }
        if end > last {
            self.insert(unknown(last, end));
        }
    }

    /// Cuts the interval around `at` there and at `end`; the piece that begins at `at`.
    fn cut(&mut self, at: u64, end: u64) -> Option<Entry> {
        let around = *self.intervals.range(..=at).next_back()?.1;
        self.split(around, at);
        let piece = *self.intervals.get(&at)?;
        self.split(piece, end);
        self.intervals.get(&at).copied()
    }

    fn split(&mut self, entry: Entry, at: u64) {
        let interval = entry.interval;
        if interval.begin < at && at < interval.end {
            let (before, after) = (Interval { end: at, ..interval }, Interval { begin: at, ..interval });
            self.intervals.insert(interval.begin, Entry { interval: before, ..entry });
            self.intervals.insert(at, Entry { interval: after, ..entry });
        }
    }

    fn insert(&mut self, new: Entry) {
        self.sums[new.interval.state as usize] += new.interval.end - new.interval.begin;
        self.intervals.insert(new.interval.begin, new);
    }

    fn replace(&mut self, new: Entry) {
        if let Some(Entry { interval: old, .. }) = self.intervals.remove(&new.interval.begin) {
            self.sums[old.state as usize] -= old.end - old.begin;
        }
        self.insert(new);
        self.join(new.interval.begin);
    }

    /// Merges the intervals before and after `at`, if their states and the reports about them are equal.
    fn join(&mut self, at: u64) {
        let Some(after) = self.intervals.get(&at).copied() else { return };
        let Some((_, before)) = self.intervals.range_mut(..at).next_back() else { return };
        let is_like = before.interval.is_like(&after.interval) && before.told == after.told;
        if before.interval.end == at && is_like {
            before.interval.end = after.interval.end;
            self.intervals.remove(&at);
        }
    }

    fn fold(&mut self) {
        while self.intervals.len() > MOST {
            let Some((_, oldest)) = self.intervals.pop_first() else { return };
            self.folded = oldest.interval.end;
        }
    }
}

impl From<&LedgerRow> for Interval {
    fn from(row: &LedgerRow) -> Interval {
        Interval { begin: row.begin, end: row.end, state: State::of(row.state), bits: row.bits }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_tick_is_as_told_and_the_sums_are_right(
            told in prop::collection::vec((0u64..200, 0u64..40, 1u8..10, 0u32..4), 1..40)
        ) {
            let mut ledger = LinkLedger::default();
            let mut ticks = vec![(Vec::new(), State::Unknown, 0); 240];
            let (mut first, mut last) = (u64::MAX, 0);
            for (begin, length, state, bits) in told {
                let new = Interval { begin, end: begin + length, state: State::of(state), bits };
                ledger.tell(new);
                for (told, state, bits) in &mut ticks[begin as usize..(begin + length) as usize] {
                    told.push(new.state);
                    let is_received = told.iter().any(|t| [State::Good, State::Late, State::Corrupt].contains(t));
                    let counted = told.iter().filter(|t| !is_received || **t != State::Absent);
                    let now = counted.copied().max().unwrap();
                    *bits = if now == *state { *bits } else { 0 } | if now == new.state { new.bits } else { 0 };
                    *state = now;
                }
                if length > 0 {
                    (first, last) = (first.min(begin), last.max(new.end));
                }
            }
            prop_assert_eq!(ledger.ticks(), last.saturating_sub(first.min(last)));
            let mut at = first;
            for interval in ledger.intervals() {
                prop_assert_eq!(interval.begin, at);
                for tick in &ticks[interval.begin as usize..interval.end as usize] {
                    prop_assert_eq!((tick.1, tick.2), (interval.state, interval.bits));
                }
                at = interval.end;
            }
            let entries: Vec<&Entry> = ledger.intervals.values().collect();
            let alike = |w: &[&Entry]| w[0].interval.is_like(&w[1].interval) && w[0].told == w[1].told;
            prop_assert!(!entries.windows(2).any(alike));
            prop_assert_eq!(State::ALL.iter().map(|s| ledger.ticks_in(*s)).sum::<u64>(), ledger.ticks());
        }
    }

    #[test]
    fn many_intervals_are_folded_into_exact_sums() {
        let mut ledger = LinkLedger::default();
        for i in 0..100_000u64 {
            let state = if i % 2 == 0 { State::Good } else { State::Absent };
            ledger.tell(Interval { begin: 25 * i, end: 25 * i + 25, state, bits: 0 });
        }
        assert_eq!(ledger.intervals().count(), MOST);
        assert_eq!((ledger.ticks_in(State::Good), ledger.ticks_in(State::Absent)), (1_250_000, 1_250_000));
        assert_eq!((ledger.ticks(), ledger.folded_ticks()), (2_500_000, (100_000 - MOST as u64) * 25));
    }
}
