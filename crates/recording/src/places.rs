//! Where events lie in the files of a run, so that another process finds some of them without a scan of all.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::ops::Range;
use std::path::PathBuf;

use livetime_formats::file::Stores;
use livetime_formats::xtc1::run::{Piece, Places};
use livetime_formats::{Error, Result};
use twox_hash::XxHash3_64;

use crate::{Recording, RunFormat};

/// A range of bytes of a file, which is a number among the files of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRange {
    /// Position among [`Recording::files`].
    pub file: usize,
    /// Which bytes.
    pub bytes: Range<u64>,
}

impl FileRange {
    /// Whether the place is a range of one of `files` files.
    pub fn is_in(&self, files: usize) -> bool {
        self.file < files && self.bytes.start <= self.bytes.end
    }
}

impl From<Piece> for FileRange {
    fn from(piece: Piece) -> FileRange {
        let bytes = piece.offset..piece.offset.saturating_add(piece.length);
        FileRange { file: piece.file as usize, bytes }
    }
}

/// Where events that follow each other lie: [`Recording::places`]. A scan of these places finds them, and perhaps others, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EventPlaces {
    /// Their numbers.
    pub events: Range<usize>,
    /// One place in each file that has any of them.
    pub reads: Vec<FileRange>,
    /// The first piece of the first of them.
    pub first: FileRange,
    /// A hash of the places of all their pieces, in their order.
    pub hash: u64,
}

impl Recording {
    /// Where all changes of state are that events are read with: [`Recording::open_part`] needs them beside the events.
    pub fn state_places(&self) -> Vec<FileRange> {
        self.state().into_iter().map(FileRange::from).collect()
    }

    /// Where the events with these numbers are.
    pub fn places(&self, events: Range<usize>) -> EventPlaces {
        let mut reads: BTreeMap<u32, Range<u64>> = BTreeMap::new();
        for piece in events.clone().flat_map(|event| self.pieces(event)) {
            // Pieces of one file become one range from the first to the last: a single read is faster than
            // many small ones.
            let FileRange { bytes, .. } = FileRange::from(piece);
            let read = reads.entry(piece.file).or_insert(bytes.clone());
            *read = read.start.min(bytes.start)..read.end.max(bytes.end);
        }
        let hash = self.hash_of(events.clone(), |file| file as usize);
        let reads = reads.into_iter().map(|(file, bytes)| FileRange { file: file as usize, bytes }).collect();
        // A part without events has no first piece; the empty range stands for it.
        let none = FileRange { file: 0, bytes: 0..0 };
        let first = self.pieces(events.start).first().map_or(none, |piece| FileRange::from(*piece));
        EventPlaces { events, reads, first, hash }
    }

    /// Opens the part of a run with the events `wanted`. Of `files`, all files of the run in the order of
    /// [`Recording::files`], only the ones with these events or with `state` are opened, and only at these places
    /// scanned. The events have the same numbers, and are read with the same state, as in the whole run. Events before
    /// and behind `wanted` are of no use: the part lacks their pieces in other places.
    ///
    /// ```no_run
    /// use livetime_recording::Recording;
    ///
    /// let whole = Recording::open(&["e236-r0003-s04-c00.xtc"])?;
    /// let (state, places) = (whole.state_places(), whole.places(1000..2000));
    ///
    ///     // In another process, which got format, files, state and places:
    /// let part = Recording::open_part(&whole.files(), whole.format(), &state, &places)?;
    /// assert_eq!(part.time_ns(1500), whole.time_ns(1500));
    /// # Ok::<(), livetime_recording::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the events are not found where they should be, or the system refuses.
    pub fn open_part(
        files: &[PathBuf],
        format: RunFormat,
        state: &[FileRange],
        wanted: &EventPlaces,
    ) -> Result<Recording> {
        Recording::open_part_from(&Stores::default(), files, format, state, wanted)
    }

