//! The contract of an open run: the functions that every format must have, and defaults for the others. How files are
//! recognised and opened is the format's line in the table ([`Format`](crate::format::Format)).
//!
//! The contract numbers events by their position among the scanned ones. `Recording` translates to a user's number,
//! which in a part of a run is another one.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use livetime_formats::xtc1::run::{Apart, Piece, Problem as Unsound};
use livetime_formats::{Error, Result};
use livetime_frame::Layout;

use crate::damage::{Fault, Outcome};
use crate::detector::{Detector, Wanted};
use crate::picture::Picture;
use crate::problem::Problem;
use crate::reader::Reader;
use crate::records::{Names, RecordPlace, RunChange, SegmentRecord};
use crate::small_data::SmallValue;
use crate::transition::Transition;

/// How long after all files of a run got their names the next chunk of a stream may take to come. Recorders create it at once, mostly before
/// they rename the one before; a server of files may take a second to show it.
const BETWEEN_CHUNKS: Duration = Duration::from_secs(3);

/// The time in which no file of a run is being written, although the run has no sign of its end: a pause between two
/// chunks, or the end.
#[derive(Debug)]
pub(crate) struct Pause {
    /// Files were still being written when the run was opened.
    was_growing: bool,
    since: Option<Instant>,
}

impl Pause {
    /// Of a run that is just opened.
    pub(crate) fn new(is_growing: bool) -> Pause {
        Pause { was_growing: is_growing, since: None }
    }

    /// Notes whether files are being written.
    pub(crate) fn look(&mut self, is_growing: bool) {
        self.since = if is_growing { None } else { Some(self.since.unwrap_or_else(Instant::now)) };
    }

    /// Whether events may still come.
    pub(crate) fn may_go_on(&self, is_growing: bool, has_ended: bool) -> bool {
        let is_going_on = || self.since.is_none_or(|since| since.elapsed() < BETWEEN_CHUNKS);
        self.was_growing && (is_growing || !has_ended && is_going_on())
    }
}

/// The bytes of some pieces.
pub(crate) fn bytes_of<'a>(pieces: impl IntoIterator<Item = &'a Piece>) -> u64 {
    pieces.into_iter().map(|piece| piece.length).fold(0, u64::saturating_add)
}

/// A problem with its file, in words.
pub(crate) fn in_words(problem: &Unsound) -> String {
    format!("{}: {}", problem.path.display(), problem.error)
}

/// An open run. A format must have events, files, detectors and pictures; functions with a default are for properties
/// that a format may lack.
pub(crate) trait Run: Send + Sync + std::fmt::Debug {
    /// How many events are known.
    fn events(&self) -> usize;

    /// How many events are complete, as far as the format knows.
    fn complete(&self) -> usize {
        self.events()
    }

    /// When an event happened, ns since 1970; 0 if there is none at that position.
    fn time_ns(&self, position: usize) -> u64;

    /// The first file and the time of an event, for messages.
    fn place(&self, position: usize) -> Option<(&Path, String)>;

    /// The files, in the order in which pieces name them.
    fn files(&self) -> Vec<PathBuf>;

    /// Where the data of an event are.
    fn pieces(&self, position: usize) -> Vec<Piece>;

    /// How many bytes an event has in the files.
    fn event_bytes(&self, position: usize) -> u64 {
        bytes_of(&self.pieces(position))
    }

    /// Type and shape of the pictures of a detector, if the format states them without reading a picture.
    fn layout(&self, detector: &Detector) -> Option<Layout> {
        let _ = detector;
        None
    }

    /// The most bytes that reading the picture of one of some events takes beside it.
    fn read_memory(&self, detector: &Detector, positions: &mut dyn Iterator<Item = usize>) -> u64 {
        let _ = detector;
        positions.map(|position| self.event_bytes(position)).max().unwrap_or(0)
    }

    /// Where all changes of state are that events are read with; none in formats that have no such thing.
    fn state(&self) -> Vec<Piece> {
        Vec::new()
    }

