//! Records that wait for fragments.

use std::collections::{BTreeMap, BTreeSet};

use livetime_frame::Frame;

use crate::TriggerRecord;

/// The node and the output that have sent a fragment.
pub(super) type Sender = (usize, usize);

/// A record that waits for the fragments of more senders.
pub(super) struct Open {
    pub(super) record: TriggerRecord,
    pub(super) senders: BTreeSet<Sender>,
    /// The frame that came first.
    pub(super) origin: Frame,
    pub(super) bytes: usize,
    pub(super) since_ns: u64,
}

/// All such records by the number of their trigger, and the numbers of those that left.
#[derive(Default)]
pub(super) struct Waiting {
    open: BTreeMap<u64, Open>,
    /// In the order in which they came.
    ages: BTreeSet<(u64, u64)>,
    bytes: usize,
    /// The latest ones.
    gone: BTreeSet<u64>,
    /// The highest number of a record that left.
    newest: Option<u64>,
}

/// Numbers of records that left are remembered so long, to know a fragment that is too late.
const REMEMBERED: usize = 100_000;

impl Waiting {
    pub(super) fn len(&self) -> usize {
        self.open.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn get(&self, number: u64) -> Option<&Open> {
        self.open.get(&number)
    }

    /// Whether its record has left, as far as that is remembered.
    pub(super) fn is_gone(&self, number: u64) -> bool {
        self.gone.contains(&number)
            || self.gone.len() == REMEMBERED && self.gone.first().is_some_and(|first| number < *first)
    }

    /// The number behind which none is expected: the highest that left, else the lowest that waits.
    pub(super) fn base(&self) -> Option<u64> {
        self.newest.or_else(|| self.open.first_key_value().map(|(number, _)| *number))
    }

    /// A new record begins.
    pub(super) fn begin(&mut self, open: Open) {
        let number = open.record.decision.number;
        self.bytes += open.bytes;
        self.ages.insert((open.since_ns, number));
        self.open.insert(number, open);
    }

    /// More fragments for a record; how many senders have now sent some.
    pub(super) fn join(&mut self, number: u64, sender: Sender, bytes: usize, more: TriggerRecord) -> usize {
        let Some(open) = self.open.get_mut(&number) else { return 0 };
        open.senders.insert(sender);
        open.bytes += bytes;
        self.bytes += bytes;
        open.record.fragments.extend(more.fragments);
        open.record.hits.extend(more.hits);
        open.senders.len()
    }

    /// Takes a record out.
    pub(super) fn take(&mut self, number: u64) -> Option<Open> {
        let open = self.open.remove(&number)?;
        self.bytes -= open.bytes;
        self.ages.remove(&(open.since_ns, number));
        self.newest = self.newest.max(Some(number));
        self.gone.insert(number);
        if self.gone.len() > REMEMBERED {
            self.gone.pop_first();
        }
        Some(open)
    }

    /// The record that has waited longest: since when, and its number.
    pub(super) fn oldest(&self) -> Option<(u64, u64)> {
        self.ages.first().copied()
    }
}