    /// As [`Recording::open_part`], also at addresses.
    ///
    /// # Errors
    /// As [`Recording::open_part`].
    pub fn open_part_from(
        stores: &Stores,
        files: &[PathBuf],
        format: RunFormat,
        state: &[FileRange],
        wanted: &EventPlaces,
    ) -> Result<Recording> {
        // Of HDF5 indices say where everything is; times of the wire readout are known when all files are.
        if format.0.open_places.is_none() {
            return Recording::open_whole(stores, files, format, wanted);
        }
        let (numbers, places) = all_places(files, state.iter().chain(&wanted.reads));
        let recording = Recording::open_places(stores, format, &places)?;
        let numbers = |file: u32| numbers.get(file as usize).copied().unwrap_or(usize::MAX);
        if let Some(found) = recording.find_part(wanted, numbers) {
            return Ok(found);
        }
        // If streams are not in the order of time, or contain events twice, only a scan of everything shows which
        // pieces belong together.
        Recording::open_whole(stores, files, format, wanted)
    }

    fn open_whole(
        stores: &Stores,
        files: &[PathBuf],
        format: RunFormat,
        wanted: &EventPlaces,
    ) -> Result<Recording> {
        let whole = Recording::of(stores, format, files)?;
        // The same places in the same order show that the run is the planned one.
        if whole.hash_of(wanted.events.clone(), |file| file as usize) == wanted.hash {
            return Ok(whole);
        }
        let Range { start, end } = wanted.events.clone();
        Err(Error::new(format!("the events {start} to {end} that were there at the plan"), "others"))
    }

    /// Finds the wanted events among the scanned ones, and numbers them. Other events may come before them, from streams
    /// that lag behind the others.
    fn find_part(self, wanted: &EventPlaces, numbers: impl Fn(u32) -> usize + Copy) -> Option<Recording> {
        let first = |event: usize| {
            let piece = *self.pieces(event).first()?;
            Some(FileRange { file: numbers(piece.file), ..FileRange::from(piece) })
        };
        let skip = (0..self.events()).find(|event| first(*event).as_ref() == Some(&wanted.first))?;
        let is_same = self.hash_of(skip..skip + wanted.events.len(), numbers) == wanted.hash;
        is_same.then(|| self.numbered(wanted.events.start, skip))
    }

    /// A hash of the places of all pieces of some events.
    fn hash_of(&self, events: Range<usize>, numbers: impl Fn(u32) -> usize) -> u64 {
        let mut hash = XxHash3_64::new();
        for event in events {
            let pieces = self.pieces(event);
            // The number of pieces is part of the hash, so that pieces cannot move from one event to the next
            // unseen.
            hash.write(&(pieces.len() as u64).to_le_bytes());
            for piece in pieces {
                let words = [numbers(piece.file) as u64, piece.offset, piece.length];
                words.iter().for_each(|word| hash.write(&word.to_le_bytes()));
            }
        }
        hash.finish()
    }
}

/// The places in each file with the number of the file. Overlapping and touching places are joined.
fn all_places<'a>(
    files: &[PathBuf],
    pieces: impl Iterator<Item = &'a FileRange>,
) -> (Vec<usize>, Vec<Places>) {
    let mut by_file: BTreeMap<usize, Vec<Range<u64>>> = BTreeMap::new();
    pieces.for_each(|piece| by_file.entry(piece.file).or_default().push(piece.bytes.clone()));
    let places = by_file.into_iter().filter_map(|(number, ranges)| {
        // A number beyond the files of the run gives no place, and the later search finds the difference.
        let path = files.get(number)?.clone();
        Some((number, Places { path, ranges: together(ranges) }))
    });
    places.unzip()
}

fn together(mut ranges: Vec<Range<u64>>) -> Vec<Range<u64>> {
    ranges.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match all.last_mut() {
            // Ranges that touch are joined, too, so that a datagram across two of them is whole.
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_touch_are_one() {
        assert_eq!(together(vec![5..9, 0..3, 9..12, 1..2]), [0..3, 5..12]);
        assert!(together(Vec::new()).is_empty());
    }
}
