//! Live time: when triggers are let through, and how long they are not.

use std::collections::BTreeMap;

/// Why no trigger is let through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Triggers are let through.
    Live,
    /// The hold-off after the last trigger is not over.
    Paused,
    /// The limit of triggers being read out is reached.
    Dead,
}

/// Lets triggers through or not, and sums the time in each state, in ticks of the data's clock: live, paused and dead time sum to all
/// time from the first to the last tick reported.
#[derive(Debug, Default)]
pub(super) struct Gate {
    /// Up to here time is summed.
    at: Option<u64>,
    paused_until: u64,
    /// Triggers by the time at which their readout is over.
    ends: BTreeMap<u64, u32>,
    open: u32,
    sums: [u64; 3],
}

impl Gate {
    /// Sums time up to `time`, if it is not yet; the first call sets where it begins.
    pub(super) fn advance(&mut self, time: u64, most_open: u32) {
        let mut at = *self.at.get_or_insert(time);
        while at < time {
            let until = self.next_change(at).min(time);
            self.sums[self.state(most_open, at) as usize] += until - at;
            at = until;
            self.forget(at);
        }
        self.at = Some(at);
    }

    /// The fate of a trigger at the end of the summed time.
    pub(super) fn state_now(&self, most_open: u32) -> State {
        self.state(most_open, self.at.unwrap_or(0))
    }

    /// A trigger is accepted now: there is no other for `hold_off` ticks, and it is read out until `end`.
    pub(super) fn pass(&mut self, hold_off: u64, end: u64) {
        let at = self.at.unwrap_or(0);
        self.paused_until = at.saturating_add(hold_off);
        if end > at {
            *self.ends.entry(end).or_default() += 1;
            self.open += 1;
        }
    }

    /// The clock was set back: time is summed from the next report on, and nothing is being read out.
    pub(super) fn begin_epoch(&mut self) {
        *self = Gate { sums: self.sums, ..Gate::default() };
    }

    /// Ticks in a state.
    pub(super) fn ticks(&self, state: State) -> u64 {
        self.sums[state as usize]
    }

    /// Triggers that are being read out.
    pub(super) fn open(&self) -> u32 {
        self.open
    }

    fn state(&self, most_open: u32, at: u64) -> State {
        match () {
            _ if self.open >= most_open => State::Dead,
            _ if at < self.paused_until => State::Paused,
            _ => State::Live,
        }
    }

    fn next_change(&self, at: u64) -> u64 {
        let end = self.ends.first_key_value().map_or(u64::MAX, |(end, _)| *end);
        if self.paused_until > at { end.min(self.paused_until) } else { end }
    }

    fn forget(&mut self, at: u64) {
        while let Some(first) = self.ends.first_entry().filter(|first| *first.key() <= at) {
            self.open -= first.remove();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_tick_is_in_one_state(
            triggers in prop::collection::vec((0u64..60, 0u64..100), 0..30),
            hold_off in 0u64..50,
            most_open in 1u32..4,
        ) {
            let (mut gate, mut time) = (Gate::default(), 1000);
            // Tick by tick: the end of each pause, and the end of each readout.
            let (mut paused_until, mut ends, mut sums) = (0, Vec::new(), [0u64; 3]);
            gate.advance(time, most_open);
            let state = |at: u64, paused_until: u64, ends: &[u64]| {
                let open = ends.iter().filter(|end| **end > at).count();
                if open >= most_open as usize { State::Dead } else if at < paused_until { State::Paused } else { State::Live }
            };
            for (wait, length) in triggers {
                (time..time + wait).for_each(|at| sums[state(at, paused_until, &ends) as usize] += 1);
                time += wait;
                gate.advance(time, most_open);
                prop_assert_eq!(gate.state_now(most_open), state(time, paused_until, &ends));
                if gate.state_now(most_open) == State::Live {
                    gate.pass(hold_off, time + length);
                    paused_until = time + hold_off;
                    ends.push(time + length);
                }
                let found = [State::Live, State::Paused, State::Dead].map(|state| gate.ticks(state));
                prop_assert_eq!((found, found.iter().sum::<u64>()), (sums, time - 1000));
                prop_assert_eq!(gate.open() as usize, ends.iter().filter(|end| **end > time).count());
            }
        }
    }
}
