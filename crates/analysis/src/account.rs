//! The fate of the events: every one is used, or counted with the reason why not.

use std::ops::RangeInclusive;

use livetime_recording::select::Verdict;

use crate::fault::{BrokenEvent, Fault, FaultKind};
use crate::{Layout, Loader, Panel, ReduceError, Saver};

/// Broken events that are named with their reason; the others are counted, so that a broken run does not fill the
/// memory.
pub const MOST_NAMED: usize = 1000;

/// Limit of events in saved counts, above any real run. Saved bytes may be hostile, and sums of counts must not
/// overflow.
pub(crate) const MOST_EVENTS: u64 = 1 << 30;
/// Limit of bytes in saved counts, above any real run.
const MOST_BYTES: u64 = 1 << 50;
/// Limit of the length of arrays with one axis in saved results, above any real one.
const MOST_ELEMENTS: usize = 1 << 31;

/// How many events were used, and which were not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Account {
    /// Events whose pictures are in the results.
    pub used: u64,
    /// Used events in which some panel was missing.
    pub incomplete: u64,
    /// Bytes read from the files.
    pub file_bytes: u64,
    /// Bytes of the pictures, uncompressed.
    pub raw_bytes: u64,
    /// The first [`MOST_NAMED`] events that could not be used, in their order.
    pub named: Vec<BrokenEvent>,
    counts: [u64; 5],
    /// Events that were not selected, by [`Verdict`].
    unselected: [u64; 4],
    /// By position of the panel.
    lengths: Vec<Option<RangeInclusive<usize>>>,
}

impl Account {
    /// How many events could not be used for that reason.
    pub fn count(&self, kind: FaultKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many events the selection ([`Options::select`](crate::Options::select)) left out with this verdict; none were left out as selected.
    pub fn unselected(&self, verdict: Verdict) -> u64 {
        self.unselected[verdict as usize]
    }

    /// How many events are lost: all events that could not be used, except events at which the detector was not read,
    /// and events that could not be selected because their small data are unreadable.
    pub fn lost(&self) -> u64 {
        let unreadable = self.unselected(Verdict::Unreadable);
        // An event without a picture of the detector was never one of its events.
        self.counts.iter().sum::<u64>() - self.count(FaultKind::Missing) + unreadable
    }

    /// How many events there are, used or not.
    pub fn events(&self) -> u64 {
        self.used + self.counts.iter().chain(&self.unselected).sum::<u64>()
    }

    /// How many pixels the panel at `position` of the layout had in the used events that had it, the fewest and the most.
    pub fn lengths(&self, position: usize) -> Option<&RangeInclusive<usize>> {
        self.lengths.get(position)?.as_ref()
    }

    /// Takes in an event that was used: the panels of the layout, with how many bytes they had if they were read.
    pub(crate) fn add_used<'p>(&mut self, panels: impl Iterator<Item = (&'p Panel, Option<usize>)>) {
        let mut is_incomplete = false;
        for (position, (panel, bytes)) in panels.enumerate() {
            is_incomplete |= bytes.is_none();
            // A missing panel has no length.
            let Some(bytes) = bytes else { continue };
            let pixels = bytes / panel.dtype.bytes();
            self.add_length(position, pixels..=pixels);
            self.raw_bytes += bytes as u64;
        }
        self.used += 1;
        self.incomplete += u64::from(is_incomplete);
    }

    /// Takes in how many pixels a panel had.
    pub(crate) fn add_length(&mut self, position: usize, found: RangeInclusive<usize>) {
        self.lengths.resize(self.lengths.len().max(position + 1), None);
        let known = self.lengths[position].take();
        let (low, high) = known.map_or((*found.start(), *found.end()), |known| {
            (*known.start().min(found.start()), *known.end().max(found.end()))
        });
        self.lengths[position] = Some(low..=high);
    }

    pub(crate) fn add(&mut self, broken: BrokenEvent) {
        self.counts[broken.fault.kind as usize] += 1;
        // Only the first events are named, so that memory does not grow with the run.
        if self.named.len() < MOST_NAMED {
            self.named.push(broken);
        }
    }

    pub(crate) fn add_unselected(&mut self, verdict: Verdict) {
        self.unselected[verdict as usize] += 1;
    }

    /// Takes in the counts of another worker.
    pub(crate) fn merge(&mut self, other: Account) {
        self.used += other.used;
        self.incomplete += other.incomplete;
        // Saved bytes may be hostile, so the sums saturate.
        self.file_bytes = self.file_bytes.saturating_add(other.file_bytes);
        self.raw_bytes = self.raw_bytes.saturating_add(other.raw_bytes);
        self.named.extend(other.named);
        // The order of the workers must not matter, so the first events of all are kept.
        self.named.sort_by_key(|broken| broken.event);
        self.named.truncate(MOST_NAMED);
        for (position, found) in other.lengths.into_iter().enumerate() {
            // A panel that no event had does not widen the lengths.
            found.into_iter().for_each(|found| self.add_length(position, found));
        }
        self.counts.iter_mut().zip(other.counts).for_each(|(sum, count)| *sum += count);
        self.unselected.iter_mut().zip(other.unselected).for_each(|(sum, count)| *sum += count);
    }

    pub(crate) fn save(&self, out: &mut Saver) {
        [self.used, self.incomplete, self.file_bytes, self.raw_bytes].into_iter().for_each(|n| out.number(n));
        self.counts.iter().chain(&self.unselected).for_each(|count| out.number(*count));
        out.number(self.named.len() as u64);
        for broken in &self.named {
            out.number(broken.event as u64);
            out.number(broken.time_ns);
            out.number(broken.fault.kind as u64);
            out.text(&broken.fault.why);
        }
        out.number(self.lengths.len() as u64);
        for found in &self.lengths {
            // A panel that was in no event has a length above the highest.
            let (low, high) = found.as_ref().map_or((1, 0), |found| (*found.start(), *found.end()));
            out.number(low as u64);
            out.number(high as u64);
        }
    }

    /// # Errors
    /// If it is no account of pictures of this layout.
    pub(crate) fn load(from: &mut Loader<'_>, layout: &Layout) -> Result<Account, ReduceError> {
        let used = from.at_most(MOST_EVENTS)?;
        let mut account = Account {
            used,
            incomplete: from.at_most(used)?,
            file_bytes: from.at_most(MOST_BYTES)?,
            raw_bytes: from.at_most(MOST_BYTES)?,
            ..Account::default()
        };
        for count in account.counts.iter_mut().chain(&mut account.unselected) {
            *count = from.at_most(MOST_EVENTS)?;
        }
        for _ in 0..from.size_at_most(MOST_NAMED)? {
            // The list grows with each checked number and not by the stored length, so that a wrong length
            // costs no memory.
            let (event, time_ns) = (usize::try_from(from.number()?)?, from.number()?);
            let kind = FaultKind::ALL[from.size_at_most(FaultKind::ALL.len() - 1)?];
            account.named.push(BrokenEvent { event, time_ns, fault: Fault { kind, why: from.text()? } });
        }
        // The panels are counted, because an account without an event has none.
        let panels = &layout.panels[..from.size_at_most(layout.panels.len())?];
        for panel in panels {
            let most = if panel.has_any_length() { MOST_ELEMENTS } else { panel.pixels() };
            let (low, high) = (from.size_at_most(MOST_ELEMENTS)?, from.size_at_most(most)?);
            account.lengths.push((low <= high).then_some(low..=high));
        }
        Ok(account)
    }
}
