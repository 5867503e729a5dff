//! Pictures whose pixels are read and reduced strip by strip.
//!
//! The pixels of a whole block do not fit into the near caches: the system's copy is written to memory and fetched from
//! it again. A strip of some events is small enough to stay in the cache of the processor from the copy to the sum.

use std::ops::Range;

use livetime_recording::Picture;

use crate::Recording;
use crate::error::Result;
use crate::fault::Fault;
use crate::reducer::AnyPartial;
use crate::strip::{EVENTS, STRIP_BYTES, Strip};
use crate::worker::{Worker, place};

/// The read part of an event, and whether its pixels stayed in the files.
pub(crate) type Read = std::result::Result<bool, livetime_recording::Fault>;

/// An event whose pixels are in its files, with the position among its panels of each panel of the layout.
struct Seen<'a> {
    picture: &'a Picture,
    panels: Vec<Option<usize>>,
}

impl Worker<'_> {
    /// Reads some events, but for their pixels if these can stay in the files: of all events, or of none.
    pub(crate) fn read_around(&mut self, events: &[usize]) -> Vec<Read> {
        let Worker { shared, reader, slots, .. } = self;
        let (recording, detector) = (shared.recording, &shared.work.detector);
        let around =
            |(event, slot): (&usize, &mut Picture)| recording.read_around(detector, *event, reader, slot);
        let mut read: Vec<Read> = events.iter().zip(slots.iter_mut()).map(around).collect();
        if read.contains(&Ok(false)) {
            let all = read.iter_mut().zip(events.iter().zip(slots));
            for (read, (event, slot)) in all.filter(|(read, _)| **read == Ok(true)) {
                *read = recording.read(detector, *event, reader, slot).map(|()| false);
            }
        }
        read
    }

    /// Gives events whose pixels stayed in the files to the reducers, strip by strip.
    pub(crate) fn strips(
        &mut self,
        events: &[usize],
        read: Vec<Read>,
        ordered: &mut [AnyPartial],
    ) -> Result<()> {
        let Worker { shared, slots, share: (account, any_order), strips, .. } = self;
        let (work, all) = (shared.work, &shared.work.layout.panels);
        let mut seen = Vec::with_capacity(events.len());
        for ((event, read), picture) in events.iter().zip(read).zip(&*slots) {
            account.file_bytes += picture.file_bytes();
            let mut panels = vec![None; all.len()];
            let note = |position: usize, number, _| panels[position] = Some(number);
            match read.map_err(Fault::from).and_then(|_| place(work, picture, note)) {
                Ok(()) => seen.push(Seen { picture, panels }),
                Err(fault) => shared.add_broken(*event, fault, account),
            }
        }
        let (Some(first), Some(last)) = (seen.first(), seen.last()) else { return Ok(()) };
        let events = (first.picture.event(), last.picture.event());
        strips.resize(EVENTS * STRIP_BYTES, 0);
        for (position, panel) in all.iter().enumerate() {
            let size = panel.dtype.bytes();
            for start in (0..panel.bytes()).step_by(STRIP_BYTES) {
                let bytes = start..panel.bytes().min(start + STRIP_BYTES);
                let Some(frames) = read_strips(shared.recording, &seen, position, bytes.clone(), strips)
                else {
                    shared.fail_strips();
                    return Ok(());
                };
                let pixels = bytes.start / size..bytes.end / size;
                let strip = Strip { position, pixels, frames: &frames, events };
                let ordered = work.reducers(false).zip(&mut *ordered);
                let mut partials = work.reducers(true).zip(&mut *any_order).chain(ordered);
                partials.try_for_each(|(reducer, partial)| reducer.map_strip(partial, &strip))?;
            }
        }
        for seen in seen {
            let lengths = all.iter().zip(seen.panels);
            account.add_used(lengths.map(|(panel, number)| (panel, number.map(|_| panel.bytes()))));
        }
        Ok(())
    }
}

/// Some bytes of a panel of each event that has it; `None` if they cannot be read.
fn read_strips<'s>(
    recording: &Recording,
    seen: &[Seen<'_>],
    position: usize,
    bytes: Range<usize>,
    strips: &'s mut [u8],
) -> Option<Vec<&'s [u8]>> {
    let having = seen.iter().filter_map(|seen| seen.panels[position].map(|panel| (seen.picture, panel)));
    let read = |((picture, panel), strip): ((&Picture, usize), &'s mut [u8])| {
        let strip = strip.get_mut(..bytes.len())?;
        recording.read_strip(picture, panel, bytes.start, strip).ok()?;
        Some(&*strip)
    };
    having.zip(strips.chunks_mut(STRIP_BYTES)).map(read).collect()
}
