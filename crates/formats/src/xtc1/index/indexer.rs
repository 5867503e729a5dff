//! Makes an index from the datagrams of a file.

use std::collections::HashMap;

use super::{CalibCycle, Event, Index, Segment};
use crate::xtc1::{Clock, Damage, Datagram, Level, Transition, data::evr, id};

/// The masks of the format have this many bits: further nodes and codes are not in them.
const BITS: usize = 32;

/// Collects the content of an index.
///
/// ```
/// use livetime_formats::xtc1::{Builder, Datagram, DatagramHeader, index::Indexer};
///
/// let mut bytes = Vec::new();
/// Builder::new(&mut bytes, &DatagramHeader::event(1_000_000_000, 3)).finish()?;
/// let mut indexer = Indexer::new("e1-r0001-s00-c00.xtc");
/// indexer.add(0, &Datagram::parse(&bytes)?);
/// let index = indexer.finish();
/// assert_eq!((index.events.len(), index.events[0].fiducial), (1, 3));
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Indexer {
    index: Index,
    newest: Clock,
    /// The place of each node among the segments, by its physical address: a broken file may name a node per leaf.
    places: HashMap<u32, usize>,
}

impl Indexer {
    /// For the file of that name.
    pub fn new(file: &str) -> Indexer {
        let index = Index { file: file.to_owned(), ..Index::default() };
        Indexer { index, newest: Clock::default(), places: HashMap::new() }
    }

    /// The next datagram of the file, which begins at `offset`.
    pub fn add(&mut self, offset: u64, datagram: &Datagram<'_>) {
        let Clock { seconds, nanoseconds } = datagram.header.clock;
        match datagram.header.transition() {
            Transition::L1Accept => {
                let event = self.event(offset, datagram);
                self.index.events.push(event);
            }
            Transition::BeginCalibCycle => {
                let first_event = self.index.events.len() as i32;
                self.index.steps.push(CalibCycle { offset, first_event, seconds, nanoseconds });
            }
            // The index has places for events and steps only.
            _ => {}
        }
    }

    /// The index.
    pub fn finish(self) -> Index {
        self.index
    }

    fn event(&mut self, offset: u64, datagram: &Datagram<'_>) -> Event {
        let header = &datagram.header;
        // The reader of an index may search by time only if this stays 0.
        self.index.out_of_order += i32::from(header.clock < self.newest);
        self.newest = self.newest.max(header.clock);
        let mut event = Event {
            seconds: header.clock.seconds,
            nanoseconds: header.clock.nanoseconds,
            fiducial: header.stamp.fiducial(),
            offset,
            damage: header.root.damage.0,
            ..Event::default()
        };
        self.look_inside(&mut event, datagram);
        event
    }

    fn look_inside(&mut self, event: &mut Event, datagram: &Datagram<'_>) {
        let mut segment = None;
        for xtc in datagram.nodes() {
            // A node at the first level ends the node before.
            if xtc.depth <= 1 {
                segment = None;
            }
            if xtc.depth == 1 && xtc.is_container() && xtc.header.src.level() == Level::Segment {
                segment = self.segment(xtc.header.src);
                let bit = segment.map_or(0, |s| 1 << s);
                event.damaged |= if xtc.header.damage == Damage::default() { 0 } else { bit };
                event.present |= if xtc.payload.is_empty() { 0 } else { bit };
            } else if !xtc.is_container() {
                let known = segment.and_then(|s| self.index.segments.get_mut(s));
                let leaf = (xtc.header.src, xtc.header.type_id);
                // The number of leaves has one byte in the file.
                if let Some(known) = known.filter(|k| k.leaves.len() < 255 && !k.leaves.contains(&leaf)) {
                    known.leaves.push(leaf);
                }
                if xtc.header.type_id.number() == id::EVR_DATA {
                    let codes = evr::events(xtc.payload).into_iter().flatten();
                    codes.for_each(|e| event.codes |= self.code_bit(e.code));
                }
            }
        }
    }

    /// Position of a node, which is added when it is seen for the first time.
    fn segment(&mut self, node: crate::xtc1::Src) -> Option<usize> {
        let segments = &mut self.index.segments;
        let place = *self.places.entry(node.phy).or_insert_with(|| {
            segments.push(Segment { node, leaves: Vec::new() });
            segments.len() - 1
        });
        // A mask has no bit for a further node.
        Some(place).filter(|place| *place < BITS)
    }

    fn code_bit(&mut self, code: u32) -> u32 {
        // The index keeps a code in one byte.
        let Ok(code) = u8::try_from(code) else { return 0 };
        let codes = &mut self.index.codes;
        let known = codes.iter().position(|c| *c == code);
        let position = known.unwrap_or_else(|| {
            if codes.len() < BITS {
                codes.push(code);
            }
            codes.len() - 1
        });
        if codes.get(position) == Some(&code) { 1 << position } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xtc1::Src;

    /// Each node is listed once, at the place of its first sight, and the first 32 have bits.
    #[test]
    fn nodes_have_the_place_of_their_first_sight() {
        let mut indexer = Indexer::new("a.xtc");
        for round in 0..3 {
            for number in 0..100_000 {
                let place = indexer.segment(Src::segment(number));
                assert_eq!(place, Some(number as usize).filter(|place| *place < BITS), "{round}");
            }
        }
        let segments = &indexer.index.segments;
        assert_eq!(segments.len(), 100_000);
        assert!(segments.iter().enumerate().all(|(at, segment)| segment.node == Src::segment(at as u32)));
    }
}
