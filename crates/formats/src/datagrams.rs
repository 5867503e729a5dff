//! Counts of the datagrams of a file, the same for both formats of LCLS.

use std::collections::BTreeMap;

use crate::file::End;
use crate::{Error, clock};

/// Counts of the datagrams of a file.
#[derive(Default, Debug)]
pub struct Datagrams {
    /// How the file ends, as far as it could be followed.
    pub end: End,
    /// Why it could not be followed further.
    pub broken: Option<Error>,
    /// Datagrams by what they are.
    pub transitions: BTreeMap<String, u64>,
    /// Number of events.
    pub events: u64,
    /// Earliest and latest event, ns since 1970.
    pub event_times_ns: Option<(u64, u64)>,
    /// Datagrams whose root is damaged, by damage.
    pub damage: BTreeMap<u32, u64>,
    /// Containers with a rest that means nothing.
    pub unsound: u64,
    /// The first thing that is broken inside a datagram.
    pub first_unsound: Option<Error>,
}

impl Datagrams {
    /// Whether everything in the file is as it should be; damage that the recorder noted itself is.
    pub fn is_whole(&self) -> bool {
        self.broken.is_none() && self.unsound == 0 && self.end.partial_bytes() == 0
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.transitions.values().sum()
    }

    /// Events in a second; `None` for fewer than two, and where times are none of a clock.
    pub fn event_rate_hz(&self) -> Option<f64> {
        let (first, last) = self.event_times_ns?;
        clock::rate_hz(self.events, first, last)
    }

    /// Counts a datagram by its name, the damage of its root if there is any, and its time if it is an event.
    pub(crate) fn add(&mut self, name: &str, damage: u32, event_ns: Option<u64>) {
        match self.transitions.get_mut(name) {
            Some(count) => *count += 1,
            None => _ = self.transitions.insert(name.to_owned(), 1),
        }
        if damage != 0 {
            *self.damage.entry(damage).or_default() += 1;
        }
        if let Some(ns) = event_ns {
            self.events += 1;
            let (first, last) = self.event_times_ns.unwrap_or((ns, ns));
            self.event_times_ns = Some((first.min(ns), last.max(ns)));
        }
    }

    /// Counts a container of which a rest means nothing.
    pub(crate) fn add_unsound(&mut self, error: Error) {
        self.unsound += 1;
        self.first_unsound.get_or_insert(error);
    }
}