    /// The changes of state in the order of time, each with the position of the first event behind it; none in formats that have no
    /// such thing.
    fn transitions(&self) -> Vec<Transition> {
        Vec::new()
    }

    /// Places from which on a file cannot be read.
    fn problems(&self) -> &[Unsound] {
        &[]
    }

    /// Indices that do not fit their files, which were scanned instead; none in formats without indices.
    fn ignored_indices(&self) -> Vec<String> {
        Vec::new()
    }

    /// Objects of stores that were scanned for want of an index; none in formats without indices.
    fn scanned_objects(&self) -> Vec<PathBuf> {
        Vec::new()
    }

    /// How many changes of state there are, and which problems the changes behind the first `seen` have.
    fn broken_transitions(&self, seen: usize) -> (usize, Vec<Problem>) {
        (seen, Vec::new())
    }

    /// Whether files are still being written.
    fn is_growing(&self) -> bool {
        false
    }

    /// Whether events may still come: as [`Run::is_growing`], and between two chunks.
    fn may_grow(&self) -> bool {
        self.is_growing()
    }

    /// Looks for events that were recorded meanwhile.
    fn refresh(&mut self) -> Result<()> {
        Ok(())
    }

    /// Makes files count as being written that have no sign of their end.
    fn watch(&mut self) {}

    /// Makes files that are still being written count as complete; events that waited for more data come out now.
    fn give_up(&mut self) -> Result<()> {
        Ok(())
    }

    /// The detectors with arrays. If `wanted` names something, the search goes on for it beyond the first events.
    fn detectors(&self, wanted: &Wanted) -> Result<Vec<Detector>>;

    /// Whether the run does not name its detectors yet, beside the `found` ones.
    fn is_silent(&self, found: &[Detector]) -> bool {
        found.is_empty() && self.is_growing()
    }

    /// The detector among `found` that the run itself means by `wanted`, if it has more names or prefers one; `None`: the one with the wanted name.
    fn preferred(&self, found: &[Detector], wanted: &Wanted) -> Result<Option<Detector>> {
        let _ = (found, wanted);
        Ok(None)
    }

    /// Reads the data of `detector` at an event, pixels perhaps elsewhere. Damage is judged here.
    fn read(
        &self,
        detector: &Detector,
        position: usize,
        reader: &mut Reader,
        picture: &mut Picture,
        apart: &mut Apart<'_>,
    ) -> Outcome;

    /// Fills `bytes` from a piece of an event, from `start` on. Only of formats whose pictures are in pieces.
    fn read_part(&self, position: usize, piece: usize, start: usize, bytes: &mut [u8]) -> Result<()> {
        let _ = (start, bytes);
        Err(Error::new("pieces of an event", format!("none at event {position}, piece {piece}")))
    }

    /// The small data of an event, recorded beside the arrays.
    fn small_data(&self, position: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let _ = (position, reader);
        Ok(Vec::new())
    }

    /// The configuration when an event was taken.
    fn configuration(&self, position: usize, reader: &mut Reader) -> Outcome<Vec<SmallValue>> {
        let _ = (position, reader);
        Ok(Vec::new())
    }

    /// All changes of state with records, slow updates among them; none in formats without records.
    fn changes(&self) -> Vec<RunChange> {
        Vec::new()
    }

    /// The records of the detectors `wanted`, or, without any, of all.
    fn records(
        &self,
        place: RecordPlace,
        wanted: &[String],
        reader: &mut Reader,
    ) -> Outcome<Vec<SegmentRecord>> {
        let _ = (place, wanted, reader);
        Err(Fault::missing("records of LCLS-II"))
    }

    /// The names of records in a change of state, with the piece that holds them.
    fn names(&self, change: usize, reader: &mut Reader) -> Outcome<Vec<(usize, Names)>> {
        let _ = (change, reader);
        Err(Fault::missing("records of LCLS-II"))
    }
}
