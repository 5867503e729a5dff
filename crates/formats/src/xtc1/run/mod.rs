//! A run: the streams of several recorders and their chunks, put together to events in the order of time.
//!
//! Streams below 80 come from the event builders: each event is in one of them, or in pieces in several, known by
//! its clock. Streams from 80 on come from slow cameras with a clock of their own: a piece belongs to the event with the
//! same fiducial whose clock differs by less than 85 s.
//!
//! [`Run::open`] scans the heads of all datagrams. After that every event can be read alone, by any thread. Files that are
//! still being written are scanned further by [`Run::refresh`].

mod cameras;
mod counts;
mod merge;

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::{Clock, Configs, Damage, DatagramHeader, Env, Stamp, Transition};
use crate::Result;
use crate::file::{RecordedFile, Stores};
use crate::run::{Files, Streams, check_names, files_of};
use cameras::Cameras;
pub use counts::Counts;

pub use crate::run::{Apart, Aside, EventBytes, Piece, Places, Problem};

/// The first number of streams from slow cameras.
pub const FIRST_CAMERA_STREAM: u32 = 80;

/// All that is known of a run without reading its data.
///
/// ```
/// use livetime_formats::xtc1::run::{EventBytes, Run};
/// use livetime_formats::xtc1::{Builder, DatagramHeader};
///
/// let folder = tempfile::tempdir().unwrap();
/// let mut paths = Vec::new();
/// for (stream, ns) in [(0, 2_000_000_000), (1, 1_000_000_000)] {
///     let mut bytes = Vec::new();
///     Builder::new(&mut bytes, &DatagramHeader::event(ns, 3)).finish()?;
///     paths.push(folder.path().join(format!("e1-r0001-s{stream:02}-c00.xtc")));
///     std::fs::write(&paths[stream], bytes).unwrap();
/// }
/// let run = Run::open(&paths)?;
/// let seconds: Vec<u32> = run.events().iter().map(|e| e.clock.seconds).collect();
/// assert_eq!(seconds, [1, 2]);
///
/// let mut bytes = EventBytes::default();
/// run.read(&run.events()[0], &mut bytes)?;
/// assert_eq!(bytes.pieces().count(), 1);
/// # Ok::<(), livetime_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct Run {
    files: Files,
    streams: Streams<DatagramHeader>,
    cameras: Cameras,
    /// Every state of the configurations, the last one holds now.
    configs: Vec<Configs>,
    camera_configs: Configs,
    camera_transitions: Vec<RunTransition>,
    transitions: Vec<RunTransition>,
    events: Vec<Event>,
    pieces: Vec<Piece>,
    problems: Vec<Problem>,
    counts: Counts,
    step: Option<u32>,
    newest: Clock,
}

/// An event.
#[derive(Clone, Debug)]
pub struct Event {
    /// When it happened.
    pub clock: Clock,
    /// When it happened in the accelerator's time.
    pub stamp: Stamp,
    /// The env word of its first piece, from triggers and filters.
    pub env: Env,
    /// Damage of the roots of all its pieces.
    pub damage: Damage,
    /// The data of all its pieces from event builders were removed by the filter.
    pub is_trimmed: bool,
    /// Number of the step of the scan, from 0 on; `None` before the first.
    pub step: Option<u32>,
    configs: u32,
    pieces: Range<u32>,
}

/// A change of state.
#[derive(Clone, Debug)]
pub struct RunTransition {
    /// The header of its first copy.
    pub header: DatagramHeader,
    /// Where its first copy is.
    pub piece: Piece,
    /// In how many streams it is.
    pub copies: u32,
    pieces: Range<u32>,
}

impl Run {
    /// Scans the files of one run, in any order.
    ///
    /// A file whose name does not tell its stream is a stream of its own. A file that is broken is scanned up to there; see
    /// [`Run::problems`].
    ///
    /// # Errors
    /// If there are none, they are of several runs, two are the same chunk of one stream, or the operating system reports an error.
    pub fn open<P: AsRef<Path>>(paths: &[P]) -> Result<Run> {
        Run::open_from(&Stores::default(), paths)
    }

    /// As [`Run::open`], also at addresses.
    ///
    /// # Errors
    /// As [`Run::open`].
    pub fn open_from<P: AsRef<Path>>(stores: &Stores, paths: &[P]) -> Result<Run> {
        check_names(paths)?;
        let (mut files, mut problems) = (Files::of(stores), Vec::new());
        let streams = Streams::open(paths, &mut files, &mut problems)?;
        Run::of(files, streams, problems)
    }

    /// Scans only some places of the files of one run: the events there, and the transitions that are needed to read
    /// them ([`Run::state`]).
    ///
    /// # Errors
    /// As [`Run::open`], and if there are no datagrams in these places.
    pub fn open_places(stores: &Stores, places: &[Places]) -> Result<Run> {
        let mut files = Files::of(stores);
        let streams = Streams::open_places(places, &mut files)?;
        Run::of(files, streams, Vec::new())
    }

    fn of(files: Files, streams: Streams<DatagramHeader>, problems: Vec<Problem>) -> Result<Run> {
        let mut run = Run {
            files,
            streams,
            cameras: Cameras::default(),
            configs: vec![Configs::default()],
            camera_configs: Configs::default(),
            camera_transitions: Vec::new(),
            transitions: Vec::new(),
            events: Vec::new(),
            pieces: Vec::new(),
            problems,
            counts: Counts::default(),
            step: None,
            newest: Clock::default(),
        };
        run.refresh()?;
        Ok(run)
    }

