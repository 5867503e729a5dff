//! Which records are a detector's data at an event, and the meaning of damage: the one judgement that sources and
//! analysis share.
//!
//! 1. A segment's data are damaged if its record says so. Damage at the root of the event is about something in the
//!    event.
//! 2. Of several records of one segment the first undamaged one counts, else the first.
//! 3. Damaged data are shown marked, or left out and counted; the other segments are as good as they were.
//! 4. Where there is no record at all, the event is damaged if a root says so; else the detector was not read.

use super::{Damage, Datagram, Record};

/// One record for each segment, in the order of their numbers.
///
/// `records` belong to one detector and algorithm at one event.
pub fn segments<'a, 'n>(records: impl Iterator<Item = Record<'a, 'n>>) -> Vec<Record<'a, 'n>> {
    let mut all: Vec<Record<'a, 'n>> = records.collect();
    all.sort_by_key(|record| (record.names.segment, !record.damage.is_none()));
    all.dedup_by_key(|record| record.names.segment);
    all
}

/// Damage that may have cost an event the data of an absent detector: damage of the roots of its pieces.
pub fn damage_of_event<'a>(pieces: impl IntoIterator<Item = Datagram<'a>>) -> Damage {
    Damage(pieces.into_iter().fold(0, |all, piece| all | piece.header.root.damage.0))
}
