//! Datagrams that belong together.

use super::Entry;
use crate::file::Head;

/// Datagrams of one time from several streams, with the positions of their streams. Never empty.
#[derive(Debug)]
pub(crate) struct Group<H> {
    pub(crate) first: Entry<H>,
    pub(crate) others: Vec<Entry<H>>,
    streams: Vec<usize>,
}

impl<H: Head> Group<H> {
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry<H>> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// The positions of their streams.
    pub(crate) fn streams(&self) -> impl Iterator<Item = usize> {
        self.streams.iter().copied()
    }

    /// How many datagrams there are.
    pub(crate) fn len(&self) -> usize {
        1 + self.others.len()
    }
}

/// Groups entries that are in the order of time. `is_same` tells whether two of one time are the same thing; `is_split` whether
/// two pieces of one stream belong together. Counts the events that are there twice.
pub(crate) fn groups<H: Head>(
    entries: Vec<(usize, Entry<H>)>,
    is_same: impl Fn(&H, &H) -> bool,
    is_split: impl Fn(&H) -> bool,
    repeated: &mut u64,
) -> Vec<Group<H>> {
    let mut groups: Vec<Group<H>> = Vec::new();
    for (stream, entry) in entries {
        if let Some(group) = groups.last_mut()
            && group.first.header.time_ns() == entry.header.time_ns()
            && is_same(&group.first.header, &entry.header)
        {
            let is_new = !group.streams.contains(&stream);
            if is_new || is_split(&entry.header) || group.entries().any(|e| is_split(&e.header)) {
                group.streams.push(stream);
                group.others.push(entry);
                continue;
            }
            *repeated += u64::from(entry.header.is_event());
        }
        groups.push(Group { first: entry, others: Vec::new(), streams: vec![stream] });
    }
    groups
}