    /// All files of the run that the file `path` belongs to: the files beside it with the same experiment, run and
    /// ending, so that `.xtc` and its compressed copy, as `.hist16.xtc`, may lie in one folder. A file whose name does
    /// not have these parts stands alone.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn files_of(path: &Path) -> Result<Vec<PathBuf>> {
        Run::files_of_from(path, &Stores::default())
    }

    /// As [`Run::files_of`], also at an address; where nothing can be listed, the file alone.
    ///
    /// # Errors
    /// As [`Run::files_of`].
    pub fn files_of_from(path: &Path, stores: &Stores) -> Result<Vec<PathBuf>> {
        files_of(path, stores)
    }

    /// Scans data that were added to files that are still being written, and new chunks beside them. Events that can no
    /// longer be preceded by others are appended to [`Run::events`]; the present ones stay.
    ///
    /// # Errors
    /// If the operating system reports an error.
    pub fn refresh(&mut self) -> Result<()> {
        self.streams.scan(&mut self.files, &mut self.problems)?;
        self.merge()
    }

    /// Whether files are still being written. Between two chunks none may be, for a moment: a run that is recorded is at its end when
    /// [`Run::transitions`] ends with EndRun or Unconfigure, and nothing is being written.
    pub fn is_growing(&self) -> bool {
        self.streams.is_growing()
    }

    /// The indices beside the files ([`write_index`](crate::file::write_index)) that do not fit them. Their files were scanned
    /// instead, so nothing is missing.
    pub fn ignored_indices(&self) -> impl Iterator<Item = &Problem> {
        self.streams.ignored_indices()
    }

    /// The objects of stores that were scanned for want of an index beside them.
    pub fn scanned_objects(&self) -> impl Iterator<Item = &Path> {
        self.streams.scanned_objects()
    }

    /// The files, in the order in which pieces name them.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.files.paths()
    }

    /// The file of a piece, and its name.
    pub fn file(&self, piece: &Piece) -> Option<(&Path, &RecordedFile)> {
        self.files.open_file(piece)
    }

    /// The events in the order of time.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The changes of state in the order of time.
    pub fn transitions(&self) -> &[RunTransition] {
        &self.transitions
    }

    /// The changes of state in the streams of slow cameras, which are not among [`Run::transitions`].
    pub fn camera_transitions(&self) -> &[RunTransition] {
        &self.camera_transitions
    }

    /// The places of all changes of state that are needed to read later events: the configuring ones.
    pub fn state(&self) -> Vec<Piece> {
        /// A transition without anything in it is not longer.
        const EMPTY: u64 = (DatagramHeader::ROOT + 40) as u64;
        let configure = |t: &RunTransition| t.header.transition() == Transition::Configure;
        let all = self.transitions.iter().chain(&self.camera_transitions);
        let pieces = all.flat_map(|t| self.copies(t).iter().map(move |piece| (configure(t), *piece)));
        pieces
            .filter(|(configures, piece)| *configures || piece.length > EMPTY)
            .map(|(_, piece)| piece)
            .collect()
    }

    /// The faults of the files.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The counts of the merging.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Where the pieces of `event` are.
    pub fn pieces(&self, event: &Event) -> &[Piece] {
        self.pieces.get(event.pieces.start as usize..event.pieces.end as usize).unwrap_or_default()
    }

    /// Where the copies of a transition are.
    pub fn copies(&self, transition: &RunTransition) -> &[Piece] {
        let Range { start, end } = transition.pieces;
        self.pieces.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The configurations that were in force at `event`.
    pub fn configs(&self, event: &Event) -> &Configs {
        &self.configs[event.configs as usize]
    }

    /// Reads all pieces of `event`. May be called by several threads at once, each with its own `bytes`.
    ///
    /// # Errors
    /// If the operating system reports an error, or the file has changed.
    pub fn read(&self, event: &Event, bytes: &mut EventBytes) -> Result<()> {
        self.read_apart(event, bytes, &mut Apart::default())
    }

    /// The same, but for bytes that are read elsewhere.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn read_apart(&self, event: &Event, bytes: &mut EventBytes, apart: &mut Apart<'_>) -> Result<()> {
        bytes.clear();
        let pieces = self.pieces(event);
        apart.decide(pieces.iter().map(|piece| piece.length));
        pieces.iter().try_for_each(|piece| self.files.read::<DatagramHeader>(piece, bytes, apart))
    }

    /// Fills `bytes` with the beginning of a piece.
    ///
    /// # Errors
    /// If the system refuses, or there are fewer bytes.
    pub fn read_piece(&self, piece: &Piece, bytes: &mut [u8]) -> Result<()> {
        self.files.read_into(piece, bytes)
    }

    /// Fills `bytes` with the bytes of a piece from `start` on.
    ///
    /// # Errors
    /// If the system refuses, or the file has fewer bytes.
    pub fn read_part(&self, piece: &Piece, start: usize, bytes: &mut [u8]) -> Result<()> {
        self.files.read_from(piece, start, bytes)
    }

    /// Reads a transition.
    ///
    /// # Errors
    /// As [`Run::read`].
    pub fn read_transition(&self, transition: &RunTransition, bytes: &mut EventBytes) -> Result<()> {
        bytes.clear();
        self.files.read::<DatagramHeader>(&transition.piece, bytes, &mut Apart::default())
    }
}
