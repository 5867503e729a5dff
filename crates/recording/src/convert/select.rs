//! Which parts of a run are converted.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use livetime_formats::file::Head;
use livetime_formats::xtc1::{DatagramHeader, Level, SourcePattern, Src};

use crate::Recording;
use crate::select::Selected;

/// The parts of a run that are converted; the rest is left out and counted. Transitions always stay, because readers
/// need their configurations.
///
/// Events are counted from 0 in the order of the file, or of time if there are several streams. Of the events in
/// `events` and in `times_ns`, every `every`-th is taken, the first of them too, until there are `first`.
#[derive(Clone, Debug)]
pub struct Selection {
    /// Numbers of events.
    pub events: Range<u64>,
    /// Times of events, ns since 1970.
    pub times_ns: Range<u64>,
    /// If there is a list: only events with these times, ns since 1970, as an expression selects them
    /// ([`Selection::among`]).
    pub only_times_ns: Option<Arc<HashSet<u64>>>,
    /// One of this many events; 0 counts as 1.
    pub every: u64,
    /// At most this many events.
    pub first: u64,
    /// Leaves of detectors and beam-line monitors only of these senders; of all if the list is empty. Leaves of other
    /// kinds of senders stay.
    pub only: Vec<SourcePattern>,
    /// Without these senders.
    pub without: Vec<SourcePattern>,
}

impl Default for Selection {
    /// Everything.
    fn default() -> Selection {
        Selection {
            events: 0..u64::MAX,
            times_ns: 0..u64::MAX,
            only_times_ns: None,
            every: 1,
            first: u64::MAX,
            only: Vec::new(),
            without: Vec::new(),
        }
    }
}

impl Selection {
    /// Takes only the selected events among these. Events are recognised by their times, because their numbers differ
    /// between the run and the files that are converted.
    #[must_use]
    pub fn among(self, recording: &Recording, selected: &Selected) -> Selection {
        let numbers = selected.events().filter(|event| selected.has(*event));
        let times = numbers.map(|event| recording.time_ns(event)).collect();
        Selection { only_times_ns: Some(Arc::new(times)), ..self }
    }

    /// Whether leaves of `src` stay.
    pub fn keeps(&self, src: Src) -> bool {
        let is_detector = matches!(src.level(), Level::Source | Level::Reporter);
        let is_chosen = self.only.is_empty() || !is_detector || self.only.iter().any(|p| p.matches(src));
        is_chosen && !self.without.iter().any(|p| p.matches(src))
    }
}

/// Goes through the events of a run and says which are wanted.
#[derive(Clone, Debug)]
pub(super) struct Selector<'a> {
    selection: &'a Selection,
    /// Events so far, events among them that are in the ranges, and events that were wanted.
    seen: u64,
    in_range: u64,
    pub(super) taken: u64,
}

impl<'a> Selector<'a> {
    pub(super) fn new(selection: &'a Selection) -> Selector<'a> {
        Selector { selection, seen: 0, in_range: 0, taken: 0 }
    }

    /// Whether the next datagram is wanted; asked as often as need be.
    pub(super) fn wants(&self, head: &DatagramHeader) -> bool {
        !head.is_event()
            || self.is_in_range(head)
                && self.in_range.is_multiple_of(self.selection.every.max(1))
                && self.taken < self.selection.first
    }

    /// Continues behind the next datagram.
    pub(super) fn pass(&mut self, head: &DatagramHeader) {
        if head.is_event() {
            self.taken += u64::from(self.wants(head));
            self.in_range += u64::from(self.is_in_range(head));
            self.seen += 1;
        }
    }

    /// Events that were not wanted.
    pub(super) fn left_out(&self) -> u64 {
        self.seen - self.taken
    }

    fn is_in_range(&self, head: &DatagramHeader) -> bool {
        let time_ns = head.time_ns();
        self.selection.events.contains(&self.seen)
            && self.selection.times_ns.contains(&time_ns)
            && self.selection.only_times_ns.as_ref().is_none_or(|times| times.contains(&time_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(selection: &Selection) -> Vec<u64> {
        let mut selector = Selector::new(selection);
        let heads = (0..20).map(|i| DatagramHeader::event(1_000_000_000 + i * 10, 0));
        let wanted = heads.enumerate().filter(|(_, head)| {
            let wants = selector.wants(head);
            selector.pass(head);
            wants
        });
        wanted.map(|(i, _)| i as u64).collect()
    }

    #[test]
    fn ranges_come_before_every_and_every_before_first() {
        let all = Selection::default;
        assert_eq!(taken(&Selection { events: 3..6, ..all() }), [3, 4, 5]);
        assert_eq!(taken(&Selection { times_ns: 1_000_000_150..1_000_000_180, ..all() }), [15, 16, 17]);
        assert_eq!(taken(&Selection { events: 3..20, every: 7, ..all() }), [3, 10, 17]);
        let times = Some(Arc::new([1_000_000_050, 1_000_000_070, 1_000_000_180].into()));
        assert_eq!(taken(&Selection { only_times_ns: times, every: 2, ..all() }), [5, 18]);
        assert_eq!(taken(&Selection { every: 7, first: 2, ..all() }), [0, 7]);
        assert_eq!(taken(&Selection { every: 0, first: 0, ..all() }), [0; 0]);
    }

    #[test]
    fn a_choice_of_detectors_leaves_what_is_none() {
        let cspad = || vec!["Cspad".parse().unwrap()];
        let selection = Selection { only: cspad(), ..Selection::default() };
        assert!(selection.keeps(Src::detector(32, 0, 10, 0)) && selection.keeps(Src::segment(3)));
        assert!(
            !selection.keeps(Src::detector(32, 0, 3, 0)) && !selection.keeps(Src { log: 6 << 24, phy: 0 })
        );
        let selection = Selection { without: cspad(), ..Selection::default() };
        assert!(!selection.keeps(Src::detector(32, 0, 10, 0)) && selection.keeps(Src::detector(32, 0, 3, 0)));
    }
}
